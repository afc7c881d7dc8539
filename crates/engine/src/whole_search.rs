//! Compiles whole searches once for each instruction set.
//!
//! Unit tests of this crate always use plain 64-bit words. Otherwise compiling the tests would take another
//! minute of processor time. The tests in `tests/engines` compare whole engines on all instruction sets. Unit
//! tests check only single steps on these instruction sets.

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
