//! Grids in rows with a line that should not be there, or should.

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
        (format!("{POJ_SOLVED}\n"), "invalid\ta line outside of any grid: 8 cells, a row has 9\n");
    let none = "invalid\ta line outside of any grid: 1 cell, a row has 9\n";
    for (what, input, expected) in [
        ("in front", format!("12345678\n{0}{0}", rows()), [stray, &good, &good].concat()),
        ("in front of frames", format!("12345678\n{framed}{framed}"), [stray, &good, &good].concat()),
        ("between", format!("{0}\n12345678\n\n{0}", rows()), [&*good, stray, &good].concat()),
        ("between T and grids", format!("2\n12345678\n{0}{0}", rows()), [stray, &good, &good].concat()),
        ("in front of T", format!("12345678\n2\n{0}{0}", rows()), [stray, &good, &good].concat()),
        ("behind", format!("{0}\n{0}\nx\n", rows()), [&*good, &good, none].concat()),
    ] {
        let format = if what.contains('T') { "contest" } else { "grid" };
        assert_eq!(quadrille("solve --format").arg(format).stdin(input).prints(), expected, "{what}");
    }
    let places =
        quadrille("solve --fields line,byte,status").stdin(format!("{0}\n12345678\n{0}", rows())).prints();
    assert_eq!(places, "1\t0\tsolved\n11\t91\tinvalid\n12\t100\tsolved\n");
}

#[test]
fn a_row_that_stands_twice_in_a_grid_costs_that_grid() {
    // Without its first row the first grid would be whole too, but for a digit twice in a column.
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
    assert_eq!(text, format!("{POJ_SOLVED}\ninvalid\tT=12345678, found 1\n"));
    // From 100,000 on a count has one record for all that is missing, unless half is there.
    for (count, records) in [("99999", 99_999), ("100000", 2), ("6666664", 2)] {
        let text = quadrille("solve").stdin(format!("{count}\n{}", rows())).prints();
        assert_eq!(text.lines().count(), records, "{count}");
        assert!(text.ends_with(&format!("invalid\tT={count}, found 1\n")), "{count}");
    }
    // Rows of zeros and ones are no counts.
    let small = "1004\n0020\n0300\n4001\n";
    assert_eq!(
        quadrille("count").stdin(small).prints(),
        quadrille("count").stdin("1004002003004001\n").prints()
    );
}

#[test]
fn lines_of_small_grids_or_rows_of_large_ones_have_to_be_named() {
    let marks = "1..e..o...a..a.4\n";
    let both = marks.repeat(16);
    let error = quadrille("solve").stdin(both.clone()).fails(6);
    assert!(error.contains("--side"), "{error}");
    assert_eq!(quadrille("count --side 4").stdin(both.clone()).prints().lines().count(), 16);
    assert_eq!(quadrille("count --format line").stdin(both.clone()).prints().lines().count(), 16);
    assert_eq!(quadrille("solve --side 16 --fields status").stdin(both).ends().out.lines().count(), 1);
    // Three lines make no 16x16.
    assert_eq!(quadrille("count").stdin(marks.repeat(3)).prints().lines().count(), 3);
}

#[test]
fn what_other_tools_leave_is_read_or_named() {
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
    assert_eq!(run("solve --format jsonl --column q --fields status"), "invalid\ninvalid\nsolved\n");
}

#[test]
fn an_input_that_cannot_be_read_is_loud() {
    for (input, said) in [
        (&b"PAR1\0\0\0\0"[..], "a Parquet file"),
        (b"%PDF-1.4\n", "a PDF: pdftotext"),
        (b"PK\x03\x04xl/", "save it as CSV"),
        (
            b"<svg></svg>\n",
            "none of 1 records could be read; the input was taken for line, and looks like a page or a drawing",
        ),
        (b"a|b\n1|2\n", "--format csv --column NAME"),
        (b"[{\"puzzle\": 1}]\n", "a JSON array: jq"),
        (
            b"hello\nworld\n",
            "none of 2 records could be read; the input was taken for line; --format says what it is",
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
    // Half of it is enough.
    let half = quadrille("solve").stdin(format!("{POJ}\nhello\n")).ends();
    assert_eq!((half.code, half.err.as_str()), (Some(0), ""));
}
