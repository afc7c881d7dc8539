//! Files in the forms that people use, written by a generator that knows what is in them.
//!
//! A file is a container (lines, CSV, JSON, source code, grids in rows, ...), a look of its values, and text around them.
//! Whatever the form: no grid is read that is not in the file, none is lost without a word, and finished grids are not
//! taken for puzzles.
//!
//! `QUADRILLE_FORMS` is the number of files, `QUADRILLE_FORMS_SEED` another seed. With `QUADRILLE_FORMS_OUT` the files
//! that are not read right are written to that folder.

use std::collections::BTreeMap;
use std::path::Path;

use quadrille::input::{InputOptions, Source};
use quadrille::internals::{Body, Chunk, ChunkTarget, GivenSolution, Parser, Reader, Records};
use quadrille::{FromText, Geometry, GridQuestions, ProblemRef, Puzzle};

/// A grid in a file: a 1-based digit per cell, 0 for empty.
type Cells = Vec<u8>;

/// A puzzle of a file and, if the file has it, its solution.
#[derive(Clone)]
struct Pair {
    puzzle: Cells,
    solution: Cells,
}

/// Pseudorandom numbers (SplitMix64), the same for a seed on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(mixed ^ (mixed >> 31)) * bound as u128) >> 64) as usize
    }

    fn choose<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }

    /// Returns true in `share` of ten calls.
    fn tenths(&mut self, share: usize) -> bool {
        self.below(10) < share
    }
}

/// A generated file.
struct Generated {
    /// The choices that made it.
    form: String,
    text: String,
    pairs: Vec<Pair>,
    /// True if the solutions are in the file.
    has_solutions: bool,
}

/// Returns the puzzles of a file of data/ with their solutions.
fn pool(file: &str) -> Vec<Pair> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(file);
    let text = std::fs::read_to_string(path).expect("data/ is there");
    let mut pairs = Vec::new();
    for line in text.lines().take(60) {
        let puzzle = line.split(',').find(|field| field.len() >= 16).unwrap_or("");
        let Ok(puzzle) = Puzzle::from_text(puzzle) else { continue };
        let Some(solution) = puzzle.solve() else { continue };
        let puzzle = puzzle.candidates().iter().map(|set| one_based(set.single())).collect();
        let solution = solution.digits().iter().map(|&digit| digit + 1).collect();
        pairs.push(Pair { puzzle, solution });
    }
    assert!(pairs.len() > 5, "{file}");
    pairs
}

/// Writes a digit as the token of a cell.
fn token(digit: u8, empty: &str) -> String {
    match digit {
        0 => empty.to_owned(),
        1..=9 => digit.to_string(),
        _ => char::from(b'A' + digit - 10).to_string(),
    }
}

/// Returns the 1-based digit of a cell, or 0.
fn one_based(digit: Option<usize>) -> u8 {
    digit.map_or(0, |digit| digit as u8 + 1)
}

fn side_of(cells: &[u8]) -> usize {
    cells.len().isqrt()
}

/// Returns the rows of a grid with text between the cells.
fn rows(cells: &[u8], empty: &str, between: &str) -> Vec<String> {
    let row = |row: &[u8]| row.iter().map(|&digit| token(digit, empty)).collect::<Vec<_>>().join(between);
    cells.chunks(side_of(cells)).map(row).collect()
}

/// The look of a grid that is one value: of a line, a field or a string.
#[derive(Clone, Copy)]
struct ValueLook {
    empty: &'static str,
    between_cells: &'static str,
    between_rows: &'static str,
    is_list: bool,
}

impl ValueLook {
    fn new(random: &mut Random, side: usize, forbidden: &str) -> Self {
        let empty = random.choose(&[".", ".", "0", "0", "*", "_", "-"]);
        let plain = ValueLook { empty, between_cells: "", between_rows: "", is_list: false };
        let other = match random.below(10) {
            0 => ValueLook { between_rows: random.choose(&["/", ";", "|", ",", " "]), ..plain },
            1 => ValueLook { between_cells: " ", between_rows: " ", ..plain },
            2 => ValueLook { between_cells: ",", between_rows: ",", ..plain },
            // Numbers above 9 would be letters here.
            3 if side < 10 => {
                ValueLook { empty: "0", between_cells: ", ", between_rows: "], [", is_list: true }
            }
            _ => plain,
        };
        let has = |text: &str| text.chars().any(|letter| forbidden.contains(letter));
        if has(other.between_cells) || has(other.between_rows) { plain } else { other }
    }

    fn write(self, cells: &[u8]) -> String {
        let text = rows(cells, self.empty, self.between_cells).join(self.between_rows);
        if self.is_list { format!("[[{text}]]") } else { text }
    }

    fn name(self) -> String {
        format!("{:?}{:?}{:?}", self.empty, self.between_cells, self.between_rows)
    }
}

const PUZZLE_NAMES: &[&str] =
    &["puzzle", "quizzes", "board", "question", "input", "sudoku", "Puzzle", "grid"];
const SOLUTION_NAMES: &[&str] = &[
    "solution",
    "solutions",
    "answer",
    "target",
    "label",
    "ideal",
    "completion",
    "output",
    "expected",
    "response",
    "solved",
];

/// Returns names and values of the fields of a record, in a random order that all records share.
struct Fields {
    names: Vec<&'static str>,
    order: Vec<usize>,
    look: ValueLook,
    solution_look: ValueLook,
    has_solutions: bool,
}

impl Fields {
    fn new(random: &mut Random, side: usize, forbidden: &str) -> Self {
        let has_solutions = random.tenths(5);
        let look = ValueLook::new(random, side, forbidden);
        let solution_look = if random.tenths(7) { look } else { ValueLook::new(random, side, forbidden) };
        let names = vec![
            random.choose(PUZZLE_NAMES),
            random.choose(SOLUTION_NAMES),
            random.choose(&["id", "key", "number", "name"]),
            random.choose(&["rating", "difficulty", "level", "clues"]),
        ];
        let mut order = vec![0];
        if has_solutions {
            order.push(1);
        }
        order.extend((2..4).filter(|_| random.tenths(4)));
        for at in (1..order.len()).rev() {
            order.swap(at, random.below(at + 1));
        }
        Fields { names, order, look, solution_look, has_solutions }
    }

    fn values(&self, number: usize, pair: &Pair) -> Vec<String> {
        let value = |&field: &usize| match field {
            0 => self.look.write(&pair.puzzle),
            1 => self.solution_look.write(&pair.solution),
            2 => format!("p{:04}", number + 17),
            _ => format!("{}.{}", 1 + number % 9, number % 7),
        };
        self.order.iter().map(value).collect()
    }

    fn names(&self) -> Vec<&'static str> {
        self.order.iter().map(|&field| self.names[field]).collect()
    }

    fn name(&self) -> String {
        format!("{} {}/{}", self.names().join(","), self.look.name(), self.solution_look.name())
    }
}

/// Creates a text and whether it has the solutions.
type Container = fn(&mut Random, &[Pair]) -> (String, String, bool);

const CONTAINERS: &[(&str, Container)] = &[
    ("lines", lines),
    ("lines", lines),
    ("csv", csv),
    ("csv", csv),
    ("json lines", json_lines),
    ("json lines", json_lines),
    ("json array", json_array),
    ("json columns", json_columns),
    ("source code", source_code),
    ("sql", sql),
    ("rows", grids_in_rows),
    ("rows", grids_in_rows),
    ("rows", grids_in_rows),
    ("frames", frames),
    ("drawing", drawing),
    ("markdown", markdown),
    ("list rows", list_rows),
    ("xml", open_sudoku),
    ("sentences", sentences),
    ("beside", beside),
];

fn lines(random: &mut Random, pairs: &[Pair]) -> (String, String, bool) {
    let look = ValueLook::new(random, side_of(&pairs[0].puzzle), "");
    let before = random.choose(&["", "", "", "id ", "12: ", "#7 "]);
    let after =
        random.choose(&["", "", " # easy", "\t2.5", " solution", ",solution", "\tsolution", ":solution"]);
    let has_solutions = after.ends_with("solution");
    let line = |(number, pair): (usize, &Pair)| {
        let before = before.replace("id", &format!("p{number:03}")).replace("12", &(number + 1).to_string());
        let solution = ValueLook { empty: ".", between_cells: "", between_rows: "", is_list: false }
            .write(&pair.solution);
        format!("{before}{}{}\n", look.write(&pair.puzzle), after.replace("solution", &solution))
    };
    (
        format!("{before:?} {after:?} {}", look.name()),
        pairs.iter().enumerate().map(line).collect(),
        has_solutions,
    )
}

fn csv(random: &mut Random, pairs: &[Pair]) -> (String, String, bool) {
    let delimiter = random.choose(&[",", ",", ";", "\t", "|"]);
    let is_quoted = random.tenths(3);
    let fields = Fields::new(random, side_of(&pairs[0].puzzle), if is_quoted { "" } else { ",;\t| " });
    let has_header = random.tenths(8);
    let row = |values: Vec<String>| {
        let quoted = |value: String| match is_quoted || value.contains(delimiter) {
            true => format!("\"{value}\""),
            false => value,
        };
        values.into_iter().map(quoted).collect::<Vec<_>>().join(delimiter) + "\n"
    };
    let mut text = String::new();
    if has_header {
        text += &row(fields.names().into_iter().map(str::to_owned).collect());
    }
    text.extend(pairs.iter().enumerate().map(|(number, pair)| row(fields.values(number, pair))));
    (format!("{delimiter:?} header {has_header} {}", fields.name()), text, fields.has_solutions)
}

/// Writes a grid as a value of JSON: a string, a list of cells, of rows, or of rows of cells.
fn json_value(way: usize, look: ValueLook, cells: &[u8]) -> String {
    let numbers = |between: &str| {
        let row = |row: &[u8]| row.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
        cells.chunks(side_of(cells)).map(row).collect::<Vec<_>>().join(between)
    };
    match way {
        0 => format!("[{}]", numbers(", ")),
        1 => format!("[[{}]]", numbers("], [")),
        2 => format!("[\"{}\"]", rows(cells, ".", "").join("\", \"")),
        _ => format!("\"{}\"", look.write(cells)),
    }
}

/// Returns the objects of the records as text.
fn objects(random: &mut Random, pairs: &[Pair]) -> (String, Vec<String>, bool) {
    let fields = Fields::new(random, side_of(&pairs[0].puzzle), "");
    let (way, is_nested) = (random.below(8), random.tenths(1));
    let object = |(number, pair): (usize, &Pair)| {
        let texts = fields.values(number, pair);
        let members = fields.order.iter().zip(&texts).map(|(&field, text)| {
            let value = match field {
                0 => json_value(way, fields.look, &pair.puzzle),
                1 => json_value(way, fields.solution_look, &pair.solution),
                _ => format!("\"{text}\""),
            };
            format!("\"{}\": {value}", fields.names[field])
        });
        let members = members.collect::<Vec<_>>().join(", ");
        if is_nested {
            format!("{{\"source\": \"x\", \"metadata\": {{{members}}}}}")
        } else {
            format!("{{{members}}}")
        }
    };
    let all = pairs.iter().enumerate().map(object).collect();
    (format!("way {way} nested {is_nested} {}", fields.name()), all, fields.has_solutions)
}

fn json_lines(random: &mut Random, pairs: &[Pair]) -> (String, String, bool) {
    let (form, objects, has_solutions) = objects(random, pairs);
    (form, objects.join("\n") + "\n", has_solutions)
}

fn json_array(random: &mut Random, pairs: &[Pair]) -> (String, String, bool) {
    if random.tenths(4) {
        let (look, way) = (ValueLook::new(random, side_of(&pairs[0].puzzle), ""), random.below(6));
        let all: Vec<String> = pairs.iter().map(|pair| json_value(way, look, &pair.puzzle)).collect();
        return (format!("way {way} {}", look.name()), format!("[{}]\n", all.join(",\n ")), false);
    }
    let (form, objects, has_solutions) = objects(random, pairs);
    (form, format!("[{}]\n", objects.join(random.choose(&[",", ", ", ",\n"]))), has_solutions)
}

fn json_columns(random: &mut Random, pairs: &[Pair]) -> (String, String, bool) {
    let fields = Fields::new(random, side_of(&pairs[0].puzzle), "");
    let all: Vec<Vec<String>> =
        pairs.iter().enumerate().map(|(number, pair)| fields.values(number, pair)).collect();
    let is_list = random.tenths(5);
    let column = |(at, name): (usize, &str)| {
        let value = |(row, values): (usize, &Vec<String>)| match is_list {
            true => format!("\"{}\"", values[at]),
            false => format!("\"{row}\": \"{}\"", values[at]),
        };
        let values = all.iter().enumerate().map(value).collect::<Vec<_>>().join(", ");
        if is_list { format!("\"{name}\": [{values}]") } else { format!("\"{name}\": {{{values}}}") }
    };
    let columns = fields.names().into_iter().enumerate().map(column).collect::<Vec<_>>().join(", ");
    (format!("list {is_list} {}", fields.name()), format!("{{{columns}}}\n"), fields.has_solutions)
}

fn source_code(random: &mut Random, pairs: &[Pair]) -> (String, String, bool) {
    let way = random.below(4);
    let (look, language) = (ValueLook::new(random, side_of(&pairs[0].puzzle), ""), random.below(3));
    let all: Vec<String> = pairs.iter().map(|pair| json_value(way, look, &pair.puzzle)).collect();
    let all = all.join(",\n    ");
    let text = match language {
        0 => format!("puzzles = [\n    {all},\n]\n"),
        1 => format!("const puzzles = [\n    {all}\n];\n"),
        _ => format!("puzzles = (\n    {all}\n)\n"),
    };
    (format!("language {language} way {way} {}", look.name()), text, false)
}

fn sql(random: &mut Random, pairs: &[Pair]) -> (String, String, bool) {
    let has_solutions = random.tenths(5);
    let look = ValueLook::new(random, side_of(&pairs[0].puzzle), "");
    let row = |(number, pair): (usize, &Pair)| {
        let solution = if has_solutions {
            format!(", '{}'", rows(&pair.solution, ".", "").concat())
        } else {
            String::new()
        };
        format!("({}, '{}'{solution})", number + 1, look.write(&pair.puzzle))
    };
    let all: Vec<String> = pairs.iter().enumerate().map(row).collect();
    let text = match random.tenths(5) {
        true => format!("INSERT INTO puzzles VALUES {};\n", all.join(",\n")),
        false => all.iter().map(|row| format!("INSERT INTO puzzles VALUES {row};\n")).collect(),
    };
    (look.name(), text, has_solutions)
}

/// Puts grids after each other, with what people write before and between them.
fn stacked(random: &mut Random, pairs: &[Pair], grid: &dyn Fn(&[u8]) -> String) -> (String, String, bool) {
    let between = random.choose(&["\n", "\n", "\n", "\n\n", "", "---\n"]);
    let heading =
        random.choose(&["", "", "", "Grid 01\n", "#7\n", "Puzzle 7 (easy)\n", "7\n", "7.\n", "Sudoku 7:\n"]);
    let solutions = random.choose(&["", "", "", "Solution:\n", "\n", "Solution 7\n"]);
    let has_solutions = !solutions.is_empty();
    let mut text = String::new();
    for (number, pair) in pairs.iter().enumerate() {
        let number = (number + 1).to_string();
        text += &heading.replace("01", &format!("{number:0>2}")).replace('7', &number);
        text += &grid(&pair.puzzle);
        if has_solutions {
            text += &format!("{}{}", solutions.replace('7', &number), grid(&pair.solution));
        }
        text += between;
    }
    (format!("{between:?} {heading:?} {solutions:?}"), text, has_solutions)
}

fn grids_in_rows(random: &mut Random, pairs: &[Pair]) -> (String, String, bool) {
    let empty = random.choose(&[".", ".", "0", "0", "*", "_", "-", "-1", "·"]);
    let between = if empty == "-1" { " " } else { random.choose(&["", "", " ", ",", ", ", "\t", "|"]) };
    let labels = random.below(8);
    let has_heading = random.tenths(1);
    let grid = |cells: &[u8]| {
        let mut text = String::new();
        if has_heading {
            let numbers: Vec<String> = (1..=side_of(cells)).map(|number| number.to_string()).collect();
            text += &format!("  {}\n", numbers.join(if between.is_empty() { "" } else { between }));
        }
        for (at, row) in rows(cells, empty, between).into_iter().enumerate() {
            let label = match labels {
                0 => format!("{} | ", at + 1),
                1 => format!("{} ", char::from(b'A' + at as u8)),
                2 => format!("R{}: ", at + 1),
                _ => String::new(),
            };
            text += &format!("{label}{row}\n");
        }
        text
    };
    let (form, text, has_solutions) = stacked(random, pairs, &grid);
    (format!("{empty:?} {between:?} labels {labels} heading {has_heading} {form}"), text, has_solutions)
}

/// Returns a grid in a frame, with bars between boxes.
fn framed(cells: &[u8], empty: &str, between: &str, [bar, line, corner]: [&str; 3]) -> String {
    let side = side_of(cells);
    let (box_rows, box_columns) = match side {
        4 => (2, 2),
        6 => (2, 3),
        9 => (3, 3),
        _ => (4, 4),
    };
    let width = box_columns + (box_columns - 1) * between.len() + 2 * between.len();
    let rule = format!("{corner}{}{corner}\n", vec![line.repeat(width); side / box_columns].join(corner));
    let mut text = rule.clone();
    for (at, row) in cells.chunks(side).enumerate() {
        let part =
            |part: &[u8]| part.iter().map(|&digit| token(digit, empty)).collect::<Vec<_>>().join(between);
        let parts: Vec<String> = row.chunks(box_columns).map(part).collect();
        let bars = format!("{between}{bar}{between}");
        text += &format!("{bar}{between}{}{between}{bar}\n", parts.join(&bars));
        if (at + 1) % box_rows == 0 {
            text += &rule;
        }
    }
    text
}

const FRAMES: [[&str; 3]; 3] = [["|", "-", "+"], ["│", "─", "┼"], ["║", "═", "╬"]];

fn frames(random: &mut Random, pairs: &[Pair]) -> (String, String, bool) {
    let (empty, between) = (random.choose(&[".", "0", "_", "*"]), random.choose(&["", " "]));
    let frame = FRAMES[random.below(3)];
    let (form, text, has) = stacked(random, pairs, &|cells: &[u8]| framed(cells, empty, between, frame));
    (format!("{empty:?} {between:?} {} {form}", frame[0]), text, has)
}

fn drawing(random: &mut Random, pairs: &[Pair]) -> (String, String, bool) {
    let (between, frame) = (random.choose(&["", " "]), FRAMES[random.below(3)]);
    let (form, text, has) = stacked(random, pairs, &|cells: &[u8]| framed(cells, " ", between, frame));
    (format!("{between:?} {} {form}", frame[0]), text, has)
}

fn markdown(random: &mut Random, pairs: &[Pair]) -> (String, String, bool) {
    let empty = random.choose(&[" ", ".", "0"]);
    let grid = |cells: &[u8]| {
        let row = |row: String| format!("| {row} |\n");
        rows(cells, empty, " | ").into_iter().map(row).collect()
    };
    let (form, text, has_solutions) = stacked(random, pairs, &grid);
    (format!("{empty:?} {form}"), text, has_solutions)
}

fn list_rows(random: &mut Random, pairs: &[Pair]) -> (String, String, bool) {
    let is_array = random.tenths(5);
    let grid = |cells: &[u8]| match is_array {
        true => format!("[[{}]]\n", rows(cells, "0", " ").join("]\n [")),
        false => format!("[[{}]]\n", rows(cells, "0", ", ").join("],\n [")),
    };
    let is_large = pairs.iter().any(|pair| side_of(&pair.puzzle) > 9);
    let grid = |cells: &[u8]| if is_large { json_value(1, PLAIN, cells) + "\n" } else { grid(cells) };
    let (form, text, has_solutions) = stacked(random, pairs, &grid);
    (format!("array {is_array} {form}"), text, has_solutions)
}

const PLAIN: ValueLook = ValueLook { empty: ".", between_cells: "", between_rows: "", is_list: false };

fn open_sudoku(random: &mut Random, pairs: &[Pair]) -> (String, String, bool) {
    let quote = random.choose(&["\"", "'"]);
    let game =
        |pair: &Pair| format!("  <game data={quote}{}{quote} />\n", rows(&pair.puzzle, "0", "").concat());
    let games: String = pairs.iter().map(game).collect();
    (quote.to_owned(), format!("<?xml version=\"1.0\"?>\n<opensudoku>\n{games}</opensudoku>\n"), false)
}

fn sentences(random: &mut Random, pairs: &[Pair]) -> (String, String, bool) {
    let way = random.choose(&[
        "Please solve P for me",
        "Solve `P`.",
        "The puzzle is P.",
        "https://www.sudokuwiki.org/sudoku.htm?bd=P",
        "https://example.com/play/P",
        "Q: P A:",
    ]);
    let empty = random.choose(&[".", "0"]);
    let line = |pair: &Pair| way.replace('P', &rows(&pair.puzzle, empty, "").concat()) + "\n";
    (format!("{way:?} {empty:?}"), pairs.iter().map(line).collect(), false)
}

fn beside(random: &mut Random, pairs: &[Pair]) -> (String, String, bool) {
    let (gap, empty) = (random.choose(&["   ", "\t", " | "]), random.choose(&[".", "0"]));
    let mut text = String::new();
    for two in pairs.chunks(2) {
        let grids: Vec<Vec<String>> = two.iter().map(|pair| rows(&pair.puzzle, empty, "")).collect();
        for at in 0..grids[0].len() {
            text += &(grids.iter().map(|rows| rows[at].clone()).collect::<Vec<_>>().join(gap) + "\n");
        }
        text += "\n";
    }
    (format!("{gap:?} {empty:?}"), text, false)
}

/// Generates a file.
fn generate(random: &mut Random, pools: &[Vec<Pair>]) -> Generated {
    let pool = &pools[[0, 0, 0, 0, 1, 2, 3][random.below(7)]];
    let from = random.below(pool.len() - 5);
    let pairs = pool[from..][..1 + random.below(5)].to_vec();
    let (container, write) = CONTAINERS[random.below(CONTAINERS.len())];
    let (form, mut text, has_solutions) = write(random, &pairs);
    if container != "csv" && !container.starts_with("json") && random.tenths(2) {
        text =
            random.choose(&["# puzzles of 2026\n", "Some puzzles\n\n", "\n\n", "== Sudoku ==\n"]).to_owned()
                + &text;
    }
    if random.tenths(1) {
        text = text.replace('\n', "\r\n");
    }
    if random.tenths(1) {
        text.insert(0, '\u{feff}');
    }
    Generated { form: format!("{container}: {form}"), text, pairs, has_solutions }
}

/// Changes a file in one place: a character or a line is lost, a line is inserted, or the end is cut off.
fn damage(random: &mut Random, text: &str) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let at = random.below(lines.len());
    match random.below(4) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, random.choose(&["???\n", "an odd line\n", "<<<<<<< HEAD\n", "\n"]).to_owned()),
        2 => {
            let mut letters: Vec<char> = lines[at].chars().collect();
            letters.remove(random.below(letters.len()));
            lines[at] = letters.into_iter().collect();
        }
        _ => {
            lines.truncate(at + 1);
            let letters = lines[at].chars().count();
            lines[at] = lines[at].chars().take(random.below(letters)).collect();
        }
    }
    lines.concat()
}

/// Grids that a reading gave, and the errors of the reader.
#[derive(Default)]
struct Told {
    /// The grids that were read, each with its given solution.
    grids: Vec<(Cells, Option<Cells>)>,
    /// True if a record is invalid, the source was refused, or there was a warning.
    has_word: bool,
    was_refused: bool,
    words: Vec<String>,
}

fn read(text: &str) -> Told {
    let options = InputOptions::default();
    let source = Source::Bytes { name: "test".into(), bytes: text.as_bytes().to_vec() };
    let mut reader = Reader::new(vec![source], options.clone());
    let (mut parser, mut chunk, mut records) = (Parser::new(&options), Chunk::default(), Records::default());
    let (mut told, nine) = (Told::default(), Geometry::of_side(9).expect("9x9 grids exist"));
    loop {
        match reader.next_chunk(&mut chunk, ChunkTarget { bytes: 1 << 20, records: 1 << 20 }) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                told.words.push(error.to_string());
                told.was_refused = true;
                break;
            }
        }
        parser.parse(&chunk, &mut records);
        told.words.append(&mut chunk.warnings.clone());
        told.words.append(&mut records.warnings.clone());
        for record in &records.list {
            if let Body::Invalid(reason) | Body::Unsupported(reason) = &record.body {
                told.words.push(reason.to_string());
            }
            let candidates = match records.problem(record) {
                Some(ProblemRef::Packed(packed)) => {
                    let mut puzzle = Puzzle::new(&nine);
                    packed.unpack_into(&nine, &mut puzzle);
                    puzzle.candidates().to_vec()
                }
                Some(ProblemRef::Puzzle(puzzle)) => puzzle.candidates().to_vec(),
                _ => continue,
            };
            let cells = candidates.iter().map(|set| one_based(set.single())).collect();
            let given = match &record.given {
                GivenSolution::Digits(span) => {
                    let digits = &records.given[span.start as usize..span.end as usize];
                    Some(digits.iter().map(|digit| digit + 1).collect())
                }
                _ => None,
            };
            told.grids.push((cells, given));
        }
    }
    told.has_word = !told.words.is_empty();
    if let Some(layout) = reader.first_layout().filter(|_| !told.was_refused) {
        let lines = text.as_bytes().split_inclusive(|&byte| byte == layout.line_end()).count() as u64;
        assert_eq!(reader.lines().total(), lines, "{:?}\n{text}", reader.lines());
    }
    told
}

/// How well a file was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    /// All puzzles, their solutions, and nothing else.
    Right,
    /// No grid, with a reason.
    Refused,
    /// Some grids, and a reason for the others.
    Part,
    /// All puzzles, but not the solutions.
    WithoutSolutions,
    /// A finished grid was read as a puzzle.
    Finished,
    /// A grid is missing, and nothing says so.
    Lost,
    /// A grid was read that is not in the file.
    Foreign,
}

/// Returns true if two grids are the same but for a part of one row, in which the file `is_damaged`.
fn are_same(one: &Cells, other: &Cells, is_damaged: bool) -> bool {
    let side = side_of(one);
    let rows = one.chunks(side).zip(other.chunks(side));
    one.len() == other.len() && rows.filter(|(one, other)| one != other).count() <= usize::from(is_damaged)
}

fn verdict(file: &Generated, told: &Told, is_damaged: bool) -> Verdict {
    let is_puzzle = |cells: &Cells| file.pairs.iter().any(|pair| are_same(cells, &pair.puzzle, is_damaged));
    let is_solution =
        |cells: &Cells| file.pairs.iter().any(|pair| are_same(cells, &pair.solution, is_damaged));
    let grids = || told.grids.iter().map(|(cells, _)| cells);
    if grids().any(|cells| !is_puzzle(cells) && !is_solution(cells)) {
        return Verdict::Foreign;
    }
    if grids().any(|cells| !is_puzzle(cells)) {
        return Verdict::Finished;
    }
    let are_all = grids().eq(file.pairs.iter().map(|pair| &pair.puzzle));
    match told.has_word {
        true if told.grids.is_empty() => Verdict::Refused,
        true => Verdict::Part,
        false if !are_all => Verdict::Lost,
        false if file.has_solutions => {
            let are_given = told.grids.iter().zip(&file.pairs);
            match are_given.clone().all(|((_, given), pair)| given.as_ref() == Some(&pair.solution)) {
                true => Verdict::Right,
                false => Verdict::WithoutSolutions,
            }
        }
        false => Verdict::Right,
    }
}

fn setting(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |value| value.parse().expect("a number"))
}

/// Reads generated files and returns how many had each verdict, undamaged and damaged.
fn verdicts(files: u64, seed: u64) -> [BTreeMap<Verdict, u64>; 2] {
    let pools = ["kaggle-1000.csv", "6x6.txt", "4x4.txt", "16x16.txt"].map(pool);
    let folder = std::env::var("QUADRILLE_FORMS_OUT").ok();
    let mut counts = [BTreeMap::new(), BTreeMap::new()];
    for number in 0..files {
        let mut random = Random(seed << 32 | number);
        let mut file = generate(&mut random, &pools);
        let is_damaged = number % 4 == 3;
        if is_damaged {
            file.text = damage(&mut random, &file.text);
        }
        let told = read(&file.text);
        let verdict = verdict(&file, &told, is_damaged);
        *counts[usize::from(is_damaged)].entry(verdict).or_insert(0) += 1;
        if let Some(folder) = folder.as_ref().filter(|_| verdict != Verdict::Right) {
            let kind = file.form.split(':').next().unwrap_or_default().replace(' ', "-");
            let name =
                format!("{folder}/{verdict:?}-{}{kind}-{number}", if is_damaged { "damaged-" } else { "" });
            std::fs::write(&name, &file.text).expect("the folder is there");
            let about = format!(
                "{}\n{}\n{} grids of {}\n",
                file.form,
                told.words.join("\n"),
                told.grids.len(),
                file.pairs.len()
            );
            std::fs::write(format!("{name}.about"), about).expect("the folder is there");
        }
    }
    counts
}

#[test]
fn generated_files_are_read_right_or_with_a_word() {
    let files = setting("QUADRILLE_FORMS", 3_000);
    let [undamaged, damaged] = verdicts(files, setting("QUADRILLE_FORMS_SEED", 56));
    println!("undamaged: {undamaged:?}\ndamaged: {damaged:?}");
    let share = |counts: &BTreeMap<Verdict, u64>, verdict| {
        counts.get(&verdict).copied().unwrap_or(0) as f64 / counts.values().sum::<u64>() as f64
    };
    let limits = [(Verdict::Foreign, 0.0), (Verdict::Lost, 0.0), (Verdict::Finished, 0.005)];
    for (verdict, most) in limits {
        assert!(share(&undamaged, verdict) <= most, "{verdict:?}: {undamaged:?}");
    }
    assert!(share(&damaged, Verdict::Foreign) <= 0.014, "{damaged:?}");
    assert!(share(&undamaged, Verdict::Right) >= 0.75, "{undamaged:?}");
}
