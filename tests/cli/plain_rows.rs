//! Rows written from column chunks are the rows that record chunks write.
//!
//! `--only` with all statuses selects every row and makes all chunks record chunks.

use std::fmt::Write;

use proptest::prelude::*;

use super::{POJ, POJ_SOLVED, data, quadrille};

/// All statuses of records.
const EVERY_STATUS: &str =
    "--only solved,unique,multiple,none,counted,correct,missing,wrong,invalid,unsupported,unknown,internal";

/// Runs, each made in both ways.
const RUNS: &[&str] = &[
    "solve --to csv",
    "solve --unique --to jsonl",
    "solve --to jsonl --fields line,byte,puzzle,id,status,solution,nodes,guesses,engine",
    "solve --unique --to text --fields id,line,status,reason",
    "count --to csv --line-ends crlf",
    "count --limit 3 --to jsonl --echo-id",
    "check --to csv --fields index,status,reason,ended_by,solution",
    "check --to jsonl",
    "rate --max-rating 4.0 --to csv",
    "rate --until singles --to jsonl",
    "rate --until 1.7 --fields index,er,ep,technique,steps,after,missing,solution",
];

/// A file: its form, and what is in its rows.
#[derive(Debug, Clone)]
struct Table {
    form: Form,
    /// Order of the columns.
    order: Vec<&'static str>,
    rows: Vec<Row>,
    line_end: &'static str,
}

#[derive(Debug, Clone, Copy)]
enum Form {
    Csv(char),
    /// Objects with this text after commas and colons.
    Jsonl(&'static str),
    Lines,
}

#[derive(Debug, Clone)]
struct Row {
    puzzle: usize,
    note: &'static str,
    /// Kind of damage; most numbers are none.
    damage: usize,
}

/// Returns puzzles with one, no and several solutions, each with a solution.
fn puzzles() -> Vec<(String, String)> {
    let solved = quadrille("solve -q data/minimal-5000.txt").prints();
    let texts = data("minimal-5000.txt");
    let mut all: Vec<(String, String)> = texts
        .lines()
        .zip(solved.lines())
        .map(|(one, two)| (one.to_owned(), two.to_owned()))
        .take(40)
        .collect();
    // Not the empty grid, whose count takes longer than all the rest.
    let several = ".".repeat(18) + &POJ[18..];
    let none = [format!("55{}", &POJ[2..]), format!("2{}", &POJ[1..]), several];
    all.extend(none.map(|puzzle| (puzzle, POJ_SOLVED.to_owned())));
    all.push((POJ.to_owned(), POJ_SOLVED.to_owned()));
    all
}

impl Table {
    fn text(&self, puzzles: &[(String, String)]) -> String {
        let mut text = String::new();
        if let Form::Csv(delimiter) = self.form {
            let names = self.order.join(&delimiter.to_string());
            text += &format!("{names}{}", self.line_end);
        }
        for (number, row) in self.rows.iter().enumerate() {
            let (puzzle, solution) = &puzzles[row.puzzle % puzzles.len()];
            let puzzle = match row.damage {
                0 => puzzle[1..].to_owned(),
                1 => format!("x{}", &puzzle[1..]),
                2 => String::new(),
                _ => puzzle.clone(),
            };
            let mut values: Vec<String> = self
                .order
                .iter()
                .map(|name| match *name {
                    "puzzle" => puzzle.clone(),
                    "solution" if row.damage == 3 => solution.replacen('1', "2", 1),
                    "solution" => solution.clone(),
                    "id" => number.to_string(),
                    _ => row.note.to_owned(),
                })
                .collect();
            if row.damage == 4 {
                values.pop();
            }
            let line = match self.form {
                Form::Csv(delimiter) => {
                    let quoted = |value: &String| match value.contains([delimiter, '"']) || row.damage == 5 {
                        true => format!("\"{}\"", value.replace('"', "\"\"")),
                        false => value.clone(),
                    };
                    values.iter().map(quoted).collect::<Vec<_>>().join(&delimiter.to_string())
                }
                Form::Jsonl(blank) => {
                    let json = |value: &String| match value.parse::<u16>() {
                        Ok(number) if !value.starts_with('0') => number.to_string(),
                        _ if value == "null" => "null".to_owned(),
                        _ => serde_json::to_string(value).expect("text"),
                    };
                    let member = |(name, value)| format!("\"{name}\":{blank}{}", json(value));
                    let members: Vec<_> = self.order.iter().zip(&values).map(member).collect();
                    format!("{{{}}}", members.join(&format!(",{blank}")))
                }
                Form::Lines if row.damage == 5 => format!("{puzzle} # {}", row.note),
                Form::Lines => puzzle,
            };
            write!(text, "{line}{}", self.line_end).expect("memory");
            if row.damage == 6 {
                text += self.line_end;
            }
        }
        text
    }
}

fn tables() -> impl Strategy<Value = Table> {
    let forms = prop_oneof![
        Just(Form::Csv(',')),
        Just(Form::Csv('\t')),
        Just(Form::Csv(';')),
        Just(Form::Jsonl("")),
        Just(Form::Jsonl(" ")),
        Just(Form::Lines),
    ];
    let notes = prop_oneof![
        4 => Just("easy"), 2 => Just("17"), 1 => Just("\u{dc}n\u{ef} 9"), 1 => Just(""), 1 => Just("null"), 1 => Just("0012"),
        1 => Just("a, \"b\""), 1 => Just("tab\there; {x}")
    ];
    // Without damage in most files, so that whole chunks stay plain.
    let damage = prop_oneof![3 => Just(1000usize), 1 => Just(60usize), 1 => Just(9usize)];
    let names = ["puzzle", "id", "solution", "note", "q_status", "rating"];
    let order = proptest::sample::subsequence(names[1..].to_vec(), 0..=5)
        .prop_map(|mut others| {
            others.push("puzzle");
            others
        })
        .prop_shuffle();
    (forms, order, notes, damage, prop_oneof![Just("\n"), Just("\r\n")]).prop_flat_map(
        |(form, order, usual, damage, line_end)| {
            let note = prop_oneof![20 => Just(usual), 1 => Just("easy")];
            let row = (any::<usize>(), note, 0..damage).prop_map(|(puzzle, note, damage)| Row {
                puzzle,
                note,
                damage,
            });
            proptest::collection::vec(row, 1..120).prop_map(move |rows| {
                let order = order.clone();
                Table { form, order, rows, line_end }
            })
        },
    )
}

#[test]
fn rows_of_column_chunks_are_those_of_record_chunks() {
    let puzzles = puzzles();
    let config = ProptestConfig { cases: 24, ..ProptestConfig::default() };
    proptest!(config, |(table in tables())| {
        let text = table.text(&puzzles);
        for run in RUNS {
            let run = || quadrille(run).args("-q").stdin(&*text);
            let by_record = run().args("-j1").args(EVERY_STATUS).ends();
            let in_columns = run().args("-j2").ends();
            prop_assert_eq!((by_record.code, by_record.out), (in_columns.code, in_columns.out));
        }
    });
}
