//! Questions that a graph answers in time linear in its size, or in the depth of one path.

use num_bigint::BigUint;

use super::CountGraph;
use super::nodes::{Child, PRODUCT};
use quadrille_model::random::Random;
use quadrille_model::{Count, EndedBy};

use crate::Control;

impl CountGraph {
    /// Returns the solution with a rank: option numbers, ascending.
    ///
    /// Ranks are 0 to the number of solutions minus 1. The order of solutions is that of the graph.
    ///
    /// # Panics
    /// Panics if there is no such rank.
    pub fn solution(&self, rank: &Count) -> Vec<u32> {
        assert!(rank < self.count(), "no solution has this rank");
        let mut options = Vec::new();
        let (mut large, mut small) = (vec![(self.root, rank.to_big())], Vec::new());
        while let Some((child, mut rank)) = large.pop() {
            if self.nodes.count(child).to_u64().is_some() {
                small.push((child, u64::try_from(rank).expect("a rank is below the count")));
                self.small_solution(&mut small, &mut options);
                continue;
            }
            let edges = self.nodes.edges(child.0 as usize);
            for edge in edges {
                let count = self.nodes.count(edge.child).to_big();
                if edge.option == PRODUCT {
                    large.push((edge.child, &rank % &count));
                    rank /= count;
                } else if rank < count {
                    options.push(edge.option);
                    large.push((edge.child, rank));
                    break;
                } else {
                    rank -= count;
                }
            }
        }
        options.sort_unstable();
        options
    }

    /// Appends the options of the solutions with these ranks. All counts below are at most 64 bits.
    ///
    /// The same as the loop for large numbers, ten times as fast.
    fn small_solution(&self, waiting: &mut Vec<(Child, u64)>, options: &mut Vec<u32>) {
        while let Some((child, mut rank)) = waiting.pop() {
            if child == Child::EMPTY {
                continue;
            }
            for edge in self.nodes.edges(child.0 as usize) {
                let count = self.nodes.count(edge.child).to_u64().expect("at most the count of the node");
                if edge.option == PRODUCT {
                    waiting.push((edge.child, rank % count));
                    rank /= count;
                } else if rank < count {
                    options.push(edge.option);
                    waiting.push((edge.child, rank));
                    break;
                } else {
                    rank -= count;
                }
            }
        }
    }

    /// Returns random solution number `number` under a seed, or `None` if there is no solution.
    ///
    /// All solutions have the same probability, independently for each number. The option numbers are ascending.
    pub fn sample(&self, seed: u64, number: u64) -> Option<Vec<u32>> {
        let rank = || Random::new(seed, 0, number).below_big(&self.count().to_big());
        (!self.count().is_zero()).then(|| self.solution(&Count::from(rank())))
    }

    /// Returns, for each option, the number of solutions that have it.
    ///
    /// # Errors
    /// Returns the reason if `control` stops the work.
    pub fn marginals(&self, control: &Control) -> Result<Vec<Count>, EndedBy> {
        let mut marginals = vec![Count::ZERO; self.options];
        // For each child, the number of ways to choose all options that do not belong to its rest.
        let mut ways = vec![Count::ZERO; self.nodes.len() + 1];
        if let Some(root) = ways.get_mut(self.root.0 as usize) {
            *root = Count::ONE;
        }
        for (number, node) in self.nodes.numbers().rev().enumerate() {
            if number % 1024 == 0
                && let Some(reason) = control.stop()
            {
                return Err(reason);
            }
            let own = std::mem::take(&mut ways[node]).to_big();
            let all = &own * self.nodes.count(Child(node as u32)).to_big();
            // A rest without solutions adds nothing, nor do the rests that only it leads to.
            if all == BigUint::ZERO {
                continue;
            }
            for edge in self.nodes.edges(node) {
                let count = self.nodes.count(edge.child).to_big();
                if edge.child == Child::STARVED || count == BigUint::ZERO {
                    continue;
                }
                let to_child = if edge.option == PRODUCT { &all / &count } else { own.clone() };
                if edge.option != PRODUCT {
                    marginals[edge.option as usize] += &Count::from(&own * count);
                }
                ways[edge.child.0 as usize] += &Count::from(to_child);
            }
        }
        Ok(marginals)
    }
}
