//! The page about a race.

use super::export::terminal;
use super::page::{Cell, Figure, Page, Section, Unit, Value, bytes_shown};
use super::ratio::Ratio;
use super::{JsonFile, svg};
use crate::bench::{ClassReport, ProgramFigures, Report, Row, Spread, absences};
use quadrille_batch::stats::{Statistics, grouped, number_of, rounded};
use quadrille_model::Counter;

/// Identifier of the section about all classes of records, and of the table in this section.
const OVERVIEW: &str = "overview";

/// Returns a page that shows several benchmark results in one table.
///
/// The results may be from different machines, versions and corpora.
pub(crate) fn side_by_side(results: &[(String, Report)]) -> Page {
    let named: Vec<Named<'_>> = (0..)
        .zip(results)
        .map(|(number, (name, report))| (name.as_str(), report, file(number, report)))
        .collect();
    let mut sections = vec![overview(&named)];
    sections.extend(named.iter().map(|(name, report, file)| facts(name, report, file)));
    let notes = results
        .iter()
        .flat_map(|(name, report)| report.notes().into_iter().map(move |note| format!("{name}: {note}")));
    Page {
        title: "Results side by side".to_owned(),
        sentence: format!("{} of bench.", number_of(results.len() as u64, "result")),
        alarms: notes.collect(),
        sections,
    }
}

/// A benchmark result: its name (may be empty), the result itself, and its file.
type Named<'a> = (&'a str, &'a Report, JsonFile);

fn file(number: usize, report: &Report) -> JsonFile {
    let contents = serde_json::to_value(report).expect("numbers, strings and lists can always be written");
    JsonFile { number, contents }
}

/// Returns the page about a single race (one benchmark result).
pub(crate) fn page(report: &Report) -> Page {
    let named = ("", report, file(0, report));
    let mut sections = vec![facts("The benchmark", report, &named.2), overview(std::slice::from_ref(&named))];
    sections.extend(
        report
            .classes
            .iter()
            .enumerate()
            .filter(|(_, class)| !class.rows.is_empty())
            .map(|(number, class)| class_section((&named.2, number), class, has_programs(report))),
    );
    sections.extend(comparison(report));
    let mut alarms = report.notes();
    if report.corpus.unreadable > 0 {
        alarms.push(format!(
            "{} unreadable and left out.",
            number_of(report.corpus.unreadable as u64, "record")
        ));
    }
    for class in &report.classes {
        alarms
            .extend(class.failed.iter().map(|failed| format!("{} failed: {}.", failed.name, failed.reason)));
    }
    Page { title: "Engines side by side".to_owned(), sentence: sentence(report), alarms, sections }
}

/// Returns a page that has one table. The table contains all contenders (engines and programs) in all
/// classes.
pub(crate) fn rows(report: &Report) -> Page {
    let (has_programs, file) = (has_programs(report), file(0, report));
    let columns = ["class"].into_iter().chain(columns(has_programs));
    let rows = report.classes.iter().enumerate().flat_map(|(number, class)| {
        let rows = class_table((&file, number), class, has_programs).rows.into_iter();
        rows.map(|row| [class.class.as_str().into()].into_iter().chain(row))
    });
    let section = Section::new("rows", "", [Figure::new("rows", "All contenders", columns).with_rows(rows)]);
    Page { sections: vec![section], ..page(report) }
}

fn has_programs(report: &Report) -> bool {
    report.classes.iter().flat_map(|class| &class.rows).any(|row| row.program.is_some())
}

/// Returns the results as text for a terminal with `columns` columns.
///
/// The text has facts about the race (the benchmark run), the tables of the page, and remarks.
pub(crate) fn text(report: &Report, columns: Option<usize>) -> String {
    let Report { corpus, parsing, classes, .. } = report;
    let commit = report.commit.as_ref().map(|commit| format!(", {commit}")).unwrap_or_default();
    let mut lines = vec![
        ("machine", report.machine.to_string()),
        ("program", format!("quadrille {}{commit}", report.version)),
        ("corpus", corpus.sentence()),
    ];
    if let Some(first) = &corpus.first_unreadable {
        let records = number_of(corpus.unreadable as u64, "record");
        lines.push(("left out", format!("{records} that cannot be read; the first: {first}")));
    }
    if corpus.contradictory > 0 {
        let records = number_of(corpus.contradictory as u64, "record");
        lines.push(("left out", format!("{records} whose clues contradict each other")));
    }
    let each = time(parsing.us_each.median).shown();
    let (rate, bytes) = (rounded(parsing.per_second), bytes_shown(parsing.bytes_per_second as u64));
    lines.push(("query", report.asked.sentence()));
    lines.push(("parsing", format!("{each} a record: {rate} a second, {bytes}/s")));
    let absent = classes.iter().filter(|class| !class.absent.is_empty());
    lines.extend(absent.map(|class| ("absent", format!("{}: {}", class.class, absences(&class.absent)))));
    let lines: Vec<String> =
        lines.iter().map(|(label, text)| format!("{label:<0$}{text}\n", Statistics::SUMMARY_LABEL)).collect();
    let mut page = page(report);
    // The lines have these facts.
    page.sections.remove(0);
    if classes.len() == 1 {
        page.sections.retain(|section| section.id != OVERVIEW);
    }
    let notes: String = page.alarms.iter().map(|note| format!("\n{note}")).collect();
    let gap = if notes.is_empty() { "" } else { "\n" };
    format!("{}\n{}{notes}{gap}", lines.concat(), terminal(&page, columns))
}

/// Returns a sentence that names the fastest engine of each class.
fn sentence(report: &Report) -> String {
    let best = report.classes.iter().filter_map(|class| {
        let best = class.rows.iter().max_by(|a, b| a.per_second.total_cmp(&b.per_second))?;
        Some(format!(
            "{}: {} is the fastest, with {} per second",
            class.class,
            best.name(),
            rounded(best.per_second)
        ))
    });
    best.collect::<Vec<_>>().join("; ") + "."
}

/// Returns a section with the facts about one benchmark result, such as version and machine. `name` is the
/// title of the section.
fn facts(name: &str, report: &Report, file: &JsonFile) -> Section {
    let id = if file.number == 0 { "race".to_owned() } else { format!("race-{}", file.number) };
    let commit = report.commit.as_ref().map(|_| ("commit", file.words(Value::Code, "/commit")));
    let share = file.cell(Unit::Share, "/processor_share");
    let share = report.processor_share.map(|_| ("share of processor time", share));
    let rows = [("version", file.words(Value::Text, "/version"))]
        .into_iter()
        .chain(commit)
        .chain([
            ("machine", report.machine.to_string().into()),
            ("corpus", report.corpus.sentence().into()),
            ("question", report.asked.sentence().into()),
            ("records", file.cell(Unit::Count, "/corpus/taken")),
            ("parsing, records per second", file.cell(Unit::Rate, "/parsing/per_second")),
        ])
        .chain(share)
        .chain([("hash of the corpus", file.words(Value::Code, "/corpus/hash"))]);
    let rows = rows.map(|(name, cell)| [name.into(), cell]);
    let figure = Figure::new(&*id, name, ["", ""]).with_rows(rows);
    Section::new(id, name, [figure])
}

/// Returns a table with one row per contender (engine or program). The columns are the classes of all
/// results. Faster contenders are shaded darker.
fn overview(results: &[Named<'_>]) -> Section {
    let mut columns = vec!["records per second".to_owned()];
    let mut names: Vec<String> = Vec::new();
    for (result, report, _) in results {
        let of = if result.is_empty() { String::new() } else { format!("{result}: ") };
        for class in &report.classes {
            let baseline = class.baseline.as_deref().unwrap_or("-");
            columns.extend([format!("{of}{}", class.class), format!("x {baseline}")]);
        }
        names.extend(report.names());
    }
    let text = "Within a column, darker is faster (log scale) and the fastest is bold. Engines take one thread, without \
                parsing; programs are whole processes.";
    let is_first = |(place, name): &(usize, &String)| !names[..*place].contains(name);
    let rows = names.iter().enumerate().filter(is_first).map(|(_, name)| {
        let cells = results.iter().flat_map(move |(_, report, file)| {
            let classes = report.classes.iter().enumerate();
            classes.flat_map(move |(number, class)| cells_of(name, class, (file, number)))
        });
        [name.as_str().into()].into_iter().chain(cells)
    });
    let caption = "Speed of engines and programs by class of problems";
    let figure = Figure::new(OVERVIEW, caption, columns).with_rows(rows).with_text(text);
    Section::new(OVERVIEW, "Engines and programs by class", [figure])
}

/// Returns two table cells about one contender in one class. The first cell has the contender's speed, shaded
/// relative to the other speeds in the class. The second cell has the ratio of this speed to the speed of the
/// baseline.
fn cells_of(name: &str, class: &ClassReport, (file, number): (&JsonFile, usize)) -> [Cell; 2] {
    let rates = || class.rows.iter().map(|row| row.per_second).filter(|rate| *rate > 0.0);
    let (least, most) = (rates().fold(f64::INFINITY, f64::min), rates().fold(0.0, f64::max));
    match class.rows.iter().position(|row| row.name() == name) {
        Some(place) => {
            let rate = class.rows[place].per_second;
            let heat = if most > least { (rate / least).ln() / (most / least).ln() } else { 1.0 };
            let at = |member: &str| format!("/classes/{number}/rows/{place}/{member}");
            [file.cell(Unit::Rate, &at("per_second")).heated(heat), file.cell(Unit::Number, &at("ratio"))]
        }
        None if class.failed.iter().any(|failed| failed.name == name) => {
            ["failed".into(), Value::Missing.into()]
        }
        None => [Value::Missing.into(), Value::Missing.into()],
    }
}

/// Returns the time in `first`, divided by the time in `second`. This is the speed of `second` relative to
/// `first`.
///
/// The ratio uses the medians. Its range comes from the minimum and maximum times.
fn speed(first: Spread, second: Spread) -> Ratio {
    Ratio { value: first.median / second.median, low: first.min / second.max, high: first.max / second.min }
}

/// Converts a time in microseconds to a cell, which is rounded to whole nanoseconds when it is shown.
fn time(us: f64) -> Cell {
    Unit::Nanoseconds.real(us * 1e3)
}

/// Returns the column names of the table about one class.
///
/// The most useful columns come first, because a narrow terminal shows only the first columns.
fn columns(has_programs: bool) -> Vec<&'static str> {
    let mut columns = vec!["engine", "per second", "speed", "from", "to", "verdict", "asked"];
    columns.extend(["median", "minimum", "maximum", "records", "per second with parsing"]);
    columns.extend(Counter::SUMMED.map(Counter::name));
    columns.push("without a guess");
    if has_programs {
        columns.extend(["without start", "start", "processor", "peak memory"]);
    }
    columns
}

/// Returns a measured ratio of two speeds with its range.
///
/// The range is the confidence interval. Without a confidence interval, the range comes from the minimum and
/// maximum of both times.
fn ratio(value: f64, interval: Option<[f64; 2]>, [first, second]: [Spread; 2]) -> Ratio {
    match interval {
        Some([low, high]) => Ratio { value, low, high },
        None => speed(first, second),
    }
}

/// Returns the speed of a row relative to the baseline. Returns `None` if there is no baseline.
fn relative_speed(class: &ClassReport, row: &Row) -> Option<Ratio> {
    let base = class.rows.iter().find(|row| Some(row.name()) == class.baseline)?;
    Some(ratio(row.ratio, row.ratio_interval, [base.us_each, row.us_each]))
}

fn class_table((file, number): (&JsonFile, usize), class: &ClassReport, has_programs: bool) -> Figure {
    let mut caption = format!("{}: {}", class.class, grouped(class.records as u64));
    if let Some(baseline) = &class.baseline {
        caption += &format!("; speed relative to {baseline}");
    }
    let rows = class.rows.iter().enumerate().map(|(place, row)| {
        let at = |key: &str| format!("/classes/{number}/rows/{place}/{key}");
        let cell = |unit: Unit, key: &str| file.cell(unit, &at(key));
        let [_, low, high] =
            relative_speed(class, row).map_or([(); 3].map(|()| Value::Missing.into()), Ratio::cells);
        let mut cells: Vec<Cell> = vec![
            row.name().into(),
            cell(Unit::Rate, "per_second"),
            cell(Unit::Number, "ratio"),
            low,
            high,
            file.words(Value::Text, &at("verdict")),
            file.words(Value::Text, &at("asked")),
            time(row.us_each.median),
            time(row.us_each.min),
            time(row.us_each.max),
            cell(Unit::Count, "records"),
            cell(Unit::Rate, "with_parsing_per_second"),
        ];
        cells.extend(Counter::SUMMED.map(|counter| cell(Unit::Number, &format!("{}_each", counter.name()))));
        cells.push(cell(Unit::Share, "without_guess"));
        let of_program = |program: Option<&ProgramFigures>| {
            let start = program.and_then(|program| program.start_us);
            [
                program.and_then(|program| program.less_start_us_each).map(time),
                start.map(|start| time(start.median)),
                program.map(|program| time(program.processor_us_each)),
                program.and_then(|program| program.peak_bytes).map(|bytes| Unit::Bytes.whole(bytes)),
            ]
        };
        if has_programs {
            cells.extend(of_program(row.program.as_ref()).map(Cell::from));
        }
        cells
    });
    Figure::new(format!("class-{number}"), caption, columns(has_programs)).with_rows(rows)
}

fn class_section((file, number): (&JsonFile, usize), class: &ClassReport, has_programs: bool) -> Section {
    let baseline = class.baseline.as_deref().unwrap_or_default();
    let compared = class.rows.iter().filter(|row| row.name() != baseline);
    let dots: Vec<(String, Ratio)> = compared
        .filter_map(|row| {
            let name = format!("{}: {} per second", row.name(), rounded(row.per_second));
            Some((name, relative_speed(class, row)?))
        })
        .collect();
    let mut text = format!(
        "Speed relative to {baseline}: right of 1 is faster. Lines span the interval; with a probability of 95 % all intervals hold. A point \
         is filled if its line excludes 1."
    );
    for failed in &class.failed {
        text += &format!(" {} failed: {}.", failed.name, failed.reason);
    }
    if !class.absent.is_empty() {
        text += &format!(" Left out: {}.", absences(&class.absent));
    }
    let mut figure = class_table((file, number), class, has_programs).with_text(text);
    if !dots.is_empty() {
        let title = format!("{}: speed relative to {baseline}", class.class);
        figure = figure.with_picture(title, svg::ratios(&dots));
    }
    // Links lead to this section, so its id must stay the same.
    Section::new(format!("class-{number}-section"), &class.class, [figure])
}

/// Returns the section that compares this race with an earlier one, or `None` if the report has no
/// comparison.
fn comparison(report: &Report) -> Option<Section> {
    let comparison = report.comparison.as_ref()?;
    let columns = ["class", "engine", "before", "now", "speed now / before", "from", "to", "verdict"];
    let text = "Right of 1, an engine became faster. Lines span the intervals, which include how much the machine changed.";
    let mut figure =
        Figure::new("comparison", format!("Compared with {}", comparison.old), columns).with_text(text);
    let mut dots = Vec::new();
    for row in &comparison.rows {
        let name = crate::bench::contender_name(&row.engine, row.isa.as_deref());
        let ratio = ratio(row.ratio, row.ratio_interval, [row.old_us_each, row.new_us_each]);
        let [_, low, high] = ratio.cells();
        figure.row([
            row.class.as_str().into(),
            name.as_str().into(),
            time(row.old_us_each.median),
            time(row.new_us_each.median),
            Unit::Number.real(row.ratio),
            low,
            high,
            row.verdict.as_str().into(),
        ]);
        dots.push((format!("{}: {name}, {}", row.class, row.verdict), ratio));
    }
    let figure = figure.with_picture("Speed now relative to before", svg::ratios(&dots));
    Some(Section::new("comparison", "Compared with the earlier results", [figure]))
}
