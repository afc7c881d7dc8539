//! The section about difficulty ratings of one run, or of several runs that are compared.

use std::collections::BTreeSet;

use super::bins::{Histogrammed, columns, counted, edges, quantiles};
use super::page::{Cell, Figure, Section, Unit, Value};
use super::{Run, svg};
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
    Section::new("ratings", "Ratings", figures.chain(by_clues))
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
    let mut summary = Figure::new(id, &caption, columns(&["run", "records"]));
    for (run, counts) in &rated {
        let head = [run.name.as_str().into(), Unit::Count.whole(counts.records())];
        summary.row(head.into_iter().chain(quantiles(counts.counts(), |key| key.to_string().into())));
    }
    let tenths = || rated.iter().flat_map(|(_, counts)| counts.counts()).map(|(key, _)| key.tenths());
    let (first, last) = (tenths().min().unwrap_or(0), tenths().max().unwrap_or(0));
    let is_whole = tenths().all(|tenths| tenths % 10 == 0);
    let (scaled, unit) = if is_whole { (10, Unit::Count) } else { (1, Unit::Tenths) };
    let edges = match is_whole || last - first > SINGLE {
        true => edges(first / scaled, last / scaled, is_whole),
        false => (first..=last + 1).collect(),
    };
    let histogram = |counts: &RatingCounts| {
        let values = counts.counts().map(|(key, records)| (key.tenths() / scaled, records));
        let quantile = |share: u16| Some(counts.quantile(share.into())?.tenths() / scaled);
        svg::histogram(&Histogrammed::new(unit, &edges, values).marked(quantile))
    };
    let draw = |figure: Figure| {
        let drawn = rated.iter().filter(|_| first < last);
        drawn.fold(figure, |figure, (run, counts)| {
            let title =
                if runs.len() == 1 { format!("Records by rating on {scale}") } else { run.name.clone() };
            figure.with_picture(title, histogram(counts))
        })
    };
    let is_above = |(_, counts): &(&Run, &RatingCounts)| {
        counts.counts().any(|(key, _)| key.to_string().starts_with('>'))
    };
    let text = match rated.iter().any(is_above) {
        true => "A rating that is only known to exceed a number counts as that number.",
        false => "",
    };
    let [(run, counts)] = rated[..] else { return vec![draw(summary.with_text(text))] };
    let id = format!("ratings-{number}");
    let rows = counts.counts().enumerate().map(|(place, (rating, _))| {
        let at = |part: usize| format!("/ratings/{}/{place}/{part}", super::escaped(scale));
        let rating = run.file.read_at(&at(0), Some(Value::Text(rating.to_string())));
        [rating, run.file.cell(Unit::Count, &at(1))]
    });
    let list = Figure::new(id, "Records of each rating", ["rating", "records"]).with_rows(rows);
    vec![summary, draw(list.with_text(text))]
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
        let names = columns(&["clues", "records"]).into_iter().map(str::to_owned).chain(names);
        let caption = format!("Ratings by clues, {side}x{side}: {scale}");
        let rows = by_clues.iter().map(|(clues, counts)| {
            let head = [u64::from(*clues), counts.records()].map(|number| Unit::Count.whole(number));
            let cell = |records: u64| Unit::Count.whole(records).heated(records as f64 / most);
            let quantiles = quantiles(counts.counts(), |key| key.to_string().into());
            head.into_iter().chain(quantiles).chain(bins(counts).into_iter().map(cell)).collect::<Vec<Cell>>()
        });
        let text = "The last columns have the number of records by whole rating. Darker cells have more.";
        let id = format!("ratings-by-clues-{}", figures.len() + 1);
        figures.push(Figure::new(id, caption, names).with_rows(rows).with_text(text));
    }
    figures
}
