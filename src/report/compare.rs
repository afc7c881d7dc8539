//! A page that compares several runs with the first one.

use super::bins::{Histogrammed, columns, edges, quantiles};
use super::page::{Cell, Figure, Page, Section, Unit, Value};
use super::ratio::Ratio;
use super::record_diff::Paired;
use super::svg::{self, TimeSteps};
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
    let columns = [""].into_iter().chain(runs.iter().map(|run| &*run.name));
    let text = "Each run measures its time once. The ratios below show the spread.";
    let mut figure = Figure::new("side-by-side", "Side by side", columns).with_text(text);
    let mut row = |name: &str, cell: &dyn Fn(&Run) -> Cell| {
        let cells: Vec<Cell> = runs.iter().map(cell).collect();
        if cells.iter().any(|cell| cell.value != Value::Missing) {
            figure.row([name.into()].into_iter().chain(cells));
        }
    };
    row("command", &|run| run.statistics.runs.first().map(|kind| Value::Code(command(&kind.options))).into());
    row("version", &|run| run.file.words(Value::Text, "/runs/0/version"));
    row("machine", &|run| {
        let machines: Vec<&str> = run.statistics.clock.machines.keys().map(String::as_str).collect();
        (!machines.is_empty()).then(|| machines.join("; ")).into()
    });
    row("threads", &|run| Unit::Count.whole(run.statistics.clock.threads.len() as u64));
    row("records", &|run| run.file.cell(Unit::Count, "/records/in"));
    for &status in Status::ALL {
        row(status.word(), &|run| run.file.cell(Unit::Count, &format!("/status/{}", status.word())));
    }
    row("solutions found", &|run| run.file.words(Value::Large, "/records/solutions"));
    row("solved without a guess", &|run| run.file.cell(Unit::Share, "/records/share_without_guess"));
    for counter in Counter::SUMMED {
        let name = counter.name();
        let fields = [
            ("mean", Unit::Number, "mean"),
            ("99 % have at most", Unit::Count, "p99"),
            ("maximum", Unit::Count, "max"),
        ];
        for (label, unit, field) in fields {
            row(&format!("{name}, {label}"), &|run| run.file.cell(unit, &format!("/{name}/{field}")));
        }
    }
    for (name, field) in [("time", "wall_ns"), ("processor time", "cpu_ns")] {
        row(name, &|run| match run.statistics.clock.wall_ns {
            0 => Value::Missing.into(),
            _ => run.file.cell(Unit::Nanoseconds, &format!("/clock/{field}")),
        });
    }
    row("records per second", &|run| run.file.cell(Unit::Rate, "/clock/records_per_second"));
    row("peak memory", &|run| run.file.cell(Unit::Bytes, "/clock/peak_memory_bytes"));
    row("checksum", &|run| run.file.words(Value::Code, "/checksum"));
    Section::new("side-by-side", "Side by side", [figure])
}

/// Returns the section with ratios that compare each run with the first one. Each ratio has its uncertainty.
fn ratios(runs: &[Run], paired: &[Paired]) -> Section {
    let columns = ["measure", "run", "ratio to the first", "from", "to", "method"];
    let mut figure = Figure::new("ratios", format!("Compared with {}", runs[0].name), columns);
    let mut dots = Vec::new();
    let first = &runs[0].statistics;
    for (place, run) in runs.iter().enumerate().skip(1) {
        let other = &run.statistics;
        let mut add = |measure: &str, ratio: Option<Ratio>, method: &str| {
            let Some(ratio) = ratio else { return };
            let head = [measure.into(), run.name.as_str().into()].into_iter();
            figure.row(head.chain(ratio.cells()).chain([method.into()]));
            dots.push((format!("{measure}: {}", run.name), ratio));
        };
        let rates = ratio::of_rates(&first.clock.timeline, &other.clock.timeline);
        add("records per second", rates, "medians of time steps, quartile to quartile");
        let pairs = paired.get(place - 1);
        let [nodes, guesses] =
            [Counter::Nodes, Counter::Guesses].map(|counter| [first.work(counter), other.work(counter)]);
        let time = [&first.clock.per_record, &other.clock.per_record];
        let measures = [
            (["nodes", "nodes"], nodes, pairs.map(|pairs| &pairs.nodes)),
            (["guesses", "guesses + 1"], guesses, pairs.map(|pairs| &pairs.guesses)),
            (["time per record", "time per record"], time, pairs.map(|pairs| &pairs.time)),
        ];
        for ([name, name_by_record], [first, other], by_record) in measures {
            match by_record.filter(|mean| mean.records() > 1) {
                Some(mean) => {
                    let records = number_of(mean.records(), "record");
                    let method = format!("geometric mean over {records}, 95 % interval");
                    add(name_by_record, mean.ratio(), &method);
                }
                None => {
                    let means = ratio::of_means(first, other);
                    add(name, means, "means of both distributions, 95 % interval");
                }
            }
        }
    }
    let text = "A ratio above 1 is more than in the first run. A point is filled if its range excludes 1.";
    let title = "Ratios to the first run, with their spread";
    let figure = figure.with_text(text).with_picture(title, svg::ratios(&dots));
    Section::new("ratios", "Ratios", figure.if_any())
}

/// Returns the section about records whose answers changed or that became much harder.
///
/// The section needs the outcomes of each record, so both runs must have written them to files.
fn changed(runs: &[Run], paired: &[Paired]) -> Section {
    let mut figures = Vec::new();
    for (run, paired) in runs.iter().skip(1).zip(paired) {
        let figure = |name: &str, caption: &str, columns: &[&'static str]| {
            Figure::new(format!("{name}-{}", run.file.number), caption, columns.to_vec())
        };
        let changes = paired.changes.iter().map(|((before, after), number)| {
            let what = if before == after {
                format!("{before}, with another solution or count")
            } else {
                format!("{before}, now {after}")
            };
            (what, *number)
        });
        let head = [
            ("in both runs", paired.records),
            ("in one run only, or another puzzle", paired.unpaired),
            ("with another answer", paired.changed),
        ];
        let tail = [
            ("at least ten times the nodes", paired.harder),
            ("at most a tenth of the nodes", paired.easier),
        ];
        let [head, tail] =
            [&head[..], &tail[..]].map(|rows| rows.iter().map(|&(name, number)| (name.to_owned(), number)));
        let rows = head.chain(changes).chain(tail);
        let share = paired.changed as f64 / paired.records.max(1) as f64;
        figures.push(
            figure("paired", &format!("{}, record by record", run.name), &["", "records"])
                .with_rows(rows.map(|(name, number)| [name.into(), Unit::Count.whole(number)]))
                .with_text(format!("{} of {} changed.", percent(share), number_of(paired.records, "record"))),
        );
        let rows = paired.first_changed.iter().map(|changed| {
            let [before, after] = [changed.before, changed.after].map(|status| status.word().into());
            [Unit::Count.whole(changed.index), before, after]
        });
        let caption = "The first records with another answer";
        figures.extend(figure("changed", caption, &["record", "before", "now"]).with_rows(rows).if_any());
        let rows = paired.hardest.iter().map(|harder| {
            [harder.index, harder.before, harder.after].map(|number| Unit::Count.whole(number))
        });
        let caption = "Records that became ten times harder";
        let columns = ["record", "nodes before", "nodes now"];
        figures.extend(figure("harder", caption, &columns).with_rows(rows).if_any());
    }
    Section::new("changed", "Record by record", figures)
}

/// Returns the section with histograms of all runs. Within a figure, all histograms have the same axes.
fn distributions(runs: &[Run]) -> Section {
    let mut figures: Vec<Figure> = clues(runs).into_iter().collect();
    for counter in Counter::SUMMED {
        let histograms = runs.iter().map(|run| (run, run.statistics.work(counter))).collect();
        let name = counter.name();
        figures.extend(values(histograms, name, &format!("/{name}"), Unit::Count));
    }
    let histograms = runs.iter().map(|run| (run, &run.statistics.clock.per_record)).collect();
    figures.extend(values(histograms, "time", "/clock/time_ns", Unit::Nanoseconds));
    Section::new("distributions", "Puzzles and search effort", figures)
        .with_text("Charts of the same measure share their axis of values.")
}

/// Returns the bins for the values of all runs. `ends` contains the smallest and the largest value of each run.
fn shared_edges(ends: impl Iterator<Item = (u64, u64)>, is_log: bool) -> Option<Vec<u64>> {
    let (least, most) = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
    Some(edges(least, most, is_log))
}

/// Draws one histogram for each of the first runs.
fn with_histograms<'r>(figure: Figure, histograms: impl Iterator<Item = (&'r Run, Histogrammed)>) -> Figure {
    histograms.take(PICTURED).fold(figure, |figure, (run, histogrammed)| {
        figure.with_picture(&*run.name, svg::histogram(&histogrammed))
    })
}

fn clues(runs: &[Run]) -> Option<Figure> {
    let lists = runs.iter().map(|run| {
        let list = run.statistics.clues().map(|(clues, records)| (u64::from(clues), records));
        (run, list.collect::<Vec<(u64, u64)>>())
    });
    let lists: Vec<_> = lists.filter(|(_, list)| !list.is_empty()).collect();
    let ends = lists.iter().filter_map(|(_, list)| Some((list.first()?.0, list.last()?.0)));
    let edges = shared_edges(ends, false)?;
    let rows = lists.iter().map(|(run, list)| {
        let quantiles = quantiles(list.iter().copied(), |clues| Unit::Count.whole(clues));
        [run.name.as_str().into()].into_iter().chain(quantiles)
    });
    let figure = Figure::new("clues", "Clues", columns(&["run"])).with_rows(rows);
    let drawn = lists.iter().map(|(run, list)| (*run, Histogrammed::of_clues(&edges, list)));
    Some(with_histograms(figure, drawn))
}

/// Returns a figure with the quantiles and the histogram of a measure for each run. `key` is the position of
/// the measure in the file of a run.
fn values(mut histograms: Vec<(&Run, &Histogram)>, name: &str, key: &str, unit: Unit) -> Option<Figure> {
    histograms.retain(|(_, histogram)| histogram.total() > 0);
    let ends = histograms.iter().filter_map(|(_, histogram)| histogram.min().zip(histogram.max()));
    let edges = shared_edges(ends, true)?;
    let rows = histograms.iter().map(|(run, _)| {
        let at = |unit, field: &str| run.file.cell(unit, &format!("{key}/{field}"));
        let quantiles = ["p50", "p90", "p99", "max"].map(|field| at(unit, field));
        [run.name.as_str().into(), at(Unit::Count, "records")].into_iter().chain(quantiles)
    });
    let columns = ["run", "records", "median", "90 % have at most", "99 % have at most", "maximum"];
    let figure = Figure::new(name, run_page::caption(name), columns).with_rows(rows);
    let drawn = histograms.iter().map(|(run, histogram)| (*run, Histogrammed::of(histogram, unit, &edges)));
    Some(with_histograms(figure, drawn))
}

/// Returns the section that shows how the rate of each run changed over time.
fn times(runs: &[Run]) -> Section {
    let columns = ["run", "from", "records", "records per second"];
    let mut figure = Figure::new("rates", "Records per second over time", columns)
        .with_text("The last step of a run may be shorter.");
    for run in runs {
        let timeline = &run.statistics.clock.timeline;
        let step_ns = timeline.bin_ns();
        let rate = |records: u64| records as f64 * 1e9 / step_ns as f64;
        let rates: Vec<f64> = timeline.bins().iter().map(|bin| rate(bin.records)).collect();
        figure = figure.with_rows(rates.iter().enumerate().map(|(number, &rate)| {
            let from = Unit::Nanoseconds.whole(number as u64 * step_ns);
            let records = run.file.cell(Unit::Count, &format!("/clock/timeline/records/{number}"));
            [run.name.as_str().into(), from, records, Unit::Rate.real(rate)]
        }));
        if rates.iter().any(|rate| *rate > 0.0) {
            let time = TimeSteps { step_ns, end_ns: step_ns.saturating_mul(rates.len() as u64) };
            let scene = svg::steps(time, Unit::Count, &[("records per second".to_owned(), rates)]);
            figure = figure.with_picture(&*run.name, scene);
        }
    }
    figure.pictures.truncate(PICTURED);
    Section::new("time", "The runs over time", Some(figure).filter(|figure| !figure.pictures.is_empty()))
}
