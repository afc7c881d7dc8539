//! The separator bytes in the text of table rows.

/// The byte between two values of a row.
pub(super) const FIELD_END: u8 = 0x1f;
/// The byte after each row.
pub(super) const ROW_END: u8 = 0x1e;
/// First byte of an invalid value, before the reason why it is invalid.
pub(super) const INVALID: u8 = 0x1d;

/// Replaces each separator byte in a text with `?`. Puzzles never contain separator bytes.
pub(super) fn without_marks(text: &mut [u8]) {
    if memchr::memchr3(INVALID, ROW_END, FIELD_END, text).is_some() {
        text.iter_mut().filter(|byte| (INVALID..=FIELD_END).contains(byte)).for_each(|byte| *byte = b'?');
    }
}
