//! Ratings of puzzles: how hard they are for a person.
//!
//! Part of [quadrille](https://docs.rs/quadrille); use it through that crate. This crate makes no promises of its
//! own: any item may change with any version.
//!
//! The scale is that of Sudoku Explainer 1.2.1 by Nicolas Juillerat, which collections and forums publish
//! ("SER", "ER"). A puzzle is solved step by step, always with the easiest technique that makes progress. Its
//! rating is that of its hardest step.
//!
//! ```text
//! lib           the scale and its version
//! technique     the techniques and their minimum ratings
//! tenths        Tenths
//! rating_bound  RatingBound, Rating
//! mean_guesses  MeanGuesses, Thousandths
//! any_rating    AnyRating: a rating on any scale
//! step          Step: one step of a path, as text and as JSON
//! level         Level: QQWing's
//! difficulty    words for ranges of ratings
//! ladder        Rater: the order of the techniques, and the path
//! grid          a grid with its candidates
//! singles       many singles at once, if their order does not matter
//! caller        Caller: stops a search, shows what it does, lends it threads
//! clock         when a search must end early
//! hint          a step that was found but not applied yet
//! houses        tables of houses and peers
//! locking, subsets, fish, wings, loops, bivalue_graves, aligned    techniques without chains
//! chains        cycles and chains of one assumption: links in lists, the shortest chain first
//! kind          the kinds of forcing chains, and what each searches for in its runs
//! nested        chains in the grid of a run
//! run           everything that follows from one assumption
//! forcing       Nishio, multiple and dynamic chains: what assumptions have in common
//! trace         the chains of a hint
//! ```

// The print macros panic if the stream cannot be written.
#![deny(clippy::print_stderr, clippy::print_stdout)]
#![forbid(unsafe_code)]

mod aligned;
mod any_rating;
mod bivalue_graves;
mod caller;
mod chains;
mod clock;
mod difficulty;
mod fish;
mod forcing;
mod grid;
mod hint;
mod houses;
mod kind;
mod ladder;
mod level;
mod link_lists;
mod locking;
mod loops;
mod mean_guesses;
mod nested;
mod rating_bound;
mod reached;
mod run;
mod shortest_chain;
mod singles;
mod step;
mod step_filter;
mod subsets;
mod technique;
mod tenths;
mod trace;
mod wings;

pub use any_rating::AnyRating;
pub use caller::Caller;
pub use difficulty::DIFFICULTIES;
pub use ladder::{NoRating, Rater};
pub use level::{Level, QQWING};
pub use mean_guesses::{MeanGuesses, Thousandths};
pub use rating_bound::{Counts, Rating, RatingBound};
pub use reached::Reached;
pub use step::{Candidate, Link, NestedChains, Step};
pub use step_filter::{StepFilter, TechniqueSet};
pub use technique::Technique;
pub use tenths::{NoTenths, Tenths};

/// Name and version of the scale of Sudoku Explainer ratings.
pub const SER: &str = "ser/1.2.1";
