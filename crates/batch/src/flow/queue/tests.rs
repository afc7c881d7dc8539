//! Threads that take work, and sleep if there is none.

use std::thread::{ScopedJoinHandle, scope};

use super::*;
use crate::chunk::output::ChunkOutput;
use crate::chunk::state::ChunkRecords;
use quadrille_engine::{Task, TreeSearch};
use quadrille_formats::input::Position;
use quadrille_model::{CoverProblem, Goal, Limits, Problem, Solution};

struct Run {
    queue: Arc<WorkQueue>,
    window: Arc<ReorderBuffer>,
    control: Arc<Control>,
}

impl Run {
    fn new(threads: usize, ordered: bool) -> Self {
        Run::under(threads, ordered, Control::new(), None)
    }

    fn under(threads: usize, ordered: bool, control: Control, memory: Option<u64>) -> Self {
        let control = Arc::new(control);
        let window = Arc::new(ReorderBuffer::new(ordered, 1));
        let plan = MemoryPlan::new(memory, threads);
        Run { queue: WorkQueue::new(&plan, ordered, &control, &window), window, control }
    }

    fn chunk(&self) {
        assert!(self.queue.push(Chunk::default()));
    }

    fn hard(&self, record: u64) {
        self.large(record, 0, 0);
    }

    /// Adds a hard record of chunk `sequence` that requests `bytes` bytes.
    fn large(&self, record: u64, sequence: u64, bytes: u64) {
        let records = ChunkRecords::Records(Box::default());
        let chunk = Chunk { sequence, ..Chunk::default() };
        let chunk = ChunkState::new(chunk, records, ChunkOutput::default(), 0);
        self.queue.add_hard(record, Box::new(chunk), bytes);
    }

    /// Returns true if a hard record must be started before another chunk is taken.
    fn is_record_due(&self) -> bool {
        self.queue.lock().is_record_due(self.queue.ordered)
    }

    /// Returns the next work as a word.
    fn next(&self) -> &'static str {
        match self.queue.next() {
            None => "none",
            Some(Work::Chunk(_)) => "chunk",
            Some(Work::Hard(..)) => "hard",
            Some(Work::Part(..)) => "part",
            Some(Work::PoolTasks) => "tasks",
        }
    }

    /// Begins a hard record on one thread.
    fn begins(&self, record: u64) -> SearchedRecord {
        self.hard(record);
        match self.queue.next() {
            Some(Work::Hard(searched, ..)) => searched,
            _ => panic!("expected a hard record"),
        }
    }

    /// Offers the parts of a searched record, none of which has run.
    fn offers(&self, record: u64) -> Arc<Split> {
        // Two options for each item: 256 solutions.
        let options: Vec<_> = (0..16).map(|option| [option / 2]).collect();
        let problem = Problem::Cover(Arc::new(CoverProblem::from_options(8, &options).unwrap()));
        let task = Task::whole(problem.as_ref(), Goal::Count { limit: None }, Limits::default());
        let split = Split::new(&task, &self.control, search().as_mut());
        assert!(split.has_part());
        self.queue.offer(record, SharedSearch { split: Arc::clone(&split), kind: EngineKind::Dlx, bytes: 0 });
        split
    }

    /// Adds one more thread to a record.
    fn joins(&self, record: u64) {
        self.queue.lock().searched.get_mut(&record).unwrap().change(1, 0, 0);
    }

    /// Waits until `idle` threads are without work and `on_chunks` threads answer chunks.
    fn wait_for(&self, idle: usize, on_chunks: usize) {
        let is_so = |state: &QueueState| (state.idle, state.on_chunks) == (idle, on_chunks);
        while !is_so(&self.queue.lock()) {
            std::thread::yield_now();
        }
    }
}

/// Creates a search that can run parts.
fn search() -> Box<dyn TreeSearch> {
    EngineKind::Dlx.info().make_search().unwrap()(None)
}

/// Joins threads. If some sleep forever, stops the run to wake them and fails the test.
fn joined<T>(run: &Run, threads: Vec<ScopedJoinHandle<'_, T>>) -> Vec<T> {
    let began = Instant::now();
    let are_done = || threads.iter().all(ScopedJoinHandle::is_finished);
    while !are_done() {
        if began.elapsed() > Duration::from_secs(60) {
            run.control.cancel();
            panic!("threads sleep for ever: {:?}", run.queue);
        }
        std::thread::sleep(Duration::from_micros(20));
    }
    threads.into_iter().map(|thread| thread.join().unwrap()).collect()
}

#[test]
fn threads_that_look_for_parts_end_with_the_run() {
    for ends_last in ["the thread that began the record", "a thread on a part of it"] {
        let run = Run::new(3, true);
        run.begins(7);
        run.joins(7);
        run.queue.end_input();
        let split = run.offers(7);
        while split.run_part(search().as_mut()) {}
        scope(|threads| {
            let looks = split.hold_up();
            let thread = threads.spawn(|| run.next());
            // The thread has seen the record, and waits for its parts.
            run.wait_for(1, 0);
            if ends_last.ends_with("part of it") {
                run.queue.end_record(7);
                run.queue.end_chunks();
                run.queue.end_part(7, MemoryGrant::default());
            } else {
                run.queue.end_part(7, MemoryGrant::default());
                run.queue.end_record(7);
                run.queue.end_chunks();
            }
            drop(looks);
            assert_eq!(joined(&run, vec![thread]), ["none"], "{ends_last}");
        });
    }
}

#[test]
fn new_work_goes_before_parts_that_a_thread_looks_for() {
    for comes in ["chunk", "hard"] {
        let run = Run::new(2, true);
        run.begins(7);
        let split = run.offers(7);
        scope(|threads| {
            let looks = split.hold_up();
            let thread = threads.spawn(|| run.next());
            run.wait_for(1, 0);
            if comes == "hard" {
                run.hard(5)
            } else {
                run.chunk()
            }
            drop(looks);
            assert_eq!(joined(&run, vec![thread]), [comes]);
        });
    }
}

/// Takes work like a thread of a run; every third chunk has a hard record.
fn work(run: &Run) -> [u64; 3] {
    let (queue, mut done) = (&run.queue, [0; 3]);
    while let Some(work) = queue.next() {
        match work {
            Work::Chunk(chunk) => {
                let mut next = Some(chunk);
                while let Some(chunk) = next {
                    done[0] += 1;
                    if chunk.sequence.is_multiple_of(3) {
                        run.large(chunk.sequence, chunk.sequence, MAX_BYTES / 2);
                    } else {
                        queue.end_chunk(chunk.sequence);
                    }
                    next = queue.try_chunk();
                }
                queue.end_chunks();
            }
            Work::Hard(SearchedRecord { record, .. }, chunk, held) => {
                let split = run.offers(record);
                let found =
                    split.finish(search().as_mut(), &mut |_: Solution<'_>| quadrille_engine::Flow::Continue);
                done[1] += found.found.to_u64().unwrap();
                queue.end_record(record);
                queue.give_back(held);
                queue.end_chunk(chunk.chunk.sequence);
                queue.end_chunks();
            }
            Work::Part(record, offer, held) => {
                done[2] += u64::from(offer.split.run_part(search().as_mut()));
                queue.end_part(record, held);
            }
            Work::PoolTasks => {}
        }
    }
    done
}

#[test]
fn runs_end_in_any_interleaving_of_threads() {
    for round in 0..1500 {
        let (count, ordered) = (2 + round % 3, round % 2 == 0);
        let memory = if round % 5 < 2 { Some(BUDGET) } else { None };
        let run = Run::under(count, ordered, Control::new(), memory);
        scope(|threads| {
            let working = (0..count).map(|_| threads.spawn(|| work(&run))).collect();
            for sequence in 0..4 {
                assert!(run.queue.push(Chunk { sequence, records: 1, ..Chunk::default() }));
            }
            run.queue.end_input();
            let done = joined(&run, working);
            let sum = |what: usize| done.iter().map(|done| done[what]).sum::<u64>();
            assert_eq!((sum(0), sum(1)), (4, 2 * 256), "round {round}");
        });
    }
}

#[test]
fn the_second_thread_of_a_record_answers_chunks_but_the_last_does_not() {
    let run = Run::new(2, true);
    let record = run.begins(7);
    assert!(run.queue.chunk_before(7).is_none(), "there is none");
    run.chunk();
    assert!(run.queue.chunk_before(7).is_none(), "it is alone");
    run.joins(7);
    assert!(run.queue.chunk_before(7).is_some());
    assert_eq!(record.threads.load(Ordering::Relaxed), 1);
    run.chunk();
    assert!(run.queue.chunk_before(7).is_none(), "the other one is away");
    run.queue.come_back(7);
    assert_eq!(record.threads.load(Ordering::Relaxed), 2);
    assert_eq!(record.suspended_for(), Duration::ZERO, "it was searched all the time");
}

#[test]
fn with_unordered_rows_the_last_thread_answers_chunks_too() {
    let run = Run::new(1, false);
    let record = run.begins(7);
    run.chunk();
    assert!(run.queue.chunk_before(7).is_some());
    std::thread::sleep(Duration::from_millis(2));
    run.queue.come_back(7);
    assert!(record.suspended_for() >= Duration::from_millis(2));
    run.queue.end_record(7);
    assert!(run.queue.lock().searched.is_empty());
}

#[test]
fn waiting_records_come_before_chunks_unless_no_thread_answers_chunks() {
    let run = Run::new(2, true);
    run.chunk();
    run.hard(9);
    run.hard(5);
    assert!(run.is_record_due());
    assert_eq!([run.next(), run.next(), run.next()], ["hard", "hard", "chunk"]);
    assert_eq!(run.queue.lock().searched.keys().copied().collect::<Vec<_>>(), [5, 9]);
    let run = Run::new(3, false);
    (0..3).for_each(|_| run.chunk());
    run.hard(5);
    assert_eq!(run.next(), "chunk");
    assert!(!run.is_record_due(), "there is but one thread on chunks");
    assert_eq!([run.next(), run.next()], ["hard", "chunk"]);
    run.hard(9);
    assert!(run.is_record_due());
    assert!(run.queue.try_chunk().is_none());
}

#[test]
fn with_many_hard_records_no_further_chunk_is_taken() {
    let run = Run::new(1, false);
    let _first = run.begins(1);
    (2..=1 + MORE_RECORDS as u64).for_each(|record| run.hard(record));
    run.chunk();
    assert!(run.queue.chunk_before(1).is_none());
    assert!(run.queue.take_unfinished().is_some());
    assert!(run.queue.chunk_before(1).is_some());
}

const BUDGET: u64 = 64 << 20;
/// Maximum number of bytes for the search of one record.
const MAX_BYTES: u64 = BUDGET / 4;

/// Creates a run of `threads` threads with a memory budget.
fn budgeted(threads: usize) -> Run {
    Run::under(threads, true, Control::new(), Some(BUDGET))
}

/// Pushes chunk `sequence`, as the reading thread does.
fn comes(run: &Run, sequence: u64) {
    assert!(run.queue.push(Chunk { sequence, records: 1, ..Chunk::default() }));
    assert_eq!(run.next(), "chunk");
    run.queue.end_chunks();
}

/// Takes a hard record and the memory it requested.
fn taken(run: &Run) -> (u64, MemoryGrant) {
    match run.queue.next() {
        Some(Work::Hard(searched, _, held)) => (searched.record, held),
        _ => panic!("it is no hard record"),
    }
}

#[test]
fn a_large_record_waits_until_there_is_memory() {
    let run = budgeted(2);
    (0..4).for_each(|sequence| comes(&run, sequence));
    run.large(10, 1, MAX_BYTES);
    let (record, held) = taken(&run);
    assert_eq!(record, 10);
    run.large(20, 2, MAX_BYTES / 2);
    assert!(!run.is_record_due(), "the first has all that others may have");
    run.large(30, 3, 0);
    assert_eq!(taken(&run).0, 30, "one that asks for nothing does not wait");
    scope(|threads| {
        let waiting = threads.spawn(|| taken(&run));
        run.wait_for(1, 0);
        run.queue.give_back(held);
        assert_eq!(waiting.join().unwrap().0, 20);
    });
}

#[test]
fn a_record_of_the_first_chunk_never_waits_for_memory() {
    let run = budgeted(3);
    (0..3).for_each(|sequence| comes(&run, sequence));
    run.large(20, 2, MAX_BYTES);
    let (_, late) = taken(&run);
    run.large(10, 1, MAX_BYTES);
    run.large(5, 0, MAX_BYTES);
    let (record, first) = taken(&run);
    assert_eq!(record, 5);
    assert!(!run.is_record_due());
    scope(|threads| {
        let waiting = threads.spawn(|| taken(&run));
        run.wait_for(1, 0);
        run.queue.give_back(first);
        // Now the second chunk is the first unfinished chunk.
        run.queue.end_chunk(0);
        assert_eq!(waiting.join().unwrap().0, 10);
    });
    run.queue.give_back(late);
}

#[test]
fn chunks_wait_in_the_input_until_earlier_ones_are_done() {
    let run = budgeted(2);
    let heavy = |sequence| Chunk { sequence, records: BUDGET / 5 / 512, ..Chunk::default() };
    assert!(run.queue.push(heavy(0)), "one alone is let in");
    scope(|threads| {
        let cutting = threads.spawn(|| run.queue.push(heavy(1)));
        assert_eq!(run.next(), "chunk");
        assert!(run.queue.lock().chunks.is_empty());
        run.queue.end_chunk(0);
        assert!(cutting.join().unwrap());
    });
    assert_eq!(run.queue.lock().unfinished_bytes.len(), 1);
}

#[test]
fn a_full_window_holds_chunks_back_until_there_is_room() {
    let run = Run::new(1, true);
    run.chunk();
    let full = ChunkOutput { rows: vec![0], end: Some(Position::default()), ..ChunkOutput::default() };
    run.window.submit(full);
    scope(|threads| {
        let thread = threads.spawn(|| run.next());
        run.wait_for(1, 0);
        assert!(run.window.take().unwrap().made_room);
        run.queue.window_has_room();
        assert_eq!(thread.join().unwrap(), "chunk");
    });
}

#[test]
fn threads_sleep_until_there_is_work_and_each_part_wakes_one() {
    let run = Run::new(100, true);
    scope(|threads| {
        let sleeping: Vec<_> = (0..100).map(|_| threads.spawn(|| run.next())).collect();
        run.wait_for(100, 0);
        (0..50).for_each(|_| run.chunk());
        run.wait_for(50, 50);
        run.hard(7);
        run.wait_for(49, 50);
        (0..50).for_each(|_| run.queue.end_chunks());
        run.queue.end_input();
        // The record may still be split into parts, so the other threads wait.
        run.wait_for(49, 0);
        run.queue.end_record(7);
        run.queue.end_chunks();
        let mut words: Vec<_> = sleeping.into_iter().map(|thread| thread.join().unwrap()).collect();
        words.sort_unstable();
        let count = |word| words.iter().filter(|&&known| known == word).count();
        assert_eq!((count("chunk"), count("hard"), count("none")), (50, 1, 49));
    });
}

#[test]
fn tasks_of_a_counter_wake_a_thread() {
    let run = Run::new(2, true);
    run.begins(7);
    scope(|threads| {
        let thread = threads.spawn(|| run.next());
        run.wait_for(1, 0);
        run.queue.offer_pieces(7, 1);
        assert_eq!(thread.join().unwrap(), "tasks");
    });
}

#[test]
fn tasks_of_a_rating_wake_all_threads_that_they_need() {
    let run = Run::new(3, true);
    scope(|threads| {
        let mut waiting: Vec<_> = (0..2).map(|_| threads.spawn(|| run.next())).collect();
        run.wait_for(2, 0);
        run.queue.offer_tasks(2);
        waiting.drain(..).for_each(|thread| assert_eq!(thread.join().unwrap(), "tasks"));
        // No task is left.
        let idle = threads.spawn(|| run.next());
        run.wait_for(1, 0);
        run.queue.end_input();
        assert_eq!(idle.join().unwrap(), "none");
    });
}

#[test]
fn a_stop_and_a_deadline_wake_all() {
    let run = Run::new(2, true);
    scope(|threads| {
        let thread = threads.spawn(|| run.next());
        (0..4).for_each(|_| run.queue.lock().chunks.push_back(Chunk::default()));
        let cutting = threads.spawn(|| run.queue.push(Chunk::default()));
        run.control.cancel();
        cutting.join().unwrap();
        thread.join().unwrap();
    });
    let deadline = Instant::now() + Duration::from_millis(50);
    let run = Run::under(1, true, Control::until(Some(deadline)), None);
    assert_eq!(run.next(), "none");
    assert!(Instant::now() >= deadline);
}
