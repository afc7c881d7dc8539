//! Reads columns separated by comma, semicolon, tab, `|` or blanks, according to the grammar of [`Dialect`].

use std::borrow::Cow;

use memchr::memchr;

use super::super::cells::BLANKS;
use super::super::characters::plain;
use super::super::columns::{Places, Role, is_puzzle_name};
use super::super::dialect::{Dialect, unquoted};
use super::super::grids::{GridReader, joined};
use super::super::head::Head;
use super::super::lines::{is_blank, span_in, trim, without_returns};
use super::super::plain_lines::Apart;
use super::super::roles::{Offer, no_puzzle};
use super::super::row_text::{FIELD_END, ROW_END};
use super::super::shapes::{PENCILMARK_CELLS, TextShape, is_layout, shape_of};
use super::super::values::Values;
use super::super::{Chunk, ColumnRef, CsvLayout, InputOptions, Layout, LineKind, Record, Span};
use super::rows::{SIDES_ON_LINES, Shown, Unit, count_of};
use super::text_lines::{RowCutter, Rows};
use super::{Container, FormatSpec};
use quadrille_model::rules::{RuleError, are_rules, begins_rules, may_have_rules, no_rules_in};
use quadrille_model::{MAX_SIDE, Reason};

pub(super) const SPEC: FormatSpec = FormatSpec {
    name: "csv",
    container: Container::Columns,
    about: "columns separated by comma, semicolon, tab, | or blanks, usually with a header",
    look: "columns",
    offer: |head: &Head<'_>, complete: bool, layout: &mut Layout| {
        if complete && !head.is_asked && rows_follow(head) {
            return Ok(false);
        }
        match decide(head, complete, layout)? {
            true => Ok(complete || head.is_asked || has_grid_below(head, layout)),
            false if complete && head.options.format.is_some() => Err("no row with columns".into()),
            false => Ok(false),
        }
    },
    has_symbols: true,
    cutter: |layout, options| Box::new(RowCutter::new(CsvRows::new(layout), layout, options)),
    plain_lines: |chunk, lines, _| lines.take_apart(|apart| gather(chunk, apart)),
    parse,
    ..FormatSpec::CUT
};

const DELIMITERS: [u8; 4] = *b",;\t|";

/// Decides on the grammar and the columns, and adds them to a layout. Returns `Ok(false)` if more of the source is needed, or
/// if it is not CSV.
///
/// A source is found not to be CSV only if the head is `complete` and the caller named neither the format nor a column.
///
/// # Errors
/// Returns the reason if a source that was named CSV cannot be read.
fn decide(head: &Head<'_>, complete: bool, layout: &mut Layout) -> Result<bool, String> {
    let options = head.options;
    let named = options.format.is_some() || options.column.is_some() || options.solution_column.is_some();
    let Some((line, first)) = rows_of(head, DELIMITERS).next() else { return Ok(false) };
    let Some(delimiter) = delimiter_of(head, first, complete, named) else { return Ok(false) };
    let dialect = Dialect { delimiter, line_end: head.line_end };
    let mut fields = Vec::new();
    if dialect.split_alone(first, &mut fields).is_err() {
        return if named { Err("the header's quotes are not closed".into()) } else { Ok(false) };
    }
    let columns = fields.len();
    let has_grid = has_grid(&fields);
    let by_name = [&options.column, &options.solution_column];
    let names: Vec<String> =
        dialect.fields(first).map(|name| String::from_utf8_lossy(&unquoted(name)).into_owned()).collect();
    let has_names = by_name.iter().any(|column| matches!(column, Some(ColumnRef::Name(_))))
        // A row is not the header if one of its columns contains a grid.
        || !has_grid && (names.iter().any(|name| is_puzzle_name(name)) || !fields.iter().any(|field| is_puzzle(field)));
    let header = has_names.then(|| {
        let end = dialect.row_end(first, 0, true);
        without_returns(end.map_or(first, |end| &first[..end.at])).to_vec()
    });
    let names = if has_names { names } else { (1..=columns).map(|column| column.to_string()).collect() };
    let offer = Offer { names, has_names, noun: "column", options };
    // A puzzle on a line does not begin with a quote.
    let may_be_line = !named && !first.starts_with(b"\"");
    let rows = values_of(head, delimiter, has_names, columns);
    let Some((columns, notes)) = offer.choose(rows, complete && !(may_be_line && columns < 2))? else {
        return Ok(false);
    };
    let [puzzle, solution, ..] = columns.places.0;
    match puzzle {
        None if named => return Err(no_puzzle("column", offer.names.iter().map(String::as_str))),
        None => return Ok(false),
        // The other columns are text after the puzzle.
        Some(0) if may_be_line && !has_names && solution.is_none() => return Ok(false),
        Some(_) => {}
    }
    (layout.csv, layout.columns) = (Some(CsvLayout { delimiter, header }), columns);
    layout.header_line = has_names.then_some(line);
    layout.notes.extend(notes);
    Ok(true)
}

/// Returns the delimiter that the first row of a source suggests, or `None` if more rows are needed.
///
/// A delimiter that yields a known column name is preferred. If several delimiters remain, the one that
/// yields the most fields is chosen, and then the first one. Blanks are the delimiter if the row has no other
/// delimiter and the first rows all have the same number of words.
fn delimiter_of(head: &Head<'_>, first: &[u8], complete: bool, named: bool) -> Option<u8> {
    let mut fields = Vec::new();
    let dialect = |delimiter| Dialect { delimiter, line_end: head.line_end };
    let is_known = |field: &&[u8]| is_puzzle_name(&String::from_utf8_lossy(field));
    let delimiter = DELIMITERS.into_iter().rev().max_by_key(|&delimiter| {
        let readable =
            dialect(delimiter).split_alone(first, &mut fields).is_ok() && (named || !hold_rows(&fields));
        let known = fields.iter().any(is_known);
        (readable && known, if readable { fields.len() } else { 0 })
    })?;
    let is_one = dialect(delimiter).split_alone(first, &mut fields).is_ok() && fields.len() == 1;
    if !is_one || !trim(first).contains(&b' ') {
        return Some(delimiter);
    }
    // Later rows are needed to see whether blanks separate columns.
    if !complete {
        return None;
    }
    let mut words = Vec::new();
    let mut count_words = |row| dialect(b' ').split_alone(row, &mut words).map_or(0, |()| words.len());
    let counts: Vec<usize> =
        rows_of(head, *b" ").take(ROWS_LOOKED_AT).map(|(_, row)| count_words(row)).collect();
    let are_names = count_words(first) > 1 && (named || words.iter().any(is_known) && !has_grid(&words));
    let are_alike = counts.len() > 1 && counts.iter().all(|&count| count == counts[0]);
    Some(if are_names && are_alike { b' ' } else { delimiter })
}

/// Returns true if consecutive fields could be the rows of one grid.
///
/// A row of a 16x16 grid is as long as a whole 4x4 grid. So one such field does not show which of the two it
/// is. Other text may come before and after the rows.
fn hold_rows(fields: &[&[u8]]) -> bool {
    SIDES_ON_LINES
        .iter()
        .map(|side| side * side)
        .any(|side| fields.windows(side - 2).any(|rows| rows.iter().all(|row| row.len() == side)))
}

/// Returns true if the first line names several columns, one of them the puzzle, and the first row has there a grid with
/// more cells than any row of a grid.
fn has_grid_below(head: &Head<'_>, layout: &Layout) -> bool {
    let count = layout.column_count();
    let mut rows = values_of(head, layout.dialect().delimiter, true, count);
    let row = rows.next().filter(|_| count > 1 && layout.header_line.is_some());
    row.zip(layout.columns.places[Role::Puzzle]).is_some_and(|(row, puzzle)| {
        let puzzle = trim(row[puzzle]);
        puzzle.len() > MAX_SIDE
            && puzzle.iter().all(|byte| byte.is_ascii_alphanumeric() || BLANKS.contains(byte))
    })
}

/// Returns true if the lines after the first are rows of grids, so that the source is not CSV.
fn rows_follow(head: &Head<'_>) -> bool {
    let is_apart = |line: &[u8]| line.iter().any(|byte| *byte == b'"' || DELIMITERS.contains(byte));
    let cells = |line| if is_apart(line) { 0 } else { count_of(line, Unit::Character, Shown::NOTHING) };
    let mut counts = head.contents().skip(1).take(ROWS_LOOKED_AT).map(cells);
    let Some(first) = counts.next().filter(|_| head.options.column.is_none()) else { return false };
    // A line of this length that could be a whole grid may also be the only column of a table. So it does not
    // count as a row.
    let is_row = InputOptions::is_side(first) && InputOptions::side_of_cells(first).is_none();
    is_row && counts.filter(|&count| count == first).count() > 1
}

/// Number of lines read to distinguish rows of grids from CSV. It is the number of rows of the smallest grid.
const ROWS_LOOKED_AT: usize = InputOptions::MIN_SIDE;

/// Returns the complete rows in the first part of a source that are not empty, with their line numbers.
///
/// The delimiter is not known yet, and the end of a row may depend on it. So the function finds the end for
/// each of the `delimiters`, and uses the end that comes last.
fn rows_of<'a, const N: usize>(
    head: &Head<'a>,
    delimiters: [u8; N],
) -> impl Iterator<Item = (u64, &'a [u8])> + use<'a, N> {
    let (bytes, line_end, whole) = (head.bytes, head.line_end, head.whole);
    let (mut at, mut line) = (0, 1);
    std::iter::from_fn(move || {
        while at < bytes.len() {
            // More bytes are needed if the row is incomplete for any delimiter. Otherwise the result would
            // depend on how many bytes have arrived.
            let ends =
                delimiters.iter().map(|&delimiter| Dialect { delimiter, line_end }.row_end(bytes, at, whole));
            let end = ends.reduce(|one, other| {
                one.zip(other).map(|(one, other)| if one.at < other.at { other } else { one })
            })??;
            let text = &bytes[at..end.at];
            let (row, number) = (without_returns(text), line);
            line += end.lines(text, line_end);
            at = end.at + 1;
            if !trim(row).is_empty() {
                return Some((number, row));
            }
        }
        None
    })
}

/// Returns the values of all rows in the first part of a source that have exactly `columns` values.
fn values_of<'a>(
    head: &Head<'a>,
    delimiter: u8,
    has_header: bool,
    columns: usize,
) -> impl Iterator<Item = Vec<&'a [u8]>> + use<'a> {
    let dialect = Dialect { delimiter, line_end: head.line_end };
    rows_of(head, [delimiter]).skip(usize::from(has_header)).filter_map(move |(_, row)| {
        let mut values = Vec::new();
        (dialect.split_alone(row, &mut values).is_ok() && values.len() == columns).then_some(values)
    })
}

/// Returns true if a row contains a word with the shape of a grid.
///
/// The word must be longer than any name, or consist only of digits and empty cells.
fn has_grid(fields: &[&[u8]]) -> bool {
    let is_cell = |byte: &u8| byte.is_ascii_alphanumeric() || BLANKS.contains(byte);
    let is_grid = |word: &[u8]| {
        if word.len() > MAX_SIDE {
            return is_puzzle(word);
        }
        let is_open = matches!(shape_of(word, None), TextShape::Open(_));
        is_open
            && !word.iter().any(u8::is_ascii_alphabetic)
            && word.iter().any(|&byte| byte > b'0' && byte <= b'9')
    };
    // A field that is a list counts as a single grid.
    fields.iter().flat_map(|field| field.split(|byte| !is_cell(byte)).chain([trim(field)])).any(is_grid)
}

/// Returns true if a field has the shape of a grid.
fn is_puzzle(field: &[u8]) -> bool {
    let plain = plain(trim(field), None).unwrap_or_default();
    let field = &*plain;
    let fits = InputOptions::side_of_cells(field.len()).is_some() || field.len() == PENCILMARK_CELLS;
    fits && !are_rules(field)
        && field.iter().all(|byte| byte.is_ascii_alphanumeric() || BLANKS.contains(byte))
}

/// Rows of a table in text form.
struct CsvRows {
    dialect: Dialect,
    header_line: Option<u64>,
}

impl CsvRows {
    fn new(layout: &Layout) -> Self {
        CsvRows { dialect: layout.dialect(), header_line: layout.header_line }
    }
}

impl Rows for CsvRows {
    #[inline]
    fn dialect(&self) -> Option<Dialect> {
        Some(self.dialect)
    }

    #[inline]
    fn other(&self, row: &[u8], line: u64) -> Option<LineKind> {
        let is_header = self.header_line == Some(line);
        let is_empty = || row.first().is_none_or(|&byte| is_blank(byte)) && trim(row).is_empty();
        if is_header { Some(LineKind::Label) } else { is_empty().then_some(LineKind::Blank) }
    }
}

fn parse(grids: &mut GridReader, chunk: &Chunk) {
    let (rows, mut fields) = (CsvRows::new(&chunk.layout), Vec::new());
    rows.parse(grids, chunk, |grids, quotes, record| {
        rows.dialect.split(record.text.slice(&chunk.bytes), quotes, &mut fields)?;
        read(grids, chunk, &fields, record)
    });
}

/// Appends the puzzles of all rows of a table, and the other parts of the rows that the caller wants.
///
/// Returns false if the chunk must be read row by row. This is so if a row cannot be a plain 9x9 grid, has
/// rules or has the wrong number of columns. It is also so if some text contains quotes, or if the chunk
/// contains the header.
pub(super) fn gather(chunk: &Chunk, apart: &mut Apart) -> bool {
    let has_header = chunk.layout.header_line.is_some_and(|line| line >= chunk.first_line);
    // Without a header, any column may hold rules.
    let (dialect, has_names) = match &chunk.layout.csv {
        None => (Dialect { delimiter: FIELD_END, line_end: ROW_END }, true),
        // Any number of blanks may separate two fields, so blanks cannot be counted to find the column.
        Some(csv) if csv.delimiter == b' ' || has_header || memchr(b'"', &chunk.bytes).is_some() => {
            return false;
        }
        Some(csv) => (chunk.layout.dialect(), csv.header.is_some()),
    };
    let [puzzle, solution, id, rules, regions] = chunk.layout.columns.places.0;
    let count = chunk.layout.column_count();
    if apart.are_too_many(count) {
        return false;
    }
    let is_text = chunk.layout.csv.is_some();
    let Apart { wanted, puzzles, given, spans, values } = apart;
    let mut given = wanted.given.then_some(given);
    for (place, field, is_last) in dialect.plain_fields(&chunk.bytes) {
        let column = Some(place);
        let fields = match column {
            _ if column == puzzle => Some(&mut *puzzles),
            // Without column names, the solution column may hold rules. Rules begin with a dot or a blank,
            // solutions with a digit.
            _ if column == solution && (has_names || field.first() > Some(&b'.')) => given.as_deref_mut(),
            _ if !has_names && may_have_rules(field) => return false,
            _ if field.len() == 81 && is_layout(field, 9) => return false,
            _ if (column == rules || column == regions) && !trim(field).is_empty() => return false,
            _ if column == solution => given.as_deref_mut(),
            _ => None,
        };
        if let Some(fields) = fields {
            if field.len() != 81 {
                return false;
            }
            fields.extend_from_slice(field);
            fields.push(b'\n');
        }
        if is_last && place + 1 != count {
            return false;
        }
        if !wanted.records {
            continue;
        }
        values.push(span_in(&chunk.bytes, field));
        if is_last {
            let row = &values[values.len() - count..];
            let value = |place: Option<usize>| place.map_or(Span::default(), |place| row[place]);
            let text =
                if is_text { Span { start: row[0].start, end: row[place].end } } else { value(puzzle) };
            spans.push([text, value(puzzle), value(id)]);
        }
    }
    true
}

/// Returns the rules of a row.
///
/// With a header, the rules are in the column `rules`. Without a header, they are in all fields that begin
/// like rules.
///
/// # Errors
/// Returns an error if the table has no header and a field has rules after other text.
fn rules_of<'a>(has_header: bool, places: Places, fields: &[&'a [u8]]) -> Result<Cow<'a, [u8]>, RuleError> {
    if has_header {
        return Ok(Cow::Borrowed(places[Role::Rules].map_or(&b""[..], |column| trim(fields[column]))));
    }
    let mut rules = Cow::Borrowed(&b""[..]);
    for (column, field) in
        fields.iter().enumerate().filter(|(column, _)| Some(*column) != places[Role::Puzzle])
    {
        if are_beside(field) {
            rules = match rules.is_empty() {
                true => Cow::Borrowed(trim(field)),
                false => Cow::Owned(joined(&rules, trim(field))),
            };
        } else if Some(column) != places[Role::Solution] && !is_puzzle(field) {
            no_rules_in(field)?;
        }
    }
    Ok(rules)
}

/// Returns true if a field of a table without a header contains rules.
fn are_beside(field: &[u8]) -> bool {
    begins_rules(trim(field)) && !is_puzzle(field)
}

/// Reads the fields of a row into a record.
///
/// # Errors
/// Returns the reason if the record is invalid.
fn read(grids: &mut GridReader, chunk: &Chunk, fields: &[&[u8]], record: &mut Record) -> Result<(), Reason> {
    let has_header = chunk.layout.csv.as_ref().is_some_and(|csv| csv.header.is_some());
    let (count, places) = (chunk.layout.column_count(), chunk.layout.columns.places);
    if fields.len() != count {
        let columns = if fields.len() == 1 { "column" } else { "columns" };
        let other = if has_header { "header" } else { "first row" };
        return Err(format!("{} {columns}, but the {other} has {count}", fields.len()).into());
    }
    let field = |place: Option<usize>| place.map_or(&b""[..], |place| trim(fields[place]));
    let puzzle = field(places[Role::Puzzle]);
    record.puzzle = span_in(&chunk.bytes, puzzle);
    if let Some(id) = places[Role::Id] {
        record.id = span_in(&chunk.bytes, fields[id]);
    }
    let items = rules_of(has_header, places, fields).map_err(|reason| reason.to_string())?;
    let given = |place: usize| if !has_header && are_beside(fields[place]) { b"" } else { fields[place] };
    let values = Values {
        puzzle,
        given: places[Role::Solution].map(|place| Ok(given(place))),
        items: &items,
        regions: field(places[Role::Regions]),
    };
    values.read(grids, chunk, fields.iter().copied(), record)
}

#[cfg(test)]
mod tests {
    use super::super::super::examples::{DONE, EASY};
    use super::super::super::testing::{bodies, read_all, read_in_chunks};
    use super::super::super::{ChunkTarget, Format, Reader, Source};
    use super::*;

    fn digits() -> String {
        EASY.replace('.', "0")
    }

    #[test]
    fn known_headers_are_found_with_any_delimiter() {
        for (header, row) in [
            ("quizzes,solutions", format!("{EASY},{DONE}")),
            ("puzzle;solution", format!("{EASY};{DONE}")),
            ("id\tPuzzle\tsolution\tclues\tdifficulty", format!("7\t{EASY}\t{DONE}\t30\t0.0")),
            ("source,question,answer,rating", format!("puzzles0,{EASY},{DONE},11")),
            ("\"id\",\"puzzle\",\"solution\"", format!("\"a, \"\"b\"\"\nc\",\"{EASY}\",\"{DONE}\"")),
            ("x,y", format!("{EASY},{DONE}")),
        ] {
            for end in ["\n", "\r\n"] {
                let text = format!("{header}\n{row}\n\n{row}").replace('\n', end);
                let all = read_all(text.as_bytes(), InputOptions::default());
                assert_eq!(bodies(&all), [digits(), digits()], "{header}");
                assert_eq!(all.records[0].given, DONE, "{header}");
                assert_eq!(all.records[0].puzzle, EASY.as_bytes());
            }
        }
        let all = read_all(format!("id,puzzle\nfirst,{EASY}\n").as_bytes(), InputOptions::default());
        assert_eq!((&*all.records[0].id, all.records[0].line), (&b"first"[..], 2));
    }

    #[test]
    fn a_source_without_header_needs_a_solution_or_a_column() {
        let all = read_all(format!("{EASY},{DONE}\n{EASY},{DONE}").as_bytes(), InputOptions::default());
        assert_eq!((all.records.len(), &*all.records[1].given), (2, DONE));
        let all = read_all(format!("{EASY},text\n").as_bytes(), InputOptions::default());
        assert_eq!(all.records[0].id, b"text", "a line with text behind it");
        let column = InputOptions { column: Some(ColumnRef::Number(2)), ..Default::default() };
        let all = read_all(format!("{DONE},{EASY}\n").as_bytes(), column);
        assert_eq!(bodies(&all), [digits()]);
        let column = InputOptions { column: Some(ColumnRef::Name("B".into())), ..Default::default() };
        let all = read_all(format!("a,b\n{DONE},{EASY}\n").as_bytes(), column.clone());
        assert_eq!(bodies(&all), [digits()]);
        let all = read_all(format!("a,c\n{DONE},{EASY}\n").as_bytes(), column);
        assert_eq!(all.errors[0].to_string(), "test:1 (byte 0): no column \"B\": there are a, c");
        let named = InputOptions { format: Some(Format::Csv), ..Default::default() };
        let all = read_all(b"a,c\n1,2\n", named);
        assert!(all.errors[0].to_string().contains("no column with a puzzle (name it with --column): a, c"));
        let named = InputOptions { format: Some(Format::Csv), ..Default::default() };
        let all = read_all(format!("a\n1,{EASY}\n").as_bytes(), named);
        assert!(
            all.errors[0].to_string().ends_with("name it with --column): a"),
            "a row wider than the header"
        );
    }

    #[test]
    fn line_ends_in_quotes_need_no_header() {
        let grid = |cells: &str| {
            let rows: Vec<_> = cells.as_bytes().chunks(9).map(String::from_utf8_lossy).collect();
            format!("\"{}\"", rows.join("\n"))
        };
        for row in [
            format!("\"a\nb\",{EASY},{DONE}\n"),
            format!("{EASY},{DONE},\"a\nb\"\n"),
            format!("{},{DONE}\n", grid(EASY)),
            format!("7,{},{}\n", grid(EASY), grid(DONE)),
        ] {
            for target in [1, 1 << 20] {
                let target = ChunkTarget { bytes: target, records: 1 << 20 };
                let all = read_in_chunks(row.repeat(2).as_bytes(), Default::default(), target);
                assert_eq!(bodies(&all), [digits(), digits()], "{row}");
                assert_eq!(all.records[1].given, DONE);
            }
        }
    }

    #[test]
    fn bad_rows_are_invalid_and_cost_no_other_row() {
        let rows = [
            format!("1,{EASY}"),
            format!("2,{}", &EASY[1..]),
            "3".to_owned(),
            format!("4,{EASY},x"),
            format!("\"5,{EASY}"),
            format!("\"6\"x,{EASY}"),
            format!("\"7\n7\",{EASY}"),
            format!("8,{EASY}"),
            format!("\"9,{EASY}"),
            format!("10,{EASY}"),
        ];
        let expected = [
            digits(),
            "invalid: 80 characters: no grid has this many cells".into(),
            "invalid: 1 column, but the header has 2".into(),
            "invalid: 3 columns, but the header has 2".into(),
            "invalid: a quoted field is not closed".into(),
            "invalid: text after the closing quote of a field".into(),
            digits(),
            digits(),
            "invalid: a quoted field is not closed".into(),
            digits(),
        ];
        let text = format!("id,puzzle\n{}\n", rows.join("\n"));
        for bytes in [1, 100, 300, 1 << 20] {
            let all =
                read_in_chunks(text.as_bytes(), Default::default(), ChunkTarget { bytes, records: 1 << 20 });
            assert_eq!(bodies(&all), expected);
            assert_eq!(all.records[7].line, 10);
        }
    }

    #[test]
    fn given_solutions_are_read_or_refused_with_a_reason() {
        let text = format!("puzzle,solution\n{EASY},\n{EASY},{}\n{EASY},{EASY}\n", &DONE[1..]);
        let all = read_all(text.as_bytes(), Default::default());
        let given: Vec<_> = all.records.iter().map(|record| &*record.given).collect();
        assert_eq!(
            given,
            [
                "empty",
                "unreadable: 80 characters, but the puzzle has 81",
                "unreadable: character '.' in column 3 is not a digit of a 9x9"
            ]
        );
    }

    #[test]
    fn puzzles_are_gathered_from_plain_rows_and_from_no_others() {
        let gathered = |text: &str| {
            let source = Source::Bytes { name: "t".into(), bytes: text.as_bytes().to_vec() };
            let mut reader = Reader::new(vec![source], InputOptions::default());
            let target = ChunkTarget { bytes: usize::MAX, records: 1 };
            let (mut chunk, mut all) = (Chunk::default(), Vec::new());
            while reader.next_chunk(&mut chunk, target).unwrap() {
                let mut apart = Apart::default();
                all.push(gather(&chunk, &mut apart).then(|| String::from_utf8(apart.puzzles).unwrap()));
            }
            all
        };
        let puzzle = Some(format!("{EASY}\n"));
        let rows =
            format!("puzzle,note\n{EASY},a\n{EASY},\r\n{EASY}\n{EASY},a,b\n{EASY},\"a\"\n {EASY},a\n{EASY},");
        let expected = [None, puzzle.clone(), None, None, None, None, puzzle.clone()];
        assert_eq!(gathered(&rows), expected);
        assert_eq!(
            gathered(&format!("id;puzzle\n1;{EASY}\n2;{EASY}\r\n3;{EASY}")),
            [None, puzzle.clone(), puzzle]
        );
        // Without a header, any field other than the puzzle and the solution may be rules.
        let row = |field: &str, other: &str| gathered(&format!("{EASY},{DONE},\n{EASY},{field},{other}\n"));
        for (field, other, is_plain) in
            [(DONE, "7", true), ("", ".5 ..A", true), (" .Diagonal~1", "", false), (DONE, "a .X~R1C1", false)]
        {
            assert_eq!(row(field, other)[1].is_some(), is_plain, "{field} {other}");
        }
    }
}
