//! The notation of digits.

/// The characters that denote digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Alphabet {
    /// The characters `1-9`, then `A-Z`. For side lengths up to 35.
    FromOne,
    /// The characters `0-9`, then `A-Z`. For side lengths up to 36.
    FromZero,
    /// `A-Z`; up to side 26.
    Letters,
    /// Integers from 1, separated by blanks. For any side length.
    Integers,
    /// Characters that the caller chose, in the order of the digits.
    Own(OwnAlphabet),
}

/// The characters of an alphabet that the caller chose (see [`Alphabet::own`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OwnAlphabet(&'static str);

/// An alphabet, and whether its letters are written in upper or lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Symbols {
    /// The alphabet.
    pub alphabet: Alphabet,
    /// True to write letters in lower case. When reading, both cases are accepted.
    pub lower_case: bool,
}

/// Number of bytes of a line with one 9x9 grid: 81 characters and one byte that follows them.
///
/// The last byte is usually a line end. In rows of solutions, it can be a blank, which means that the
/// solution is the only one.
pub const PLAIN_LINE: usize = 82;

const UPPER: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LOWER: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

impl Symbols {
    /// The default symbols `1-9A-Z`, in upper case.
    pub const DEFAULT: Symbols = Symbols { alphabet: Alphabet::FromOne, lower_case: false };

    /// Returns the symbols in which a grid of this side length is written by default.
    pub fn for_side(side: usize) -> Self {
        let alphabet =
            if side <= Alphabet::FromOne.largest_side() { Alphabet::FromOne } else { Alphabet::Integers };
        Symbols { alphabet, lower_case: false }
    }

    /// Returns the 0-based digit that a character represents, or `None` if a grid of this side length has no
    /// such digit.
    ///
    /// Accepts letters in either case.
    #[inline]
    pub fn digit_of(self, byte: u8, side: usize) -> Option<usize> {
        if let Alphabet::Own(OwnAlphabet(characters)) = self.alphabet {
            return characters.bytes().take(side).position(|own| own.eq_ignore_ascii_case(&byte));
        }
        let place = match byte {
            b'0'..=b'9' if self.alphabet != Alphabet::Letters => (byte - b'0') as usize,
            b'A'..=b'Z' => (byte - b'A') as usize + 10,
            b'a'..=b'z' => (byte - b'a') as usize + 10,
            _ => return None,
        };
        let digit = place.checked_sub(self.alphabet.first_place()?)?;
        (digit < side).then_some(digit)
    }

    /// Returns the character of a 0-based digit.
    ///
    /// Returns `None` for an alphabet of integers, and for a digit beyond the alphabet.
    #[inline]
    pub fn character(self, digit: usize) -> Option<u8> {
        if let Alphabet::Own(OwnAlphabet(characters)) = self.alphabet {
            return characters.as_bytes().get(digit).copied();
        }
        let table = if self.lower_case { LOWER } else { UPPER };
        table.get(digit + self.alphabet.first_place()?).copied()
    }

    /// Writes a solution as characters without gaps, or as integers separated by blanks.
    ///
    /// Integers are also used if the alphabet has too few characters.
    #[inline]
    pub fn write(self, digits: &[u8], out: &mut Vec<u8>) {
        if let Some(line) = self.plain_line(digits) {
            return out.extend_from_slice(&line[..81]);
        }
        let largest = digits.iter().copied().max().unwrap_or(0);
        match self.alphabet.first_place() {
            Some(first) if usize::from(largest) < self.alphabet.largest_side() => {
                // Uses arithmetic instead of a lookup, so that the loop compiles to a few vector
                // instructions.
                let gap = if self.lower_case { b'a' } else { b'A' } - b'9' - 1;
                out.extend(digits.iter().map(|&digit| {
                    let place = digit + first as u8;
                    b'0' + place + if place > 9 { gap } else { 0 }
                }));
            }
            None if usize::from(largest) < self.alphabet.largest_side()
                && self.alphabet != Alphabet::Integers =>
            {
                out.extend(digits.iter().filter_map(|&digit| self.character(digit.into())));
            }
            _ => write_integers(digits, false, out),
        }
    }

    /// Returns a line with a 9x9 solution in the characters 1 to 9.
    ///
    /// Returns `None` if the grid is not 9x9, or if the alphabet is not [`FromOne`](Alphabet::FromOne).
    ///
    /// This function exists for speed, because plain 9x9 grids are by far the most frequent case. The
    /// compiler can make faster code, because the length is fixed and letters do not occur.
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

    /// Writes one row of a grid, so that the columns of all rows are aligned.
    ///
    /// Works like [`write`](Self::write), but each integer takes two characters if the side length is more
    /// than 9.
    pub fn write_row(self, digits: &[u8], side: usize, out: &mut Vec<u8>) {
        if side <= self.alphabet.largest_side() && self.alphabet != Alphabet::Integers {
            return self.write(digits, out);
        }
        write_integers(digits, side > 9, out);
    }
}

/// Writes digits as 1-based integers, separated by blanks. If `is_wide` is true, each integer takes two
/// characters.
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
    /// All alphabets.
    pub const ALL: [Alphabet; 4] =
        [Alphabet::FromOne, Alphabet::FromZero, Alphabet::Letters, Alphabet::Integers];

    /// Returns the alphabet's name on the command line, the largest side length that it allows, and the
    /// position of its first digit.
    ///
    /// The position is an index in `0-9A-Z`, or `None` if the alphabet is not a part of this sequence.
    const fn info(self) -> (&'static str, usize, Option<usize>) {
        match self {
            Alphabet::FromOne => ("1-9A-Z", 35, Some(1)),
            Alphabet::FromZero => ("0-9A-Z", 36, Some(0)),
            Alphabet::Letters => ("A-Z", 26, Some(10)),
            Alphabet::Integers => ("integers", 36, None),
            Alphabet::Own(OwnAlphabet(characters)) => (characters, characters.len(), None),
        }
    }

    /// Returns the alphabet of these characters, or `None` unless they are 4 to 36 different ones, in either case. They must
    /// be letters and decimal digits.
    ///
    /// ```
    /// use quadrille::{Alphabet, Symbols};
    /// let symbols = Symbols { alphabet: Alphabet::own("RSTUVWXYZ").unwrap(), lower_case: false };
    /// assert_eq!((symbols.digit_of(b't', 9), symbols.character(8)), (Some(2), Some(b'Z')));
    /// assert!(Alphabet::own("LETTER").is_none());
    /// ```
    pub fn own(characters: &str) -> Option<Self> {
        let bytes = characters.as_bytes();
        let is_new = |at: usize| !bytes[..at].iter().any(|known| known.eq_ignore_ascii_case(&bytes[at]));
        let are_digits = bytes.iter().all(u8::is_ascii_alphanumeric) && (0..bytes.len()).all(is_new);
        // Alphabets are compared and copied with every record. So the text of an alphabet is leaked, which
        // makes alphabets cheap to copy. A process creates only a few of them.
        (are_digits && (4..=36).contains(&bytes.len()))
            .then(|| Alphabet::Own(OwnAlphabet(String::leak(characters.to_owned()))))
    }

    /// Returns the alphabet's name on the command line.
    pub fn word(self) -> &'static str {
        self.info().0
    }

    /// Returns the largest side length of a grid that can be written in this alphabet.
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
    fn own_alphabets_are_written_as_they_are_named() {
        let symbols = Symbols { alphabet: Alphabet::own("SudO").unwrap(), lower_case: true };
        let mut out = Vec::new();
        symbols.write(&[3, 0, 1, 2], &mut out);
        assert_eq!(out, b"OSud");
        assert_eq!(
            (symbols.digit_of(b's', 4), symbols.digit_of(b'U', 4), symbols.digit_of(b'x', 4)),
            (Some(0), Some(1), None)
        );
        assert_eq!((symbols.alphabet.word(), symbols.alphabet.largest_side()), ("SudO", 4));
        out.clear();
        symbols.write(&[4], &mut out);
        assert_eq!(out, b"5");
        for bad in ["ABC", "Sudoku", "ABC.", "ABCÄ", &"A".repeat(37), "ABCa"] {
            assert_eq!(Alphabet::own(bad), None, "{bad}");
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
