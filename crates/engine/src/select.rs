//! Selection of the engine for a problem.
//!
//! One table describes the engines, and one function chooses among them.

use super::{
    Bands, BestCover, BestGrid, Bitmask, Bitset, Constructor, CounterEngine, Dlx, Engine, Memo, Naive,
    SearchEngine, SolutionCounter, Task, TreeSearch, Variant, lanes,
};
use quadrille_model::simd::Isa;
use quadrille_model::{Goal, Limits, ProblemClass, ProblemRef, Result, usage, worded};

/// The engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EngineKind {
    /// Dancing links.
    Dlx,
    /// Depth-first search on bit masks.
    Bitmask,
    /// Exact cover on bit sets.
    Bitset,
    /// The slow reference.
    Naive,
    /// Branch and bound for grids with weights.
    BestGrid,
    /// Bit-sliced search that works on many plain 9x9 grids at once.
    Lanes,
    /// Counts the solutions of exact covers, layer by layer. Merges equal partial solutions and adds up their
    /// counts.
    Memo,
    /// Branch and bound for exact covers with costs.
    BestCover,
    /// Counts the solutions of grids, band by band.
    Bands,
    /// Depth-first search on grids with rules.
    Variant,
}

impl EngineKind {
    /// Returns all engines, in the order of their table.
    pub fn all() -> impl Iterator<Item = EngineKind> {
        ENGINES.iter().map(|info| info.kind)
    }

    /// Returns the engine's name on the command line and in statistics.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Returns the engine's entry in the table.
    #[doc(hidden)]
    pub fn info(self) -> &'static EngineInfo {
        &ENGINES[self as usize]
    }
}

/// Conditions under which an engine is selected, as set by the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EnginePreference {
    /// Engine that must be used, or `None` to let the selection choose.
    pub engine: Option<EngineKind>,
    /// The instruction set for engines that have versions for several instruction sets, or `None` for the
    /// best one of this processor.
    ///
    /// The instruction set changes neither the choice of the engine nor any answer.
    pub isa: Option<Isa>,
    /// True if the time of each single problem must be measurable.
    pub timings: bool,
    /// Reserved for new fields: create values with `..`, as in `EnginePreference { timings: true, ..EnginePreference::default() }`.
    #[doc(hidden)]
    pub _more: (),
}

/// An entry in the table of engines.
pub struct EngineInfo {
    /// The engine.
    pub kind: EngineKind,
    /// Name of the engine on the command line and in statistics.
    pub name: &'static str,
    /// Short description for the help text.
    pub about: &'static str,
    /// Returns true if the engine supports problems of a class with a goal.
    pub supports: fn(ProblemClass, Goal) -> bool,
    /// Returns an upper bound on the bytes of the engine's tables for a problem.
    ///
    /// The bound is 0 if the tables are small for all supported problems, or if the memory limit itself bounds them.
    pub needs: fn(ProblemRef<'_>) -> u64,
    /// The instruction sets for which the engine has a special version. Empty if the engine has only one
    /// version.
    pub isas: &'static [Isa],
    /// The trait that the engine implements, and its constructor.
    pub form: EngineImpl,
}

/// The trait that an engine implements, with its constructor.
pub enum EngineImpl {
    /// A search that can be split over threads.
    Search(Constructor<dyn TreeSearch>),
    /// A counter, which can decline a problem that would take too much work.
    Counter(Constructor<dyn SolutionCounter>),
    /// An engine that works on many problems at a time.
    Stream(Constructor<dyn Engine>),
}

impl EngineInfo {
    /// Returns true if the time of each problem can be measured.
    ///
    /// This requires an engine that works on one problem at a time.
    pub fn is_timed(&self) -> bool {
        !matches!(self.form, EngineImpl::Stream(_))
    }

    /// Creates an engine.
    pub fn make(&self, isa: Option<Isa>) -> Box<dyn Engine> {
        match self.form {
            EngineImpl::Search(make) => Box::new(SearchEngine::new(make(isa))),
            EngineImpl::Counter(make) => Box::new(CounterEngine(make(isa))),
            EngineImpl::Stream(make) => make(isa),
        }
    }

    /// Returns the constructor of the engine's search, or `None` if the engine is not a search.
    ///
    /// Only searches can be split over threads.
    pub fn make_search(&self) -> Option<Constructor<dyn TreeSearch>> {
        match self.form {
            EngineImpl::Search(make) => Some(make),
            _ => None,
        }
    }

    /// Returns the constructor of the engine's counter, or `None` if the engine is not a counter.
    pub fn make_counter(&self) -> Option<Constructor<dyn SolutionCounter>> {
        match self.form {
            EngineImpl::Counter(make) => Some(make),
            _ => None,
        }
    }
}

worded! {
    /// Reasons for choosing an engine. Each has a description for statistics.
    pub SelectionReason, text, from_text {
        /// The caller named the engine.
        Named = "named by the caller",
        /// The goal is the best solution of a grid.
        WeightedGrid = "weighted grid: branch and bound",
        /// The goal is the best solution of an exact cover problem.
        CoverWithCosts = "exact cover with costs: branch and bound",
        /// The goal needs only few solutions of a plain 9x9.
        Plain9x9 = "plain 9x9: hundreds of puzzles per instruction",
        /// The goal needs only few solutions of a 9x9 with rules.
        ///
        /// All grids of the run, or of one input source, have the same rules.
        Common9x9 = "9x9 with rules that many puzzles share: hundreds of puzzles per instruction",
        /// The problem is a plain grid, and no reason above applies.
        Grid = "grid: bit masks are faster than dancing links",
        /// The problem is a grid with rules beyond rows, columns and boxes.
        WithRules = "grid with rules: bit masks and tables computed from the rules",
        /// The problem is an exact cover, and no reason above applies.
        Cover = "exact cover: bit sets are faster than dancing links",
        /// The problem is so large that the tables of other engines would be too large.
        VastCover = "very large exact cover: dancing links",
        /// The preferred engine needs more memory than the limits allow.
        LessMemory = "the preferred engine needs more memory",
        /// A counter answered the problem, because a search would take long.
        LongCount = "long count: many equal subproblems",
        /// An estimate of an exact cover problem uses the engine only for probes.
        Probes = "probes of an exact cover: dancing links descend the fastest",
        /// The search was split into parts that ran on several threads.
        Split = "split over threads",
    }
}

/// The engine chosen, and the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection {
    /// The engine.
    pub kind: EngineKind,
    /// The reason for the choice.
    pub reason: SelectionReason,
    /// Counter that may be used if the search becomes long, see [`SolutionCounter`].
    pub then: Option<EngineKind>,
}

impl Selection {
    /// Returns a selection of the engine `kind`, which answers a problem in place of the engine that was
    /// selected first.
    pub fn taken_over(kind: EngineKind, reason: SelectionReason) -> Self {
        Selection { kind, reason, then: None }
    }

    /// Returns the counter that may be used if a search under these limits becomes long.
    ///
    /// Returns `None` if there is none. With a node limit, there is never a counter, because the limit counts
    /// nodes of the search.
    pub fn counter(self, limits: Limits) -> Option<EngineKind> {
        self.then.filter(|_| limits.nodes.is_none())
    }
}

/// All engines, in the order of [`EngineKind`].
pub static ENGINES: &[EngineInfo] = &[
    EngineInfo {
        kind: EngineKind::Dlx,
        name: "dlx",
        about: "dancing links",
        supports: Dlx::supports,
        needs: Dlx::needs,
        isas: &[],
        form: EngineImpl::Search(|_| Box::<Dlx>::default()),
    },
    EngineInfo {
        kind: EngineKind::Bitmask,
        name: "bitmask",
        about: "depth-first search on bit masks",
        supports: Bitmask::supports,
        needs: Bitmask::needs,
        isas: &[],
        form: EngineImpl::Search(|_| Box::<Bitmask>::default()),
    },
    EngineInfo {
        kind: EngineKind::Bitset,
        name: "bitset",
        about: "exact cover on bit sets",
        supports: Bitset::supports,
        needs: Bitset::needs,
        // The AVX-512 version needs the instructions for population counts. If the processor does not have
        // them, the engine runs its AVX2 version.
        isas: &[Isa::Portable, Isa::Avx2, Isa::Avx512],
        form: EngineImpl::Search(|isa| Box::new(Bitset::on(isa))),
    },
    EngineInfo {
        kind: EngineKind::Naive,
        name: "naive",
        about: "slow reference engine, to check the others",
        supports: Naive::supports,
        needs: Naive::needs,
        isas: &[],
        form: EngineImpl::Search(|_| Box::new(Naive)),
    },
    EngineInfo {
        kind: EngineKind::BestGrid,
        name: "best-grid",
        about: "branch and bound on weighted grids",
        supports: BestGrid::supports,
        needs: |_| 0,
        isas: &[],
        form: EngineImpl::Search(|_| Box::<BestGrid>::default()),
    },
    EngineInfo {
        kind: EngineKind::Lanes,
        name: "lanes",
        about: "hundreds of 9x9 at once, bit-sliced, plain or with the same houses",
        supports: lanes::supports,
        needs: |_| 0,
        isas: Isa::ALL,
        form: EngineImpl::Stream(|isa| {
            lanes::engine_on(isa.unwrap_or_else(Isa::best))
                .expect("an unavailable instruction set was refused before")
        }),
    },
    EngineInfo {
        kind: EngineKind::Memo,
        name: "memo",
        about: "counts exact covers without listing them",
        supports: Memo::supports,
        needs: |_| 0,
        isas: &[],
        form: EngineImpl::Counter(|_| Box::<Memo>::default()),
    },
    EngineInfo {
        kind: EngineKind::BestCover,
        name: "best-cover",
        about: "branch and bound on the costs of exact covers",
        supports: BestCover::supports,
        needs: BestCover::needs,
        isas: &[Isa::Portable, Isa::Avx2],
        form: EngineImpl::Search(|isa| Box::new(BestCover::on(isa))),
    },
    EngineInfo {
        kind: EngineKind::Bands,
        name: "bands",
        about: "counts grids band by band without listing them",
        supports: Bands::supports,
        needs: |_| 0,
        isas: &[],
        form: EngineImpl::Counter(|_| Box::<Bands>::default()),
    },
    EngineInfo {
        kind: EngineKind::Variant,
        name: "variant",
        about: "depth-first search on grids with rules",
        supports: Variant::supports,
        needs: Variant::needs,
        isas: &[],
        form: EngineImpl::Search(|_| Box::<Variant>::default()),
    },
];

/// A rule for the automatic selection of an engine.
struct Rule {
    kind: EngineKind,
    /// Returns true if the rule applies to this class and goal.
    applies: fn(ProblemClass, Goal) -> bool,
    reason: SelectionReason,
}

impl Rule {
    /// Returns true if the rule applies to this class and goal, and its engine supports them.
    fn is_for(&self, class: ProblemClass, goal: Goal, preference: EnginePreference) -> bool {
        let info = self.kind.info();
        (self.applies)(class, goal)
            && (info.supports)(class, goal)
            && (info.is_timed() || !preference.timings)
    }
}

/// Returns true if the goal needs only few solutions.
fn asks_for_few(goal: Goal) -> bool {
    matches!(goal, Goal::First(1 | 2) | Goal::Least | Goal::Count { limit: Some(_) })
}

/// The rules for the automatic selection. The selection uses the first rule that applies and whose engine
/// supports the problem and the goal.
static RULES: &[Rule] = &[
    Rule {
        kind: EngineKind::BestGrid,
        applies: |_, goal| matches!(goal, Goal::Best(_)),
        reason: SelectionReason::WeightedGrid,
    },
    Rule {
        kind: EngineKind::BestCover,
        applies: |_, goal| matches!(goal, Goal::Best(_)),
        reason: SelectionReason::CoverWithCosts,
    },
    Rule {
        kind: EngineKind::Lanes,
        applies: |class, goal| asks_for_few(goal) && matches!(class, ProblemClass::Grid { packed: true, .. }),
        reason: SelectionReason::Plain9x9,
    },
    Rule {
        kind: EngineKind::Lanes,
        applies: |_, goal| asks_for_few(goal),
        reason: SelectionReason::Common9x9,
    },
    Rule {
        kind: EngineKind::Bitmask,
        applies: |class, _| matches!(class, ProblemClass::Grid { .. }),
        reason: SelectionReason::Grid,
    },
    Rule {
        kind: EngineKind::Variant,
        applies: |class, _| matches!(class, ProblemClass::Grid { .. }),
        reason: SelectionReason::WithRules,
    },
    // In a count of a vast problem that is not deep, both engines take long for the first nodes. For later
    // nodes, the bit set engine is a hundred times as fast as dancing links.
    Rule {
        kind: EngineKind::Bitset,
        applies: |class, goal| {
            let ProblemClass::Cover { vast, deep, .. } = class else { return false };
            !vast || !deep && goal == Goal::Count { limit: None }
        },
        reason: SelectionReason::Cover,
    },
    Rule { kind: EngineKind::Dlx, applies: |_, _| true, reason: SelectionReason::VastCover },
];

/// Returns the first counter in the table that supports a class and goal, or `None` if there is none.
fn counter(class: ProblemClass, goal: Goal) -> Option<EngineKind> {
    let counts = |info: &&EngineInfo| info.make_counter().is_some() && (info.supports)(class, goal);
    ENGINES.iter().find(counts).map(|info| info.kind)
}

/// Selects the engine for a class of problems and a goal.
///
/// The choice depends only on the class, the goal and the preference, never on the rest of the corpus.
///
/// # Errors
/// Returns `ErrorKind::Usage` if the named engine does not support the class and goal, if no engine supports
/// them, or if this processor does not support the named instruction set.
pub fn select(class: ProblemClass, goal: Goal, preference: EnginePreference) -> Result<Selection> {
    if let Some(isa) = preference.isa {
        isa.require()?;
    }
    if let Some(kind) = preference.engine {
        let info = kind.info();
        if !(info.supports)(class, goal) {
            let (name, verb, class) = (info.name, goal.verb(), class.name());
            return Err(usage!("engine {name} cannot {verb} {class}"));
        }
        if preference.timings && !info.is_timed() {
            let name = info.name;
            return Err(usage!("engine {name} cannot measure the time of a single puzzle"));
        }
        return Ok(Selection { kind, reason: SelectionReason::Named, then: None });
    }
    RULES
        .iter()
        .find(|rule| rule.is_for(class, goal, preference))
        .map(|rule| Selection { kind: rule.kind, reason: rule.reason, then: counter(class, goal) })
        .ok_or_else(|| usage!("no engine can {} {} yet", goal.verb(), class.name()))
}

/// Selects the engine for one problem and its limits.
///
/// [`select`] chooses the first engine. If its tables would exceed [`Limits::memory`], this function uses the
/// next rule whose engine needs less memory. The first engine remains if there is no such rule, or if the
/// caller named it. The search then ends with [`EndedBy::Memory`](crate::EndedBy::Memory).
///
/// # Errors
/// Returns an error in the same cases as [`select`].
pub(crate) fn select_within(task: &Task<'_>, preference: EnginePreference) -> Result<Selection> {
    let selection = select(task.problem.class(), task.goal, preference)?;
    Ok(selection.within(task, preference))
}

impl Selection {
    /// Returns this selection if the tables of its engine fit into the memory limit. If they do not fit,
    /// returns the selection that `select_within` makes.
    pub fn within(self, task: &Task<'_>, preference: EnginePreference) -> Selection {
        let Some(limit) = task.limits.memory.filter(|_| preference.engine.is_none()) else { return self };
        let fits = |kind: EngineKind| (kind.info().needs)(task.problem) <= limit;
        if fits(self.kind) {
            return self;
        }
        let class = task.problem.class();
        let other = RULES.iter().find(|rule| rule.is_for(class, task.goal, preference) && fits(rule.kind));
        other.map_or(self, |rule| Selection { kind: rule.kind, reason: SelectionReason::LessMemory, ..self })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use quadrille_model::{Bounds, CoverBuilder, Problem};

    /// Returns a problem with `items` items and `options` options. Each option has one item.
    fn cover(items: usize, options: usize, bounds: Bounds) -> Problem {
        let mut builder = CoverBuilder::new();
        let names: Vec<String> = (0..items).map(|item| item.to_string()).collect();
        for name in &names {
            builder.primary_within(name, bounds).unwrap();
        }
        for option in 0..options {
            builder.option(&[&names[option % items]]).unwrap();
        }
        Problem::Cover(Arc::new(builder.build().unwrap()))
    }

    #[test]
    fn bit_sets_are_chosen_if_their_tables_are_not_too_large() {
        let several = Bounds { low: 1, high: 2 };
        for (items, options, bounds, kind) in [
            (200, 1 << 16, Bounds::ONCE, EngineKind::Bitset),
            (200, (1 << 16) + 1, Bounds::ONCE, EngineKind::Dlx),
            (8_000, 1 << 16, Bounds::ONCE, EngineKind::Bitset),
            (11_000, 11_000, Bounds::ONCE, EngineKind::Bitset),
            (12_000, 12_000, Bounds::ONCE, EngineKind::Dlx),
            (5_000, 5_000, several, EngineKind::Bitset),
            (6_000, 6_000, several, EngineKind::Dlx),
        ] {
            let problem = cover(items, options, bounds);
            let problem = problem.as_ref();
            let chosen = select(problem.class(), Goal::All, EnginePreference::default()).unwrap().kind;
            assert_eq!(chosen, kind, "{items} items, {options} options");
            let count = Goal::Count { limit: None };
            let counting = select(problem.class(), count, EnginePreference::default()).unwrap().kind;
            let is_deep = (items, kind) != (200, EngineKind::Dlx);
            assert_eq!(counting, if is_deep { kind } else { EngineKind::Bitset }, "{items} items");
            // A list that grows by doubling may use twice the memory of its entries.
            assert!((chosen.info().needs)(problem) < 3 << 29, "{items} items, {options} options");
            assert!(Dlx::needs(problem) < Bitset::needs(problem));
        }
    }

    #[test]
    fn each_engine_is_at_its_index() {
        for (place, info) in ENGINES.iter().enumerate() {
            assert_eq!((info.kind as usize, info.kind.name()), (place, info.name));
        }
    }
}
