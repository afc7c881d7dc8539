//! The progress line on standard error.
//!
//! On a terminal, `indicatif` draws the line. Otherwise, a new line is printed from time to time.
//!
//! The line consists of several pieces of information, the most useful first. Pieces that do not fit are left
//! out. The order is: the share done, the number of records, records per second, the time left, the record
//! that has been searched longest, the memory in use, the bytes written, and the records saved.

mod terminal;

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, LazyLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::args::When;
use super::messages::say;
use super::screen::columns_of;
use quadrille_batch::Progress;
use quadrille_batch::stats::{number_of, resident_bytes, rounded, three_digits};
use quadrille_rating::Tenths;
pub(super) use terminal::{above, wipe_at_end};

/// Time between two drawings of the line on a terminal.
const EVERY: Duration = Duration::from_millis(200);
/// Time before the line is first drawn on a terminal. Shorter runs draw nothing.
const FIRST: Duration = Duration::from_millis(300);
/// First interval between two progress lines if there is no terminal. The interval grows to [`RAREST_LINE`],
/// so that a long run does not fill a log file.
const EVERY_LINE: Duration = Duration::from_secs(1);
const RAREST_LINE: Duration = Duration::from_secs(60);
/// Time after which a record counts as slow, so that the progress line names it.
///
/// If no record is answered for this time, the displayed rate begins to fall. If the gap between the last two
/// answers was longer than this time, the rate begins to fall only after such a gap.
const SLOW: Duration = Duration::from_secs(2);
/// Minimum growth, within [`SLOW`], of the share of one record's search that is done. The share is from 0 to
/// 1. If it grows less, the search is divided again into smaller parts, so that its progress can be measured.
const STEP: f64 = 0.01;
/// Minimum share of the search of one record, from 0 to 1, that must be done before the time left is
/// estimated.
const KNOWN: f64 = 0.01;
/// Minimum width of a terminal, in columns, to draw a bar and to show all details of the slowest record.
const BAR_FROM: usize = 128;
/// Number of columns that the bar occupies, including its brackets and the gap after it.
const BAR_COLUMNS: usize = 28;

/// The progress bar of the process. Rows and messages are printed above the bar with
/// [`ProgressBar::suspend`].
static BAR: LazyLock<ProgressBar> = LazyLock::new(ProgressBar::hidden);

/// The thread that draws the progress. Dropping it ends the drawing and clears the line.
pub(super) struct Display {
    /// Stops the thread.
    stop: Sender<()>,
    thread: Option<JoinHandle<()>>,
}

/// Returns true if progress is shown. `prints` is true if the command writes its results to standard output.
///
/// Progress is not shown if standard output is a pipe. The program that reads the pipe, such as `head` or
/// `less`, may print on the same terminal, and nothing would clear the progress line first.
pub(super) fn is_shown(when: When, quiet: bool, prints: bool) -> bool {
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto => !quiet && std::io::stderr().is_terminal() && !(prints && terminal::is_stdout_piped()),
    }
}

/// Shows that `done` of `total` parts of a benchmark are done and that the part called `next` comes next.
/// Draws immediately and starts no thread, because a thread could disturb a measurement.
pub(super) fn show_part(done: usize, total: usize, next: &str) {
    if BAR.is_hidden() && terminal::can_draw() {
        begin("[{bar:24}] {percent:>3}%  {wide_msg}");
    }
    BAR.update(|bar| {
        bar.set_len(total as u64);
        bar.set_pos(done as u64);
    });
    BAR.set_message(next.to_owned());
}

/// Wipes the line.
pub(super) fn clear() {
    BAR.finish_and_clear();
}

/// Begins to draw the bar.
fn begin(template: &str) {
    let style = ProgressStyle::with_template(template).expect("the templates of this module are valid");
    BAR.set_style(style.progress_chars("#-"));
    BAR.set_draw_target(terminal::target());
}

impl Display {
    /// Starts drawing the progress of a run over records.
    pub(super) fn start(progress: &Arc<Progress>) -> Self {
        let progress = Arc::clone(progress);
        let mut slow = Slow::default();
        Display::draw(move || look(&progress, &mut slow))
    }

    /// Starts drawing how many of `total` generated things exist so far. `noun` is the name of one thing,
    /// such as "record".
    pub(super) fn count(noun: &'static str, things: &Arc<AtomicU64>, total: u64) -> Self {
        let things = Arc::clone(things);
        Display::draw(move || {
            let made = things.load(Ordering::Relaxed);
            RunState { done: made, total: Some(total), records: made, noun, ..RunState::default() }
        })
    }

    /// Starts a thread that repeatedly calls `look` and draws the state that `look` returns.
    fn draw(mut look: impl FnMut() -> RunState + Send + 'static) -> Self {
        let (stop, stopped) = channel();
        let draw = move || {
            let is_terminal = std::io::stderr().is_terminal();
            if is_terminal && !terminal::can_draw() {
                return;
            }
            BAR.set_draw_target(ProgressDrawTarget::hidden());
            BAR.reset();
            let mut pace = Pace::new();
            let mut pause = if is_terminal { FIRST } else { Duration::ZERO };
            let mut next_pause = if is_terminal { EVERY } else { EVERY_LINE };
            while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                let mut state = look();
                pace.note(&mut state);
                state.memory = resident_bytes();
                if let Some(columns) = columns_of(std::io::stderr()) {
                    let has_bar = columns >= BAR_FROM && state.total > Some(0);
                    if BAR.is_hidden() {
                        begin(if has_bar { "[{bar:24}]  {msg}" } else { "{msg}" });
                    }
                    // The last column stays free, because some terminals move to the next line after writing
                    // it.
                    let room = columns.saturating_sub(1 + if has_bar { BAR_COLUMNS } else { 0 });
                    BAR.set_message(line(&state, room, columns >= BAR_FROM));
                } else {
                    say!("quadrille: {}", parts(&state, true).join(", "));
                }
                pause = next_pause;
                if !is_terminal {
                    next_pause = (next_pause * 5 / 4).min(RAREST_LINE);
                }
            }
            BAR.finish_and_clear();
        };
        // If the thread cannot be started, the run continues without showing progress.
        let thread = std::thread::Builder::new().name("quadrille-progress".to_owned()).spawn(draw).ok();
        Display { stop, thread }
    }

    /// Prints a line above the progress.
    pub(super) fn print(text: &str) {
        BAR.suspend(|| say!("{text}"));
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        // If the thread has ended, there is nothing to stop. If it panicked, there is nothing to clear.
        let _ = self.stop.send(());
        self.thread.take().map(JoinHandle::join);
    }
}

/// State of a run at one moment, as the progress line shows it.
#[derive(Debug, Clone, Default)]
struct RunState {
    /// Amount that is done: a number of input bytes, or a number of generated things.
    done: u64,
    total: Option<u64>,
    /// Word that follows the amount done, such as ` done`.
    what: &'static str,
    records: u64,
    /// Number of records that an earlier run answered. `records` includes them.
    earlier: u64,
    /// Name of the things that `records` counts.
    noun: &'static str,
    /// Records per second.
    rate: f64,
    left: Option<Duration>,
    /// True if rows of answered records are not written yet.
    is_writing: bool,
    /// Size of the rows written so far, in bytes before compression.
    written: u64,
    /// Number of records that a checkpoint covers.
    saved: u64,
    slowest: Option<Slowest>,
    memory: Option<u64>,
}

/// The record whose current search has lasted longest.
#[derive(Debug, Clone)]
struct Slowest {
    record: u64,
    time: Duration,
    /// Number of threads that search this record, or `None` if its search is not split into parts.
    threads: Option<usize>,
    /// Share of the search that is done, from 0 to 1, or `None` if the search is not split into parts.
    done: Option<f64>,
    /// Minimum rating of the solving step that the rater looks for now, or `None` if the record is not rated.
    step: Option<Tenths>,
}

impl Slowest {
    /// Returns the estimated time until the search ends, or `None` if too little of the search is done.
    fn left(&self) -> Option<Duration> {
        let done = self.done.filter(|done| *done >= KNOWN)?;
        Duration::try_from_secs_f64(self.time.as_secs_f64() * (1.0 - done).max(0.0) / done).ok()
    }
}

/// The speed of a run. `indicatif` estimates it from the positions of two bars: the visible bar, and a hidden
/// bar that counts records.
struct Pace {
    records: ProgressBar,
    /// Number of records skipped so far because an earlier run answered them.
    earlier: u64,
    /// Moment of the last answer.
    answered: Instant,
    /// Time between the last two answers.
    gap: Duration,
    /// Records per second, as estimated at the last answer.
    rate: f64,
    /// Time left until the end of the run, as estimated at the last answer. Zero if unknown.
    left: Duration,
}

impl Pace {
    fn new() -> Self {
        let (records, answered) = (ProgressBar::hidden(), Instant::now());
        Pace { records, earlier: 0, answered, gap: Duration::ZERO, rate: 0.0, left: Duration::ZERO }
    }

    /// Moves both bars to the positions in `state`. Stores the rate and the time left in `state`.
    fn note(&mut self, state: &mut RunState) {
        let is_answer = state.records != self.records.position() || state.done != BAR.position();
        self.records.update(|bar| bar.set_pos(state.records));
        BAR.update(|bar| {
            bar.set_pos(state.done);
            bar.set_len(state.total.unwrap_or(0));
        });
        let now = Instant::now();
        if std::mem::replace(&mut self.earlier, state.earlier) != state.earlier {
            // The time spent on skipping the records that an earlier run answered does not count.
            self.records.reset_eta();
            BAR.reset_eta();
            self.answered = now;
        } else if is_answer {
            (self.gap, self.answered) = (now - self.answered, now);
            // `indicatif` lowers its estimates if time passes without a step. So the estimates are read right
            // after a step.
            (self.rate, self.left) = (self.records.per_sec(), BAR.eta());
        }
        let late = (now - self.answered).as_secs_f64() / self.gap.max(SLOW).as_secs_f64();
        state.rate = self.rate / late.max(1.0);
        let left = Duration::try_from_secs_f64(self.left.as_secs_f64() * late.max(1.0)).ok();
        state.left = left.filter(|left| !left.is_zero());
    }
}

/// The record that has been searched longest, and its measured progress.
#[derive(Default)]
struct Slow {
    record: u64,
    /// Share of the search, from 0 to 1, that was done at the moment `since`.
    done: f64,
    since: Option<Instant>,
}

impl Slow {
    /// Returns the share of a record's search that is done. If the share has hardly grown within [`SLOW`],
    /// asks the search to divide its parts again.
    fn done(&mut self, progress: &Progress, record: u64) -> Option<f64> {
        let now = Instant::now();
        if self.record != record {
            *self = Slow { record, done: 0.0, since: Some(now) };
        }
        let is_stuck = self.since.is_some_and(|since| now - since >= SLOW);
        let done = progress.done_of(record, is_stuck)?;
        if is_stuck || done >= self.done + STEP {
            (self.done, self.since) = (done, Some(now));
        }
        Some(done)
    }
}

fn look(progress: &Progress, slow: &mut Slow) -> RunState {
    let (read, total) = progress.bytes();
    let earlier = progress.earlier();
    let (before, own) = progress.bytes_done();
    let slowest = progress.slowest().filter(|(_, time)| *time >= SLOW).map(|(record, time)| Slowest {
        record,
        time,
        threads: progress.threads_on(record),
        done: slow.done(progress, record),
        step: progress.step_of(record),
    });
    // If the total is unknown, the line can only show how much was read.
    let (done, what) = if total.is_some() { (before + own, " done") } else { (read, " read") };
    RunState {
        done,
        total,
        what,
        records: earlier + progress.answered(),
        earlier,
        noun: "record",
        is_writing: progress.is_writing(),
        written: progress.rows_bytes(),
        saved: progress.saved(),
        slowest,
        ..RunState::default()
    }
}

/// Returns the pieces of information for the progress line, the most useful first. `is_long` adds all details
/// of the slowest record.
fn parts(state: &RunState, is_long: bool) -> Vec<String> {
    let mut parts = Vec::new();
    match state.total {
        Some(total) if state.done < total => {
            // Rounds down, so that 100 appears only at the end.
            let percent = state.done as f64 / total as f64 * 100.0;
            parts.push(format!("{}%{}", percent as u64, state.what));
        }
        Some(_) if state.is_writing => parts.push("all answered, writing".to_owned()),
        Some(_) => parts.push(format!("all{}", state.what)),
        None => parts.push(format!("{}{}", bytes(state.done), state.what)),
    }
    parts.push(number_of(state.records, state.noun));
    // A lower rate would be displayed as 0.0.
    if state.rate >= 0.05 {
        parts.push(format!("{}/s", rounded(state.rate)));
    }
    if let Some(left) = state.left {
        parts.push(format!("{} left", time(left)));
    }
    if let Some(slowest) = &state.slowest {
        parts.push(searched(slowest, is_long));
    }
    if let Some(memory) = state.memory {
        parts.push(format!("{} memory", bytes(memory)));
    }
    if state.written > 0 {
        parts.push(format!("{} written", bytes(state.written)));
    }
    if state.saved > 0 {
        parts.push(format!("{} saved", number_of(state.saved, state.noun)));
    }
    parts
}

/// Returns the text in the progress line about the record whose search has lasted longest.
fn searched(slowest: &Slowest, is_long: bool) -> String {
    let mut text = format!("record {} for {}", slowest.record, time(slowest.time));
    if is_long {
        match slowest.threads {
            None => {}
            Some(1) => text.push_str(" on 1 thread"),
            Some(threads) => text += &format!(" on {threads} threads"),
        }
    }
    if let Some(least) = slowest.step {
        return text + &format!(" (a step of {least} or more)");
    }
    let Some(done) = slowest.done else { return text };
    let share = match 100.0 * done {
        ..0.1 => "less than 0.1%".to_owned(),
        percent => format!("about {percent:.1}%"),
    };
    let left = slowest.left().map_or_else(String::new, |left| format!(", {} left", time(left)));
    text += &if is_long { format!(", {share} of its search{left}") } else { format!(" ({share}{left})") };
    text
}

/// Returns a progress line that is at most `columns` columns wide.
fn line(state: &RunState, columns: usize, is_long: bool) -> String {
    let mut line = String::new();
    for part in parts(state, is_long) {
        let length = line.chars().count();
        let gap = if length == 0 { 0 } else { 2 };
        if length + gap + part.chars().count() <= columns {
            line += &format!("{}{part}", " ".repeat(gap));
        }
    }
    line
}

/// Returns a time in a few characters.
fn time(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
        _ => format!("{} days", seconds / 86_400),
    }
}

fn bytes(bytes: u64) -> String {
    match bytes as f64 {
        ..1e9 => format!("{} MB", three_digits(bytes as f64 / 1e6)),
        _ => format!("{} GB", three_digits(bytes as f64 / 1e9)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> RunState {
        RunState {
            done: 450,
            total: Some(1000),
            what: " done",
            records: 123_456_789,
            earlier: 0,
            noun: "record",
            rate: 3_210_000.0,
            left: Some(Duration::from_secs(200)),
            slowest: Some(Slowest {
                record: 12_345_678,
                time: Duration::from_secs(75),
                threads: Some(16),
                done: Some(0.0312),
                step: None,
            }),
            memory: Some(234_000_000),
            ..RunState::default()
        }
    }

    #[test]
    fn a_line_fits_its_terminal() {
        assert_eq!(line(&state(), 59, false), "45% done  123,456,789 records  3,210,000/s  3 min left");
        assert_eq!(
            line(&state(), 199, true),
            "45% done  123,456,789 records  3,210,000/s  3 min left  record 12345678 for 75 s on 16 threads, about \
             3.1% of its search, 38 min left  234 MB memory"
        );
        for columns in 0..250 {
            let line = line(&state(), columns, true);
            assert!(line.chars().count() <= columns, "{columns}: {line}");
        }
        let easy = RunState { slowest: None, ..state() };
        assert!(line(&easy, 79, false).ends_with("3 min left  234 MB memory"), "{}", line(&easy, 79, false));
    }

    #[test]
    fn unknown_figures_are_left_out() {
        let state =
            RunState { total: None, done: 5_000_000, what: " read", left: None, slowest: None, ..state() };
        assert_eq!(line(&state, 79, false), "5.00 MB read  123,456,789 records  3,210,000/s  234 MB memory");
        let state = RunState { total: Some(1000), done: 1000, what: " done", ..state };
        assert!(line(&state, 59, false).starts_with("all done  "));
        assert_eq!(
            parts(&RunState { total: Some(0), what: " done", ..RunState::default() }, true)[0],
            "all done"
        );
        let state = RunState { total: Some(82), what: " done", noun: "record", ..RunState::default() };
        assert_eq!(line(&state, 79, false), "0% done  0 records");
    }

    #[test]
    fn a_line_says_what_is_written_and_saved() {
        let state =
            RunState { done: 1000, left: None, slowest: None, written: 5_000_000, saved: 77, ..state() };
        let shown = line(&RunState { is_writing: true, ..state.clone() }, 199, true);
        assert_eq!(
            shown,
            "all answered, writing  123,456,789 records  3,210,000/s  234 MB memory  5.00 MB written  77 records saved"
        );
        assert!(line(&state, 199, true).starts_with("all done  "));
    }

    #[test]
    fn a_single_record_that_takes_long_has_its_own_time_left() {
        let time = Duration::from_secs(75);
        let slowest = |done| Slowest { record: 1, time, threads: Some(2), done, step: None };
        let alone = |done| RunState {
            total: Some(82),
            what: " done",
            noun: "record",
            slowest: Some(slowest(done)),
            ..RunState::default()
        };
        for (done, shown) in [
            (Some(0.031), "0% done  0 records  record 1 for 75 s (about 3.1%, 39 min left)"),
            (Some(0.5), "0% done  0 records  record 1 for 75 s (about 50.0%, 75 s left)"),
            (Some(1.0), "0% done  0 records  record 1 for 75 s (about 100.0%, 0 s left)"),
            (Some(0.005), "0% done  0 records  record 1 for 75 s (about 0.5%)"),
            (Some(0.0), "0% done  0 records  record 1 for 75 s (less than 0.1%)"),
            (None, "0% done  0 records  record 1 for 75 s"),
        ] {
            assert_eq!(line(&alone(done), 79, false), shown);
        }
        let rated = Slowest { step: Some(Tenths(110)), ..slowest(None) };
        let state = RunState { slowest: Some(rated), ..alone(None) };
        assert_eq!(line(&state, 79, false), "0% done  0 records  record 1 for 75 s (a step of 11.0 or more)");
    }
}
