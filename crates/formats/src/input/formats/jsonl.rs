//! Reads JSON objects, either one per line or in documents with line breaks and arrays of objects.

use std::borrow::Cow;
use std::sync::Arc;

use super::super::columns::{Column, Columns, OTHER_RULES, Role, doubled, is_among};
use super::super::cutter::ByLine;
use super::super::grids::GridReader;
use super::super::head::{HEAD_BYTES, Head};
use super::super::layout::ObjectShape;
use super::super::lines::{is_skipped, lines, span_in, trim};
use super::super::plain_lines::Apart;
use super::super::roles::{Chosen, MEMBER, Offer, lost_zeros, no_puzzle, shape_of};
use super::super::shapes::is_layout;
use super::super::spreadsheet::rounded;
use super::super::values::Values;
use super::super::{Chunk, InputOptions, Layout, LineKind, Record, Span};
use super::json_members::{RawMembers, raw_members, read_simple, text_of, value_text};
use super::json_objects::{ObjectMachine, WholeCutter, rows_of};
use super::text_lines::{RowCutter, Rows};
use super::{Container, FormatSpec};
use quadrille_model::Reason;

pub(super) const SPEC: FormatSpec = FormatSpec {
    name: "jsonl",
    container: Container::Columns,
    about: "JSON objects, one per line or in an array, or a table by columns, with members named like CSV columns",
    look: "JSON",
    offer: offer_members,
    has_symbols: true,
    cutter: |layout: &Arc<Layout>, options: &InputOptions| match layout.members {
        Some(ObjectShape::Inside(level)) => ByLine::cutter(ObjectMachine::new(level), layout, options),
        Some(ObjectShape::Whole) => Box::new(WholeCutter),
        _ => Box::new(RowCutter::new(ObjectLines, layout, options)),
    },
    plain_lines: |chunk, lines, _| lines.take_apart(|apart| gather(chunk, apart)),
    parse,
    parse_cut,
    ..FormatSpec::CUT
};

/// Maximum number of lines that are searched for the first object.
const LINES_LOOKED_AT: usize = 5;

/// Maximum number of outer objects in which an object with a puzzle may be nested.
const LEVELS: usize = 3;

fn offer_members(head: &Head<'_>, complete: bool, layout: &mut Layout) -> Result<bool, String> {
    let is_object =
        |line: &[u8]| trim(line).starts_with(b"{") && raw_members(line).is_ok_and(|all| !all.is_empty());
    // A few lines that describe the objects may come before the first object.
    let looks = |head: &Head<'_>| {
        head.contents().take(LINES_LOOKED_AT).any(is_object) || level_of(head).is_some() || is_cut_table(head)
    };
    if !head.fits(complete, looks) {
        return Ok(false);
    }
    let first = objects(head, ObjectShape::Lines).next();
    // If no object was found, the first line may not have arrived completely.
    if first.is_none() && !complete {
        return Ok(false);
    }
    if complete && is_cut_table(head) {
        layout.needs_all = Some(LARGE_TABLE);
        return if head.whole { Err("a JSON table by columns that is cut off".into()) } else { Ok(true) };
    }
    // If the first object has a grid, or an object in an array has one, the document is not one large table
    // that is stored by columns.
    let has_puzzle = |level: usize| {
        objects(head, ObjectShape::Inside(level)).next().is_some_and(|all| all.iter().any(is_puzzle))
    };
    let may_be_whole = complete
        && !has_puzzle(0)
        && (!head.bytes.trim_ascii_start().starts_with(b"[") || !(1..=LEVELS).any(has_puzzle));
    let is_named = |first: &RawMembers<'_>| {
        offer(head, first).named().is_ok_and(|places| places[Role::Puzzle].is_some())
    };
    let shape = if may_be_whole && objects(head, ObjectShape::Whole).any(|all| all.iter().any(is_puzzle)) {
        ObjectShape::Whole
    } else if !complete || first.as_ref().is_some_and(is_named) {
        ObjectShape::Lines
    } else {
        // The puzzle may be in an object inside the first object.
        let level = level_of(head).filter(|&level| level > 0 || first.is_none());
        level.map_or(ObjectShape::Lines, ObjectShape::Inside)
    };
    let Some((columns, notes)) = choose(head, shape, complete)? else { return Ok(false) };
    (layout.members, layout.columns) = (Some(shape), columns);
    layout.notes.extend(notes);
    Ok(true)
}

/// Reason for refusing a table by columns that is larger than a record may be.
const LARGE_TABLE: &str = "a JSON table by columns that is too large (--memory sets the limit): write its rows, in pandas \
                           with to_json(FILE, orient=\"records\", lines=True)";

/// Returns true if a large source begins a table by columns that does not end in the head: the first member of its object is
/// a list or an object without an object that ends.
fn is_cut_table(head: &Head<'_>) -> bool {
    let text = head.bytes.trim_ascii_start();
    let value = text.iter().position(|&byte| byte == b':').map(|at| text[at + 1..].trim_ascii_start());
    let is_column = value.is_some_and(|value| value.starts_with(b"[") || value.starts_with(b"{"));
    let is_large = !head.whole || head.bytes.len() > HEAD_BYTES;
    is_large && text.starts_with(b"{") && is_column && level_of(head).is_none()
}

/// Returns the member names of an object, from which the members with a role are chosen.
fn offer<'o>(head: &Head<'o>, first: &RawMembers<'_>) -> Offer<'o> {
    let names = first.iter().map(|(name, _)| name.clone().into_owned()).collect();
    Offer { names, has_names: true, noun: MEMBER, options: head.options }
}

/// Chooses the members that hold the puzzle, the solution and so on.
///
/// The first object decides if its names and values are clear. Otherwise the values in all objects of `head`
/// decide. Returns `None` if all objects are needed and `head` is not `complete`.
fn choose(head: &Head<'_>, shape: ObjectShape, complete: bool) -> Result<Option<Chosen>, String> {
    let mut rows = objects(head, shape).peekable();
    let offer = offer(head, rows.peek().unwrap_or(&Vec::new()));
    let texts = |all: &RawMembers<'_>| -> Vec<Vec<u8>> {
        let raw = |name: &String| all.iter().find(|(other, _)| other == name).map_or("", |(_, raw)| raw);
        offer.names.iter().map(|name| value_text(raw(name)).unwrap_or_default().into_owned()).collect()
    };
    offer.choose(rows.map(|all| texts(&all)), complete)
}

/// Returns the nesting depth of the objects that have puzzles: the number of objects around each of them.
///
/// If no object has a puzzle, returns the smallest depth at which an object has members. Returns `None` if
/// the source begins neither with an object nor with an array of objects.
fn level_of(head: &Head<'_>) -> Option<usize> {
    let text = head.bytes.trim_ascii_start();
    if !text.strip_prefix(b"[").unwrap_or(text).trim_ascii_start().starts_with(b"{") {
        return None;
    }
    let inside = |level: &usize| objects(head, ObjectShape::Inside(*level));
    let holds_puzzles = |level: &usize| inside(level).any(|all| all.iter().any(is_puzzle));
    let holds_any = |level: &usize| inside(level).any(|all| !all.is_empty());
    (0..=LEVELS).find(holds_puzzles).or_else(|| (0..=LEVELS).find(holds_any))
}

/// Returns true if the value of a member is a grid.
fn is_puzzle((_, raw): &(Cow<'_, str>, &str)) -> bool {
    raw.starts_with(['"', '['])
        && value_text(raw).is_ok_and(|text| shape_of(&text, None).grid_side().is_some())
}

/// Returns the members of each object in the first part of a source. `shape` says where the objects are.
fn objects<'a: 'h, 'h>(
    head: &'h Head<'a>,
    shape: ObjectShape,
) -> Box<dyn Iterator<Item = RawMembers<'a>> + 'h> {
    let bytes = head.bytes;
    match shape {
        ObjectShape::Lines => Box::new(head.contents().filter_map(|line| raw_members(line).ok())),
        ObjectShape::Inside(level) => {
            let spans = head.cut(ObjectMachine::new(level)).into_iter();
            Box::new(spans.filter_map(|span| raw_members(span.slice(bytes)).ok()))
        }
        ObjectShape::Whole if head.whole => Box::new(rows_of(bytes).into_iter().flatten()),
        ObjectShape::Whole => Box::new(std::iter::empty()),
    }
}

/// Adds the values of nested members to `all`, for columns whose names are paths into nested objects, such as
/// `a.b`.
///
/// The full path is used as the name of the added member.
fn add_inner<'a>(all: &mut RawMembers<'a>, columns: &Columns) {
    for column in columns.list.iter().filter(|column| column.place.is_none()) {
        let mut path = column.name.split('.');
        let first = path.next().unwrap_or_default();
        let mut value = all.iter().find(|(name, _)| name == first).map(|&(_, raw)| raw);
        for part in path {
            let inner = value.and_then(|raw| raw_members(raw.as_bytes()).ok()).unwrap_or_default();
            value = inner.iter().find(|(name, _)| name == part).map(|&(_, raw)| raw);
        }
        if let Some(value) = value.filter(|_| column.name.contains('.')) {
            all.push((Cow::Owned(column.name.clone()), value));
        }
    }
}

fn parse(grids: &mut GridReader, chunk: &Chunk) {
    // Other objects are cut out before, unless there are none.
    if chunk.layout.members == Some(ObjectShape::Lines) {
        ObjectLines.parse(grids, chunk, |grids, _, record| parse_cut(grids, chunk, record));
    }
}

/// Rows of a source with one JSON object per line. The field is the byte that ends a line.
struct ObjectLines;

impl Rows for ObjectLines {
    fn other(&self, row: &[u8], _: u64) -> Option<LineKind> {
        let kind = if trim(row).is_empty() { LineKind::Blank } else { LineKind::Comment };
        is_skipped(row, None).then_some(kind)
    }
}

/// Appends the puzzles of all lines, and the other parts of the lines that the caller wants.
///
/// Each line must be a simple object with a puzzle that may be a plain 9x9 grid. The object must not contain
/// anything that may be rules. Otherwise returns false, and the lines must be read one by one.
fn gather(chunk: &Chunk, apart: &mut Apart) -> bool {
    let columns = &chunk.layout.columns;
    let [Some(puzzle), solution, id, None, None] = columns.places.0 else { return false };
    if chunk.layout.members != Some(ObjectShape::Lines) || apart.are_too_many(columns.list.len()) {
        return false;
    }
    let Apart { wanted, puzzles, given, spans, values } = apart;
    let mut given = wanted.given.then_some(given);
    let mut all = Vec::with_capacity(columns.list.len());
    let is_plain = |column: &Column| !column.name.contains(['"', '\\']);
    let expected = if columns.list.iter().all(is_plain) { &columns.list[..] } else { &[] };
    for (_, line) in lines(&chunk.bytes, chunk.layout.line_end()) {
        all.clear();
        let is_read = read_simple(line, expected, &mut all).is_some();
        // Each line must be a record, because the records get consecutive line numbers. Comments and empty
        // lines are rejected.
        if !is_read || !columns.are(all.iter().map(|(name, _)| &**name)) {
            return false;
        }
        for (place, &(_, raw)) in all.iter().enumerate() {
            let cells = raw
                .as_bytes()
                .strip_prefix(b"\"")
                .and_then(|raw| raw.strip_suffix(b"\""))
                .filter(|cells| cells.len() == 81);
            let wanted_cells = match place {
                _ if place == puzzle => Some(&mut *puzzles),
                _ if Some(place) == solution => given.as_deref_mut(),
                _ if raw == "true" || cells.is_some_and(|cells| is_layout(cells, 9)) => return false,
                _ => None,
            };
            if let Some(wanted_cells) = wanted_cells {
                let Some(cells) = cells else { return false };
                wanted_cells.extend_from_slice(cells);
                wanted_cells.push(b'\n');
            }
        }
        if wanted.records {
            let span = |text: &[u8]| span_in(&chunk.bytes, text);
            let text_at = |place: Option<usize>| place.map(|place| all[place].1).filter(is_id).map(text_of);
            // The text of a value can be given as a range of the line only if the text has no escapes.
            let [puzzle, id] = [Some(puzzle), id].map(|place| match text_at(place) {
                Some(Cow::Borrowed(text)) => span(text),
                _ => Span::default(),
            });
            spans.push([span(line), puzzle, id]);
            values.extend(all.iter().map(|(_, raw)| span(raw.as_bytes())));
        }
    }
    true
}

/// Returns true if a value is text or a number, and can thus be an id.
fn is_id(raw: &&str) -> bool {
    raw.starts_with(|first: char| matches!(first, '"' | '-' | '0'..='9'))
}

/// Reads a JSON object into a record.
///
/// # Errors
/// Returns the reason if the record is invalid.
fn parse_cut(grids: &mut GridReader, chunk: &Chunk, record: &mut Record) -> Result<(), Reason> {
    let line = record.text.slice(&chunk.bytes);
    let columns = &chunk.layout.columns;
    let mut all = raw_members(line).map_err(|error| format!("not a JSON object: {error}"))?;
    add_inner(&mut all, columns);
    let names = || all.iter().map(|(name, _)| &**name);
    if let (false, Some(reason)) = (columns.are(names()), doubled(names())) {
        return Err(reason.into());
    }
    let places = columns.places_among(names());
    let is_used = |raw: &str| raw == "true" || raw.starts_with(['[', '{']) && !matches!(raw, "[]" | "{}");
    if !grids.options.no_rules
        && let Some((name, _)) = all.iter().find(|(name, raw)| is_used(raw) && is_among(name, OTHER_RULES))
    {
        return Err(
            format!("member {name} holds rules in a form that is not read (--no-rules ignores it)").into()
        );
    }
    let raw = |place: Option<usize>| all.get(place?).map(|(_, raw)| *raw);
    if let Some(id) = raw(places[Role::Id]).filter(is_id) {
        let text = match text_of(id) {
            Cow::Borrowed(text) => text,
            // If the id has escapes, its decoded text does not occur in the input. The record then refers to
            // the text with escapes.
            Cow::Owned(_) => id.as_bytes(),
        };
        record.id = span_in(&chunk.bytes, text);
    }
    let Some(puzzle) = raw(places[Role::Puzzle]) else { return Err(no_puzzle(MEMBER, names()).into()) };
    if !puzzle.starts_with(['"', '[']) {
        let lost = || lost_zeros(puzzle.as_bytes()).map(str::to_owned);
        let other = || "the puzzle is neither text nor a list of integers".to_owned();
        return Err(rounded(puzzle.as_bytes()).or_else(lost).unwrap_or_else(other).into());
    }
    let text = value_text(puzzle)?;
    if let (Cow::Borrowed(text), true) = (&text, puzzle.starts_with('"')) {
        record.puzzle = span_in(&chunk.bytes, text);
    }
    let own = |place, name: &str| match raw(place) {
        None | Some("null") => Ok(Cow::default()),
        Some(raw) if raw.starts_with('"') => Ok(text_of(raw)),
        Some(_) => Err(format!("the {name} are not text")),
    };
    let (items, regions) = (own(places[Role::Rules], "rules")?, own(places[Role::Regions], "regions")?);
    let given = raw(places[Role::Solution]).map(|raw| match raw {
        "null" => Ok(Cow::default()),
        raw if raw.starts_with(['"', '[']) => value_text(raw),
        _ => Ok(Cow::Borrowed(&b"?"[..])),
    });
    let others = all.iter().filter(|(_, raw)| places[Role::Regions].is_none() && raw.starts_with('"'));
    let others: Vec<Cow<'_, [u8]>> = others.map(|(_, raw)| text_of(raw)).collect();
    let given = given.as_ref().map(|given| given.as_deref().map_err(String::clone));
    let values = Values { puzzle: &text, given, items: &items, regions: &regions };
    values.read(grids, chunk, others.iter().map(|text| &**text), record)
}

#[cfg(test)]
mod tests {
    use super::super::super::InputOptions;
    use super::super::super::examples::{DONE, EASY};
    use super::super::super::testing::{bodies, read_all};

    #[test]
    fn objects_are_read_and_a_bad_line_costs_one() {
        let lines = [
            format!("{{\"id\": 7, \"puzzle\": \"{EASY}\", \"solution\": null}}"),
            "{\"puzzle\":".to_owned(),
            format!("{{\"Quizzes\":\"{EASY}\",\"x\":[1,{{}}],\"solutions\":\"12\"}}"),
            "{\"puzzle\": 5}".to_owned(),
            "{\"x\": 5}".to_owned(),
            format!("{{\"id\":\"a\",\"puzzle\":\"\\u0035{}\"}}", &EASY[1..]),
        ];
        let all = read_all(lines.join("\n").as_bytes(), Default::default());
        let digits = EASY.replace('.', "0");
        let told = bodies(&all);
        assert_eq!((&told[0], &told[2], &told[5]), (&digits, &digits, &digits));
        assert!(told[1].starts_with("invalid: not a JSON object: EOF"), "{}", told[1]);
        assert_eq!(
            told[3..5],
            [
                "invalid: the puzzle is neither text nor a list of integers",
                "invalid: no member with a puzzle (name it with --column): x"
            ]
        );
        assert_eq!((&*all.records[0].id, &*all.records[5].id), (&b"7"[..], &b"a"[..]));
        for id in
            ["123456789012345678901", "1e400", "18446744073709551616", "1e3", "1.50", "-7", r#""a\"b\u0041""#]
        {
            let text = format!("{{\"n\":{id},\"id\":{id},\"puzzle\":\"{EASY}\"}}");
            let read = read_all(text.as_bytes(), Default::default());
            assert_eq!(read.records[0].id, id.as_bytes());
        }
        assert_eq!(all.records[0].puzzle, EASY.as_bytes());
        assert_eq!((&*all.records[0].given, &*all.records[5].given), ("empty", ""));
        assert!(all.records[2].given.starts_with("unreadable: 2"), "{}", all.records[2].given);
    }

    #[test]
    fn rules_of_other_programs_are_not_ignored() {
        for (member, is_read) in [
            ("\"cages\":[{\"sum\":9}]", false),
            ("\"Thermometers\":[[1,2]]", false),
            ("\"constraints\":{\"a\":1}", false),
            ("\"cages\":[]", true),
            ("\"dots\":7", true),
            ("\"levels\":[1]", true),
        ] {
            let text = format!("{{\"puzzle\":\"{EASY}\",{member}}}\n");
            let body = &bodies(&read_all(text.as_bytes(), InputOptions::default()))[0];
            assert_eq!(!body.contains("holds rules in a form that is not read"), is_read, "{body}");
            let no_rules = InputOptions { no_rules: true, ..InputOptions::default() };
            assert_eq!(bodies(&read_all(text.as_bytes(), no_rules)), [EASY.replace('.', "0")]);
        }
    }

    #[test]
    fn a_table_by_columns_may_be_longer_than_the_head() {
        let column = |value: &str, end: &str| format!("[{}{end}", format!("\"{value}\",").repeat(1000));
        let rows = format!("[\"{EASY}\",\"{DONE}\"],").repeat(1000);
        let table = format!("{{\"x\":{},\"puzzle\":{}}}", column(DONE, "\"\"]"), column(EASY, "\"7\"]"));
        let split = format!("{{\"columns\":[\"puzzle\",\"x\"],\"data\":[{rows}[\"7\",\"\"]]}}");
        for text in [&table, &split, &table.replace(',', ",\n "), &split.replace(',', ",\n ")] {
            let all = read_all(text.as_bytes(), InputOptions::default());
            assert_eq!(all.records.len(), 1001, "{:?}", all.errors);
            assert!(bodies(&all)[..1000].iter().all(|body| *body == EASY.replace('.', "0")));
            assert!(
                all.records[999].given.starts_with(&DONE[..9]) && bodies(&all)[1000].starts_with("invalid")
            );
            let line = 1 + text[..all.records[999].byte as usize].matches('\n').count();
            assert_eq!(all.records[999].line as usize, line);
            let small = InputOptions { max_record_bytes: 100_000, ..InputOptions::default() };
            let error = &read_all(text.as_bytes(), small).errors[0].to_string();
            assert!(error.contains("a JSON table by columns that is too large"), "{error}");
            let error = &read_all(&text.as_bytes()[..text.len() - 9], InputOptions::default()).errors[0];
            assert!(error.to_string().contains("a JSON table by columns that is cut off"), "{error}");
        }
    }

    #[test]
    fn zeros_next_to_null_are_asked_about_whatever_else_an_object_has() {
        let cell = |byte: u8| match byte {
            b'.' => "null".to_owned(),
            digit => (digit - b'1').to_string(),
        };
        let cells: Vec<String> = EASY.bytes().map(cell).collect();
        let text = format!("{{\"id\":19,\"puzzle\":[{}]}}\n", cells.join(","));
        let all = read_all(text.as_bytes(), InputOptions::default());
        assert!(all.errors[0].to_string().contains("--symbols from-zero"), "{:?}", all.errors);
    }

    #[test]
    fn lists_of_integers_are_puzzles() {
        let digits = EASY.replace('.', "0");
        let list = |text: &str| text.chars().map(String::from).collect::<Vec<_>>().join(",");
        let rows: Vec<String> = digits
            .as_bytes()
            .chunks(9)
            .map(|row| format!("[{}]", list(str::from_utf8(row).unwrap())))
            .collect();
        let lines = [
            format!("{{\"puzzle\":[{}],\"solution\":[{}]}}", list(&digits), list(&"1".repeat(81))),
            format!("{{\"puzzle\":[{}]}}", rows.join(",")),
            format!("{{\"puzzle\":[{}]}}", list(&digits).replace('0', "null")),
            format!("{{\"puzzle\":[16{}]}}", ",0".repeat(255)),
            format!("{{\"puzzle\":[{}]}}", list(&digits[1..])),
            format!("{{\"puzzle\":[{}]}}", list(&digits).replacen('3', "10", 1)),
            format!("{{\"puzzle\":[{}]}}", rows[..8].join(",")),
            "{\"puzzle\":[\"5\"]}".to_owned(),
            "{\"puzzle\":[]}".to_owned(),
            format!("{{\"puzzle\":[{}]}}", rows.join(",").replacen("],[0,", ",0],[", 1)),
        ];
        let all =
            read_all(lines.join("\n").as_bytes(), InputOptions { any_side: true, ..Default::default() });
        let told = bodies(&all);
        assert_eq!([&told[0], &told[1], &told[2]], [&digits; 3]);
        assert!(told[3].starts_with("G000"), "{}", told[3]);
        assert_eq!(
            told[4..7],
            [
                "invalid: 80 numbers: no grid has this many cells",
                "invalid: 10 in cell 2 is not a digit of a 9x9",
                "invalid: 72 numbers: no grid has this many cells"
            ]
        );
        assert_eq!(told[7], "invalid: 1 character: no grid has this many cells");
        assert!(told[8].starts_with("invalid: 0 "), "{}", told[8]);
        assert!(told[9].starts_with("invalid: a list of rows with "), "{}", told[9]);
    }
}
