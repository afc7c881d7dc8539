//! Wrong answers of contenders are detected, and reports name the contenders that raced and those that did
//! not.

use super::race::{Contender, Heat, run};
use super::report::Spread;
use super::verdict::{Estimate, Verdict};
use super::*;
use quadrille_engine::{Client, Control, Engine, Event, Flow};
use quadrille_formats::input::Source;
use quadrille_generate::Random;
use quadrille_model::{Counters, EndedBy, ErrorKind, Outcome, Result, Solution};

impl Default for BenchOptions {
    /// Returns options that ask every engine for the uniqueness of every record.
    ///
    /// The options allow five rounds and ten seconds per contender.
    fn default() -> Self {
        BenchOptions {
            input: InputOptions::default(),
            goal: Goal::First(2),
            engines: Vec::new(),
            isas: Vec::new(),
            programs: Vec::new(),
            protocol: None,
            program_limit: Duration::from_secs(10),
            per_file: false,
            rounds: Rounds::Fixed(5),
            seed: 1,
            every: 1,
            min_records: 0,
            processor_time: false,
            time: Some(Duration::from_secs(10)),
            baseline: None,
        }
    }
}

const POJ: &str = "103000509002109400000704000300502006060000050700803004000401000009205800804000107";
const SMALL: &str = "1234341221434321";

fn source(text: &str) -> Source {
    Source::Bytes { name: "test".to_owned(), bytes: text.into() }
}

fn corpus(text: &str, options: &BenchOptions) -> Result<Corpus> {
    Corpus::read(vec![source(text)], options)
}

/// An engine that misbehaves on purpose, depending on the number of the run.
struct Actor<F>(F, u32);

/// The behaviour of an actor in every job.
#[derive(Clone)]
struct Act {
    found: u64,
    ended_by: EndedBy,
    solution: Option<Vec<u8>>,
}

const NOTHING: Act = Act { found: 0, ended_by: EndedBy::Complete, solution: None };

impl<F: Fn(u32) -> Act + Send> Engine for Actor<F> {
    fn run(&mut self, client: &mut dyn Client, _control: &Control) {
        let act = (self.0)(self.1);
        self.1 += 1;
        while let Some(jobs) = client.next(1) {
            let ticket = jobs.first().ticket;
            if let Some(digits) = &act.solution {
                let solution = Solution::Digits(digits);
                assert_eq!(client.report(Event::Solution { ticket, solution }), Flow::Stop);
            }
            let counters = Some(Counters { nodes: 3, guesses: 1, ..Counters::default() });
            let outcome = Outcome { found: act.found.into(), ended_by: act.ended_by, counters, best: None };
            client.report(Event::End { ticket, outcome });
        }
    }
}

fn actor(kind: EngineKind, act: impl Fn(u32) -> Act + Send + 'static) -> Contender {
    Contender::new(kind, None, Box::new(Actor(act, 0)))
}

fn race_of(contenders: Vec<Contender>, options: &BenchOptions) -> Result<Report> {
    let corpus = corpus(&format!("{POJ}\n").repeat(20), options)?;
    let heat = Heat::of(&corpus.sections[0], contenders);
    run(&corpus, vec![heat], options, &mut |_| ())
}

fn message(result: Result<Report>) -> String {
    let error = result.expect_err("the race fails");
    assert!(matches!(error.kind(), ErrorKind::Internal(_)), "{error}");
    error.to_string()
}

#[test]
fn engines_that_count_differently_end_the_race() {
    let two = |_| Act { found: 2, ..NOTHING };
    let contenders = vec![actor(EngineKind::Dlx, |_| NOTHING), actor(EngineKind::Bitmask, two)];
    let said = message(race_of(contenders, &BenchOptions::default()));
    assert!(said.contains("dlx and bitmask disagree on test:"), "{said}");
    assert!(said.contains(": 0 and 2 solutions"), "{said}");
}

#[test]
fn a_wrong_solution_ends_the_race() {
    let wrong = |_| Act { found: 1, solution: Some(vec![0; 81]), ..NOTHING };
    let said = message(race_of(vec![actor(EngineKind::Dlx, wrong)], &BenchOptions::default()));
    assert!(
        said.contains("dlx returned a wrong solution of test:") && said.contains("row 1 column"),
        "{said}"
    );
}

#[test]
fn an_engine_that_is_not_deterministic_ends_the_race() {
    let moody = |run| Act { found: u64::from(run > 0), ..NOTHING };
    let said = message(race_of(vec![actor(EngineKind::Dlx, moody)], &BenchOptions::default()));
    assert!(said.contains("dlx counted differently in a later round"), "{said}");
}

#[test]
fn without_time_engines_solve_a_sample() {
    let options = BenchOptions { time: Some(Duration::from_nanos(1)), ..BenchOptions::default() };
    let early = |_| Act { ended_by: EndedBy::Deadline, ..NOTHING };
    let contenders = vec![actor(EngineKind::Dlx, |_| NOTHING), actor(EngineKind::Naive, early)];
    let report = race_of(contenders, &options).unwrap();
    let [class] = report.classes.as_slice() else { panic!("{report:?}") };
    assert_eq!((class.records, class.rows.len()), (20, 1));
    let row = &class.rows[0];
    assert_eq!((row.records, row.rounds_us_each.len()), (1, 1), "at least one record and one round");
    assert_eq!(
        (row.work_each["guesses_each"].as_f64(), row.work_each["nodes_each"].as_f64(), row.without_guess),
        (Some(1.0), Some(3.0), Some(0.0))
    );
    assert_eq!(crate::bench::absences(&class.absent), "naive (finished no record in time (--time))");
    let cut = "dlx: a sample of 1 record, because its time was up (--time).";
    assert!(report.notes().iter().any(|note| note == cut), "{:?}", report.notes());
}

#[test]
fn classes_have_their_own_tables_and_name_absent_engines() {
    let input = InputOptions { any_side: true, ..InputOptions::default() };
    let options =
        BenchOptions { input, rounds: Rounds::Fixed(1), min_records: 10, ..BenchOptions::default() };
    let corpus = corpus(&format!("{POJ}\n{SMALL}\nbad\n{POJ}\n11..............\n"), &options).unwrap();
    let facts = &corpus.facts;
    assert_eq!((facts.readable, facts.unreadable, facts.contradictory), (4, 1, 1));
    assert_eq!((facts.taken, facts.repeats), (12, 4));
    assert!(facts.first_unreadable.as_ref().unwrap().starts_with("test:3: 3 characters"));
    let mut steps = Vec::new();
    let report = race(&corpus, &options, &mut |step| steps.push(step)).unwrap();
    assert!(steps.windows(2).all(|pair| pair[0].done + 1 == pair[1].done && pair[1].done < pair[1].of));
    assert_eq!(steps.len(), steps[0].of);
    let classes: Vec<_> = report.classes.iter().map(|class| (class.class.as_str(), class.records)).collect();
    assert_eq!(classes, [("9x9 grids", 8), ("4x4 grids", 4)]);
    let [nine, four] = report.classes.as_slice() else { unreachable!("there are two") };
    for row in &nine.rows {
        assert_eq!((row.records, row.solutions.as_deref()), (8, Some("8")), "{}", row.name());
        assert!(row.with_parsing_us_each > row.us_each.median);
    }
    let lanes = |row: &&Row| row.engine == "lanes";
    assert_eq!(nine.rows.iter().filter(lanes).count(), Isa::available().count());
    assert_eq!(four.rows.iter().filter(lanes).count(), 0);
    assert!(
        four.absent.iter().any(|absent| absent.name == "lanes" && absent.reason == "cannot solve 4x4 grids")
    );
    let slowest = nine.rows.iter().map(|row| row.us_each.median).fold(0.0, f64::max);
    for row in &nine.rows {
        assert!((row.ratio - slowest / row.us_each.median).abs() < 1e-9);
    }
}

#[test]
fn order_and_hash_depend_on_records_and_seed() {
    let options = BenchOptions::default();
    let lines: Vec<String> = (1..=9).map(|digit| format!("{digit}{}", ".".repeat(80))).collect();
    let forwards = corpus(&lines.join("\n"), &options).unwrap();
    let order =
        |corpus: &Corpus| corpus.sections[0].places.iter().map(|place| place.line).collect::<Vec<_>>();
    assert_eq!(order(&forwards), order(&corpus(&lines.join("\n"), &options).unwrap()));
    let other_seed = BenchOptions { seed: 2, ..options.clone() };
    assert_ne!(order(&forwards), order(&corpus(&lines.join("\n"), &other_seed).unwrap()));
    let backwards: Vec<String> = lines.iter().rev().cloned().collect();
    assert_eq!(forwards.facts.hash, corpus(&backwards.join("\n"), &options).unwrap().facts.hash);
    let every = BenchOptions { every: 2, ..options.clone() };
    let fewer = corpus(&lines.join("\n"), &every).unwrap();
    assert_eq!((fewer.facts.taken, fewer.facts.readable), (5, 9));
    assert_ne!(forwards.facts.hash, fewer.facts.hash);
}

#[test]
fn reports_survive_their_json_and_are_compared_row_by_row() {
    let options = BenchOptions {
        rounds: Rounds::Fixed(2),
        engines: vec![EngineKind::Dlx, EngineKind::Bitmask],
        ..BenchOptions::default()
    };
    let corpus = corpus(POJ, &options).unwrap();
    let old = race(&corpus, &options, &mut |_| ()).unwrap();
    let mut old = Report::from_json("old.json", &old.to_json()).unwrap();
    let mut new = old.clone();
    let spread = |us: f64| Spread { median: us, min: 0.9 * us, max: 1.1 * us };
    old.classes[0].rows[0].us_each = spread(3.0);
    new.classes[0].rows[0].us_each = spread(1.5);
    old.classes[0].rows[1].us_each = spread(1.0);
    new.classes[0].rows[1].us_each = spread(1.1);
    new.compare("old.json", &old).unwrap();
    let compared = new.comparison.as_ref().unwrap();
    let seen: Vec<_> = compared.rows.iter().map(|row| (row.engine.as_str(), row.ratio, row.clear)).collect();
    assert_eq!(seen, [("dlx", 2.0, false), ("bitmask", 1.0 / 1.1, false)]);
    assert!(
        compared.rows.iter().all(|row| row.verdict.starts_with("cannot tell")),
        "two rounds, {compared:?}"
    );
    let busy = Report { processor_share: Some(0.5), ..old.clone() };
    for rounds in [&mut old, &mut new].map(|report| &mut report.classes[0].rows[0].rounds_us_each) {
        *rounds = vec![1.0; 5];
    }
    old.processor_share = Some(1.0);
    new.processor_share = Some(1.0);
    new.compare("old.json", &old).unwrap();
    assert_eq!(new.comparison.as_ref().unwrap().rows[0].verdict, "same within 0.0 %");
    new.compare("old.json", &busy).unwrap();
    let verdict = &new.comparison.as_ref().unwrap().rows[0].verdict;
    assert_eq!(verdict, "cannot tell (other programs took 50.0 %)");

    old.classes[0].rows.remove(1);
    new.compare("old.json", &old).unwrap();
    let alone = "not in the old results: 9x9 grids: bitmask";
    assert!(new.notes().iter().any(|note| note == alone), "{:?}", new.notes());
    old.asked.limit = Some(3);
    let error = new.compare("old.json", &old).unwrap_err().to_string();
    assert!(
        error.contains("another query: solve up to 3, wall time there, solve up to 2, wall time here"),
        "{error}"
    );
    old.corpus.hash = "0123456789".to_owned();
    let error = old
        .require_comparable("old.json", &corpus.facts, &BenchQuery::new(&options))
        .unwrap_err()
        .to_string();
    assert!(error.contains("another corpus: 1 records of hash 01234567... there"), "{error}");
}

#[test]
fn other_files_than_reports_are_refused() {
    for (text, said) in [
        ("", "EOF"),
        ("{\"schema\": 1}", "its \"kind\" is not"),
        ("{\"kind\": \"quadrille bench\", \"schema\": 99}", "schema 99, but this program reads schema 1"),
        ("{\"kind\": \"quadrille bench\", \"schema\": 1}", "missing field"),
    ] {
        let error = Report::from_json("old.json", text).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Usage(_)));
        let error = error.to_string();
        assert!(error.starts_with("old.json: not results of bench: ") && error.contains(said), "{error}");
    }
}

#[test]
fn nothing_to_measure_is_a_usage_error() {
    for (text, said) in [
        ("", "nothing to measure in test: no records"),
        ("bad\n", "no record can be read (test:1: 3 characters"),
        ("11..............\n", "clues contradict each other in all 1 records"),
    ] {
        let error = corpus(text, &BenchOptions::default()).err().expect("it is refused").to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn spreads_are_robust() {
    let spread = Spread::of(&[3.0, 1.0, 100.0]).unwrap();
    assert_eq!((spread.median, spread.min, spread.max), (3.0, 1.0, 100.0));
    assert_eq!(Spread::of(&[1.0, 2.0]).unwrap().median, 1.5);
    assert_eq!(Spread::of(&[]), None);
}

/// Returns the times of a program and of one that takes `factor` of its time, in the same rounds. Load comes and goes, and
/// other programs take a part of some runs.
fn paired_rounds(random: &mut Random, rounds: usize, factor: f64, load: f64) -> [Vec<f64>; 2] {
    let mut uniform = || f64::from(random.below(1 << 20)) / f64::from(1 << 20);
    let mut level = 0.0;
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        for (times, factor) in times.iter_mut().zip([1.0, factor]) {
            level = 0.7 * level + load * uniform();
            // The sum of four uniform numbers is nearly normal: a standard deviation of 1 %.
            let noise: f64 = (0..4).map(|_| uniform() - 0.5).sum::<f64>() * 0.017;
            let burst = if uniform() < 0.05 + load / 5.0 { 0.5 * uniform() } else { 0.0 };
            times.push(factor * (noise + level + burst).exp());
        }
    }
    times
}

#[test]
fn verdicts_hold_for_all_rows_together_and_find_5_percent() {
    let mut random = Random::new(7, 0, 0);
    for rounds in [5, 7, 15] {
        let mut judged = |factor, load| {
            let [one, other] = paired_rounds(&mut random, rounds, factor, load);
            Estimate::paired(&one, &other).expect("there are enough rounds").verdict(33)
        };
        let false_alarms = (0..1000).filter(|_| judged(1.0, 0.3).is_clear()).count();
        assert!(false_alarms <= 10, "{rounds} rounds: {false_alarms} of 1000 differ from themselves");
        if rounds == 15 {
            let slower = |_: &i32| matches!(judged(1.05, 0.0), Verdict::Slower(..));
            let found = (0..1000).filter(slower).count();
            assert!(found >= 800, "{found} of 1000 found to be 5 % slower");
        }
    }
}

#[test]
fn verdicts_say_no_more_than_the_rounds_show() {
    let said = |own: &[f64], compared| {
        let base = [1.0, 1.01, 0.99, 1.0, 1.02];
        Estimate::said(Estimate::paired(&base[..own.len()], own).map(|estimate| estimate.verdict(compared)))
    };
    assert_eq!(said(&[1.0, 1.0], 1), "cannot tell (needs at least 3 rounds)");
    assert_eq!(said(&[1.0, 1.01, 0.99, 1.0, 1.02], 9), "same within 0.0 %");
    assert_eq!(said(&[1.0, 1.0, 1.0, 1.0, 1.0], 1), "same within 1.9 %");
    assert_eq!(said(&[2.0, 2.01, 1.99, 2.0, 2.01], 1), "slower by 97.6 to 101.3 %");
    assert_eq!(said(&[1.1, 1.1, 1.1, 1.1, 1.1], 1), "slower by 8.0 to 11.1 %");
    assert_eq!(said(&[0.1, 0.1, 0.1, 0.1, 0.1], 1), "9.9 to 10.2 times as fast");
    assert_eq!(said(&[1.1, 0.9, 1.1, 0.9, 1.1], 1), "cannot tell (needs about 39 rounds)");
    assert_eq!(said(&[9.0, 0.1, 9.0, 0.1, 9.0], 1), "cannot tell (needs about 155 rounds)");
    assert_eq!(said(&[9.0, 0.1, 9.0, 0.1, 0.95], 1), "cannot tell (needs more than 1,000 rounds)");
    // The machine may have changed between two reports.
    let old = [1.0, 1.01, 0.99, 1.0, 1.02];
    let new = old.map(|time| 1.1 * time);
    let unpaired = |drift| Estimate::unpaired(&old, &new, drift).expect("there are rounds").verdict(1);
    assert!(matches!(unpaired(0.0), Verdict::Slower(..)));
    assert_eq!(unpaired(0.1), Verdict::Open(None));
}
