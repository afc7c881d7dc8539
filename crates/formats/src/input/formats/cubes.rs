//! Cubes of one problem, one per line. The options hold the problem itself.

use super::super::cutter::{ByLine, Line, LineMachine, RecordSink};
use super::super::grids::GridReader;
use super::super::lines::{is_skipped, span_in};
use super::super::{Body, Chunk, LineKind, Record};
use super::{Container, FormatSpec};
use quadrille_model::{CubeName, Problem, Reason};

pub(super) const SPEC: FormatSpec = FormatSpec {
    name: "cubes",
    container: Container::Parts,
    has_ids: true,
    about: "parts of one problem, as split-problem writes them for --cubes",
    looks: |head| {
        let is_cube = |line: &[u8]| line.split(|&byte| byte == b'\t').next().and_then(name_of).is_some();
        head.contents().next().is_some_and(is_cube)
    },
    cutter: |layout, options| ByLine::cutter(EveryLine, layout, options),
    parse_cut,
    ..FormatSpec::CUT
};

/// Makes a record of every line except comments and empty lines.
pub(super) struct EveryLine;

impl LineMachine for EveryLine {
    fn line(&mut self, line: Line<'_>, out: &mut RecordSink<'_>) {
        if is_skipped(line.text, None) {
            out.pass(LineKind::Comment);
        } else {
            out.record(line.place(0), line.start + line.text.len() as u64, None);
        }
        out.done(line.after());
    }
}

fn name_of(text: &[u8]) -> Option<CubeName> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn parse_cut(grids: &mut GridReader, chunk: &Chunk, record: &mut Record) -> Result<(), Reason> {
    let whole = grids.options.cubes.as_ref();
    let whole =
        whole.ok_or("a cube without its problem: name the problem as input, and this file with --cubes")?;
    let text = record.text.slice(&chunk.bytes);
    let text = std::str::from_utf8(text).map_err(|_| "not UTF-8 text")?;
    let (name, decisions) =
        text.split_once('\t').ok_or("not a cube: expected a name, a tab and decisions")?;
    whole.check(&name.parse()?)?;
    record.id = span_in(&chunk.bytes, name.as_bytes());
    // A number that is cut off may still look valid: `+53` could become `+5`. So the last line of a chunk
    // must end with a line end.
    if record.text.end as usize == chunk.bytes.len() {
        return Err("the line has no line end: it may be cut off".into());
    }
    // The decisions of a cube may be followed by a tab and rules.
    let without_rules = decisions.split('\t').next().unwrap_or(decisions);
    record.puzzle = span_in(&chunk.bytes, without_rules.as_bytes());
    record.symbols = whole.symbols();
    let part = whole.part(&whole.read(decisions)?).map_err(|error| error.to_string())?;
    record.body = match part {
        Problem::Packed(packed) => grids.records.add_packed(packed),
        Problem::Puzzle(puzzle) => {
            let (index, place) = grids.records.new_puzzle(puzzle.geometry());
            *place = puzzle;
            Body::Puzzle(index)
        }
        Problem::Cover(cover) => grids.records.add_cover(cover),
    };
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::super::super::testing::{bodies, read_all};
    use super::super::super::{ChunkTarget, Format, InputOptions, Parser, Reader, Records, Source};
    use super::*;
    use quadrille_model::{
        CutProblem, Decisions, DigitSet, EndedBy, Geometry, ProblemRef, Purpose, Puzzle, Symbols,
    };

    fn whole() -> Arc<CutProblem> {
        let four = Puzzle::new(&Geometry::of_side(4).unwrap());
        Arc::new(CutProblem::new(ProblemRef::Puzzle(&four), Symbols::DEFAULT, Purpose::Count).unwrap())
    }

    fn options() -> InputOptions {
        InputOptions { format: Some(Format::Cubes), cubes: Some(whole()), ..Default::default() }
    }

    #[test]
    fn a_cube_is_a_part_of_its_problem() {
        let whole = whole();
        let cubes =
            [0b0011, 0b1100].map(|set| Decisions { cells: vec![(5, DigitSet(set))], ..Decisions::default() });
        let mut text = b"# two cubes\n".to_vec();
        for (name, cube) in whole.names(&cubes).zip(&cubes) {
            text.extend_from_slice(format!("{name}\t").as_bytes());
            whole.write(cube, &mut text);
            text.push(b'\n');
        }
        let read = read_all(&text, options());
        assert_eq!(bodies(&read), ["00000{12}0000000000", "00000{34}0000000000"]);
        let id = &read.records[1].id;
        assert!(id.starts_with(b"count:") && id.ends_with(b" 2/2"), "{id:?}");
    }

    #[test]
    fn reading_cubes_can_be_cancelled() {
        let cubes = vec![Decisions::default(); 3];
        let text: String = whole().names(&cubes).map(|name| format!("{name}\t.\n")).collect();
        let source = Source::Bytes { name: "x".into(), bytes: text.into_bytes() };
        let mut reader = Reader::new(vec![source], options());
        let (mut chunk, mut records) = (Chunk::default(), Records::default());
        assert!(reader.next_chunk(&mut chunk, ChunkTarget { bytes: 1000, records: 3 }).unwrap());
        let asked = Cell::new(0);
        let stop = || {
            asked.set(asked.get() + 1);
            (asked.get() > 1).then_some(EndedBy::Deadline)
        };
        Parser::new(&options()).parse_until(&chunk, &mut records, &stop);
        let is_read = |record| records.problem(record).is_some();
        assert_eq!(records.list.iter().map(is_read).collect::<Vec<_>>(), [true, false, false]);
    }

    #[test]
    fn cubes_of_other_problems_are_refused() {
        let name = whole().names(&[Decisions::default()]).next().unwrap().to_string();
        let foreign = name.replace(|c: char| c.is_ascii_digit() && c != '1', "5");
        for (line, reason) in [
            (format!("{name}\t."), "the line has no line end: it may be cut off"),
            ("1234\n".to_owned(), "not a cube: expected a name, a tab and decisions"),
            (
                "x\t.\n".to_owned(),
                "invalid name of a cube: expected a name such as count:0123456789abcdef-0123456789abcdef 3/100",
            ),
            (format!("{name}\tr9c9=1\n"), "'r9c9=1' is not a decision on this problem"),
            (format!("{foreign}\t.\n"), "a cube of another problem"),
            (format!("{}\t.\n", name.replace("count", "max")), "a cube that was cut for max, not for count"),
        ] {
            assert_eq!(
                bodies(&read_all(line.as_bytes(), options())),
                [format!("invalid: {reason}")],
                "{line}"
            );
        }
        let alone = InputOptions { cubes: None, ..options() };
        let read = bodies(&read_all(format!("{name}\t.\n").as_bytes(), alone));
        assert_eq!(
            read,
            ["invalid: a cube without its problem: name the problem as input, and this file with --cubes"]
        );
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(junk in any::<Vec<u8>>()) {
            read_all(&junk, options());
        }
    }
}
