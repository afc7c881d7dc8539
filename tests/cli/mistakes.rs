//! Deliberate mistakes: options of one verb in another, near names, ranges, files of another kind. Each message leads
//! on: it names the verb, the value or the option that was meant.

use super::quadrille;

#[test]
fn mistakes_end_in_messages_that_lead_on() {
    let cases = [
        // Options of another verb.
        ("count --unique x", "--unique is an option of solve"),
        ("rate --unique x", "--unique is an option of solve"),
        ("convert --unique x", "--unique is an option of solve"),
        ("count --explain x", "--explain is an option of rate"),
        ("convert --explain x", "--explain is an option of rate"),
        ("generate puzzles --explain", "--explain is an option of rate"),
        ("solve --rating 5.. x", "--rating is an option of rate, generate"),
        ("solve --count 5 x", "--count is an option of generate, bench"),
        ("rate --difficulty easy x", "--difficulty is an option of generate"),
        ("solve --symmetry mirror x", "--symmetry is an option of generate"),
        ("solve --per-page 2 x", "--per-page is an option of convert"),
        ("check --minimize x", "--minimize is an option of best"),
        ("solve --weights w.txt x", "--weights is an option of best"),
        ("solve --parts a=1 x", "--parts is an option of split-corpus"),
        ("encode --to dlx x", "--to is an option of solve, count, "),
        ("estimate --limit 5 x", "--limit is an option of solve, count, "),
        ("stats --table answers x", "--table is an option of report"),
        ("fingerprint --report x.html x", "--report is an option of solve, "),
        ("overlap --by solution a b", "--by is an option of dedup"),
        ("dedup --form puzzle x", "--form is an option of canon"),
        ("canon --copies 3 x", "--copies is an option of augment"),
        ("solve --copies=3 x", "--copies is an option of augment"),
        ("generate puzzles --where clues=20", "--where is an option of solve, count, "),
        // Near names of options and verbs, and other words for verbs.
        ("solve --threds 2 x", "a similar argument exists: '--threads'"),
        ("generate puzzles --symetry mirror", "a similar argument exists: '--symmetry'"),
        ("solver x", "'solve'"),
        ("difficulty x", "use 'rate'"),
        ("explain x", "use 'rate --explain'"),
        ("verify x", "use 'check'"),
        ("print x", "use 'convert -o sheet.html'"),
        ("data/poj2676.txt", "the verb comes first, such as 'solve data/poj2676.txt'"),
        // Near names of values.
        ("generate minimal --difficulty harder", "a similar value exists: 'hard'"),
        ("generate minimal --symmetry rotate", "a similar value exists: 'rotational'"),
        ("convert --to htm x", "a similar value exists: 'html'"),
        ("solve --only uniqe x", "a similar value exists: 'unique'"),
        ("solve --fields canon x", "canon is a field of canon"),
        ("rate --scale se x", "a similar value exists: 'ser'"),
        ("rate --needs xwing x", "the nearest are x-wing,"),
        ("rate --without naked x", "the nearest are naked-"),
        ("bench --engine lane x", "a similar value exists: 'lanes'"),
        ("dedup --by grid x", "[possible values: by-solution, solution, puzzle, text]"),
        // Ranges.
        ("rate --rating 5..4 x", "the second rating is below the first"),
        (
            "rate --rating 15.. x",
            "expected a range of ratings from 1.0 to 11.9, such as 4.0..5.5, 8.. or ..7.5",
        ),
        ("rate --rating .. x", "such as 4.0..5.5, 8.. or ..7.5"),
        ("rate --rating difficult x", "such as 4.0..5.5, 8.. or ..7.5"),
        ("rate --max-rating 20 x", "ratings are from 1.0 to 11.9"),
        ("generate minimal --clues 17..16", "invalid number of clues for a 9x9: 17 to 16"),
        ("generate minimal --clues few", "such as 24..30, 24.. or ..30"),
        ("generate puzzles --symmetry full --clues 30", "no symmetry of this kind has 30 clues"),
        ("solve --where guesses>5 x", "expected FIELD=RANGE, such as guesses=5.."),
        ("solve --where guesses=5-9 x", "expected FIELD=RANGE, such as guesses=5.."),
        ("solve --where difficulty=5.. x", "difficulty is not a field of numbers: use one of index, "),
        ("solve --where er=5.. x", "the field er is only for rate, solve --unique and check"),
        ("solve --only 5.. x", "numbers are for --where, such as guesses=5.."),
        ("solve --only guesses x", "numbers are for --where, such as guesses=5.."),
        ("convert --per-page 0 --to html x", "expected a whole number from 1 to 30"),
        // Numbers, formats and words of other programs.
        ("solve --limit -1 x", "expected a whole number from 1 to 2^64 - 1"),
        ("solve --node-limit 1e6 x", "expected a whole number from 1 to 2^64 - 1"),
        ("generate puzzles -n many", "expected a whole number from 0 to 2^64 - 1"),
        ("augment -n 0 x", "expected a whole number from 1 to 1,000,000"),
        ("best --cost-each 1.5 x", "expected an integer from -2^63 to 2^63 - 1"),
        ("solve --side many x", "expected a number from 1 to 36, or any"),
        ("solve --side 99 x", "a side is r x c with r and c at least 2, at most 36"),
        ("solve --audit 0 x", "expected 1/N, such as 1/1000"),
        ("solve --memory 1k x", "a run needs 8M for each thread"),
        ("solve --time-limit -1s x", "expected a time, such as 500ms, 10s, 2m or 1h"),
        ("solve --time-limit soon x", "expected a time, such as 500ms, 10s, 2m or 1h"),
        ("solve --box 9 x", "expected rows x columns, such as 2x3"),
        ("solve --blank xx x", "expected one printable character"),
        ("solve --symbols 0-9 x", "a similar value exists: '0-9A-Z'"),
        ("solve --rules diagonal x", "`--rules list` shows all rules"),
        ("solve --regions abc x", "abc is neither a file nor a layout"),
        ("solve --where guesses=9..1 x", "such as guesses=5.. or clues=17..22"),
        ("solve --to html x", "convert can write html"),
        ("convert --to contest x", "solve and other verbs that answer can write contest"),
        ("solve --to dlx x", "encode writes dlx"),
        ("solve --from framed x", "framed can only be written"),
        ("generate hard", "use 'puzzles --difficulty hard'"),
        ("generate sudoku", "for puzzles use 'generate puzzles'"),
        ("generate minimal 9x9", "--side, --box and --clues describe puzzles"),
        ("generate queens eight", "eight is not a number from 1 to 1000"),
        ("generate puzzles --clues 16", "a 9x9 with one solution has at least 17"),
        ("check --solutions s x", "a similar argument exists: '--solution-column'"),
        ("solve --seed 3 x", "--sample <N>"),
        ("count --all x", "--all is an option of solve, dedup, split-problem"),
        ("split-corpus --parts 90,10 x", "a part needs a name and a share, as in test=5"),
        ("split-corpus --parts a=90,b=10 x", "use -o 'NAME-{}.txt'"),
        ("split-corpus --parts a=90,b=10 -o x.txt x", "-o has no {}"),
        ("bench --program ./mine x", "neither NAME=COMMAND, such as mine='./mine --fast', nor self"),
        ("rate --needs naked-pair --without naked-pair x", "--without excludes it"),
        ("solve --checkpoint c x", "--out <FILE>"),
        ("solve -o out.zip x", "use .gz or .zst for compression"),
        ("man solv", "a similar value exists: 'solve'"),
        // Kinds of files and of records.
        ("generate puzzles 2000000", "for 2,000,000 records use --count 2000000"),
        (
            "generate grids --difficulty easy",
            "a rating is only for puzzles, minimal and neighbours of side 9",
        ),
        ("generate queens 8 --difficulty easy", "--difficulty is only for puzzles"),
        ("convert data/poj2676.txt -o x.pdf", "cannot write puzzles as .pdf: use .txt, "),
        ("solve data/poj2676.txt -o x.html", "cannot write rows as .html: use .txt, "),
        ("rate data/poj2676.txt --report x.pdf", "cannot write pages as .pdf: use .html, "),
        ("augment -o x.svg data/poj2676.txt", "only convert writes sheets (svg)"),
        ("rate --explain --to csv data/poj2676.txt", "csv output cannot hold steps: use text or jsonl"),
    ];
    assert!(cases.len() >= 95);
    let mut silent = String::new();
    for (words, said) in cases {
        let error = quadrille(words).fails(2);
        if !error.contains(said) {
            silent += &format!("{words}: expected {said:?}, printed {error}\n");
        }
    }
    assert!(silent.is_empty(), "{silent}");
    let directory = tempfile::tempdir().expect("a temporary directory");
    let race = directory.path().join("race.json");
    quadrille("bench data/4x4.txt --rounds 1 --time 10ms -q --engine dlx,naive -o").arg(&race).ends_with(0);
    assert!(quadrille("stats").arg(&race).fails(2).contains("has results of bench: use 'report' for them"));
    for (words, said) in [
        ("stats data/random-1000.txt", "not a statistics file"),
        ("report data/random-1000.txt", "not a statistics file"),
        ("combine data/random-1000.txt", "expected the name of a cube"),
        ("solve data", "it is a directory, not a file"),
    ] {
        let error = quadrille(words).fails(1);
        assert!(error.contains(said), "{words}: {error}");
    }
}
