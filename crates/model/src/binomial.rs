//! Binomial coefficients.

/// Returns the number of ways to choose `k` of `n` things, or 0 if `k` exceeds `n`.
///
/// # Panics
/// Panics if `n` exceeds 120, because the number might not fit.
pub fn binomial(n: u32, k: u32) -> u128 {
    assert!(n <= 120, "{n} things: only up to 120 are supported");
    (0..k).fold(1, |ways, i| ways * u128::from(n.saturating_sub(i)) / u128::from(i + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_the_sum_of_the_two_above() {
        for n in 1..=120 {
            assert_eq!([binomial(n, 0), binomial(n, n), binomial(n, n + 1)], [1, 1, 0]);
            for k in 1..n {
                assert_eq!(binomial(n, k), binomial(n - 1, k - 1) + binomial(n - 1, k));
            }
        }
    }
}
