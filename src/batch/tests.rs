//! Runs whose input and output watch them.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::{Ask, BatchOptions, Outputs, Progress, run};
use crate::engine::Control;
use crate::input::Source;
use crate::model::Status;
use crate::stats::Clock;

const EASY: &str = "103000509002109400000704000300502006060000050700803004000401000009205800804000107\n";

/// Easy records before a nearly empty 25x25, and as many behind it as anybody reads.
struct Records {
    begin: io::Cursor<Vec<u8>>,
    more: String,
    given: Arc<AtomicUsize>,
}

impl Read for Records {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut bytes = self.begin.read(buffer)?;
        if bytes == 0 {
            bytes = self.more.as_bytes().read(buffer)?;
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
}

impl Write for Rows {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Waits for what will be so, however busy the machine is.
fn wait_for(is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(300), "it never comes");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Runs until so much of the input is read, and some more; what was read and written by then.
fn watched(until: usize) -> (usize, String) {
    let begin = EASY.repeat(5) + "1" + &".".repeat(624) + "\n";
    let given = Arc::new(AtomicUsize::new(0));
    let records = Records {
        begin: io::Cursor::new(begin.into_bytes()),
        more: EASY.repeat(100),
        given: Arc::clone(&given),
    };
    let mut options = BatchOptions::new(Ask::Count { limit: None });
    (options.threads, options.chunk_bytes, options.window_bytes) = (2, 1000, 2000);
    options.limits.nodes = None;
    let rows = Rows::default();
    let outputs =
        Outputs { rows: Box::new(rows.clone()), rejects: None, notice: Box::new(|_| ()), checkpoint: None };
    let source = Source::Stream { name: "records".into(), stream: Box::new(records) };
    let control = Arc::new(Control::new());
    std::thread::scope(|scope| {
        let run = scope.spawn(|| run(vec![source], &options, outputs, &control, &Progress::default()));
        wait_for(|| given.load(Ordering::Relaxed) >= until);
        // Whoever does not stop here goes on meanwhile.
        std::thread::sleep(Duration::from_millis(200));
        let seen = (given.load(Ordering::Relaxed), rows.text());
        control.cancel();
        assert!(run.join().unwrap().unwrap().error.is_none());
        seen
    })
}

#[test]
fn one_record_without_end_holds_no_more_than_the_window() {
    // Behind the record, whose own line is within the first two kilobytes.
    let (read, written) = watched(2_000);
    assert!("1\n".repeat(5).starts_with(&written), "nothing passes the record: {written}");
    // What waits, what is open, what is queued and what is read ahead, in round numbers.
    assert!(read < 4 << 20, "{read} bytes are read while one record is searched");
}

/// Rows of a corpus in memory, and the statistics without what depends on the clock.
fn answered(input: &str, options: &BatchOptions) -> (String, String) {
    let rows = Rows::default();
    let outputs =
        Outputs { rows: Box::new(rows.clone()), rejects: None, notice: Box::new(|_| ()), checkpoint: None };
    let source = Source::Bytes { name: "records".into(), bytes: input.as_bytes().to_vec() };
    let control = Arc::new(Control::new());
    let mut report = run(vec![source], options, outputs, &control, &Progress::default()).unwrap();
    assert!(report.error.is_none(), "{:?}", report.error);
    report.statistics.clock = Clock::default();
    (rows.text(), report.statistics.to_json())
}

#[test]
fn columns_say_what_slots_say() {
    let blank = format!("{}\n", ".".repeat(81));
    let clash = EASY.replacen("103", "113", 1);
    let none = EASY.replacen("103", "153", 1);
    let several = EASY.replacen("103000509002109400", "000000000000000000", 1);
    let corpora = [
        EASY.repeat(300),
        EASY.repeat(50) + &blank + &EASY.repeat(50),
        EASY.repeat(70) + &clash + &EASY.repeat(30) + &clash,
        none + &EASY.repeat(100),
        several.repeat(3) + &EASY.repeat(100) + several.trim_end(),
        EASY.repeat(40) + "# a comment\n" + &EASY.repeat(40) + "too short\n" + EASY.trim_end(),
    ];
    for (ask, input) in
        [Ask::Solve, Ask::Unique].into_iter().flat_map(|ask| corpora.iter().map(move |c| (ask, c)))
    {
        for (threads, nodes) in [(1, None), (2, None), (2, Some(1))] {
            let mut options = BatchOptions::new(ask);
            (options.threads, options.chunk_bytes) = (threads, 82 * 30);
            options.limits.nodes = nodes.or(options.limits.nodes);
            let columns = answered(input, &options);
            // All rows are wanted as well, but only slots know that.
            options.only = Status::ALL.to_vec();
            assert_eq!(columns, answered(input, &options), "{ask:?} {threads} {nodes:?}");
        }
    }
}
