//! What a rated puzzle is answered with.

use std::fmt;
use std::str::FromStr;

use super::Technique;

/// A rating in tenths: `Tenths(72)` is 7.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Tenths(pub u8);

impl fmt::Display for Tenths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0 / 10, self.0 % 10)
    }
}

/// Not a rating: a number such as `7.2`, with at most one digit behind the point, up to 20.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a rating: a number with one digit behind the point, such as 7.2")]
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

/// A rating that is known, or what it is known to be above.
///
/// `Display` writes `7.2` or `>7.5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Grade {
    /// The rating.
    Exactly(Tenths),
    /// No step up to this one was left: the rating is higher.
    Above(Tenths),
}

impl Grade {
    /// The number in it.
    pub const fn tenths(self) -> Tenths {
        match self {
            Grade::Exactly(tenths) | Grade::Above(tenths) => tenths,
        }
    }

    /// True if it is the rating itself.
    pub const fn is_exact(self) -> bool {
        matches!(self, Grade::Exactly(_))
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Grade::Exactly(tenths) => tenths.fmt(f),
            Grade::Above(tenths) => write!(f, ">{tenths}"),
        }
    }
}

/// The rating of a puzzle and a summary of the path that it is read off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rating {
    /// The largest rating of a step of the path.
    pub er: Grade,
    /// Pearl: the largest one until the first digit was placed.
    pub ep: Grade,
    /// Diamond: that of the first step.
    pub ed: Grade,
    /// The technique of the first step with the largest rating; `None` where no step was found, or none was needed.
    pub hardest: Option<Technique>,
    /// Steps by technique, as `Technique as usize` counts.
    pub counts: [u16; Technique::COUNT],
    /// Steps of the path.
    pub steps: u32,
}

impl Rating {
    /// The techniques of the path with their numbers of steps, in the order of the ladder.
    pub fn techniques(&self) -> impl Iterator<Item = (Technique, u16)> + '_ {
        Technique::all().map(|technique| (technique, self.counts[technique as usize])).filter(|&(_, n)| n > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_read_as_they_are_written() {
        for tenths in 0..=200 {
            assert_eq!(Tenths(tenths).to_string().parse(), Ok(Tenths(tenths)));
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
        assert_eq!(Grade::Above(Tenths(75)).to_string(), ">7.5");
    }
}
