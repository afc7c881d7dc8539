//! Line ends and the byte order mark: rows of the input keep those of the first source, unless an option says
//! otherwise.

use super::{POJ, POJ_SOLVED, quadrille};

const MARK: &str = "\u{feff}";

/// Returns a table whose header and first row have a line feed between quotes.
fn table(mark: &str, end: &str) -> String {
    format!("{mark}id;\"a\nnote\";puzzle{end}1;\"x\ny\";{POJ}{end}2;z;{POJ}{end}")
}

/// Returns the rows of a grid, followed by an empty line.
fn tall(end: &str) -> String {
    let rows = POJ.as_bytes().chunks(9).map(|row| std::str::from_utf8(row).expect("digits"));
    rows.chain([""]).map(|row| format!("{row}{end}")).collect()
}

/// Runs the command in `words` on `input` and returns its output.
fn printed(words: &str, input: &str) -> String {
    quadrille(words).args("-q").stdin(input).prints()
}

#[test]
fn kept_rows_are_the_bytes_of_the_input() {
    let other = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(other.path(), format!("{}\n", POJ_SOLVED)).unwrap();
    let overlap = format!("overlap {} -", other.path().display());
    for end in ["\n", "\r\n", "\r"] {
        let objects = format!("{{\"n\": 1, \"puzzle\": \"{POJ}\"}}{end}");
        let lines = format!("{POJ} # one{end}");
        for text in [&*lines, &*objects, &*tall(end)] {
            for mark in ["", MARK] {
                let text = format!("{mark}{text}");
                assert_eq!(printed("dedup --by text", &text), text);
            }
        }
        let (first, second) = (format!("{MARK}{lines}"), format!("{POJ}\n"));
        assert_eq!(printed("dedup --all", &first), format!("{MARK}{POJ} # one\t1\t1\t1{end}"));
        assert_eq!(printed(&overlap, &first), format!("{MARK}{POJ} # one\tsame-grid\t1{end}"));
        assert_eq!(printed(&overlap, &second), format!("{POJ}\tsame-grid\t1\n"));
        assert_eq!(printed("dedup --all", &tall(end)), format!("# 1 1 1{end}{}", tall(end)));
        let with_class =
            format!("{{\"n\": 1, \"puzzle\": \"{POJ}\",\"q_class\":1,\"q_first\":1,\"q_size\":1}}{end}");
        assert_eq!(printed("dedup --all", &objects), with_class);
    }
}

#[test]
fn tables_keep_line_ends_and_byte_order_mark() {
    for end in ["\n", "\r\n"] {
        for mark in ["", MARK] {
            let text = table(mark, end);
            let with = |head: &str, row: &str| {
                format!(
                    "{mark}id;\"a\nnote\";puzzle;{head}{end}1;\"x\ny\";{POJ};{row}{end}2;z;{POJ};{row}{end}"
                )
            };
            for (words, expected) in [
                ("solve --to csv -F solution", with("q_solution", POJ_SOLVED)),
                ("count --to csv -F count", with("q_count", "1")),
                ("check --to csv -F status", with("q_status", "unique")),
                ("canon --to csv -F status", with("q_status", "unique")),
                ("rate --to csv -F er", with("q_er", "1.2")),
                ("dedup --all", with("q_class;q_first;q_size", "1;1;2")),
            ] {
                assert_eq!(printed(words, &text), expected, "{words}");
            }
            let converted = text.replace('\u{feff}', "");
            let converted = format!("{mark}{}", converted.replace('0', "."));
            assert_eq!(printed("convert --to csv --delimiter ;", &text), converted);
            // Rows without columns of the input end in line feeds.
            assert_eq!(printed("solve", &text), format!("{POJ_SOLVED}\n").repeat(2));
            assert_eq!(printed("check", &text), "unique\n".repeat(2));
            assert!(!printed("solve --to jsonl", &text).contains('\r'));
        }
    }
}

#[test]
fn parts_have_the_byte_order_mark_and_line_ends_of_the_whole() {
    let directory = tempfile::tempdir().unwrap();
    let input = directory.path().join("all.csv");
    std::fs::write(&input, table(MARK, "\r\n")).unwrap();
    let out = directory.path().join("part-{}.csv");
    quadrille("split-corpus --parts one=1,two=1 -q").arg(&input).arg("-o").arg(&out).ends_with(0);
    let parts: Vec<String> = ["one", "two"]
        .map(|name| std::fs::read_to_string(directory.path().join(format!("part-{name}.csv"))).unwrap())
        .into();
    let head = format!("{MARK}id;\"a\nnote\";puzzle\r\n");
    let rests: Vec<&str> = parts.iter().map(|part| part.strip_prefix(&*head).expect("the head")).collect();
    assert_eq!(
        format!("{head}{}", rests.concat()),
        table(MARK, "\r\n"),
        "equal puzzles are in one part, in order"
    );
}

#[test]
fn the_first_source_decides() {
    let directory = tempfile::tempdir().unwrap();
    let (dos, unix) = (directory.path().join("dos.csv"), directory.path().join("unix.csv"));
    std::fs::write(&dos, table(MARK, "\r\n")).unwrap();
    std::fs::write(&unix, table("", "\n")).unwrap();
    let solve = |files: [&std::path::Path; 2]| {
        quadrille("solve --to csv -F status -q -j1").arg(files[0]).arg(files[1]).prints()
    };
    let rows = |end: &str| format!("1;\"x\ny\";{POJ};solved{end}2;z;{POJ};solved{end}").repeat(2);
    let head = |mark: &str, end: &str| format!("{mark}id;\"a\nnote\";puzzle;q_status{end}");
    assert_eq!(solve([&dos, &unix]), head(MARK, "\r\n") + &rows("\r\n"));
    assert_eq!(solve([&unix, &dos]), head("", "\n") + &rows("\n"));
    let tall_dos = directory.path().join("dos.txt");
    std::fs::write(&tall_dos, tall("\r\n")).unwrap();
    let kept = quadrille("dedup --by text -q -").arg(&tall_dos).stdin(tall("\n").replace('1', ".")).prints();
    assert_eq!(kept, tall("\n").replace('1', ".") + &tall("\n"));
}

#[test]
fn line_ends_can_be_chosen() {
    let lines = format!("{POJ}\r\n").repeat(3);
    for (ends, end) in [("keep", "\n"), ("lf", "\n"), ("crlf", "\r\n")] {
        let ask = |words: &str| printed(&format!("{words} --line-ends {ends}"), &lines);
        assert_eq!(ask("solve"), format!("{POJ_SOLVED}{end}").repeat(3));
        assert_eq!(ask("count"), format!("1{end}").repeat(3));
        assert_eq!(ask("check"), format!("unique{end}").repeat(3));
        assert_eq!(ask("rate"), format!("1.2{end}").repeat(3));
        assert_eq!(ask("convert --to-blank 0"), format!("{POJ}{end}").repeat(3));
        let contest = ask("solve --to contest");
        assert_eq!(contest.matches(end).count(), 27, "{contest:?}");
        let text = table(MARK, "\r\n");
        let kept = printed(&format!("dedup --line-ends {ends} --by text --all -F puzzle"), &text);
        assert_eq!(kept, format!("{POJ}\t1\t1\t2{end}").repeat(2), "chosen fields are not the input's rows");
        let whole = printed(&format!("dedup --line-ends {ends}"), &table(MARK, "\r\n"));
        let (mark, end) = if ends == "keep" { (MARK, "\r\n") } else { ("", end) };
        assert_eq!(whole, format!("{mark}id;\"a\nnote\";puzzle{end}1;\"x\ny\";{POJ}{end}"));
    }
    quadrille("solve --line-ends cr -").ends_with(2);
}
