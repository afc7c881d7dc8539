//! The section about difficulty ratings of one run, or of several runs that are compared.

use std::collections::BTreeSet;

use super::Run;
use super::bins::{columns, counted, edges, quantiles};
use super::page::{Cell, Figure, Histogrammed, Picture, PictureKind, Section, Table, Unit, Value};
use quadrille_batch::stats::{RatingCounts, RatingKey};

/// Largest range of ratings, in tenths, for which every rating has its own bin. All ratings by solving steps
/// fit into a range of this size.
const SINGLE: u64 = 120;

/// Returns the section about ratings.
///
/// It has quantiles and histograms for each scale. For a single run, it also lists all ratings.
pub(super) fn section(runs: &[Run]) -> Section {
    let scales: BTreeSet<&str> =
        runs.iter().flat_map(|run| run.statistics.ratings()).map(|(scale, _)| scale).collect();
    let figures = (1..).zip(scales).flat_map(|(number, scale)| of_scale(runs, scale, number));
    let by_clues = if let [run] = runs { by_clues(run) } else { Vec::new() };
    Section::new("ratings", "Ratings", figures.chain(by_clues).collect())
}

/// Returns the ratings of a run on a scale, or `None` if the run has no ratings on this scale.
pub(super) fn counts_on<'r>(run: &'r Run, scale: &str) -> Option<&'r RatingCounts> {
    run.statistics.ratings().find(|(known, _)| *known == scale).map(|(_, counts)| counts)
}

fn of_scale(runs: &[Run], scale: &str, number: usize) -> Vec<Figure> {
    let rated: Vec<(&Run, &RatingCounts)> =
        runs.iter().filter_map(|run| Some((run, counts_on(run, scale)?))).collect();
    let caption = format!("Ratings: {scale}");
    let id = format!("rating-quantiles-{number}");
    let mut summary = Table::new(id, &caption, &columns(&["run", "records"]));
    for (run, counts) in &rated {
        let mut row = vec![Cell::text(&run.name), Value::Count(counts.records()).into()];
        row.extend(quantiles(counts.counts(), |key| Value::Text(key.to_string())));
        summary.row(row);
    }
    let tenths = || rated.iter().flat_map(|(_, counts)| counts.counts()).map(|(key, _)| key.tenths());
    let (first, last) = (tenths().min().unwrap_or(0), tenths().max().unwrap_or(0));
    let is_whole = tenths().all(|tenths| tenths % 10 == 0);
    let (scaled, unit) = if is_whole { (10, Unit::Count) } else { (1, Unit::Tenths) };
    let edges = match is_whole || last - first > SINGLE {
        true => edges(first / scaled, last / scaled, is_whole),
        false => (first..=last + 1).collect(),
    };
    let histogram = |&(run, counts): &(&Run, &RatingCounts)| {
        let marks = [("p50", 500), ("p90", 900), ("p99", 990)].into_iter();
        let marks = marks
            .filter_map(|(name, share)| Some((name.to_owned(), counts.quantile(share)?.tenths() / scaled)));
        let values = counts.counts().map(|(key, records)| (key.tenths() / scaled, records));
        let kind = Histogrammed {
            unit,
            counts: counted(&edges, values),
            edges: edges.clone(),
            marks: marks.collect(),
        };
        let title = if runs.len() == 1 { format!("Records by rating on {scale}") } else { run.name.clone() };
        Picture { title, kind: PictureKind::Histogram(kind) }
    };
    let pictures = if first == last { Vec::new() } else { rated.iter().map(histogram).collect() };
    let text = "A rating that is only known to exceed a number counts as that number.";
    let is_above = |&(_, counts): &(&Run, &RatingCounts)| {
        counts.counts().any(|(key, _)| key.to_string().starts_with('>'))
    };
    let text = if rated.iter().any(is_above) { text } else { "" };
    let [(run, counts)] = rated[..] else { return vec![summary.figure(text, pictures)] };
    let mut table = Table::new(format!("ratings-{number}"), "Records of each rating", &["rating", "records"]);
    for (place, (rating, records)) in counts.counts().enumerate() {
        let at = |part: usize| run.file.key(&format!("/ratings/{}/{place}/{part}", super::escaped(scale)));
        let cell = Cell::text(rating.to_string()).at(at(0));
        table.row([cell, Cell::from(Value::Count(records)).at(at(1))]);
    }
    vec![summary.figure("", Vec::new()), table.figure(text, pictures)]
}

/// Returns figures that show the ratings of puzzles for each number of clues. There is one figure for each
/// side length and rating scale.
fn by_clues(run: &Run) -> Vec<Figure> {
    let mut figures = Vec::new();
    let maps = run.statistics.clue_maps();
    for (side, (scale, by_clues)) in
        maps.flat_map(|(side, map)| map.ratings.iter().map(move |rated| (side, rated)))
    {
        let whole = |(key, records): (RatingKey, u64)| (key.tenths() / 10, records);
        let all = || by_clues.values().flat_map(RatingCounts::counts).map(|counted| whole(counted).0);
        let (Some(first), Some(last)) = (all().min(), all().max()) else { continue };
        let edges = edges(first, last, true);
        let bins = |counts: &RatingCounts| counted(&edges, counts.counts().map(whole));
        let most = by_clues.values().flat_map(bins).max().unwrap_or(1).max(1) as f64;
        let names = edges.windows(2).map(|bin| match bin[1] - bin[0] {
            1 => bin[0].to_string(),
            _ => format!("{} to {}", bin[0], bin[1] - 1),
        });
        let names: Vec<String> =
            columns(&["clues", "records"]).into_iter().map(str::to_owned).chain(names).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let caption = format!("Ratings by clues, {side}x{side}: {scale}");
        let mut table = Table::new(format!("ratings-by-clues-{}", figures.len() + 1), caption, &names);
        for (clues, counts) in by_clues {
            let mut row = vec![Value::Count(u64::from(*clues)).into(), Value::Count(counts.records()).into()];
            row.extend(quantiles(counts.counts(), |key| Value::Text(key.to_string())));
            let cell = |records: u64| Cell::from(Value::Count(records)).heated(records as f64 / most);
            row.extend(bins(counts).into_iter().map(cell));
            table.row(row);
        }
        let text = "The last columns have the number of records by whole rating. Darker cells have more.";
        figures.push(table.figure(text, Vec::new()));
    }
    figures
}
