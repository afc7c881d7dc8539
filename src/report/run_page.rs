//! The sections about a single run.

use super::bins::{columns, counted, edges, of_histogram, quantiles, slot_of};
use super::page::{
    Bar, Cell, DensityCells, Figure, Histogrammed, Picture, PictureKind, Section, Steps, Table, TimeRows,
    Unit, Value,
};
use super::{Run, hardest, header, ratings};
use quadrille_batch::stats::{
    ClueMap, Estimate, Histogram, Histogram2d, Interval, Population, Sample, duration, grouped, number_of,
    percent, quantile,
};
use quadrille_model::{Counter, EndedBy, Status, Symmetry};

/// Maximum number of sources for which pictures are drawn.
const PICTURED: usize = 60;
/// Maximum number of sources that have a row in the table.
const LISTED: usize = 200;

/// Title of the table that lists the reasons for records without a right answer.
const REASONS: &str = "Invalid, unsupported and wrong records by reason";

/// Returns all sections about a run. Sections without figures are left out.
pub(super) fn sections(run: &Run) -> Vec<Section> {
    let mut head = header::section(run);
    head.figures.splice(1..1, statuses(run).into_iter().chain(lost(run)));
    let mut all = vec![head, refusals(run), work(run), over_time(run), sources(run), symmetry(run)];
    let rated = ratings::section(std::slice::from_ref(run));
    // If records were rated, the ratings are the main result. So the section about ratings comes first,
    // followed by the hardest records. Otherwise, both come after three other sections.
    let place = if rated.figures.is_empty() { 3 } else { 0 };
    all.splice(place..place, [rated, hardest::section(run)]);
    all.into_iter().filter(|section| !section.figures.is_empty()).collect()
}

/// Returns the section that counts invalid and unfinished records, grouped by reason.
fn refusals(run: &Run) -> Section {
    let figures = reasons(run).into_iter().chain(early(run)).collect();
    Section::new("refusals", "Invalid and unfinished records", figures)
}

/// Returns a figure with the number of records per status, or `None` if there are no records.
fn statuses(run: &Run) -> Option<Figure> {
    let statistics = &run.statistics;
    let records = statistics.totals.records_in.max(1) as f64;
    let mut table = Table::new("answers", "Answers", &["answer", "records", "share"]);
    let mut bars = Vec::new();
    for &status in Status::ALL.iter().filter(|status| statistics.status(**status) > 0) {
        let number = statistics.status(status);
        let share = number as f64 / records;
        let count = run.file.at(Value::Count(number), &format!("/status/{}", status.word()));
        table.row([Cell::text(status.word()), count, Value::Share(share).into()]);
        let shown = format!("{} ({})", grouped(number), percent(share));
        bars.push(Bar { name: status.word().to_owned(), amount: number as f64, shown });
    }
    let picture = Picture { title: "Records by answer".to_owned(), kind: PictureKind::Bars(bars) };
    (!table.rows.is_empty()).then(|| table.figure(String::new(), vec![picture]))
}

/// Returns a figure about values that the output format cannot hold and that were therefore left out of the
/// output. Returns `None` if nothing was left out.
fn lost(run: &Run) -> Option<Figure> {
    let mut table = Table::new("lost", "Dropped from the output", &["part", "records"]);
    for (part, &records) in &run.statistics.losses {
        let count = run.file.at(Value::Count(records), &format!("/lost/{part}"));
        table.row([Cell::text(*part), count]);
    }
    let text = "The output format cannot hold these parts of records.";
    (!table.rows.is_empty()).then(|| table.figure(text, Vec::new()))
}

fn reasons(run: &Run) -> Option<Figure> {
    let reasons = run.statistics.reasons();
    let columns = ["answer", "reason (# is any number)", "records", "first records"];
    let mut table = Table::new("reasons", REASONS, &columns);
    for (place, share) in reasons.iter().enumerate() {
        let count = run.file.at(Value::Count(share.records), &format!("/reasons/kinds/{place}/records"));
        let first = share
            .first
            .iter()
            .map(|first| format!("{} ({}:{})", grouped(first.index), first.source, first.line));
        let first = first.collect::<Vec<_>>().join(", ");
        table.row([Cell::text(share.status.word()), Cell::text(&share.kind), count, Cell::text(first)]);
    }
    table
        .rows
        .sort_by(|a, b| b[2].value.number().unwrap_or(0.0).total_cmp(&a[2].value.number().unwrap_or(0.0)));
    if run.statistics.other_reasons() > 0 {
        let count = run.file.at(Value::Count(run.statistics.other_reasons()), "/reasons/others");
        table.row([Cell::text("any"), Cell::text("other reasons"), count, Value::Missing.into()]);
    }
    let bars = table.rows.iter().take(12).map(|row| Bar {
        name: row[1].value.shown(),
        amount: row[2].value.number().unwrap_or(0.0),
        shown: row[2].value.shown(),
    });
    let picture = Picture { title: REASONS.to_owned(), kind: PictureKind::Bars(bars.collect()) };
    let text = "The first records with each reason, by number, source and line.";
    (!table.rows.is_empty()).then(|| table.figure(text, vec![picture]))
}

fn early(run: &Run) -> Option<Figure> {
    let statistics = &run.statistics;
    let mut table =
        Table::new("early", "Searches that ended early", &["ended by", "records", "first records"]);
    for &ended_by in EndedBy::ALL.iter().filter(|ended_by| ended_by.is_early()) {
        let number = statistics.ended_by(ended_by);
        if number > 0 {
            let count = run.file.whole(Value::Count, &format!("/ended_by/{}/records", ended_by.word()));
            let first: Vec<String> =
                statistics.first_ended_by(ended_by).iter().map(|index| grouped(*index)).collect();
            table.row([Cell::text(ended_by.word()), count, Cell::text(first.join(", "))]);
        }
    }
    let text = "These records have no final answer. A larger limit may give one.";
    (!table.rows.is_empty()).then(|| table.figure(text, Vec::new()))
}

/// Returns the section about puzzles and search effort.
///
/// It has histograms of clues, search counters and times, and a plot of guesses against time.
fn work(run: &Run) -> Section {
    let statistics = &run.statistics;
    let mut figures = clues(run);
    figures.extend(samples(run));
    figures.extend(run.statistics.clue_maps().flat_map(|(side, map)| clue_map(run, side, map)));
    for counter in Counter::SUMMED {
        let name = counter.name();
        let mut figure = values(run, statistics.work(counter), Unit::Count, name, &format!("/{name}"));
        if let (Some(figure), Counter::Guesses) = (&mut figure, counter)
            && let Some(share) = statistics.share_without_guess()
        {
            let cell = run.file.at(Value::Share(share), "/records/share_without_guess");
            figure.table.row([Cell::text("solved without a guess"), cell]);
            figure.text = format!("Solved without a guess: {}. {}", percent(share), figure.text);
        }
        figures.extend(figure);
    }
    figures.extend(values(run, &statistics.clock.per_record, Unit::Nanoseconds, "time", "/clock/time_ns"));
    figures.extend(guesses_by_time(run));
    let text = if statistics.split() > 0 {
        let records = number_of(statistics.split(), "record");
        format!("These figures leave out {records} that several threads searched.")
    } else {
        String::new()
    };
    Section { id: "work".to_owned(), title: "Puzzles and search effort".to_owned(), text, figures }
}

/// Returns a histogram of the numbers of clues, and a table of their quantiles.
fn clues(run: &Run) -> Vec<Figure> {
    let list: Vec<(u64, u64)> =
        run.statistics.clues().map(|(clues, records)| (u64::from(clues), records)).collect();
    let Some(histogrammed) = clue_histogram(&list) else { return Vec::new() };
    let mut summary = Table::new("clue-quantiles", "Quantiles of clues", &columns(&[]));
    summary.row(quantiles(list.iter().copied(), Value::Count));
    let mut table = Table::new("clues", "Clues", &["clues", "records"]);
    for &(clues, records) in &list {
        let count = run.file.at(Value::Count(records), &format!("/clues/{clues}"));
        table.row([Value::Count(clues).into(), count]);
    }
    let text = match &list[..] {
        [(only, _)] => format!("All have {only} clues."),
        _ => String::new(),
    };
    let picture =
        Picture { title: "Records by clues".to_owned(), kind: PictureKind::Histogram(histogrammed) };
    let pictures = if list.len() == 1 { Vec::new() } else { vec![picture] };
    vec![summary.figure(String::new(), Vec::new()), table.figure(text, pictures)]
}

/// Returns figures about the clues in grids of one side length.
///
/// The figures show how often each cell has a clue, how often each digit is a clue, and the symmetries of the
/// clues.
fn clue_map(run: &Run, side: usize, map: &ClueMap) -> Vec<Figure> {
    let (cells, digits) = (map.cells(), map.digits());
    let most = cells.iter().max().copied().unwrap_or(0);
    // The statistics come from a file, so these lists may have any length.
    if most == 0 || cells.len() != side * side || digits.len() != side {
        return Vec::new();
    }
    let names: Vec<String> =
        std::iter::once(String::new()).chain((1..=side).map(|column| format!("c{column}"))).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut table = Table::new(format!("clue-map-{side}"), format!("Clues by cell, {side}x{side}"), &names);
    for (row, counts) in cells.chunks(side).enumerate() {
        let cell = |(column, &count): (usize, &u64)| {
            let place = format!("/clue_maps/{side}/cells/{}", row * side + column);
            run.file.at(Value::Count(count), &place).heated(count as f64 / most as f64)
        };
        let name = Cell::text(format!("r{}", row + 1));
        table.row(std::iter::once(name).chain(counts.iter().enumerate().map(cell)));
    }
    let total = digits.iter().sum::<u64>().max(1) as f64;
    let mut of_digits = Table::new(
        format!("clue-digits-{side}"),
        format!("Clues by digit, {side}x{side}"),
        &["digit", "clues", "share"],
    );
    for (digit, &count) in digits.iter().enumerate() {
        let number = run.file.at(Value::Count(count), &format!("/clue_maps/{side}/digits/{digit}"));
        of_digits.row([
            Value::Count(digit as u64 + 1).into(),
            number,
            Value::Share(count as f64 / total).into(),
        ]);
    }
    let mut symmetries = Table::new(
        format!("clue-symmetry-{side}"),
        format!("Symmetry of clues, {side}x{side}"),
        &["symmetry", "description", "records", "share"],
    );
    for (name, about, _) in Symmetry::ALL.into_iter().filter(|_| map.grids > 0) {
        let place = format!("/clue_maps/{side}/symmetries/{name}");
        let count = map.symmetries.get(name).copied();
        let cell = count.map_or(Value::Count(0).into(), |count| run.file.at(Value::Count(count), &place));
        let share = Value::Share(count.unwrap_or(0) as f64 / map.grids as f64);
        symmetries.row([Cell::text(name), Cell::text(about), cell, share.into()]);
    }
    let text = "Number of records with a clue in each cell. Darker cells have more.";
    let mut figures = vec![table.figure(text, Vec::new()), of_digits.figure(String::new(), Vec::new())];
    if map.grids > 0 {
        figures.push(symmetries.figure("A record may have several symmetries.", Vec::new()));
    }
    figures
}

/// Returns a figure for each weighted sample of minimal puzzles.
fn samples(run: &Run) -> Vec<Figure> {
    let figure = |(number, (population, sample)): (usize, (Population, &Sample))| {
        let Estimate { per_grid, mean_clues, shares, .. } = sample.estimate(population)?;
        let (fewest, most) = population.clues;
        let columns = ["", "in the sample", "estimate", "from", "to"];
        let caption = format!("Minimal puzzles of {} cells with {fewest} to {most} clues", population.cells);
        let mut table = Table::new(format!("sample-{}", number + 1), caption.clone(), &columns);
        let of = |of: fn(f64) -> Value, is: Interval| [of(is.value), of(is.low), of(is.high)].map(Cell::from);
        let mut row = |name: String, number: Cell, cells: [Cell; 3]| {
            table.row([Cell::text(name), number].into_iter().chain(cells));
        };
        let key = |field: &str| format!("/samples/{}/{field}", super::escaped(&population.to_string()));
        let orders = run.file.at(Value::Count(sample.orders), &key("orders"));
        row("orders".to_owned(), orders, [(); 3].map(|()| Value::Missing.into()));
        row("puzzles of a grid".to_owned(), Value::Missing.into(), of(Value::Rate, per_grid));
        row("mean number of clues".to_owned(), Value::Missing.into(), of(Value::Number, mean_clues));
        let mut bars = Vec::new();
        for (clues, puzzles, share) in shares {
            let count = run.file.at(Value::Count(puzzles), &key(&format!("clues/{clues}")));
            row(format!("{clues} clues"), count, of(Value::Share, share));
            bars.push(Bar { name: clues.to_string(), amount: share.value, shown: percent(share.value) });
        }
        let text = format!(
            "Weighted by number of clues, as if all minimal puzzles were equally likely. On average {:.3} clues. Intervals are \
             of 95 %.",
            mean_clues.value
        );
        Some(table.figure(text, vec![Picture { title: caption, kind: PictureKind::Bars(bars) }]))
    };
    run.statistics.samples().enumerate().filter_map(figure).collect()
}

/// Returns a histogram of numbers of clues with the median marked, or `None` if there are no records.
pub(super) fn clue_histogram(list: &[(u64, u64)]) -> Option<Histogrammed> {
    let edges = edges(list.first()?.0, list.last()?.0, false);
    let counts = counted(&edges, list.iter().copied());
    let marks = quantile(list.iter().copied(), 500).map(|clues| ("p50".to_owned(), clues));
    Some(Histogrammed { unit: Unit::Count, edges, counts, marks: marks.into_iter().collect() })
}

/// Returns the constructor that makes a [`Value`] from a number in this unit.
pub(super) fn value_in(unit: Unit) -> fn(u64) -> Value {
    match unit {
        Unit::Nanoseconds => Value::Time,
        Unit::Bytes => Value::Bytes,
        Unit::Count | Unit::Tenths => Value::Count,
    }
}

/// Returns a figure with a histogram and a table of its quantiles, or `None` if the histogram is empty.
fn values(run: &Run, histogram: &Histogram, unit: Unit, name: &str, key: &str) -> Option<Figure> {
    let (min, max) = (histogram.min()?, histogram.max()?);
    let kind = value_in(unit);
    let caption = if unit == Unit::Nanoseconds {
        "Time per record".to_owned()
    } else {
        format!("{} per record", capital(name))
    };
    let mut table = Table::new(name, caption.clone(), &["", "value"]);
    let whole = |kind: fn(u64) -> Value, field: &str| run.file.whole(kind, &format!("{key}/{field}"));
    table.row([Cell::text("records"), whole(Value::Count, "records")]);
    table.row([Cell::text("mean"), run.file.real(mean_in(unit), &format!("{key}/mean"))]);
    for (label, field) in [
        ("minimum", "min"),
        ("median", "p50"),
        ("90 % have at most", "p90"),
        ("99 % have at most", "p99"),
        ("maximum", "max"),
    ] {
        table.row([Cell::text(label), whole(kind, field)]);
    }
    let quantile = |share| histogram.quantile(share).map_or_else(String::new, |value| kind(value).shown());
    if min == max {
        return Some(table.figure(format!("All have {}.", kind(max).shown()), Vec::new()));
    }
    let text = format!(
        "Median {}, 90 % have at most {}, 99 % at most {}, maximum {}.",
        quantile(500),
        quantile(900),
        quantile(990),
        kind(max).shown()
    );
    let histogrammed = of_histogram(histogram, unit, edges(min, max, true));
    let picture = Picture { title: format!("Records by {name}"), kind: PictureKind::Histogram(histogrammed) };
    Some(table.figure(text, vec![picture]))
}

/// Returns the constructor that makes a [`Value`] from a mean in this unit.
fn mean_in(unit: Unit) -> fn(f64) -> Value {
    match unit {
        Unit::Nanoseconds => Value::MeanTime,
        _ => Value::Number,
    }
}

pub(super) fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn guesses_by_time(run: &Run) -> Option<Figure> {
    let cells: Vec<(u64, u64, u64)> = run.statistics.clock.guesses_by_time.smallest().collect();
    if cells.len() < 2 {
        return None;
    }
    let ends = |of: fn(&(u64, u64, u64)) -> u64| {
        let (min, max) = (cells.iter().map(of).min()?, cells.iter().map(of).max()?);
        Some(edges(min, Histogram2d::end_of(max) - 1, true))
    };
    let (x_edges, y_edges) = (ends(|cell| cell.0)?, ends(|cell| cell.1)?);
    let mut table =
        Table::new("guesses-by-time", "Guesses against time", &["guesses from", "time from", "records"]);
    for (place, &(guesses, time, records)) in cells.iter().enumerate() {
        let at = |part: usize| run.file.key(&format!("/clock/guesses_by_time/{place}/{part}"));
        table.row([
            Cell::from(Value::Count(guesses)).at(at(0)),
            Cell::from(Value::Time(time)).at(at(1)),
            Cell::from(Value::Count(records)).at(at(2)),
        ]);
    }
    let mut density = DensityCells {
        x_name: "guesses",
        x_unit: Unit::Count,
        y_name: "time",
        y_unit: Unit::Nanoseconds,
        cells: Vec::new(),
        x_edges,
        y_edges,
    };
    for &(guesses, time, records) in &cells {
        let (x, y) = (slot_of(&density.x_edges, guesses), slot_of(&density.y_edges, time));
        match density.cells.iter_mut().find(|cell| (cell.0, cell.1) == (x, y)) {
            Some(cell) => cell.2 += records,
            None => density.cells.push((x, y, records)),
        }
    }
    let title = "Guesses against time: darker cells hold more records".to_owned();
    let picture = Picture { title, kind: PictureKind::Density(density) };
    Some(table.figure(
        "Each power of two is two cells wide and two cells high. Darker cells hold more records.",
        vec![picture],
    ))
}

/// Returns the section about rate, phases, threads and memory over time.
fn over_time(run: &Run) -> Section {
    let clock = &run.statistics.clock;
    let timeline = &clock.timeline;
    let (bins, step_ns) = (timeline.bins(), timeline.bin_ns());
    let mut figures: Vec<Figure> = phases(run).into_iter().collect();
    let count = bins.len().max(timeline.threads().iter().map(Vec::len).max().unwrap_or(0));
    let all_ns = step_ns.saturating_mul(count as u64);
    // If statistics of several runs were merged, all timelines begin at zero, and their values are added up
    // per time step. The wall time then does not say when the timeline ends. So it is used only for a single
    // run.
    let is_one = run.statistics.runs.iter().map(|run| run.runs).sum::<u64>() == 1;
    let is_within = clock.wall_ns > all_ns.saturating_sub(step_ns) && clock.wall_ns < all_ns;
    let end_ns = if is_one && is_within { clock.wall_ns } else { all_ns };
    let width = |number: usize| end_ns.saturating_sub(number as u64 * step_ns).clamp(1, step_ns) as f64;
    figures.extend(threads(run, step_ns, end_ns, &width));
    let at = |list: &str, number: usize| run.file.key(&format!("/clock/timeline/{list}/{number}"));
    if bins.iter().any(|bin| bin.records > 0) {
        let names = [
            "from",
            "records",
            "records per second",
            "reading",
            "parsing",
            "solving",
            "verifying",
            "formatting",
            "writing",
            "memory",
        ];
        let mut table = Table::new("over-time", "The run over time", &names);
        for (number, bin) in bins.iter().enumerate() {
            let rate = bin.records as f64 * 1e9 / width(number);
            let mut row: Vec<Cell> = vec![
                Value::Time(number as u64 * step_ns).into(),
                Cell::from(Value::Count(bin.records)).at(at("records", number)),
                Value::Rate(rate).into(),
            ];
            let phases = bin.phases.each();
            row.extend(
                phases.map(|(name, ns)| Cell::from(Value::Time(ns)).at(at(&format!("{name}_ns"), number))),
            );
            let memory = Value::from_option(Some(bin.memory).filter(|bytes| *bytes > 0), Value::Bytes);
            row.push(match memory {
                Value::Missing => memory.into(),
                memory => Cell::from(memory).at(at("memory_bytes", number)),
            });
            table.rows.push(row);
        }
        let rates =
            bins.iter().enumerate().map(|(number, bin)| bin.records as f64 * 1e9 / width(number)).collect();
        let layers = vec![("records per second".to_owned(), rates)];
        let mut pictures = vec![steps("Records answered per second", Unit::Count, step_ns, end_ns, layers)];
        let names = bins[0].phases.each().map(|(name, _)| name);
        let layers = (0..).zip(names).map(|(phase, name)| {
            let shares = bins
                .iter()
                .enumerate()
                .map(|(number, bin)| bin.phases.each()[phase].1 as f64 / width(number));
            (name.to_owned(), shares.collect::<Vec<f64>>())
        });
        let layers: Vec<_> = layers.filter(|(_, shares)| shares.iter().any(|share| *share > 0.0)).collect();
        pictures.push(steps("Busy threads by phase", Unit::Count, step_ns, end_ns, layers));
        if bins.iter().any(|bin| bin.memory > 0) {
            let mut last = 0;
            let held = bins.iter().map(|bin| {
                last = if bin.memory > 0 { bin.memory } else { last };
                last as f64
            });
            let layers = vec![("memory".to_owned(), held.collect())];
            pictures.push(steps("Memory of the process", Unit::Bytes, step_ns, end_ns, layers));
        }
        let text = format!(
            "Each step is {}. The records of a chunk are spread evenly over the time that the chunk took.",
            duration(step_ns)
        );
        figures.push(table.figure(text, pictures));
    }
    Section::new("time", "The run over time", figures)
}

fn steps(title: &str, unit: Unit, step_ns: u64, end_ns: u64, layers: Vec<(String, Vec<f64>)>) -> Picture {
    Picture { title: title.to_owned(), kind: PictureKind::Steps(Steps { step_ns, end_ns, unit, layers }) }
}

fn phases(run: &Run) -> Option<Figure> {
    let phases = run.statistics.clock.phases.each();
    let total = phases.iter().fold(0u64, |sum, (_, ns)| sum.saturating_add(*ns));
    let mut table = Table::new("phases", "Time of all threads by phase", &["phase", "time", "share"]);
    let mut bars = Vec::new();
    for (name, ns) in phases {
        let share = ns as f64 / total.max(1) as f64;
        let time = run.file.at(Value::Time(ns), &format!("/clock/phases/{name}_ns"));
        table.row([Cell::text(name), time, Value::Share(share).into()]);
        bars.push(Bar { name: name.to_owned(), amount: ns as f64, shown: percent(share) });
    }
    bars.retain(|bar| bar.amount > 0.0);
    let text: Vec<String> = bars.iter().map(|bar| format!("{} {}", bar.name, bar.shown)).collect();
    let picture = Picture { title: "Time by phase".to_owned(), kind: PictureKind::Parts(bars) };
    (total > 0).then(|| table.figure(text.join(", ") + ".", vec![picture]))
}

fn threads(run: &Run, step_ns: u64, end_ns: u64, width: &dyn Fn(usize) -> f64) -> Option<Figure> {
    let clock = &run.statistics.clock;
    let mut table = Table::new("threads", "Threads", &["thread", "busy", "elapsed", "share busy"]);
    for (place, thread) in clock.threads.iter().enumerate() {
        let share = thread.busy_ns as f64 / thread.wall_ns.max(1) as f64;
        let at = |field: &str| run.file.key(&format!("/clock/threads/{place}/{field}"));
        table.row([
            Value::Count(place as u64 + 1).into(),
            Cell::from(Value::Time(thread.busy_ns)).at(at("busy_ns")),
            Cell::from(Value::Time(thread.wall_ns)).at(at("wall_ns")),
            Value::Share(share).into(),
        ]);
    }
    let busy = clock.busy()?;
    let rows = (1..).zip(clock.timeline.threads()).map(|(number, row): (u64, &Vec<u64>)| {
        let shares = row.iter().enumerate().map(|(bin, ns)| (*ns as f64 / width(bin)).min(1.0));
        (number.to_string(), shares.collect())
    });
    let rows: Vec<(String, Vec<f64>)> = rows.collect();
    let title = "Busy share of each thread over time: darker is busier".to_owned();
    let picture = Picture { title, kind: PictureKind::Rows(TimeRows { step_ns, end_ns, rows }) };
    let has_rows = !clock.timeline.threads().is_empty();
    let text =
        format!("{}, busy {} of the time.", number_of(clock.threads.len() as u64, "thread"), percent(busy));
    Some(table.figure(text, if has_rows { vec![picture] } else { Vec::new() }))
}

/// Returns the section with a table that has one row for each source.
fn sources(run: &Run) -> Section {
    let statistics = &run.statistics;
    let statuses: Vec<Status> =
        Status::ALL.iter().copied().filter(|&status| statistics.status(status) > 0).collect();
    let mut columns = vec!["source", "records"];
    columns.extend(statuses.iter().map(|status| status.word()));
    columns.extend(["clues", "guesses, median", "guesses, maximum", "guesses, mean", "time"]);
    let mut table = Table::new("sources", "Sources", &columns);
    let shares: Vec<_> = statistics.sources().take(LISTED).collect();
    let most_clues =
        shares.iter().filter_map(|(_, share)| share.clues().last()).map(|(clues, _)| u64::from(clues)).max();
    let least_clues =
        shares.iter().filter_map(|(_, share)| share.clues().next()).map(|(clues, _)| u64::from(clues)).min();
    let most_guesses = shares.iter().filter_map(|(_, share)| share.guesses().max()).max().unwrap_or(0);
    let clue_edges =
        least_clues.zip(most_clues).map(|(least, most)| edges(least, most, false)).unwrap_or_default();
    let guess_edges = edges(0, most_guesses, true);
    for (place, &(name, share)) in shares.iter().enumerate() {
        let key = super::escaped(name);
        let mut row = vec![Cell::text(name), Value::Count(share.records()).into()];
        for &status in &statuses {
            let cell = run.file.whole(Value::Count, &format!("/sources/{key}/{}", status.word()));
            row.push(if cell.value == Value::Missing { Value::Count(0).into() } else { cell });
        }
        let clues: Vec<(u64, u64)> =
            share.clues().map(|(clues, records)| (u64::from(clues), records)).collect();
        let range = clues.first().zip(clues.last()).map(|(first, last)| match (first.0, last.0) {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first} to {last}"),
        });
        let spark = |edges: &[u64], counts: Vec<u64>, what: &str| {
            let kind = Histogrammed { unit: Unit::Count, edges: edges.to_vec(), counts, marks: Vec::new() };
            Picture { title: format!("{name}: records by {what}"), kind: PictureKind::Spark(kind) }
        };
        let is_drawn = |cell: Cell, picture: Option<Picture>| match picture {
            Some(picture) if place < PICTURED => cell.drawn(picture),
            _ => cell,
        };
        let picture = (!clues.is_empty() && clue_edges.len() > 2)
            .then(|| spark(&clue_edges, counted(&clue_edges, clues.iter().copied()), "clues"));
        row.push(is_drawn(Value::from_option(range, Value::Text).into(), picture));
        let guesses = share.guesses();
        let work = |field: &str| format!("/sources_work/{key}/guesses/{field}");
        row.push(run.file.whole(Value::Count, &work("p50")));
        row.push(run.file.whole(Value::Count, &work("max")));
        let picture = (guesses.total() > 0)
            .then(|| spark(&guess_edges, counted(&guess_edges, guesses.buckets()), "guesses"));
        row.push(is_drawn(run.file.real(Value::Number, &work("mean")), picture));
        row.push(run.file.at(Value::Time(share.busy_ns), &format!("/clock/sources_ns/{key}")));
        table.rows.push(row);
    }
    let number = statistics.sources().len();
    let mut text =
        "Small charts in a column have the same axes. The axis of guesses is logarithmic.".to_owned();
    if number > LISTED {
        text += &format!(
            " This table has the first {LISTED} sources and leaves out {} more. The statistics file has all of them.",
            grouped((number - LISTED) as u64)
        );
    }
    let figures = if number > 1 { vec![table.figure(text, Vec::new())] } else { Vec::new() };
    Section::new("sources", "Sources", figures)
}

/// Returns the section about the automorphisms and bands of grids, and about classes of equivalent records.
///
/// It has figures only if records were converted to canonical forms or compared.
fn symmetry(run: &Run) -> Section {
    let statistics = &run.statistics;
    let list = |id: &str, caption: &str, columns: [&str; 2], key: &str, list: Vec<(u64, u64)>| {
        let (first, last) = (list.first()?.0, list.last()?.0);
        let mut table = Table::new(id, caption, &columns);
        for &(value, number) in &list {
            let count = run.file.at(Value::Count(number), &format!("/{key}/{value}"));
            table.row([Value::Count(value).into(), count]);
        }
        let edges = edges(first, last, key != "bands");
        let counts = counted(&edges, list.iter().copied());
        let histogrammed = Histogrammed { unit: Unit::Count, edges, counts, marks: Vec::new() };
        let picture = Picture { title: caption.to_owned(), kind: PictureKind::Histogram(histogrammed) };
        Some(table.figure(String::new(), vec![picture]))
    };
    let automorphisms =
        statistics.solution_automorphisms.iter().map(|(&number, &count)| (u64::from(number), count));
    let bands = statistics.bands.iter().map(|(&class, &count)| (u64::from(class), count));
    let sizes = statistics.class_sizes.iter().map(|(&size, &count)| (size, count));
    let figures = [
        list(
            "classes",
            "Classes of equivalent records by size",
            ["records in the class", "classes"],
            "class_sizes",
            sizes.collect(),
        ),
        list(
            "automorphisms",
            "Solutions by number of automorphisms",
            ["automorphisms", "solutions"],
            "solution_automorphisms",
            automorphisms.collect(),
        ),
        list(
            "bands",
            "Solutions by class of their best band",
            ["band class", "solutions"],
            "bands",
            bands.collect(),
        ),
    ];
    Section::new("symmetry", "Symmetry and classes", figures.into_iter().flatten().collect())
}
