//! A page that compares several runs with the first one.

use super::bins::{columns, counted, edges, of_histogram, quantiles};
use super::page::{
    Cell, Figure, Histogrammed, Page, Picture, PictureKind, Ratio, RatioDot, Section, Steps, Table, Unit,
    Value,
};
use super::record_diff::Paired;
use super::{Run, command, header, ratings, ratio, run_page};
use quadrille_batch::stats::{Histogram, Statistics, grouped, number_of, percent};
use quadrille_model::{Counter, Status};

/// Maximum number of runs for which pictures are drawn.
const PICTURED: usize = 24;

/// Returns the page that compares several runs with the first one.
pub(super) fn page(runs: &[Run], paired: &[Paired]) -> Page {
    let names: Vec<&str> = runs.iter().map(|run| &*run.name).collect();
    let title = match names.as_slice() {
        [one, other] => format!("{one} and {other}"),
        _ => format!("{} runs", names.len()),
    };
    let mut alarms: Vec<String> = Vec::new();
    for run in runs {
        alarms.extend(
            header::alarms(&run.statistics).into_iter().map(|alarm| format!("{}: {alarm}", run.name)),
        );
    }
    alarms.extend(differences(runs));
    let sections = [
        ratings::section(runs),
        side_by_side(runs),
        ratios(runs, paired),
        changed(runs, paired),
        distributions(runs),
        times(runs),
    ];
    let sections = sections.into_iter().filter(|section| !section.figures.is_empty()).collect();
    Page { title, sentence: sentence(runs, paired), alarms, sections }
}

fn sentence(runs: &[Run], paired: &[Paired]) -> String {
    let records: Vec<u64> = runs.iter().map(|run| run.statistics.totals.records_in).collect();
    let text = if records.windows(2).all(|pair| pair[0] == pair[1]) {
        number_of(records[0], "record") + " each"
    } else {
        records.iter().map(|&records| grouped(records)).collect::<Vec<_>>().join(", ") + " records"
    };
    text + "; " + &answers(runs, paired) + &medians(runs) + "."
}

/// Returns a clause about the median ratings of the runs, which is appended to a sentence.
///
/// The text is empty unless all runs were rated on the same scale.
fn medians(runs: &[Run]) -> String {
    let Some((scale, _)) = runs[0].statistics.ratings().next() else { return String::new() };
    let median = |run: &Run| Some(ratings::counts_on(run, scale)?.quantile(500)?.to_string());
    let medians: Option<Vec<String>> = runs.iter().map(median).collect();
    medians.map_or_else(String::new, |medians| format!("; median ratings ({scale}): {}", medians.join(", ")))
}

/// Statuses of records that may have several solutions. Each run may find a different solution, which is not
/// an error.
const ANY_SOLUTION: [Status; 2] = [Status::Solved, Status::Multiple];

/// Returns a sentence that tells whether the runs have the same answers.
fn answers(runs: &[Run], paired: &[Paired]) -> String {
    let all_same = |differs: &dyn Fn(&Statistics, &Statistics) -> bool| {
        runs.windows(2).all(|pair| !differs(&pair[0].statistics, &pair[1].statistics))
    };
    let changed: u64 = paired.iter().map(|paired| paired.changed).sum();
    let by_record = match paired {
        [] => String::new(),
        _ => format!("; {} changed", number_of(changed, "answer")),
    };
    if all_same(&|one, other| one.checksum != other.checksum) {
        return format!("all answers are the same{by_record}");
    }
    let is_any = |word: &str| ANY_SOLUTION.iter().any(|status| status.word() == word);
    let shown_only = |paired: &Paired| {
        paired.unpaired == 0 && paired.changes.keys().all(|(before, after)| before == after && is_any(before))
    };
    if !paired.is_empty() && paired.iter().all(shown_only) {
        let records = number_of(changed, "record");
        return format!(
            "all answers are the same, except which solution is shown for {records} with several solutions"
        );
    }
    let has_same_numbers = all_same(&|one, other| {
        Status::ALL.iter().any(|status| one.status(*status) != other.status(*status))
            || one.solutions() != other.solutions()
    });
    let has_any = runs.iter().any(|run| ANY_SOLUTION.iter().any(|status| run.statistics.status(*status) > 0));
    if paired.is_empty() && has_same_numbers && has_any {
        return "the numbers of each status are the same, but the checksums differ: a record with several solutions may \
                show another solution (--outcomes compares record by record)"
            .to_owned();
    }
    format!("not all answers are the same{by_record}")
}

/// Returns sentences about differences between the runs that make their comparison less meaningful.
fn differences(runs: &[Run]) -> Vec<String> {
    let mut found = Vec::new();
    let mut differ = |what: &str, of: &dyn Fn(&Statistics) -> Vec<String>| {
        let first = of(&runs[0].statistics);
        if runs
            .iter()
            .any(|run| of(&run.statistics) != first && !of(&run.statistics).is_empty() && !first.is_empty())
        {
            found.push(what.to_owned());
        }
    };
    differ("The runs were made on different machines: their times cannot be compared.", &|statistics| {
        statistics.clock.machines.keys().cloned().collect()
    });
    differ("The runs have different numbers of threads.", &|statistics| {
        vec![statistics.clock.threads.len().to_string()]
    });
    differ("The runs have different inputs.", &|statistics| {
        statistics.sources().map(|(name, share)| format!("{name}: {}", share.records())).collect()
    });
    found
}

/// Returns a table with one row per measure and one column per run.
fn side_by_side(runs: &[Run]) -> Section {
    let mut columns = vec![""];
    columns.extend(runs.iter().map(|run| &*run.name));
    let mut table = Table::new("side-by-side", "Side by side", &columns);
    let mut row = |name: &str, cell: &dyn Fn(&Run) -> Cell| {
        let mut cells = vec![Cell::text(name)];
        cells.extend(runs.iter().map(cell));
        if cells[1..].iter().any(|cell| cell.value != Value::Missing) {
            table.rows.push(cells);
        }
    };
    row("command", &|run| {
        let kind = run.statistics.runs.first();
        Value::from_option(kind.map(|kind| command(&kind.options)), Value::Code).into()
    });
    row("version", &|run| run.file.words(Value::Text, "/runs/0/version"));
    row("machine", &|run| {
        let machines: Vec<&str> = run.statistics.clock.machines.keys().map(String::as_str).collect();
        Value::from_option((!machines.is_empty()).then(|| machines.join("; ")), Value::Text).into()
    });
    row("threads", &|run| Value::Count(run.statistics.clock.threads.len() as u64).into());
    row("records", &|run| run.file.whole(Value::Count, "/records/in"));
    for &status in Status::ALL {
        row(status.word(), &|run| run.file.whole(Value::Count, &format!("/status/{}", status.word())));
    }
    row("solutions found", &|run| run.file.words(Value::Large, "/records/solutions"));
    row("solved without a guess", &|run| run.file.real(Value::Share, "/records/share_without_guess"));
    for counter in Counter::SUMMED {
        let name = counter.name();
        row(&format!("{name}, mean"), &|run| run.file.real(Value::Number, &format!("/{name}/mean")));
        for (label, field) in [("99 % have at most", "p99"), ("maximum", "max")] {
            row(&format!("{name}, {label}"), &|run| {
                run.file.whole(Value::Count, &format!("/{name}/{field}"))
            });
        }
    }
    for (name, field) in [("time", "wall_ns"), ("processor time", "cpu_ns")] {
        row(name, &|run| match run.statistics.clock.wall_ns {
            0 => Value::Missing.into(),
            _ => run.file.whole(Value::Time, &format!("/clock/{field}")),
        });
    }
    row("records per second", &|run| run.file.real(Value::Rate, "/clock/records_per_second"));
    row("peak memory", &|run| run.file.whole(Value::Bytes, "/clock/peak_memory_bytes"));
    row("checksum", &|run| run.file.words(Value::Code, "/checksum"));
    let text = "Each run measures its time once. The ratios below show the spread.";
    Section::new("side-by-side", "Side by side", vec![table.figure(text, Vec::new())])
}

/// Returns the section with ratios that compare each run with the first one. Each ratio has its uncertainty.
fn ratios(runs: &[Run], paired: &[Paired]) -> Section {
    let columns = ["measure", "run", "ratio to the first", "from", "to", "method"];
    let mut table = Table::new("ratios", format!("Compared with {}", runs[0].name), &columns);
    let mut dots = Vec::new();
    let mut add = |measure: &str, run: &Run, ratio: Option<Ratio>, by: String| {
        let Some(ratio) = ratio else { return };
        let number = |value: f64| Cell::from(Value::Number(value));
        let cells = [
            Cell::text(measure),
            Cell::text(&run.name),
            number(ratio.value),
            number(ratio.low),
            number(ratio.high),
            Cell::text(by),
        ];
        table.rows.push(cells.into());
        dots.push(RatioDot { name: format!("{measure}: {}", run.name), ratio });
    };
    let first = &runs[0].statistics;
    for (place, run) in runs.iter().enumerate().skip(1) {
        let other = &run.statistics;
        let by = "medians of time steps, quartile to quartile".to_owned();
        add("records per second", run, ratio::of_rates(&first.clock.timeline, &other.clock.timeline), by);
        let pairs = paired.get(place - 1);
        let measures = [("nodes", Counter::Nodes), ("guesses", Counter::Guesses)];
        for (name, counter) in measures {
            let by_record =
                pairs.map(|pairs| if counter == Counter::Nodes { &pairs.nodes } else { &pairs.guesses });
            match by_record.filter(|mean| mean.records() > 1) {
                Some(mean) => {
                    let name = if counter == Counter::Guesses { "guesses + 1" } else { name };
                    let by =
                        format!("geometric mean over {}, 95 % interval", number_of(mean.records(), "record"));
                    add(name, run, mean.ratio(), by);
                }
                None => {
                    let by = "means of both distributions, 95 % interval".to_owned();
                    add(name, run, ratio::of_means(first.work(counter), other.work(counter)), by);
                }
            }
        }
        match pairs.map(|pairs| &pairs.time).filter(|mean| mean.records() > 1) {
            Some(mean) => {
                let by =
                    format!("geometric mean over {}, 95 % interval", number_of(mean.records(), "record"));
                add("time per record", run, mean.ratio(), by);
            }
            None => {
                let by = "means of both distributions, 95 % interval".to_owned();
                add(
                    "time per record",
                    run,
                    ratio::of_means(&first.clock.per_record, &other.clock.per_record),
                    by,
                );
            }
        }
    }
    let text = "A ratio above 1 is more than in the first run. A point is filled if its range excludes 1.";
    let picture = Picture {
        title: "Ratios to the first run, with their spread".to_owned(),
        kind: PictureKind::Ratios(dots),
    };
    let figures = if table.rows.is_empty() { Vec::new() } else { vec![table.figure(text, vec![picture])] };
    Section::new("ratios", "Ratios", figures)
}

/// Returns the section about records whose answers changed or that became much harder.
///
/// The section needs the outcomes of each record, so both runs must have written them to files.
fn changed(runs: &[Run], paired: &[Paired]) -> Section {
    let mut figures = Vec::new();
    for (run, paired) in runs.iter().skip(1).zip(paired) {
        let id = |name: &str| format!("{name}-{}", run.file.number);
        let mut table = Table::new(id("paired"), format!("{}, record by record", run.name), &["", "records"]);
        let mut row = |name: &str, number: u64| table.row([Cell::text(name), Value::Count(number).into()]);
        row("in both runs", paired.records);
        row("in one run only, or another puzzle", paired.unpaired);
        row("with another answer", paired.changed);
        for ((before, after), number) in &paired.changes {
            let what = if before == after {
                format!("{before}, with another solution or count")
            } else {
                format!("{before}, now {after}")
            };
            row(&what, *number);
        }
        row("at least ten times the nodes", paired.harder);
        row("at most a tenth of the nodes", paired.easier);
        let share = paired.changed as f64 / paired.records.max(1) as f64;
        let text = format!("{} of {} changed.", percent(share), number_of(paired.records, "record"));
        figures.push(table.figure(text, Vec::new()));
        if !paired.first_changed.is_empty() {
            let mut table = Table::new(
                id("changed"),
                "The first records with another answer",
                &["record", "before", "now"],
            );
            for changed in &paired.first_changed {
                table.row([
                    Value::Count(changed.index).into(),
                    Cell::text(changed.before.word()),
                    Cell::text(changed.after.word()),
                ]);
            }
            figures.push(table.figure(String::new(), Vec::new()));
        }
        if !paired.hardest.is_empty() {
            let mut table = Table::new(
                id("harder"),
                "Records that became ten times harder",
                &["record", "nodes before", "nodes now"],
            );
            for harder in &paired.hardest {
                table.row(
                    [harder.index, harder.before, harder.after]
                        .map(|number| Cell::from(Value::Count(number))),
                );
            }
            figures.push(table.figure(String::new(), Vec::new()));
        }
    }
    Section::new("changed", "Record by record", figures)
}

/// Returns the section with histograms of all runs. Within a figure, all histograms have the same axes.
fn distributions(runs: &[Run]) -> Section {
    let mut figures: Vec<Figure> = clues(runs).into_iter().collect();
    for counter in Counter::SUMMED {
        let name = counter.name();
        figures.extend(values(runs, name, &format!("/{name}"), Unit::Count, &|statistics| {
            statistics.work(counter)
        }));
    }
    figures.extend(values(runs, "time", "/clock/time_ns", Unit::Nanoseconds, &|statistics| {
        &statistics.clock.per_record
    }));
    let text = "Charts of the same measure share their axis of values.".to_owned();
    Section { id: "distributions".to_owned(), title: "Puzzles and search effort".to_owned(), text, figures }
}

fn clues(runs: &[Run]) -> Option<Figure> {
    let lists: Vec<Vec<(u64, u64)>> = runs
        .iter()
        .map(|run| run.statistics.clues().map(|(clues, records)| (u64::from(clues), records)).collect())
        .collect();
    let ends = lists.iter().filter_map(|list| Some((list.first()?.0, list.last()?.0)));
    let (least, most) = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
    let edges = edges(least, most, false);
    let mut table = Table::new("clues", "Clues", &columns(&["run"]));
    let mut pictures = Vec::new();
    for (run, list) in runs.iter().zip(&lists) {
        let Some(own) = run_page::clue_histogram(list) else { continue };
        table
            .row(std::iter::once(Cell::text(&run.name)).chain(quantiles(list.iter().copied(), Value::Count)));
        let kind =
            Histogrammed { edges: edges.clone(), counts: counted(&edges, list.iter().copied()), ..own };
        pictures.push(Picture { title: run.name.clone(), kind: PictureKind::Histogram(kind) });
    }
    pictures.truncate(PICTURED);
    Some(table.figure(String::new(), pictures))
}

fn values(
    runs: &[Run],
    name: &str,
    key: &str,
    unit: Unit,
    of: &dyn Fn(&Statistics) -> &Histogram,
) -> Option<Figure> {
    let ends = runs.iter().filter_map(|run| of(&run.statistics).min().zip(of(&run.statistics).max()));
    let (least, most) = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
    let edges = edges(least, most, true);
    let kind = run_page::value_in(unit);
    let columns = ["run", "records", "median", "90 % have at most", "99 % have at most", "maximum"];
    let caption = if unit == Unit::Nanoseconds {
        "Time per record".to_owned()
    } else {
        format!("{} per record", run_page::capital(name))
    };
    let mut table = Table::new(name, caption, &columns);
    let mut pictures = Vec::new();
    for run in runs {
        let histogram = of(&run.statistics);
        if histogram.total() == 0 {
            continue;
        }
        let at = |kind: fn(u64) -> Value, field: &str| run.file.whole(kind, &format!("{key}/{field}"));
        let quantiles = ["p50", "p90", "p99", "max"].map(|field| at(kind, field));
        table.row([Cell::text(&run.name), at(Value::Count, "records")].into_iter().chain(quantiles));
        let kind = PictureKind::Histogram(of_histogram(histogram, unit, edges.clone()));
        pictures.push(Picture { title: run.name.clone(), kind });
    }
    pictures.truncate(PICTURED);
    Some(table.figure(String::new(), pictures))
}

/// Returns the section that shows how the rate of each run changed over time.
fn times(runs: &[Run]) -> Section {
    let mut table = Table::new(
        "rates",
        "Records per second over time",
        &["run", "from", "records", "records per second"],
    );
    let mut pictures = Vec::new();
    for run in runs {
        let timeline = &run.statistics.clock.timeline;
        let step_ns = timeline.bin_ns();
        let mut rates = Vec::new();
        for (number, bin) in timeline.bins().iter().enumerate() {
            let rate = bin.records as f64 * 1e9 / step_ns as f64;
            rates.push(rate);
            let count = run.file.at(Value::Count(bin.records), &format!("/clock/timeline/records/{number}"));
            table.row([
                Cell::text(&run.name),
                Value::Time(number as u64 * step_ns).into(),
                count,
                Value::Rate(rate).into(),
            ]);
        }
        if rates.iter().any(|rate| *rate > 0.0) {
            let end_ns = step_ns.saturating_mul(rates.len() as u64);
            let layers = vec![("records per second".to_owned(), rates)];
            let kind = PictureKind::Steps(Steps { step_ns, end_ns, unit: Unit::Count, layers });
            pictures.push(Picture { title: run.name.clone(), kind });
        }
    }
    pictures.truncate(PICTURED);
    let figures = if pictures.is_empty() {
        Vec::new()
    } else {
        vec![table.figure("The last step of a run may be shorter.", pictures)]
    };
    Section::new("time", "The runs over time", figures)
}
