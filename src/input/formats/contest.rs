//! A count T, then T grids, in any arrangement people have found (POJ 2676, UVA 1461).
//!
//! The cells of a grid may stand in rows or on one line, with or without blanks between them, with empty lines
//! between rows, bands or grids. A grid ends when it has all its cells. Where a line has another number of cells
//! than a row, the grid ends after as many lines as it has rows (or at an empty line) and is invalid: one bad row
//! does not move the grids behind it.

use std::sync::Arc;

use super::super::cells::Place;
use super::super::cutter::{Begin, ByLine, Line, LineMachine, Out};
use super::super::lines::{is_blank, is_skipped, lines, trim};
use super::super::sniff::Head;
use super::super::{Body, Chunk, Format, InputOptions, Layout, Parser, Record, Records};
use super::{Row, no_records};

pub(super) const ROW: Row = Row {
    format: Format::Contest,
    name: "contest",
    about: "a count T, then T grids (POJ 2676, UVA 1461)",
    sniff: |head: &Head<'_>| head_is_contest(head),
    cutter: |layout: &Arc<Layout>, options: &InputOptions| {
        Box::new(ByLine::new(ContestCutter::new(options.asked_side()), layout.line_end))
    },
    parse: no_records,
    parse_cut,
};

/// A count has at most so many digits; a row of a 9x9 has more.
const COUNT_DIGITS: usize = 7;

/// How many cells a line has, blanks left out.
fn cells_of(line: &[u8]) -> usize {
    line.iter().filter(|&&byte| !is_blank(byte)).count()
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&byte| is_blank(byte)).filter(|word| !word.is_empty())
}

/// The side of a grid that begins with a line of so many cells: one row, or all of it.
fn side_of_first(count: usize) -> Option<usize> {
    let root = count.isqrt();
    let mut sides = [count, root].into_iter().filter(|&side| InputOptions::is_side(side));
    sides.find(|&side| side == count || side * side == count)
}

/// The count at the start of a line and its length, if it begins with one.
fn count_in(line: &[u8], side: usize) -> Option<(u64, usize)> {
    let text = trim(line);
    let word = words(text).next()?;
    if word.len() > COUNT_DIGITS || !word.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let total = cells_of(text);
    let rest = total - word.len();
    let second = words(text).nth(1).map_or(0, <[u8]>::len);
    let counts = rest == 0
        || (!total.is_multiple_of(side) && rest.is_multiple_of(side))
        || (word.len() < second && second + 1 >= side);
    let value = word.iter().fold(0, |value, digit| 10 * value + u64::from(digit - b'0'));
    let blanks = line.len() - line.iter().position(|byte| !is_blank(*byte)).map_or(0, |at| line.len() - at);
    counts.then_some((value, blanks + word.len()))
}

fn head_is_contest(head: &Head<'_>) -> bool {
    let mut lines = head.lines().filter(|line| !is_skipped(line));
    let Some(first) = lines.next() else { return false };
    let second = lines.next();
    match count_in(first, head.options.asked_side().unwrap_or(9)) {
        None => false,
        Some((_, len)) if cells_of(&first[len..]) > 0 => {
            cells_of(&first[len..]).is_multiple_of(9) || second.is_none()
        }
        // A count alone: grids in rows, or in lines with blanks between the cells.
        Some(_) => second.is_some_and(|second| {
            let count = cells_of(second);
            let spaced = words(second).count() >= count;
            InputOptions::is_side(count) && count <= 36 && !matches!(count, 16 | 36)
                || (spaced && side_of_first(count).is_some())
                || (matches!(count, 16 | 36) && lines.next().is_some_and(|third| cells_of(third) == count))
        }),
    }
}

struct ContestCutter {
    /// Known once the first cells are seen.
    side: Option<usize>,
    /// `None` until the first line with text; `Some(None)` where there is no count.
    count: Option<Option<u64>>,
    found: u64,
    /// Grids to be answered as missing; known at the end.
    missing: Option<u64>,
    grid: Option<Open>,
    /// The first grid had an empty line behind its first row: empty lines mean nothing in this source.
    spread: bool,
}

/// A grid that is not complete.
struct Open {
    begin: Begin,
    end: u64,
    /// Rows so far; a line of several rows' cells counts as so many, any other as one.
    rows: usize,
    /// A line had another number of cells than whole rows have.
    uneven: bool,
}

impl ContestCutter {
    fn new(side: Option<usize>) -> Self {
        ContestCutter { side, count: None, found: 0, missing: None, grid: None, spread: false }
    }

    /// A grid ends here, complete or not.
    fn finish(&mut self, out: &mut Out<'_>) {
        let Some(grid) = self.grid.take() else { return };
        self.found += 1;
        if self.count.flatten().is_none_or(|count| self.found <= count) {
            out.record(grid.begin, grid.end, None);
        }
    }

    /// Takes the cells of a line that holds so many.
    fn cells(&mut self, text: &[u8], line: Line<'_>, count: usize, out: &mut Out<'_>) {
        let side = *self.side.get_or_insert_with(|| side_of_first(count).unwrap_or(9));
        let all = side * side;
        let start = line.end() - text.len() as u64;
        let blank_front = text.iter().take_while(|&&byte| is_blank(byte)).count() as u64;
        let end = line.start + trim_end(line.text) as u64;
        if self.grid.is_none() && count > all && count.is_multiple_of(all) {
            // Several grids on one line.
            let mut places =
                text.iter().enumerate().filter(|(_, byte)| !is_blank(**byte)).map(|(at, _)| at as u64);
            while let Some(first) = places.next() {
                let last = places.nth(all - 2).unwrap_or(first);
                self.grid = Some(Open {
                    begin: Begin { byte: start + first, line: line.number },
                    end: start + last + 1,
                    rows: side,
                    uneven: false,
                });
                self.finish(out);
            }
            return;
        }
        let begin = Begin { byte: start + blank_front, line: line.number };
        let grid = self.grid.get_or_insert(Open { begin, end, rows: 0, uneven: false });
        grid.end = end;
        grid.uneven |= !count.is_multiple_of(side);
        grid.rows += ((count + side / 2) / side).max(1);
        if grid.rows >= side {
            self.finish(out);
        }
    }
}

/// Where a line's last character that is no blank ends.
fn trim_end(line: &[u8]) -> usize {
    line.iter().rposition(|&byte| !is_blank(byte)).map_or(0, |last| last + 1)
}

impl LineMachine for ContestCutter {
    fn line(&mut self, line: Line<'_>, out: &mut Out<'_>) {
        let mut from = 0;
        if self.count.is_none() && !is_skipped(line.text) {
            let count = count_in(line.text, self.side.unwrap_or(9));
            from = count.map_or(0, |(_, len)| len);
            self.count = Some(count.map(|(value, _)| value));
        }
        let text = &line.text[from..];
        let count = cells_of(text);
        if count > 0 {
            self.cells(text, line, count, out);
        } else if let Some(grid) = &self.grid {
            // An empty line may stand between bands, and behind every row of a source that does so from the start.
            self.spread |= self.found == 0 && grid.rows == 1 && !grid.uneven;
            let band = !grid.uneven && self.side == Some(9) && grid.rows.is_multiple_of(3);
            if !self.spread && !band {
                self.finish(out);
            }
        }
        if self.grid.is_none() {
            out.done(line.next, line.number + 1);
        }
    }

    fn end(&mut self, next: u64, next_line: u64, out: &mut Out<'_>) -> bool {
        if self.grid.is_some() {
            self.finish(out);
            out.done(next, next_line);
            return false;
        }
        let Some(count) = self.count.flatten() else { return true };
        let found = self.found;
        if found > count {
            let ignored = found - count;
            let grids = if ignored == 1 { "grid is" } else { "grids are" };
            out.warn(format!("T={count}, found {found}: {ignored} {grids} ignored"));
            return true;
        }
        let missing = self.missing.get_or_insert(count - found);
        if *missing == 0 {
            return true;
        }
        *missing -= 1;
        out.record(Begin { byte: next, line: next_line }, next, Some(format!("T={count}, found {found}")));
        *missing == 0
    }

    fn give_up(&mut self) {
        self.grid = None;
        self.found += 1;
    }
}

/// Reads a grid: all characters but blanks and line ends are cells.
fn parse_cut(parser: &mut Parser, chunk: &Chunk, record: &mut Record, records: &mut Records) {
    let text = record.text.of(&chunk.bytes);
    let mut cells = std::mem::take(&mut parser.scratch);
    cells.clear();
    cells.extend(text.iter().filter(|&&byte| !is_blank(byte) && byte != chunk.layout.line_end));
    let rows =
        || lines(text, chunk.layout.line_end).map(|(_, line)| cells_of(line)).filter(|&count| count > 0);
    let read = match uneven_row(rows) {
        Some(reason) => Err(reason.into()),
        None => parser.grid(&cells, Place::Rows, chunk.layout.symbols, records),
    };
    parser.scratch = cells;
    match read {
        Ok(grid) => (record.body, record.symbols) = (grid.body, grid.symbols),
        Err(reason) => record.body = Body::Invalid(Box::new(reason)),
    }
}

/// What is wrong with rows of which so many cells are known, if they are rows of different lengths.
fn uneven_row<I: Iterator<Item = usize>>(rows: impl Fn() -> I) -> Option<String> {
    let usual = rows().max_by_key(|&count| rows().filter(|&other| other == count).count())?;
    if rows().count() < 4 || rows().sum::<usize>() == usual * usual {
        return None;
    }
    let (row, cells) = rows().enumerate().find(|&(_, count)| count != usual)?;
    Some(format!("row {} has {cells} {}, not {usual}", row + 1, Place::Rows.noun(cells)))
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{bodies, read_all};
    use super::*;

    const POJ: &str =
        "103000509\n002109400\n000704000\n300502006\n060000050\n700803004\n000401000\n009205800\n804000107";

    fn read(text: &str) -> Vec<String> {
        bodies(&read_all(
            text.as_bytes(),
            InputOptions { format: Some(Format::Contest), ..Default::default() },
        ))
    }

    #[test]
    fn every_arrangement_reads_as_the_same_grid() {
        let plain = read(&format!("1\n{POJ}\n"));
        assert_eq!(plain.len(), 1);
        assert!(plain[0].starts_with("103000509002109400"), "{plain:?}");
        let spaced: String = POJ.replace('\n', "").chars().map(|c| format!("{c} ")).collect();
        let bands = POJ.replace("000704000\n", "000704000\n\n");
        for text in [
            format!("1 {POJ}"),
            format!("1 \n{POJ}"),
            format!("1\r\n{}\r\n", POJ.replace('\n', "\r\n")),
            format!("1\n{}", POJ.replace('\n', "  \n")),
            format!("1\n\n{}\n\n", POJ.replace('\n', "\n\n")),
            format!("1\n{bands}"),
            format!("1 {}", POJ.replace('\n', "")),
            format!("1\n{}", POJ.replace('\n', "")),
            format!("1 {spaced}"),
            spaced.clone(),
            POJ.to_owned(),
            POJ.replace('\n', " "),
        ] {
            assert_eq!(read(&text), plain, "{text:?}");
        }
        let two = [plain.clone(), plain.clone()].concat();
        for text in
            [format!("2\n{POJ}\n\n{POJ}"), format!("2\n{POJ}\n{POJ}\n"), format!("2 {spaced}{spaced}")]
        {
            assert_eq!(read(&text), two, "{text:?}");
        }
    }

    #[test]
    fn a_count_that_does_not_fit_is_told() {
        let few = read_all(format!("1\n{POJ}\n{POJ}\n{POJ}").as_bytes(), Default::default());
        assert_eq!(few.records.len(), 1);
        assert_eq!(few.warnings, ["T=1, found 3: 2 grids are ignored"]);
        let many = read(&format!("3\n{POJ}\n"));
        assert_eq!(many[1..], ["invalid: T=3, found 1", "invalid: T=3, found 1"]);
    }

    #[test]
    fn a_bad_row_costs_one_grid() {
        for (bad, reason) in [
            (POJ.replace("002109400", "00210940"), "invalid: row 2 has 8 cells, not 9"),
            (POJ.replace("002109400", "0021094000"), "invalid: row 2 has 10 cells, not 9"),
            (POJ.replace("002109400", "0021x9400").replace("060000050", "06000y050"), "x"),
            (
                POJ.replace("002109400", "0021X9400"),
                "invalid: character 'X' in row 2 column 5 is no digit of a 9x9",
            ),
        ] {
            let all = read(&format!("3\n{POJ}\n{bad}\n{POJ}"));
            assert_eq!(all.len(), 3);
            assert_eq!(all[0], all[2]);
            if reason != "x" {
                assert_eq!(all[1], reason);
            }
        }
        let short = read(&format!("2\n{}\n\n{POJ}", POJ.replace("\n002109400", "")));
        assert_eq!(short[0], "invalid: 72 cells: no grid has this many cells");
        assert!(short[1].starts_with("1030"));
    }
}
