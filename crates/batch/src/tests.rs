//! Tests of runs whose input or output checks how far the run is.

use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::{BatchOptions, NodeLimit, Outputs, Progress, Query, WINDOW_BYTES, run};
use quadrille_engine::{Control, EngineKind};
use quadrille_formats::input::{Format, Source};
use quadrille_formats::output::Field;
use quadrille_model::Status;

const EASY: &str = "103000509002109400000704000300502006060000050700803004000401000009205800804000107\n";

/// The only solution of [`EASY`].
const SOLVED: &str = "143628579572139468986754231391542786468917352725863914237481695619275843854396127";

/// Returns a nearly empty 25x25, whose solutions no engine can count.
fn endless() -> String {
    "1".to_owned() + &".".repeat(624) + "\n"
}

/// Easy records, then a nearly empty 25x25, then more easy records for as long as they are read.
struct Records {
    begin: io::Cursor<Vec<u8>>,
    more: String,
    more_given: usize,
    /// Condition that must hold before anything after the first records is read.
    continues: Option<Box<dyn Fn() -> bool + Send>>,
    given: Arc<AtomicUsize>,
}

impl Read for Records {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut bytes = self.begin.read(buffer)?;
        if bytes == 0 {
            if let Some(continues) = self.continues.take() {
                wait_for(continues);
            }
            // A buffer may end anywhere in a line.
            self.more_given %= self.more.len();
            bytes = (&self.more.as_bytes()[self.more_given..]).read(buffer)?;
            self.more_given += bytes;
        }
        self.given.fetch_add(bytes, Ordering::Relaxed);
        Ok(bytes)
    }
}

#[derive(Clone, Default)]
struct Rows(Arc<Mutex<Vec<u8>>>);

impl Rows {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    /// Removes and returns the rows written since the last call.
    fn take(&self) -> String {
        String::from_utf8(std::mem::take(&mut *self.0.lock().unwrap())).unwrap()
    }
}

impl Write for Rows {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Polls until `is_so` returns true; panics after five minutes, since the machine may be busy.
fn wait_for(is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(300), "it never comes");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Cancels the run on drop. Otherwise the run would never end if the test that observes it fails.
struct Ends<'c>(&'c Control);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Observes the rows of a run while it continues, then cancels the run.
fn watched<T>(
    records: Records,
    options: &BatchOptions,
    progress: &Progress,
    watch: impl FnOnce(&Rows) -> T,
) -> T {
    let rows = Rows::default();
    let outputs = Outputs::new(Box::new(rows.clone()));
    let source = Source::Stream { name: "records".into(), stream: Box::new(records) };
    let control = Arc::new(Control::new());
    std::thread::scope(|scope| {
        let run = scope.spawn(|| run(vec![source], options, outputs, &control, progress));
        let ends = Ends(&control);
        let seen = watch(&rows);
        drop(ends);
        assert!(run.join().unwrap().unwrap().error.is_none());
        seen
    })
}

fn counting(threads: usize, chunk_bytes: usize) -> BatchOptions {
    let mut options = BatchOptions::new(Query::Count { limit: None });
    (options.threads, options.chunk_bytes) = (threads, chunk_bytes);
    options.node_limit = NodeLimit::None;
    options.input.any_side = true;
    options
}

#[test]
fn threads_fill_the_window_after_an_endless_record_and_then_help_it() {
    let mut options = BatchOptions { window_bytes: 2000, ..counting(2, 1000) };
    // No rows are written before the input format is known, and a few lines do not decide it.
    options.input.format = Some(Format::Line);
    let progress = Arc::new(Progress::new(options.threads));
    let all_help = {
        let progress = Arc::clone(&progress);
        move || progress.threads_on(6) == Some(2)
    };
    let given = Arc::new(AtomicUsize::new(0));
    let begin = EASY.repeat(5) + &endless();
    let records = Records {
        begin: io::Cursor::new(begin.into_bytes()),
        more: EASY.repeat(100),
        more_given: 0,
        // Once there is no other work, all threads join the record; one of them must return for later
        // records.
        continues: Some(Box::new(all_help.clone())),
        given: Arc::clone(&given),
    };
    let (read, written) = watched(records, &options, &progress, |rows| {
        // The rows `1` of the next thousand records fill the window. Then all threads join the record again.
        wait_for(|| progress.answered() >= 1000 && all_help());
        // Gives time to a reader that wrongly continues.
        std::thread::sleep(Duration::from_millis(200));
        (given.load(Ordering::Relaxed), rows.text())
    });
    assert!("1\n".repeat(5).starts_with(&written), "nothing passes the record: {written}");
    // A generous limit for the input in waiting, open, queued and read-ahead chunks.
    assert!(read < 4 << 20, "{read} bytes are read while one record is searched");
}

#[test]
fn unordered_rows_do_not_wait_for_records() {
    let empty_16x16 = ".".repeat(256) + "\n";
    for (threads, endless_ones, chunk_bytes) in [(1, 1, 1000), (2, 1, 1 << 18), (2, 3, 1000), (1, 4, 1 << 18)]
    {
        let easy = EASY.repeat(200);
        // From record 202 on, every second record is endless.
        let input = easy.clone() + &(EASY.to_owned() + &empty_16x16).repeat(endless_ones) + &easy;
        let records = Records {
            begin: io::Cursor::new(input.into_bytes()),
            more: easy,
            more_given: 0,
            continues: None,
            given: Arc::default(),
        };
        let options = BatchOptions { ordered: false, ..counting(threads, chunk_bytes) };
        let last = 400 + 2 * endless_ones;
        watched(records, &options, &Progress::default(), |rows| {
            let seen = RefCell::new(Vec::new());
            wait_for(|| {
                let mut numbers = seen.borrow_mut();
                for row in rows.take().lines() {
                    let (number, count) = row.split_once('\t').expect("record and count");
                    assert_eq!(count, "1", "record {number}");
                    numbers.push(number.parse::<usize>().expect("a number"));
                }
                numbers.retain(|&number| number <= last);
                numbers.sort_unstable();
                let is_easy =
                    |number: &usize| *number <= 200 || *number > 200 + 2 * endless_ones || number % 2 == 1;
                *numbers == (1..=last).filter(is_easy).collect::<Vec<_>>()
            });
        });
    }
}

#[test]
fn an_error_in_a_chunk_during_a_search_ends_the_run() {
    // The lanes engine supports the first record, which is hard, but not the 16x16 after it.
    //
    // On one thread the error occurs during the search.
    let blank = ".".repeat(81) + "\n";
    let mut options = BatchOptions { ordered: false, ..counting(1, 1000) };
    options.ask = Query::Count { limit: Some(1 << 40) };
    options.preference.engine = Some(EngineKind::Lanes);
    options.input.format = Some(Format::Line);
    let progress = Progress::new(options.threads);
    let is_searched = {
        let progress = progress.clone();
        move || progress.threads_on(1) == Some(1)
    };
    let records = Records {
        begin: io::Cursor::new(blank.into_bytes()),
        more: ".".repeat(256) + "\n",
        more_given: 0,
        continues: Some(Box::new(is_searched)),
        given: Arc::default(),
    };
    let outputs = Outputs::new(Box::new(Rows::default()));
    let source = Source::Stream { name: "records".into(), stream: Box::new(records) };
    let report = run(vec![source], &options, outputs, &Arc::new(Control::new()), &progress).unwrap();
    let error = report.error.expect("a named engine is never replaced").to_string();
    assert!(error.contains("engine lanes cannot count"), "{error}");
}

/// Maximum time of a test before it counts as stuck.
const STUCK: Duration = Duration::from_secs(240);

/// Returns the result of [`answered`], and true if `threads` threads searched record 1 at the same time.
///
/// A moment counts only if the number of answered records was in the range `behind`.
fn answered_and_seen(
    input: &str,
    options: &BatchOptions,
    threads: usize,
    behind: &Range<u64>,
    stuck_at: Instant,
) -> ((String, String), bool) {
    let (to_watcher, from_run) = mpsc::channel();
    let (control, progress) = (Arc::new(Control::new()), Arc::new(Progress::new(options.threads)));
    let (input, options) = (input.to_owned(), options.clone());
    let run = {
        let (control, progress) = (Arc::clone(&control), Arc::clone(&progress));
        move || to_watcher.send(answered_under(&input, &options, &control, &progress))
    };
    // Not in a thread scope, which would wait for a run that hangs.
    let run = std::thread::spawn(run);
    let mut seen = false;
    loop {
        match from_run.recv_timeout(Duration::from_millis(1)) {
            Ok(answers) => return (answers, seen),
            Err(RecvTimeoutError::Disconnected) => std::panic::resume_unwind(run.join().unwrap_err()),
            Err(RecvTimeoutError::Timeout) => {
                seen |= behind.contains(&progress.answered()) && progress.threads_on(1) == Some(threads);
            }
        }
        if Instant::now() > stuck_at {
            control.cancel();
            let (answered, on_it) = (progress.answered(), progress.threads_on(1));
            panic!("the run is stuck: {answered} records are answered, {on_it:?} threads on the first");
        }
    }
}

/// Returns the rows of a corpus in memory, and the statistics without times.
fn answered(input: &str, options: &BatchOptions) -> (String, String) {
    answered_under(input, options, &Arc::new(Control::new()), &Progress::default())
}

/// Returns the result of [`answered`], with rows sorted if they may come in any order.
fn answered_sorted(input: &str, options: &BatchOptions) -> (Vec<String>, String) {
    let (rows, statistics) = answered(input, options);
    let mut rows: Vec<String> = rows.lines().map(str::to_owned).collect();
    if !options.ordered {
        rows.sort_unstable();
    }
    (rows, statistics)
}

fn answered_under(
    input: &str,
    options: &BatchOptions,
    control: &Arc<Control>,
    progress: &Progress,
) -> (String, String) {
    let rows = Rows::default();
    let outputs = Outputs::new(Box::new(rows.clone()));
    let source = Source::Bytes { name: "records".into(), bytes: input.as_bytes().to_vec() };
    let report = run(vec![source], options, outputs, control, progress).unwrap();
    assert!(report.error.is_none(), "{:?}", report.error);
    let mut statistics: serde_json::Value = serde_json::from_str(&report.statistics.to_json()).unwrap();
    statistics["clock"].take();
    (rows.text(), statistics.to_string())
}

/// Returns `rows` rows, each with [`EASY`] between `before` and `after`.
fn table(before: &str, after: &str, rows: usize) -> String {
    format!("{before}{}{after}", EASY.trim_end()).repeat(rows)
}

#[test]
fn all_threads_help_a_record_that_fills_the_window() {
    const RECORDS: usize = 20_000;
    let input = ".".repeat(81) + "\n" + &EASY.repeat(RECORDS);
    // The rows of the thousand records after the first fill the window, and few others are being answered
    // then.
    //
    // Unless the other threads join the first record, only one thread searches it.
    let options = BatchOptions { window_bytes: 2000, ..counting(2, EASY.len() * 10) };
    let behind = 1000..RECORDS as u64 / 2;
    let stuck_at = Instant::now() + STUCK;
    for threads in [2, 4] {
        // The record is made longer until all threads are seen on it, since scheduling varies.
        let mut nodes = 100_000;
        loop {
            let mut options = BatchOptions { threads, ..options.clone() };
            // With a node limit, no counter replaces the search.
            options.node_limit = NodeLimit::Asked(nodes);
            let (many, seen) = answered_and_seen(&input, &options, threads, &behind, stuck_at);
            let one = answered(&input, &BatchOptions { threads: 1, window_bytes: WINDOW_BYTES, ..options });
            assert!(many == one, "{threads} threads, {nodes} nodes");
            let rows: Vec<&str> = many.0.lines().collect();
            assert!(rows[0].ends_with("\tnodes"), "{}", rows[0]);
            assert!(rows.len() == RECORDS + 1 && rows[1..].iter().all(|&row| row == "1"));
            if seen {
                break;
            }
            nodes *= 2;
        }
    }
}

#[test]
fn column_chunks_and_record_chunks_have_the_same_answers() {
    let blank = format!("{}\n", ".".repeat(81));
    let clash = EASY.replacen("103", "113", 1);
    let none = EASY.replacen("103", "153", 1);
    let several = EASY.replacen("103000509002109400", "000000000000000000", 1);
    let given = format!(",{SOLVED}\n");
    let wrong = given.replacen('1', "2", 1);
    let behind = format!("{SOLVED},");
    let corpora = [
        EASY.repeat(300),
        EASY.repeat(50) + &blank + &EASY.repeat(50),
        EASY.repeat(70) + &clash + &EASY.repeat(30) + &clash,
        none + &EASY.repeat(100),
        several.repeat(3) + &EASY.repeat(100) + several.trim_end(),
        EASY.repeat(40) + "# a comment\n" + &EASY.repeat(40) + "too short\n" + EASY.trim_end(),
        // Lines with other text after the puzzle, and tables.
        EASY.repeat(90).replace('\n', " # mine\r\n") + EASY.trim_end() + ",last",
        "id,puzzle\n".to_owned() + &table("7,", "\r\n", 200),
        "puzzle;note;solution\n".to_owned()
            + &table("", ";n;1\n", 150)
            + &table("", "\n", 1)
            + &table("", ";\"n\";\n", 100),
        "puzzle,solution\n".to_owned()
            + &table("", &given, 100)
            + &table("", &wrong, 1)
            + &table("", &given, 100),
        "solution,puzzle\n".to_owned()
            + &table(&behind, "\n", 100)
            + &behind
            + &several
            + &table(&behind, "\n", 50),
        table("1\t", "\t\n", 100) + "\n" + &table("1\t", "\t\n", 100).replacen("103", "x03", 80),
    ];
    let counts = [Some(1), Some(2), Some(3000)].map(|limit| Query::Count { limit });
    let asks = [Query::Solve, Query::Unique, Query::Check { minimal: false }].into_iter().chain(counts);
    for (ask, input) in asks.flat_map(|ask| corpora.iter().map(move |corpus| (ask, corpus))) {
        for (threads, nodes) in [(1, None), (2, None), (2, Some(1))] {
            let mut options = BatchOptions::new(ask);
            (options.threads, options.chunk_bytes) = (threads, 82 * 30);
            options.node_limit = nodes.map_or(NodeLimit::Guard, NodeLimit::Asked);
            options.input.any_side = true;
            let columns = answered(input, &options);
            // This selects all rows too, but only record chunks support it.
            options.only = Status::ALL.to_vec();
            assert_eq!(columns, answered(input, &options), "{ask:?} {threads} {nodes:?}");
        }
    }
}

#[test]
fn answers_to_hard_records_do_not_depend_on_where_threads_pause() {
    let blank = ".".repeat(81) + "\n";
    let some = format!("123456789{}\n", ".".repeat(72));
    let input = EASY.repeat(30)
        + &blank
        + &some
        + EASY
        + &blank
        + &EASY.repeat(300)
        + "bad\n"
        + &some
        + &EASY.repeat(30);
    for (ask, nodes) in [
        (Query::Count { limit: Some(22_000) }, None),
        (Query::Count { limit: None }, Some(30_000)),
        (Query::Several(22_000), None),
    ] {
        let run = |threads, ordered, chunk_bytes| {
            let mut options = BatchOptions { ordered, ..counting(threads, chunk_bytes) };
            // With a node limit, no counter replaces the search.
            (options.ask, options.node_limit) = (ask, nodes.map_or(NodeLimit::None, NodeLimit::Asked));
            answered_sorted(&input, &options)
        };
        for ordered in [true, false] {
            let one = run(1, ordered, 256 << 10);
            for (threads, chunk_bytes) in [(1, 1000), (2, 1 << 18), (4, 1000)] {
                assert!(
                    one == run(threads, ordered, chunk_bytes),
                    "{ask:?} {threads} {ordered} {chunk_bytes}"
                );
            }
        }
    }
}

#[test]
fn rows_do_not_depend_on_the_kind_of_chunk() {
    let blank = ".".repeat(81) + "\n";
    let some = format!("123456789{}\n", ".".repeat(72));
    let twice = format!("11{}\n", ".".repeat(79));
    let refuted = format!("12345678.........9{}\n", ".".repeat(63));
    let all = [EASY, &blank, EASY, &some, &refuted, EASY, &twice, &refuted, &refuted, &blank, &twice];
    let mixed = all.concat().repeat(20);
    // Chunks with one kind of outcome each, chunks with all kinds, and lines that no column chunk can hold.
    let inputs = [
        &mixed,
        &refuted.repeat(50),
        &twice.repeat(50),
        &blank.repeat(50),
        &(mixed.clone() + "bad\n" + &mixed),
    ];
    for (input, ask) in inputs.into_iter().flat_map(|input| {
        [Query::Solve, Query::Unique, Query::Check { minimal: false }, Query::Count { limit: Some(2) }]
            .map(|ask| (input, ask))
    }) {
        let mut options = BatchOptions { ask, ..counting(2, 3000) };
        let plain = answered(input, &options);
        // With a filter, even one that selects all rows, no column chunks are used.
        options.only = Status::ALL.to_vec();
        assert!(plain == answered(input, &options), "{ask:?}");
    }
}

/// Every field of a row that does not depend on the clock.
const FIELDS: [Field; 14] = [
    Field::Index,
    Field::Status,
    Field::Reason,
    Field::EndedBy,
    Field::Solution,
    Field::SolutionIndex,
    Field::Count,
    Field::MinCount,
    Field::Clues,
    Field::Guesses,
    Field::Nodes,
    Field::Covers,
    Field::Updates,
    Field::Engine,
];

#[test]
fn rows_do_not_depend_on_the_budget() {
    let read = |name: &str| {
        std::fs::read_to_string(format!("{}/../../data/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
    };
    let blank = |side: usize| format!("1{}\n", ".".repeat(side * side - 1));
    // The links of a 9x9 fit into a thread's share of memory. Those of a 16x16 do not with eight threads.
    let input = EASY.repeat(20)
        + &read("12x12.txt")
        + &blank(9)
        + &blank(16)
        + &read("16x16.txt")
        + &blank(12)
        + EASY;
    for (ask, nodes) in [
        (Query::Unique, 30_000),
        (Query::Count { limit: Some(25_000) }, 100_000),
        (Query::Several(3000), 30_000),
        (Query::Check { minimal: true }, 2000),
    ] {
        let run = |threads, ordered, memory| {
            let mut options = BatchOptions { ordered, memory, ..counting(threads, 4000) };
            (options.ask, options.node_limit) = (ask, NodeLimit::Asked(nodes));
            options.preference.engine = Some(EngineKind::Dlx);
            options.output.fields = FIELDS.into_iter().filter(|field| field.is_of(ask.verb())).collect();
            options.audit = Some(3);
            let (rows, statistics) = answered_sorted(&input, &options);
            let mut statistics: serde_json::Value = serde_json::from_str(&statistics).unwrap();
            // An audit that needs more memory than its part of the budget does not end, and is not counted.
            statistics.as_object_mut().unwrap().remove("audited");
            (rows, statistics)
        };
        for ordered in [true, false] {
            let one = run(1, ordered, None);
            for (threads, megabytes) in [(1, 8), (1, 64), (3, 24), (8, 64)] {
                let other = run(threads, ordered, Some(megabytes << 20));
                assert!(one == other, "{ask:?} {threads} {ordered} {megabytes}");
            }
        }
    }
}

/// Compares tables that have only a puzzle column with tables that also have an id.
#[cfg(feature = "parquet")]
#[test]
fn tables_are_answered_alike_with_and_without_an_id() {
    use arrow_array::{ArrayRef, RecordBatch, StringArray};
    use arrow_schema::{DataType, Field as ArrowField, Schema};
    use arrow_select::concat::concat_batches;

    use super::in_memory::{TableRecords, run_table};

    let several = format!("{}{}", &SOLVED[..40], ".".repeat(41));
    let clash = format!("11{}", ".".repeat(79));
    let odd = [None, Some("12"), Some(several.as_str()), Some(&clash), Some("x"), Some("1234341221434...")];
    let easy = EASY.trim_end();
    for (every, ask) in
        [(usize::MAX, Query::Solve), (700, Query::Solve), (7000, Query::Unique), (90, Query::Solve)]
    {
        let puzzles: Vec<Option<&str>> = (0..12_000)
            .map(|row| if row % every == every - 1 { odd[row / every % odd.len()] } else { Some(easy) })
            .collect();
        let column: ArrayRef = Arc::new(StringArray::from(puzzles));
        let ids: ArrayRef = Arc::new(StringArray::from(vec!["7"; 12_000]));
        let answered = |with_id: bool, threads: usize, memory: Option<u64>| {
            let mut fields = vec![ArrowField::new("puzzle", DataType::Utf8, true)];
            let mut columns = vec![Arc::clone(&column)];
            if with_id {
                fields.push(ArrowField::new("id", DataType::Utf8, true));
                columns.push(Arc::clone(&ids));
            }
            let schema = Arc::new(Schema::new(fields));
            let whole = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
            let batches = vec![whole.slice(0, 5000), whole.slice(5000, 0), whole.slice(5000, 7000)];
            let records = TableRecords::Batches { schema, batches, keeps_columns: false };
            let options = BatchOptions { threads, memory, ..BatchOptions::new(ask) };
            let control = (&Arc::new(Control::new()), &Progress::new(threads));
            let answers = run_table("table", records, &options, None, control).unwrap();
            let statistics = &answers.report.statistics;
            let counts = Status::ALL.iter().map(|&status| statistics.status(status)).collect::<Vec<_>>();
            let sums =
                (statistics.totals.records_in, statistics.totals.rows_out, statistics.checksum.0, counts);
            (concat_batches(&answers.schema, &answers.batches).unwrap(), sums)
        };
        let expected = answered(true, 1, None);
        assert_eq!(expected.0.num_rows(), 12_000);
        for (threads, memory) in [(1, None), (3, None), (2, Some(16 << 20))] {
            assert!(answered(false, threads, memory) == expected, "{every} {threads}");
        }
    }
}
