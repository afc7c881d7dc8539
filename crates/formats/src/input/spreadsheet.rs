//! Puzzles that a spreadsheet stored as numbers.

use super::lines::trim;

/// Start of the reason of records that are such numbers.
pub const ROUNDED: &str = "a number rounded by a spreadsheet";

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_an_exponent_are_known() {
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
}
