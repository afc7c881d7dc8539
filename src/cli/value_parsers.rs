//! Parsers for the values of options, which clap calls.
//!
//! The possible values come from tables of the library. clap lists them in `--help`, completes them in
//! shells, and suggests similar words.

use std::ffi::OsStr;
use std::ops::RangeInclusive;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, ValueEnum};

use super::screen::folded_for_output;
use crate::bench::{Program, Rounds};
use crate::report::ExportFormat;
use quadrille_batch::compare::overlap::Relation;
use quadrille_batch::stats::grouped;
use quadrille_batch::{Comparison, Condition, OnError};
use quadrille_engine::{ENGINES, EngineKind};
use quadrille_formats::input::Format;
use quadrille_formats::output::{EMPTY_CELLS, Field, OutputFormat, PuzzleText, Verb};
use quadrille_generate::Kind;
use quadrille_generate::cover::{CLASSICS, Classic};
use quadrille_model::canonical::Form;
use quadrille_model::rules::{self, RunRules, SHORT_NAMES};
use quadrille_model::simd::Isa;
use quadrille_model::{Alphabet, Status, shown};
use quadrille_rating::{DIFFICULTIES, NoTenths, Rater, Technique, TechniqueSet, Tenths};

/// A value that the user chose, or `None` for the word `auto`.
///
/// clap treats an argument of type `Option` as optional. The alias prevents that.
pub(super) type OrAuto<T> = Option<T>;

/// A value that the user chose, or `None` for the word `any`.
pub(super) type OrAny<T> = Option<T>;

/// A parser that accepts the words in a table and returns the value of the given word. Ignores blanks before
/// and after the word.
#[derive(Clone)]
pub(super) struct OneOf<T> {
    rows: Vec<(PossibleValue, T)>,
    /// Returns a tip for a user who typed a word that is not accepted, or `None` if there is no tip.
    tip: fn(&str) -> Option<String>,
    /// Returns the value of a word that is not in the table, or `None` if the word is invalid.
    other: fn(&str) -> Option<T>,
}

impl<T> OneOf<T> {
    fn new(rows: impl IntoIterator<Item = (PossibleValue, T)>) -> Self {
        OneOf { rows: rows.into_iter().collect(), tip: |_| None, other: |_| None }
    }

    pub(super) fn words(&self) -> impl Iterator<Item = PossibleValue> {
        self.rows.iter().map(|(word, _)| word.clone())
    }

    /// Adds the word `auto` to the accepted words.
    fn or_auto(self, about: &'static str) -> OneOf<OrAuto<T>> {
        let rest = self.map(Some).rows;
        OneOf::new([(PossibleValue::new("auto").help(about), None)].into_iter().chain(rest))
    }

    fn map<U>(self, to: impl Fn(T) -> U) -> OneOf<U> {
        OneOf::new(self.rows.into_iter().map(|(word, value)| (word, to(value))))
    }
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for OneOf<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, word: &OsStr) -> Result<T, clap::Error> {
        let trimmed = word.to_str().map_or(word, |word| OsStr::new(word.trim()));
        if let Some(other) = trimmed.to_str().and_then(self.other) {
            return Ok(other);
        }
        match PossibleValuesParser::new(self.words()).parse_ref(command, arg, trimmed) {
            Ok(word) => {
                let row = self.rows.iter().find(|(known, _)| known.matches(&word, false));
                Ok(row.expect("the parser accepts only words of the table").1.clone())
            }
            Err(mut error) => {
                if let Some(tip) = (self.tip)(&word.to_string_lossy()) {
                    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
                }
                Err(error)
            }
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.words()))
    }
}

/// Creates a parser. Each row contains an accepted name, its description, and its value.
pub(super) fn one_of<T>(rows: impl IntoIterator<Item = (&'static str, &'static str, T)>) -> OneOf<T> {
    let row = |(name, about, value)| (PossibleValue::new(name).help(about), value);
    OneOf::new(rows.into_iter().map(row))
}

/// Creates a parser that accepts the names of the values in `all`. `about` returns their descriptions.
pub(super) fn described<T: Copy>(
    all: &[T],
    name: fn(T) -> &'static str,
    about: fn(T) -> &'static str,
) -> OneOf<T> {
    one_of(all.iter().map(|&value| (name(value), about(value), value)))
}

/// Creates a parser that accepts the names of the values in `all`. The help shows these names without
/// descriptions.
fn named<T: Copy>(all: &[T], name: fn(T) -> &'static str) -> OneOf<T> {
    OneOf::new(all.iter().map(|&value| (PossibleValue::new(name(value)), value)))
}

pub(super) fn engines() -> OneOf<EngineKind> {
    one_of(ENGINES.iter().map(|info| (info.name, info.about, info.kind)))
}

pub(super) fn engine() -> OneOf<OrAuto<EngineKind>> {
    engines().or_auto("choose by the kind of problem and the verb")
}

pub(super) fn isas() -> OneOf<Isa> {
    let row = |&isa: &Isa| {
        let lacking = if isa.is_available() { "" } else { " (not on this machine)" };
        (PossibleValue::new(isa.name()).help(format!("{}{lacking}", isa.about())), isa)
    };
    OneOf::new(Isa::ALL.iter().map(row))
}

pub(super) fn isa() -> OneOf<OrAuto<Isa>> {
    isas().or_auto("use the best set of this machine")
}

pub(super) fn formats() -> OneOf<Format> {
    let tip = |word: &str| {
        let is_written = WRITTEN.iter().any(|row| row.0 == word);
        is_written.then(|| {
            format!("{word} can only be written (--to {word}); most input is recognised without --from")
        })
    };
    OneOf { tip, ..one_of(Format::all().map(|(format, about)| (format.name(), about, format))) }
}

/// Parses a program to measure: `NAME=COMMAND`, `NAME[first]=COMMAND`, `NAME[unique]=COMMAND`, or `self` for
/// this program.
pub(super) fn program(text: &str) -> Result<Program, &'static str> {
    let (name, command) =
        if text == "self" { ("self", "self") } else { text.split_once('=').unwrap_or_default() };
    let limits = [("[first]", 1), ("[unique]", 2)];
    let said = limits.iter().find_map(|(ending, limit)| Some((name.strip_suffix(ending)?, Some(*limit))));
    let (name, limit) = said.unwrap_or((name, None));
    let is_whole = !name.is_empty() && !command.trim().is_empty();
    is_whole
        .then(|| Program { name: shown::name(name).into_owned(), command: command.to_owned(), limit })
        .ok_or("neither NAME=COMMAND, such as mine='./mine --fast', nor self")
}

/// Parses a number of benchmark rounds, or `auto`.
pub(super) fn rounds(text: &str) -> Result<Rounds, &'static str> {
    let number = || text.parse::<u16>().ok().filter(|&number| number > 0);
    match text {
        "auto" => Ok(Rounds::Auto),
        _ => number()
            .map(|number| Rounds::Fixed(number.into()))
            .ok_or("neither auto nor a number from 1 to 65535"),
    }
}

/// A format that `convert` writes: the format of rows, the notation of puzzles, and the name of the format.
pub(super) type Converted = (OutputFormat, PuzzleText, &'static str);

/// One puzzle per line.
pub(super) const LINE: Converted = (OutputFormat::Text, PuzzleText::Line, "line");

/// The format of the first input file: one puzzle per line, or a table with the columns of that file.
pub(super) const AS_INPUT: Converted = (OutputFormat::Text, PuzzleText::Field, "line");

/// A format that commands write. The fields are its name, another accepted name, a description, the row
/// format if answers can be written in it, and the puzzle notation if `convert` can write it.
type Written = (&'static str, &'static str, &'static str, Option<OutputFormat>, Option<PuzzleText>);

/// The formats that commands write, in the order of the documentation.
const WRITTEN: [Written; 18] = [
    ("text", "line", "one line per row", Some(OutputFormat::Text), None),
    ("line", "text", "one character per cell, one puzzle per line (also .sdm)", None, Some(PuzzleText::Line)),
    ("csv", "", "columns", Some(OutputFormat::Csv), Some(PuzzleText::Field)),
    ("jsonl", "", "one JSON object per line", Some(OutputFormat::Jsonl), Some(PuzzleText::Field)),
    ("grid", "", "one row of the grid per line", Some(OutputFormat::Grid), Some(PuzzleText::Grid)),
    (
        "framed",
        "",
        "one row of the grid per line, with frames around the boxes (.ss)",
        Some(OutputFormat::Framed),
        Some(PuzzleText::Framed),
    ),
    ("contest", "", "what judges of contests read", Some(OutputFormat::Contest), None),
    ("sdk", "", "one row of the grid per line, after a line [Puzzle] (SadMan)", None, Some(PuzzleText::Sdk)),
    (
        "pencilmarks",
        "",
        "729 characters per line, the candidates of a 9x9",
        None,
        Some(PuzzleText::Pencilmarks),
    ),
    (
        "candidates",
        "",
        "the candidates of each cell, one row per line, with frames around the boxes",
        None,
        Some(PuzzleText::Candidates),
    ),
    ("hodoku", "", "lines of HoDoKu's library", None, Some(PuzzleText::HoDoKu)),
    ("opensudoku", "", "games of OpenSudoku (XML)", None, Some(PuzzleText::OpenSudoku)),
    ("integers", "", "one integer per cell, 0 for an empty cell", None, Some(PuzzleText::Integers)),
    ("iss", "", "strings of Interactive Sudoku Solver", None, Some(PuzzleText::Iss)),
    ("parquet", "", "a Parquet file", Some(OutputFormat::Parquet), Some(PuzzleText::Field)),
    ("arrow", "", "an Arrow file or stream", Some(OutputFormat::Arrow), Some(PuzzleText::Field)),
    ("html", "", "a sheet to print, with the solutions at the end", None, Some(PuzzleText::Field)),
    ("svg", "", "the same sheet as one picture", None, Some(PuzzleText::Field)),
];

/// Returns a parser that accepts all formats for which `value` returns a value. If the user types the name of
/// another format or of a file, the error has a tip.
fn written<T>(value: impl Fn(&Written) -> Option<T>) -> OneOf<T> {
    let row = |row: &Written| {
        let word = PossibleValue::new(row.0).help(row.2);
        Some((if row.1.is_empty() { word } else { word.alias(row.1) }, value(row)?))
    };
    OneOf { tip: tip_of_format, ..OneOf::new(WRITTEN.iter().filter_map(row)) }
}

/// Returns a tip if `word` is a format that another command writes or reads, or the name of a file.
fn tip_of_format(word: &str) -> Option<String> {
    let (answers, convert) = ("solve and other verbs that answer", "convert");
    let written = WRITTEN.iter().find(|row| row.0 == word);
    let of = written.map(|row| if row.3.is_some() { answers } else { convert });
    let is_read = Format::all().any(|(format, _)| format.name() == word);
    match of {
        Some(of) => Some(format!("{of} can write {word}")),
        None if is_read => Some(format!("{word} can only be read (--from {word}); encode writes dlx")),
        None => word.contains(['.', '/', '\\']).then(|| format!("to write to a file, use '-o {word}'")),
    }
}

/// Returns a parser of formats for answer rows.
pub(super) fn output_formats() -> OneOf<OutputFormat> {
    written(|row| row.3)
}

/// Returns a parser of the formats that `convert` writes.
pub(super) fn converted() -> OneOf<Converted> {
    written(convert_to)
}

fn convert_to(&(name, _, _, rows, text): &Written) -> Option<Converted> {
    // Only csv, jsonl and tables keep their row format. In all other formats, each row is a puzzle in the
    // notation `text`.
    let rows = rows.filter(|rows| matches!(rows, OutputFormat::Csv | OutputFormat::Jsonl) || rows.is_table());
    Some((rows.unwrap_or_default(), text?, name))
}

/// Returns the format that [`converted`] accepts under the name `name`.
pub(super) fn converted_of(name: &str) -> Option<Converted> {
    WRITTEN.iter().find(|row| row.0 == name).and_then(convert_to)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FingerprintFormat {
    /// Only the comparison; if there is none, markdown on a terminal, otherwise json
    Text,
    /// A JSON object
    Json,
    /// A paragraph of Markdown
    Markdown,
}

/// Creates a parser that accepts the names of the variants of an enum.
pub(super) fn variants<T: ValueEnum>() -> OneOf<T> {
    let row = |value: &T| Some((value.to_possible_value()?, value.clone()));
    OneOf::new(T::value_variants().iter().filter_map(row))
}

/// The reactions to records that `convert` cannot read or write.
pub(super) const ON_UNWRITTEN: [(&str, &str, OnError); 3] = [
    ("report", "Report each with its reason, and end with exit status 3", OnError::Row),
    ("skip", "Report only how many there were", OnError::Skip),
    ("fail", "End the run at the first such record (exit status 3)", OnError::Fail),
];

/// Parses the character that the output uses for an empty cell.
pub(super) fn to_blank(text: &str) -> Result<u8, String> {
    match *text.as_bytes() {
        [byte] if EMPTY_CELLS.contains(&byte) => Ok(byte),
        _ => Err("expected one of . 0 * _ - ?, which are read as empty cells".to_owned()),
    }
}

/// Parses a field separator.
pub(super) fn delimiter(text: &str) -> Result<u8, &'static str> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        b"blank" => Ok(b' '),
        &[byte] if b",;| \t".contains(&byte) => Ok(byte),
        _ => Err("expected one of , ; | tab blank"),
    }
}

/// Parser for the value of `--rules`. A rule is a short name, or an item with arguments. The word `list`
/// prints all short names and items.
#[derive(Clone)]
pub(super) struct RuleWords;

impl TypedValueParser for RuleWords {
    type Value = String;

    fn parse_ref(&self, command: &Command, _: Option<&Arg>, word: &OsStr) -> Result<String, clap::Error> {
        let error = |kind, text: String| clap::Error::raw(kind, text).with_cmd(command);
        let Some(word) = word.to_str() else {
            return Err(error(ErrorKind::InvalidUtf8, "--rules: not UTF-8 text\n".to_owned()));
        };
        if word.trim() == "list" {
            return Err(error(ErrorKind::DisplayHelp, listed_rules()));
        }
        let invalid =
            |reason| error(ErrorKind::InvalidValue, format!("{reason}: `--rules list` shows all rules\n"));
        let mut rules = RunRules::default();
        rules.add(word).map_err(|reason| invalid(reason.to_string()))?;
        if rules.is_empty() {
            return Err(invalid("--rules names no rule".to_owned()));
        }
        Ok(word.to_owned())
    }

    /// Returns only the words without arguments: the short names and `list`. Rules with arguments cannot be
    /// listed.
    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = SHORT_NAMES.iter().map(|short| PossibleValue::new(short.name).help(short.about));
        Some(Box::new(names.chain([PossibleValue::new("list").help("Print all rules")])))
    }
}

/// Returns the text that lists all rules: short names, and items that have arguments.
fn listed_rules() -> String {
    let mut text = "Short names:\n".to_owned();
    for short in SHORT_NAMES {
        text.push_str(&format!("  {:<16} {}\n", short.name, short.about));
    }
    text.push_str("Items:\n");
    for kind in rules::KINDS {
        text.push_str(&format!("  {}\n      {}\n", kind.example, kind.about));
    }
    folded_for_output(text, 6)
}

/// A column that `--fields` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Field(Field),
    /// A column that a command such as `overlap` appends to each row.
    Extra(&'static str),
}

/// Returns a placeholder: a parser that accepts no column. The definition of each command replaces this
/// parser with one for the [columns of the command](columns_of).
pub(super) fn columns() -> OneOf<Column> {
    one_of([])
}

/// Returns a parser of the columns that the rows of a command can have. This includes appended columns, with
/// these `names` and descriptions. `tip` returns the tip for an unknown column.
pub(super) fn columns_of(
    rows: Verb,
    (names, abouts): (&[&'static str], &[&'static str]),
    tip: fn(&str) -> Option<String>,
) -> OneOf<Column> {
    let fields = Field::all().filter(|field| field.is_of(rows));
    let fields = fields.map(|field| (field.name(), field.about(), Column::Field(field)));
    let appended = names.iter().zip(abouts).map(|(&name, &about)| (name, about, Column::Extra(name)));
    OneOf { tip, ..one_of(fields.chain(appended)) }
}

/// A value of `--only` or `--fail-on`: a status of a record, or a relation to another corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Only {
    Status(Status),
    Relation(Relation),
}

impl Only {
    pub(super) fn status(self) -> Option<Status> {
        if let Only::Status(status) = self { Some(status) } else { None }
    }

    pub(super) fn relation(self) -> Option<Relation> {
        if let Only::Relation(relation) = self { Some(relation) } else { None }
    }
}

pub(super) fn only_statuses() -> OneOf<Only> {
    let tip = |word: &str| {
        let is_number = word.contains("..") || Field::all().any(|field| field.name() == word);
        is_number.then(|| "numbers are for --where, such as guesses=5..".to_owned())
    };
    OneOf { tip, ..named(Status::ALL, Status::word).map(Only::Status) }
}

pub(super) fn only_relations() -> OneOf<Only> {
    named(Relation::ALL, Relation::word).map(Only::Relation)
}

/// Returns a parser of relations and statuses. Relations are listed first, because rows of `overlap` show
/// relations.
pub(super) fn relations_or_statuses() -> OneOf<Only> {
    OneOf::new(only_relations().rows.into_iter().chain(only_statuses().rows))
}

#[derive(Debug, Clone)]
pub(super) struct CorpusPart {
    pub(super) name: String,
    /// Weight of this part of the corpus. Its share of the records is this weight divided by the sum of all
    /// weights.
    pub(super) share: u32,
}

pub(super) fn part(word: &str) -> Result<CorpusPart, String> {
    let (name, share) = word.split_once('=').ok_or("a part needs a name and a share, as in test=5")?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if name.is_empty() || name.starts_with('.') || !name.bytes().all(is_plain) {
        return Err("the name of a part must consist of letters, digits, '-', '_' and '.'".to_owned());
    }
    match share.parse() {
        Ok(share) if share > 0 => Ok(CorpusPart { name: name.to_owned(), share }),
        _ => Err("a share must be a whole number of 1 or more".to_owned()),
    }
}

/// Parses a rating of a solving step. Rejects ratings outside the scale of such ratings.
pub(super) fn tenths(text: &str) -> Result<Tenths, String> {
    let tenths: Tenths = text.trim().parse().map_err(|reason: NoTenths| reason.to_string())?;
    let least = Technique::LastCell.least();
    if (least..=Rater::MAX_RATING).contains(&tenths) {
        Ok(tenths)
    } else {
        Err(format!("ratings are from {least} to {}", Rater::MAX_RATING))
    }
}

/// Parses the value of `--until`, the rating up to which solving steps are applied. The name of a technique
/// or group means the highest rating of its techniques.
pub(super) fn until(text: &str) -> Result<Tenths, String> {
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        return tenths(text);
    }
    technique_set(text).map(|(_, set)| set.hardest())
}

/// Returns the two ends of a range `LOW..HIGH`, `LOW..` or `..HIGH`. A text without `..` is both ends.
/// `whole` has the ends that users may leave out, though not both. Returns `None` if an end is invalid.
fn range_of<T>(text: &str, whole: (T, T), parse: impl Fn(&str) -> Option<T>) -> Option<(T, T)> {
    let (low, high) = text.split_once("..").unwrap_or((text, text));
    let [low, high] = [low, high].map(|end| Some(end.trim()).filter(|end| !end.is_empty()));
    low.or(high)?;
    let end = |end: Option<&str>, default| end.map_or(Some(default), &parse);
    Some((end(low, whole.0)?, end(high, whole.1)?))
}

/// Parses a range of ratings, or a difficulty such as `easy`. Either end of the range may be left out or lie
/// outside the scale.
pub(super) fn rating_range(text: &str) -> Result<RangeInclusive<Tenths>, String> {
    if let Some(&(_, _, least, most)) = DIFFICULTIES.iter().find(|(word, ..)| *word == text.trim()) {
        return Ok(least..=most);
    }
    let (least, most) = (Technique::LastCell.least(), Rater::MAX_RATING);
    let scale =
        || format!("expected a range of ratings from {least} to {most}, such as 4.0..5.5, 8.. or ..7.5");
    let beyond = |end: &str| end.parse::<u64>().ok().filter(|end| *end > 20).map(|_| Tenths(200));
    let end = |end: &str| end.parse().ok().or_else(|| beyond(end));
    let (low, high) = range_of(text, (least, most), end).ok_or_else(scale)?;
    match () {
        () if high < least || low > most => Err(scale()),
        () if low > high => Err("the second rating is below the first".to_owned()),
        () => Ok(low.max(least)..=high.min(most)),
    }
}

/// Parses a condition on a numeric field, `NAME=RANGE`.
pub(super) fn condition(text: &str) -> Result<Condition, String> {
    let form = || "expected FIELD=RANGE, such as guesses=5.. or clues=17..22".to_owned();
    let (name, range) = text.split_once('=').ok_or_else(form)?;
    let field = Field::all().find(|field| field.name() == name.trim());
    let field = field.filter(|field| field.is_numeric()).ok_or_else(|| {
        let names: Vec<&str> = Field::all().filter(|field| field.is_numeric()).map(Field::name).collect();
        format!("{name} is not a field of numbers: use one of {}", names.join(", "))
    })?;
    let range = range_of(range, (f64::NEG_INFINITY, f64::INFINITY), |end| end.parse().ok());
    let (low, high) = range.filter(|(low, high)| low <= high).ok_or_else(form)?;
    Ok(Condition { field, low, high })
}

pub(super) fn difficulties() -> OneOf<RangeInclusive<Tenths>> {
    one_of(DIFFICULTIES.map(|(word, about, least, most)| (word, about, least..=most)))
}

/// Parses the name of a technique or of a group of techniques.
pub(super) fn technique_set(text: &str) -> Result<(String, TechniqueSet), String> {
    let word = text.trim().replace(' ', "-");
    match TechniqueSet::from_word(&word) {
        Some(set) => Ok((word, set)),
        None => {
            let mut words: Vec<String> = TechniqueSet::words().map(|(word, _)| word).collect();
            words.sort_by_cached_key(|known| distance(known, &word));
            let groups = "or the groups singles, locking, chains, loops, graves, wings and fish";
            Err(format!("unknown technique; the nearest are {} ({groups})", words[..3].join(", ")))
        }
    }
}

/// Returns the distance between a known word and the typed one. It is their Levenshtein distance if `known`
/// contains `typed`, and otherwise four times that distance.
fn distance(known: &str, typed: &str) -> usize {
    strsim::levenshtein(known, typed) * if known.contains(typed) { 1 } else { 4 }
}

pub(super) fn comparisons() -> OneOf<Comparison> {
    let text = one_of([("text", "the clues; all characters for an empty cell are equal", Comparison::Text)]);
    let forms = described(Form::ALL, Form::name, Form::about).map(Comparison::Form);
    OneOf::new(forms.rows.into_iter().chain(text.rows))
}

/// Returns a parser of alphabets. Besides the named alphabets, any 4 to 36 different letters and digits are
/// an alphabet.
pub(super) fn symbols() -> OneOf<Alphabet> {
    fn row(alphabet: Alphabet) -> (PossibleValue, Alphabet) {
        let word = PossibleValue::new(alphabet.word());
        let word = match alphabet {
            Alphabet::FromOne => word.alias("from-one"),
            Alphabet::FromZero => word.alias("from-zero"),
            Alphabet::Letters => word.alias("letters"),
            Alphabet::Integers => word.help("integers from 1, with separators"),
            _ => word,
        };
        (word, alphabet)
    }
    fn other(word: &str) -> Option<Alphabet> {
        let is_named = Alphabet::ALL.map(row).iter().any(|(known, _)| known.matches(word, false));
        Alphabet::own(word).filter(|_| !is_named)
    }
    OneOf { other, ..OneOf::new(Alphabet::ALL.map(row)) }
}

pub(super) const ON_ERROR: [(&str, &str, OnError); 3] = [
    ("row", "Write a row with the status invalid and the reason", OnError::Row),
    ("skip", "Write no row", OnError::Skip),
    ("fail", "End the run (exit status 3)", OnError::Fail),
];

/// The formats of `report`.
pub(super) const PAGE_FORMATS: [(&str, &str, ExportFormat); 4] = [
    ("html", "The page, as one self-contained file", ExportFormat::Html),
    ("markdown", "The tables as Markdown", ExportFormat::Markdown),
    ("csv", "One line per value, or the table of --table", ExportFormat::Csv),
    ("json", "The tables as JSON, with values as numbers", ExportFormat::Json),
];

/// The formats of `bench`.
pub(super) const RACE_FORMATS: [(&str, &str, ExportFormat); 2] = [
    ("csv", "One line per contender and class", ExportFormat::Csv),
    ("markdown", "The tables and remarks as Markdown", ExportFormat::Markdown),
];

/// The values of `--keep`. A value is true if only the clues are kept, without candidates.
pub(super) const KEPT: [(&str, &str, bool); 2] =
    [("candidates", "The digits that cells may still have", false), ("clues", "Cells with one digit", true)];

pub(super) const ON_OR_OFF: [(&str, &str, bool); 2] = [("on", "Yes", true), ("off", "No", false)];

/// The kinds of records that `generate` makes.
#[derive(Debug, Clone, Copy)]
pub(super) enum GenerateKind {
    /// Puzzles made from a seed.
    Puzzles(Kind),
    /// One problem with parameters.
    Classic(&'static Classic),
}

pub(super) fn products() -> OneOf<GenerateKind> {
    let puzzles = Kind::ALL
        .iter()
        .map(|&kind| (PossibleValue::new(kind.name()).help(kind.about()), GenerateKind::Puzzles(kind)));
    let classics = CLASSICS.iter().map(|classic| {
        let about = match classic.parameters {
            "" => classic.about.to_owned(),
            parameters => format!("{parameters}: {}", classic.about),
        };
        (PossibleValue::new(classic.name).help(about), GenerateKind::Classic(classic))
    });
    let tip = |word: &str| {
        let is_difficulty = DIFFICULTIES.iter().any(|row| row.0 == word);
        is_difficulty.then(|| format!("use 'puzzles --difficulty {word}'"))
    };
    OneOf { tip, ..OneOf::new(puzzles.chain(classics)) }
}

/// Returns a parser of whole numbers from `low` to `high`. Its messages name the range.
pub(super) fn whole<T: TryFrom<u64>>(
    low: u64,
    high: u64,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text: &str| {
        let number = text.trim().parse().ok().filter(|number| (low..=high).contains(number));
        number.and_then(|number: u64| number.try_into().ok()).ok_or_else(|| match high {
            u64::MAX => format!("expected a whole number from {low} to 2^64 - 1"),
            _ => format!("expected a whole number from {low} to {}", grouped(high)),
        })
    }
}

pub(super) fn from_zero() -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync + 'static {
    whole(0, u64::MAX)
}

pub(super) fn from_one() -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync + 'static {
    whole(1, u64::MAX)
}

pub(super) fn integer(text: &str) -> Result<i64, &'static str> {
    text.parse().map_err(|_| "expected an integer from -2^63 to 2^63 - 1")
}

pub(super) fn blank(text: &str) -> Result<char, &'static str> {
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(one), None) if !one.is_control() => Ok(one),
        _ => Err("expected one printable character"),
    }
}

/// Parses a side length of grids. The word `any`, for any side length, is `None`.
pub(super) fn side(text: &str) -> Result<Option<usize>, &'static str> {
    match text {
        "any" => Ok(None),
        _ => text.parse().map(Some).map_err(|_| "expected a number from 1 to 36, or any"),
    }
}

/// Parses the numbers of rows and columns in a box.
pub(super) fn box_shape(text: &str) -> Result<(usize, usize), &'static str> {
    let shape =
        text.split_once(['x', 'X']).and_then(|(rows, columns)| rows.parse().ok().zip(columns.parse().ok()));
    shape.ok_or("expected rows x columns, such as 2x3")
}

/// Parses the value of `--audit`, which is `1/N` or `N` if every N-th record is audited.
pub(super) fn audit(text: &str) -> Result<u64, &'static str> {
    let number = text.strip_prefix("1/").unwrap_or(text).parse().ok().filter(|number| *number > 0);
    number.ok_or("expected 1/N, such as 1/1000")
}

/// Parses a range for the number of clues. Either end may be left out, and `-` may replace `..`.
pub(super) fn clues(text: &str) -> Result<RangeInclusive<u32>, &'static str> {
    let text = text.replacen('-', "..", 1);
    let range = range_of(&text, (0, u32::MAX), |end| end.parse().ok());
    range.map(|(low, high)| low..=high).ok_or("expected a number or a range, such as 24..30, 24.. or ..30")
}

/// Parses a range of integers. The range must contain fewer than 2^32 integers.
pub(super) fn range(text: &str) -> Result<RangeInclusive<i64>, &'static str> {
    let ends = range_of(text, (None, None), |end| end.parse().ok().map(Some));
    let range = ends.and_then(|(low, high)| Some(low?..=high?));
    let range = range.filter(|range: &RangeInclusive<i64>| {
        let width = i128::from(*range.end()) - i128::from(*range.start());
        (0..i128::from(u32::MAX)).contains(&width)
    });
    range.ok_or("expected a range of integers, such as 1..100, less than 2^32 wide")
}

/// Parses a time such as `250ms`, `10s`, `2m` or `1.5h`. A number without a unit is in seconds.
pub(super) fn time(text: &str) -> Result<Duration, &'static str> {
    const UNITS: [(&str, f64); 4] = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let (number, unit) =
        UNITS.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, *unit))).unwrap_or((text, 1.0));
    let seconds = number.trim().parse::<f64>().ok().map(|number| number * unit);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or("expected a time, such as 500ms, 10s, 2m or 1h")
}

/// Parses a number of bytes such as `100k`, `64M` or `2GiB`, where the units are powers of 1024. A number
/// without a unit is in bytes.
pub(super) fn size(text: &str) -> Result<u64, &'static str> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let power = match unit.trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => Some(0),
        "k" | "kb" | "kib" => Some(1),
        "m" | "mb" | "mib" => Some(2),
        "g" | "gb" | "gib" => Some(3),
        "t" | "tb" | "tib" => Some(4),
        _ => None,
    };
    let bytes = power
        .and_then(|power| number.parse::<u64>().ok()?.checked_mul(1u64 << (10 * power)))
        .filter(|bytes| *bytes > 0);
    bytes.ok_or("expected a size, such as 500k, 64M or 2G")
}

/// Parses a size as [`size`] does. A size beyond the address space becomes the largest possible size.
pub(super) fn room(text: &str) -> Result<usize, &'static str> {
    size(text).map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let read = |text| time(text).map(|time| time.as_millis()).ok();
        assert_eq!(
            [read("250ms"), read("10s"), read("2m"), read("3")],
            [Some(250), Some(10_000), Some(120_000), Some(3000)]
        );
        assert_eq!([read("-1s"), read("soon"), read(""), read("inf")], [None; 4]);
    }

    #[test]
    fn sizes_have_units() {
        let read = |text| size(text).ok();
        assert_eq!(
            [read("700"), read("3k"), read("64M"), read("2GiB"), read("1 tb"), read("9b")],
            [Some(700), Some(3 << 10), Some(64 << 20), Some(2 << 30), Some(1 << 40), Some(9)]
        );
        for wrong in ["", "0", "k", "-1", "1.5G", "7x", "7kk", "7ib", "99999999999999999999", "99999999999T"]
        {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn boxes_and_audits_are_read_strictly() {
        assert_eq!(box_shape("2x3"), Ok((2, 3)));
        assert!(box_shape("6").is_err() && box_shape("2x").is_err());
        assert_eq!((audit("1/50"), audit("7")), (Ok(50), Ok(7)));
        assert!(audit("2/3").is_err() && audit("1/0").is_err());
    }
}
