//! Reports: the numbers on a page equal those of the statistics files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{POJ, data, quadrille};

/// A directory with statistics files.
struct Case(tempfile::TempDir);

impl Case {
    fn new() -> Self {
        Case(tempfile::tempdir().expect("a temporary directory"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs a command over `input` and writes `NAME.json` and `NAME.html`.
    fn run(&self, name: &str, words: &str, input: &str) {
        let (stats, page) = (self.path(&format!("{name}.json")), self.path(&format!("{name}.html")));
        let run = quadrille(words).arg("--stats-out").arg(&stats).arg("--report").arg(&page);
        let ended = run.arg("-q").stdin(input).ends();
        assert!(matches!(ended.code, Some(0 | 6)), "{}", ended.err);
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("written")
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.text(name)).expect("JSON")
    }

    /// Returns the tables that `report --to json` makes from these files.
    fn tables(&self, names: &[&str]) -> Value {
        let run = names.iter().fold(quadrille("report --to json"), |run, name| run.arg(self.path(name)));
        serde_json::from_str(&run.prints()).expect("JSON")
    }
}

fn unescaped(text: &str) -> String {
    let text = text.replace("&#60;", "<").replace("&#62;", ">").replace("&#34;", "\"").replace("&#39;", "'");
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#38;", "&")
        .replace("&amp;", "&")
}

/// Returns the page's cells that come from a file: their key, exact value and displayed text.
fn keyed_cells(page: &str) -> Vec<(String, String, String)> {
    let mut cells = Vec::new();
    for piece in page.split("data-key=\"").skip(1) {
        let (key, rest) = piece.split_once('"').expect("an attribute ends");
        let rest = rest.strip_prefix(" data-value=\"").expect("a keyed cell has its value");
        let (value, rest) = rest.split_once('"').expect("an attribute ends");
        let (_, rest) = rest.split_once('>').expect("a tag ends");
        let (shown, _) = rest.split_once("</td>").expect("a cell ends");
        let shown: String =
            shown.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect();
        cells.push((unescaped(key), unescaped(value), unescaped(shown.trim())));
    }
    cells
}

/// Returns the value at the key of a cell.
///
/// A key is the 0-based number of a file, followed by a JSON pointer.
fn at<'f>(files: &'f [Value], key: &str) -> &'f Value {
    let (number, pointer) = key.split_at(key.find('/').expect("a pointer"));
    let value = number.parse::<usize>().ok().and_then(|number| files.get(number)?.pointer(pointer));
    value.unwrap_or_else(|| panic!("nothing at {key}"))
}

/// Requires that all numbers of a page equal those of its files. Returns the number of cells.
fn require_equal(page: &str, files: &[Value]) -> usize {
    let cells = keyed_cells(page);
    for (key, value, shown) in &cells {
        let read = at(files, key);
        let same = match read {
            Value::Number(number) if number.is_f64() => {
                let (read, own) =
                    (number.as_f64().expect("a number"), value.parse::<f64>().expect("a number"));
                (read - own).abs() <= 1e-9 * read.abs()
            }
            Value::Number(number) => number.to_string() == *value,
            Value::String(text) => text == value,
            _ => false,
        };
        assert!(same, "{key}: {read} in the file, {value} on the page");
        // Whole numbers are shown in full; times, sizes and rates are rounded.
        if shown.chars().all(|character| character.is_ascii_digit() || character == ',')
            && value.parse::<u64>().is_ok()
        {
            let is_rounded = key.contains("per_second") || key.ends_with("bytes") || key.ends_with("mean");
            assert!(is_rounded || shown.replace(',', "") == *value, "{key}: {value} is shown as {shown}");
        }
    }
    cells.len()
}

/// Requires that a page is well-formed: every element is closed, ids are unique, and nothing is loaded.
fn require_sound(page: &str) {
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    assert!(!page.contains("NaN") && !page.contains("inf\""), "a place that is no number");
    for word in ["http://", "https://", "<script", "<link rel=\"stylesheet", "url("] {
        assert!(!page.contains(word), "{word}: a page loads nothing");
    }
    for name in ["svg", "table", "figure", "section", "details", "div", "td", "tr", "text", "span", "p"] {
        let opened = page.matches(&format!("<{name} ")).count() + page.matches(&format!("<{name}>")).count();
        assert_eq!(opened, page.matches(&format!("</{name}>")).count(), "{name}");
    }
    let ids: Vec<&str> = page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let mut once = ids.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(ids.len(), once.len(), "{ids:?}");
    for svg in page.split("<svg").skip(1) {
        assert!(
            svg.contains("role=\"img\" aria-label=\"") && svg.contains("<title>"),
            "a picture without words"
        );
    }
}

#[test]
fn pages_of_ratings_lead_with_ratings() {
    let case = Case::new();
    let (easy, all) =
        (data("random-1000.txt").lines().take(300).collect::<Vec<_>>().join("\n"), data("random-1000.txt"));
    case.run("easy", "rate -j2 --chunk-bytes 4k", &easy);
    case.run("all", "rate", &all);
    let page = case.text("all.html");
    assert!(require_equal(&page, &[case.json("all.json")]) > 100);
    require_sound(&page);
    let places = ["ratings", "hardest", "run", "work"].map(|id| page.find(&format!("<section id=\"{id}\"")));
    assert!(places.is_sorted() && places[0].is_some(), "{places:?}");
    assert!(page.contains("rated 1.2 to 9.0 on ser/1.2.1, median 2.6."));
    // The hardest by rating have their drawings.
    assert!(page.contains(": rated 9.0") && page.matches(": rated ").count() >= 10);
    let tables = case.tables(&["all.json"]);
    let table = |tables: &Value, id: &str| {
        let list = tables["tables"].as_array().expect("tables");
        list.iter().find(|table| table["table"] == id).unwrap_or_else(|| panic!("{id}")).clone()
    };
    assert_eq!(tables["tables"][0]["table"], "rating-quantiles-1");
    let quantiles = &tables["tables"][0];
    assert_eq!(
        quantiles["columns"],
        serde_json::json!([
            "run",
            "records",
            "minimum",
            "25 % have at most",
            "median",
            "75 % have at most",
            "90 % have at most",
            "99 % have at most",
            "maximum"
        ])
    );
    assert_eq!(
        quantiles["rows"][0],
        serde_json::json!(["all", 1000, "1.2", "1.7", "2.6", "7.1", "7.2", "8.5", "9.0"])
    );
    let hardest = table(&tables, "hardest");
    let of =
        |name: &str| hardest["columns"].as_array().expect("names").iter().position(|known| known == name);
    let ratings: Vec<f64> = hardest["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| row[of("rating").expect("a column")].as_str().expect("text").parse().expect("a number"))
        .collect();
    assert!(ratings.len() == 10 && ratings[0] == 9.0 && ratings.is_sorted_by(|a, b| a >= b), "{ratings:?}");
    // Each rating of the list is the one that the row of its record has.
    let rows = quadrille("rate data/random-1000.txt").prints();
    let rows: Vec<&str> = rows.lines().collect();
    for (row, rating) in hardest["rows"].as_array().expect("rows").iter().zip(&ratings) {
        let record = row[0].as_u64().expect("a number") as usize;
        assert_eq!(rows[record - 1].parse(), Ok(*rating));
    }
    // Several runs are compared by their ratings.
    let both = case.tables(&["easy.json", "all.json"]);
    let sentence = both["sentence"].as_str().expect("text");
    assert!(sentence.contains("; median ratings (ser/1.2.1): "), "{sentence}");
    assert_eq!(both["tables"][0]["table"], "rating-quantiles-1");
    assert_eq!(both["tables"][0]["rows"][1], quantiles["rows"][0]);
    assert_eq!(both["tables"][0]["rows"][0][1], 300);
    let page = case.path("both.html");
    quadrille("report").arg(case.path("easy.json")).arg(case.path("all.json")).arg("-o").arg(&page).prints();
    require_sound(&case.text("both.html"));
}

#[test]
fn every_number_of_a_page_is_in_its_file() {
    let case = Case::new();
    let mixed = data("random-1000.txt") + "bad\n" + &data("4x4.txt") + &"1".repeat(81) + "\n";
    let cover = quadrille("generate queens 6").prints();
    for (name, words, input) in [
        ("plain", "solve --unique", data("random-1000.txt")),
        ("timed", "solve --unique --timings -j2", data("random-1000.txt")),
        ("mixed", "check --side any", mixed),
        ("one", "solve", data("random-1000.txt").lines().next().expect("a line").to_owned() + "\n"),
        ("invalid", "solve --from line", "hello\n12345\n'x' y\n".repeat(30)),
        ("limited", "count --node-limit 3", data("random-1000.txt")),
        (
            "forms",
            "canon --form solution",
            data("random-1000.txt").lines().take(50).collect::<Vec<_>>().join("\n"),
        ),
        ("classes", "dedup", data("random-1000.txt") + &data("random-1000.txt")),
        ("cover", "solve", cover),
        ("empty", "solve --from line", String::new()),
    ] {
        case.run(name, words, &input);
        let (page, file) = (case.text(&format!("{name}.html")), case.json(&format!("{name}.json")));
        require_sound(&page);
        let cells = require_equal(&page, std::slice::from_ref(&file));
        assert!(cells > 8, "{name}: {cells} numbers");
        // A page made from the file equals the page of the run, except for the file's name.
        let again = quadrille("report").arg(case.path(&format!("{name}.json"))).prints();
        assert_eq!(again, page, "{name}");
    }
    assert!(case.text("limited.html").contains("records without a final answer (ended by nodes)."));
    let invalid = case.text("invalid.html");
    assert!(invalid.contains("90 records (100.0 %) could not be read."), "problems come first");
    let first = invalid.find("class=\"alarms\"").expect("a list");
    assert!(first < invalid.find("<nav").expect("a list of sections"));
    assert!(
        case.text("cover.html").contains("6 items")
            || case.text("cover.html").contains("64 options")
            || case.text("cover.html").contains("options</text>")
    );
}

#[test]
fn all_formats_have_the_same_numbers() {
    let case = Case::new();
    case.run("run", "solve --unique --timings", &(data("random-1000.txt") + "bad\n"));
    let tables = case.tables(&["run.json"]);
    assert_eq!((&tables["kind"], &tables["schema"]), (&"quadrille report".into(), &1.into()));
    let file = case.json("run.json");
    let markdown = quadrille("report --to markdown").arg(case.path("run.json")).prints();
    let csv = quadrille("report --to csv").arg(case.path("run.json")).prints();
    let mut lines: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for record in csv::Reader::from_reader(csv.as_bytes()).records() {
        let record = record.expect("four columns");
        lines.entry((record[0].to_owned(), record[1].to_owned())).or_default().push(record[3].to_owned());
    }
    let mut read = 0;
    for table in tables["tables"].as_array().expect("a list") {
        let name = table["table"].as_str().expect("a name");
        assert!(
            markdown.contains(&format!("\n### {}\n", table["caption"].as_str().expect("words"))),
            "{name}"
        );
        for (number, row) in table["rows"].as_array().expect("rows").iter().enumerate() {
            let row: Vec<String> = row
                .as_array()
                .expect("cells")
                .iter()
                .map(|cell| match cell {
                    Value::Null => String::new(),
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                })
                .collect();
            let from_csv = &lines[&(name.to_owned(), (number + 1).to_string())];
            for (a, b) in row.iter().zip(from_csv) {
                let same = a == b
                    || a.parse::<f64>()
                        .ok()
                        .zip(b.parse::<f64>().ok())
                        .is_some_and(|(a, b)| (a - b).abs() <= 1e-12 * a.abs());
                assert!(same, "{name}, row {number}: {a} in JSON, {b} in CSV");
            }
        }
        for (place, key) in table["read_at"].as_object().expect("keys") {
            let (row, column) = place.split_once(',').expect("two numbers");
            let cell = &table["rows"][row.parse::<usize>().expect("a row")]
                [column.parse::<usize>().expect("a column")];
            let there = at(std::slice::from_ref(&file), key.as_str().expect("a key"));
            let close = |(a, b): (f64, f64)| (a - b).abs() <= 1e-12 * a.abs();
            let same = cell.as_f64().zip(there.as_f64()).map_or(cell == there, close);
            assert!(same, "{name}: {key}: {cell} and {there}");
            read += 1;
        }
    }
    assert!(read > 50, "{read} numbers were read");
    let guesses = quadrille("report --to csv --table guesses").arg(case.path("run.json")).prints();
    let median = file["guesses"]["p50"].to_string();
    assert!(guesses.contains(&format!("median,{median}\n")), "{guesses}");
    let told = quadrille("report --to csv --table nothing").arg(case.path("run.json")).fails(2);
    assert!(told.contains("no table 'nothing' in this report: expected run, answers, engines"), "{told}");
    let shown = quadrille("stats").arg(case.path("run.json")).prints();
    assert!(shown.starts_with("records   1,001") && shown.contains("\nAnswers\n"), "{shown}");
    let bar = shown.lines().find(|line| line.trim_start().starts_with("unique")).expect("a row of answers");
    assert!(bar.ends_with(&"#".repeat(24)), "{bar}");
    assert!(shown.lines().all(|line| line.trim_end() == line), "no blanks at ends");
}

/// Two engines may show different solutions of a record that has several.
#[test]
fn engines_that_show_another_solution_of_several_agree() {
    let case = Case::new();
    let puzzles = data("multiple-3000.txt").lines().take(60).collect::<Vec<_>>().join("\n");
    for (name, words, input) in [
        ("dlx", "solve --unique --engine dlx", puzzles.clone()),
        ("mask", "solve --unique --engine bitmask", puzzles.clone()),
        ("less", "solve --unique --engine dlx", puzzles.replacen(&puzzles[..81], POJ, 1)),
    ] {
        let run = quadrille(words).arg("--outcomes-out").arg(case.path(&format!("{name}.outcomes")));
        let run = run.arg("--stats-out").arg(case.path(&format!("{name}.json")));
        assert_eq!(run.arg("-q").stdin(input).ends().code, Some(0));
    }
    assert_ne!(case.json("dlx.json")["checksum"], case.json("mask.json")["checksum"]);
    let page = |other: &str, with_records: bool| {
        let mut run = quadrille("report").arg(case.path("dlx.json")).arg(case.path(&format!("{other}.json")));
        if with_records {
            let records = ["dlx", other].map(|name| case.path(&format!("{name}.outcomes")));
            run = run.arg("--outcomes").arg(&records[0]).arg("--outcomes").arg(&records[1]);
        }
        run.prints()
    };
    let (whole, by_record) = (page("mask", false), page("mask", true));
    assert!(
        whole.contains("60 records each; the numbers of each status are the same, but the checksums differ"),
        "{whole}"
    );
    assert!(
        by_record.contains("all answers are the same, except which solution is shown for "),
        "{by_record}"
    );
    assert!(by_record.contains(" with several solutions."), "{by_record}");
    // One record now has a single solution.
    for page in [page("less", false), page("less", true)] {
        assert!(page.contains("60 records each; not all answers are the same"), "{page}");
    }
}

#[test]
fn the_only_record_of_two_runs_is_in_the_singular() {
    let case = Case::new();
    let path = case.path("one.json");
    quadrille("solve -q --stats-out").arg(&path).stdin(POJ).prints();
    let page = quadrille("report --to markdown").arg(&path).arg(&path).prints();
    assert!(page.contains("1 record each; all answers are the same"), "{page}");
}

#[test]
fn two_runs_are_compared_record_by_record() {
    let case = Case::new();
    let puzzles = data("random-1000.txt");
    let records = |name: &str| case.path(&format!("{name}.outcomes"));
    for (name, words) in
        [("dlx", "solve --unique --engine dlx"), ("mask", "solve --unique --engine bitmask --timings -j2")]
    {
        let run = quadrille(words)
            .arg("--outcomes-out")
            .arg(records(name))
            .arg("--stats-out")
            .arg(case.path(&format!("{name}.json")));
        assert_eq!(run.arg("-q").stdin(puzzles.clone()).ends().code, Some(0));
    }
    let compare = |format: &str| {
        let run = quadrille(format).arg(case.path("dlx.json")).arg(case.path("mask.json"));
        run.arg("--outcomes").arg(records("dlx")).arg("--outcomes").arg(records("mask"))
    };
    let page = compare("report").prints();
    require_sound(&page);
    assert!(require_equal(&page, &[case.json("dlx.json"), case.json("mask.json")]) > 20);
    assert!(page.contains("1,000 records each; all answers are the same; 0 answers changed."), "{page}");
    let table = compare("report --to csv --table paired-1").prints();
    assert!(table.contains("in both runs,1000\n") && table.contains("with another answer,0\n"), "{table}");
    let ratios = compare("report --to csv --table ratios").prints();
    let nodes: Vec<f64> = ratios
        .lines()
        .find(|line| line.starts_with("nodes,"))
        .expect("nodes")
        .split(',')
        .filter_map(|cell| cell.parse().ok())
        .collect();
    assert!(nodes[0] < 1.0 && nodes[1] <= nodes[0] && nodes[0] <= nodes[2], "{ratios}");
    assert!(
        !ratios.lines().any(|line| line.starts_with("records per second,") && line.contains(",,")),
        "no ratio without its spread"
    );

    // One changed answer, and one changed puzzle.
    let mut changed: Vec<String> = puzzles.lines().map(str::to_owned).collect();
    let cut = changed[1].find(|digit: char| digit.is_ascii_digit() && digit != '0').expect("a clue");
    changed[1].replace_range(cut..=cut, ".");
    let run = quadrille("solve --unique")
        .arg("--outcomes-out")
        .arg(records("other"))
        .arg("--stats-out")
        .arg(case.path("other.json"));
    assert_eq!(run.arg("-q").stdin(changed[..900].join("\n") + "\n").ends().code, Some(0));
    let run =
        quadrille("report --to csv --table paired-1").arg(case.path("dlx.json")).arg(case.path("other.json"));
    let table = run.arg("--outcomes").arg(records("dlx")).arg("--outcomes").arg(records("other")).prints();
    assert!(
        table.contains("in both runs,899\n")
            && table.contains("\"in one run only, or another puzzle\",101\n"),
        "{table}"
    );
    // Without files of records, distributions are compared.
    let run =
        || quadrille("report --to csv --table ratios").arg(case.path("dlx.json")).arg(case.path("mask.json"));
    assert!(run().prints().contains("means of both distributions"));
}

#[test]
fn files_of_records_are_the_same_for_any_number_of_threads() {
    let case = Case::new();
    let input = data("random-1000.txt") + "bad\n" + &data("4x4.txt");
    let of = |words: &str| {
        let path = case.path("records");
        let run = quadrille(words)
            .args("--side any")
            .arg("--outcomes-out")
            .arg(&path)
            .arg("-q")
            .stdin(input.clone());
        let rows = run.prints();
        (rows, fs::read(&path).expect("written"))
    };
    let one = of("solve --unique -j1");
    assert_eq!(of("solve --unique -j4 --chunk-bytes 1000"), one);
    assert_eq!(
        quadrille("solve --side any --unique -q").stdin(input.clone()).prints(),
        one.0,
        "rows are the same without it"
    );
    assert!(one.1.len() < 1100 * 16, "{} bytes for 1,021 records", one.1.len());
}

#[test]
fn files_of_one_name_and_sources_of_any_name_are_kept_apart() {
    let case = Case::new();
    for (folder, name) in [("a", "x'<b>\"&/../~1.txt"), ("b", "plain.txt")] {
        let folder = case.path(folder);
        fs::create_dir(&folder).expect("made");
        let input = folder.join(name.replace('/', "_"));
        fs::write(&input, data("random-1000.txt")).expect("written");
        let run = quadrille("solve --unique -q")
            .arg(&input)
            .arg(&input)
            .arg("--stats-out")
            .arg(folder.join("run.json"));
        run.arg("--report").arg(folder.join("run.html")).prints();
        let page = fs::read_to_string(folder.join("run.html")).expect("written");
        require_sound(&page);
        assert!(!page.contains("<b>"), "names are escaped");
    }
    let page = quadrille("report")
        .arg(case.path("a/run.json"))
        .arg(case.path("b/run.json"))
        .arg(case.path("b/run.json"))
        .prints();
    require_sound(&page);
    assert!(page.contains("run.json (3)"), "runs have names of their own");
}

#[test]
fn each_source_has_a_row() {
    let case = Case::new();
    let lines: Vec<String> = data("random-1000.txt").lines().map(str::to_owned).collect();
    let files: Vec<PathBuf> = (0..50).map(|number| case.path(&format!("{number:02}.txt"))).collect();
    for (number, file) in files.iter().enumerate() {
        fs::write(file, lines[..number + 1].join("\n") + "\n").expect("written");
    }
    let (stats, html) = (case.path("run.json"), case.path("run.html"));
    let run = files.iter().fold(quadrille("solve --unique -q"), |run, file| run.arg(file));
    run.arg("--stats-out").arg(&stats).arg("--report").arg(&html).prints();
    let (page, file) = (case.text("run.html"), case.json("run.json"));
    require_sound(&page);
    require_equal(&page, std::slice::from_ref(&file));
    let tables = case.tables(&["run.json"]);
    let sources = tables["tables"]
        .as_array()
        .expect("tables")
        .iter()
        .find(|table| table["table"] == "sources")
        .expect("sources");
    let rows = sources["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 50);
    assert!(rows.iter().zip(1..).all(|(row, number)| row[1] == number));
    let whole: u64 = file["sources_work"]
        .as_object()
        .expect("a map")
        .values()
        .filter_map(|work| work["guesses"]["records"].as_u64())
        .sum();
    assert_eq!(Some(whole), file["guesses"]["records"].as_u64());
}

#[test]
fn the_first_of_many_sources_have_rows() {
    let case = Case::new();
    let files: Vec<PathBuf> = (0..250).map(|number| case.path(&format!("{number:03}.txt"))).collect();
    for file in &files {
        fs::write(file, data("random-1000.txt").lines().next().expect("a line")).expect("written");
    }
    let run = files.iter().fold(quadrille("solve --unique -q"), |run, file| run.arg(file));
    let run = run.arg("--stats-out").arg(case.path("run.json"));
    run.arg("--report").arg(case.path("run.html")).prints();
    let page = case.text("run.html");
    require_sound(&page);
    assert!(page.contains("This table has the first 200 sources and leaves out 50 more."), "{page}");
    assert!(page.contains("199.txt") && !page.contains("200.txt"));
    assert_eq!(case.json("run.json")["sources"].as_object().map(serde_json::Map::len), Some(250));
}

#[cfg(unix)]
#[test]
fn control_characters_of_names_are_escaped() {
    let case = Case::new();
    let name = "a\u{1b}[31m\u{7}\r\u{202e}b.txt";
    let shown = r"a\u{1b}[31m\u{7}\r\u{202e}b.txt";
    let input = case.path(name);
    fs::write(&input, data("random-1000.txt")).expect("written");
    let (stats, html) = (case.path("run.json"), case.path("run.html"));
    quadrille("solve -q").arg(&input).arg("--stats-out").arg(&stats).arg("--report").arg(&html).prints();
    let markdown = quadrille("report --to markdown").arg(&stats).prints();
    let sums = quadrille("stats").arg(&stats).prints();
    let race = quadrille("bench --rounds 1 --engine bitmask -q").arg(&input).prints();
    let texts = [("html", case.text("run.html")), ("markdown", markdown), ("stats", sums), ("bench", race)];
    for (format, text) in texts {
        let seen = text.chars().find(|&character| name.contains(character) && !character.is_ascii_graphic());
        assert_eq!(seen, None, "{format}");
        assert!(text.contains(shown), "{format}");
    }
    let missing = quadrille("solve").arg(case.path("\u{1b}[2Jb\nc")).fails(1);
    assert!(missing.contains(r"\u{1b}[2Jb\nc"), "{missing:?}");
    assert!(!missing.contains('\u{1b}'), "{missing:?}");
    let refused = quadrille("solve").arg("--chunk\u{1b}[2J").fails(2);
    assert!(!refused.contains('\u{1b}'), "{refused:?}");
}

#[test]
fn wrong_files_and_outputs_are_refused() {
    let case = Case::new();
    case.run("run", "solve", &data("random-1000.txt"));
    let run = case.path("run.json");
    let refused = |words: &str, code: i32| quadrille(words).arg(&run).fails(code);
    assert!(refused("report --outcomes x", 2).contains("at least two runs"));
    assert!(refused("report --table guesses", 2).contains("--to csv"));
    fs::write(case.path("other"), "hello").expect("written");
    assert!(quadrille("report").arg(case.path("other")).fails(1).contains("not a statistics file"));
    assert!(quadrille("report").arg(&run).arg("-o").arg(&run).fails(2).contains("would be overwritten"));
    let both = quadrille("report").arg(&run).arg(&run).arg("--outcomes").arg(case.path("other"));
    assert!(
        both.arg("--outcomes")
            .arg(case.path("other"))
            .fails(2)
            .contains("not a file that --outcomes-out wrote")
    );
    let same = quadrille("solve --stats-out x --report x").stdin("").fails(2);
    assert!(same.contains("would be overwritten"), "{same}");
    let out_of_order = quadrille("solve --unordered --outcomes-out x").stdin("").fails(2);
    assert!(out_of_order.contains("--unordered"), "{out_of_order}");
    assert!(!Path::new("x").exists() && !Path::new("x.partial").exists());
}

#[test]
fn data_that_a_format_cannot_hold_has_rows() {
    let case = Case::new();
    let ended = quadrille("convert data/kaggle-1000.csv --stats-out").arg(case.path("run.json")).ends_with(0);
    assert!(ended.err.contains("solutions of 1,000 records"), "{}", ended.err);
    let page = quadrille("report").arg(case.path("run.json")).prints();
    require_sound(&page);
    require_equal(&page, &[case.json("run.json")]);
    assert!(page.contains("Dropped from the output") && page.contains("/lost/solutions"), "{page}");
}

#[test]
fn statistics_of_earlier_versions_are_read() {
    let case = Case::new();
    case.run("run", "solve --unique", &data("random-1000.txt"));
    let mut file = case.json("run.json");
    let top = file.as_object_mut().expect("a map");
    top.remove("sources_work");
    top.remove("reasons");
    for hard in top["hardest"]["records"].as_array_mut().expect("a list") {
        hard.as_object_mut().expect("a map").remove("drawing");
    }
    let clock = top["clock"].as_object_mut().expect("a map");
    for key in ["timeline", "guesses_by_time", "machines", "started", "peak_memory_bytes"] {
        clock.remove(key);
    }
    fs::write(case.path("old.json"), file.to_string()).expect("written");
    let page = quadrille("report").arg(case.path("old.json")).prints();
    require_sound(&page);
    require_equal(&page, &[file]);
    let sum = quadrille("stats --json").arg(case.path("old.json")).arg(case.path("run.json")).prints();
    let sum: Value = serde_json::from_str(&sum).expect("JSON");
    assert_eq!(sum["records"]["in"], 2000);
    assert_eq!(sum["clock"]["timeline"]["records"], case.json("run.json")["clock"]["timeline"]["records"]);
}

#[test]
fn benchmarks_have_pages() {
    let case = Case::new();
    let input: String = data("random-1000.txt").lines().take(60).map(|line| format!("{line}\n")).collect();
    let race = |name: &str| {
        let run = quadrille("bench --engine bitmask,dlx --rounds 2 -q --json --report")
            .arg(case.path(&format!("{name}.html")));
        run.arg("-o").arg(case.path(&format!("{name}.json"))).stdin(input.clone()).prints()
    };
    race("old");
    race("new");
    let page = case.text("old.html");
    require_sound(&page);
    assert!(require_equal(&page, &[case.json("old.json")]) > 10);
    let again = quadrille("report").arg(case.path("old.json")).prints();
    assert_eq!(
        require_equal(&again, &[case.json("old.json")]),
        require_equal(&page, &[case.json("old.json")])
    );
    let both = quadrille("report").arg(case.path("old.json")).arg(case.path("new.json")).prints();
    require_sound(&both);
    assert!(both.contains("Speed now relative to before"));
    case.run("run", "solve", &input);
    let mixed = quadrille("report").arg(case.path("old.json")).arg(case.path("run.json")).fails(2);
    assert!(mixed.contains("not results of bench"), "{mixed}");
}

#[test]
fn marginals_are_drawn_on_their_board() {
    let case = Case::new();
    let drawn = |words: &str, input: &str| {
        let rows = quadrille("count --marginals --to jsonl").args(words).stdin(input).prints();
        fs::write(case.path("m.jsonl"), rows).expect("a file");
        case.tables(&["m.jsonl"])["tables"][0]["rows"].clone()
    };
    let grid = drawn("", "12..............");
    assert_eq!(
        (grid[0][1].as_str(), grid[0][3].as_str()),
        (Some("1 (100.0 %)"), Some("3 (50.0 %)")),
        "{grid}"
    );
    let board = drawn("data/cover/dominoes8x8.dlx", "");
    assert_eq!(
        (board[0][1].as_str(), board.as_array().map(Vec::len)),
        (Some("1 (50.0 %)"), Some(8)),
        "{board}"
    );
    let queens = drawn("data/cover/queens8.dlx", "");
    assert_eq!(
        (queens[0][1].as_str(), queens[0][4].as_str()),
        (Some("1 (4.3 %)"), Some("4 (19.6 %)")),
        "{queens}"
    );
    let words = quadrille("count --marginals --to jsonl data/cover/toy.dlx").prints();
    fs::write(case.path("m.jsonl"), words).expect("a file");
    let refused = quadrille("report").arg(case.path("m.jsonl")).arg("-o").arg(case.path("m.html")).fails(2);
    assert!(refused.contains("items are not cells"), "{refused}");
    assert!(!case.path("m.html").exists());
}
