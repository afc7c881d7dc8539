//! Ratings as numbers with one decimal place.

use std::fmt;
use std::str::FromStr;

/// A rating in tenths: `Tenths(72)` is 7.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Tenths(pub u8);

impl Tenths {
    /// Returns the rating as a number with one decimal place.
    pub(super) const fn to_f64(self) -> f64 {
        self.0 as f64 / 10.0
    }

    /// Rounds a rating to tenths. The rating is a sum of decimal numbers, added as in Sudoku Explainer.
    pub(super) fn from_f64(rating: f64) -> Self {
        Tenths(((rating + 0.05) * 10.0) as u8)
    }

    /// Appends the same text that `Display` writes.
    ///
    /// Every rated record needs this once. So this method does not use the formatter, which is slower.
    pub(super) fn append(self, out: &mut Vec<u8>) {
        if self.0 >= 100 {
            out.push(b'0' + self.0 / 100);
        }
        out.extend_from_slice(&[b'0' + self.0 / 10 % 10, b'.', b'0' + self.0 % 10]);
    }
}

impl fmt::Display for Tenths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0 / 10, self.0 % 10)
    }
}

/// The error for text that is not a rating.
///
/// A rating is a number up to 20 with at most one decimal place, such as `7.2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a rating: expected a number with one decimal, such as 7.2")]
pub struct NoTenths;

impl FromStr for Tenths {
    type Err = NoTenths;

    fn from_str(text: &str) -> Result<Self, NoTenths> {
        let (whole, tenth) = text.split_once('.').unwrap_or((text, "0"));
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(whole) || !is_number(tenth) || tenth.len() != 1 || whole.len() > 2 {
            return Err(NoTenths);
        }
        let tenths = whole.parse::<u16>().map_err(|_| NoTenths)? * 10 + u16::from(tenth.as_bytes()[0] - b'0');
        u8::try_from(tenths).ok().filter(|tenths| *tenths <= 200).map(Tenths).ok_or(NoTenths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_read_as_they_are_written() {
        for tenths in 0..=200 {
            assert_eq!(Tenths(tenths).to_string().parse(), Ok(Tenths(tenths)));
            let mut appended = Vec::new();
            Tenths(tenths).append(&mut appended);
            assert_eq!(appended, Tenths(tenths).to_string().into_bytes());
        }
        assert_eq!("7".parse(), Ok(Tenths(70)));
        for text in [
            "",
            ".",
            "7.",
            ".5",
            "7.25",
            "-1",
            "20.1",
            "26.0",
            "99.9",
            "100",
            "7,2",
            "+7",
            "1e1",
            "999999999999",
        ] {
            assert_eq!(text.parse::<Tenths>(), Err(NoTenths), "{text}");
        }
    }
}
