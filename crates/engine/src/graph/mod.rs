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
//! Layers: `nodes`, `build`, and the questions in `answers` and `certificate`.
//!
//! Source: Nishino, Yasuda, Minato and Nagata, Dancing with Decision Diagrams (AAAI 2017). The engine `memo` counts
//! with less memory, because it forgets finished layers; its states leave no graph.

mod answers;
mod build;
mod certificate;
mod nodes;

use std::fmt;
use std::fs::File;
use std::io;

use super::Control;
use super::budget::Watch;
use super::option_sets::OptionSets;
use build::{Failure, Most, Order, Search};
use nodes::{Child, Nodes};
use quadrille_model::{Count, CoverProblem, EndedBy, Error, Limits, Result};

/// Default limit on the size of a graph in bytes.
const MEMORY: u64 = 1 << 30;
/// Maximum number of nodes of the graph in the first attempt. Each attempt tries every branching order.
const FIRST_NODES: usize = 1 << 15;
/// Factor by which the maximum number of nodes grows after an attempt in which no branching order gave a
/// small enough graph.
const GROWTH: usize = 8;

/// The graph of all solutions of an exact cover problem. It depends on the problem only.
///
/// ```
/// use quadrille::engine::{Control, CountGraph};
/// use quadrille::{Count, CoverProblem, Limits};
/// let cover = CoverProblem::from_options(4, &[[0, 1], [2, 3], [0, 2], [1, 3]])?;
/// let graph = CountGraph::build(&cover, Limits::default(), &Control::new())?;
/// assert_eq!(graph.count().to_string(), "2");
/// assert_eq!(graph.solution(&Count::ONE)?, [2, 3]);
/// # Ok::<(), quadrille::Error>(())
/// ```
pub struct CountGraph {
    tables: OptionSets,
    nodes: Nodes,
    root: Child,
    count: Count,
    options: usize,
}

impl CountGraph {
    /// Builds the graph of a problem in memory.
    ///
    /// Of `limits`, only those on time and memory apply. The default memory limit is 1 GiB.
    ///
    /// # Errors
    /// Returns an error if the problem has multiplicities. If a limit or `control` stops the work, returns an
    /// error that states the number of nodes reached.
    pub fn build(cover: &CoverProblem, limits: Limits, control: &Control) -> Result<CountGraph> {
        Self::within(cover, limits, control, None)
    }

    /// Builds the same graph as [`build`](Self::build), but uses less memory.
    ///
    /// `file` stores the nodes that exceed the memory limit; its previous contents are lost. Two to four
    /// words per node remain in memory.
    ///
    /// # Errors
    /// Returns the same errors as [`build`](Self::build), and also an error if the file cannot be read or
    /// written.
    pub fn build_with_file(
        cover: &CoverProblem,
        limits: Limits,
        control: &Control,
        file: File,
    ) -> Result<CountGraph> {
        Self::within(cover, limits, control, Some(file))
    }

    fn within(
        cover: &CoverProblem,
        limits: Limits,
        control: &Control,
        mut file: Option<File>,
    ) -> Result<CountGraph> {
        if cover.has_multiplicities() {
            return Err(Error::model("no graph: the problem has multiplicities"));
        }
        let stopped = |nodes: usize, by: EndedBy| {
            let by = by.word();
            Error::model(format!("no count within the limits: stopped by {by} after {nodes} nodes"))
        };
        let watch = Watch::new(limits, control);
        let bytes = usize::try_from(limits.memory.unwrap_or(MEMORY)).unwrap_or(usize::MAX);
        let tables = OptionSets::new(cover, bytes / 2, &mut watch.pace()).map_err(|by| stopped(0, by))?;
        let most = |nodes| Most { nodes, bytes: bytes - tables.bytes().min(bytes) };
        let mut nodes = FIRST_NODES;
        loop {
            let mut reached = None;
            for order in [Order::Fewest, Order::Given] {
                let empty = Nodes::new(tables.entry_words, file.take());
                let mut search = Search::new(&tables, order, most(nodes), watch, empty);
                match search.run() {
                    Ok(root) => {
                        let nodes = search.nodes;
                        let count = nodes.count(root, &mut Vec::new()).map_err(of_file)?;
                        return Ok(CountGraph { nodes, root, count, options: cover.options(), tables });
                    }
                    Err(Failure::Nodes) => reached = None,
                    Err(Failure::Ended(by)) => {
                        reached = Some(stopped(search.nodes.len(), by));
                        if by != EndedBy::Memory {
                            break;
                        }
                    }
                    Err(Failure::File(cause)) => return Err(of_file(cause)),
                }
                file = search.nodes.into_file();
            }
            if let Some(error) = reached {
                return Err(error);
            }
            nodes = nodes.saturating_mul(GROWTH);
        }
    }

    /// Returns the number of solutions.
    pub fn count(&self) -> &Count {
        &self.count
    }

    /// Returns the number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }
}

/// Converts an I/O error that a temporary file has caused to an error of this crate.
fn of_file(cause: io::Error) -> Error {
    Error::model(format!("cannot use a temporary file: {cause}"))
}

impl fmt::Debug for CountGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CountGraph")
            .field("nodes", &self.nodes())
            .field("count", self.count())
            .finish_non_exhaustive()
    }
}
