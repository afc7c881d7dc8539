//! The graph of all solutions of an exact cover problem.
//!
//! A node is a rest of the problem: items that are still to be covered, with the colours that secondary items may
//! still have. It chooses between the options of one item, or it is the product of independent parts. Every rest has
//! one node, so problems with 10^30 solutions have graphs of a million nodes:
//!
//! ```text
//! items 1 2 3 4    options  1: 1 2    2: 3 4    3: 1 3    4: 2 4
//!
//!   {1 2 3 4} --1--> {3 4} --2--> {}         2 solutions: options 1 and 2, options 3 and 4
//!             --3--> {2 4} --4--> {}
//! ```
//! The graph is a decision-DNNF. Numbers of solutions add up and multiply along it, so it gives the solution of any
//! rank and, for every option, the number of solutions that have it. Written to a file it is a certificate of the
//! count: see `certificate`.
//!
//! Layers: `tables`, `nodes`, `build`, and the questions in `answers` and `certificate`.
//!
//! Source: Nishino, Yasuda, Minato and Nagata, Dancing with Decision Diagrams (AAAI 2017). The engine `memo` counts
//! with less memory, because it forgets finished layers; its states leave no graph.

mod answers;
mod build;
mod certificate;
mod nodes;
mod tables;

use std::fmt;

use super::Control;
use super::budget::Watch;
use build::{Failure, Most, Order, Search};
use nodes::{Child, Nodes};
use quadrille_model::{Count, CoverProblem, EndedBy, Error, Limits, Result};
use tables::Tables;

/// Default limit on the bytes of a graph.
const MEMORY: u64 = 1 << 30;
/// Maximum number of nodes of the first attempt with each order.
const FIRST_NODES: usize = 1 << 15;
/// Factor by which the number of nodes grows if no order has sufficed.
const GROWTH: usize = 8;

/// The graph of all solutions of an exact cover problem. It depends on the problem only.
///
/// ```
/// use quadrille::engine::{Control, CountGraph};
/// use quadrille::{Count, CoverProblem, Limits};
/// let cover = CoverProblem::from_options(4, &[[0, 1], [2, 3], [0, 2], [1, 3]])?;
/// let graph = CountGraph::build(&cover, Limits::default(), &Control::new())?;
/// assert_eq!(graph.count().to_string(), "2");
/// assert_eq!(graph.solution(&Count::ONE), [2, 3]);
/// # Ok::<(), quadrille::Error>(())
/// ```
pub struct CountGraph {
    tables: Tables,
    nodes: Nodes,
    root: Child,
    options: usize,
}

/// The state of the work when a graph could not be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reached {
    nodes: usize,
    ended_by: EndedBy,
}

impl CountGraph {
    /// Builds the graph of a problem.
    ///
    /// Limits are those on time and memory; the default limit on memory is 1 GiB.
    ///
    /// # Errors
    /// Returns an error for a problem with multiplicities. Returns an error that names the number of nodes reached if
    /// a limit or `control` stops the work.
    pub fn build(cover: &CoverProblem, limits: Limits, control: &Control) -> Result<CountGraph> {
        if cover.has_multiplicities() {
            return Err(Error::model("no graph: the problem has multiplicities"));
        }
        Self::within(cover, limits, control).map_err(|Reached { nodes, ended_by }| {
            Error::model(format!(
                "no count within the limits: stopped by {} after {nodes} nodes",
                ended_by.word()
            ))
        })
    }

    fn within(
        cover: &CoverProblem,
        limits: Limits,
        control: &Control,
    ) -> std::result::Result<CountGraph, Reached> {
        let watch = Watch::new(limits, control);
        let bytes = usize::try_from(limits.memory.unwrap_or(MEMORY)).unwrap_or(usize::MAX);
        let tables = Tables::new(cover, bytes / 2, &mut watch.pace())
            .map_err(|ended_by| Reached { nodes: 0, ended_by })?;
        let most = |nodes| Most { nodes, bytes: bytes - tables.bytes().min(bytes) };
        let mut nodes = FIRST_NODES;
        loop {
            let mut reached = None;
            for order in [Order::Fewest, Order::Given] {
                let mut search = Search::new(&tables, order, most(nodes), watch);
                match search.run() {
                    Ok(root) => {
                        let nodes = search.nodes;
                        return Ok(CountGraph { nodes, root, options: cover.options(), tables });
                    }
                    Err(Failure::Nodes) => reached = None,
                    Err(Failure::Ended(ended_by)) => {
                        reached = Some(Reached { nodes: search.nodes.len(), ended_by });
                        if ended_by != EndedBy::Memory {
                            break;
                        }
                    }
                }
            }
            if let Some(reached) = reached {
                return Err(reached);
            }
            nodes = nodes.saturating_mul(GROWTH);
        }
    }

    /// Returns the number of solutions.
    pub fn count(&self) -> &Count {
        self.nodes.count(self.root)
    }

    /// Returns the number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }
}

impl fmt::Debug for CountGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CountGraph")
            .field("nodes", &self.nodes())
            .field("count", self.count())
            .finish_non_exhaustive()
    }
}
