//! The sections about a single run.

use super::bins::{Histogrammed, columns, counted, edges, quantiles, slot_of};
use super::page::{Cell, Figure, Picture, Section, Unit, Value};
use super::svg::{self, Bar, Scale, TimeSteps};
use super::{Run, escaped, hardest, header, ratings};
use quadrille_batch::stats::{
    ClueMap, Estimate, Histogram, Histogram2d, Interval, Population, Sample, duration, grouped, number_of,
    percent,
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
    let refusals = reasons(run).into_iter().chain(early(run));
    let refusals = Section::new("refusals", "Invalid and unfinished records", refusals);
    let mut all = vec![head, refusals, work(run), over_time(run), sources(run), symmetry(run)];
    let rated = ratings::section(std::slice::from_ref(run));
    // If records were rated, the ratings are the main result. So the section about ratings comes first,
    // followed by the hardest records. Otherwise, both come after three other sections.
    let place = if rated.figures.is_empty() { 3 } else { 0 };
    all.splice(place..place, [rated, hardest::section(run)]);
    all.into_iter().filter(|section| !section.figures.is_empty()).collect()
}

/// Returns a bar for each row. `name` and `amount` are columns.
fn bars(rows: &[Vec<Cell>], [name, amount]: [usize; 2], shown: impl Fn(&[Cell]) -> String) -> Vec<Bar> {
    let bar = |row: &Vec<Cell>| Bar {
        name: row[name].shown(),
        amount: row[amount].value.number().unwrap_or(0.0),
        shown: shown(row),
    };
    rows.iter().map(bar).collect()
}

/// Returns a figure with the number of records per status, or `None` if there are no records.
fn statuses(run: &Run) -> Option<Figure> {
    let statistics = &run.statistics;
    let records = statistics.totals.records_in.max(1) as f64;
    let rows = Status::ALL.iter().filter(|status| statistics.status(**status) > 0).map(|&status| {
        let count = run.file.cell(Unit::Count, &format!("/status/{}", status.word()));
        [status.word().into(), count, Unit::Share.real(statistics.status(status) as f64 / records)]
    });
    let figure = Figure::new("answers", "Answers", ["answer", "records", "share"]).with_rows(rows);
    let bars = bars(&figure.rows, [0, 1], |row| format!("{} ({})", row[1].shown(), row[2].shown()));
    figure.with_picture("Records by answer", svg::bars(&bars)).if_any()
}

/// Returns a figure about values that the output format cannot hold and that were therefore left out of the
/// output. Returns `None` if nothing was left out.
fn lost(run: &Run) -> Option<Figure> {
    let parts = run.statistics.losses.keys();
    let rows = parts.map(|part| [(*part).into(), run.file.cell(Unit::Count, &format!("/lost/{part}"))]);
    let figure = Figure::new("lost", "Dropped from the output", ["part", "records"]).with_rows(rows);
    figure.with_text("The output format cannot hold these parts of records.").if_any()
}

fn reasons(run: &Run) -> Option<Figure> {
    let rows = run.statistics.reasons().iter().enumerate().map(|(place, share)| {
        let count = run.file.cell(Unit::Count, &format!("/reasons/kinds/{place}/records"));
        let first = share
            .first
            .iter()
            .map(|first| format!("{} ({}:{})", grouped(first.index), first.source, first.line));
        let first = first.collect::<Vec<_>>().join(", ");
        [share.status.word().into(), (&*share.kind).into(), count, first.into()]
    });
    let columns = ["answer", "reason (# is any number)", "records", "first records"];
    let mut figure = Figure::new("reasons", REASONS, columns).with_rows(rows);
    let amount = |row: &[Cell]| row[2].value.number().unwrap_or(0.0);
    figure.rows.sort_by(|a, b| amount(b).total_cmp(&amount(a)));
    if run.statistics.other_reasons() > 0 {
        let count = run.file.cell(Unit::Count, "/reasons/others");
        figure.row(["any".into(), "other reasons".into(), count, Value::Missing.into()]);
    }
    let bars = bars(&figure.rows[..figure.rows.len().min(12)], [1, 2], |row| row[2].shown());
    let text = "The first records with each reason, by number, source and line.";
    figure.with_text(text).with_picture(REASONS, svg::bars(&bars)).if_any()
}

fn early(run: &Run) -> Option<Figure> {
    let statistics = &run.statistics;
    let is_shown = |ended_by: &&EndedBy| ended_by.is_early() && statistics.ended_by(**ended_by) > 0;
    let rows = EndedBy::ALL.iter().filter(is_shown).map(|&ended_by| {
        let word = ended_by.word();
        let first = statistics.first_ended_by(ended_by).iter().map(|index| grouped(*index));
        let count = run.file.cell(Unit::Count, &format!("/ended_by/{word}/records"));
        [word.into(), count, first.collect::<Vec<_>>().join(", ").into()]
    });
    let columns = ["ended by", "records", "first records"];
    let figure = Figure::new("early", "Searches that ended early", columns).with_rows(rows);
    figure.with_text("These records have no final answer. A larger limit may give one.").if_any()
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
            let cell = run.file.cell(Unit::Share, "/records/share_without_guess");
            figure.row(["solved without a guess".into(), cell]);
            figure.text = format!("Solved without a guess: {}. {}", percent(share), figure.text);
        }
        figures.extend(figure);
    }
    figures.extend(values(run, &statistics.clock.per_record, Unit::Nanoseconds, "time", "/clock/time_ns"));
    figures.extend(guesses_by_time(run));
    let section = Section::new("work", "Puzzles and search effort", figures);
    if statistics.split() == 0 {
        return section;
    }
    let records = number_of(statistics.split(), "record");
    section.with_text(format!("These figures leave out {records} that several threads searched."))
}

/// Adds a row for each pair of a value and a number of records. The numbers are in the file, by value, in the
/// object `key`.
fn with_counts(figure: Figure, run: &Run, key: &str, list: &[(u64, u64)]) -> Figure {
    figure.with_rows(list.iter().map(|(value, _)| {
        [Unit::Count.whole(*value), run.file.cell(Unit::Count, &format!("/{key}/{value}"))]
    }))
}

/// Returns a histogram of the numbers of clues, and a table of their quantiles.
fn clues(run: &Run) -> Vec<Figure> {
    let list: Vec<(u64, u64)> =
        run.statistics.clues().map(|(clues, records)| (u64::from(clues), records)).collect();
    let (Some(first), Some(last)) = (list.first(), list.last()) else { return Vec::new() };
    let quantiles = quantiles(list.iter().copied(), |clues| Unit::Count.whole(clues));
    let summary = Figure::new("clue-quantiles", "Quantiles of clues", columns(&[])).with_rows([quantiles]);
    let figure = with_counts(Figure::new("clues", "Clues", ["clues", "records"]), run, "clues", &list);
    let figure = if let [(only, _)] = &list[..] {
        figure.with_text(format!("All have {only} clues."))
    } else {
        let histogrammed = Histogrammed::of_clues(&edges(first.0, last.0, false), &list);
        figure.with_picture("Records by clues", svg::histogram(&histogrammed))
    };
    vec![summary, figure]
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
    let count = |place: String| run.file.cell(Unit::Count, &format!("/clue_maps/{side}/{place}"));
    let names = (0..=side).map(|column| if column == 0 { String::new() } else { format!("c{column}") });
    let caption = |what: &str| format!("{what}, {side}x{side}");
    let rows = cells.chunks(side).enumerate().map(|(row, counts)| {
        let cell = |(column, clues): (usize, &u64)| {
            count(format!("cells/{}", row * side + column)).heated(*clues as f64 / most as f64)
        };
        let cells: Vec<Cell> = counts.iter().enumerate().map(cell).collect();
        [format!("r{}", row + 1).into()].into_iter().chain(cells)
    });
    let map_of_cells = Figure::new(format!("clue-map-{side}"), caption("Clues by cell"), names)
        .with_rows(rows)
        .with_text("Number of records with a clue in each cell. Darker cells have more.");
    let total = digits.iter().sum::<u64>().max(1) as f64;
    let rows = digits.iter().enumerate().map(|(digit, &clues)| {
        let name = Unit::Count.whole(digit as u64 + 1);
        [name, count(format!("digits/{digit}")), Unit::Share.real(clues as f64 / total)]
    });
    let columns = ["digit", "clues", "share"];
    let of_digits =
        Figure::new(format!("clue-digits-{side}"), caption("Clues by digit"), columns).with_rows(rows);
    let rows = Symmetry::ALL.into_iter().filter(|_| map.grids > 0).map(|(name, about, _)| {
        let grids = map.symmetries.get(name);
        let cell = grids.map_or(Unit::Count.whole(0), |_| count(format!("symmetries/{name}")));
        let share = *grids.unwrap_or(&0) as f64 / map.grids as f64;
        [name.into(), about.into(), cell, Unit::Share.real(share)]
    });
    let columns = ["symmetry", "description", "records", "share"];
    let symmetries = Figure::new(format!("clue-symmetry-{side}"), caption("Symmetry of clues"), columns)
        .with_rows(rows)
        .with_text("A record may have several symmetries.");
    [map_of_cells, of_digits].into_iter().chain(symmetries.if_any()).collect()
}

/// Returns a figure for each weighted sample of minimal puzzles.
fn samples(run: &Run) -> Vec<Figure> {
    let figure = |(number, (population, sample)): (usize, (Population, &Sample))| {
        let Estimate { per_grid, mean_clues, shares, .. } = sample.estimate(population)?;
        let (fewest, most) = population.clues;
        let key = format!("/samples/{}", escaped(&population.to_string()));
        let count = |field: String| run.file.cell(Unit::Count, &format!("{key}/{field}"));
        let estimated = |name: &str, unit: Unit, is: Interval| {
            let [value, low, high] = [is.value, is.low, is.high].map(|number| unit.real(number));
            [name.into(), Value::Missing.into(), value, low, high]
        };
        let [none, from, to] = [(); 3].map(|()| Cell::from(Value::Missing));
        let mut rows = vec![
            ["orders".into(), count("orders".to_owned()), none, from, to],
            estimated("puzzles of a grid", Unit::Rate, per_grid),
            estimated("mean number of clues", Unit::Number, mean_clues),
        ];
        let mut bars = Vec::new();
        for (clues, _, share) in shares {
            let mut row = estimated(&format!("{clues} clues"), Unit::Share, share);
            row[1] = count(format!("clues/{clues}"));
            rows.push(row);
            bars.push(Bar { name: clues.to_string(), amount: share.value, shown: percent(share.value) });
        }
        let caption = format!("Minimal puzzles of {} cells with {fewest} to {most} clues", population.cells);
        let text = format!(
            "Weighted by number of clues, as if all minimal puzzles were equally likely. On average {:.3} clues. Intervals are \
             of 95 %.",
            mean_clues.value
        );
        let columns = ["", "in the sample", "estimate", "from", "to"];
        let figure = Figure::new(format!("sample-{}", number + 1), caption.clone(), columns);
        Some(figure.with_rows(rows).with_text(text).with_picture(caption, svg::bars(&bars)))
    };
    run.statistics.samples().enumerate().filter_map(figure).collect()
}

/// Returns the caption of a figure about the values that each record has.
pub(super) fn caption(name: &str) -> String {
    let mut letters = name.chars();
    let capital = letters.next().into_iter().flat_map(char::to_uppercase);
    format!("{} per record", capital.chain(letters).collect::<String>())
}

/// Returns a figure with a histogram and a table of its quantiles, or `None` if the histogram is empty.
fn values(run: &Run, histogram: &Histogram, unit: Unit, name: &str, key: &str) -> Option<Figure> {
    let (min, max) = (histogram.min()?, histogram.max()?);
    let rows = [
        ("records", Unit::Count, "records"),
        ("mean", unit, "mean"),
        ("minimum", unit, "min"),
        ("median", unit, "p50"),
        ("90 % have at most", unit, "p90"),
        ("99 % have at most", unit, "p99"),
        ("maximum", unit, "max"),
    ];
    let rows =
        rows.map(|(label, unit, field)| [label.into(), run.file.cell(unit, &format!("{key}/{field}"))]);
    let figure = Figure::new(name, caption(name), ["", "value"]).with_rows(rows);
    let shown = |value: u64| unit.whole(value).shown();
    if min == max {
        return Some(figure.with_text(format!("All have {}.", shown(max))));
    }
    let quantile = |share| histogram.quantile(share).map_or_else(String::new, shown);
    let text = format!(
        "Median {}, 90 % have at most {}, 99 % at most {}, maximum {}.",
        quantile(500),
        quantile(900),
        quantile(990),
        shown(max)
    );
    let histogrammed = Histogrammed::of(histogram, unit, &edges(min, max, true));
    let title = format!("Records by {name}");
    Some(figure.with_text(text).with_picture(title, svg::histogram(&histogrammed)))
}

fn guesses_by_time(run: &Run) -> Option<Figure> {
    let cells: Vec<(u64, u64, u64)> = run.statistics.clock.guesses_by_time.smallest().collect();
    if cells.len() < 2 {
        return None;
    }
    let scale = |name, unit, of: fn(&(u64, u64, u64)) -> u64| {
        let (min, max) = (cells.iter().map(of).min()?, cells.iter().map(of).max()?);
        Some(Scale { name, unit, edges: edges(min, Histogram2d::end_of(max) - 1, true) })
    };
    let x_scale = scale("guesses", Unit::Count, |cell| cell.0)?;
    let y_scale = scale("time", Unit::Nanoseconds, |cell| cell.1)?;
    let rows = (0..cells.len()).map(|place| {
        let at = |part: usize| format!("/clock/guesses_by_time/{place}/{part}");
        let units = [Unit::Count, Unit::Nanoseconds, Unit::Count].into_iter().enumerate();
        units.map(|(part, unit)| run.file.cell(unit, &at(part))).collect::<Vec<_>>()
    });
    let columns = ["guesses from", "time from", "records"];
    let figure = Figure::new("guesses-by-time", "Guesses against time", columns).with_rows(rows);
    let mut counts: Vec<(usize, usize, u64)> = Vec::new();
    for &(guesses, time, records) in &cells {
        let (x, y) = (slot_of(&x_scale.edges, guesses), slot_of(&y_scale.edges, time));
        match counts.iter_mut().find(|cell| (cell.0, cell.1) == (x, y)) {
            Some(cell) => cell.2 += records,
            None => counts.push((x, y, records)),
        }
    }
    let text = "Each power of two is two cells wide and two cells high. Darker cells hold more records.";
    let title = "Guesses against time: darker cells hold more records";
    Some(figure.with_text(text).with_picture(title, svg::density(&x_scale, &y_scale, &counts)))
}

/// Returns the section about rate, phases, threads and memory over time.
fn over_time(run: &Run) -> Section {
    let clock = &run.statistics.clock;
    let timeline = &clock.timeline;
    let (bins, step_ns) = (timeline.bins(), timeline.bin_ns());
    let count = bins.len().max(timeline.threads().iter().map(Vec::len).max().unwrap_or(0));
    let all_ns = step_ns.saturating_mul(count as u64);
    // If statistics of several runs were merged, all timelines begin at zero, and their values are added up
    // per time step. The wall time then does not say when the timeline ends. So it is used only for a single
    // run.
    let is_one = run.statistics.runs.iter().map(|run| run.runs).sum::<u64>() == 1;
    let is_within = clock.wall_ns > all_ns.saturating_sub(step_ns) && clock.wall_ns < all_ns;
    let time = TimeSteps { step_ns, end_ns: if is_one && is_within { clock.wall_ns } else { all_ns } };
    let figures = [phases(run), threads(run, time), timeline_of(run, time)];
    Section::new("time", "The run over time", figures.into_iter().flatten())
}

/// Returns a figure with the rate, the phases and the memory in each time step.
fn timeline_of(run: &Run, time: TimeSteps) -> Option<Figure> {
    let bins = run.statistics.clock.timeline.bins();
    if bins.iter().all(|bin| bin.records == 0) {
        return None;
    }
    let rates: Vec<f64> =
        (0..).zip(bins).map(|(number, bin)| bin.records as f64 * 1e9 / time.width(number)).collect();
    let phases = bins[0].phases.each().map(|(name, _)| name);
    let rows = bins.iter().enumerate().map(|(number, bin)| {
        let cell = |unit, list: &str| run.file.cell(unit, &format!("/clock/timeline/{list}/{number}"));
        let phases = phases.map(|name| cell(Unit::Nanoseconds, &format!("{name}_ns")));
        let memory = (bin.memory > 0).then(|| cell(Unit::Bytes, "memory_bytes")).into();
        let from = Unit::Nanoseconds.whole(number as u64 * time.step_ns);
        let head = [from, cell(Unit::Count, "records"), Unit::Rate.real(rates[number])];
        head.into_iter().chain(phases).chain([memory]).collect::<Vec<Cell>>()
    });
    let columns = ["from", "records", "records per second"].into_iter().chain(phases).chain(["memory"]);
    let text = format!(
        "Each step is {}. The records of a chunk are spread evenly over the time that the chunk took.",
        duration(time.step_ns)
    );
    let figure = Figure::new("over-time", "The run over time", columns).with_rows(rows).with_text(text);
    let layers = (0..).zip(phases).map(|(phase, name): (usize, _)| {
        let shares =
            (0..).zip(bins).map(|(number, bin)| bin.phases.each()[phase].1 as f64 / time.width(number));
        (name.to_owned(), shares.collect::<Vec<f64>>())
    });
    let layers: Vec<_> = layers.filter(|(_, shares)| shares.iter().any(|share| *share > 0.0)).collect();
    let rates = svg::steps(time, Unit::Count, &[("records per second".to_owned(), rates)]);
    let figure = figure
        .with_picture("Records answered per second", rates)
        .with_picture("Busy threads by phase", svg::steps(time, Unit::Count, &layers));
    if bins.iter().all(|bin| bin.memory == 0) {
        return Some(figure);
    }
    let mut last = 0;
    let held = bins.iter().map(|bin| {
        last = if bin.memory > 0 { bin.memory } else { last };
        last as f64
    });
    let memory = svg::steps(time, Unit::Bytes, &[("memory".to_owned(), held.collect())]);
    Some(figure.with_picture("Memory of the process", memory))
}

fn phases(run: &Run) -> Option<Figure> {
    let phases = run.statistics.clock.phases.each();
    let total = phases.iter().fold(0u64, |sum, (_, ns)| sum.saturating_add(*ns));
    let rows = phases.map(|(name, ns)| {
        let time = run.file.cell(Unit::Nanoseconds, &format!("/clock/phases/{name}_ns"));
        [name.into(), time, Unit::Share.real(ns as f64 / total.max(1) as f64)]
    });
    let columns = ["phase", "time", "share"];
    let figure = Figure::new("phases", "Time of all threads by phase", columns).with_rows(rows);
    let mut bars = bars(&figure.rows, [0, 1], |row| row[2].shown());
    bars.retain(|bar| bar.amount > 0.0);
    let text: Vec<String> = bars.iter().map(|bar| format!("{} {}", bar.name, bar.shown)).collect();
    let figure = figure.with_text(text.join(", ") + ".").with_picture("Time by phase", svg::parts(&bars));
    (total > 0).then_some(figure)
}

fn threads(run: &Run, time: TimeSteps) -> Option<Figure> {
    let clock = &run.statistics.clock;
    let rows = clock.threads.iter().enumerate().map(|(place, thread)| {
        let at = |field: &str| run.file.cell(Unit::Nanoseconds, &format!("/clock/threads/{place}/{field}"));
        let share = thread.busy_ns as f64 / thread.wall_ns.max(1) as f64;
        [Unit::Count.whole(place as u64 + 1), at("busy_ns"), at("wall_ns"), Unit::Share.real(share)]
    });
    let columns = ["thread", "busy", "elapsed", "share busy"];
    let text = format!(
        "{}, busy {} of the time.",
        number_of(clock.threads.len() as u64, "thread"),
        percent(clock.busy()?)
    );
    let figure = Figure::new("threads", "Threads", columns).with_rows(rows).with_text(text);
    let share = |(bin, ns): (usize, &u64)| (*ns as f64 / time.width(bin)).min(1.0);
    let rows = clock.timeline.threads().iter().map(|row| row.iter().enumerate().map(share).collect());
    let rows: Vec<Vec<f64>> = rows.collect();
    if rows.is_empty() {
        return Some(figure);
    }
    Some(figure.with_picture("Busy share of each thread over time: darker is busier", svg::rows(time, &rows)))
}

/// Returns the section with a table that has one row for each source.
fn sources(run: &Run) -> Section {
    let statistics = &run.statistics;
    let statuses: Vec<&str> = Status::ALL
        .iter()
        .filter(|status| statistics.status(**status) > 0)
        .map(|status| status.word())
        .collect();
    let columns = ["source", "records"].iter().chain(&statuses).copied().chain([
        "clues",
        "guesses, median",
        "guesses, maximum",
        "guesses, mean",
        "time",
    ]);
    let shares: Vec<_> = statistics.sources().take(LISTED).collect();
    let clues = || shares.iter().flat_map(|(_, share)| share.clues()).map(|(clues, _)| u64::from(clues));
    let clue_edges =
        clues().min().zip(clues().max()).map(|(least, most)| edges(least, most, false)).unwrap_or_default();
    let most_guesses = shares.iter().filter_map(|(_, share)| share.guesses().max()).max().unwrap_or(0);
    let guess_edges = edges(0, most_guesses, true);
    let rows = shares.iter().enumerate().map(|(place, &(name, share))| {
        let key = escaped(name);
        let drawn = |cell: Cell, what: &str, counts: Vec<u64>| {
            let has_picture = place < PICTURED && counts.iter().any(|count| *count > 0);
            let title = format!("{name}: records by {what}");
            Cell { picture: has_picture.then(|| Picture { title, scene: svg::spark(&counts) }), ..cell }
        };
        let with_status = |word: &&str| {
            let cell = run.file.cell(Unit::Count, &format!("/sources/{key}/{word}"));
            if cell.value == Value::Missing { Unit::Count.whole(0) } else { cell }
        };
        let clues: Vec<(u64, u64)> =
            share.clues().map(|(clues, records)| (u64::from(clues), records)).collect();
        let range = clues.first().zip(clues.last()).map(|(first, last)| match (first.0, last.0) {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first} to {last}"),
        });
        let clue_counts =
            if clue_edges.len() > 2 { counted(&clue_edges, clues.iter().copied()) } else { Vec::new() };
        let work = |unit, field: &str| run.file.cell(unit, &format!("/sources_work/{key}/guesses/{field}"));
        let guess_counts = counted(&guess_edges, share.guesses().buckets());
        let time = Value::Whole(share.busy_ns, Unit::Nanoseconds);
        [name.into(), Unit::Count.whole(share.records())]
            .into_iter()
            .chain(statuses.iter().map(with_status))
            .chain([
                drawn(range.into(), "clues", clue_counts),
                work(Unit::Count, "p50"),
                work(Unit::Count, "max"),
                drawn(work(Unit::Number, "mean"), "guesses", guess_counts),
                run.file.read_at(&format!("/clock/sources_ns/{key}"), Some(time)),
            ])
            .collect::<Vec<Cell>>()
    });
    let number = statistics.sources().len();
    let mut text =
        "Small charts in a column have the same axes. The axis of guesses is logarithmic.".to_owned();
    if number > LISTED {
        text += &format!(
            " This table has the first {LISTED} sources and leaves out {} more. The statistics file has all of them.",
            grouped((number - LISTED) as u64)
        );
    }
    let figure =
        (number > 1).then(|| Figure::new("sources", "Sources", columns).with_rows(rows).with_text(text));
    Section::new("sources", "Sources", figure)
}

/// Returns the section about the automorphisms and bands of grids, and about classes of equivalent records.
///
/// It has figures only if records were converted to canonical forms or compared.
fn symmetry(run: &Run) -> Section {
    let statistics = &run.statistics;
    let figure = |id: &str, caption: &str, columns: [&str; 2], key: &str, list: Vec<(u64, u64)>| {
        let edges = edges(list.first()?.0, list.last()?.0, key != "bands");
        let histogrammed = Histogrammed::new(Unit::Count, &edges, list.iter().copied());
        let figure = with_counts(Figure::new(id, caption, columns), run, key, &list);
        Some(figure.with_picture(caption, svg::histogram(&histogrammed)))
    };
    let automorphisms =
        statistics.solution_automorphisms.iter().map(|(&number, &count)| (u64::from(number), count));
    let bands = statistics.bands.iter().map(|(&class, &count)| (u64::from(class), count));
    let sizes = statistics.class_sizes.iter().map(|(&size, &count)| (size, count));
    let figures = [
        figure(
            "classes",
            "Classes of equivalent records by size",
            ["records in the class", "classes"],
            "class_sizes",
            sizes.collect(),
        ),
        figure(
            "automorphisms",
            "Solutions by number of automorphisms",
            ["automorphisms", "solutions"],
            "solution_automorphisms",
            automorphisms.collect(),
        ),
        figure(
            "bands",
            "Solutions by class of their best band",
            ["band class", "solutions"],
            "bands",
            bands.collect(),
        ),
    ];
    Section::new("symmetry", "Symmetry and classes", figures.into_iter().flatten())
}
