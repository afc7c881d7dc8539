//! Grids in rows with a line too many or too few.

use super::{POJ, POJ_SOLVED, quadrille};

fn rows() -> String {
    (0..9).map(|row| POJ[9 * row..9 * row + 9].to_owned() + "\n").collect()
}

#[test]
fn a_stray_line_costs_one_record() {
    let framed: String = (0..9)
        .map(|row| {
            let (cells, frame) =
                (&POJ[9 * row..9 * row + 9], if row % 3 == 0 { "+---+---+---+\n" } else { "" });
            format!("{frame}|{}|{}|{}|\n", &cells[..3], &cells[3..6], &cells[6..])
        })
        .collect();
    let framed = framed + "+---+---+---+\n";
    let (good, stray) =
        (format!("{POJ_SOLVED}\n"), "invalid\ta line outside of any grid: 8 cells, but a row has 9\n");
    let none = "invalid\ta line outside of any grid: 1 cell, but a row has 9\n";
    for (what, input, expected) in [
        ("in front", format!("12345678\n{0}{0}", rows()), [stray, &good, &good].concat()),
        ("in front of frames", format!("12345678\n{framed}{framed}"), [stray, &good, &good].concat()),
        ("between", format!("{0}\n12345678\n\n{0}", rows()), [&*good, stray, &good].concat()),
        ("between T and grids", format!("2\n12345678\n{0}{0}", rows()), [stray, &good, &good].concat()),
        ("in front of T", format!("12345678\n2\n{0}{0}", rows()), [stray, &good, &good].concat()),
        ("behind", format!("{0}\n{0}\nx\n", rows()), [&*good, &good, none].concat()),
    ] {
        let format = if what.contains('T') { "contest" } else { "grid" };
        assert_eq!(quadrille("solve --from").arg(format).stdin(input).prints(), expected, "{what}");
    }
    let places =
        quadrille("solve --fields line,byte,status").stdin(format!("{0}\n12345678\n{0}", rows())).prints();
    assert_eq!(places, "1\t0\tsolved\n11\t91\tinvalid\n12\t100\tsolved\n");
}

#[test]
fn a_repeated_row_of_a_grid_costs_that_grid() {
    // Without its first row the first grid would be complete, but with a digit twice in a column.
    let grids = [
        "..../2.../..4./..4./.41.",
        "1.2./..../213./....",
        "..../1..2/..../.24.",
        ".4../..../..3./3.2.",
        "...1/..2./...3/.4..",
    ];
    let text = grids.map(|grid| grid.replace('/', "\n")).join("\n\n") + "\n";
    let printed = quadrille("count --fields line,status").stdin(text).prints();
    assert_eq!(printed, "1\tinvalid\n7\tcounted\n12\tcounted\n17\tcounted\n22\tcounted\n");
}

#[test]
fn a_large_number_counts_grids_or_costs_one_record() {
    let text = quadrille("solve").stdin(format!("12345678\n{}", rows())).prints();
    assert_eq!(text, format!("{POJ_SOLVED}\ninvalid\tT is 12345678, but only 1 grid was found\n"));
    // If a count is 100,000 or more, all missing grids make one record, unless at least half of the grids are
    // there.
    for (count, records) in [("99999", 99_999), ("100000", 2), ("6666664", 2)] {
        let text = quadrille("solve").stdin(format!("{count}\n{}", rows())).prints();
        assert_eq!(text.lines().count(), records, "{count}");
        assert!(text.ends_with(&format!("invalid\tT is {count}, but only 1 grid was found\n")), "{count}");
    }
    // Rows of zeros and ones are not counts.
    let small = "1004\n0020\n0300\n4001\n";
    assert_eq!(
        quadrille("count").stdin(small).prints(),
        quadrille("count").stdin("1004002003004001\n").prints()
    );
}

/// The remainder of a cut line may look like a count followed by a small grid.
#[test]
fn a_truncated_first_line_is_not_a_count() {
    let cell = |first: usize, cell: usize| ((first + cell) % 16 * usize::from(cell < 16)).to_string();
    let grid = |first: usize| (0..256).map(|at| cell(first, at)).collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = (8..11).map(grid).collect();
    let words = |line: &str, len: usize| line.split(' ').take(len).collect::<Vec<_>>().join(" ");
    for len in [17, 82] {
        let text = format!("{}\n{}\n{}\n", words(&lines[0], len), lines[1], lines[2]);
        let rows = quadrille("solve --unique --from integers --fields line,status").stdin(text).ends().out;
        assert_eq!(rows, "1\tinvalid\n2\tmultiple\n3\tmultiple\n", "{len}");
    }
    // A whole first line still counts.
    let grid = format!("1 2{}\n", " 0".repeat(79));
    let rows = quadrille("solve --unique --from integers --fields status").stdin(format!("2 {grid}{grid}"));
    assert_eq!(rows.ends().out, "multiple\nmultiple\n");
}

/// The remainder of a cut line may be as long as several small grids.
#[test]
fn a_truncated_first_line_is_not_several_grids() {
    let line: String = "1.A.2.C.".repeat(32);
    let words = || line.chars().map(|cell| cell.to_digit(36).unwrap_or(0).to_string()).collect::<Vec<_>>();
    for (format, line, cut) in [
        ("grid", line.clone(), line[..243].to_owned()),
        ("integers", words().join(" "), words()[..243].join(" ")),
    ] {
        let text = format!("{cut}\n{line}\n{line}\n");
        let run = quadrille(&format!("solve --from {format} --fields line,status,reason")).stdin(text).ends();
        let none = "none\ttwo 1s in row 1";
        let expected = format!("1\tinvalid\t243 cells: no grid has this many cells\n2\t{none}\n3\t{none}\n");
        assert_eq!(run.out, expected, "{format}");
    }
    // The cut line follows a line of other text.
    let text = format!("12\n{}\n{line}\n", &line[..243]);
    let run = quadrille("solve --from grid --fields line,status").stdin(text).ends();
    assert_eq!(run.out, "1\tinvalid\n2\tinvalid\n3\tnone\n");
    // Three grids on one line are records of their own, also with marks in all empty cells; a wrong character spoils one of them.
    let three = POJ.repeat(2) + &POJ.replace('0', "e");
    let wrong = three.replacen('0', "A", 1);
    let run = quadrille("solve --from grid --fields status").stdin(format!("{wrong}\n{three}\n")).ends();
    assert_eq!(run.out, "invalid\nsolved\ninvalid\nsolved\nsolved\ninvalid\n");
    let marked = POJ.replace('0', "e").repeat(2);
    let run = quadrille("solve --from grid --fields status").stdin(format!("{marked}\n{three}\n")).ends();
    assert_eq!(run.out, "invalid\ninvalid\nsolved\nsolved\ninvalid\n");
}

#[test]
fn missing_columns_are_reported() {
    for (option, words) in [("--column", "solve"), ("--solution-column", "check")] {
        let run =
            quadrille(&format!("{words} {option} foo --from line")).stdin(format!("{POJ_SOLVED}\n")).ends();
        assert_eq!(run.code, Some(0), "{}", run.err);
        assert!(run.err.contains(&format!("- has no columns for {option}")), "{}", run.err);
    }
}

#[test]
fn lines_of_small_grids_or_rows_of_large_ones_have_to_be_named() {
    let marks = "1..e..o...a..a.4\n";
    let both = marks.repeat(16);
    let error = quadrille("solve").stdin(both.clone()).fails(6);
    assert!(error.contains("--side"), "{error}");
    assert_eq!(quadrille("count --side 4").stdin(both.clone()).prints().lines().count(), 16);
    assert_eq!(quadrille("count --from line").stdin(both.clone()).prints().lines().count(), 16);
    assert_eq!(quadrille("solve --side 16 --fields status").stdin(both).ends().out.lines().count(), 1);
    // Three lines do not make a 16x16.
    assert_eq!(quadrille("count").stdin(marks.repeat(3)).prints().lines().count(), 3);
}

#[test]
fn leftovers_of_other_tools_are_read_or_reported() {
    let good = format!("{POJ_SOLVED}\n");
    for text in [
        format!("id|puzzle|level\n7|{POJ}|easy\n"),
        format!("{POJ}|easy\n"),
        format!("{POJ}\r\n\x1a"),
        format!("{POJ}\x1a"),
        format!("{}\x1a\n", rows()),
    ] {
        assert_eq!(quadrille("solve").stdin(text.clone()).prints(), good, "{text:?}");
    }
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let packed =
        std::io::Write::write_all(&mut packer, format!("{POJ}\n").as_bytes()).and_then(|()| packer.finish());
    let padded = [packed.expect("memory takes it"), vec![0; 512]].concat();
    assert_eq!(quadrille("solve").stdin(padded).prints(), good);
    let zeros = quadrille("solve").stdin(format!("id,puzzle\n1,{}\n2,{POJ}\n", &POJ[1..])).prints();
    assert!(
        zeros.starts_with("invalid\t80 characters: no grid has this many cells; leading zeros"),
        "{zeros}"
    );
}

#[test]
fn json_lines_are_a_format() {
    let text = format!(
        "{{\"id\":7,\"puzzle\":\"{POJ}\",\"solution\":\"{POJ_SOLVED}\"}}\nnothing\n{{\"q\":\"{POJ}\"}}\n"
    );
    let run = |words: &str| quadrille(words).stdin(text.clone()).ends().out;
    assert_eq!(run("check --fields id,status"), "7\tcorrect\n\tinvalid\n\tinvalid\n");
    assert_eq!(run("solve --from jsonl --column q --fields status"), "invalid\ninvalid\nsolved\n");
}

#[test]
fn an_unreadable_input_is_an_error() {
    for (input, said) in [
        (&b"PAR1\0\0\0\0"[..], "a Parquet file"),
        (b"%PDF-1.4\n", "a PDF: pdftotext"),
        (b"PK\x03\x04xl/", "save it as CSV"),
        (
            b"<svg></svg>\n",
            "the record could not be read; the input was read as line but looks like a web page or a drawing",
        ),
        (b"a|b\n1|2\n", "and no format reads it"),
        (b"[{\"puzzle\": 1}]\n", "and no format reads it"),
        (
            b"hello\nworld\n",
            "none of 2 records could be read; the input was read as line, and no format reads it",
        ),
    ] {
        for quiet in ["", "-q"] {
            let ended = quadrille("solve").args(quiet).stdin(input).ends();
            assert_eq!(ended.code, Some(6), "{said}: {}", ended.err);
            assert!(ended.err.contains(said), "{said}: {}", ended.err);
        }
    }
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let packed = std::io::Write::write_all(&mut packer, POJ.as_bytes())
        .and_then(|()| packer.finish())
        .expect("memory");
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let twice =
        std::io::Write::write_all(&mut packer, &packed).and_then(|()| packer.finish()).expect("memory");
    let ended = quadrille("solve -q").stdin(twice).ends();
    assert!(ended.code == Some(6) && ended.err.contains("gzip within gzip"), "{}", ended.err);
    // One readable record of two is enough.
    let half = quadrille("solve").stdin(format!("{POJ}\nhello\n")).ends();
    assert_eq!((half.code, half.err.as_str()), (Some(0), ""));
}

/// Returns the rows of a 16x16 in `0-9A-F` that has every digit, and its solution, in which `0` is a digit.
fn hex() -> (Vec<String>, String) {
    let file = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/data/16x16-hex.txt"));
    let lines: Vec<String> =
        file.expect("it is there").lines().filter(|line| line.len() == 256).map(str::to_owned).collect();
    let solved = quadrille("solve").stdin(lines.join("\n") + "\n").prints();
    assert!(solved.bytes().any(|byte| byte == b'0'), "{solved}");
    (lines, solved)
}

#[test]
fn the_first_line_does_not_decide_the_alphabet() {
    let (lines, solved) = hex();
    let text = lines.join("\n") + "\n";
    let behind = |text: &str| lines.iter().map(|line| format!("{line}{text}\n")).collect::<String>();
    let rows: String = lines
        .iter()
        .flat_map(|line| line.as_bytes().chunks(16))
        .map(|row| format!("{}\n", String::from_utf8_lossy(row)))
        .collect();
    let headed = |heading: &str| {
        let grids = rows.as_bytes().chunks(16 * 17).map(String::from_utf8_lossy);
        grids.map(|grid| format!("{heading}\n{grid}")).collect::<String>()
    };
    let columns: String = lines.iter().map(|line| format!("1|{line}\n")).collect();
    let longer = rows.replacen('\n', "1\n", 1);
    let shorter = |cells: usize| format!("{}{}", &rows[..cells], &rows[16..]);
    let objects: String = lines.iter().map(|line| format!("{{\"puzzle\":\"{line}\"}}\n")).collect();
    for (what, input) in [
        ("sdk", headed("[Puzzle]")),
        ("euler", headed("Grid 01")),
        ("a bar behind", behind("|x")),
        ("a comment behind", behind("#x")),
        ("columns", format!("id|puzzle\n{columns}")),
        ("a large count", format!("1000\n{rows}")),
        ("a small grid first", format!("1...............\n{text}")),
        ("a word first", format!("hello\n{rows}")),
        ("a word before lines", format!("hello\n{text}")),
        ("a line that is cut", format!("{}\n{text}", &lines[0][..255])),
        ("a row that is longer", longer),
        ("a row of 4", shorter(4)),
        ("a row of 8", shorter(8)),
        ("a row of 9", shorter(9)),
        ("a field that is cut", format!("id,puzzle\n0,{}\n{}", &lines[0][..100], columns.replace('|', ","))),
        ("an object that is none", format!("{{\"puzzle\":\"1\"}}\n{objects}")),
        ("another blank", text.replace('.', "x")),
    ] {
        let mut run = quadrille("solve");
        if what.contains("another blank") {
            run = run.args("--blank x");
        }
        let printed = run.stdin(input).ends().out;
        let last = solved.lines().last().expect("a solution");
        // If a count is too large, the missing grids follow the last grid.
        let found = printed.lines().rfind(|line| !line.starts_with("invalid")).expect("one is solved");
        assert_eq!(found, last, "{what}");
    }
    // With a named format, a small first record does not affect the others.
    let named = quadrille("solve --from line").stdin(format!("1...............\n{text}")).ends().out;
    assert_eq!(named.lines().count(), lines.len() + 1);
}

#[test]
fn each_line_with_a_whole_grid_is_one_record() {
    let line = |side: usize, clue: &str| format!("{clue}{}", ".".repeat(side * side - clue.len()));
    for (small, large) in [(8, 16), (6, 12), (9, 18), (12, 24), (4, 8), (4, 16), (6, 18), (4, 6)] {
        let text = format!("{}\n{}\n", line(small, "1"), line(large, "2"));
        let integers = quadrille("convert --side any --to integers").stdin(text).prints();
        let sides = quadrille("count --side any --limit 1 -F clues").stdin(integers).prints();
        assert_eq!(sides, "1\n1\n", "{small} and {large}");
    }
    // A grid on one line does not change how rows are read.
    let (grids, _) = hex();
    let rows: String =
        grids[0].as_bytes().chunks(16).map(|row| format!("{}\n", String::from_utf8_lossy(row))).collect();
    let solved = quadrille("solve --from grid").stdin(&*rows).prints();
    let printed = quadrille("solve").stdin(format!("{}\n{}", ".".repeat(81), rows.repeat(4))).prints();
    assert_eq!(printed.matches(&solved).count(), 4, "{printed}");
    // Nor does a blank within one row.
    let printed = quadrille("solve").stdin(format!("{} {}", &rows[..6], &rows[6..])).prints();
    assert_eq!(printed, solved);
    // Four grids that are not one 18x18.
    let four = format!("6\n{POJ}\n{}\n{POJ}\n", POJ.repeat(4));
    assert_eq!(quadrille("solve --from contest").stdin(four).prints(), format!("{POJ_SOLVED}\n").repeat(6));
    let good = format!("{POJ_SOLVED}\n");
    for cut in [1, 8, 9, 21, 40, 80] {
        let text = format!("7\n{}\n{}", &POJ[..cut], format!("{POJ}\n").repeat(6));
        let printed = quadrille("solve --from contest").stdin(&*text).prints();
        assert_eq!(printed.matches(&good).count(), 6, "{cut}: {printed}");
        assert!(printed.lines().count() <= 8, "{cut}: {printed}");
    }
}

#[test]
fn a_first_cell_is_not_a_count() {
    let row = |row: usize| {
        let cell = |column: usize| if column == row { format!("{} ", 1 + row % 3) } else { ". ".to_owned() };
        (0..10).map(cell).collect::<String>() + "\n"
    };
    for shift in 0..3 {
        let grid: String = (0..10).map(|place| row((place + shift) % 10)).collect();
        let grid = if shift == 0 {
            grid
        } else {
            format!("{}{grid}", row(0)).lines().take(10).collect::<Vec<_>>().join("\n") + "\n"
        };
        let printed = quadrille("count --limit 1 --fields clues").stdin(grid.repeat(4)).prints();
        assert_eq!(printed.lines().count(), 4, "{grid}: {printed}");
        assert!(!printed.contains("invalid"), "{printed}");
    }
    let integers: String = POJ
        .as_bytes()
        .chunks(9)
        .map(|row| row.iter().map(|&cell| format!("{} ", char::from(cell))).collect::<String>() + "\n")
        .collect();
    for cut in [5, 7, 8] {
        let short = format!("{}\n{}", &integers[..2 * cut], &integers[19..]);
        for format in ["integers", "contest"] {
            let text = format!("{short}{}", integers.repeat(3));
            let printed = quadrille("solve --from").arg(format).stdin(text).prints();
            assert_eq!(printed.matches(POJ_SOLVED).count(), 3, "{format} {cut}: {printed}");
        }
    }
}

#[test]
fn everything_left_out_is_reported() {
    let good = format!("{POJ_SOLVED}\n");
    let printed = quadrille("solve --from contest").stdin(format!("0\n{}", rows())).prints();
    assert_eq!(printed, format!("invalid\ta line outside of any grid: 1 cell, but a row has 9\n{good}"));
    assert_eq!(quadrille("solve --from contest").stdin("0\n").prints(), "");
    let zeros = "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 abc\n".repeat(3);
    assert_eq!(quadrille("solve").stdin(&*zeros).ends().code, Some(6));
    assert_eq!(quadrille("solve --from integers").stdin(zeros).ends().code, Some(6));
    let ended = quadrille("solve").stdin(format!("1\n{}\nGARBAGE\nx\n", rows())).ends();
    assert_eq!((ended.code, &*ended.out), (Some(0), &*good));
    assert!(ended.err.contains("T is 1, and 1 grid was found: 2 lines are ignored"), "{}", ended.err);
}

#[test]
fn one_carriage_return_or_heading_does_not_change_other_lines() {
    let good = format!("{POJ_SOLVED}\n");
    let lines = format!("{POJ}\n").repeat(6);
    for (text, records) in [
        (format!("{POJ} # a\r# b\n{lines}"), 7),
        (format!("{POJ}\r{POJ}\r{POJ}\n"), 3),
        (format!("{POJ}\r{POJ}\r\n"), 2),
        (format!("id,puzzle\r1,{POJ}\r2,{POJ}\n"), 2),
        (format!("{}\n", rows().repeat(2).trim().replace('\n', "\r")), 2),
    ] {
        assert_eq!(quadrille("solve").stdin(&*text).prints(), good.repeat(records), "{text:?}");
    }
    for heading in ["[Puzzle]", "Grid 07"] {
        for text in [format!("{lines}{heading}\n{lines}"), format!("puzzle\n{lines}{heading}\n{lines}")] {
            let printed = quadrille("solve").stdin(&*text).prints();
            assert_eq!(printed.matches(&good).count(), 12, "{text}: {printed}");
        }
    }
    for name in ["puzzle", "id,puzzles"] {
        let printed = quadrille("solve").stdin(format!("{name}\n{}", rows().repeat(3))).prints();
        assert_eq!(printed.matches(&good).count(), 3, "{name}: {printed}");
    }
    // With its quotes, a 4x4 is as long as a row of an 18x18.
    let quoted = "\"puzzle\"\n".to_owned() + &format!("\"{}\"\n", ".".repeat(16)).repeat(5);
    assert_eq!(quadrille("count").stdin(quoted).prints(), "288\n".repeat(5));
    let ended = quadrille("solve --column 2").stdin(format!("{POJ},1\n")).ends();
    assert_eq!(ended.out.lines().count(), 1, "{}", ended.err);
    let printed = quadrille("solve").stdin(format!("{{}}\n{lines}")).prints();
    assert_eq!(printed.matches(&good).count(), 6, "{printed}");
}

#[test]
fn integers_of_large_sides_may_have_a_bad_line() {
    let digit = |row: usize, column: usize| (4 * (row % 4) + row / 4 + column) % 16 + 1;
    let row =
        |row: usize| (0..16).map(|column| format!("{} ", digit(row, column))).collect::<String>() + "\n";
    let grid: String = (0..16).map(row).collect();
    let lines: Vec<&str> = grid.lines().collect();
    for bad in 0..16 {
        let text: String = (0..)
            .zip(&lines)
            .map(|(at, line)| if at == bad { "abc\n".to_owned() } else { format!("{line}\n") })
            .collect();
        let printed = quadrille("count --limit 1").stdin(format!("{text}{}", grid.repeat(3))).ends().out;
        assert!(printed.lines().filter(|line| ["1", ">=1"].contains(line)).count() >= 3, "{bad}: {printed}");
    }
}

#[test]
fn ids_of_objects_are_kept() {
    let object = |id: &str| format!("{{\"n\":-75,\"id\":{id},\"puzzle\":\"{POJ}\"}}\n");
    for (id, said) in [
        (r#""a\"b""#, "a\"b"),
        (r#""\u0041\tz""#, "A z"),
        ("123456789012345678901", "123456789012345678901"),
        ("18446744073709551616", "18446744073709551616"),
        ("1e3", "1e3"),
        ("1.50", "1.50"),
        ("-7", "-7"),
        ("null", ""),
    ] {
        let printed = quadrille("solve --fields id,status").stdin(object(id)).prints();
        assert_eq!(printed, format!("{said}\tsolved\n"), "{id}");
    }
    let object = object(r#""a\"\u0041\n""#);
    let written = quadrille("solve --to jsonl --fields id").stdin(&*object).prints();
    let read: serde_json::Value = serde_json::from_str(&written).expect("an object");
    assert_eq!(read["id"], "a\"A\n", "{written}");
    let echoed = quadrille("solve --echo-id").stdin(object).prints();
    assert_eq!(echoed, format!("a\"A \t{POJ_SOLVED}\n"));
}

#[test]
fn numbers_that_a_spreadsheet_rounded_are_never_puzzles() {
    let reason = |number: &str| {
        format!(
            "a number rounded by a spreadsheet, {number}: its digits are lost (keep such columns as text)"
        )
    };
    let solved = |number: &str| format!("invalid\t{}\n", reason(number));
    for (text, numbers, line) in [
        ("puzzle,solution\n8.26100E+80,1.4E+80\n1.00007E+80,1.4E+80\n", ["8.26100E+80", "1.00007E+80"], 2),
        ("id;puzzle\n1;8,26100E+80\n2;1E+80\n", ["8,26100E+80", "1E+80"], 2),
        ("8.26100E+80\n1.00007E+80\n", ["8.26100E+80", "1.00007E+80"], 1),
        ("# mine\n8,26100E+80 id\n+1.00007e79\n", ["8,26100E+80", "+1.00007e79"], 2),
        ("{\"puzzle\":8.261e80}\n{\"puzzle\":\"1.4E+80\"}\n", ["8.261e80", "1.4E+80"], 1),
    ] {
        for verb in ["solve", "check", "rate", "canon"] {
            let ended = quadrille(verb).stdin(text).ends_with(6);
            assert_eq!(ended.out, numbers.map(solved).concat(), "{verb}: {text}");
            let said =
                format!("numbers rounded by a spreadsheet, the first in -:{line}; keep such columns as text");
            assert!(ended.err.contains(&said), "{verb}: {text}: {}", ended.err);
        }
        assert!(
            quadrille("estimate").stdin(text).ends_with(6).err.contains("rounded by a spreadsheet"),
            "{text}"
        );
    }
    // Rounded numbers among other rows, and as a solution.
    let text = format!(
        "puzzle,solution\n{POJ},{POJ_SOLVED}\n{POJ},1.4E+80\n9.1E+80,{POJ_SOLVED}\n{POJ},{POJ_SOLVED}\n"
    );
    let ended = quadrille("check").stdin(text).ends_with(0);
    assert_eq!(
        ended.out,
        format!("correct\nwrong\t{}\ninvalid\t{}\ncorrect\n", reason("1.4E+80"), reason("9.1E+80"))
    );
    assert!(
        ended.err.contains("hint: numbers rounded by a spreadsheet in 2 records, the first in -:3;"),
        "{}",
        ended.err
    );
}

#[test]
fn numbers_of_81_digits_that_a_spreadsheet_cut_off_are_never_puzzles() {
    let cut = |digits: &str| digits.to_owned() + &"0".repeat(81 - digits.len());
    let (one, other) = (cut("530070000600195"), cut("100007090030020"));
    let reason = |number: &str| {
        format!(
            "a number rounded by a spreadsheet, {} and zeros: its other digits are lost (keep such columns as text; \
             --from reads the number as it is)",
            &number[..15]
        )
    };
    for (text, format, line) in [
        (format!("puzzle,id\n{one},1\n{other},2\n"), "csv", 2),
        (format!("id;puzzle;note\n1;{one};\n2;\"{other}\";x\n"), "csv", 2),
        (format!("{one}\n{other}\n"), "line", 1),
        (format!("# mine\n{one} a\n{other}\r\n"), "line", 2),
        (format!("{{\"puzzle\":\"{one}\"}}\n{{\"puzzle\":\"{other}\"}}\n"), "jsonl", 1),
    ] {
        for verb in ["solve", "check", "rate", "canon", "count"] {
            let ended = quadrille(verb).stdin(text.as_str()).ends_with(6);
            let rows = [&one, &other].map(|number| format!("invalid\t{}\n", reason(number))).concat();
            assert_eq!(ended.out, rows, "{verb}: {text}");
            let said =
                format!("numbers rounded by a spreadsheet, the first in -:{line}; keep such columns as text");
            assert!(ended.err.contains(&said), "{verb}: {text}: {}", ended.err);
        }
        let named = format!("count --limit 2 --from {format}");
        let out = quadrille(&named).stdin(text.as_str()).prints();
        assert_eq!(out, ">=2\n".repeat(2), "{named}: {text}");
    }
    // Puzzles that people write by hand: dots, only a first row, nothing at all, rules.
    for text in [one.replace('0', "."), cut("123456789"), cut(""), one.clone() + "\t.AntiKnight"] {
        let out = quadrille("solve --fields status").stdin(text.as_str()).prints();
        assert!(matches!(&*out, "solved\n" | "none\n"), "{text}: {out}");
    }
    // The same text among other puzzles, and as a solution.
    let text = format!("{POJ}\n{one}\n{POJ}\n");
    assert_eq!(
        quadrille("solve").stdin(text).ends_with(0).out,
        format!("{POJ_SOLVED}\ninvalid\t{}\n{POJ_SOLVED}\n", reason(&one))
    );
    let solution = cut(&POJ_SOLVED[..15]);
    let text = format!("puzzle,solution\n{POJ},{solution}\n{POJ},{POJ_SOLVED}\n");
    let out = quadrille("check").stdin(text).ends_with(0).out;
    assert_eq!(out, format!("wrong\t{}\ncorrect\n", reason(&solution)));
}

#[test]
fn exact_cover_input_needs_no_option() {
    for (text, from) in [
        ("A B C D E F G\nC E F\nA D G\nB C F\nA D\nB G\nD E G\n", "dlx"),
        ("p q x y\np q\nx y |4\np x\nq y\n", "dlx"),
        ("3 5 6\n1 4 7\n2 3 6\n1 4\n2 7\n4 5 7\n", "sets"),
        ("6 7\n0010110\n1001001\n0110010\n1001000\n0100001\n0001101\n", "matrix"),
    ] {
        for verb in ["solve", "count"] {
            let named = quadrille(verb).args(&format!("--from {from}")).stdin(text).prints();
            assert_eq!(quadrille(verb).stdin(text).prints(), named, "{text}");
        }
    }
    // Words and damaged grids are not read, and get no such hint.
    for text in ["one two\nthree four\n", "1 2 3 4 5 6 7 8 9\n4 5 6 7 8 9 1 2 3\n", "1\n2\n"] {
        let ended = quadrille("solve").stdin(text).ends_with(6);
        assert!(
            !ended.err.contains("--from dlx") && !ended.err.contains("--from sets"),
            "{text}: {}",
            ended.err
        );
    }
}
