//! The hardest records, with drawings.

use super::page::{Figure, Picture, Section, Unit, Value};
use super::{Run, quoted_path, svg};
use quadrille_batch::stats::{Hard, grouped, number_of};

/// Maximum number of records that are drawn.
const DRAWN: usize = 12;
/// Maximum number of records in the list.
const LISTED: usize = 1000;
/// Text in place of the work on a record that has no counters.
const SPLIT: &str = "split over threads";

/// Returns the section about the hardest records.
pub(super) fn section(run: &Run) -> Section {
    let hardest = run.statistics.hardest();
    let hardest = &hardest[..hardest.len().min(LISTED)];
    let is_rated = hardest.iter().any(|hard| hard.rating.is_some());
    let mut columns = vec!["record", "location", "guesses", "nodes", "command to print it"];
    if is_rated {
        columns.insert(2, "rating");
    }
    let row = |(place, hard): (usize, &Hard)| {
        let at = |field: &str| format!("/hardest/records/{place}/{field}");
        let work = |value: Option<u64>, field: &str| match value {
            Some(_) => run.file.cell(Unit::Count, &at(field)),
            None => SPLIT.into(),
        };
        let text = format!("{}:{}", hard.source, hard.line);
        let (location, command) = if hard.source == "-" {
            (Value::Text(text), Value::Missing)
        } else {
            let command = format!("sed -n {}p {}", hard.line, quoted_path(&hard.source));
            (Value::Link { text, href: href(&hard.source) }, Value::Code(command))
        };
        let rating = hard.rating.map(|rating| Value::Text(rating.to_string()));
        let rating = is_rated.then(|| run.file.read_at(&at("rating"), rating));
        let head = [run.file.cell(Unit::Count, &at("index")), location.into()].into_iter().chain(rating);
        head.chain([work(hard.guesses, "guesses"), work(hard.nodes, "nodes"), command.into()])
    };
    let picture = |hard: &Hard| {
        let work = match (hard.rating, hard.guesses) {
            (Some(rating), _) => format!("rated {rating}"),
            (_, Some(guesses)) => number_of(guesses, "guess"),
            _ => SPLIT.to_owned(),
        };
        let scene = svg::drawing(hard.drawing.as_ref()?);
        Some(Picture { title: format!("Record {}: {work}", grouped(hard.index)), scene })
    };
    let order = if is_rated { "the highest ratings" } else { "records split over threads" };
    let text = format!(
        "Clues are bold on a shaded background; solved cells are lighter. First come {order}, then the most guesses."
    );
    let figure = Figure {
        pictures: hardest.iter().filter_map(picture).take(DRAWN).collect(),
        ..Figure::new("hardest", "The hardest records", columns).with_text(text)
    };
    let rows = hardest.iter().enumerate().map(row);
    Section::new("hardest", "The hardest records", figure.with_rows(rows).if_any())
}

/// Returns the URL for a link to a file. A relative path stays relative to the page.
fn href(source: &str) -> String {
    let mut href = String::new();
    for byte in source.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => href.push(byte.into()),
            byte => href += &format!("%{byte:02X}"),
        }
    }
    // A URL that starts with two slashes would name a host.
    if href.starts_with("//") { format!("/{}", href.trim_start_matches('/')) } else { href }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_safe() {
        assert_eq!(href("a b\"<.txt"), "a%20b%22%3C.txt");
        assert_eq!(href("javascript:x"), "javascript%3Ax");
        assert_eq!(href("//host/x"), "/host/x");
        assert_eq!(quoted_path("data/a-1.txt"), "data/a-1.txt");
        assert_eq!(quoted_path("-n it's"), "'./-n it'\\''s'");
    }
}
