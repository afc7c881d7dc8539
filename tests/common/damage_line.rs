//! Grids in rows with one line removed, added or cut: the properties that must hold then, for tests and fuzzers.
//!
//! Such a change costs only the grids that the line belongs to, at most two records, and shifts no later
//! grid. Without a separator between grids, this needs grids with enough clues to reveal a shift.

use quadrille::ProblemRef;
use quadrille::input::{Format, InputOptions, Source};
use quadrille::internals::{Body, Chunk, ChunkTarget, Parser, Reader, Records};

/// Some grids written in rows.
pub(crate) struct Written {
    pub(crate) layout: &'static str,
    /// Format that reads the text.
    pub(crate) named: Format,
    /// True if the format is also detected.
    pub(crate) is_sniffed: bool,
    /// True if grids are separated by something that cannot occur inside a grid.
    pub(crate) is_marked: bool,
    /// First line that may be changed, 0-based; a count before it gives the number of grids.
    pub(crate) first: usize,
    pub(crate) text: String,
}

/// Returns the records of a text: the cells of a readable grid, an empty string for others.
pub(crate) fn read(text: &[u8], format: Option<Format>) -> Vec<String> {
    try_read(text, format).expect("it can be read")
}

/// Returns what [`read`] returns, for bytes that may also be refused.
///
/// # Errors
/// Returns an error for bytes that are refused as a whole, such as an archive.
pub(crate) fn try_read(text: &[u8], format: Option<Format>) -> quadrille::Result<Vec<String>> {
    let options = InputOptions { format, ..InputOptions::default() };
    let source = Source::Bytes { name: "test".into(), bytes: text.to_vec() };
    let mut reader = Reader::new(vec![source], options.clone());
    let (mut parser, mut chunk, mut records) = (Parser::new(&options), Chunk::default(), Records::default());
    let mut all = Vec::new();
    let target = ChunkTarget { bytes: 1 << 20, records: 1 << 20 };
    while reader.next_chunk(&mut chunk, target)? {
        parser.parse(&chunk, &mut records);
        all.extend(records.list.iter().map(|record| match (&record.body, records.problem(record)) {
            (_, Some(ProblemRef::Packed(packed))) => format!("{packed:?}"),
            (_, Some(ProblemRef::Puzzle(puzzle))) => format!("{:?}", puzzle.candidates()),
            (Body::Invalid(reason), _) => format!("invalid: {reason}"),
            _ => "?".to_owned(),
        }));
    }
    Ok(all)
}

impl Written {
    /// Returns the faults in the records of a text after a change of line `at`, or `None` if all is right.
    ///
    /// Without separators, grids of few clues (`has_many_clues` is false) do not reveal a shift. Then only
    /// the records before the change must be unchanged.
    pub(crate) fn broken(
        &self,
        before: &[String],
        after: &[String],
        at: usize,
        has_many_clues: bool,
    ) -> Option<String> {
        let lines = self.text.lines().count() - self.first;
        // The grid that the line is in, or follows.
        let grid = (at - self.first) / lines.div_ceil(before.len());
        let alike = before.iter().zip(after).take_while(|(one, other)| one == other).count();
        if alike + 1 < grid {
            return Some(format!("record {alike} is another, in front of grid {grid}"));
        }
        let least = before.len().min(after.len()) - alike;
        let behind =
            before.iter().rev().zip(after.iter().rev()).take(least).take_while(|(one, other)| one == other);
        let behind = behind.count();
        let changed = before.len().max(after.len()) - alike - behind;
        if !self.is_marked && !has_many_clues {
            return None;
        }
        if changed > 2 {
            return Some(format!("{changed} of {} records changed", after.len()));
        }
        let is_moved = alike < before.len() && behind + grid + 2 < before.len();
        is_moved.then(|| format!("only {behind} records are as before, behind grid {grid}"))
    }
}

/// Returns the rows of each puzzle of a text with one puzzle per line; blanks are dots.
pub(crate) fn puzzles(text: &str) -> impl Iterator<Item = Vec<String>> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.starts_with('q'));
    lines.map(|line| {
        let cells = line.split([' ', ',']).next().expect("a puzzle").replace('0', ".");
        let side = cells.len().isqrt();
        cells.as_bytes().chunks(side).map(|row| String::from_utf8_lossy(row).into_owned()).collect()
    })
}

/// Returns the grids written in every layout.
pub(crate) fn layouts(puzzles: &[Vec<String>]) -> Vec<Written> {
    let side = puzzles[0].len();
    let box_rows = (2..=side.isqrt()).rev().find(|rows| side.is_multiple_of(*rows)).expect("it has boxes");
    let box_columns = side / box_rows;
    let bar = "+".to_owned() + &("-".repeat(box_columns) + "+").repeat(box_rows);
    let framed_row = |row: &String| {
        let parts: Vec<&str> = (0..side).step_by(box_columns).map(|at| &row[at..at + box_columns]).collect();
        format!("|{}|", parts.join("|"))
    };
    let framed = |rows: &Vec<String>| {
        let bands =
            rows.chunks(box_rows).map(|band| band.iter().map(framed_row).collect::<Vec<_>>().join("\n"));
        format!("{bar}\n{}\n{bar}", bands.collect::<Vec<_>>().join(&format!("\n{bar}\n")))
    };
    let banded = |rows: &Vec<String>| {
        rows.chunks(box_rows).map(|band| band.join("\n")).collect::<Vec<_>>().join("\n\n")
    };
    let all = |one: &dyn Fn(&Vec<String>) -> String, between: &str| {
        puzzles.iter().map(one).collect::<Vec<_>>().join(between) + "\n"
    };
    let rows = |rows: &Vec<String>| rows.join("\n");
    let named = |rows: &Vec<String>| format!("Grid 07\n{}", rows.join("\n"));
    let sections =
        |rows: &Vec<String>| format!("[Puzzle]\n{}\n[State]\n{}", rows.join("\n"), rows.join("\n"));
    let first = |text: String| format!("{}\n{text}", puzzles.len());
    let on_line = |rows: &Vec<String>| rows.concat();
    let integer = |cell: char| {
        if cell == '.' { "0".to_owned() } else { cell.to_digit(36).expect("a digit").to_string() }
    };
    let integers = |cells: &str| cells.chars().map(integer).collect::<Vec<_>>().join(" ");
    let rows_of_integers =
        |rows: &Vec<String>| rows.iter().map(|row| integers(row)).collect::<Vec<_>>().join("\n");
    let integers_on_line = |rows: &Vec<String>| integers(&rows.concat());
    // Name, format, true if detected, true if separated, first line that may be changed, text.
    let all = [
        ("bare rows, an empty line between grids", Format::Grid, true, true, 0, all(&rows, "\n\n")),
        ("bare rows", Format::Grid, true, false, 0, all(&rows, "\n")),
        ("bare rows, named", Format::Grid, false, false, 0, all(&rows, "\n")),
        ("framed", Format::Grid, true, true, 0, all(&framed, "\n")),
        ("framed, an empty line between grids", Format::Grid, true, true, 0, all(&framed, "\n\n")),
        ("bands", Format::Grid, true, false, 0, all(&banded, "\n\n")),
        ("bands, two empty lines between grids", Format::Grid, true, false, 0, all(&banded, "\n\n\n")),
        ("contest", Format::Contest, true, false, 1, first(all(&rows, "\n"))),
        ("contest, an empty line between grids", Format::Contest, true, true, 1, first(all(&rows, "\n\n"))),
        ("euler", Format::Euler, true, true, 0, all(&named, "\n")),
        ("sdk", Format::Sdk, false, true, 0, all(&sections, "\n")),
        ("a grid a line", Format::Grid, false, true, 0, all(&on_line, "\n")),
        ("integers", Format::Integers, true, false, 0, all(&rows_of_integers, "\n")),
        (
            "integers, an empty line between grids",
            Format::Integers,
            true,
            true,
            0,
            all(&rows_of_integers, "\n\n"),
        ),
        ("integers, a grid a line", Format::Integers, false, true, 0, all(&integers_on_line, "\n")),
    ];
    // A 4x4 or 6x6 on one line may be read as a row.
    all.into_iter()
        .filter(|(layout, ..)| side > 6 || *layout != "a grid a line")
        .map(|(layout, named, is_sniffed, is_marked, first, text)| Written {
            layout,
            named,
            is_sniffed,
            is_marked,
            first,
            text,
        })
        .collect()
}

/// Returns the changes to try on a line: a name, and the lines that replace it.
pub(crate) fn edits(line: Option<&str>) -> Vec<(String, Vec<String>)> {
    let strays = ["12345678", "123456789", "", "hello world", "x", "+---+---+---+", "4711", "0000"];
    let inserted = |stray: &&str| {
        (format!("insert {stray:?}"), [Some(*stray), line].into_iter().flatten().map(str::to_owned).collect())
    };
    let mut edits: Vec<_> = strays.iter().map(inserted).collect();
    if let Some(line) = line {
        edits.push(("twice".into(), vec![line.to_owned(); 2]));
        edits.push(("delete".into(), Vec::new()));
        let lens = [0, 1, line.len() / 2, line.len().saturating_sub(1)]
            .into_iter()
            .filter(|len| (0..line.len()).contains(len));
        edits.extend(lens.map(|len| (format!("cut to {len}"), vec![line[..len].to_owned()])));
    }
    edits
}

/// Returns the text with `with` in place of line `at`, or after the last line if `at` is the number of lines.
pub(crate) fn edited(lines: &[&str], at: usize, with: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let line = |line: &[u8]| [line, b"\n"].concat();
    let front = lines[..at].iter().map(|text| line(text.as_bytes()));
    let behind = lines.iter().skip(at + 1).map(|text| line(text.as_bytes()));
    front.chain(with.iter().map(|text| line(text.as_ref()))).chain(behind).flatten().collect()
}
