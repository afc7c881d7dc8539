//! Statistics as a whole: merging, files, the summary.

use proptest::prelude::*;

use super::*;
use quadrille_model::{Counter, Counters, HouseKind, Loss, Packed9x9};

/// Randomly generated parts of an [`AnsweredRecord`].
#[derive(Debug, Clone)]
struct Drawn {
    index: u64,
    answer: Answer,
    digits: Option<Vec<u8>>,
    clues: u32,
    engine: usize,
    time_ns: Option<u64>,
}

const ENGINES: [(&str, &str); 3] = [("", ""), ("dlx", "named"), ("bitmask", "fastest for grids")];

fn record(statistics: &mut Statistics, drawn: &Drawn) {
    let cells: [u16; 81] =
        std::array::from_fn(|cell| if cell < drawn.clues as usize { 1 << (cell % 9) } else { 0x1ff });
    let packed = Packed9x9::from_cells(&cells);
    let (engine, chosen) = ENGINES[drawn.engine];
    statistics.record(&AnsweredRecord {
        index: drawn.index,
        source: "a.txt",
        line: drawn.index + 2,
        problem: (drawn.answer.status != Status::Invalid).then_some(ProblemRef::Packed(&packed)),
        answer: &drawn.answer,
        solution: drawn.digits.as_deref().map(Solution::Digits),
        result: None,
        audited: None,
        grid: None,
        engine,
        chosen,
        time_ns: drawn.time_ns,
    });
    if drawn.answer.status != Status::Invalid {
        statistics.map_clues(ProblemRef::Packed(&packed), None);
    }
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let counters = proptest::option::of((0..100u64, 0..5u64).prop_map(|(nodes, guesses)| Counters {
        nodes,
        guesses,
        ..Counters::default()
    }));
    let reason = (0..4u8).prop_map(|kind| match kind {
        0 => Some(Box::new(Reason::from("words"))),
        1 => {
            let clash = Clash::LetterTwiceInHouse { letter: 'x', kind: HouseKind::Row, index: 0 };
            Some(Box::new(Reason::from(clash)))
        }
        _ => None,
    });
    let answer = (
        0..Status::ALL.len(),
        0..EndedBy::ALL.len(),
        proptest::option::of((any::<u64>(), 0..64u32).prop_map(|(count, shift)| Count::from(count >> shift))),
        counters,
        reason,
    )
        .prop_map(|(status, ended_by, count, counters, reason)| Answer {
            status: Status::ALL[status],
            ended_by: EndedBy::ALL[ended_by],
            count,
            best: None,
            counters,
            reason,
            _more: (),
        });
    (
        answer,
        proptest::option::of(proptest::collection::vec(0..9u8, 81)),
        0..82u32,
        0..ENGINES.len(),
        proptest::option::of(0..1_000_000_000u64),
    )
        .prop_map(|(answer, digits, clues, engine, time_ns)| Drawn {
            index: 0,
            answer,
            digits,
            clues,
            engine,
            time_ns,
        })
}

fn corpus() -> impl Strategy<Value = Vec<Drawn>> {
    proptest::collection::vec(drawn(), 0..80).prop_map(|mut list| {
        (1..).zip(&mut list).for_each(|(index, drawn)| drawn.index = index);
        list
    })
}

fn of<'a>(list: impl IntoIterator<Item = &'a Drawn>) -> Statistics {
    let mut statistics = Statistics::new(5);
    for drawn in list {
        record(&mut statistics, drawn);
        statistics.totals.records_in += 1;
        statistics.totals.bytes_in += 82;
    }
    statistics
}

/// Generates searches: the number of solutions, true if there are no others, nodes, guesses, clues.
fn found() -> impl Strategy<Value = Vec<(u32, bool, u32, u32, u8)>> {
    proptest::collection::vec((0..3000u32, any::<bool>(), 0..200u32, 0..100u32, 0..82u8), 0..60)
}

proptest! {
    #[test]
    fn records_added_in_bulk_count_as_one_by_one(list in found(), are_counted: bool) {
        let grid: [u8; 81] = std::array::from_fn(|cell| (cell % 9) as u8);
        let mut one_by_one = of(&[]);
        let clues: Vec<u8> = list.iter().map(|found| found.4).collect();
        // Zero, one and several solutions in turn. Only some of these searches can be complete.
        let list: Vec<SearchResult> = list
            .iter()
            .map(|&(solutions, is_complete, nodes, guesses, _)| {
                let solutions = if are_counted { solutions } else { solutions % 3 };
                let is_complete = solutions == 0 || is_complete && (are_counted || solutions == 1);
                SearchResult { solutions, is_complete, nodes, guesses }
            })
            .collect();
        let (engine, chosen) = ENGINES[1];
        let origin = RecordRange { index: 7, source: "a.txt", line: 9, engine, chosen };
        let mut refuted = of(&[]);
        for ((number, found), &of_it) in (0..).zip(&list).zip(&clues) {
            let mut drawn = solved(7 + number, 0);
            drawn.answer.ended_by = if found.is_complete { EndedBy::Complete } else { EndedBy::Limit };
            let (nodes, guesses) = (found.nodes.into(), found.guesses.into());
            drawn.answer.counters = Some(Counters { nodes, guesses, ..Counters::default() });
            drawn.answer.count = Some(u64::from(found.solutions).into());
            drawn.clues = of_it.into();
            drawn.answer.status = match found.solutions {
                _ if are_counted => Status::Counted,
                0 => Status::None,
                1 if found.is_complete => Status::Unique,
                1 => Status::Solved,
                _ => Status::Multiple,
            };
            drawn.digits = Some(grid.to_vec()).filter(|_| !are_counted && found.solutions > 0);
            record(&mut one_by_one, &drawn);
            if found.solutions == 0 {
                refuted.record_refuted(&origin, number, &drawn.answer);
            }
        }
        let mut at_once = of(&[]);
        let mut counts = [0; 82];
        clues.iter().for_each(|&of_it| counts[usize::from(of_it)] += 1);
        at_once.record_clues(&counts);
        let lines: Vec<[u8; 81]> = clues
            .iter()
            .map(|&clues| std::array::from_fn(|cell| if cell < clues.into() { b'1' + (cell % 9) as u8 } else { b'.' }))
            .collect();
        at_once.map_clues_of_lines(lines.iter(), ("", &[]));
        let entries = (0..).zip(list.iter().copied()).filter(|(_, found)| found.solutions > 0);
        let statuses = if are_counted { [Status::Counted; 3] } else { [Status::Solved, Status::Multiple, Status::Unique] };
        let line = grid.map(|digit| b'1' + digit);
        let terms = if are_counted {
            let term = |(number, found): (u64, SearchResult)| term_of_count(7 + number, found.solutions.into());
            entries.clone().map(term).fold(0, u128::wrapping_add)
        } else {
            terms_of_lines(7, entries.clone().map(|(number, found)| (number, statuses[found.kind()], &line)))
        };
        at_once.record_found((&origin, &[]), statuses, entries, terms);
        at_once.merge(&refuted);
        prop_assert_eq!(at_once.to_json(), one_by_one.to_json());
    }

    #[test]
    fn merging_parts_in_any_order_gives_the_whole(list in corpus(), parts in 1..5usize) {
        let whole = of(&list).to_json();
        let part = |number| of(list.iter().skip(number).step_by(parts));
        let mut forth = part(0);
        (1..parts).for_each(|number| forth.merge(&part(number)));
        prop_assert_eq!(&forth.to_json(), &whole);
        let mut back = part(parts - 1);
        (0..parts - 1).rev().for_each(|number| back.merge(&part(number)));
        prop_assert_eq!(&back.to_json(), &whole);
    }

    #[test]
    fn files_are_read_back_as_written(list in corpus()) {
        let mut statistics = of(&list);
        statistics.set_run("0.1.0", vec!["solve".to_owned(), "--unique".to_owned()]);
        statistics.clock.wall_ns = 12_345_678;
        statistics.clock.phases.solving_ns = 10_000_000;
        statistics.clock.threads = vec![ThreadTime { busy_ns: 5, wall_ns: 10 }];
        let text = statistics.to_json();
        let read = Statistics::from_json("a.json", &text).unwrap();
        prop_assert_eq!(read.to_json(), text);
        prop_assert!(read.is_balanced());
        let mut summary = String::new();
        read.write_summary(&mut summary).unwrap();
        prop_assert!(summary.lines().all(|line| line.trim_end() == line && !line.is_empty()));
    }
}

fn solved(index: u64, guesses: u64) -> Drawn {
    let answer = Answer {
        status: Status::Unique,
        ended_by: EndedBy::Complete,
        count: Some(1.into()),
        best: None,
        counters: Some(Counters { nodes: 2 * guesses + 1, guesses, ..Counters::default() }),
        reason: None,
        _more: (),
    };
    Drawn { index, answer, digits: Some(vec![0; 81]), clues: 17, engine: 1, time_ns: None }
}

fn ended(index: u64, ended_by: EndedBy) -> Drawn {
    let mut drawn = solved(index, 1000);
    drawn.answer.status = Status::Unknown;
    drawn.answer.ended_by = ended_by;
    drawn.answer.count = Some(Count::ZERO);
    drawn.digits = None;
    drawn
}

#[test]
fn the_checksum_shows_loss_and_doubling_but_not_order() {
    let [a, b, early] = [solved(1, 0), solved(2, 3), ended(3, EndedBy::Time)];
    let sum = of([&a, &b]).checksum.0;
    assert_eq!(of([&b, &a]).checksum.0, sum);
    assert_eq!(of([&b, &early, &a]).checksum.0, sum, "only complete answers count");
    assert_ne!(of([&a]).checksum.0, sum);
    assert_ne!(of([&a, &b, &b]).checksum.0, sum);
    let mut more_work = b.clone();
    more_work.answer.counters = None;
    assert_eq!(of([&a, &more_work]).checksum.0, sum, "how it was found does not count");
}

#[test]
fn the_first_records_that_hit_a_limit_are_named() {
    let list: Vec<Drawn> = (1..=30).map(|index| ended(31 - index, EndedBy::Nodes)).collect();
    let statistics = of(&list);
    assert_eq!(statistics.first_ended_by(EndedBy::Nodes), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    assert_eq!(statistics.ended_by(EndedBy::Nodes), 30);
    assert!(statistics.first_ended_by(EndedBy::Time).is_empty());
}

#[test]
fn counters_can_be_read() {
    let mut split = solved(3, 0);
    split.answer.counters = None;
    let mut invalid = solved(4, 0);
    (invalid.answer.status, invalid.answer.count, invalid.answer.counters) = (Status::Invalid, None, None);
    invalid.engine = 0;
    invalid.digits = None;
    let statistics = of(&[solved(1, 0), solved(2, 7), split, invalid]);
    assert_eq!((statistics.answered(), statistics.rejected()), (3, 1));
    assert_eq!((statistics.status(Status::Unique), statistics.ended_by(EndedBy::Complete)), (3, 3));
    assert_eq!(statistics.clues().collect::<Vec<_>>(), [(17, 3)]);
    assert_eq!(
        (
            statistics.work(Counter::Guesses).total(),
            statistics.work(Counter::Guesses).max(),
            statistics.split()
        ),
        (2, Some(7), 1)
    );
    assert_eq!(statistics.share_without_guess(), Some(1.0 / 3.0));
    let hardest: Vec<u64> = statistics.hardest().iter().map(|hard| hard.index).collect();
    assert_eq!(hardest, [3, 2, 1]);
    assert_eq!(statistics.solutions(), &Count::from(3));
    assert_eq!((statistics.engines.len(), statistics.engines[0].records), (1, 3));
}

#[test]
fn a_letter_that_clashes_everywhere_is_likely_a_blank() {
    let mut clash = solved(1, 0);
    (clash.answer.status, clash.answer.count, clash.digits) = (Status::None, None, None);
    let letter = Clash::LetterTwiceInHouse { letter: 'x', kind: HouseKind::Row, index: 0 };
    clash.answer.reason = Some(Box::new(letter.into()));
    assert_eq!(of([&clash, &clash, &solved(3, 0)]).likely_blank(), Some('x'));
    assert_eq!(of([&clash, &solved(3, 0)]).likely_blank(), None);
}

#[test]
fn merged_runs_keep_their_options_apart() {
    let run = |options: &[&str]| {
        let mut statistics = Statistics::default();
        statistics.set_run("0.1.0", options.iter().map(|word| (*word).to_owned()).collect());
        statistics
    };
    let mut sum = run(&["solve"]);
    sum.merge(&run(&["count"]));
    sum.merge(&run(&["solve"]));
    let runs: Vec<_> = sum.runs.iter().map(|run| (run.options[0].as_str(), run.runs)).collect();
    assert_eq!(runs, [("count", 1), ("solve", 2)]);
}

#[test]
fn the_summary_is_short_and_complete() {
    let mut list: Vec<Drawn> =
        (1..=1200).map(|index| solved(index, if index % 4 == 0 { 3 } else { 0 })).collect();
    list.push(ended(1201, EndedBy::Nodes));
    list[5].time_ns = Some(1_500);
    let mut statistics = of(&list);
    statistics.clock.wall_ns = 250_000_000;
    statistics.clock.phases = Phases { parsing_ns: 1, solving_ns: 3, ..Phases::default() };
    statistics.clock.threads = vec![ThreadTime { busy_ns: 9, wall_ns: 10 }; 2];
    let mut summary = String::new();
    statistics.write_summary(&mut summary).unwrap();
    let expected = format!(
        "\
records   1,201 in 250 ms: 4,800 a second, 0.4 MB/s, 2 threads 90.0 % busy
answers   unique 1,200, unknown 1
ended by  complete 1,200, nodes 1 (record 1201)
clues     17
guesses   p50 0, p90 3, p99 3, max 1,000; solved without a guess 75.0 %
nodes     p50 1, p90 7, p99 7, max 2,001
time      p50 1.50 us, p90 1.50 us, p99 1.50 us, max 1.50 us
engine    dlx 1,201 (named)
phases    parsing 25.0 %, solving 75.0 %
hardest   record 1201 (a.txt:1203): 1,000 guesses, 2,001 nodes
hardest   record 4 (a.txt:6): 3 guesses, 7 nodes
hardest   record 8 (a.txt:10): 3 guesses, 7 nodes
checksum  {:032x}
",
        statistics.checksum.0
    );
    assert_eq!(summary, expected);
    statistics.totals.records_in += 1;
    statistics.clock = Clock::default();
    let mut summary = String::new();
    statistics.write_summary(&mut summary).unwrap();
    assert!(summary.starts_with("records   1,202\n"), "{summary}");
    assert!(summary.ends_with("WARNING   1,202 records read, but 1,201 accounted for\n"), "{summary}");
}

#[test]
fn files_hold_clock_dependent_parts_in_one_section() {
    let list = [solved(1, 0), ended(2, EndedBy::Nodes)];
    let [mut fast, mut slow] = [of(&list), of(&list)];
    (fast.clock.wall_ns, slow.clock.wall_ns) = (1, 2);
    slow.clock.per_record.record(5);
    let parse = |statistics: &Statistics| {
        let mut value: serde_json::Value = serde_json::from_str(&statistics.to_json()).unwrap();
        assert!(value.as_object_mut().unwrap().remove("clock").is_some());
        value
    };
    let value = parse(&fast);
    assert_eq!(value, parse(&slow));
    assert_eq!(value["schema"], 1);
    assert_eq!(value["ended_by"]["nodes"]["first"], serde_json::json!([2]));
    assert_eq!(value["records"]["solutions"], "1");
    assert_eq!(value["checksum"], format!("{:032x}", fast.checksum.0));
}

#[test]
fn runs_that_stopped_are_added_up_and_read_back() {
    let mut statistics = Statistics::default();
    Stop::ALL.iter().for_each(|stop| *statistics.stops.entry(stop.word()).or_default() += 1);
    statistics.merge(&statistics.clone());
    let text = statistics.to_json();
    let read = Statistics::from_json("a.json", &text).unwrap();
    assert_eq!(read.stops, statistics.stops);
    let stops: Vec<(&str, u64)> = read.stops.iter().map(|(word, runs)| (*word, *runs)).collect();
    assert_eq!(stops, [("cancel", 2), ("closed", 2), ("deadline", 2), ("error", 2)]);
    let other = text.replacen("\"closed\"", "\"tired\"", 1);
    let error = Statistics::from_json("a.json", &other).unwrap_err().to_string();
    assert!(error.contains("unknown end of a run: tired"), "{error}");
}

/// Returns the fields of a struct as text, by name.
fn fields(of: &impl std::fmt::Debug) -> BTreeMap<String, String> {
    let text = format!("{of:#?}");
    let mut fields = BTreeMap::new();
    let mut name = "";
    for line in text.lines().filter(|line| line.starts_with("    ")) {
        if let Some((begun, _)) =
            line[4..].split_once(": ").filter(|(begun, _)| !begun.contains([' ', '}', ']']))
        {
            name = begun;
        }
        fields.entry(name.to_owned()).or_insert_with(String::new).push_str(line);
    }
    fields
}

/// Returns statistics in which no field has its default.
fn filled() -> Statistics {
    let mut clash = solved(2, 0);
    (clash.answer.status, clash.answer.count, clash.digits) = (Status::None, None, None);
    let letter = Clash::LetterTwiceInHouse { letter: 'x', kind: HouseKind::Row, index: 0 };
    clash.answer.reason = Some(Box::new(letter.into()));
    let mut split = solved(3, 0);
    split.answer.counters = None;
    let mut invalid = solved(4, 0);
    (invalid.answer.status, invalid.answer.count) = (Status::Invalid, None);
    let mut timed = solved(5, 0);
    timed.time_ns = Some(7);
    let mut part = of([&solved(1, 3), &clash, &split, &invalid, &timed, &ended(6, EndedBy::Nodes)]);
    (part.totals.rows_out, part.totals.bytes_out) = (5, 400);
    part.totals.lines = LineCounts { records: 7, comments: 2, rulers: 1, ..LineCounts::default() };
    part.set_run("0.1.0", vec!["solve".to_owned()]);
    part.solution_automorphisms.insert(2, 1);
    part.bands.insert(3, 1);
    part.class_sizes.insert(4, 1);
    part.audited.entry("dlx".into()).or_default().records = 1;
    part.record_ratings("guesses", &[quadrille_rating::AnyRating::Guesses(5)]);
    part.losses.insert(Loss::ALL[0].word(), 1);
    part.record_unplaced("a.csv", "id");
    part.stops.insert(Stop::ALL[0].word(), 1);
    part.record_sample(Population::new(16, (4, 6)).unwrap(), 5, 2);
    let mut clock =
        Clock { wall_ns: 1, cpu_ns: 2, started: Some(3), peak_memory: Some(4), ..Clock::default() };
    clock.phases.solving_ns = 5;
    clock.threads.push(ThreadTime { busy_ns: 6, wall_ns: 7 });
    clock.timeline.add(0, 8, 9, clock.phases);
    clock.machines.insert("a machine".to_owned(), 1);
    part.clock.merge_from(&clock);
    let mut whole = Statistics::default();
    whole.merge_part(&part, "a.csv", 10);
    whole
}

#[test]
fn merging_and_files_keep_every_field() {
    let merged = |part: &Statistics| {
        let mut whole = Statistics::default();
        whole.merge(part);
        whole
    };
    let full = merged(&filled());
    for (full, empty) in [
        (fields(&full), fields(&Statistics::default())),
        (fields(&full.totals), fields(&Totals::default())),
        (fields(&full.clock), fields(&Clock::default())),
    ] {
        assert!(full.len() > 5);
        let is_merged = |value: &str| !value.contains("Derived(") && !value.contains(": Schema");
        for (name, value) in full.iter().filter(|(_, value)| is_merged(value)) {
            assert_ne!(value, &empty[name], "`{name}`: give it a value in `filled`, and merge it");
        }
    }
    let read = Statistics::from_json("a.json", &full.to_json()).unwrap();
    for other in [&read, &full] {
        for (name, value) in fields(&merged(other)) {
            assert_eq!(value, fields(&full)[&name], "{name}");
        }
    }
}

#[test]
fn broken_files_are_refused_with_line_and_column() {
    let text = of(&[solved(1, 3)]).to_json();
    let refused = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        Statistics::from_json("a.json", &text.replacen(from, to, 1)).unwrap_err().to_string()
    };
    assert!(refused("\"schema\": 1", "\"schema\": 2").contains("schema 2"));
    assert!(refused("\"unique\"", "\"uniqe\"").contains("uniqe"));
    assert!(refused("\"sum\": \"3\"", "\"sum\": \"300\"").contains("guesses"));
    assert!(refused("\"in\": 1", "\"in\": 18446744073709551615").contains("too large"));
    assert!(refused("\"17\"", "\"4000000000\"").contains("4000000000 clues"));
    let message = refused("\"status\"", "status");
    let (line, byte) =
        (text[..text.find("\"status\"").unwrap()].lines().count(), text.find("\"status\"").unwrap());
    assert!(message.starts_with(&format!("a.json:{line} (byte {byte}): not a statistics file")), "{message}");
    assert!(Statistics::from_json("-", "").is_err());
}
