//! The progress line on standard error: redrawn in place on a terminal, otherwise printed as a new line from time to time.
//!
//! The most useful parts come first, and parts that do not fit are left out: the share done, records, their rate, the
//! time left, the record that has been searched longest, memory.

mod rows;
mod terminal_line;

use std::collections::VecDeque;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::args::When;
use super::messages::say;
use super::screen::columns_of;
use quadrille_batch::Progress;
use quadrille_batch::stats::{number_of, resident_bytes, rounded, three_digits};
use quadrille_rating::Tenths;
pub(super) use rows::above;
pub(super) use terminal_line::LINE;
use terminal_line::TerminalLine;

/// Time between two drawings of the line on a terminal.
const EVERY: Duration = Duration::from_millis(200);
/// Time before the line is first drawn on a terminal. Shorter runs draw nothing.
const FIRST: Duration = Duration::from_millis(300);
/// First interval between two lines without a terminal. It grows to [`RAREST_LINE`], so that a long run does not fill a
/// log file.
const EVERY_LINE: Duration = Duration::from_secs(1);
const RAREST_LINE: Duration = Duration::from_secs(60);
/// Minimum search time of a record that the line names.
const SLOW: Duration = Duration::from_secs(2);
/// Share of a search, from 0 to 1, that is expected to be done within [`SLOW`]. If less is done, the parts of the
/// search are cut again, so that more of them can be measured.
const STEP: f64 = 0.01;
/// Share of a search, from 0 to 1, that must be done before the time left is estimated.
const KNOWN: f64 = 0.01;
/// Time over which the rate is measured. It is longer if nothing was done in that time.
const WINDOW: Duration = Duration::from_secs(20);
/// Minimum width of a terminal, in columns, to draw a bar.
const BAR_FROM: usize = 100;
const BAR: usize = 24;

/// The drawing thread and its line. Messages are printed above the line.
pub(super) struct Display {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Returns true if progress is shown. `prints` is true if the command writes its results to standard output.
///
/// The reader of a pipe may print on the same terminal, as `head` and `less` do, and nothing would wipe the line before.
pub(super) fn is_shown(when: When, quiet: bool, prints: bool) -> bool {
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto => {
            !quiet && std::io::stderr().is_terminal() && !(prints && terminal_line::is_stdout_piped())
        }
    }
}

/// Shows that `done` of `total` parts are done and `what` is next. The line stays until the next call or until it is
/// wiped.
///
/// For work that no other thread may disturb.
pub(super) fn show_part(done: usize, total: usize, what: &str) {
    let Some(columns) = columns_of(std::io::stderr()).filter(|_| TerminalLine::is_drawn_on()) else { return };
    let percent = (done * 100).checked_div(total).unwrap_or(0);
    let text = format!("{} {percent:>3}%  {what}", bar(done as u64, total as u64));
    LINE.draw(&text.chars().take(columns.saturating_sub(1)).collect::<String>());
}

/// Sleeps for `time`. Returns false as soon as the display is to stop.
fn wait_unless_stopped(time: Duration, stopped: &AtomicBool) -> bool {
    let end = Instant::now() + time;
    while !stopped.load(Ordering::Relaxed) {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return true;
        }
        std::thread::park_timeout(left);
    }
    false
}

impl Display {
    /// Starts drawing the progress of a run over records.
    pub(super) fn start(progress: &Arc<Progress>) -> Self {
        let progress = Arc::clone(progress);
        let (mut slow, mut pace) = (Slow::default(), RunPace::default());
        Display::draw(move || look(&progress, &mut slow, &mut pace))
    }

    /// Starts drawing the number of things made so far, out of `total`; `noun` is their name.
    pub(super) fn count(noun: &'static str, things: &Arc<AtomicU64>, total: u64) -> Self {
        let things = Arc::clone(things);
        let mut pace = Pace::default();
        Display::draw(move || {
            let made = things.load(Ordering::Relaxed);
            pace.note(Instant::now(), Sample { records: made, done: made });
            let state = RunState {
                done: made,
                total: Some(total),
                what: "",
                records: made,
                noun,
                ..RunState::default()
            };
            RunState { rate: pace.rate(), left: pace.left(total.saturating_sub(made)), ..state }
        })
    }

    /// Starts a thread that calls `look` repeatedly and shows the returned state.
    fn draw(mut look: impl FnMut() -> RunState + Send + 'static) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let draw = move || {
            let is_terminal = std::io::stderr().is_terminal();
            if is_terminal && (!TerminalLine::is_drawn_on() || !wait_unless_stopped(FIRST, &stopped)) {
                // Nothing was drawn, so nothing must be cleared.
                return;
            }
            let mut pause = EVERY_LINE;
            while !stopped.load(Ordering::Relaxed) {
                let mut state = look();
                state.memory = resident_bytes();
                if let Some(columns) = columns_of(std::io::stderr()) {
                    // Some terminals move to the next line after the last column is written.
                    LINE.draw(&line(&state, columns.saturating_sub(1)));
                    std::thread::park_timeout(EVERY);
                } else {
                    say!("quadrille: {}", parts(&state, true).join(", "));
                    std::thread::park_timeout(pause);
                    pause = (pause * 5 / 4).min(RAREST_LINE);
                }
            }
            LINE.without(|| ());
        };
        // If the thread cannot be started, only the display is missing.
        let thread = std::thread::Builder::new().name("quadrille-progress".to_owned()).spawn(draw).ok();
        Display { stop, thread }
    }

    /// Prints a line above the progress.
    pub(super) fn print(text: &str) {
        LINE.without(|| say!("{text}"));
    }

    /// Ends the display and clears its line.
    pub(super) fn end(mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // After a panic of the thread nothing can be cleared.
            let _ = thread.join();
        }
    }
}

/// State of a run at one moment.
#[derive(Debug, Clone, Default)]
struct RunState {
    /// Amount done, in bytes read or things made.
    done: u64,
    total: Option<u64>,
    /// Word that follows the amount done, such as ` done`.
    what: &'static str,
    records: u64,
    /// Name of the things that `records` counts.
    noun: &'static str,
    /// Records per second.
    rate: f64,
    left: Option<Duration>,
    slowest: Option<Slowest>,
    memory: Option<u64>,
}

/// The record that has been searched longest by now.
#[derive(Debug, Clone)]
struct Slowest {
    record: u64,
    time: Duration,
    /// Number of threads that search the record, if it is searched in parts.
    threads: Option<usize>,
    /// Share of the search that is done, from 0 to 1, if the record is searched in parts.
    done: Option<f64>,
    /// Minimum rating of the step that is looked for, if the record is rated.
    step: Option<Tenths>,
}

impl Slowest {
    /// Returns the estimated time left of the search, or `None` if too little of it is done.
    fn left(&self) -> Option<Duration> {
        let done = self.done.filter(|done| *done >= KNOWN)?;
        Duration::try_from_secs_f64(self.time.as_secs_f64() * (1.0 - done).max(0.0) / done).ok()
    }
}

/// Amounts done by this run at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sample {
    records: u64,
    /// Amount done, in the unit of the total.
    done: u64,
}

/// Amounts done at recent moments.
#[derive(Debug, Default)]
struct Pace(VecDeque<(Instant, Sample)>);

impl Pace {
    /// Records the amounts done by now.
    fn note(&mut self, now: Instant, amounts: Sample) {
        let moments = &mut self.0;
        let count = moments.len();
        if count > 1 && moments[count - 2].1 == amounts && moments[count - 1].1 == amounts {
            moments[count - 1].0 = now;
        } else {
            moments.push_back((now, amounts));
        }
        // Keeps a first moment with smaller amounts, so that the rate is not zero if nothing was done lately.
        while moments.len() > 2 && now - moments[1].0 > WINDOW && moments[1].1 != amounts {
            moments.pop_front();
        }
    }

    /// Returns the amount done per second between the first and the last moment.
    fn per_second(&self, of: fn(&Sample) -> u64) -> f64 {
        let (Some(first), Some(last)) = (self.0.front(), self.0.back()) else { return 0.0 };
        let seconds = (last.0 - first.0).as_secs_f64();
        if seconds > 0.0 { of(&last.1).saturating_sub(of(&first.1)) as f64 / seconds } else { 0.0 }
    }

    fn rate(&self) -> f64 {
        self.per_second(|moment| moment.records)
    }

    /// Returns the time that the amount `rest` takes at this pace, or `None` if the pace is zero.
    fn left(&self, rest: u64) -> Option<Duration> {
        let pace = self.per_second(|moment| moment.done);
        (pace > 0.0).then(|| Duration::try_from_secs_f64(rest as f64 / pace).ok()).flatten()
    }
}

/// The pace of a run, and the records of an earlier run that it continues.
#[derive(Debug, Default)]
struct RunPace {
    pace: Pace,
    /// Records of an earlier run that were skipped so far.
    earlier: u64,
}

impl RunPace {
    /// Records the amounts that this run has done by now, after `earlier` records of an earlier run. The time to skip
    /// these earlier records does not count.
    fn note(&mut self, now: Instant, earlier: u64, amounts: Sample) {
        if std::mem::replace(&mut self.earlier, earlier) != earlier {
            self.pace = Pace::default();
        }
        self.pace.note(now, amounts);
    }
}

/// The record that has been searched longest, and its measured progress.
#[derive(Default)]
struct Slow {
    record: u64,
    /// Last noted share of the search, from 0 to 1.
    done: f64,
    since: Option<Instant>,
}

impl Slow {
    /// Returns the share of a record's search that is done. Requests that its parts are cut again if the search does
    /// not advance.
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

fn look(progress: &Progress, slow: &mut Slow, pace: &mut RunPace) -> RunState {
    let (read, total) = progress.bytes();
    let (answered, earlier) = (progress.answered(), progress.earlier());
    let (before, own) = progress.bytes_done();
    pace.note(Instant::now(), earlier, Sample { records: answered, done: own });
    let RunPace { pace, .. } = pace;
    let slowest = progress.slowest().filter(|(_, time)| *time >= SLOW).map(|(record, time)| Slowest {
        record,
        time,
        threads: progress.threads_on(record),
        done: slow.done(progress, record),
        step: progress.step_of(record),
    });
    // Without a total only the amount read can be shown.
    let (done, what) = if total.is_some() { (before + own, " done") } else { (read, " read") };
    let left = total
        .and_then(|total| total.checked_sub(done))
        .filter(|rest| *rest > 0)
        .and_then(|rest| pace.left(rest));
    let (records, noun) = (earlier + answered, "record");
    RunState { done, total, what, records, noun, rate: pace.rate(), left, slowest, memory: None }
}

/// Returns the parts of a line, the most useful first. `is_long` adds all details of the slowest record.
fn parts(state: &RunState, is_long: bool) -> Vec<String> {
    let mut parts = Vec::new();
    match state.total {
        Some(total) if state.done < total => {
            // Rounded down, so that 100 is shown only at the end.
            let percent = state.done as f64 / total as f64 * 100.0;
            parts.push(format!("{}%{}", percent as u64, state.what));
        }
        Some(_) => parts.push(format!("all{}", state.what)),
        None => parts.push(format!("{}{}", bytes(state.done), state.what)),
    }
    parts.push(number_of(state.records, state.noun));
    // A smaller rate would be shown as 0.0.
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
    parts
}

/// Returns the part of a line about the record that is searched longest.
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

/// Returns a bar for `done` of `total`.
fn bar(done: u64, total: u64) -> String {
    let full = (done.min(total) as f64 / total.max(1) as f64 * BAR as f64) as usize;
    format!("[{}{}]", "#".repeat(full), "-".repeat(BAR - full))
}

/// Returns a line of at most `columns` columns.
fn line(state: &RunState, columns: usize) -> String {
    let mut line = String::new();
    if let Some(total) = state.total.filter(|total| *total > 0 && columns >= BAR_FROM) {
        line = bar(state.done, total);
    }
    for part in parts(state, columns >= BAR_FROM) {
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
        }
    }

    #[test]
    fn a_line_fits_its_terminal() {
        assert_eq!(line(&state(), 59), "45% done  123,456,789 records  3,210,000/s  3 min left");
        assert_eq!(
            line(&state(), 199),
            "[##########--------------]  45% done  123,456,789 records  3,210,000/s  3 min left  record 12345678 for \
             75 s on 16 threads, about 3.1% of its search, 38 min left  234 MB memory"
        );
        for columns in 0..250 {
            let line = line(&state(), columns);
            assert!(line.chars().count() <= columns, "{columns}: {line}");
        }
        let easy = RunState { slowest: None, ..state() };
        assert!(line(&easy, 79).ends_with("3 min left  234 MB memory"), "{}", line(&easy, 79));
    }

    #[test]
    fn unknown_figures_are_left_out() {
        let state =
            RunState { total: None, done: 5_000_000, what: " read", left: None, slowest: None, ..state() };
        assert_eq!(line(&state, 79), "5.00 MB read  123,456,789 records  3,210,000/s  234 MB memory");
        let state = RunState { total: Some(1000), done: 1000, what: " done", ..state };
        assert!(line(&state, 59).starts_with("all done  "));
        assert_eq!(
            parts(&RunState { total: Some(0), what: " done", ..RunState::default() }, true)[0],
            "all done"
        );
        let state = RunState { total: Some(82), what: " done", noun: "record", ..RunState::default() };
        assert_eq!(line(&state, 79), "0% done  0 records");
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
            assert_eq!(line(&alone(done), 79), shown);
        }
        let rated = Slowest { step: Some(Tenths(110)), ..slowest(None) };
        let state = RunState { slowest: Some(rated), ..alone(None) };
        assert_eq!(line(&state, 79), "0% done  0 records  record 1 for 75 s (a step of 11.0 or more)");
    }

    #[test]
    fn records_of_an_earlier_run_do_not_count_for_the_pace() {
        let (mut run, begin) = (RunPace::default(), Instant::now());
        let at = |second| begin + Duration::from_secs(second);
        // A million records are passed in ten seconds, then ten are answered per second.
        for second in 0..=10 {
            run.note(at(second), second * 100_000, Sample::default());
        }
        assert!(run.pace.rate() == 0.0 && run.pace.left(5).is_none());
        for second in 1..=5 {
            run.note(at(10 + second), 1_000_000, Sample { records: 10 * second, done: 100 * second });
        }
        assert_eq!((run.pace.rate(), run.pace.left(1000)), (10.0, Some(Duration::from_secs(10))));
    }

    #[test]
    fn the_pace_of_slow_records_is_known() {
        let (mut pace, begin) = (Pace::default(), Instant::now());
        // A record every 50 seconds, checked five times per second.
        for look in 0..5000_u32 {
            let done = u64::from(look) / 250;
            pace.note(begin + look * Duration::from_millis(200), Sample { records: done, done: 82 * done });
        }
        assert!((0.01..=0.02).contains(&pace.rate()), "{}", pace.rate());
        assert!(pace.0.len() < 10 && pace.left(82).is_some());
    }

    #[test]
    fn the_pace_is_that_of_the_last_seconds() {
        let (mut pace, begin) = (Pace::default(), Instant::now());
        assert!(pace.rate() == 0.0 && pace.left(5).is_none());
        for second in 0..100 {
            let records = if second < 50 { 1000 * second } else { 50_000 + 10 * (second - 50) };
            pace.note(begin + Duration::from_secs(second), Sample { records, done: 2 * records });
        }
        assert!((pace.rate() - 10.0).abs() < 1e-9 && pace.0.len() < 25);
        assert_eq!(pace.left(400), Some(Duration::from_secs(20)));
    }
}
