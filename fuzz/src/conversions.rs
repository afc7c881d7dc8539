//! Conversion of records to another format.

use quadrille::Alphabet;
use quadrille::batch::{BatchOptions, Query};
use quadrille::input::{ColumnRef, Format, InputOptions};
use quadrille::output::{Conversion, OutputFormat, PuzzleText};

use super::bytes::Bytes;
use super::parsing::{Formats, options as input_options};
use super::runs::run;

/// Formats with one line per record: name, puzzle notation, output format, and the format that reads it.
///
/// Formats in rows are tested by the target `rows`: with sides that vary, the reader has to guess.
const WRITTEN: [(&str, PuzzleText, OutputFormat, Format); 7] = [
    ("line", PuzzleText::Line, OutputFormat::Text, Format::Line),
    ("pencilmarks", PuzzleText::Pencilmarks, OutputFormat::Text, Format::Line),
    ("iss", PuzzleText::Iss, OutputFormat::Text, Format::Line),
    ("hodoku", PuzzleText::HoDoKu, OutputFormat::Text, Format::Line),
    ("opensudoku", PuzzleText::OpenSudoku, OutputFormat::Text, Format::OpenSudoku),
    ("csv", PuzzleText::Field, OutputFormat::Csv, Format::Csv),
    ("jsonl", PuzzleText::Field, OutputFormat::Jsonl, Format::Jsonl),
];

/// Converts the input, then converts the result to the same format.
///
/// The second conversion must refuse nothing and return the same bytes.
///
/// # Panics
/// Panics if the second conversion does not.
pub fn what_is_converted_is_read_as_the_same(data: &[u8]) {
    let mut bytes = Bytes(data);
    let (name, text, output, read_as) = bytes.one_of(&WRITTEN);
    let mut input = input_options(&mut bytes, Formats::Sniffed);
    // The second reading must not need these options. The side stays, since 729 characters may be a 27x27.
    (input.marks, input.blank, input.weights, input.keep_lines) = (None, None, None, false);
    (input.column, input.solution_column) = (None, None);
    let is_fixed = matches!(
        text,
        PuzzleText::Iss | PuzzleText::Pencilmarks | PuzzleText::HoDoKu | PuzzleText::OpenSudoku
    );
    let digits = (!is_fixed).then_some(Alphabet::FromOne);
    let conversion =
        Conversion { bare: true, lossy: bytes.byte() & 3 == 0, digits, ..Conversion::new(name, text) };
    let asked = |input: InputOptions| {
        let mut options = BatchOptions::new(Query::Convert(conversion));
        options.output.format = output;
        options.input = input;
        options
    };
    let (rows, _, error) = run(&asked(input.clone()), bytes.rest());
    if error.is_some() || rows.is_empty() {
        return;
    }
    let symbols = (!is_fixed).then_some(Alphabet::FromOne);
    // The only column may have any name. A name with another delimiter is not compared, since reading would
    // split the header there.
    let name = match read_as {
        Format::Csv => header(&rows),
        _ => rows.split(|&byte| byte == b'"').nth(1).unwrap_or_default(),
    };
    let is_tame = !name.iter().any(|byte| b",;|\t\\".contains(byte));
    // In a header without records, a carriage return within quotes ends the line.
    let is_alone = rows.len() <= name.len() + 1;
    if read_as == Format::Csv && is_alone && name.contains(&b'\r') {
        return;
    }
    let column = match read_as {
        Format::Csv | Format::Jsonl if !is_tame => return,
        Format::Csv => Some(ColumnRef::Number(1)),
        Format::Jsonl => Some(ColumnRef::Name(String::from_utf8_lossy(name).into_owned())),
        _ => None,
    };
    let side = input.side.filter(|&side| side == 27);
    let again = InputOptions { format: Some(read_as), symbols, column, side, ..InputOptions::default() };
    let (second, rejects, error) = run(&asked(again), &rows);
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!((shown(&rejects), error), (String::new(), None), "{}", shown(&rows));
    assert_eq!(shown(&second), shown(&rows));
}

/// Returns the header of a CSV with one column, including any quotes.
fn header(rows: &[u8]) -> &[u8] {
    let mut is_quoted = false;
    let end = rows.iter().position(|&byte| {
        is_quoted ^= byte == b'"';
        byte == b'\n' && !is_quoted
    });
    &rows[..end.unwrap_or(rows.len())]
}
