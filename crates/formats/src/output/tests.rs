//! Expected rows of every format and verb.

use std::borrow::Cow;

use std::sync::Arc;

use super::*;
use crate::input::{Body, Columns, CsvLayout, Format, GivenSolution, Places, Record, Span, header_of};
use quadrille_model::{
    Alphabet, Answer, Best, Count, Counters, CoverBuilder, CoverProblem, EndedBy, Packed9x9, ProblemRef,
    Reason, Solution, Status, Symbols,
};

const DIGITS: [u8; 16] = [0, 1, 2, 3, 2, 3, 0, 1, 1, 0, 3, 2, 3, 2, 1, 0];
const SHOWN: &str = "1234341221434321";

/// A row and everything that it borrows.
struct Case {
    layout: Layout,
    text: Vec<u8>,
    record: Record,
    answer: Option<Answer>,
    solution: Option<Vec<u8>>,
    options: Option<Vec<u32>>,
    cover: Option<Arc<CoverProblem>>,
    index: u64,
    score: Option<i64>,
    solution_index: Option<u64>,
}

impl Case {
    /// Creates record 7, the line `12..............` with an id, with this verdict and without a solution.
    fn new(status: Status, ended_by: EndedBy) -> Self {
        let text = b"12..............,a \"b\"".to_vec();
        let span = |start, end| Span { start, end };
        let end = text.len() as u32;
        let record = Record {
            body: Body::Packed(0),
            line: 8,
            byte: 120,
            text: span(0, end),
            puzzle: span(0, 16),
            id: span(17, end),
            solution: Span::default(),
            given: GivenSolution::Absent,
            symbols: Symbols::DEFAULT,
        };
        let answer =
            Answer { status, ended_by, count: None, best: None, counters: None, reason: None, _more: () };
        Case {
            layout: Layout { format: Format::Line, symbols: None, ..Layout::default() },
            text,
            record,
            answer: Some(answer),
            solution: None,
            options: None,
            cover: None,
            index: 7,
            score: None,
            solution_index: None,
        }
    }

    fn solved(status: Status, ended_by: EndedBy) -> Self {
        let mut case = Case::new(status, ended_by).count(1);
        case.solution = Some(DIGITS.to_vec());
        case
    }

    fn invalid(reason: &str) -> Self {
        let mut case = Case::new(Status::Invalid, EndedBy::Complete).reason(reason);
        case.record.body = Body::Invalid(Box::new(reason.into()));
        case
    }

    /// Creates an exact cover problem with options `a c` and `b x:red`, solved by both in reverse order.
    fn cover(numbered: bool) -> Self {
        let mut builder = CoverBuilder::new();
        for name in ["a", "b", "c"] {
            builder.primary(name).unwrap();
        }
        builder.secondary("x").unwrap();
        builder.option(&["a", "c"]).unwrap();
        builder.option(&["b", "x:red"]).unwrap();
        if numbered {
            builder.number_options();
        }
        let mut case = Case::new(Status::Solved, EndedBy::Limit).count(1);
        case.layout.format = if numbered { Format::Sets } else { Format::Dlx };
        case.record.body = Body::Cover(0);
        case.options = Some(vec![1, 0]);
        case.cover = Some(Arc::new(builder.build().unwrap()));
        case
    }

    /// Creates a row for solution number `place` of its record.
    fn one_of_several(place: u64) -> Self {
        let mut case = Case::solved(Status::Solved, EndedBy::Limit);
        case.answer = None;
        case.solution_index = Some(place);
        case
    }

    fn csv(mut self, text: &str, delimiter: u8, header: Option<&str>, columns: usize) -> Self {
        self.text = text.as_bytes().to_vec();
        self.record.text = Span { start: 0, end: text.len() as u32 };
        self.record.id = Span::default();
        let header = header.map(|header| header.as_bytes().to_vec());
        let csv = CsvLayout { delimiter, header };
        let layout = Layout { format: Format::Csv, csv: Some(csv), ..Layout::default() };
        let name = |name: Cow<'_, [u8]>| String::from_utf8_lossy(&name).into_owned();
        let names = header_of(&layout).map(|names| names.into_iter().map(name).collect());
        let names = names.unwrap_or_else(|| (1..=columns).map(|number| number.to_string()).collect());
        let columns = Columns::new(names, Places::of_puzzle(0));
        self.layout = Layout { columns, ..layout };
        self
    }

    fn answer(&mut self) -> &mut Answer {
        self.answer.as_mut().unwrap()
    }

    fn count(mut self, count: impl Into<Count>) -> Self {
        self.answer().count = Some(count.into());
        self
    }

    fn reason(mut self, reason: &str) -> Self {
        self.answer().reason = Some(Box::new(Reason::Text(reason.to_owned())));
        self
    }

    fn best(mut self, score: i64, bound: i64) -> Self {
        self.answer().best = Some(Best { score, bound });
        self
    }

    fn row(&self) -> Row<'_> {
        let solution = match (&self.solution, &self.options) {
            (Some(digits), _) => Some(Solution::Digits(digits)),
            (_, Some(options)) => Some(Solution::Options(options)),
            _ => None,
        };
        let problem = match (&self.cover, &self.record.body) {
            (Some(cover), _) => Some(ProblemRef::Cover(cover)),
            (_, Body::Packed(_)) => Some(ProblemRef::Packed(&Packed9x9::FULL)),
            _ => None,
        };
        Row {
            layout: &self.layout,
            bytes: &self.text,
            source: "in.txt",
            index: self.index,
            record: &self.record,
            values: &[],
            problem,
            answer: self.answer.as_ref(),
            solution,
            result: None,
            converted: None,
            given: None,
            possible: None,
            needs: None,
            score: self.score,
            solution_index: self.solution_index,
            engine: "",
            time_ns: None,
        }
    }
}

fn options(format: OutputFormat, verb: Verb) -> OutputOptions {
    OutputOptions { format, verb, ..OutputOptions::default() }
}

fn written(options: OutputOptions, case: &Case) -> String {
    let mut out = Vec::new();
    formatter(options).unwrap().row(&case.row(), &mut out);
    String::from_utf8(out).unwrap()
}

fn text(verb: Verb, case: &Case) -> String {
    written(options(OutputFormat::Text, verb), case)
}

use EndedBy::{Complete, Limit, Nodes, Time};

fn big() -> Count {
    Count::from("2444888770250892795802079170816".parse::<num_bigint::BigUint>().unwrap())
}

#[test]
fn a_plain_solution_claims_no_more_than_was_asked() {
    let line = |case: &Case| text(Verb::Solve, case);
    assert_eq!(line(&Case::solved(Status::Solved, Limit)), format!("{SHOWN}\n"));
    assert_eq!(line(&Case::solved(Status::Unique, Complete)), format!("{SHOWN}\n"));
    assert_eq!(line(&Case::one_of_several(3)), format!("{SHOWN}\n"));
    assert_eq!(line(&Case::solved(Status::Multiple, Limit)), format!("multiple\t{SHOWN}\n"));
    assert_eq!(line(&Case::solved(Status::Solved, Nodes)), format!("solved\t{SHOWN}\tnodes\n"));
}

#[test]
fn rows_without_a_solution_say_why() {
    let line = |case: &Case| text(Verb::Solve, case);
    assert_eq!(line(&Case::new(Status::None, Complete)), "none\n");
    let clash = Case::new(Status::None, Complete).reason("two 7s in row 1");
    assert_eq!(line(&clash), "none\ttwo 7s in row 1\n");
    assert_eq!(line(&Case::new(Status::Unknown, Time).count(0)), "unknown\ttime\n");
    assert_eq!(line(&Case::new(Status::Multiple, Nodes).count(5)), "multiple\tnodes\n");
    assert_eq!(line(&Case::invalid("80 cells\tor\nso")), "invalid\t80 cells or so\n");
}

#[test]
fn exact_counts_and_bounds_are_never_written_alike() {
    let line = |case: &Case| text(Verb::Count, case);
    assert_eq!(line(&Case::new(Status::Counted, Complete).count(507)), "507\n");
    assert_eq!(line(&Case::new(Status::Counted, Complete).count(0)), "0\n");
    assert_eq!(line(&Case::new(Status::Counted, Complete).count(big())), "2444888770250892795802079170816\n");
    assert_eq!(line(&Case::new(Status::Counted, Limit).count(2)), ">=2\n");
    assert_eq!(line(&Case::new(Status::Counted, Nodes).count(12)), ">=12\tnodes\n");
    assert_eq!(line(&Case::new(Status::Unknown, Nodes).count(0)), ">=0\tnodes\n");
    assert_eq!(line(&Case::new(Status::None, Complete).reason("letter x twice in row 1")), "0\n");
    assert_eq!(line(&Case::invalid("80 cells")), "invalid\t80 cells\n");
}

#[test]
fn best_reports_what_is_proved() {
    let line = |case: &Case| text(Verb::Best, case);
    let optimal = Case::solved(Status::Optimal, Complete).best(2829, 2829);
    assert_eq!(line(&optimal), format!("2829\t{SHOWN}\n"));
    let feasible = Case::solved(Status::Feasible, Time).best(-5, 7);
    assert_eq!(line(&feasible), format!("-5\t{SHOWN}\tfeasible\t7\n"));
    assert_eq!(line(&Case::new(Status::None, Complete).count(0)), "none\n");
    assert_eq!(line(&Case::new(Status::Unknown, Nodes).count(0)), "unknown\tnodes\n");
}

#[test]
fn check_writes_status_and_reason() {
    let line = |case: &Case| text(Verb::Check, case);
    assert_eq!(line(&Case::solved(Status::Correct, Complete)), "correct\n");
    assert_eq!(line(&Case::new(Status::Wrong, Complete).reason("row 1 column 2")), "wrong\trow 1 column 2\n");
    assert_eq!(line(&Case::invalid("no solution given")), "invalid\tno solution given\n");
}

#[test]
fn covers_are_written_in_words_or_row_numbers() {
    assert_eq!(text(Verb::Solve, &Case::cover(false)), "b x:red ; a c\n");
    assert_eq!(text(Verb::Solve, &Case::cover(true)), "2 1\n");
}

#[test]
fn skipped_lines_are_kept_if_lines_count() {
    let mut case = Case::new(Status::Unknown, Complete);
    case.record.body = Body::Skipped;
    case.answer = None;
    for (format, expected) in OutputFormat::ALL.iter().copied().zip(["\n", "\n", "\n", "", "", ""]) {
        for verb in [Verb::Solve, Verb::Count, Verb::Best, Verb::Check] {
            assert_eq!(written(options(format, verb), &case), expected, "{format:?} {verb:?}");
        }
    }
}

#[test]
fn text_with_chosen_fields_leaves_missing_values_empty() {
    let fields = vec![Field::Line, Field::Byte, Field::Status, Field::Guesses, Field::Id, Field::TimeUs];
    let chosen = OutputOptions { fields, ..options(OutputFormat::Text, Verb::Solve) };
    let mut case = Case::new(Status::None, Complete).count(0);
    assert_eq!(written(chosen.clone(), &case), "8\t120\tnone\t\ta \"b\"\t\n");
    case.answer().counters = Some(Counters { nodes: 1, guesses: 0, ..Counters::default() });
    assert_eq!(written(chosen.clone(), &case), "8\t120\tnone\t0\ta \"b\"\t\n");
    let marked = OutputOptions { echo_id: true, unordered: true, ..chosen };
    assert_eq!(written(marked, &case), "7\t8\t120\tnone\t0\ta \"b\"\t\n");
    let marked = OutputOptions { echo_id: true, ..options(OutputFormat::Text, Verb::Solve) };
    assert_eq!(written(marked, &case), "a \"b\"\tnone\n");
}

#[test]
fn csv_of_other_input_has_only_our_columns() {
    let mut header = Vec::new();
    let csv = options(OutputFormat::Csv, Verb::Solve);
    let case = Case::solved(Status::Unique, Complete);
    formatter(csv.clone()).unwrap().begin(&case.layout, &mut header);
    assert_eq!(header, b"index,puzzle,status,solution,reason,ended_by\n");
    assert_eq!(written(csv.clone(), &case), format!("7,12..............,unique,{SHOWN},,complete\n"));
    assert_eq!(
        written(csv.clone(), &Case::invalid("no \"x\", please")),
        "7,12..............,invalid,,\"no \"\"x\"\", please\",\n"
    );
    let marked = OutputOptions { echo_id: true, ..csv };
    assert_eq!(
        written(marked, &Case::new(Status::None, Complete)),
        "7,\"a \"\"b\"\"\",12..............,none,,,complete\n"
    );
    let count = options(OutputFormat::Csv, Verb::Count);
    let case = Case::new(Status::Counted, Nodes).count(12);
    assert_eq!(written(count.clone(), &case), "7,12..............,counted,,12,,nodes\n");
    let case = Case::new(Status::Counted, Complete).count(big());
    assert_eq!(
        written(count, &case),
        "7,12..............,counted,2444888770250892795802079170816,,,complete\n"
    );
    let best = options(OutputFormat::Csv, Verb::Best);
    let case = Case::solved(Status::Feasible, Time).best(-5, 7);
    assert_eq!(written(best, &case), format!("7,12..............,feasible,-5,7,{SHOWN},,time\n"));
    let check = options(OutputFormat::Csv, Verb::Check);
    let case = Case::new(Status::Wrong, Complete).reason("row 1 column 2");
    assert_eq!(written(check, &case), "7,12..............,wrong,row 1 column 2,complete\n");
    let several = OutputOptions { several: true, ..options(OutputFormat::Csv, Verb::Solve) };
    assert_eq!(written(several.clone(), &Case::one_of_several(2)), format!("7,2,,{SHOWN},,\n"));
    assert_eq!(written(several, &Case::new(Status::Unknown, Nodes)), "7,,unknown,,,nodes\n");
}

#[test]
fn csv_of_csv_keeps_the_columns_and_appends_ours() {
    let csv = options(OutputFormat::Csv, Verb::Solve);
    let begin = |options: &OutputOptions, case: &Case| {
        let mut out = Vec::new();
        formatter(options.clone()).unwrap().begin(&case.layout, &mut out);
        String::from_utf8(out).unwrap()
    };
    let case = Case::solved(Status::Solved, Limit).csv("x;\"a;b\"", b';', Some("puzzle;name"), 2);
    assert_eq!(begin(&csv, &case), "puzzle;name;q_status;q_solution;q_reason;q_ended_by\n");
    assert_eq!(written(csv.clone(), &case), format!("x;\"a;b\";solved;{SHOWN};;limit\n"));
    assert_eq!(begin(&OutputOptions { no_header: true, ..csv.clone() }, &case), "");
    let case = Case::invalid("2 columns; 3 wanted").csv("x\ty", b'\t', None, 3);
    assert_eq!(
        begin(&csv, &case),
        "column_1\tcolumn_2\tcolumn_3\tq_status\tq_solution\tq_reason\tq_ended_by\n"
    );
    assert_eq!(written(csv.clone(), &case), "x\ty\t\tinvalid\t\t2 columns; 3 wanted\t\n");
    let case = Case::invalid("2 columns; 3 wanted").csv("x;y", b';', None, 3);
    assert_eq!(written(csv.clone(), &case), "x;y;;invalid;;\"2 columns; 3 wanted\";\n");
    let several = OutputOptions { several: true, ..csv };
    let case = Case::one_of_several(1).csv("x,y", b',', Some("puzzle,name"), 2);
    assert_eq!(
        begin(&several, &case),
        "puzzle,name,q_index,q_solution_index,q_status,q_solution,q_reason,q_ended_by\n"
    );
    assert_eq!(written(several, &case), format!("x,y,7,1,,{SHOWN},,\n"));
}

#[test]
fn jsonl_has_every_key_in_every_row() {
    let solve = options(OutputFormat::Jsonl, Verb::Solve);
    assert_eq!(
        written(solve.clone(), &Case::solved(Status::Unique, Complete)),
        format!(
            "{{\"index\":7,\"puzzle\":\"12..............\",\"status\":\"unique\",\
             \"solution\":\"{SHOWN}\",\"reason\":null,\"ended_by\":\"complete\"}}\n"
        )
    );
    let mut case = Case::invalid("say \"x\"\\\u{1}\u{8}\u{c}\té");
    case.text[..3].copy_from_slice(b"\"\xff\n");
    let line = written(solve, &case);
    let value: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert!(line.contains(r#""say \"x\"\\\u0001\u0008\u000c\té""#), "{line}");
    assert_eq!(value["puzzle"], "\"\u{fffd}\n.............");
    assert_eq!(value["reason"], "say \"x\"\\\u{1}\u{8}\u{c}\té");
    assert_eq!(value["solution"], serde_json::Value::Null);
    assert_eq!(value["ended_by"], serde_json::Value::Null);
    assert_eq!(line.matches('\n').count(), 1);
}

#[test]
fn jsonl_counts_survive_every_reader() {
    let count = |count: Count, ended_by| {
        let line = written(
            options(OutputFormat::Jsonl, Verb::Count),
            &Case::new(Status::Counted, ended_by).count(count),
        );
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        (value["count"].clone(), value["min_count"].clone())
    };
    let null = serde_json::Value::Null;
    assert_eq!(count(507.into(), Complete), (507.into(), null.clone()));
    assert_eq!(count(big(), Complete), ("2444888770250892795802079170816".into(), null.clone()));
    assert_eq!(count(((1 << 53) - 1).into(), Nodes), (null.clone(), ((1u64 << 53) - 1).into()));
    assert_eq!(count((1 << 53).into(), Limit), (null, "9007199254740992".into()));
}

#[test]
fn jsonl_solutions_of_covers_are_structured() {
    let solve = options(OutputFormat::Jsonl, Verb::Solve);
    let line = written(solve.clone(), &Case::cover(false));
    assert!(
        line.contains(r#""puzzle":null,"status":"solved","solution":[{"row":2,"words":["b","x:red"]},{"row":1,"words":["a","c"]}]"#),
        "{line}"
    );
    assert!(written(solve, &Case::cover(true)).contains(r#""solution":[{"row":2},{"row":1}]"#));
}

#[test]
fn grids_are_drawn_row_by_row() {
    let solve = options(OutputFormat::Grid, Verb::Solve);
    let rows = "1234\n3412\n2143\n4321\n";
    assert_eq!(written(solve.clone(), &Case::solved(Status::Unique, Complete)), format!("{rows}\n"));
    assert_eq!(written(solve.clone(), &Case::solved(Status::Multiple, Limit)), format!("multiple\n{rows}\n"));
    assert_eq!(written(solve.clone(), &Case::one_of_several(1)), format!("{rows}\n"));
    assert_eq!(
        written(solve.clone(), &Case::new(Status::None, Complete).reason("two 7s in row 1")),
        "none\ttwo 7s in row 1\n\n"
    );
    assert_eq!(written(solve, &Case::cover(false)), "b x:red\na c\n\n");
    let best = options(OutputFormat::Grid, Verb::Best);
    assert_eq!(
        written(best.clone(), &Case::solved(Status::Optimal, Complete).best(9, 9)),
        format!("9\n{rows}\n")
    );
    assert_eq!(
        written(best, &Case::solved(Status::Feasible, Time).best(9, 12)),
        format!("9\tfeasible\t12\n{rows}\n")
    );
    let count = options(OutputFormat::Grid, Verb::Count);
    assert_eq!(written(count, &Case::new(Status::Counted, Complete).count(3)), "3\n");
    let check = options(OutputFormat::Grid, Verb::Check);
    assert_eq!(written(check, &Case::new(Status::Correct, Complete)), "correct\n");
}

#[test]
fn integers_are_aligned_in_grids_and_separated_elsewhere() {
    let mut case = Case::solved(Status::Solved, Limit);
    case.record.symbols = Symbols { alphabet: Alphabet::Integers, lower_case: false };
    assert_eq!(text(Verb::Solve, &case), "1 2 3 4 3 4 1 2 2 1 4 3 4 3 2 1\n");
    case.solution = Some((0..256).map(|cell| (cell / 16 + cell) as u8 % 16).collect());
    let grid = written(options(OutputFormat::Grid, Verb::Solve), &case);
    assert_eq!(grid.lines().next(), Some(" 1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16"));
    assert_eq!(grid.lines().count(), 17);
    case.record.symbols = Symbols { alphabet: Alphabet::FromZero, lower_case: true };
    assert!(written(options(OutputFormat::Grid, Verb::Solve), &case).starts_with("0123456789abcdef\n"));
    case.record.symbols = Symbols { alphabet: Alphabet::Letters, lower_case: false };
    case.solution = Some((0..625).map(|cell| (cell / 25 + cell) as u8 % 25).collect());
    assert!(text(Verb::Solve, &case).starts_with("ABCDEFGHIJKLMNOPQRSTUVWXYBCD"));
}

#[test]
fn contest_output_is_what_judges_expect() {
    let contest = |verb, case: &Case| written(options(OutputFormat::Contest, verb), case);
    let rows = "1234\n3412\n2143\n4321\n";
    let mut solved = Case::solved(Status::Solved, Limit);
    assert_eq!(contest(Verb::Solve, &solved), rows);
    solved.record.symbols = Symbols { alphabet: Alphabet::Integers, lower_case: false };
    assert_eq!(contest(Verb::Solve, &solved), rows);
    assert_eq!(contest(Verb::Count, &Case::new(Status::Counted, Complete).count(507)), "507\n");
    let clash = Case::new(Status::None, Complete).reason("letter a twice in row 1");
    assert_eq!(contest(Verb::Count, &clash), "0\n");
    assert_eq!(contest(Verb::Best, &Case::solved(Status::Optimal, Complete).best(2829, 2829)), "2829\n");
    assert_eq!(contest(Verb::Best, &clash), "-1\n");
    assert_eq!(contest(Verb::Check, &Case::new(Status::Correct, Complete)), "correct\n");
    let silent = [
        (Verb::Solve, clash),
        (Verb::Solve, Case::invalid("80 cells")),
        (Verb::Count, Case::invalid("80 cells")),
        (Verb::Count, Case::new(Status::Counted, Nodes).count(5)),
        (Verb::Best, Case::solved(Status::Feasible, Time).best(5, 9)),
        (Verb::Best, Case::invalid("80 cells")),
    ];
    for (verb, case) in silent {
        assert_eq!(contest(verb, &case), "", "{verb:?} {:?}", case.answer);
    }
}

#[test]
fn contradictory_options_are_refused() {
    let refused = |change: &dyn Fn(&mut OutputOptions), format, verb| {
        let mut options = options(format, verb);
        change(&mut options);
        formatter(options).err().map(|error| error.to_string())
    };
    let index = |options: &mut OutputOptions| options.fields = vec![Field::Index];
    let twice = |options: &mut OutputOptions| options.fields = vec![Field::Index, Field::Id, Field::Index];
    let several = |options: &mut OutputOptions| options.several = true;
    assert!(refused(&index, OutputFormat::Grid, Verb::Solve).unwrap().contains("grid"));
    assert!(refused(&|o| o.echo_id = true, OutputFormat::Contest, Verb::Solve).is_some());
    assert!(refused(&|o| o.unordered = true, OutputFormat::Grid, Verb::Solve).is_some());
    assert_eq!(
        refused(&twice, OutputFormat::Csv, Verb::Solve),
        Some("field index is chosen twice".to_owned())
    );
    assert!(refused(&several, OutputFormat::Text, Verb::Count).is_some());
    assert!(refused(&several, OutputFormat::Contest, Verb::Best).is_some());
    assert_eq!(refused(&several, OutputFormat::Text, Verb::Best), None);
    assert_eq!(refused(&several, OutputFormat::Grid, Verb::Solve), None);
}

#[test]
fn the_table_of_fields_has_the_order_of_the_enum() {
    assert!(Field::all().enumerate().all(|(place, field)| field as usize == place));
}
