//! The text of table rows: its separator bytes, and rows that consist of cells only.

/// Cells of a 9x9; one byte each in [bare cells](super::Chunk::are_cells).
pub(super) const CELLS: usize = 81;
/// The byte between two values of a row.
pub(super) const FIELD_END: u8 = 0x1f;
/// The byte after each row.
pub(super) const ROW_END: u8 = 0x1e;
/// First byte of a value that holds the reason why it is invalid.
pub(super) const INVALID: u8 = 0x1d;

/// Appends bare cells as the text of rows: 81 characters and a row end per grid.
pub(super) fn spell_out(cells: &[u8], out: &mut Vec<u8>) {
    for grid in cells.chunks(CELLS) {
        let start = out.len();
        out.extend_from_slice(grid);
        without_marks(&mut out[start..]);
        out.push(ROW_END);
    }
}

/// Replaces separator bytes by `?`. Puzzles never contain them.
pub(super) fn without_marks(text: &mut [u8]) {
    for byte in text {
        if (INVALID..=FIELD_END).contains(byte) {
            *byte = b'?';
        }
    }
}
