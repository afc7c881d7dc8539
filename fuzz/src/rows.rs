//! Reads grids in rows after one line was changed.

use super::bytes::Bytes;
use super::damage_line::{edited, edits, layouts, puzzles, read, try_read};

/// Files of puzzles, and true if these have enough clues to reveal a shift without separators.
const FILES: [(&str, bool); 7] = [
    (include_str!("../../data/kaggle-1000.csv"), true),
    (include_str!("../../data/16x16.txt"), true),
    (include_str!("../../data/4x4.txt"), false),
    (include_str!("../../data/6x6.txt"), false),
    (include_str!("../../data/random-1000.txt"), false),
    (include_str!("../../data/minimal-5000.txt"), false),
    (include_str!("../../data/16x16-hex.txt"), false),
];

/// Number of puzzles used, from the start of each file.
const POOL: usize = 12;

/// Writes grids in rows, changes one line, and compares the records that are read.
///
/// At most two records may differ from those of the unchanged text, and the records after them must be the same.
///
/// # Panics
/// Panics if more records differ.
pub fn one_line_costs_two_records_at_most(data: &[u8]) {
    let mut bytes = Bytes(data);
    let (text, has_many_clues) = bytes.one_of(&FILES);
    let pool: Vec<_> = puzzles(text).take(POOL).collect();
    let count = (3 + bytes.below(4)).min(pool.len());
    let skipped = bytes.below(pool.len() - count + 1);
    let grids = &pool[skipped..skipped + count];
    let mut all = layouts(grids);
    let written = all.swap_remove(bytes.below(all.len()));
    let blank = bytes.one_of(&["0", "."]);
    let text = written.text.replace('.', blank);
    let lines: Vec<&str> = text.lines().collect();
    let at = written.first + bytes.below(lines.len() + 1 - written.first);
    let line = lines.get(at).copied();
    let is_named = bytes.byte() & 1 != 0 || !written.is_sniffed;
    let (is_named, edit, with) = match bytes.below(3) {
        // Inserts a line that is not a grid itself; its effect on format detection is not tested.
        0 => {
            let side = grids[0].len();
            let most = 2 * side;
            let stray: Vec<u8> = bytes.rest().iter().copied().take(most).collect();
            let stray: Vec<u8> = stray
                .into_iter()
                .map(|byte| if matches!(byte, b'\r' | b'\n') { b' ' } else { byte })
                .collect();
            let edit = format!("insert {:?}", String::from_utf8_lossy(&stray));
            let behind = line.map(|line| line.as_bytes().to_vec());
            (true, edit, [Some(stray), behind].into_iter().flatten().collect::<Vec<_>>())
        }
        1 => {
            let len = bytes.below(line.map_or(0, str::len) + 1);
            let cut = line.map(|line| line.as_bytes()[..len].to_vec());
            (is_named, format!("cut to {len}"), cut.into_iter().collect())
        }
        _ => {
            let mut all = edits(line);
            let (edit, with) = all.swap_remove(bytes.below(all.len()));
            (is_named, edit, with.into_iter().map(String::into_bytes).collect())
        }
    };
    // A number before grids without a count is read as their count, even after a byte order mark.
    let is_number = |line: &Vec<u8>| {
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        // Vertical tabs and Ctrl-Z are blanks too.
        let is_blank = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, 0x0b | 0x1a);
        line.split(is_blank).filter(|word| !word.is_empty()).count() <= 1
            && line.iter().all(|byte| is_blank(byte) || byte.is_ascii_digit())
    };
    if at == 0 && with.first().is_some_and(is_number) {
        return;
    }
    let format = is_named.then_some(written.named);
    let before = read(text.as_bytes(), format);
    assert_eq!(before.len(), count, "{}", written.layout);
    let changed = edited(&lines, at, &with);
    // The first line may make the input look like an archive or a table.
    let Ok(after) = try_read(&changed, format) else { return assert_eq!(at, 0, "{:?}", written.layout) };
    let broken = written.broken(&before, &after, at, has_many_clues);
    assert_eq!(
        broken,
        None,
        "{}, {format:?}: {edit} at {at}:\n{}\n{after:#?}",
        written.layout,
        String::from_utf8_lossy(&changed)
    );
}
