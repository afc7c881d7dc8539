//! Detects the format and layout of a source.
//!
//! The decision uses the first record or the first 64 KiB. It never depends on how many bytes have arrived. If a layout
//! [needs all](Layout::needs_all) of a source, the caller asks again with the whole source.

use std::sync::Arc;

use super::head::Head;
use super::lines::line_end_of;
use super::trial::{Account, account};
use super::{Format, InputOptions, Layout, LineBreak, formats};
use quadrille_model::Symbols;
use quadrille_model::rules::may_have_rules;

pub(super) use super::head::HEAD_BYTES;

/// Returns the format that the name of a source implies, or `None` if the content must decide.
///
/// Only the name can identify Knuth's exact cover files (`.dlx`), because their content often looks like
/// lines of words.
pub(super) fn format_of(name: &str) -> Option<Format> {
    let name = [".gz", ".zst"].iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(name);
    name.ends_with(".dlx").then_some(Format::Dlx)
}

/// Returns the layout of a source, or `None` if more bytes are needed.
///
/// `head` holds the first bytes of the source. `whole` is true if `head` is the entire source. `complete` is
/// true if `head` will not grow, because it is the entire source or has [`HEAD_BYTES`] bytes. An incomplete
/// `head` is enough in two cases:
/// - The format is named and the first record is known.
/// - The first record is a plain 9x9 grid on one line.
///
/// # Errors
/// Returns the reason if the source cannot be read as requested.
pub(super) fn layout(
    head: &[u8],
    complete: bool,
    whole: bool,
    options: &InputOptions,
) -> Result<Option<Layout>, String> {
    let Some(line_end) = line_end_of(head, complete) else { return Ok(None) };
    if head.get(257..262) == Some(b"ustar") {
        return Err("a tar archive: tar -xOf ARCHIVE NAME | quadrille ... reads a file of it".into());
    }
    let mut head = Head::new(head, line_end, whole, options);
    // The format `Line` is tried first. It is the most common format, although it is the last one in the
    // table.
    let begins = |format: &Format| {
        matches!((formats::row(*format).offer)(&head, false, &mut Layout::default()), Ok(true))
    };
    let named = options.format.or_else(|| formats::TABLE.iter().rev().map(|row| row.format).find(begins));
    if !complete && head.contents().next().is_none() {
        return Ok(None);
    }
    head.is_asked = named.is_some();
    let offered = match named {
        Some(format) => layout_as(format, &head, complete)?,
        None if !complete => None,
        None => {
            let mut offers = formats::TABLE.iter().map(|row| layout_as(row.format, &head, true));
            offers.find_map(Result::transpose).transpose()?
        }
    };
    let Some((layout, account)) = offered else { return Ok(None) };
    // A format without columns would read solutions and ids as puzzles. So if the layout has columns, no
    // other format is tried.
    let is_chosen = named.is_some() || layout.has_columns();
    let Some(account) =
        account.filter(|account| !is_chosen && (!account.explains_half() || account.clashes()))
    else {
        return Ok(Some(layout));
    };
    head.is_asked = true;
    match choose(&head, layout.format)? {
        None if account.clashes() && layout.common.side.is_some() => Err(clashing(&layout)),
        chosen => Ok(Some(chosen.unwrap_or(layout))),
    }
}

/// Returns the reason for refusing a source whose grids repeat digits in houses. Their side length was
/// probably detected wrongly.
fn clashing(layout: &Layout) -> String {
    let side = layout.common.side.unwrap_or(9);
    let name = layout.format.name();
    format!(
        "most of its grids, read as {name} of {side}x{side}, repeat a clue in a row, column or box: name their side \
         with --side, or --from {name} if they do"
    )
}

/// Returns the best layout for `head` in a format other than `first`.
///
/// Returns `None` if no other format can read `head`.
///
/// # Errors
/// Returns the reason if two formats are equally good but find different grids in `head`.
fn choose(head: &Head<'_>, first: Format) -> Result<Option<Layout>, String> {
    let others = formats_to_try().filter(|&format| format != first);
    let reading = |format: Format| {
        let layout = layout_as(format, head, true).ok()??.0;
        let account = read(head, &layout, head.whole_lines(), u64::MAX);
        (account.is_readable() && account.has_puzzles()).then_some((layout, account))
    };
    let mut chosen: Option<(Layout, Account)> = None;
    for (layout, account) in others.filter_map(reading) {
        match &chosen {
            Some((other, best)) if best.explained == account.explained && !best.is_alike(&account) => {
                let [one, other] = [other, &layout].map(|layout| layout.format.name());
                return Err(format!("it can be read in two ways: choose --from {one} or --from {other}"));
            }
            Some((_, best)) if best.explained >= account.explained => {}
            _ => chosen = Some((layout, account)),
        }
    }
    Ok(chosen.map(|(layout, _)| layout))
}

/// Returns the grid formats that may be tried on any source.
pub(super) fn formats_to_try() -> impl Iterator<Item = Format> {
    formats::TABLE.iter().filter(|row| !row.look.is_empty() && !row.format.is_cover()).map(|row| row.format)
}

/// Returns the layout of a source that is read in the given format.
///
/// Returns `None` if the source does not have this format, or if more bytes are needed. Also returns the
/// statistics of `head` if all of it was read to find the layout.
///
/// # Errors
/// Returns the reason if the source cannot be read in the format.
fn layout_as(
    format: Format,
    head: &Head<'_>,
    complete: bool,
) -> Result<Option<(Layout, Option<Account>)>, String> {
    let mut layout = Layout { format, line_break: head.line_break(), ..Layout::default() };
    if !(formats::row(format).offer)(head, complete, &mut layout)? {
        return Ok(None);
    }
    if layout.needs_all.is_some() {
        return Ok(Some((layout, None)));
    }
    layout.line_break = line_break_of(head, &layout);
    described(head, complete, layout)
}

/// Adds properties of the grids, such as their alphabet, to the layout of a table.
///
/// `text` contains the first rows of the table as text. It is examined like the first part of a text source.
///
/// # Errors
/// Returns the reason if the table cannot be read as requested.
#[cfg(feature = "parquet")]
pub(super) fn layout_of_table(text: &[u8], layout: Layout, options: &InputOptions) -> Result<Layout, String> {
    let line_end = layout.line_end();
    let head = Head::new(text, line_end, false, options);
    let known = described(&head, true, layout.clone())?;
    Ok(known.map_or(layout, |(layout, _)| layout))
}

/// Adds to a layout the alphabet and the side length of all grids, and the characters that mean empty cells.
///
/// Returns `None` if more of the source is needed. Also returns the statistics of the head (the first part of
/// the source) if all of it was read. The first record alone decides the side in two cases: it is a plain 9x9
/// grid on one line, or it is a 9x9 grid and the caller named the format. Otherwise the whole head decides.
///
/// # Errors
/// Returns the reason if no side length is that of more than half of the grids.
fn described(
    head: &Head<'_>,
    complete: bool,
    mut layout: Layout,
) -> Result<Option<(Layout, Option<Account>)>, String> {
    let (format, options) = (layout.format, head.options);
    let mut known = None;
    match options.symbols {
        Some(alphabet) => layout.symbols = Some(Symbols { alphabet, lower_case: false }),
        None if layout.symbols.is_some() => {}
        None if !formats::row(format).has_symbols || begins_small(head, &layout) => {}
        // The alphabet is guessed only from a complete head (the first part of the source). So the result
        // does not depend on how much has arrived.
        None if !complete => return Ok(None),
        None => {
            let all = (!format.is_in_rows()).then(|| read(head, &layout, head.whole_lines(), u64::MAX));
            if !all.as_ref().is_some_and(|all| all.sides.are_small(all.records)) {
                layout.symbols = formats::symbols_of(head, &layout);
            }
            known = all.filter(|_| layout.symbols.is_none());
        }
    }
    if format.is_one_problem() {
        return Ok(Some((layout, None)));
    }
    let is_open = options.any_side || options.asked_side().is_some();
    let begins = head.starts_with_puzzle();
    let names_zeros = options.symbols.is_some() || options.blank.is_some();
    // A ruler (a line of dashes or column numbers) can look like a row of a grid. Only the whole head shows
    // whether such a line is a ruler or a row.
    let has_rows = layout.format.is_in_rows();
    if begins || !has_rows && (options.format.is_some() || is_open) {
        let first = read(head, &layout, head.bytes, 1);
        let side = first.sides.most().ok().flatten();
        if begins || side == Some(9) || is_open && side.is_some() {
            layout.common.side = side.filter(|_| !is_open);
            layout.common.blanks = first.blanks;
            return Ok(Some((layout, None)));
        }
    }
    if !complete {
        return Ok(None);
    }
    if has_rows {
        layout.common.blanks = formats::Shown::by_head(head).bits;
    }
    let mut all = known.unwrap_or_else(|| read(head, &layout, head.whole_lines(), u64::MAX));
    // If each puzzle is followed by a layout of regions, half of the grids found are layouts.
    if has_rows && 2 * all.layouts >= all.readable.max(1) {
        return Err(LAYOUTS.into());
    }
    if !is_open && 2 * all.halves > all.readable {
        return Err(match all.sides.most()? {
            Some(21) => {
                "a 21x21 without digits above 9 is a samurai of five 9x9 grids, which cannot be read".into()
            }
            side => {
                let side = side.unwrap_or(16);
                format!(
                    "a {side}x{side} without digits above {} is several grids next to each other",
                    side / 2
                )
            }
        });
    }
    if !names_zeros && !all.has_nine && 2 * all.with_two_blanks > all.readable {
        return Err(ZEROS.into());
    }
    if layout.format == Format::Line {
        all.sides = formats::sides_of_lines(head);
    }
    // Lines that begin with `#` and contain digits may be rows of a grid whose frame is drawn with `#`.
    // Rulers between these lines look like empty grids.
    let may_be_row = |line: &&[u8]| {
        line.starts_with(b"#")
            && line.iter().any(u8::is_ascii_digit)
            && !line.iter().any(u8::is_ascii_alphabetic)
    };
    let has_rows_in_comments = || head.lines().filter(may_be_row).count() >= InputOptions::MIN_SIDE;
    let is_text =
        all.with_clues == 0 && (all.records > 1 && 2 * all.readable <= all.records || has_rows_in_comments());
    layout.common.is_text = is_text && !head.lines().any(may_have_rules);
    if !is_open {
        layout.common.side = all.sides.most()?;
    }
    if !has_rows {
        layout.common.blanks = all.blanks;
    }
    Ok(Some((layout, Some(all))))
}

/// Reason for refusing a source in which layouts of regions are written as rows.
const LAYOUTS: &str = "it has a layout of regions in rows: write the layout after its puzzle on one line, or name it \
                       with --regions";

/// Reason for refusing a source whose zeros may be digits or empty cells.
const ZEROS: &str = "its puzzles have zeros, other empty cells and no 9: choose --symbols from-zero if zeros are digits, \
                     otherwise --blank 0";

/// Returns how the first line ends. A line end inside quotes does not count in CSV.
fn line_break_of(head: &Head<'_>, layout: &Layout) -> LineBreak {
    let end = match layout.csv {
        Some(_) => layout.dialect().row_end(head.bytes, 0, true).map(|end| end.at),
        None => memchr::memchr(b'\n', head.bytes),
    };
    match head.line_break() {
        LineBreak::Lf if end.is_some_and(|end| head.bytes[..end].ends_with(b"\r")) => LineBreak::CrLf,
        usual => usual,
    }
}

/// Returns true if the head (the first part of the source) need not be searched for grids larger than 9x9.
///
/// The search is not needed in any of these cases:
/// - The caller requested a side length of at most 9.
/// - The source begins with a plain 9x9 grid, or with rules, on one line.
/// - The caller named the format, this format has one record per line, and the first grid has a side length of at most 9.
fn begins_small(head: &Head<'_>, layout: &Layout) -> bool {
    let is_small = |side: Option<usize>| side.is_some_and(|side| side <= 9);
    is_small(head.options.asked_side())
        || head.starts_with_puzzle()
        || head.starts_with_rules()
        || head.options.format.is_some()
            && !layout.format.is_in_rows()
            && is_small(read(head, layout, head.bytes, 1).sides.most().ok().flatten())
}

/// Reads at most `records` records from `bytes`, which belong to the first part of the source.
fn read(head: &Head<'_>, layout: &Layout, bytes: &[u8], records: u64) -> Account {
    account(bytes, head.whole, records, &Arc::new(layout.clone()), head.options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_model::Alphabet;

    fn symbols(text: &str) -> Option<Symbols> {
        layout(text.as_bytes(), true, true, &InputOptions::default()).unwrap().unwrap().symbols
    }

    #[test]
    fn alphabets_are_taken_from_the_head_if_they_are_clear() {
        let with = |letters: &str| format!("{letters}{}\n", ".".repeat(256 - letters.len()));
        let alphabet = |text: &str| symbols(text).map(|symbols| symbols.alphabet);
        assert_eq!(alphabet(&with("19AG")), Some(Alphabet::FromOne));
        assert_eq!(alphabet(&with("109AF")), Some(Alphabet::FromZero));
        assert_eq!(alphabet(&with("ABCP")), Some(Alphabet::Letters));
        assert_eq!(alphabet(&with("ABC")), None);
        assert_eq!(alphabet(&with("19AF")), None);
        assert_eq!(alphabet(&with("19AP")), None);
        assert_eq!(alphabet(&with("019AG")), Some(Alphabet::FromOne));
        assert_eq!(alphabet(&with("19AF").replace('.', "0")), None);
        assert_eq!(alphabet(&format!("id,puzzle\n1,{}", with("ABCP"))), Some(Alphabet::Letters));
        assert_eq!(alphabet(&format!("AY{}\n", "0".repeat(623))), Some(Alphabet::Letters));
        assert_eq!(alphabet(&"P...ABC..DEF..GH\n".repeat(16)), Some(Alphabet::Letters));
        assert_eq!(alphabet(&"P... ABC. .DEF ..GH\n".repeat(16)), Some(Alphabet::Letters));
        assert_eq!(alphabet(&"|P...|ABC.|.DEF|..GH|\n".repeat(16)), Some(Alphabet::Letters));
        assert_eq!(alphabet(&"1".repeat(81)), None);
        // A single line of other text must not decide the alphabet, even if two words of this line could be
        // grids or rows.
        let rows = |row: &str, stray: &str| {
            format!("{}{stray}\n{}", format!("{row}\n").repeat(9), format!("{row}\n").repeat(7))
        };
        for stray in ["B????B?003B????B", "B????B?003B????B "] {
            assert_eq!(alphabet(&rows("1AF0000000000000", stray)), None);
        }
        // A zero is a digit if the grids use other characters for empty cells.
        assert_eq!(alphabet(&rows("1AF.............", "1A0F............")), Some(Alphabet::FromZero));
        // If there are three grids, a zero that occurs only in the stray line is ignored, however the grids
        // are written.
        let stray = "B????B??? B????B?003B????B B????\n";
        let three = |grid: &str| format!("{stray}{}", grid.repeat(3));
        assert_eq!(alphabet(&three(&"1AF.............\n".repeat(16))), None);
        assert_eq!(alphabet(&three(&with("19AF"))), None);
        assert_eq!(alphabet(&three(&with("109AF"))), Some(Alphabet::FromZero));
        let record = |grid: &str| format!("{grid},{}\n", "9AF0".repeat(64));
        let table = format!(
            "puzzle,solution\n{}{}{}",
            record(with("109AF").trim()),
            record(with("1P").trim()),
            record(with("109AF").trim())
        );
        assert_eq!(alphabet(&table), Some(Alphabet::FromZero));
        assert_eq!(alphabet(&rows("1AF0............", "1AG0............")), Some(Alphabet::FromZero));
        assert_eq!(alphabet(&rows("ABCP............", "1...............")), Some(Alphabet::Letters));
        assert_eq!(alphabet(&rows("19AG............", "AAAZ............")), Some(Alphabet::FromOne));
        assert!(symbols(&rows("abcp............", "ABCP............")).unwrap().lower_case);
        assert!(symbols(&with("abcp")).unwrap().lower_case);
    }
}
