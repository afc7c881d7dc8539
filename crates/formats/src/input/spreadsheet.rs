//! Detects puzzles that a spreadsheet stored as numbers.
//!
//! A spreadsheet keeps only the first 15 digits of a number. It writes such a number with an exponent, as in
//! `8.26100E+80`, or replaces the remaining digits by zeros.

use super::lines::trim;

/// Start of the reason for refusing a record with a number that a spreadsheet rounded.
pub const ROUNDED: &str = "a number rounded by a spreadsheet";

/// Number of leading digits that a spreadsheet keeps of a long number.
const KEPT_DIGITS: usize = 15;

/// Maximum number of digits of an exponent.
const EXPONENT_DIGITS: usize = 3;

/// Returns a reason if a text is a number with an exponent, such as `8.26100E+80`, or `None` otherwise.
///
/// A spreadsheet writes such a number if a puzzle was stored in a cell for numbers.
pub(super) fn rounded(text: &[u8]) -> Option<String> {
    let text = trim(text);
    let at = text.iter().position(|byte| matches!(byte, b'E' | b'e'))?;
    let (number, exponent) = (&text[..at], &text[at + 1..]);
    let number = number.strip_prefix(b"+").or(number.strip_prefix(b"-")).unwrap_or(number);
    let exponent = exponent.strip_prefix(b"+").or(exponent.strip_prefix(b"-")).unwrap_or(exponent);
    // The decimal sign may be `.` or `,`. A puzzle with the digit E may look like such a number. But the
    // puzzle has no decimal sign or several of them.
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

/// Returns a reason if a spreadsheet cut a text to 15 digits, or `None` otherwise.
///
/// Only a text that is as long as a 6x6, 8x8 or 9x9 grid gets a reason.
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

/// Returns true if a text has 36, 64 or 81 digits and all digits after the 15th are zeros.
///
/// A text whose clues are all in the first row is excluded, because people write such puzzles. A puzzle that
/// was cut off hardly ever has an empty second row. Proper puzzles are never reported, because a puzzle with
/// clues only in the first 15 cells never has exactly one solution.
#[inline]
pub(super) fn is_cut_off(text: &[u8]) -> bool {
    // This check fails for nearly all intact puzzles: they have a clue in their last eight cells, or do not
    // use zeros for empty cells.
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
        // None of these texts was cut off. They have clues only in the first row, no clues at all, another
        // character for empty cells, a leading zero, a 16th digit, another length, or letters.
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
