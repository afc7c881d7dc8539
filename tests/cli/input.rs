//! Input formats: contest files as people have them, lines, other symbols, compressed files.

use std::io::Write;

use super::{EMPTY_9X9, POJ, POJ_SOLVED, data, quadrille};

/// Returns the nine rows of [`POJ`].
fn rows() -> Vec<&'static str> {
    (0..9).map(|row| &POJ[9 * row..9 * row + 9]).collect()
}

/// Returns the cells of [`POJ`] separated by blanks.
fn spaced() -> String {
    POJ.chars().map(String::from).collect::<Vec<_>>().join(" ")
}

#[test]
fn contest_files_are_read_in_every_shape() {
    let plain = rows().join("\n");
    let rows_spaced: Vec<String> =
        rows().iter().map(|row| row.chars().map(String::from).collect::<Vec<_>>().join(" ")).collect();
    let shapes = [
        ("T on its own line", format!("1\n{plain}\n")),
        ("T with a trailing blank", format!("1 \n{plain}\n")),
        ("no last newline", format!("1\n{plain}")),
        ("T and the grid's line", format!("1 {POJ}\n")),
        ("T and the first row", format!("1 {plain}\n")),
        ("blanks between cells", format!("1\n{}\n", rows_spaced.join("\n"))),
        ("blank lines before and after", format!("\n1\n\n{plain}\n\n\n")),
        ("CRLF", format!("1\r\n{}\r\n", rows().join("\r\n"))),
        ("trailing blanks", format!("1  \n{}  \n", rows().join("  \n"))),
        ("82 integers on a line", format!("1 {}\n", spaced())),
        ("81 integers on a line", format!("{}\n", spaced())),
        ("no T", format!("{plain}\n")),
        ("no T and blanks between cells", format!("{}\n", rows_spaced.join("\n"))),
    ];
    for (shape, input) in shapes {
        let solved = quadrille("solve --to contest").stdin(input).prints();
        assert_eq!(solved, data("poj2676.out"), "{shape}");
    }
}

#[test]
fn blank_lines_may_separate_the_grids_of_a_contest_file() {
    let grid = rows().join("\n");
    let input = format!("2\n\n{grid}\n\n{grid}\n");
    assert_eq!(quadrille("solve").stdin(input).prints(), format!("{POJ_SOLVED}\n").repeat(2));
}

#[test]
fn a_count_of_cases_that_is_too_small_warns() {
    let ended = quadrille("solve data/malformed/t-too-small.txt").ends();
    assert_eq!((ended.code, ended.out), (Some(0), format!("{POJ_SOLVED}\n")));
    assert!(ended.err.contains("T is 1, and 3 grids were found"), "{}", ended.err);
}

#[test]
fn a_count_of_cases_that_is_too_large_leaves_invalid_cases() {
    let run = || quadrille("solve data/malformed/t-too-large.txt");
    let missing = "invalid\tT is 3, but only 1 grid was found\n";
    assert_eq!(run().prints(), format!("{POJ_SOLVED}\n{missing}{missing}"));
    let judged = run().args("--to contest").ends();
    assert_eq!((judged.code, judged.out), (Some(0), data("poj2676.out")));
    assert_eq!(judged.err.matches("T is 3, but only 1 grid was found").count(), 2, "{}", judged.err);
}

#[test]
fn a_case_without_a_solution_prints_nothing_for_judges() {
    let input = format!("2\n77{}\n{POJ}\n", &POJ[2..]);
    let ended = quadrille("solve --to contest").stdin(input).ends();
    assert_eq!((ended.code, ended.out), (Some(0), data("poj2676.out")));
    assert!(ended.err.contains("case 1: none: two 7s in row 1"), "{}", ended.err);
}

#[test]
fn lines_are_read_in_every_form() {
    let expected = quadrille("solve data/formats/line-dots.txt").prints();
    assert_eq!(expected.lines().count(), 3);
    for name in [
        "line-comments.txt",
        "line-count-first.txt",
        "line-cr.txt",
        "line-crlf.txt",
        "line-dashes.txt",
        "line-mark.txt",
        "line-no-last-newline.txt",
        "line-questions.txt",
        "line-stars.txt",
        "line-tails.txt",
        "line-two-members.txt.gz",
        "line-underscores.txt",
        "line-zeros.txt",
        "line.sdm",
        "line.txt.gz",
        "pencilmarks.txt",
        "contest.txt",
        "contest-untidy.txt",
        "contest-one-line.txt",
        "puzzle.csv",
        "question.csv",
        "rated.csv",
        "table.tsv",
        "grid.txt",
        "grid-framed.txt",
        "grid-spaced.txt",
        "euler.txt",
        "grid-order-first.txt",
        "drawing.txt",
        "sheet.csv",
        "candidates.txt",
        "list.json",
        "list-numpy.txt",
        "hodoku.txt",
        "opensudoku.xml",
        "line-ids.txt",
        "line-middle-dots.txt",
        "line-full-width.txt",
        "line-utf16.txt",
        "table-blanks.txt",
    ] {
        assert_eq!(quadrille("solve").arg(format!("data/formats/{name}")).prints(), expected, "{name}");
    }
}

#[test]
fn formats_of_other_programs_are_read() {
    for name in ["one.sdk", "one.ss", "integers-82.txt"] {
        let solved = quadrille("solve --to contest").arg(format!("data/formats/{name}")).prints();
        assert_eq!(solved, data("poj2676.out"), "{name}");
    }
}

#[test]
fn large_grids_may_be_integers() {
    for (file, side) in [("16x16-integers.txt", 16), ("25x25-integers.txt", 25)] {
        let text = quadrille("solve --unique --fields status,solution").arg(format!("data/{file}")).prints();
        assert!(text.lines().count() >= 2, "{file}");
        for line in text.lines() {
            let (status, solution) = line.split_once('\t').expect("two fields");
            assert_eq!(status, "unique", "{file}");
            let mut digits: Vec<usize> = solution
                .split_whitespace()
                .take(side)
                .map(|word| word.parse().expect("an integer"))
                .collect();
            digits.sort_unstable();
            assert_eq!(digits, (1..=side).collect::<Vec<_>>(), "{file}: its first row");
        }
    }
}

#[test]
fn a_truncated_grid_is_invalid_and_its_neighbours_are_valid() {
    let text = quadrille("solve --fields status data/malformed/grid-cut.txt").prints();
    let words: Vec<&str> = text.lines().collect();
    assert_eq!((words.first(), words.contains(&"invalid")), (Some(&"solved"), true), "{text}");
}

#[test]
fn unreadable_records_are_invalid_and_shift_no_others() {
    let expected = quadrille("solve data/formats/line-dots.txt").prints();
    let expected: Vec<&str> = expected.lines().collect();
    for (name, reason) in [
        ("short-line.txt", "80 characters"),
        ("long-line.txt", "82 characters"),
        ("bad-character.txt", "'$' in column 41"),
        ("not-utf8.txt", "0xff"),
        ("nul-bytes.txt", "U+0000 (NUL)"),
    ] {
        let text = quadrille("solve").arg(format!("data/malformed/{name}")).prints();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines.len(), lines[0], lines[2]), (3, expected[0], expected[2]), "{name}");
        assert!(lines[1].starts_with("invalid\t") && lines[1].contains(reason), "{name}: {}", lines[1]);
    }
    let short = &POJ[..80];
    let text =
        quadrille("solve --fields index,line,byte,status").stdin(format!("#\n\n{POJ}\n{short}\n{POJ}"));
    assert_eq!(text.prints(), "1\t3\t3\tsolved\n2\t4\t85\tinvalid\n3\t5\t166\tsolved\n");
}

#[test]
fn an_empty_input_has_no_output() {
    for verb in ["solve", "count", "check", "best"] {
        assert_eq!(quadrille(verb).stdin("").prints(), "", "{verb}");
        assert_eq!(quadrille(verb).arg("data/malformed/blank-lines.txt").prints(), "", "{verb}");
        assert_eq!(quadrille(verb).args("--to jsonl").stdin("").prints(), "", "{verb}");
    }
    assert_eq!(
        quadrille("solve --to csv").stdin("").prints(),
        "index,puzzle,status,solution,reason,ended_by\n"
    );
    assert_eq!(quadrille("solve --to csv --no-header").stdin("").prints(), "");
}

#[test]
fn kept_lines_stay_aligned() {
    let input = format!("# a comment\n{POJ}\n\n{}\n", EMPTY_9X9.trim_end().replacen('.', "99", 1));
    let text = quadrille("solve --keep-lines").stdin(input.clone()).prints();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), &lines[..3]), (4, ["", POJ_SOLVED, ""].as_slice()));
    assert!(lines[3].starts_with("invalid\t82 characters"), "{}", lines[3]);
    assert_eq!(quadrille("solve").stdin(input).prints().lines().count(), 2);
}

#[test]
fn another_blank_can_be_named_and_gets_a_hint() {
    let refused = quadrille("solve data/malformed/blank-x.txt").ends_with(6);
    assert_eq!(
        refused.out.matches("invalid\t'x' in each cell without a digit").count(),
        3,
        "{}",
        refused.out
    );
    assert!(refused.err.contains("looks like grids with another empty cell: --blank 'x'"), "{}", refused.err);
    let marks = "solve --marks on data/malformed/blank-x.txt";
    let ended = quadrille(&format!("{marks} --stats")).ends();
    assert_eq!(ended.out, "none\tletter x twice in row 1\n".repeat(3));
    assert!(ended.err.contains("--blank x"), "{}", ended.err);
    let unasked = quadrille(marks).ends();
    assert!(unasked.err.contains("--blank x"), "the hint does not need a summary: {}", unasked.err);
    assert_eq!(quadrille(&format!("{marks} -q")).ends().err, "");
    let solved = quadrille("solve --blank x data/malformed/blank-x.txt").prints();
    assert_eq!(solved, quadrille("solve data/formats/line-dots.txt").prints());
    let two = quadrille("solve --blank ab data/malformed/blank-x.txt").ends_with(2);
    assert!(two.err.contains("expected one printable character"), "{}", two.err);
}

#[test]
fn a_blank_that_begins_comments_elsewhere_loses_no_record() {
    let puzzle =
        ".3..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".replace('.', "#");
    let rows: Vec<&str> = (0..81).step_by(9).map(|at| &puzzle[at..at + 9]).collect();
    let grid = rows.join("\n") + "\n";
    for text in [format!("{puzzle}\n{}\n", "#".repeat(81)), format!("{grid}\n{grid}")] {
        let counted = quadrille("count --limit 2 --blank #").stdin(text).prints();
        assert_eq!(counted.lines().count(), 2, "{counted}");
        assert!(counted.lines().all(|count| matches!(count, "1" | ">=2")), "{counted}");
    }
}

#[test]
fn ids_are_written_if_asked_for() {
    let input = format!("{POJ} # my id 7\n");
    assert_eq!(quadrille("solve --echo-id").stdin(input).prints(), format!("my id 7\t{POJ_SOLVED}\n"));
}

#[test]
fn compressed_files_are_read_by_their_first_bytes() {
    let plain = data("random-1000.txt");
    let expected = quadrille("solve data/random-1000.txt").prints();
    let gzip = |text: &str| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(text.as_bytes()).and_then(|()| packer.finish()).expect("memory takes it")
    };
    let zstd = |text: &str| zstd::encode_all(text.as_bytes(), 1).expect("memory takes it");
    let (first, second) = plain.split_at(plain.len() / 2);
    for (what, bytes) in [
        ("gzip", gzip(&plain)),
        ("two gzip members", [gzip(first), gzip(second)].concat()),
        ("zstd", zstd(&plain)),
        ("two zstd frames", [zstd(first), zstd(second)].concat()),
    ] {
        assert_eq!(quadrille("solve").stdin(bytes).prints(), expected, "{what}");
    }

    let packed = gzip(&plain);
    let packed_zstd = zstd(&plain);
    for cut in [&packed[..packed.len() / 2], &packed_zstd[..packed_zstd.len() / 2]] {
        let ended = quadrille("solve").stdin(cut).ends();
        assert_eq!(ended.code, Some(1), "{}", ended.err);
        assert!(ended.err.contains("reading -: "), "{}", ended.err);
        assert!(ended.out.lines().zip(expected.lines()).all(|(line, right)| line == right));
    }
}

#[test]
fn records_of_a_truncated_file_are_answered_before_the_error() {
    let ended = quadrille("solve data/malformed/truncated.txt.gz --fields status").ends();
    assert_eq!(ended.code, Some(1));
    assert!(ended.out.lines().count() >= 1, "{}", ended.err);
    assert!(ended.err.contains("truncated.txt.gz"), "{}", ended.err);
    let ended = quadrille("solve data/malformed/bad-checksum.txt.gz --fields status").ends();
    assert_eq!((ended.code, ended.out), (Some(1), "solved\n".repeat(120)));
}

#[test]
fn a_zip_archive_gets_a_hint() {
    let error = quadrille("solve data/malformed/archive.zip").fails(6);
    assert!(error.contains("unzip -p data/malformed/archive.zip |"), "{error}");
}

#[test]
fn a_tar_archive_gets_a_hint() {
    let mut archive = vec![0; 512];
    archive[..6].copy_from_slice(b"in.csv");
    archive[257..262].copy_from_slice(b"ustar");
    archive.extend_from_slice(format!("id,puzzle\n7,{POJ}\n").as_bytes());
    let ended = quadrille("solve").stdin(archive).ends_with(6);
    assert!(ended.err.contains("a tar archive: tar -xOf ARCHIVE NAME |"), "{}", ended.err);
    assert!(ended.out.is_empty());
}

#[test]
fn several_files_are_one_corpus() {
    let text =
        quadrille("solve data/poj2676.txt data/kaggle-1000.csv data/4x4.txt --fields index,source,line")
            .prints();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1021);
    assert_eq!(lines[0], "1\tdata/poj2676.txt\t2");
    assert_eq!(lines[1], "2\tdata/kaggle-1000.csv\t2");
    assert_eq!(lines[1020], "1021\tdata/4x4.txt\t20");
}

#[test]
fn a_missing_file_is_an_error_and_the_others_are_answered() {
    let ended = quadrille("solve data/malformed/no-such-file.txt data/poj2676.txt").ends();
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("no-such-file.txt"), "{}", ended.err);
    assert_eq!(ended.err.matches("os error").count(), 1, "the cause is said once: {}", ended.err);
}

#[test]
fn record_numbers_of_a_shard_carry_its_offset() {
    let run = quadrille("solve --index-offset 500 --fields index").stdin(format!("{POJ}\n{POJ}\n"));
    assert_eq!(run.prints(), "501\n502\n");
}
