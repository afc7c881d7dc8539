//! The hardest records, with drawings.

use super::page::{Cell, Picture, PictureKind, Section, Table, Value};
use super::{Run, quoted_path};
use quadrille_batch::stats::Hard;

/// Maximum number of records that are drawn.
const DRAWN: usize = 12;
/// Maximum number of records in the list.
const LISTED: usize = 1000;

/// Returns the section about the hardest records.
pub(super) fn section(run: &Run) -> Section {
    let hardest = run.statistics.hardest();
    let hard: Vec<&Hard> = hardest.iter().take(LISTED).collect();
    let is_rated = hard.iter().any(|hard| hard.rating.is_some());
    let rating = is_rated.then_some("rating");
    let columns: Vec<&str> = ["record", "location"]
        .into_iter()
        .chain(rating)
        .chain(["guesses", "nodes", "command to print it"])
        .collect();
    let mut table = Table::new("hardest", "The hardest records", &columns);
    for (place, hard) in hard.iter().enumerate() {
        let at = |value: Option<u64>, field: &str| match value {
            Some(value) => run.file.at(Value::Count(value), &format!("/hardest/records/{place}/{field}")),
            None => Cell::text("split over threads"),
        };
        let name = format!("{}:{}", hard.source, hard.line);
        let is_file = hard.source != "-";
        let link =
            if is_file { Value::Link { text: name, href: href(&hard.source) } } else { Value::Text(name) };
        let command = if is_file {
            Value::Code(format!("sed -n {}p {}", hard.line, quoted_path(&hard.source)))
        } else {
            Value::Missing
        };
        let rating = hard.rating.map(|rating| {
            Cell::text(rating.to_string()).at(run.file.key(&format!("/hardest/records/{place}/rating")))
        });
        let rating = is_rated.then(|| rating.unwrap_or_else(|| Value::Missing.into()));
        let head = [at(Some(hard.index), "index"), link.into()].into_iter().chain(rating);
        table.row(head.chain([at(hard.guesses, "guesses"), at(hard.nodes, "nodes"), command.into()]));
    }
    let pictures = hard.iter().filter_map(|hard| {
        let work = match (hard.rating, hard.guesses) {
            (Some(rating), _) => format!("rated {rating}"),
            (_, Some(guesses)) => quadrille_batch::stats::number_of(guesses, "guess"),
            _ => "split over threads".to_owned(),
        };
        let title = format!("Record {}: {work}", quadrille_batch::stats::grouped(hard.index));
        Some(Picture { title, kind: PictureKind::Drawing(hard.drawing.clone()?) })
    });
    let pictures: Vec<Picture> = pictures.take(DRAWN).collect();
    let order = if is_rated { "the highest ratings" } else { "records split over threads" };
    let text = format!(
        "Clues are bold on a shaded background; solved cells are lighter. First come {order}, then the most guesses."
    );
    let figures = if hard.is_empty() { Vec::new() } else { vec![table.figure(text, pictures)] };
    Section::new("hardest", "The hardest records", figures)
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
