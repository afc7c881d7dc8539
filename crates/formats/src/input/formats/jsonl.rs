//! JSON objects: one per line, or in documents with line breaks and arrays of objects.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::super::by_content::choose;
use super::super::cells::write_numbers;
use super::super::characters::items_of;
use super::super::column_names::{ColumnRef, OTHER_RULE_NAMES, doubled};
use super::super::cutter::ByLine;
use super::super::grids::GridReader;
use super::super::head::Head;
use super::super::json_members::MemberRoles;
use super::super::lines::{span_in, trim};
use super::super::shapes::{LATE_LAYOUT, TextShape, has_layout, says_rules, shape_of};
use super::super::spreadsheet::rounded;
use super::super::variant::OwnRules;
use super::super::{Chunk, Format, GivenSolution, InputOptions, Layout, MemberLayout, Record};
use super::FormatSpec;
use super::cubes::EveryLine;
use super::json_objects::ObjectMachine;
use quadrille_model::Symbols;

pub(super) const SPEC: FormatSpec = FormatSpec {
    format: Format::Jsonl,
    name: "jsonl",
    about: "one JSON object per line, or an array of objects, with members named like CSV columns",
    sniff: |head: &Head<'_>| {
        let is_object =
            |line: &[u8]| trim(line).starts_with(b"{") && raw_members(line).is_ok_and(|all| !all.is_empty());
        // Some lines about the objects may come first.
        head.contents().take(LINES_LOOKED_AT).any(is_object) || level_of(head).is_some()
    },
    describe: |head: &Head<'_>, complete: bool, layout: &mut Layout| {
        // The line may not have arrived completely.
        let mut first = objects(head, None).next();
        if first.is_none() && !complete {
            return Ok(false);
        }
        let named = |first: &RawMembers<'_>| {
            let members = member_layout(first, head.options);
            let roles = members.roles(members.first.iter().map(String::as_str));
            (members, roles)
        };
        // The puzzle may be in an object inside the first.
        let is_whole = first.as_ref().is_some_and(|first| named(first).1.puzzle.is_some());
        let level = if is_whole || !complete { None } else { level_of(head) };
        let level = level.filter(|&level| level > 0 || first.is_none());
        if level.is_some() {
            first = objects(head, level).next();
        }
        let first = first.unwrap_or_default();
        let is_prose = |place: usize| is_prose(&text_of(first[place].1));
        let (mut members, roles) = named(&first);
        members.level = level;
        let has_other_layout = roles.regions.is_none()
            && first.iter().any(|(_, raw)| matches!(shape_of(&text_of(raw), None), TextShape::Layout(_)));
        let is_named = roles.puzzle.is_some() || head.options.column.is_some();
        if !is_named || has_other_layout || roles.rules.is_some_and(is_prose) {
            // Only the whole head shows what the members hold.
            if !complete {
                return Ok(false);
            }
            find_by_values(head, roles, &mut members, &mut layout.notes)?;
        }
        layout.members = Some(members);
        Ok(true)
    },
    has_symbols: true,
    cutter: |layout, options| match layout.members.as_ref().and_then(|members| members.level) {
        Some(level) => ByLine::cutter(ObjectMachine::new(level), layout, options),
        None => ByLine::cutter(EveryLine, layout, options),
    },
    parse_cut,
    ..FormatSpec::CUT
};

/// Maximum number of lines in which the first object is searched for.
const LINES_LOOKED_AT: usize = 5;

/// Maximum number of objects around an object with a puzzle.
const LEVELS: usize = 3;

/// Returns the number of objects around each object with a puzzle, or around any if none has one. `None` if a head does
/// not begin with an object or an array of objects.
fn level_of(head: &Head<'_>) -> Option<usize> {
    let text = head.bytes.trim_ascii_start();
    if !text.strip_prefix(b"[").unwrap_or(text).trim_ascii_start().starts_with(b"{") {
        return None;
    }
    let is_puzzle = |(_, raw): &(Cow<'_, str>, &str)| match raw.starts_with('[') {
        true => items_of(raw.as_bytes()).is_ok_and(|cells| shape_of(&cells, None).grid_side().is_some()),
        false => shape_of(&text_of(raw), None).grid_side().is_some(),
    };
    let holds_puzzles = |level: &usize| objects(head, Some(*level)).any(|all| all.iter().any(is_puzzle));
    let holds_any = |level: &usize| objects(head, Some(*level)).any(|all| !all.is_empty());
    (0..=LEVELS).find(holds_puzzles).or_else(|| (0..=LEVELS).find(holds_any))
}

/// Returns the members of the objects of a head: those on a line of their own, or those in `level` other objects.
fn objects<'a: 'h, 'h>(
    head: &'h Head<'a>,
    level: Option<usize>,
) -> Box<dyn Iterator<Item = RawMembers<'a>> + 'h> {
    let bytes = head.bytes;
    match level {
        Some(level) => {
            let spans = head.cut(ObjectMachine::new(level)).into_iter();
            Box::new(spans.filter_map(|span| raw_members(span.slice(bytes)).ok()))
        }
        None => Box::new(head.contents().filter_map(|line| raw_members(line).ok())),
    }
}

/// A value that may be a puzzle, a solution or an id.
#[derive(Deserialize)]
#[serde(untagged)]
enum Value<'a> {
    Text(#[serde(borrow)] Cow<'a, str>),
    Null(()),
    List(Vec<Cell>),
    /// Any other value, including numbers; it is taken from the text of the input.
    Other(IgnoredAny),
}

impl<'a> From<&'a str> for Value<'a> {
    /// Reads a value as written. It may be one that serde cannot hold, such as a number of 400 digits.
    fn from(raw: &'a str) -> Self {
        serde_json::from_str(raw).unwrap_or(Value::Other(IgnoredAny))
    }
}

/// An item of a list of numbers, or of a list of rows of them.
#[derive(Deserialize)]
#[serde(untagged)]
enum Cell {
    Number(i64),
    /// An empty cell.
    Null(()),
    Row(Vec<Option<i64>>),
}

/// Returns the characters of a list of numbers or of rows; 0 and `null` are empty cells.
fn characters_of(list: &[Cell]) -> Result<Vec<u8>, String> {
    let mut numbers = Vec::with_capacity(81);
    for cell in list {
        match cell {
            Cell::Number(number) => numbers.push(i128::from(*number)),
            Cell::Null(()) => numbers.push(0),
            Cell::Row(row) if row.len() == list.len() => {
                numbers.extend(row.iter().map(|number| i128::from(number.unwrap_or(0))));
            }
            Cell::Row(row) => {
                return Err(format!("{} rows, but one of them has {} numbers", list.len(), row.len()));
            }
        }
    }
    let mut characters = Vec::with_capacity(numbers.len());
    write_numbers(&numbers, &mut characters)?;
    Ok(characters)
}

/// The members of an object in order.
struct Ordered<'a, V>(Vec<(Cow<'a, str>, V)>);

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Ordered<'de, V> {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Object<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Object<V> {
            type Value = Ordered<'de, V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut all = Vec::new();
                while let Some(Name(name)) = map.next_key()? {
                    all.push((name, map.next_value()?));
                }
                Ok(Ordered(all))
            }
        }
        from.deserialize_map(Object(PhantomData))
    }
}

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// The members of an object in order, with their values as written.
pub(crate) type RawMembers<'a> = Vec<(Cow<'a, str>, &'a str)>;

/// Returns the members of an object in order, with their values as written.
///
/// # Errors
/// Returns an error if the line is not a JSON object.
pub(crate) fn raw_members(line: &[u8]) -> serde_json::Result<RawMembers<'_>> {
    let all: Ordered<&RawValue> = serde_json::from_slice(line)?;
    Ok(all.0.into_iter().map(|(name, value)| (name, value.get())).collect())
}

/// Returns a value without quotes around it and without escapes.
fn text_of(raw: &str) -> Cow<'_, [u8]> {
    let is_escaped = raw.contains('\\');
    let owned = |text: String| Cow::Owned(text.into_bytes());
    match raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')) {
        Some(text) if !is_escaped => Cow::Borrowed(text.as_bytes()),
        Some(_) => owned(serde_json::from_str(raw).unwrap_or_default()),
        None if !is_escaped => Cow::Borrowed(raw.as_bytes()),
        None => owned(
            serde_json::from_str(raw)
                .map_or_else(|_| String::new(), |list: serde_json::Value| list.to_string()),
        ),
    }
}

/// Returns true if a value is not rules, and neither empty nor `null`.
fn is_prose(value: &[u8]) -> bool {
    !matches!(value, b"" | b"null") && !says_rules(value)
}

/// Finds the members that their names do not identify, by the values in all objects of a head.
///
/// # Errors
/// Returns the reason if several may hold the puzzles.
fn find_by_values(
    head: &Head<'_>,
    roles: MemberRoles,
    members: &mut MemberLayout,
    notes: &mut Vec<String>,
) -> Result<(), String> {
    let names = &members.first;
    let texts: Vec<Vec<Cow<'_, [u8]>>> = objects(head, members.level)
        .map(|all| {
            let raw = |name: &String| all.iter().find(|(other, _)| other == name).map_or("", |(_, raw)| raw);
            names.iter().map(|name| text_of(raw(name))).collect()
        })
        .collect();
    let rows: Vec<Vec<&[u8]>> = texts.iter().map(|row| row.iter().map(|text| &**text).collect()).collect();
    if let Some(rules) = roles.rules
        && rows.iter().any(|row| is_prose(row[rules]))
        && !rows.iter().any(|row| says_rules(row[rules]))
    {
        members.no_rules = true;
        notes.push(format!("member {} is text, not rules, and is left out", names[rules]));
    }
    let named = roles.puzzle.filter(|&place| place < names.len());
    match choose(&rows, names.len(), named, head.options.blank) {
        Ok(chosen) => {
            if let Some(place) = chosen.regions.filter(|_| roles.regions.is_none()) {
                members.regions = Some(ColumnRef::Name(names[place].clone()));
                notes
                    .push(format!("member {} is a layout of regions, which replace the boxes", names[place]));
            }
            if roles.puzzle.is_none() && members.puzzle.is_none() {
                members.puzzle = chosen.puzzle.map(|place| ColumnRef::Name(names[place].clone()));
            }
            Ok(())
        }
        Err(_) if members.puzzle.is_some() => Ok(()),
        Err(which) => {
            let which: Vec<&str> = which.into_iter().map(|place| names[place].as_str()).collect();
            Err(format!("puzzles may be in several members, choose one with --column: {}", which.join(", ")))
        }
    }
}

fn member_layout(first: &RawMembers<'_>, options: &InputOptions) -> MemberLayout {
    MemberLayout {
        first: first.iter().map(|(name, _)| name.clone().into_owned()).collect(),
        puzzle: options.column.clone(),
        solution: options.solution_column.clone(),
        regions: None,
        id_names: options.id_names,
        no_rules: options.no_rules,
        level: None,
    }
}

fn parse_cut(
    grids: &mut GridReader,
    chunk: &Chunk,
    record: &mut Record,
) -> Result<(), quadrille_model::Reason> {
    let line = record.text.slice(&chunk.bytes);
    let all = raw_members(line).map_err(|error| format!("not a JSON object: {error}"))?;
    let place = |text: &Cow<'_, str>| match text {
        // Text with escapes differs from the input, so the whole record is its place.
        Cow::Borrowed(text) => span_in(&chunk.bytes, text.as_bytes()),
        Cow::Owned(_) => record.text,
    };
    let names = || all.iter().map(|(name, _)| &**name);
    let Some(layout) = &chunk.layout.members else { return Err("not a JSON object".into()) };
    if let Some(reason) = doubled(names()) {
        return Err(reason.into());
    }
    let roles = layout.roles(names());
    let is_list = |raw: &str| raw.starts_with(['[', '{']) && !matches!(raw, "[]" | "{}");
    let is_other = |name: &str| OTHER_RULE_NAMES.iter().any(|known| name.eq_ignore_ascii_case(known));
    if !layout.no_rules
        && let Some((name, _)) = all.iter().find(|(name, raw)| is_list(raw) && is_other(name))
    {
        return Err(
            format!("member {name} holds rules in a form that is not read (--no-rules ignores it)").into()
        );
    }
    let raw = |place: Option<usize>| all.get(place?).map(|(_, raw)| *raw);
    let value = |place: Option<usize>| raw(place).map(Value::from);
    if let Some(id) = raw(roles.id) {
        let is_id = id.starts_with(|first: char| matches!(first, '"' | '-' | '0'..='9'));
        record.id = match Value::from(id) {
            Value::Text(Cow::Borrowed(id)) => span_in(&chunk.bytes, id.as_bytes()),
            _ if is_id => span_in(&chunk.bytes, id.as_bytes()),
            _ => record.id,
        };
    }
    let listed;
    let puzzle = value(roles.puzzle);
    let text = match &puzzle {
        Some(Value::Text(puzzle)) => {
            record.puzzle = place(puzzle);
            trim(puzzle.as_bytes())
        }
        Some(Value::List(list)) => {
            listed = characters_of(list)?;
            &listed
        }
        Some(_) => {
            let raw = raw(roles.puzzle).unwrap_or_default();
            match raw.starts_with('[') {
                true => {
                    listed = items_of(&text_of(raw))?;
                    &listed
                }
                false => {
                    let other = || "the puzzle is neither text nor a list of integers".to_owned();
                    return Err(rounded(raw.as_bytes()).unwrap_or_else(other).into());
                }
            }
        }
        None => {
            let names: Vec<&str> = names().collect();
            return Err(
                format!("no member with a puzzle (name it with --column): {}", names.join(", ")).into()
            );
        }
    };
    let is_listed = matches!(puzzle, Some(Value::List(_)));
    let symbols = if is_listed { Some(Symbols::DEFAULT) } else { chunk.layout.symbols };
    let own = |place, name: &str| match value(place) {
        Some(Value::Text(text)) => Ok(text),
        None | Some(Value::Null(())) => Ok(Cow::Borrowed("")),
        Some(_) => Err(format!("the {name} are not text")),
    };
    let is_layout =
        |raw: &str| raw.starts_with('"') && has_layout(text, std::iter::once(trim(&text_of(raw))));
    if roles.regions.is_none() && all.iter().any(|(_, raw)| is_layout(raw)) {
        return Err(LATE_LAYOUT.into());
    }
    let (items, regions) = (own(roles.rules, "rules")?, own(roles.regions, "regions")?);
    let own = OwnRules { items: trim(items.as_bytes()), regions: trim(regions.as_bytes()) };
    if let Some(reason) = grids.cut_off(text).filter(|_| !is_listed && own.is_empty()) {
        return Err(reason);
    }
    let side = grids.field_with(text, symbols, own)?.put_in(record);
    record.given = match value(roles.solution) {
        Some(Value::Text(given)) => grids.given(trim(given.as_bytes()), side, record.symbols),
        Some(Value::List(list)) => match characters_of(&list) {
            Ok(given) => grids.given(&given, side, Symbols::DEFAULT),
            Err(reason) => GivenSolution::Unreadable(Box::new(reason.into())),
        },
        Some(Value::Null(())) => GivenSolution::Empty,
        Some(_) => grids.given(b"?", side, record.symbols),
        None => GivenSolution::Absent,
    };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::InputOptions;
    use super::super::super::examples::EASY;
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
                "invalid: 8 rows, but one of them has 9 numbers"
            ]
        );
        assert_eq!(told[7], "invalid: 1 character: no grid has this many cells");
        assert!(told[8].starts_with("invalid: 0 "), "{}", told[8]);
    }
}
