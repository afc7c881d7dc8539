//! JSON objects, one a line.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{IgnoredAny, MapAccess, Visitor};

use super::super::cells::Arrangement;
use super::super::column_names::{PUZZLE_NAMES, SOLUTION_NAMES};
use super::super::cutter::ByLine;
use super::super::grids::GridReader;
use super::super::head::Head;
use super::super::lines::{is_skipped, span_in, trim};
use super::super::{Body, Chunk, ColumnRef, Format, InputOptions, Layout, Record, Records, Span};
use super::FormatRow;
use super::cubes::EveryLine;

pub(super) const ROW: FormatRow = FormatRow {
    format: Format::Jsonl,
    name: "jsonl",
    about: "JSON objects, one a line, with the members of a CSV header",
    sniff: |head: &Head<'_>| {
        let first = head.lines().find(|line| !is_skipped(line));
        first.is_some_and(|line| trim(line).starts_with(b"{") && members(line).is_ok())
    },
    has_symbols: true,
    cutter: |layout: &Arc<Layout>, options: &InputOptions| {
        Box::new(ByLine::new(EveryLine, layout.line_end, options))
    },
    parse_cut,
    ..FormatRow::CUT
};

/// A value that may be a puzzle, a solution or an id.
#[derive(Deserialize)]
#[serde(untagged)]
enum Value<'a> {
    Text(#[serde(borrow)] Cow<'a, str>),
    Number(serde_json::Number),
    Null(()),
    Other(IgnoredAny),
}

/// The members of an object in their order.
struct Members<'a>(Vec<(Cow<'a, str>, Value<'a>)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Members<'de>, M::Error> {
                let mut all = Vec::new();
                while let Some(Name(name)) = map.next_key()? {
                    all.push((name, map.next_value()?));
                }
                Ok(Members(all))
            }
        }
        from.deserialize_map(Object)
    }
}

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

fn members(line: &[u8]) -> serde_json::Result<Members<'_>> {
    serde_json::from_slice(line)
}

impl<'a> Members<'a> {
    /// The member that the caller named, else the first with one of these names.
    fn find(&self, asked: Option<&ColumnRef>, names: &[&str]) -> Option<&Value<'a>> {
        let has = |name: &str, names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
        let at = match asked {
            Some(ColumnRef::Number(number)) => number.checked_sub(1),
            Some(ColumnRef::Name(wanted)) => self.0.iter().position(|(name, _)| has(name, &[wanted])),
            None => self.0.iter().position(|(name, _)| has(name, names)),
        };
        self.0.get(at?).map(|(_, value)| value)
    }
}

fn parse_cut(grids: &mut GridReader, chunk: &Chunk, record: &mut Record, records: &mut Records) {
    if let Err(reason) = read(grids, chunk, record, records) {
        record.body = Body::Invalid(Box::new(reason));
    }
}

fn read(
    grids: &mut GridReader,
    chunk: &Chunk,
    record: &mut Record,
    records: &mut Records,
) -> Result<(), crate::model::Reason> {
    let line = record.text.of(&chunk.bytes);
    let all = members(line).map_err(|error| format!("no JSON object: {error}"))?;
    let place = |text: &Cow<'_, str>| match text {
        // What has escapes in it does not stand in the input as it is.
        Cow::Borrowed(text) => span_in(&chunk.bytes, text.as_bytes()),
        Cow::Owned(_) => record.text,
    };
    match all.find(None, grids.options.id_names) {
        Some(Value::Text(id)) => record.id = place(id),
        Some(Value::Number(number)) => {
            let number = number.to_string();
            if let Some(at) = memchr::memmem::find(line, number.as_bytes()) {
                let start = record.text.start + at as u32;
                record.id = Span { start, end: start + number.len() as u32 };
            }
        }
        _ => {}
    }
    let puzzle = match all.find(grids.options.column.as_ref(), PUZZLE_NAMES) {
        Some(Value::Text(puzzle)) => puzzle,
        Some(_) => return Err("its puzzle is no text".to_owned().into()),
        None => {
            let names: Vec<&str> = all.0.iter().map(|(name, _)| &**name).collect();
            return Err(format!("no puzzle, name it with --column: {}", names.join(", ")).into());
        }
    };
    record.puzzle = place(puzzle);
    let text = trim(puzzle.as_bytes());
    let grid = grids.grid(text, Arrangement::Line(1), chunk.layout.symbols, records)?;
    (record.body, record.symbols) = (grid.body, grid.symbols);
    let given = match all.find(grids.options.solution_column.as_ref(), SOLUTION_NAMES) {
        Some(Value::Text(given)) => given.as_bytes(),
        Some(Value::Null(())) => b"",
        Some(_) => b"?",
        None => return Ok(()),
    };
    record.given = grids.given(trim(given), grid.side, record.symbols, records);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{bodies, read_all};

    const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

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
        assert!(told[1].starts_with("invalid: no JSON object: EOF"), "{}", told[1]);
        assert_eq!(
            told[3..5],
            ["invalid: its puzzle is no text", "invalid: no puzzle, name it with --column: x"]
        );
        assert_eq!((&*all.records[0].id, &*all.records[5].id), (&b"7"[..], &b"a"[..]));
        assert_eq!(all.records[0].puzzle, EASY.as_bytes());
        assert_eq!((&*all.records[0].given, &*all.records[5].given), ("empty", ""));
        assert!(all.records[2].given.starts_with("unreadable: 2"), "{}", all.records[2].given);
    }
}
