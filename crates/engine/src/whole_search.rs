//! Compiles whole searches for each instruction set.
//!
//! In the unit tests of this crate, searches run on plain words whatever the processor has. Compiling each of them for
//! every set once more took a CPU-minute; tests/engines compares whole engines on all sets, and unit tests check single
//! steps on them.

#[cfg(not(test))]
pub(crate) use quadrille_model::simd::{dispatch, run_sets, run_words};

#[cfg(test)]
pub(crate) use on_plain_words::{dispatch, run as run_sets, run as run_words};

#[cfg(test)]
mod on_plain_words {
    use quadrille_model::simd::{Dispatch, Isa, WordKernel, dispatch_portable, run_plain};

    pub(crate) fn dispatch<D: Dispatch>(isa: Isa, visitor: D) -> Option<D::Output> {
        isa.is_available().then(|| dispatch_portable(visitor))
    }

    pub(crate) fn run<K: WordKernel>(_: Option<Isa>, kernel: K) -> K::Output {
        run_plain(kernel)
    }
}
