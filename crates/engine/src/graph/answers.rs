//! Queries that a graph can answer: the solution with a given rank, random solutions, and counts per option.
//!
//! The time for each answer is linear in the size of the graph or in the depth of one path.

use std::io;
use std::ops::{Div, Rem, Sub};

use num_bigint::BigUint;

use super::nodes::{Child, PRODUCT};
use super::{CountGraph, of_file};
use crate::Control;
use quadrille_model::random::Random;
use quadrille_model::{Count, Error, Result};

impl CountGraph {
    /// Returns the solution with the given rank, as option numbers in ascending order.
    ///
    /// Ranks go from 0 to the number of solutions minus 1. The graph determines the order of the solutions.
    ///
    /// # Errors
    /// Returns an error if a temporary file cannot be read.
    ///
    /// # Panics
    /// Panics if the rank is too large.
    pub fn solution(&self, rank: &Count) -> Result<Vec<u32>> {
        assert!(rank < self.count(), "no solution has this rank");
        let mut options = Vec::new();
        self.choose(rank.to_big(), &mut options).map_err(of_file)?;
        options.sort_unstable();
        Ok(options)
    }

    /// Appends the options of the solution with the given rank.
    ///
    /// As soon as the counts of a node fit into 64 bits, ranks are numbers of 64 bits, which takes a tenth of
    /// the time.
    fn choose(&self, rank: BigUint, options: &mut Vec<u32>) -> io::Result<()> {
        let (mut large, mut small) = (vec![(self.root, rank)], Vec::new());
        while let Some((child, rank)) = large.pop() {
            if self.nodes.count(child, &mut Vec::new())?.to_u64().is_none() {
                self.choose_in((child, rank), &mut large, options, Count::to_big)?;
                continue;
            }
            small.push((child, u64::try_from(rank).expect("a rank is below the count")));
            let number = |count: &Count| count.to_u64().expect("at most the count of the node");
            while let Some(next) = small.pop() {
                if next.0 != Child::EMPTY {
                    self.choose_in(next, &mut small, options, number)?;
                }
            }
        }
        Ok(())
    }

    /// Appends the option that belongs to a rank in a node, and adds the ranks in the node's children to
    /// `waiting`.
    fn choose_in<N: PartialOrd>(
        &self,
        (child, mut rank): (Child, N),
        waiting: &mut Vec<(Child, N)>,
        options: &mut Vec<u32>,
        number: impl Fn(&Count) -> N,
    ) -> io::Result<()>
    where
        for<'n> &'n N: Div<&'n N, Output = N> + Rem<&'n N, Output = N> + Sub<&'n N, Output = N>,
    {
        let (mut own, mut others) = (Vec::new(), Vec::new());
        for edge in self.nodes.node(child.0 as usize, &mut own)?.edges() {
            let count = number(&self.nodes.count(edge.child, &mut others)?);
            if edge.option == PRODUCT {
                waiting.push((edge.child, &rank % &count));
                rank = &rank / &count;
            } else if rank < count {
                options.push(edge.option);
                waiting.push((edge.child, rank));
                break;
            } else {
                rank = &rank - &count;
            }
        }
        Ok(())
    }

    /// Returns the random solution that belongs to `seed` and `number`, or `None` if there is no solution.
    ///
    /// All solutions have the same probability, and samples with different numbers are independent. The
    /// option numbers are ascending.
    ///
    /// # Errors
    /// Returns an error if a temporary file cannot be read.
    pub fn sample(&self, seed: u64, number: u64) -> Result<Option<Vec<u32>>> {
        let rank = || Random::new(seed, 0, number).below_big(&self.count().to_big());
        (!self.count().is_zero()).then(|| self.solution(&Count::from(rank()))).transpose()
    }

    /// Returns, for each option, the number of solutions that contain it.
    ///
    /// # Errors
    /// Returns an error if `control` stops the work, or if a temporary file cannot be read.
    pub fn marginals(&self, control: &Control) -> Result<Vec<Count>> {
        let (mut own, mut others) = (Vec::new(), Vec::new());
        let mut marginals = vec![Count::ZERO; self.options];
        // For each node, the number of ways to choose the options outside the node's subproblem, which are
        // all other options of a solution.
        let mut ways = vec![Count::ZERO; self.nodes.len() + 1];
        if let Some(root) = ways.get_mut(self.root.0 as usize) {
            *root = Count::ONE;
        }
        for (number, place) in self.nodes.numbers().rev().enumerate() {
            if number % 1024 == 0
                && let Some(reason) = control.stop()
            {
                return Err(Error::model(format!("no marginals: stopped by {}", reason.word())));
            }
            let node = self.nodes.node(place, &mut own).map_err(of_file)?;
            let to_node = std::mem::take(&mut ways[place]).to_big();
            let all = &to_node * node.count().to_big();
            // A node without solutions adds nothing to the count of any option. Nodes that can be reached
            // only through such a node add nothing either.
            if all == BigUint::ZERO {
                continue;
            }
            for edge in node.edges() {
                let count = self.nodes.count(edge.child, &mut others).map_err(of_file)?.to_big();
                if edge.child == Child::STARVED || count == BigUint::ZERO {
                    continue;
                }
                let to_child = if edge.option == PRODUCT { &all / &count } else { to_node.clone() };
                if edge.option != PRODUCT {
                    marginals[edge.option as usize] += &Count::from(&to_node * count);
                }
                ways[edge.child.0 as usize] += &Count::from(to_child);
            }
        }
        Ok(marginals)
    }
}
