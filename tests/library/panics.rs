//! Panics in a caller's code: the run ends with an error that names the panic, or the panic propagates.
//!
//! One of the two happens for every part that may panic, and at any call. No thread is left waiting.

use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use quadrille::Result;
use quadrille::batch::compare::{FilterTail, KeyMark, RowFilter};
use quadrille::batch::{BatchOptions, Comparison, OnError, Outputs, Progress, Query, run};
use quadrille::engine::{Control, Flow};
use quadrille::generate::{self, Kind, Options, Request};
use quadrille::input::Source;

/// A puzzle with one solution, one with contradictory clues, and text that is not a puzzle.
const LINES: &str = "\
    103000509002109400000704000300502006060000050700803004000401000009205800804000107\n\
    113000509002109400000704000300502006060000050700803004000401000009205800804000107\n\
    nothing\n";

/// Number of times that the lines are repeated.
const REPEATS: usize = 600;

const PANIC: &str = "this was asked for";

/// Maximum duration of a run before it counts as stuck.
const STUCK: Duration = Duration::from_secs(240);

/// The parts of a run that may panic, each at a given 0-based call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Read,
    Rows,
    Flush,
    Rejects,
    Notice,
    Filter,
    FilterEnd,
    Traces,
}

/// A part that panics after `calls_left` calls.
struct Panics {
    part: Part,
    calls_left: usize,
}

impl Panics {
    fn call(&mut self, part: Part) {
        if part == self.part {
            assert!(self.calls_left > 0, "{PANIC}");
            self.calls_left -= 1;
        }
    }
}

struct Input {
    panics: Panics,
    lines: io::Cursor<Vec<u8>>,
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.panics.call(Part::Read);
        let most = buffer.len().min(4000);
        self.lines.read(&mut buffer[..most])
    }
}

struct Output {
    panics: Panics,
    writes: Part,
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.panics.call(self.writes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.panics.call(Part::Flush);
        Ok(())
    }
}

struct Filter(Panics);

impl RowFilter for Filter {
    fn take(&mut self, _: &KeyMark, rows: &[u8], out: &mut Vec<u8>) -> Result<u64> {
        self.0.call(Part::Filter);
        out.extend_from_slice(rows);
        Ok(1)
    }

    fn finish(&mut self, _: &Arc<Control>, _: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> Result<FilterTail> {
        self.0.call(Part::FilterEnd);
        Ok(FilterTail { rows: 0, is_cut: false })
    }
}

/// Runs on `threads` threads and returns the error of the run, or the message of its panic.
fn ends(part: Part, calls_left: usize, threads: usize, ordered: bool) -> Option<String> {
    let panics = || Panics { part, calls_left };
    let with_filter = matches!(part, Part::Filter | Part::FilterEnd);
    let mut options =
        BatchOptions::new(if with_filter { Query::Compare(Comparison::Text) } else { Query::Solve });
    (options.threads, options.chunk_bytes, options.window_bytes) = (threads, 1000, 1000);
    options.ordered = ordered;
    options.outcomes = part == Part::Traces;
    options.on_error = if part == Part::Rejects { OnError::Skip } else { OnError::Row };
    let mut filter = Filter(panics());
    let output = |writes| Box::new(Output { panics: panics(), writes });
    let mut notices = panics();
    let outputs = Outputs {
        rejects: (part == Part::Rejects).then(|| output(Part::Rejects) as _),
        notice: Box::new(move |_| notices.call(Part::Notice)),
        filter: with_filter.then_some(&mut filter as _),
        outcomes: (part == Part::Traces).then(|| output(Part::Traces) as _),
        ..Outputs::new(output(Part::Rows))
    };
    // The contest format has notices for records without a line.
    if part == Part::Notice {
        options.output.format = quadrille::output::OutputFormat::Contest;
    }
    let lines = io::Cursor::new(LINES.repeat(REPEATS).into_bytes());
    let stream = Box::new(Input { panics: panics(), lines });
    let source = Source::Stream { name: "lines".to_owned(), stream };
    let report = run(vec![source], &options, outputs, &Arc::new(Control::new()), &Progress::default());
    report.expect("the options fit").error.map(|error| error.to_string())
}

/// Calls a function on a new thread and returns its result, or the message of its panic. Panics if it hangs.
fn watched<T: Send + 'static>(
    what: &str,
    run: impl FnOnce() -> T + Send + 'static,
) -> std::result::Result<T, String> {
    let (send, receive) = channel();
    // Not a scoped thread: the scope would wait for a run that hangs.
    std::thread::spawn(move || {
        let ended = catch_unwind(AssertUnwindSafe(run));
        let message = |panic: Box<dyn std::any::Any + Send>| {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
        };
        let _ = send.send(ended.map_err(message));
    });
    receive.recv_timeout(STUCK).unwrap_or_else(|_| panic!("{what}: the run hangs"))
}

#[test]
fn a_panic_of_a_stream_or_a_filter_ends_the_run() {
    use Part::{Filter, FilterEnd, Flush, Notice, Read, Rejects, Rows, Traces};
    for (part, calls) in [
        (Read, &[0, 1, 7, 20][..]),
        (Rows, &[0, 1, 30]),
        (Flush, &[0, 1]),
        (Rejects, &[0, 1, 30]),
        (Notice, &[0, 1, 500]),
        (Filter, &[0, 1, 500]),
        (FilterEnd, &[0]),
        (Traces, &[0, 1, 30]),
    ] {
        for &calls in calls {
            for threads in [1, 2, 4] {
                for ordered in [true, false] {
                    // Compared and traced records are always in order, and so is the contest format.
                    if !ordered && !matches!(part, Read | Rows | Flush | Rejects) {
                        continue;
                    }
                    let what = format!("{part:?} {calls}, {threads} threads, ordered: {ordered}");
                    let ended = watched(&what, move || ends(part, calls, threads, ordered));
                    let message = ended.unwrap_or_else(Some);
                    assert!(message.as_ref().is_some_and(|text| text.contains(PANIC)), "{what}: {message:?}");
                }
            }
        }
    }
}

#[test]
fn a_panic_of_the_sink_of_generated_records_reaches_the_caller() {
    for threads in [1, 2, 4] {
        for calls in [0, 1, 20] {
            let what = format!("{calls} records, {threads} threads");
            let ended = watched(&what, move || {
                let mut panics = Panics { part: Part::Rows, calls_left: calls };
                let options = Options { threads, ..Options::default() };
                let request = Request::new(Kind::Minimal, 1);
                generate::run(&request, 0..1000, options, &Arc::new(Control::new()), &mut |_| {
                    panics.call(Part::Rows);
                    Flow::Continue
                })
            });
            let message = ended.expect_err("it panics");
            assert!(message.contains(PANIC), "{what}: {message}");
        }
    }
}
