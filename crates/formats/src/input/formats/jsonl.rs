//! JSON objects: one per line, or in documents with line breaks and arrays of objects.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

use super::super::by_content::{choose_named, is_prose};
use super::super::characters::items_of;
use super::super::column_names::{ColumnRef, OTHER_RULE_NAMES, doubled};
use super::super::cutter::ByLine;
use super::super::grids::GridReader;
use super::super::head::Head;
use super::super::json_members::MemberRoles;
use super::super::lines::{span_in, trim};
use super::super::shapes::{LATE_LAYOUT, TextShape, has_layout, shape_of};
use super::super::spreadsheet::rounded;
use super::super::variant::OwnRules;
use super::super::{Chunk, Format, GivenSolution, InputOptions, Layout, MemberLayout, Record};
use super::cubes::EveryLine;
use super::json_objects::ObjectMachine;
use super::{Container, FormatSpec};
use quadrille_model::Symbols;

pub(super) const SPEC: FormatSpec = FormatSpec {
    format: Format::Jsonl,
    name: "jsonl",
    container: Container::Columns,
    about: "one JSON object per line, or an array of objects, with members named like CSV columns",
    look: "JSON",
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
        let has_prose = |place: usize| {
            let (_, raw) = first[place];
            raw != "null" && is_prose(std::iter::once(&*text_of(raw)))
        };
        let (mut members, roles) = named(&first);
        members.level = level;
        let has_other_layout = roles.regions.is_none()
            && first.iter().any(|(_, raw)| matches!(shape_of(&text_of(raw), None), TextShape::Layout(_)));
        let is_named = roles.puzzle.is_some() || head.options.column.is_some();
        if !is_named || has_other_layout || roles.rules.is_some_and(has_prose) {
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
    let is_puzzle = |(_, raw): &(Cow<'_, str>, &str)| {
        cells_of(raw)
            .is_ok_and(|cells| cells.is_some_and(|cells| shape_of(&cells, None).grid_side().is_some()))
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

/// The members of an object in order, with their values as written.
pub(crate) type RawMembers<'a> = Vec<(Cow<'a, str>, &'a str)>;

/// Reads [`RawMembers`].
struct Object<'a>(RawMembers<'a>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut all = Vec::new();
                while let Some((Name(name), value)) = map.next_entry::<Name<'_>, &RawValue>()? {
                    all.push((name, value.get()));
                }
                Ok(Object(all))
            }
        }
        from.deserialize_map(Members)
    }
}

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// Returns the members of an object in order, with their values as written.
///
/// # Errors
/// Returns an error if the line is not a JSON object.
pub(crate) fn raw_members(line: &[u8]) -> serde_json::Result<RawMembers<'_>> {
    serde_json::from_slice(line).map(|Object(all)| all)
}

/// Returns a value without quotes around it and without escapes.
pub(crate) fn text_of(raw: &str) -> Cow<'_, [u8]> {
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

/// Returns the characters of a value that is text or a list, or `None` for any other value.
///
/// # Errors
/// Returns the reason if a list is not a grid.
fn cells_of(raw: &str) -> Result<Option<Cow<'_, [u8]>>, String> {
    match raw.as_bytes() {
        [b'"', ..] => Ok(Some(text_of(raw))),
        [b'[', ..] => items_of(&text_of(raw)).map(|cells| Some(Cow::Owned(cells))),
        _ => Ok(None),
    }
}

/// Returns true if a value is a list without text in it, whose items are thus numbers.
fn is_of_numbers(raw: &str) -> bool {
    raw.starts_with('[') && !raw.contains('"')
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
    let values = |place: usize| rows.iter().map(move |row| row[place]).filter(|value| *value != b"null");
    if let Some(rules) = roles.rules.filter(|&rules| is_prose(values(rules))) {
        members.no_rules = true;
        notes.push(format!("member {} is text, not rules, and is left out", names[rules]));
    }
    let named = (roles.puzzle.filter(|&place| place < names.len()), members.puzzle.is_some());
    let chosen = choose_named(&rows, names, "member", named, head.options.blank)?;
    let name = |place: usize| ColumnRef::Name(names[place].clone());
    if let Some(place) = chosen.regions.filter(|_| roles.regions.is_none()) {
        members.regions = Some(name(place));
        notes.push(format!("member {} is a layout of regions, which replace the boxes", names[place]));
    }
    if roles.puzzle.is_none() && members.puzzle.is_none() {
        members.puzzle = chosen.puzzle.map(name);
    }
    Ok(())
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
    let is_id = |id: &&str| id.starts_with(|first: char| matches!(first, '"' | '-' | '0'..='9'));
    if let Some(id) = raw(roles.id).filter(is_id) {
        let text = match text_of(id) {
            Cow::Borrowed(text) => text,
            // Text with escapes differs from the input.
            Cow::Owned(_) => id.as_bytes(),
        };
        record.id = span_in(&chunk.bytes, text);
    }
    let Some(puzzle) = raw(roles.puzzle) else {
        let names: Vec<&str> = names().collect();
        return Err(format!("no member with a puzzle (name it with --column): {}", names.join(", ")).into());
    };
    let text = match cells_of(puzzle)? {
        Some(text) => text,
        None => {
            let other = || "the puzzle is neither text nor a list of integers".to_owned();
            return Err(rounded(puzzle.as_bytes()).unwrap_or_else(other).into());
        }
    };
    if let Cow::Borrowed(text) = text {
        record.puzzle = span_in(&chunk.bytes, text);
    }
    let text = trim(&text);
    let is_layout =
        |raw: &str| raw.starts_with('"') && has_layout(text, std::iter::once(trim(&text_of(raw))));
    if roles.regions.is_none() && all.iter().any(|(_, raw)| is_layout(raw)) {
        return Err(LATE_LAYOUT.into());
    }
    let own = |place, name: &str| match raw(place) {
        None | Some("null") => Ok(Cow::default()),
        Some(raw) if raw.starts_with('"') => Ok(text_of(raw)),
        Some(_) => Err(format!("the {name} are not text")),
    };
    let (items, regions) = (own(roles.rules, "rules")?, own(roles.regions, "regions")?);
    let own = OwnRules { items: trim(&items), regions: trim(&regions) };
    if let Some(reason) = grids.cut_off(text).filter(|_| !is_of_numbers(puzzle) && own.is_empty()) {
        return Err(reason);
    }
    let symbols = if is_of_numbers(puzzle) { Some(Symbols::DEFAULT) } else { chunk.layout.symbols };
    let side = grids.field_with(text, symbols, own)?.put_in(record);
    record.given = match raw(roles.solution) {
        None => GivenSolution::Absent,
        Some("null") => GivenSolution::Empty,
        Some(raw) => match cells_of(raw) {
            Ok(given) => {
                let symbols = if is_of_numbers(raw) { Symbols::DEFAULT } else { record.symbols };
                grids.given(given.as_deref().map_or(b"?", trim), side, symbols)
            }
            Err(reason) => GivenSolution::Unreadable(Box::new(reason.into())),
        },
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
