//! The progress line on standard error: drawn over itself on a terminal, else a line now and then.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{HumanCount, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::args::When;
use crate::batch::Progress;

/// Time between two drawings of the line on a terminal.
const EVERY: Duration = Duration::from_millis(200);
/// Time between two lines where there is no terminal.
const EVERY_LINE: Duration = Duration::from_secs(1);
/// A record that has been searched for so long is named.
const SLOW: Duration = Duration::from_secs(2);
/// Share of a search (of 1) to be done within [`SLOW`]; where less is, its parts are cut again to measure more of them.
const STEP: f64 = 0.01;

/// A thread that draws, and the bars above which messages are printed meanwhile.
pub(super) struct Display {
    bars: MultiProgress,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// True if progress is to be shown.
pub(super) fn is_shown(when: When, quiet: bool) -> bool {
    match when {
        When::Always => true,
        When::Never => false,
        When::Auto => !quiet && std::io::stderr().is_terminal(),
    }
}

impl Display {
    /// Starts drawing the progress of a run over records.
    pub(super) fn start(progress: &Arc<Progress>) -> Self {
        let progress = Arc::clone(progress);
        let mut slow = Slow::default();
        Display::draw(move |bar, begin| show(bar, &progress, &mut slow, begin))
    }

    /// Starts drawing the number of things made so far, out of `total`.
    pub(super) fn count(things: &Arc<AtomicU64>, total: u64) -> Self {
        let things = Arc::clone(things);
        Display::draw(move |bar, begin| show_count(bar, things.load(Ordering::Relaxed), total, begin))
    }

    /// Starts calling `show` every now and then, with the bar and when it began.
    fn draw(mut show: impl FnMut(&ProgressBar, Instant) + Send + 'static) -> Self {
        let bars = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
        let bar = bars.add(ProgressBar::new(0));
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let draw = move || {
            let begin = Instant::now();
            let is_terminal = std::io::stderr().is_terminal();
            while !stopped.load(Ordering::Relaxed) {
                show(&bar, begin);
                if !is_terminal {
                    eprintln!("quadrille: {}", bar.message());
                }
                std::thread::park_timeout(if is_terminal { EVERY } else { EVERY_LINE });
            }
            bar.finish_and_clear();
        };
        // Without the thread there is no display, and nothing else is lost.
        let thread = std::thread::Builder::new().name("quadrille-progress".to_owned()).spawn(draw).ok();
        Display { bars, stop, thread }
    }

    /// Prints a line above the progress.
    pub(super) fn print(bars: &MultiProgress, line: &str) {
        bars.suspend(|| eprintln!("{line}"));
    }

    /// A handle for [`print`](Self::print) on other threads.
    pub(super) fn bars(&self) -> MultiProgress {
        self.bars.clone()
    }

    /// Ends the display and clears its line.
    pub(super) fn end(mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A display that broke down has nothing more to clear.
            let _ = thread.join();
        }
    }
}

/// The record that is searched longest, and the progress seen of it.
#[derive(Default)]
struct Slow {
    record: u64,
    /// Share of its search that was done, of 1, and the time at which that was reached.
    done: f64,
    since: Option<Instant>,
}

impl Slow {
    /// The share of a record's search that is done; has its parts cut again where it does not get on.
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

fn show(bar: &ProgressBar, progress: &Progress, slow: &mut Slow, begin: Instant) {
    let (read, total) = progress.bytes();
    let template = match total {
        Some(total) if read < total => "{bar:24} {percent:>3}% read  {msg}  {eta} left",
        // The time left for records that are still searched is not known.
        Some(_) => "{bar:24} all read  {msg}",
        None => "{spinner} {bytes}  {msg}",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    if let Some(total) = total {
        bar.set_length(total);
    }
    bar.set_position(read);
    let answered = progress.answered();
    let rate = answered as f64 / begin.elapsed().as_secs_f64().max(0.001);
    let mut message = format!("{} records  {}/s", HumanCount(answered), HumanCount(rate as u64));
    if let Some((record, time)) = progress.slowest().filter(|(_, time)| *time >= SLOW) {
        message.push_str(&format!("  record {record} for {} s", time.as_secs()));
        match progress.threads_on(record) {
            None => {}
            Some(1) => message.push_str(" on 1 thread"),
            Some(threads) => message.push_str(&format!(" on {threads} threads")),
        }
        if let Some(done) = slow.done(progress, record) {
            message.push_str(&match 100.0 * done {
                ..0.1 => ", less than 0.1% of its search".to_owned(),
                percent => format!(", about {percent:.1}% of its search"),
            });
        }
    }
    bar.set_message(message);
    bar.tick();
}

fn show_count(bar: &ProgressBar, things: u64, total: u64, begin: Instant) {
    let template = match things {
        0 => "{spinner} nothing yet after {elapsed}",
        _ => "{bar:24} {percent:>3}%  {msg}  {eta} left",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_length(total);
    bar.set_position(things);
    let rate = things as f64 / begin.elapsed().as_secs_f64().max(0.001);
    bar.set_message(format!("{} records  {}/s", HumanCount(things), HumanCount(rate as u64)));
    bar.tick();
}
