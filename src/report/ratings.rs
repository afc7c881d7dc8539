//! The section about ratings of one run, or of several runs side by side.

use std::collections::BTreeSet;

use super::Run;
use super::bins::{counted, edges};
use super::page::{Cell, Figure, Histogrammed, Picture, PictureKind, Section, Table, Unit, Value};
use quadrille_batch::stats::{RatingCounts, RatingKey};

/// Columns of quantiles, in thousandths of the records.
const QUANTILES: [(&str, u64); 7] = [
    ("minimum", 0),
    ("25 % have at most", 250),
    ("median", 500),
    ("75 % have at most", 750),
    ("90 % have at most", 900),
    ("99 % have at most", 990),
    ("maximum", 1000),
];
/// Maximum range of tenths with a bin for each: that of all ratings by steps.
const SINGLE: u64 = 120;

/// Returns quantiles and histograms for each scale on which records were rated, and all ratings of a single run.
pub(super) fn section(runs: &[Run]) -> Section {
    let scales: BTreeSet<&str> =
        runs.iter().flat_map(|run| run.statistics.ratings()).map(|(scale, _)| scale).collect();
    let figures = (1..).zip(scales).flat_map(|(number, scale)| of_scale(runs, scale, number));
    Section::new("ratings", "Ratings", figures.collect())
}

/// Returns the ratings of a run on a scale.
pub(super) fn counts_on<'r>(run: &'r Run, scale: &str) -> Option<&'r RatingCounts> {
    run.statistics.ratings().find(|(known, _)| *known == scale).map(|(_, counts)| counts)
}

fn of_scale(runs: &[Run], scale: &str, number: usize) -> Vec<Figure> {
    let rated: Vec<(&Run, &RatingCounts)> =
        runs.iter().filter_map(|run| Some((run, counts_on(run, scale)?))).collect();
    let names = ["run", "records"].into_iter().chain(QUANTILES.map(|(name, _)| name));
    let columns: Vec<&str> = names.collect();
    let caption = format!("Ratings: {scale}");
    let mut quantiles = Table::new(format!("rating-quantiles-{number}"), &caption, &columns);
    for (run, counts) in &rated {
        let mut row = vec![Cell::text(&run.name), Value::Count(counts.records()).into()];
        let value = |(_, share)| counts.quantile(share).map(|key: RatingKey| key.to_string());
        row.extend(QUANTILES.map(|quantile| Value::from_option(value(quantile), Value::Text).into()));
        quantiles.row(row);
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
    let [(run, counts)] = rated[..] else { return vec![quantiles.figure(text, pictures)] };
    let mut table = Table::new(format!("ratings-{number}"), "Records of each rating", &["rating", "records"]);
    for (place, (rating, records)) in counts.counts().enumerate() {
        let at = |part: usize| run.file.key(&format!("/ratings/{}/{place}/{part}", super::escaped(scale)));
        let cell = Cell::text(rating.to_string()).at(at(0));
        table.row([cell, Cell::from(Value::Count(records)).at(at(1))]);
    }
    vec![quantiles.figure("", Vec::new()), table.figure(text, pictures)]
}
