//! Puzzles that a spreadsheet stored as numbers.
//!
//! A spreadsheet keeps 15 digits of a number. It writes the number with an exponent, as `8.26100E+80`, or with zeros in
//! place of the other digits.

use super::lines::trim;

/// Start of the reason for refusing a record with such a number.
pub const ROUNDED: &str = "a number rounded by a spreadsheet";

/// Number of digits that a spreadsheet keeps of a number.
const KEPT_DIGITS: usize = 15;

/// Maximum number of digits of an exponent.
const EXPONENT_DIGITS: usize = 3;

/// Returns the reason if a text is a number with an exponent, such as `8.26100E+80`; otherwise `None`.
///
/// Such a number is what remains of a puzzle that was stored in a cell for numbers.
pub(super) fn rounded(text: &[u8]) -> Option<String> {
    let text = trim(text);
    let at = text.iter().position(|byte| matches!(byte, b'E' | b'e'))?;
    let (number, exponent) = (&text[..at], &text[at + 1..]);
    let number = number.strip_prefix(b"+").or(number.strip_prefix(b"-")).unwrap_or(number);
    let exponent = exponent.strip_prefix(b"+").or(exponent.strip_prefix(b"-")).unwrap_or(exponent);
    // Both `.` and `,` occur as decimal sign. A puzzle with E as a digit has neither, or several.
    let fraction = number.get(1).filter(|byte| matches!(byte, b'.' | b','));
    let digits = &number[number.len().min(1 + usize::from(fraction.is_some()))..];
    let is_number = number.first().is_some_and(u8::is_ascii_digit)
        && digits.iter().all(u8::is_ascii_digit)
        && fraction.is_some() != digits.is_empty()
        && (1..=EXPONENT_DIGITS).contains(&exponent.len())
        && exponent.iter().all(u8::is_ascii_digit);
    is_number.then(|| {
        let shown = String::from_utf8_lossy(text);
        format!("{ROUNDED}, {shown}: its digits are lost (keep such columns as text)")
    })
}

/// Returns the reason if a text is a puzzle or solution of side 6, 8 or 9 that a spreadsheet cut to 15 digits, or
/// `None` otherwise.
#[cold]
pub(super) fn cut_off(text: &[u8]) -> Option<String> {
    is_cut_off(text).then(|| {
        let shown = String::from_utf8_lossy(&text[..KEPT_DIGITS]);
        format!(
            "{ROUNDED}, {shown} and zeros: its other digits are lost (keep such columns as text; \
             --from reads the number as it is)"
        )
    })
}

/// Returns true if a text is a number of 36, 64 or 81 digits, and all digits after the 15th are zeros.
///
/// No such puzzle has a single solution. A puzzle whose clues are all in its first row does not count: people write
/// such puzzles, and the second row of a damaged one is hardly ever empty.
#[inline]
pub(super) fn is_cut_off(text: &[u8]) -> bool {
    // Nearly all puzzles have a clue in their last eight cells, or blanks other than zeros.
    text.last_chunk() == Some(b"00000000") && has_kept_digits(text)
}

#[cold]
fn has_kept_digits(text: &[u8]) -> bool {
    let side = text.len().isqrt();
    matches!(text.len(), 36 | 64 | 81)
        && text[0] != b'0'
        && text[..KEPT_DIGITS].iter().all(u8::is_ascii_digit)
        && text[side..KEPT_DIGITS].iter().any(|&byte| byte != b'0')
        && text[KEPT_DIGITS..].iter().all(|&byte| byte == b'0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_an_exponent_are_recognised() {
        for text in
            ["8.26100E+80", "1.00007E+80", "8,26100E+80", " 9E+79 ", "1.5e80", "-1.5E80", "1.123456789E-15"]
        {
            let reason = rounded(text.as_bytes()).unwrap_or_else(|| panic!("{text}"));
            assert!(reason.contains(text.trim()), "{reason}");
        }
        for text in [
            "",
            "E",
            "1E",
            "E1",
            "12E+80",
            "1.E+80",
            "1.2.3E+8",
            "1.2E+8000",
            "1.2E+8x",
            "1..E...",
            "1.2E.3",
            "5E+",
        ] {
            assert_eq!(rounded(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn numbers_with_15_digits_and_zeros_are_recognised() {
        let number = |digits: &str, length: usize| digits.to_owned() + &"0".repeat(length - digits.len());
        for (digits, length) in [
            ("530070000600195", 81),
            ("100000000000002", 81),
            ("1000000002", 81),
            ("987654321987654", 81),
            ("100040020", 36),
            ("123456789", 64),
        ] {
            let text = number(digits, length);
            let reason = cut_off(text.as_bytes()).unwrap_or_else(|| panic!("{text}"));
            assert!(reason.contains(&text[..15]), "{reason}");
        }
        // None of these was cut off: a first row, an empty grid, another blank, a leading zero, a 16th digit, other
        // lengths, letters.
        for (digits, length) in [
            ("123456789", 81),
            ("", 81),
            ("100000000.2", 81),
            ("030070000600195", 81),
            ("5300700006001950004", 81),
            ("530070000600195", 80),
            ("530070000600195", 256),
            ("1234003000200000", 16),
            ("53007000060019e", 81),
        ] {
            assert_eq!(cut_off(number(digits, length).as_bytes()), None, "{digits}");
        }
    }
}
