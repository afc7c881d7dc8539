//! The text that stands for the rows of a table: the bytes with a meaning in it, and rows that are nothing but cells.

/// Cells of a 9x9, a byte each in [bare cells](super::Chunk::are_cells).
pub(super) const CELLS: usize = 81;
/// The byte between the values of a row.
pub(super) const FIELD_END: u8 = 0x1f;
/// The byte behind a row.
pub(super) const ROW_END: u8 = 0x1e;
/// The first byte of the reason why a value is invalid.
pub(super) const INVALID: u8 = 0x1d;

/// Appends the rows of grids of 81 characters that stand side by side.
pub(super) fn spell_out(cells: &[u8], out: &mut Vec<u8>) {
    for grid in cells.chunks(CELLS) {
        let start = out.len();
        out.extend_from_slice(grid);
        without_marks(&mut out[start..]);
        out.push(ROW_END);
    }
}

/// Replaces the bytes that have a meaning in the text of rows. Puzzles have none of these.
pub(super) fn without_marks(text: &mut [u8]) {
    for byte in text {
        if (INVALID..=FIELD_END).contains(byte) {
            *byte = b'?';
        }
    }
}
