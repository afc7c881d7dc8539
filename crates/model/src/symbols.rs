//! The notation of digits.

/// The sets of characters that stand for digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Alphabet {
    /// `1-9`, then `A-Z`; up to side 35.
    FromOne,
    /// `0-9`, then `A-Z`; up to side 36.
    FromZero,
    /// `A-Z`; up to side 26.
    Letters,
    /// Integers from 1, separated by blanks; any side.
    Integers,
}

/// An alphabet and the case of its letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Symbols {
    /// The characters.
    pub alphabet: Alphabet,
    /// Writes letters in lower case; both are read.
    pub lower_case: bool,
}

/// Bytes of a plain line: the 81 characters of a 9x9 and a byte behind them, a line end, or for tables a blank where there is no
/// other solution.
pub const PLAIN_LINE: usize = 82;

const UPPER: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LOWER: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

impl Symbols {
    /// `1-9A-Z` in upper case.
    pub const DEFAULT: Symbols = Symbols { alphabet: Alphabet::FromOne, lower_case: false };

    /// The alphabet that a side is written with where nothing else is known.
    pub fn for_side(side: usize) -> Self {
        let alphabet =
            if side <= Alphabet::FromOne.largest_side() { Alphabet::FromOne } else { Alphabet::Integers };
        Symbols { alphabet, lower_case: false }
    }

    /// The 0-based digit of a character in a grid of this side; letters in either case.
    #[inline]
    pub fn digit_of(self, byte: u8, side: usize) -> Option<usize> {
        let place = match byte {
            b'0'..=b'9' if self.alphabet != Alphabet::Letters => (byte - b'0') as usize,
            b'A'..=b'Z' => (byte - b'A') as usize + 10,
            b'a'..=b'z' => (byte - b'a') as usize + 10,
            _ => return None,
        };
        let digit = place.checked_sub(self.alphabet.first_place()?)?;
        (digit < side).then_some(digit)
    }

    /// The character of a 0-based digit; `None` for integers and for digits the alphabet does not reach.
    #[inline]
    pub fn character(self, digit: usize) -> Option<u8> {
        let table = if self.lower_case { LOWER } else { UPPER };
        table.get(digit + self.alphabet.first_place()?).copied()
    }

    /// Writes a solution: characters side by side, integers (and all sides an alphabet does not reach)
    /// separated by blanks.
    #[inline]
    pub fn write(self, digits: &[u8], out: &mut Vec<u8>) {
        if let Some(line) = self.plain_line(digits) {
            return out.extend_from_slice(&line[..81]);
        }
        let largest = digits.iter().copied().max().unwrap_or(0);
        match self.alphabet.first_place() {
            Some(first) if usize::from(largest) < self.alphabet.largest_side() => {
                // Arithmetic and not a look-up, so that the loop becomes a few vector instructions.
                let gap = if self.lower_case { b'a' } else { b'A' } - b'9' - 1;
                out.extend(digits.iter().map(|&digit| {
                    let place = digit + first as u8;
                    b'0' + place + if place > 9 { gap } else { 0 }
                }));
            }
            _ => write_integers(digits, false, out),
        }
    }

    /// A solution of a 9x9 in the characters 1 to 9, and a line feed; `None` for any other. By far the most frequent: its
    /// length is known to the compiler, and no letter is possible.
    #[inline]
    pub fn plain_line(self, digits: &[u8]) -> Option<[u8; PLAIN_LINE]> {
        let grid: &[u8; 81] = digits.try_into().ok()?;
        let largest = grid.iter().fold(0, |largest, &digit| digit.max(largest));
        if self.alphabet != Alphabet::FromOne || largest > 8 {
            return None;
        }
        let mut line = [b'\n'; PLAIN_LINE];
        for (character, digit) in line.iter_mut().zip(grid) {
            *character = b'1' + digit;
        }
        Some(line)
    }

    /// Writes one row of a grid of this side so that columns stand below each other: as [`write`](Self::write),
    /// but integers of sides above 9 take two columns each.
    pub fn write_row(self, digits: &[u8], side: usize, out: &mut Vec<u8>) {
        if side <= self.alphabet.largest_side() && self.alphabet != Alphabet::Integers {
            return self.write(digits, out);
        }
        write_integers(digits, side > 9, out);
    }
}

/// Writes 1-based digits with a blank between, each in two columns if asked to.
fn write_integers(digits: &[u8], is_wide: bool, out: &mut Vec<u8>) {
    for (place, digit) in digits.iter().enumerate() {
        if place > 0 {
            out.push(b' ');
        }
        match digit + 1 {
            shown @ 10.. => out.push(b'0' + shown / 10),
            _ if is_wide => out.push(b' '),
            _ => {}
        }
        out.push(b'0' + (digit + 1) % 10);
    }
}

impl Alphabet {
    /// All of them.
    pub const ALL: [Alphabet; 4] =
        [Alphabet::FromOne, Alphabet::FromZero, Alphabet::Letters, Alphabet::Integers];

    /// Its name on the command line, the largest side it can write, and the place of digit 0 in `0-9A-Z`.
    const fn info(self) -> (&'static str, usize, Option<usize>) {
        match self {
            Alphabet::FromOne => ("1-9A-Z", 35, Some(1)),
            Alphabet::FromZero => ("0-9A-Z", 36, Some(0)),
            Alphabet::Letters => ("A-Z", 26, Some(10)),
            Alphabet::Integers => ("integers", 36, None),
        }
    }

    /// Its name on the command line.
    pub fn word(self) -> &'static str {
        self.info().0
    }

    /// The largest side it can write.
    pub const fn largest_side(self) -> usize {
        self.info().1
    }

    fn first_place(self) -> Option<usize> {
        self.info().2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_and_digits_are_inverse() {
        for alphabet in [Alphabet::FromOne, Alphabet::FromZero, Alphabet::Letters] {
            for lower_case in [false, true] {
                let symbols = Symbols { alphabet, lower_case };
                let side = alphabet.largest_side();
                for digit in 0..side {
                    let character = symbols.character(digit).unwrap();
                    assert_eq!(symbols.digit_of(character, side), Some(digit), "{symbols:?} {digit}");
                }
                assert_eq!(symbols.character(side), None);
            }
        }
    }

    #[test]
    fn integers_are_separated() {
        let mut out = Vec::new();
        Symbols { alphabet: Alphabet::Integers, lower_case: false }.write(&[0, 8, 9, 35], &mut out);
        assert_eq!(out, b"1 9 10 36");
        out.clear();
        Symbols::DEFAULT.write(&[0, 8, 35], &mut out);
        assert_eq!(out, b"1 9 36");
    }

    #[test]
    fn solutions_are_written_in_the_characters_of_the_alphabet() {
        for alphabet in [Alphabet::FromOne, Alphabet::FromZero, Alphabet::Letters] {
            for lower_case in [false, true] {
                let symbols = Symbols { alphabet, lower_case };
                let digits: Vec<u8> = (0..alphabet.largest_side() as u8).collect();
                let mut out = Vec::new();
                symbols.write(&digits, &mut out);
                let expected: Vec<u8> =
                    digits.iter().map(|&digit| symbols.character(digit.into()).unwrap()).collect();
                assert_eq!(out, expected, "{symbols:?}");
            }
        }
    }
}
