//! Samples published by contest judges: the output must match except for the last line feed.

use super::{data, quadrille};

/// Returns the output in the contest format for a file of `data/`, without its last line feed.
fn judged(verb: &str, name: &str) -> String {
    let printed = quadrille(verb).args("--to contest").arg(format!("data/{name}.txt")).prints();
    printed.trim_end_matches('\n').to_owned()
}

fn expected(name: &str) -> String {
    data(&format!("{name}.out")).trim_end_matches('\n').to_owned()
}

#[test]
fn poj_2676() {
    assert_eq!(judged("solve", "poj2676"), expected("poj2676"));
    let rows = [
        "143628579",
        "572139468",
        "986754231",
        "391542786",
        "468917352",
        "725863914",
        "237481695",
        "619275843",
        "854396127",
    ];
    assert_eq!(judged("solve", "poj2676"), rows.join("\n"));
}

#[test]
fn uva_1461() {
    assert_eq!(judged("count", "uva1461"), "507");
    assert_eq!(judged("count", "uva1461"), expected("uva1461"));
    assert_eq!(judged("count", "uva1461-variants"), expected("uva1461-variants"));
    assert_eq!(judged("count", "uva1461-variants"), "1318\n867\n777\n507\n507\n147\n8\n0");
}

#[test]
fn luogu_p1074() {
    for (name, score) in [("p1074-1", "2829"), ("p1074-2", "2852"), ("p1074-none", "-1")] {
        assert_eq!(judged("best", name), score);
        assert_eq!(judged("best", name), expected(name));
    }
    let text = quadrille("best data/p1074-none.txt").prints();
    assert_eq!(text, "none\n");
}

#[test]
fn letters_that_share_a_house_say_so() {
    let text = quadrille("solve data/uva1461-variants.txt").prints();
    assert_eq!(text.lines().last(), Some("none\tletter a twice in row 1"));
}

#[test]
fn the_samples_do_not_depend_on_the_engine() {
    for engine in ["dlx", "bitmask", "naive"] {
        let counted = quadrille("count --to contest data/uva1461-variants.txt --engine").arg(engine);
        assert_eq!(counted.prints(), data("uva1461-variants.out"), "{engine}");
    }
    for engine in ["dlx", "bitmask", "lanes"] {
        let solved = quadrille("solve --to contest data/poj2676.txt --engine").arg(engine).prints();
        assert_eq!(solved, data("poj2676.out"), "{engine}");
    }
}
