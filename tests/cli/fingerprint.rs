//! `fingerprint`: the same for the same puzzles, whatever their order and arrangement.

use super::quadrille;

fn fingerprint(input: &str) -> serde_json::Value {
    let text = quadrille("fingerprint").stdin(input).prints();
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn order_and_arrangement_change_the_rows_only() {
    let all = super::data("random-1000.txt");
    let lines: Vec<&str> = all.lines().take(40).collect();
    let input = lines.join("\n");
    let images = quadrille("augment --copies 1 --seed 3").stdin(input.clone()).prints();
    let images: Vec<&str> = images.lines().skip(1).step_by(2).collect();
    let turned = images.iter().rev().copied().collect::<Vec<_>>().join("\n");
    let (own, other) = (fingerprint(&input), fingerprint(&turned));
    assert_eq!((&own["records"], &own["unique"]), (&40.into(), &40.into()));
    assert_eq!((&own["puzzles"], &own["clues"]), (&other["puzzles"], &other["clues"]));
    assert_ne!(own["rows"], other["rows"]);
    assert_eq!(quadrille("fingerprint -j4").stdin(input.clone()).prints(), format!("{own}\n"));
    assert_eq!(fingerprint(&format!("{input}\n{}", lines[0]))["records"], 41);
    assert_ne!(fingerprint(&lines[1..].join("\n"))["puzzles"], own["puzzles"]);
    let directory = tempfile::tempdir().expect("a temporary directory");
    let known = directory.path().join("known.txt");
    let against = |input: String| quadrille("fingerprint --against").arg(&known).stdin(input).prints();
    std::fs::write(&known, &input).expect("written");
    assert_eq!(against(input.clone()), "same rows\n");
    assert_eq!(against(turned.clone()), "same puzzles\n");
    assert_eq!(against(all.lines().skip(30).take(40).collect::<Vec<_>>().join("\n")), "overlap 25 %\n");
    assert_eq!(against(all.lines().skip(100).take(40).collect::<Vec<_>>().join("\n")), "overlap 0 %\n");
}

#[test]
fn unreadable_lines_solutions_and_ids_are_part_of_the_rows() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let known = directory.path().join("known.txt");
    let poj = super::POJ;
    for (own, other, common) in [
        (format!("{poj}\ngarbage\n"), format!("{poj}\nother 123\n"), "overlap 50 %"),
        (format!("{poj} first\n"), format!("{poj} second\n"), "same puzzles"),
        (format!("puzzle,solution\n{poj},1\n"), format!("puzzle,solution\n{poj},2\n"), "same puzzles"),
        (format!("{poj}\ngarbage\n"), format!("{poj}\ngarbage\n"), "same rows"),
    ] {
        std::fs::write(&known, other).expect("written");
        let ended = quadrille("fingerprint --against").arg(&known).stdin(own.clone()).ends();
        assert_eq!(ended.out, format!("{common}\n"), "{own}");
        assert_eq!(
            ended.err.contains("1 unreadable record, compared as text"),
            own.contains("garbage"),
            "{}",
            ended.err
        );
    }
    let ended = quadrille("fingerprint").stdin(format!("{poj}\ngarbage\n")).ends_with(0);
    assert!(ended.out.contains("\"unreadable\":1"), "{}", ended.out);
}

#[test]
fn ranges_and_a_paragraph_are_printed() {
    let rated = format!("puzzle,rating\n{},1.2\n{},7.1\n", super::POJ, super::POJ);
    let json = fingerprint(&rated);
    assert_eq!((&json["ratings"][0], &json["ratings"][1]), (&1.2.into(), &7.1.into()));
    let text = quadrille("fingerprint --to markdown").stdin(rated).prints();
    assert!(
        text.starts_with("**2 puzzles**, 2 with exactly one solution, clues 30, ratings 1.2 to 7.1."),
        "{text}"
    );
    let large = format!("puzzle,rating\n{},1e308\n", super::POJ);
    let text = quadrille("fingerprint --to markdown").stdin(large).prints();
    assert!(text.contains("ratings 1e308."), "{text}");
    let ended = quadrille("fingerprint").stdin("no puzzle\nat all\n").ends_with(6);
    assert!(ended.out.is_empty() && !ended.err.is_empty());
}
