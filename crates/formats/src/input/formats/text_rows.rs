//! Reads grids in rows of characters or integers, and finds the meaning of numbers and text between such
//! grids.
//!
//! The first part of the source decides that meaning.

use std::cell::LazyCell;
use std::ops::Deref;

use super::super::cells::{self, Arrangement, BLANKS};
use super::super::characters::{Meaning, digits_of, meaning_of};
use super::super::cutter::ByLine;
use super::super::grids::GridReader;
use super::super::head::Head;
use super::super::layout::{Lead, Numbers};
use super::super::lines::{is_skipped, lines, number_in, trim, without_returns, words};
use super::super::shapes::{has_a_digit_twice, rules_off};
use super::super::variant::OwnRules;
use super::super::{Chunk, Format, InputOptions, Layout, Record, Span};
use super::assembler::Assembler;
use super::boxes::{BoxLine, drawn_with, shown_box, width_of};
use super::counted::is_order;
use super::rows::{
    COUNT_DIGITS, Heading, NumbersBefore, SIDES_ON_LINES, Shown, Unit, are_whole_grids, cells_of, count_of,
    digit_of, is_plain, is_small_grid, number_alone, number_at, push_plain, side_of_first, usual_count,
};
use super::stretch::ZERO;
use super::{FormatSpec, matrix, row};
use quadrille_model::{MAX_SIDE, Reason};

/// Default values for formats that have one row of characters per line.
pub(super) const ROWS: FormatSpec = FormatSpec {
    offer: |head, complete, layout| {
        Ok(head.fits(complete, row(layout.format).looks) && describe_rows(head, complete, layout)?)
    },
    has_symbols: true,
    cutter: |layout, options| ByLine::cutter(Assembler::new(layout, options), layout, options),
    parse_cut: parse_characters,
    ..FormatSpec::CUT
};

/// Returns the count at the start of a line and the byte offset at which it ends, or `None` if there is no
/// such count.
///
/// The count must be at the start of the first line, with cells after it. A number is a count in two cases:
/// - The cells after the number are whole grids, and most of the next three lines are not longer than the first line.
/// - Some of the next three lines are as long as the cells after the number. Fewer of these lines are as long as the whole
///   first line.
pub(super) fn count_before_cells(lines: &[&[u8]], unit: Unit, asked: Option<usize>) -> Option<(u64, usize)> {
    let (first, behind) = lines.split_first()?;
    let cells = |line: &[u8]| count_of(line, unit, Shown::NOTHING);
    let (value, end) = number_at(first, COUNT_DIGITS)?;
    let (total, rest) = (cells(first), cells(&first[end..]));
    if value == 0 || rest == 0 || are_whole_grids(total, asked) {
        return None;
    }
    let behind = &behind[..behind.len().min(LINES_BEHIND)];
    // Several grids of integers need more than one line. So on the only line of a source, the first number is
    // a cell and not a count.
    if unit == Unit::Integer && value > 1 && behind.is_empty() && InputOptions::side_of_cells(rest).is_some()
    {
        return None;
    }
    let alike = |count: usize| behind.iter().filter(|line| cells(line) == count).count();
    if are_whole_grids(rest, asked) && !InputOptions::is_side(total) {
        // Most of the following lines may have the same length. If the first line is not longer, it is
        // probably a line of the same kind. Its first number is then a cell and not a count.
        let mut counts = behind.iter().map(|line| cells(line));
        let is_cut = counts.any(|count| count >= total && 2 * alike(count) > behind.len());
        return (!is_cut).then_some((value, end));
    }
    // Returns true if a longer word follows the number. The longer word may be at most one cell shorter than
    // a row.
    let is_apart = || {
        let second = words(&first[end..]).next().map_or(0, <[u8]>::len);
        let longest = behind.first().and_then(|line| words(line).map(<[u8]>::len).max());
        unit == Unit::Character
            && words(first).next().is_some_and(|word| word.len() < second)
            && second + 1 >= longest.unwrap_or(9)
    };
    let is_count = match (alike(rest), alike(total)) {
        (0, 0) => is_apart(),
        (rest, total) => rest > total,
    };
    is_count.then_some((value, end))
}

/// Smallest number that is never a count of grids in a source of at most 64 KiB. It has nine digits, like a
/// row of a 9x9 grid.
const LEAST_KEY: u64 = 100_000_000;

/// Smallest number that is never a count of grids if the caller named the format.
const IMPLAUSIBLE_COUNT: u64 = 10_000_000;

/// The first number before grids must occur within this number of lines from the start of a source.
const FIRST_LINES: usize = 6;

/// Returns the meaning of numbers in the first part of a source, if they are alone on their lines or come
/// before cells.
pub(super) fn numbers_of(head: &Head<'_>, unit: Unit) -> Numbers {
    let counted = |(number, line)| (number, line, count_of(line, unit, Shown::NOTHING));
    // If none of the first lines consists of a number alone, no later lines are considered.
    let is_short = !head.contents().take(FIRST_LINES).any(|line| number_alone(line).is_some());
    let most_lines = if is_short { FIRST_LINES } else { usize::MAX };
    let lines: Vec<(u64, &[u8], usize)> =
        head.numbered().map(counted).filter(|&(.., count)| count > 0).take(most_lines).collect();
    let usual = usual_count(lines.iter().map(|&(.., count)| count));
    let alone = |(at, &(_, line, count)): (usize, &(u64, &[u8], usize))| {
        number_alone(line).filter(|_| count != usual && count <= COUNT_DIGITS).map(|value| (at, value))
    };
    let found: Vec<(usize, u64)> = lines.iter().enumerate().filter_map(alone).collect();
    let is_before_row = |at: usize| lines.get(at + 1).is_some_and(|&(.., count)| count == usual);
    // Some numbers may be stray.
    let most = |numbers: &[(usize, u64)], step: u64| {
        let is_next = |two: &&[(usize, u64)]| two[0].1.checked_add(step) == Some(two[1].1);
        let are = numbers.windows(2).filter(is_next).count();
        are > 0 && 2 * (are + 1) > found.len()
    };
    let before: Vec<(usize, u64)> = found.iter().copied().filter(|&(at, _)| is_before_row(at)).collect();
    let side = side_of_first(usual).unwrap_or(0) as u64;
    match before[..] {
        [(_, first), ..] if most(&before, 0) && is_order(first, side) => return Numbers::Order(first),
        _ if most(&before, 1) => return Numbers::Ids,
        _ => {}
    }
    // A source that begins with a frame does not begin with a count.
    let is_framed = head.contents().next().is_some_and(|line| count_of(line, unit, Shown::NOTHING) == 0);
    if is_framed {
        return Numbers::Cells;
    }
    // A single stray line may come before the line with the count.
    let stray = lines.len() > 2 && lines[0].2 != lines[2].2;
    let count = count_at(&lines, unit, head);
    let count = count.or_else(|| count_at(lines.get(1..).filter(|_| stray)?, unit, head));
    let Some((line, value, bytes)) = count else { return Numbers::Cells };
    Numbers::Count { line, value, bytes, may_be_order: head.options.format.is_none() }
}

/// Returns three numbers if the first line states a count of grids, or `None` otherwise.
///
/// They are the 1-based line number, the count, and the length of the count in bytes. The length is 0 if no
/// cells follow the count on its line.
fn count_at(lines: &[(u64, &[u8], usize)], unit: Unit, head: &Head<'_>) -> Option<(u64, u64, usize)> {
    let [(number, first, cells), rest @ ..] = lines else { return None };
    let texts: Vec<&[u8]> = lines.iter().take(1 + LINES_BEHIND).map(|&(_, line, _)| line).collect();
    if let Some((value, end)) = count_before_cells(&texts, unit, head.options.asked_side()) {
        return Some((*number, value, end));
    }
    // A first line with only a number is a count if the rows after it have another length than the number, or
    // have blanks between their cells.
    let value = number_alone(first)?;
    let Some(&(_, second, count)) = rest.first() else {
        return (head.whole && *cells <= COUNT_DIGITS).then_some((*number, value, 0));
    };
    // If the number has as many digits as a small grid has cells, it is read as a grid and not as a count.
    let may_count =
        count != *cells && value > 0 && (value < LEAST_KEY || !head.whole) && !is_small_grid(*cells);
    let is_row = |&(.., count): &(u64, &[u8], usize)| count != *cells && side_of_first(count).is_some();
    let is_named = head.options.format.is_some() && value > 0 && value < IMPLAUSIBLE_COUNT;
    if is_named && rest.iter().take(LINES_BEHIND).any(is_row) {
        return Some((*number, value, 0));
    }
    let is_count = if unit == Unit::Integer {
        count >= InputOptions::MIN_SIDE
    } else {
        InputOptions::is_side(count) && !is_small_grid(count)
            || words(second).count() >= count && side_of_first(count).is_some()
            || is_small_grid(count)
                && (rest.get(1).is_some_and(|&(.., third)| third == count)
                    || small_side(head, unit).is_some())
    };
    (may_count && is_count).then_some((*number, value, 0))
}

/// Number of lines after the first line that decide whether the first line begins with a count.
const LINES_BEHIND: usize = 3;

/// Returns true if lines are small whole grids, although they could also be rows of a large grid.
///
/// `beyond` counts the lines that must be rows, because they have a digit greater than the small side length.
/// `no_rows` counts the lines that cannot be rows, because they repeat a digit. Comparing the two counts
/// tolerates a few damaged lines.
pub(super) fn are_small_grids(beyond: usize, no_rows: usize) -> bool {
    beyond == 0 || beyond < no_rows
}

/// Returns the side length of small grids if each is written as one line of digits.
///
/// Returns `None` if fewer than half of the lines with clues are such grids, or if the lines are probably
/// rows of a large grid. Empty cells are 0 in `lines`.
pub(super) fn side_of_small_grids(lines: impl Iterator<Item = Vec<u8>>) -> Option<usize> {
    let lines: Vec<Vec<u8>> = lines.collect();
    let clued = || lines.iter().filter(|line| line.iter().any(|&digit| digit > 0));
    SIDES_ON_LINES.into_iter().find(|&side| {
        let these = || clued().filter(|line| line.len() == side * side);
        let beyond = these().filter(|line| line.iter().any(|&digit| usize::from(digit) > side)).count();
        let no_rows = these().filter(|line| has_a_digit_twice(line, |digit| digit > 0)).count();
        let count = these().count();
        count > 0 && 2 * count >= clued().count() && are_small_grids(beyond, no_rows)
    })
}

/// Returns the side length of small grids on the first lines of a source, if the lines could also be rows of
/// larger grids.
///
/// A line with a number greater than the small side length must be a row, and a line that repeats a number
/// must be a grid. The more frequent of these two cases decides. Returns `None` if the lines are not small
/// grids, or if the caller requested a side length.
pub(super) fn small_side(head: &Head<'_>, unit: Unit) -> Option<usize> {
    let shown = Shown::by_head(head);
    let digits = |line: &[u8]| -> Option<Vec<u8>> {
        let cells = cells_of(line, unit, shown).map(|(start, end)| &line[start..end]);
        match unit {
            Unit::Integer => digits_of(cells),
            Unit::Character => {
                let digit = |cell| Some(digit_of(cell, shown)).filter(|&digit| digit < ZERO).unwrap_or(0);
                Some(cells.map(digit).collect::<Vec<u8>>()).filter(|digits| !digits.is_empty())
            }
        }
    };
    let is_asked = head.options.asked_side().is_some();
    if is_asked { None } else { side_of_small_grids(head.contents().filter_map(digits)) }
}

/// Adds to a layout the properties that the first grids in rows show.
///
/// Returns false if more bytes are needed.
///
/// # Errors
/// Returns the reason if the source is in a notation that would be read only in part.
pub(super) fn describe_rows(head: &Head<'_>, complete: bool, layout: &mut Layout) -> Result<bool, String> {
    let style = row(layout.format).style;
    if complete && !head.is_asked && head.whole && matrix::is_sized(head.bytes, head.line_end) {
        *layout = Layout { format: Format::Matrix, line_break: head.line_break(), ..Layout::default() };
        return Ok(true);
    }
    if complete {
        if style.numbers != NumbersBefore::Nothing {
            layout.numbers = numbers_of(head, style.unit);
        }
        match style.numbers {
            NumbersBefore::Ids if layout.numbers != Numbers::Ids => layout.numbers = Numbers::Cells,
            NumbersBefore::Any => layout.side_on_lines = small_side(head, style.unit),
            _ => {}
        }
        let has_bullets = layout.rows.is_some_and(|rows| matches!(rows.lead, Lead::Bullet(_)));
        if let Some(reason) = notation_of(head).filter(|_| !has_bullets) {
            return Err(reason.into());
        }
        layout.common.blanks = Shown::by_head(head).bits;
        let is_counted =
            matches!(layout.numbers, Numbers::Count { bytes: 0, .. }) && head.options.format.is_none();
        // The steps below assemble the grids in the first part of the source. Few sources need these steps.
        if is_counted || layout.rows.is_some() || has_full_rows(head, style.unit) {
            let mut first = assembled(head, layout);
            // If the first grid lacks a row, a number before this grid is probably what is left of the row,
            // and not a count.
            if is_counted && !first.begins_whole {
                layout.numbers = Numbers::Cells;
                first = assembled(head, layout);
            }
            layout.solutions_in_rows = first.solutions > 0;
        }
    }
    Ok(complete)
}

/// Returns true if there are consecutive lines without an empty cell, at least as many as the smallest grid
/// has rows.
fn has_full_rows(head: &Head<'_>, unit: Unit) -> bool {
    let is_empty = |line: &[u8], at: usize| {
        BLANKS.contains(&line[at]) && !(unit == Unit::Integer && at > 0 && line[at - 1].is_ascii_digit())
    };
    let rows = head.contents().filter(|line| line.iter().any(u8::is_ascii_alphanumeric));
    let mut full = 0;
    rows.map(|line| !(0..line.len()).any(|at| is_empty(line, at))).any(|is_full| {
        full = if is_full { full + 1 } else { 0 };
        full == InputOptions::MIN_SIDE
    })
}

/// Returns the assembler after it has read the grids in the first part of a source.
fn assembled(head: &Head<'_>, layout: &Layout) -> Assembler {
    let layout = Layout { solutions_in_rows: true, ..layout.clone() };
    head.run(Assembler::new(&layout, head.options)).0
}

/// Returns the reason for refusing a source that has lines in an unsupported notation, or `None` if there are
/// none.
fn notation_of(head: &Head<'_>) -> Option<&'static str> {
    let is_sum = |word: &[u8]| matches!(word, [b'a'..=b'z' | b'A'..=b'Z', b'=', digits @ ..] if number_in(digits).is_some());
    let is_sign = |word: &[u8]| matches!(word, b"<" | b">" | b"^" | b"v");
    let has_sums = |line: &&[u8]| words(line).filter(|word| is_sum(word)).count() > 1;
    let has_signs = |line: &&[u8]| {
        words(line).count() > 2
            && words(line).any(is_sign)
            && words(line).all(|word| is_sign(word) || matches!(word, [digit] if digit.is_ascii_digit()))
    };
    let has = |bytes: &[u8]| bytes.iter().any(|&byte| memchr::memchr(byte, head.bytes).is_some());
    if has(b"=") && head.contents().any(|line| has_sums(&line)) {
        return Some(
            "it has sums of cages (a=7), which are rules: write the puzzle on one line, with `.Cage~7~R1C1~R2C1` after it",
        );
    }
    (has(b"<>^v") && head.contents().filter(has_signs).nth(1).is_some()).then_some("it has the signs of futoshiki (<, >, ^, v), which are rules: write the puzzle on one line, with `.NoBoxes.GreaterThan~R1C1~R1C2` after it")
}

/// Makes the heading of a grid the id of its record, and returns the text after the heading.
fn without_heading<'c>(chunk: &'c Chunk, record: &mut Record) -> &'c [u8] {
    let text = record.puzzle.slice(&chunk.bytes);
    let end = memchr::memchr(chunk.layout.line_end(), text).unwrap_or(text.len());
    let first = without_returns(&text[..end]);
    let is_heading = match chunk.layout.numbers {
        Numbers::Ids => number_alone(first).is_some() && end < text.len(),
        _ => (row(chunk.layout.format).style.heading)(first) == Heading::Name,
    };
    if is_heading {
        let start = record.puzzle.start;
        record.id = Span { start, end: start + first.len() as u32 };
        record.puzzle.start = (start + end as u32 + 1).min(record.puzzle.end);
    }
    record.puzzle.slice(&chunk.bytes)
}

/// Reads a grid whose cells are characters.
fn parse_characters(grids: &mut GridReader, chunk: &Chunk, record: &mut Record) -> Result<(), Reason> {
    let text = without_heading(chunk, record);
    let blank = grids.options.blank;
    let known = Shown::known(chunk.layout.common.blanks, &grids.options);
    // In most rows, cells are found without knowing which characters mean empty cells in this grid. So this
    // set is computed only if needed.
    let shown = LazyCell::new(|| rows_of(text, &chunk.layout, blank).fold(known, Shown::and));
    let mut cells = std::mem::take(&mut grids.scratch);
    let counts = add_characters(rows_of(text, &chunk.layout, blank), (known, &shown), &mut cells);
    let side = cells::characters(&cells).isqrt();
    let read = match uneven_row(&counts) {
        Some(reason) => Err(reason.into()),
        // In a source with rows, a single line of only empty cells is as long as a 4x4 grid by coincidence.
        None if counts.len() == 1
            && cells.iter().all(|byte| BLANKS.contains(byte))
            && rules_off(&cells, |byte| blank == Some(byte)) =>
        {
            Err("a ruler, not a puzzle: a line of empty cells among rows".into())
        }
        None if let Some(bar) = drawn_with(&cells, side) => {
            Err(format!("bars and rulers of '{bar}' look like empty cells (draw bars with '|')").into())
        }
        None => grids
            .require_shown_box(side, box_of(text, &chunk.layout, side, Unit::Character, &shown))
            .and_then(|()| {
                grids.grid_with(&cells, Arrangement::Rows, chunk.layout.symbols, OwnRules::default())
            }),
    };
    let grid = read.inspect_err(|_| grids.scratch.clear())?;
    let symbols = grid.symbols;
    grid.put_in(record);
    if chunk.layout.solutions_in_rows {
        let solution = record.solution.slice(&chunk.bytes);
        add_characters(rows_of(solution, &chunk.layout, blank), (known, &shown), &mut cells);
        record.given = grids.given(&cells, side, symbols);
    }
    grids.scratch = cells;
    Ok(())
}

/// Replaces the content of `cells` with the characters in the rows of a grid. Returns the number of cells of
/// each row.
fn add_characters<'t>(
    rows: impl Iterator<Item = &'t [u8]>,
    (known, shown): (Shown, &impl Deref<Target = Shown>),
    cells: &mut Vec<u8>,
) -> Vec<usize> {
    cells.clear();
    let mut counts = Vec::new();
    for line in rows {
        let before = cells.len();
        if push_plain(line, known, cells).is_some() {
            counts.push(cells.len() - before);
            continue;
        }
        let mut count = 0;
        for (start, end) in cells_of(line, Unit::Character, **shown) {
            cells.extend_from_slice(&line[start..end]);
            count += 1;
        }
        counts.push(count);
    }
    counts
}

/// Reads a grid whose cells are integers.
pub(super) fn parse_integers(
    grids: &mut GridReader,
    chunk: &Chunk,
    record: &mut Record,
) -> Result<(), Reason> {
    let text = without_heading(chunk, record);
    let blank = grids.options.blank;
    let (words, counts) = integers_of(text, &chunk.layout, blank);
    if let Some(reason) = uneven_row(&counts) {
        return Err(reason.into());
    }
    let side = words.len().isqrt();
    let shown = box_of(text, &chunk.layout, side, Unit::Integer, &&Shown::NOTHING);
    grids.require_shown_box(side, shown)?;
    let side = grids.grid_of_integers(&words)?.put_in(record);
    if chunk.layout.solutions_in_rows {
        let (words, _) = integers_of(record.solution.slice(&chunk.bytes), &chunk.layout, blank);
        record.given = grids.given_words(&words, side);
    }
    Ok(())
}

/// Returns the integers in all rows of a grid, and the number of integers per row.
fn integers_of<'t>(text: &'t [u8], layout: &Layout, blank: Option<u8>) -> (Vec<&'t [u8]>, Vec<usize>) {
    let (mut words, mut counts) = (Vec::new(), Vec::new());
    for line in rows_of(text, layout, blank) {
        let before = words.len();
        words.extend(cells_of(line, Unit::Integer, Shown::NOTHING).map(|(start, end)| &line[start..end]));
        counts.push(words.len() - before);
    }
    (words, counts)
}

/// Returns the numbers of rows and columns of a box, if the lines of a grid show them. The grid has the given
/// side length.
///
/// Returns `None` if the lines do not show boxes, or if boxes of this side length can have only one shape.
fn box_of(
    text: &[u8],
    layout: &Layout,
    side: usize,
    unit: Unit,
    shown: &impl Deref<Target = Shown>,
) -> Option<(usize, usize)> {
    // Boxes for these side lengths have only one shape.
    if matches!(side, 4 | 9 | 25) {
        return None;
    }
    let shown = **shown;
    let box_line = |line: &[u8]| {
        // Most rows have nothing between their cells, so they show no boxes.
        if line.len() <= side && is_plain(line, shown) {
            return BoxLine::Row(None);
        }
        // Integers may be aligned with blanks. So a wide blank between integers does not show where a box
        // ends.
        let may_show_width =
            unit == Unit::Character || !line.iter().all(|byte| byte.is_ascii_digit() || *byte == b' ');
        if !may_show_width && !trim(line).is_empty() {
            return BoxLine::Row(None);
        }
        let cells: Vec<(usize, usize)> = cells_of(line, unit, shown).collect();
        let separator = |end: usize, start: usize| {
            let between = String::from_utf8_lossy(&line[end..start]);
            let bars = between
                .chars()
                .filter(|&letter| matches!(letter, '|' | '!') || meaning_of(letter) == Meaning::Frame);
            let bars = MAX_SIDE * bars.count();
            if unit == Unit::Integer { bars } else { bars + between.chars().count() }
        };
        match cells.len() {
            0 => BoxLine::Separator,
            count if count == side => BoxLine::Row(width_of(&cells, separator)),
            _ => BoxLine::Row(None),
        }
    };
    let is_comment = |line: &[u8]| !trim(line).is_empty() && is_skipped(line, None);
    let lines = lines(text, layout.line_end()).map(|(_, line)| line).filter(|line| !is_comment(line));
    shown_box(lines.map(box_line), side)
}

/// Returns the lines of a record that are neither comments nor empty.
fn rows_of<'t>(text: &'t [u8], layout: &Layout, blank: Option<u8>) -> impl Iterator<Item = &'t [u8]> {
    lines(text, layout.line_end()).map(|(_, line)| line).filter(move |line| !is_skipped(line, blank))
}

/// Returns a message about the first row of unusual length, or `None` if the rows can be a grid.
///
/// `counts` is the number of cells per line.
fn uneven_row(counts: &[usize]) -> Option<String> {
    let total: usize = counts.iter().sum();
    let side = total.isqrt();
    if side * side == total && counts.iter().all(|count| count.is_multiple_of(side)) {
        return None;
    }
    let counts: Vec<usize> = counts.iter().copied().filter(|&count| count > 0).take(ROWS_COMPARED).collect();
    let usual = counts.iter().max_by_key(|&&count| counts.iter().filter(|&&other| other == count).count())?;
    let mut others = counts.iter().enumerate().filter(|&(_, count)| count != usual);
    // Two rows of unusual length are accepted if the total number of cells is right, because a line end may
    // be at the wrong position.
    if counts.len() < 4 || total == usual * usual && others.clone().count() <= 2 {
        return None;
    }
    let Some((row, cells)) = others.next() else {
        return Some(format!("{} rows of {usual} cells are not a grid", counts.len()));
    };
    Some(format!("row {} has {cells} {}, not {usual}", row + 1, Arrangement::Rows.noun(*cells)))
}

/// Maximum number of rows compared, which is more than a grid has.
const ROWS_COMPARED: usize = 64;
