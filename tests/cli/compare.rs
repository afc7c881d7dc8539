//! `canon`, `dedup`, `overlap` and `split-corpus`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;

use super::{EMPTY_9X9, POJ, data, quadrille};

/// A small deterministic random generator.
pub(super) struct Draw(pub(super) u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn order(&mut self, length: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..length).collect();
        for place in (1..length).rev() {
            order.swap(place, self.below(place + 1));
        }
        order
    }

    /// Returns a random order of the nine rows or columns that keeps bands together.
    fn lines(&mut self) -> Vec<usize> {
        let bands = self.order(3);
        bands
            .into_iter()
            .flat_map(|band| self.order(3).into_iter().map(move |line| 3 * band + line))
            .collect()
    }

    /// Returns the puzzle with rows, columns, bands and labels permuted at random, and transposed at random.
    pub(super) fn isomorph(&mut self, puzzle: &str) -> String {
        let (rows, columns, labels) = (self.lines(), self.lines(), self.order(9));
        let transposed = self.below(2) == 1;
        let cells: Vec<char> = puzzle.chars().collect();
        let cell = |row: usize, column: usize| {
            if transposed { cells[9 * column + row] } else { cells[9 * row + column] }
        };
        let label = |sign: char| match sign.to_digit(10) {
            Some(digit) if digit > 0 => char::from(b'1' + labels[digit as usize - 1] as u8),
            _ => '.',
        };
        let places = rows.iter().flat_map(|&row| columns.iter().map(move |&column| (row, column)));
        places.map(|(row, column)| label(cell(row, column))).collect()
    }
}

fn puzzles(count: usize) -> Vec<String> {
    let text = fs::read_to_string("data/random-1000.txt").expect("it is in the repository");
    text.lines().take(count).map(str::to_owned).collect()
}

fn joined(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn every_isomorph_has_the_same_forms() {
    let mut draw = Draw(1);
    let originals = puzzles(20);
    let images: Vec<String> = originals
        .iter()
        .flat_map(|puzzle| (0..5).map(|_| draw.isomorph(puzzle)).collect::<Vec<_>>())
        .collect();
    for form in ["by-solution", "solution", "puzzle"] {
        let forms =
            |lines: &[String]| quadrille(&format!("canon --form {form}")).stdin(joined(lines)).prints();
        let of_originals = forms(&originals);
        let of_images = forms(&images);
        let of_images: Vec<&str> = of_images.lines().collect();
        for (form, images) in of_originals.lines().zip(of_images.chunks(5)) {
            assert!(images.iter().all(|image| *image == form), "{form}\n{images:?}");
        }
        assert_eq!(of_originals.lines().collect::<BTreeSet<_>>().len(), 20);
        assert!(of_originals.lines().all(|form| form.len() == 81));
        // The form of a form is the form itself.
        assert_eq!(forms(&of_originals.lines().map(str::to_owned).collect::<Vec<_>>()), of_originals);
    }
}

#[test]
fn transformations_lead_to_forms() {
    let lines = joined(&puzzles(30));
    for form in ["by-solution", "puzzle"] {
        let forms = quadrille(&format!("canon --form {form}")).stdin(&*lines).prints();
        let maps =
            quadrille(&format!("canon --form {form} --fields puzzle,transform")).stdin(&*lines).prints();
        assert_eq!(quadrille("canon --apply").stdin(&*maps).prints(), forms);
        let table = quadrille(&format!("canon --form {form} --to csv")).stdin(&*lines).prints();
        assert_eq!(quadrille("canon --apply").stdin(&*table).prints(), forms);
        let objects = quadrille(&format!("canon --form {form} --to jsonl")).stdin(&*lines).prints();
        assert_eq!(quadrille("canon --apply").stdin(&*objects).prints(), forms);
    }
    let turned = quadrille("canon --apply=t:123456789:123456789:213456789 -").stdin(POJ).prints();
    let twice = quadrille("canon --apply=t:123456789:123456789:213456789").stdin(&*turned).prints();
    assert_eq!(twice.trim_end(), POJ.replace('0', "."));
    let none =
        quadrille("canon --apply --fields status,reason").stdin(format!("{POJ} nonsense\n")).ends_with(0);
    assert!(none.out.starts_with("unsupported\texpected a transform after the grid: "), "{}", none.out);
    quadrille("canon --apply=x:1:2:3 -").stdin(POJ).ends_with(2);
}

#[test]
fn records_without_a_form_have_a_reason() {
    let text = format!("{EMPTY_9X9}{}\n", POJ.replacen("103", "113", 1));
    let rows = quadrille("canon --fields status,canon,reason").stdin(&*text).prints();
    let rows: Vec<&str> = rows.lines().collect();
    assert_eq!(rows[0], "multiple\t\t");
    assert!(rows[1].starts_with("none\t\t"), "{rows:?}");
    let rows = quadrille("canon --form puzzle --fields status,automorphisms,canon").stdin(&*text).prints();
    assert!(rows.starts_with(&format!("parsed\t3359232\t{EMPTY_9X9}parsed\t")), "{rows}");
    let large = quadrille("generate puzzles --side 16").prints();
    let row = quadrille("canon --fields status,reason").stdin(large).prints();
    assert!(row.starts_with("unsupported\tonly 9x9, 4x4 and"), "{row}");
    let row = quadrille("canon --form puzzle --from dlx --fields status").stdin("a b\na b\n").prints();
    assert_eq!(row, "unsupported\n");
    // The statistics count solutions with automorphisms.
    let symmetric = "123456789456789123789123456231564897564897231897231564312645978645978312978312645\n";
    let ended = quadrille("canon --form solution --stats --fields solution_automorphisms,band")
        .stdin(symmetric)
        .ends_with(0);
    assert_eq!(ended.out, "648\t1\n");
    assert!(ended.err.contains("1 of 1 solution with automorphisms (up to 648)"), "{}", ended.err);
}

#[test]
fn four_by_four_has_two_classes_of_grids() {
    let grids = quadrille("solve --all").stdin("................\n").prints();
    assert_eq!(grids.lines().count(), 288);
    let forms = quadrille("canon --form solution").stdin(&*grids).prints();
    let mut classes: BTreeMap<&str, u32> = BTreeMap::new();
    forms.lines().for_each(|form| *classes.entry(form).or_default() += 1);
    assert_eq!(classes.values().copied().collect::<Vec<_>>(), [96, 192]);
}

/// Returns puzzles with isomorphs, copies and records without a class.
///
/// Each line comes with the 1-based number of the first record of its class.
fn mixture() -> (Vec<String>, Vec<usize>) {
    let mut draw = Draw(7);
    let originals = puzzles(60);
    let (mut lines, mut first, mut seen) = (Vec::new(), Vec::new(), HashMap::new());
    for number in 1..=400 {
        let which = draw.below(originals.len() + 2);
        let Some(original) = originals.get(which) else {
            lines.push(if which == originals.len() {
                EMPTY_9X9.trim().to_owned()
            } else {
                "no puzzle".to_owned()
            });
            first.push(0);
            continue;
        };
        lines.push(match draw.below(3) {
            0 => original.clone(),
            1 => format!("{} id-{number}", original.replace('.', "0")),
            _ => draw.isomorph(original),
        });
        first.push(*seen.entry(which).or_insert(number));
    }
    (lines, first)
}

#[test]
fn the_first_of_every_class_is_kept_for_any_memory_and_threads() {
    let (lines, first) = mixture();
    let text = joined(&lines);
    let kept =
        lines.iter().zip(1..).zip(&first).filter(|((_, number), first)| **first == 0 || *first == number);
    let expected: String = kept.map(|((line, _), _)| format!("{line}\n")).collect();
    for options in ["-j1", "-j3 --chunk-bytes 4k", "--memory 8M", "--by puzzle"] {
        let ended = quadrille(&format!("dedup -q {options}")).stdin(&*text).ends_with(0);
        if options == "--by puzzle" {
            // Grids without clues have a form of this kind.
            assert!(ended.out.matches(EMPTY_9X9.trim()).count() == 1);
            let without = |text: &str| text.replace(EMPTY_9X9, "");
            assert_eq!(without(&ended.out), without(&expected));
        } else {
            assert_eq!(ended.out, expected, "{options}");
        }
    }
    let summary = quadrille("dedup").stdin(&*text).ends_with(0).err;
    let classes = first.iter().filter(|&&first| first > 0).collect::<BTreeSet<_>>().len();
    assert!(summary.contains(&format!("{classes} classes of ")), "{summary}");
    // The statistics have the sizes of the classes too.
    let ended = quadrille("dedup -q --stats-out /dev/stderr").stdin(&*text).ends_with(0);
    let statistics: serde_json::Value = serde_json::from_str(&ended.err).expect("JSON");
    let sizes = statistics["class_sizes"].as_object().expect("sizes");
    let counts = sizes.iter().map(|(size, count)| size.parse::<u64>().unwrap() * count.as_u64().unwrap());
    assert_eq!(counts.sum::<u64>(), first.iter().filter(|&&first| first > 0).count() as u64);
    // Equal texts only: isomorphs are kept, and the characters of empty cells do not matter.
    let texts = quadrille("dedup --by text -q").stdin(&*text).prints();
    let clues = |line: &str| line.split(' ').next().unwrap_or_default().replace('0', ".");
    let distinct: BTreeSet<String> =
        lines.iter().filter(|line| *line != "no puzzle").map(|line| clues(line)).collect();
    assert_eq!(texts.lines().filter(|line| *line != "no puzzle").count(), distinct.len());
}

#[test]
fn every_record_can_be_written_with_its_class() {
    let (lines, first) = mixture();
    let (mut class, mut sizes) = (BTreeMap::new(), HashMap::new());
    for &first in first.iter().filter(|&&first| first > 0) {
        let next = class.len() + 1;
        class.entry(first).or_insert(next);
        *sizes.entry(first).or_insert(0) += 1;
    }
    let columns: Vec<String> = first
        .iter()
        .map(|first| match class.get(first) {
            Some(class) => format!("{class}:{first}:{}", sizes[first]),
            None => "::".to_owned(),
        })
        .collect();
    let expected: String = lines
        .iter()
        .zip(&columns)
        .map(|(line, columns)| format!("{line}\t{}\n", columns.replace(':', "\t")))
        .collect();
    for options in ["-j1", "-j2 --memory 8M"] {
        assert_eq!(quadrille(&format!("dedup --all -q {options}")).stdin(joined(&lines)).prints(), expected);
    }
    // The columns of the input are kept, followed by those of `dedup`.
    let row = |(number, line): (usize, &String)| {
        let (puzzle, rest) = line.split_once(' ').unwrap_or((line, ""));
        format!("{number};{puzzle};\"{rest}\"")
    };
    let table: String = lines.iter().enumerate().map(|line| row(line) + "\n").collect();
    let expected: String = lines
        .iter()
        .enumerate()
        .zip(&columns)
        .map(|(line, columns)| format!("{};{}\n", row(line), columns.replace(':', ";")))
        .collect();
    let ended = quadrille("dedup --all -q").stdin(format!("id;puzzle;note\n{table}")).ends_with(0);
    assert_eq!(ended.out, format!("id;puzzle;note;q_class;q_first;q_size\n{expected}"));
    let ended = quadrille("dedup -q").stdin(format!("id;puzzle;note\n{table}")).ends_with(0);
    assert!(ended.out.starts_with("id;puzzle;note\n0;"), "{}", ended.out);
    let object = format!("{{\"puzzle\": \"{POJ}\", \"n\": 1}}\n");
    let ended = quadrille("dedup --all -q").stdin(object.repeat(2)).prints();
    assert_eq!(
        ended.lines().nth(1).unwrap(),
        format!("{{\"puzzle\": \"{POJ}\", \"n\": 1,\"q_class\":1,\"q_first\":1,\"q_size\":2}}")
    );
}

#[test]
fn columns_after_rows_can_be_chosen() {
    let dir = tempfile::tempdir().expect("a directory");
    let known = dir.path().join("known.txt");
    let lines: Vec<String> =
        data("random-1000.txt").lines().take(4).map(|line| line[..81].to_owned()).collect();
    fs::write(&known, lines[1..].join("\n")).expect("a file");
    let input = format!("{}\n{}\n{}\tname\n12\n", lines[0], ".".repeat(81), lines[3]);
    let run = |words: &str| quadrille("overlap -q").args(words).arg(&known).arg("-").stdin(&*input).prints();
    assert_eq!(
        run("--fields index,status"),
        "1\tunique\tnew\t\n2\tmultiple\tmultiple\t\n3\tunique\tcopy\t3\n4\tinvalid\tinvalid\t\n"
    );
    assert_eq!(run("--fields relation"), "new\nmultiple\ncopy\ninvalid\n");
    assert_eq!(run("--fields id,relation"), "\tnew\n\tmultiple\nname\tcopy\n\tinvalid\n");
    assert_eq!(run("--fields first,relation --only copy,multiple"), "\tmultiple\n3\tcopy\n");
    assert_eq!(
        run("--fields relation,first --to csv"),
        "relation,first\nnew,\nmultiple,\ncopy,3\ninvalid,\n"
    );
    assert_eq!(run("--fields relation --echo-id"), "\tnew\n\tmultiple\nname\tcopy\n\tinvalid\n");
    let objects = run("--fields relation --to jsonl --only new");
    assert_eq!(objects, "{\"relation\":\"new\"}\n");
    // The field follows the columns of the input.
    let table = format!("id,puzzle\n,{}\n7,{}\n", lines[0], lines[2]);
    let run_table =
        |words: &str| quadrille("overlap -q").args(words).arg(&known).arg("-").stdin(&*table).prints();
    let expected = format!("id,puzzle,q_relation\n,{},new\n7,{},copy\n", lines[0], lines[2]);
    assert_eq!(run_table("--to csv --fields relation"), expected);
    let classes = quadrille("dedup -q --all --fields index,size,class")
        .stdin(format!("{}\n{}\n", lines[0], lines[0]))
        .prints();
    assert_eq!(classes, "1\t2\t1\n2\t2\t1\n");
    assert_eq!(
        quadrille("dedup -q --all --fields size").stdin(format!("{0}\n{0}\n", lines[0])).prints(),
        "2\n2\n"
    );
    for (words, said) in [
        (
            "overlap --fields relation,puzzle",
            "relation is known only at the end: name it after the other fields",
        ),
        ("overlap --fields relation,first,relation", "field relation is chosen twice"),
        ("overlap --fields class", "class is a field of dedup"),
    ] {
        assert!(quadrille(words).arg(&known).arg("-").stdin(&*input).fails(2).contains(said), "{words}");
    }
}

#[test]
fn rows_of_overlap_can_be_chosen_by_relation() {
    let dir = tempfile::tempdir().expect("a directory");
    let at = |name: &str| dir.path().join(name);
    let lines: Vec<String> =
        data("random-1000.txt").lines().take(90).map(|line| line[..81].to_owned()).collect();
    let mut draw = Draw(11);
    let known: Vec<String> = lines.iter().step_by(3).cloned().collect();
    let turned: Vec<String> = lines.iter().step_by(2).map(|line| draw.isomorph(line)).collect();
    fs::write(at("known"), joined(&known)).expect("a file");
    let all: Vec<String> =
        turned.into_iter().chain(lines.clone()).chain([".".repeat(81), "12".to_owned()]).collect();
    fs::write(at("all"), joined(&all)).expect("a file");
    let run = |words: &str| quadrille("overlap").args(words).arg(at("known")).arg(at("all")).ends_with(0);
    let whole = run("-q --fields index,status");
    for (only, wanted) in [
        ("new", &["new"][..]),
        ("copy,isomorph", &["copy", "isomorph"]),
        ("same-grid,new,invalid", &["same-grid", "new", "invalid"]),
        ("isomorph,multiple", &["isomorph", "multiple"]),
    ] {
        // Compares in memory, and with rows spooled to disk.
        for memory in ["", " --memory 8M -j1"] {
            let chosen = run(&format!("--fields index,status --only {only}{memory}"));
            let expected: Vec<&str> = whole
                .out
                .lines()
                .filter(|row| wanted.contains(&row.split('\t').nth(2).expect("a word")))
                .collect();
            assert!(!expected.is_empty() && chosen.out.lines().eq(expected), "{only}");
            // The counts do not depend on which rows are written.
            assert!(chosen.err.contains("copy 30, isomorph 15"), "{}", chosen.err);
        }
    }
    // As with every verb, `--only` may also name only statuses of records.
    let unique = run("-q --fields index,status --only unique");
    assert!(unique.out.lines().eq(whole.out.lines().filter(|row| row.contains("\tunique\t"))));
    assert!(quadrille("solve --only new").fails(2).contains("invalid value 'new'"));
}

#[test]
fn a_test_set_is_compared_with_a_training_set() {
    let mut draw = Draw(3);
    let known = puzzles(40);
    let solved = quadrille("solve").stdin(joined(&known)).prints();
    let solved: Vec<&str> = solved.lines().collect();
    let (mut lines, mut expected) = (Vec::new(), Vec::new());
    for number in 0..120 {
        let which = draw.below(known.len());
        let (line, relation) = match draw.below(5) {
            0 => (known[which].replace('.', "0"), format!("copy\t{}", which + 1)),
            1 => (draw.isomorph(&known[which]), format!("isomorph\t{}", which + 1)),
            // The same grid with one more clue.
            2 => {
                let empty = known[which].find('.').expect("it has empty cells");
                let mut more = known[which].clone();
                more.replace_range(empty..=empty, &solved[which][empty..=empty]);
                (draw.isomorph(&more), format!("same-grid\t{}", which + 1))
            }
            3 => (EMPTY_9X9.trim().to_owned(), "multiple\t".to_owned()),
            _ => (puzzles(200).swap_remove(100 + number % 100), "new\t".to_owned()),
        };
        expected.push(format!("{line}\t{relation}\n"));
        lines.push(line);
    }
    let directory = tempfile::tempdir().expect("a directory");
    let train = directory.path().join("train.txt");
    fs::write(&train, joined(&known)).expect("it can be written");
    for options in ["-j1", "-j2 --memory 8M"] {
        let ended = quadrille("overlap").arg(&train).args(options).stdin(joined(&lines)).ends_with(0);
        assert_eq!(ended.out, expected.concat());
        let count = |word: &str| expected.iter().filter(|row| row.contains(&format!("\t{word}\t"))).count();
        let summary =
            ["copy", "isomorph", "same-grid", "new"].map(|word| format!("{word} {}", count(word))).join(", ");
        assert!(ended.err.contains(&summary), "{} {summary}", ended.err);
    }
    let table = quadrille("overlap -q --to csv --fields index").arg(&train).stdin(joined(&lines[..1]));
    assert!(table.prints().starts_with("index,relation,first\n1,"));
    let leak = quadrille("overlap -q --fail-on isomorph,copy").arg(&train);
    assert_eq!(leak.stdin(joined(&lines)).ends_with(5).out, expected.concat());
    let clean = quadrille("overlap -q --fail-on isomorph,copy").arg(&train);
    clean.stdin(joined(&puzzles(200)[150..])).ends_with(0);
    quadrille("overlap --fail-on leak").arg(&train).stdin(POJ).ends_with(2);
    quadrille("overlap no-such-file -").stdin(POJ).ends_with(1);
    // `--index-offset` shifts the numbers of the records, not those of the corpus.
    let part = quadrille("overlap -q --index-offset 7").arg(&train).stdin(format!("{}\n", known[2]));
    assert_eq!(part.prints(), format!("{}\tcopy\t3\n", known[2]));
    // A record of the corpus that is unreadable or undecided might equal any record.
    fs::write(&train, format!("no puzzle\n{}{EMPTY_9X9}", joined(&known[..3]))).expect("it can be written");
    let words = "overlap -q --fail-on same-grid --engine dlx --node-limit 1";
    let ended = quadrille(words).arg(&train).stdin(POJ).ends_with(5);
    assert!(ended.err.contains("1 record could not be read: the comparison is incomplete"), "{}", ended.err);
    assert!(
        ended.err.contains("were not searched to the end: the comparison is incomplete"),
        "{}",
        ended.err
    );
    // An unreadable corpus must not pass as one without overlap.
    let unread = quadrille("overlap Cargo.toml -").stdin(POJ).fails(6);
    assert!(unread.contains("Cargo.toml: "), "{unread}");
}

#[test]
fn parts_share_no_solution() {
    let (lines, first) = mixture();
    let directory = tempfile::tempdir().expect("a directory");
    let names = directory.path().join("part-{}.txt");
    let run = |seed: u32, threads: u32| {
        let ended = quadrille("split-corpus --discard-partial --parts train=60,valid=20,test=20")
            .args(&format!("--seed {seed} -j{threads} -o"))
            .arg(&names)
            .stdin(joined(&lines))
            .ends_with(0);
        let read = |name: &str| {
            fs::read_to_string(directory.path().join(format!("part-{name}.txt"))).expect("it is there")
        };
        (["train", "valid", "test"].map(read), ended.err)
    };
    let (parts, summary) = run(1, 1);
    assert_eq!(run(1, 2).0, parts);
    assert_ne!(run(2, 1).0, parts);
    let readable: Vec<(&String, usize)> =
        lines.iter().zip(first).filter(|(line, _)| *line != "no puzzle").collect();
    assert!(summary.contains("in no part"), "{summary}");
    let mut part_of_class = HashMap::new();
    let mut left: [std::str::Lines<'_>; 3] = [parts[0].lines(), parts[1].lines(), parts[2].lines()];
    for (line, first) in readable {
        let class = if first == 0 { line.clone() } else { first.to_string() };
        let part = left
            .iter()
            .position(|part| part.clone().next() == Some(line))
            .expect("it is in a part, in order");
        left[part].next();
        assert_eq!(*part_of_class.entry(class).or_insert(part), part, "{line}");
    }
    assert!(left.iter_mut().all(|part| part.next().is_none()));
    assert!(parts.iter().all(|part| part.lines().count() > 10));
    // With few rows, the write fails at the end of the run; with many rows, before that.
    for corpus in ["data/poj2676.txt", "data/random-1000.txt"] {
        let words = format!("split-corpus --parts full=1 {corpus} -o /dev/{{}}");
        let error = quadrille(&words).fails(1);
        assert!(error.contains("/dev/full: No space left on device"), "{error}");
    }
    let large = quadrille("split-corpus --parts a=1 data/16x16-hex.txt -o").arg(&names).ends_with(0);
    assert!(
        large.err.contains("went into parts by their clues because the form of their solution is unknown"),
        "{}",
        large.err
    );
    quadrille("split-corpus --parts a=1,a=2 -o x-{}.txt").stdin(POJ).ends_with(2);
    quadrille("split-corpus --parts a=1,b=2 -o x.txt").stdin(POJ).ends_with(2);
    quadrille("split-corpus --parts a=0 -o x-{}.txt").stdin(POJ).ends_with(2);
    quadrille("split-corpus --parts ../a=1 -o x-{}.txt").stdin(POJ).ends_with(2);
}

#[test]
fn records_without_a_part_are_reported_even_if_quiet() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (words, others) in [("-q", ""), ("", "quadrille: a 3\n")] {
        let run =
            quadrille(&format!("split-corpus --parts a=1 {words} -o")).arg(directory.path().join("{}.txt"));
        let ended = run.stdin(format!("{POJ}\nno puzzle\n{POJ}\n{POJ}\n")).ends_with(0);
        assert_eq!(ended.err, format!("{others}quadrille: 1 unreadable record in no part\n"));
    }
}

#[test]
fn options_that_contradict_a_comparison_are_refused() {
    for words in [
        "dedup --unordered",
        "dedup --keep-lines",
        "overlap - -",
        "overlap -",
        "dedup --all -o no-such-output --checkpoint no-such-checkpoint",
        "split-corpus --parts a=1 -o no-such-{} --checkpoint no-such-checkpoint",
        "overlap data/random-1000.txt --unordered",
        "dedup --to grid",
        "canon --to contest",
        "canon --apply --form puzzle",
    ] {
        quadrille(words).stdin(POJ).ends_with(2);
    }
}

#[test]
fn rows_in_any_order_have_their_own_forms() {
    // A hard record among easy records is written after them.
    let mut lines = puzzles(300);
    lines.insert(
        3,
        "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..".to_owned(),
    );
    let text = joined(&lines);
    let ordered = quadrille("canon --fields index,canon -j2").stdin(&*text).prints();
    let any = quadrille("canon --fields index,canon --unordered --engine dlx -j2 --chunk-bytes 4k")
        .stdin(&*text)
        .prints();
    let sorted = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!(sorted(&any), sorted(&ordered));
}
