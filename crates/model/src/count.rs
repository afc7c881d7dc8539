//! Exact numbers of solutions, of any size. A number that fits in 64 bits needs no allocation.

use std::fmt;
use std::ops::AddAssign;

use num_bigint::BigUint;

/// An exact number of solutions.
///
/// ```
/// use quadrille::Count;
/// let mut count = Count::from(u64::MAX);
/// count += &Count::from(1);
/// assert_eq!(count.to_string(), "18446744073709551616");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Count(Repr);

/// Invariant: `Big` holds only numbers greater than `u64::MAX`. So equal counts are equal values, and the
/// derived order is the numeric order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Repr {
    Small(u64),
    Big(Box<BigUint>),
}

impl Count {
    /// Zero solutions.
    pub const ZERO: Count = Count(Repr::Small(0));
    /// One solution.
    pub const ONE: Count = Count(Repr::Small(1));

    /// Returns the number as a `u64`, or `None` if it does not fit in 64 bits.
    pub fn to_u64(&self) -> Option<u64> {
        match self.0 {
            Repr::Small(value) => Some(value),
            Repr::Big(_) => None,
        }
    }

    /// Returns the number as a big integer.
    pub fn to_big(&self) -> BigUint {
        match &self.0 {
            Repr::Small(value) => BigUint::from(*value),
            Repr::Big(value) => (**value).clone(),
        }
    }

    /// Returns true if the number is zero.
    pub fn is_zero(&self) -> bool {
        self.0 == Repr::Small(0)
    }
}

impl Default for Count {
    fn default() -> Self {
        Count::ZERO
    }
}

impl From<u64> for Count {
    fn from(value: u64) -> Self {
        Count(Repr::Small(value))
    }
}

impl From<BigUint> for Count {
    fn from(value: BigUint) -> Self {
        match u64::try_from(&value) {
            Ok(small) => Count(Repr::Small(small)),
            Err(_) => Count(Repr::Big(Box::new(value))),
        }
    }
}

impl AddAssign<&Count> for Count {
    fn add_assign(&mut self, other: &Count) {
        *self = match (&self.0, &other.0) {
            (Repr::Small(a), Repr::Small(b)) if a.checked_add(*b).is_some() => Count(Repr::Small(a + b)),
            _ => Count::from(self.to_big() + other.to_big()),
        };
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(value) => value.fmt(f),
            Repr::Big(value) => value.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_stay_in_normal_form() {
        let big = Count::from(BigUint::from(7u32));
        assert_eq!(big, Count::from(7));
        let mut sum = Count::from(u64::MAX);
        sum += &Count::from(u64::MAX);
        assert_eq!(sum.to_string(), "36893488147419103230");
        assert_eq!(sum.to_u64(), None);
        assert!(sum > Count::from(u64::MAX));
    }
}
