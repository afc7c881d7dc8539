//! The race: a warm-up that validates the answers, followed by timed rounds in which the contenders take
//! turns.

use std::hint::black_box;
use std::time::{Duration, Instant};

use super::corpus::{Corpus, Section};
use super::programs::{Racer, Shared};
use super::report::{
    BenchQuery, ClassReport, KIND, Machine, Parsing, Report, RoundsEnd, Row, SCHEMA, SETTLED_WIDTH, Skipped,
    Spread, contender_name, each,
};
use super::sentences::{absences, question};
use super::verdict::MAX_ROUNDS;
use super::{BenchOptions, Rounds};
use quadrille_batch::stats::processor_ns;
use quadrille_engine::{
    Client, Control, ENGINES, Engine, EngineInfo, EngineKind, EnginePreference, Event, Flow, Job, Jobs,
    select,
};
use quadrille_formats::input::{Chunk, Parser, Records};
use quadrille_model::simd::Isa;
use quadrille_model::{Count, Counter, ErrorKind, Goal, Limits, Outcome, Problem, Result, usage, verify};

/// Progress of a race. It is reported before each part of the race.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    /// Number of parts done.
    pub(crate) done: usize,
    /// Number of all parts.
    pub(crate) of: usize,
    /// Name of the part that comes next.
    pub(crate) what: String,
}

/// Runs a race over a corpus.
///
/// Calls `progress` between timed parts, never during a timed part.
///
/// # Errors
/// * Returns a usage error if no requested engine supports any of the problems, or if this processor lacks a requested
///   instruction set.
/// * Returns [`ErrorKind::Internal`] if contenders find different counts, report a wrong solution, or do different work
///   in a timed round.
pub(crate) fn race(
    corpus: &Corpus,
    options: &BenchOptions,
    progress: &mut dyn FnMut(Step),
) -> Result<Report> {
    options.validate()?;
    let mut heats = Vec::new();
    for section in &corpus.sections {
        heats.push(Heat::new(section, options)?);
    }
    if heats.iter().all(|heat| heat.contenders.is_empty() && heat.programs.is_none()) {
        let absent: Vec<Skipped> = heats.into_iter().flat_map(|heat| heat.absent).collect();
        return Err(usage!("no engine can run this benchmark: {}", absences(&absent)));
    }
    run(corpus, heats, options, progress)
}

/// Runs a race that consists of the given heats. A heat measures the contenders on one class of problems.
pub(super) fn run(
    corpus: &Corpus,
    mut heats: Vec<Heat<'_>>,
    options: &BenchOptions,
    progress: &mut dyn FnMut(Step),
) -> Result<Report> {
    let contenders: usize = heats.iter().map(Heat::size).sum();
    let of = contenders * (1 + options.rounds.planned()) + options.rounds.planned();
    let mut done = 0;
    let mut step = |what: String| {
        progress(Step { done, of: of.max(done + 1), what });
        done += 1;
    };
    for heat in &mut heats {
        heat.warm_up(options, &mut step)?;
    }
    let mut parse = Parse::new(corpus);
    let mut clock = Clock { by_processor: options.processor_time, ..Clock::default() };
    let mut rounds = 0;
    let ended_by = loop {
        rounds += 1;
        let turn = match options.rounds {
            Rounds::Fixed(planned) => format!("round {rounds} of {planned}"),
            Rounds::Auto => format!("round {rounds}"),
        };
        step(format!("{turn}: parsing"));
        parse.round(&mut clock);
        let mut has_time = false;
        for heat in &mut heats {
            has_time |= heat.round(options, &mut clock, &mut |name| step(format!("{turn}: {name}")))?;
        }
        let is_settled = || {
            let compared = compared(&heats, options);
            rounds >= options.rounds.planned() && heats.iter().all(|heat| heat.is_settled(options, compared))
        };
        match options.rounds {
            Rounds::Fixed(planned) if rounds >= planned => break RoundsEnd::Number,
            Rounds::Fixed(_) => {}
            Rounds::Auto if !has_time => break RoundsEnd::Time,
            Rounds::Auto if is_settled() => break RoundsEnd::Settled,
            Rounds::Auto if rounds >= MAX_ROUNDS => break RoundsEnd::Maximum,
            Rounds::Auto => {}
        }
    };
    let compared = compared(&heats, options);
    let report = |heat: Heat<'_>| heat.report(options, parse.us_a_byte(), compared);
    let classes = heats.into_iter().map(report).collect();
    Ok(Report {
        kind: KIND.to_owned(),
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: option_env!("QUADRILLE_COMMIT_FOUND").map(str::to_owned),
        optimised: !cfg!(debug_assertions),
        machine: Machine::current(),
        corpus: corpus.facts.clone(),
        asked: BenchQuery { rounds, ended_by, ..BenchQuery::new(options) },
        processor_share: clock.processor_share(),
        parsing: parse.report(),
        classes,
        comparison: None,
    })
}

/// Returns the number of speed ratios that the report on the heats will contain.
fn compared(heats: &[Heat<'_>], options: &BenchOptions) -> usize {
    heats.iter().map(|heat| heat.rows(options, 0.0).len().saturating_sub(1)).sum()
}

/// A clock that measures the wall time or the processor time of rounds.
///
/// It also sums both times over all rounds.
#[derive(Default)]
struct Clock {
    by_processor: bool,
    wall: Duration,
    processor: Duration,
}

impl Clock {
    /// Returns the time that `work` takes. Nothing else may run in this process during that time.
    fn time(&mut self, work: impl FnOnce()) -> Duration {
        let (begin, processor_begin) = (Instant::now(), processor_ns());
        work();
        let processor = Duration::from_nanos(processor_ns().saturating_sub(processor_begin));
        let wall = begin.elapsed();
        self.wall += wall;
        self.processor += processor;
        if self.by_processor { processor } else { wall }
    }

    fn processor_share(&self) -> Option<f64> {
        (!self.processor.is_zero()).then(|| self.processor.as_secs_f64() / self.wall.as_secs_f64())
    }
}

/// An engine with an instruction set, and the results that it has achieved so far.
pub(super) struct Contender {
    kind: EngineKind,
    isa: Option<Isa>,
    engine: Box<dyn Engine>,
    /// Work that the engine does on its sample of records. It is the same in every round.
    tally: Tally,
    /// Number of records in the contender's sample. The sample consists of the first records of the section.
    sample: usize,
    seconds: Vec<f64>,
    /// Time spent so far, including the warm-up.
    spent: Duration,
}

impl Contender {
    pub(super) fn new(kind: EngineKind, isa: Option<Isa>, engine: Box<dyn Engine>) -> Self {
        Contender {
            kind,
            isa,
            engine,
            tally: Tally::default(),
            sample: 0,
            seconds: Vec::new(),
            spent: Duration::ZERO,
        }
    }

    fn name(&self) -> String {
        contender_name(self.kind.name(), self.isa.map(Isa::name))
    }
}

/// A class of problems, with the contenders that are measured on it.
pub(super) struct Heat<'a> {
    section: &'a Section,
    contenders: Vec<Contender>,
    /// The programs, with the data that they share, or `None` if no programs race.
    programs: Option<(Vec<Racer>, Shared<'a>)>,
    absent: Vec<Skipped>,
}

impl<'a> Heat<'a> {
    fn new(section: &'a Section, options: &'a BenchOptions) -> Result<Self> {
        let mut heat = Heat { section, contenders: Vec::new(), programs: None, absent: Vec::new() };
        if !options.programs.is_empty() {
            let racers = options.programs.iter().map(|program| Racer::new(program, options));
            heat.programs = Some((racers.collect::<Result<_>>()?, Shared::new(section, options)?));
        }
        let has_all = options.engines.is_empty() && options.programs.is_empty();
        let asked = |info: &&EngineInfo| has_all || options.engines.contains(&info.kind);
        for info in ENGINES.iter().filter(asked) {
            let isas: Vec<Option<Isa>> = match (info.isas, options.isas.as_slice()) {
                ([], _) => vec![None],
                (all, []) => all.iter().copied().filter(|isa| isa.is_available()).map(Some).collect(),
                (_, named) => named.iter().copied().map(Some).collect(),
            };
            for isa in isas {
                let preference =
                    EnginePreference { engine: Some(info.kind), isa, ..EnginePreference::default() };
                match select(section.class, options.goal, preference) {
                    Ok(_) => heat.contenders.push(Contender::new(info.kind, isa, info.make(isa))),
                    Err(_) => {
                        let reason = format!("cannot {} {}", options.goal.verb(), section.class.name());
                        heat.absent.push(Skipped { name: info.name.to_owned(), reason });
                        break;
                    }
                }
            }
        }
        Ok(heat)
    }

    /// Creates a heat with the given contenders.
    #[cfg(test)]
    pub(super) fn of(section: &'a Section, contenders: Vec<Contender>) -> Self {
        Heat { section, contenders, programs: None, absent: Vec::new() }
    }

    /// Returns the number of contenders.
    fn size(&self) -> usize {
        self.contenders.len() + self.programs.as_ref().map_or(0, |(racers, _)| racers.len())
    }

    /// Runs every contender once and verifies its answers. If the race has a time limit, each contender has a
    /// share of the time. A contender that has used its share gets no more records.
    fn warm_up(&mut self, options: &BenchOptions, step: &mut dyn FnMut(String)) -> Result<()> {
        let section = self.section;
        // For each record, the count on which the contenders agree, and the name of the contender that found
        // it first.
        let mut agreed: Vec<Option<(Count, String)>> = vec![None; section.problems.len()];
        let contenders = std::mem::take(&mut self.contenders);
        for mut contender in contenders {
            let name = contender.name();
            step(format!("warm-up: {name}"));
            let begin = Instant::now();
            let check = Check {
                ends: options.time_per_round().map(|share| begin + share),
                verdicts: vec![None; section.problems.len()],
                fault: None,
            };
            let mut lap = Lap::new(&section.problems, options.goal, Some(check));
            let control = Control::until(options.time.map(|time| begin + time));
            contender.engine.run(&mut lap, &control);
            contender.spent = begin.elapsed();
            let Check { verdicts, fault, .. } = lap.check.take().expect("the check was set above");
            let at = |number: usize| {
                let place = &section.places[number];
                format!("{}:{}", place.source, place.line)
            };
            if let Some((number, what)) = fault {
                let what = format!("{name} returned a wrong solution of {}: {what}", at(number));
                return Err(ErrorKind::Internal(what).into());
            }
            for (number, outcome) in verdicts.iter().map_while(Option::as_ref).enumerate() {
                let (found, first) =
                    agreed[number].get_or_insert_with(|| (outcome.found.clone(), name.clone()));
                if *found != outcome.found {
                    let what = format!(
                        "{first} and {name} disagree on {}: {found} and {} solutions",
                        at(number),
                        outcome.found
                    );
                    return Err(ErrorKind::Internal(what).into());
                }
                contender.sample += 1;
                contender.tally.add(outcome);
            }
            if contender.sample == 0 {
                let reason = "finished no record in time (--time)".to_owned();
                self.absent.push(Skipped { name, reason });
            } else {
                self.contenders.push(contender);
            }
        }
        if let Some((racers, shared)) = &mut self.programs {
            for racer in racers {
                step(format!("warm-up: {}", racer.name()));
                racer.warm_up(shared)?;
            }
        }
        Ok(())
    }

    /// Times every contender in one more round. Contenders whose time is up are skipped.
    ///
    /// Returns false if the time of all contenders is up.
    fn round(
        &mut self,
        options: &BenchOptions,
        clock: &mut Clock,
        step: &mut dyn FnMut(String),
    ) -> Result<bool> {
        let mut has_time = false;
        for contender in &mut self.contenders {
            step(contender.name());
            let last = contender.seconds.last().map(|&seconds| Duration::from_secs_f64(seconds));
            if options.is_time_up(contender.spent, last) {
                continue;
            }
            let problems = &self.section.problems[..contender.sample];
            let mut lap = Lap::new(problems, options.goal, None);
            let control = Control::new();
            let taken = clock.time(|| contender.engine.run(&mut lap, &control));
            if lap.tally != contender.tally {
                let what = format!("{} counted differently in a later round", contender.name());
                return Err(ErrorKind::Internal(what).into());
            }
            contender.seconds.push(taken.as_secs_f64());
            contender.spent += taken;
            has_time = true;
        }
        if let Some((racers, shared)) = &mut self.programs {
            for racer in racers.iter_mut().filter(|racer| racer.failure().is_none()) {
                step(racer.name().to_owned());
                has_time |= racer.round(shared)?;
            }
        }
        Ok(has_time)
    }

    /// Returns true if the confidence interval of every ratio is narrow enough.
    fn is_settled(&self, options: &BenchOptions, compared: usize) -> bool {
        let (rows, _) = self.compared_rows(options, 0.0, compared);
        rows.iter().all(|row| row.ratio_width().is_some_and(|width| width < SETTLED_WIDTH))
    }

    /// Returns one row of the report per contender, without a comparison with the baseline.
    fn rows(&self, options: &BenchOptions, parsing_us_each: f64) -> Vec<Row> {
        let engines = self.contenders.iter().filter_map(|contender| contender.row(options, parsing_us_each));
        let racers = self.programs.iter().flat_map(|(racers, _)| racers);
        engines.chain(racers.flat_map(|racer| racer.rows(options))).collect()
    }

    /// Returns one row of the report per contender, compared with the baseline. Also returns the name of the
    /// baseline.
    ///
    /// `compared` is the number of ratios in the report. With more ratios, confidence intervals must be
    /// wider.
    fn compared_rows(
        &self,
        options: &BenchOptions,
        parsing_us_each: f64,
        compared: usize,
    ) -> (Vec<Row>, Option<String>) {
        let mut rows = self.rows(options, parsing_us_each);
        let wished = |row: &&Row| {
            let is_named = |name: &String| *name == row.name() || *name == row.engine;
            options.baseline.as_ref().is_some_and(is_named)
        };
        let slowest = || rows.iter().max_by(|a, b| a.us_each.median.total_cmp(&b.us_each.median));
        let baseline = rows.iter().find(wished).or_else(slowest);
        let baseline = baseline.map(|row| (row.name(), row.rounds_us_each.clone()));
        if let Some((name, times)) = &baseline {
            for row in &mut rows {
                row.compare(times, compared);
                row.verdict = row.verdict.take().filter(|_| row.name() != *name);
            }
        }
        (rows, baseline.map(|(name, _)| name))
    }

    fn report(self, options: &BenchOptions, us_a_byte: f64, compared: usize) -> ClassReport {
        let section = self.section;
        let parsing_us_each = us_a_byte * section.bytes as f64 / section.problems.len() as f64;
        let (rows, baseline) = self.compared_rows(options, parsing_us_each, compared);
        let racers = self.programs.iter().flat_map(|(racers, _)| racers);
        let failed = |racer: &Racer| {
            let (name, reason) = (racer.name().to_owned(), racer.failure()?.to_owned());
            Some(Skipped { name, reason })
        };
        ClassReport {
            class: section.name(),
            records: section.problems.len(),
            parsing_us_each,
            baseline,
            failed: racers.filter_map(failed).collect(),
            rows,
            absent: self.absent,
        }
    }
}

impl Contender {
    fn row(&self, options: &BenchOptions, parsing_us_each: f64) -> Option<Row> {
        let records = self.sample as f64;
        let rounds_us_each: Vec<f64> = self.seconds.iter().map(|seconds| 1e6 * seconds / records).collect();
        let us_each = Spread::of(&rounds_us_each)?;
        let tally = &self.tally;
        let mean = |sum: Option<u64>| sum.map(|sum| sum as f64 / records);
        let with_parsing_us_each = us_each.median + parsing_us_each;
        let isa = self.isa.map(|isa| isa.name().to_owned());
        let name = self.kind.name().to_owned();
        Some(Row {
            with_parsing_us_each,
            with_parsing_per_second: 1e6 / with_parsing_us_each,
            work_each: Counter::SUMMED
                .map(|counter| (each(counter), mean(tally.sums[counter as usize]).into()))
                .into(),
            without_guess: mean(tally.sums[Counter::Guesses as usize].map(|_| tally.without_guess)),
            solutions: Some(tally.solutions.to_string()),
            asked: Some(question(options.goal.limit())),
            ..Row::new(name, isa, self.sample, us_each, rounds_us_each)
        })
    }
}

/// The number of solutions that a contender found, and its work, summed over all records.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Tally {
    solutions: Count,
    /// Sum of each counter over all records, or `None` if some record has no value for this counter.
    sums: [Option<u64>; Counter::ALL.len()],
    without_guess: u64,
}

impl Default for Tally {
    fn default() -> Self {
        Tally { solutions: Count::ZERO, sums: [Some(0); Counter::ALL.len()], without_guess: 0 }
    }
}

impl Tally {
    fn add(&mut self, outcome: &Outcome) {
        self.solutions += &outcome.found;
        let counters = outcome.counters;
        for counter in Counter::SUMMED {
            let sum = &mut self.sums[counter as usize];
            *sum = sum.zip(counters.and_then(|work| work.get(counter))).map(|(sum, value)| sum + value);
        }
        self.without_guess += u64::from(counters.is_some_and(|work| work.guesses == 0));
    }
}

/// The client that gives records to an engine and receives the answers, in one pass over the records. Unless
/// it checks the answers, it does as little as possible, because the pass is timed.
struct Lap<'a> {
    problems: &'a [Problem],
    goal: Goal,
    given: usize,
    /// Total work of all searches. Only computed if answers are not checked.
    tally: Tally,
    check: Option<Check>,
}

/// The results of a warm-up, in which solutions are verified.
struct Check {
    /// Moment after which the contender is given no more records, or `None` for no limit.
    ends: Option<Instant>,
    /// Outcome of each record, or `None` if the search was cut short or did not take place.
    verdicts: Vec<Option<Outcome>>,
    /// The first wrong solution, as the index of its record and a message.
    fault: Option<(usize, String)>,
}

impl<'a> Lap<'a> {
    fn new(problems: &'a [Problem], goal: Goal, check: Option<Check>) -> Self {
        Lap { problems, goal, given: 0, tally: Tally::default(), check }
    }
}

impl Client for Lap<'_> {
    #[inline]
    fn next(&mut self, _most: usize) -> Option<Jobs<'_>> {
        let ends = self.check.as_ref().and_then(|check| check.ends);
        let is_late = ends.is_some_and(|ends| self.given > 0 && Instant::now() >= ends);
        let problem = self.problems.get(self.given).filter(|_| !is_late)?;
        let ticket = self.given as u64;
        self.given += 1;
        let (problem, goal) = (problem.as_ref(), self.goal);
        Some(Jobs::One(Job { ticket, problem, goal, limits: Limits::default() }))
    }

    #[inline]
    fn report(&mut self, event: Event<'_>) -> Flow {
        match (event, &mut self.check) {
            (Event::Solution { ticket, solution }, Some(check)) => {
                let number = ticket as usize;
                if let Err(fault) = verify(self.problems[number].as_ref(), solution) {
                    check.fault.get_or_insert_with(|| (number, fault.to_string()));
                    return Flow::Stop;
                }
            }
            (Event::Solution { solution, .. }, None) => drop(black_box(solution)),
            (Event::Solved(_), _) => unreachable!("the client gives no batch"),
            (Event::End { ticket, outcome }, Some(check)) => {
                check.verdicts[ticket as usize] =
                    Some(outcome).filter(|outcome| !outcome.ended_by.is_early());
            }
            (Event::End { outcome, .. }, None) => self.tally.add(&outcome),
        }
        Flow::Continue
    }
}

/// Measures parsing, in the same rounds as the contenders.
struct Parse<'a> {
    corpus: &'a Corpus,
    parser: Parser,
    records: Records,
    seconds: Vec<f64>,
}

impl<'a> Parse<'a> {
    fn new(corpus: &'a Corpus) -> Self {
        let parser = Parser::new(&corpus.input);
        Parse { corpus, parser, records: Records::default(), seconds: Vec::new() }
    }

    fn round(&mut self, clock: &mut Clock) {
        let taken = clock.time(|| {
            // Parses the chunks as often as the corpus is repeated. Parsing a short corpus only once would
            // take too little time to measure.
            for _ in 0..self.corpus.facts.repeats {
                for chunk in &self.corpus.chunks {
                    self.parser.parse(chunk, &mut self.records);
                    black_box(&self.records);
                }
            }
        });
        self.seconds.push(taken.as_secs_f64());
    }

    /// Returns the sum of a figure over all the chunks that one round parses.
    fn sum(&self, figure: impl Fn(&Chunk) -> f64) -> f64 {
        self.corpus.facts.repeats as f64 * self.corpus.chunks.iter().map(figure).sum::<f64>()
    }

    fn us_a_byte(&self) -> f64 {
        let bytes = self.sum(|chunk| chunk.bytes.len() as f64).max(1.0);
        Spread::of(&self.seconds).map_or(0.0, |seconds| 1e6 * seconds.median / bytes)
    }

    fn report(&self) -> Parsing {
        let records = self.sum(|chunk| chunk.records as f64);
        let each: Vec<f64> = self.seconds.iter().map(|seconds| 1e6 * seconds / records).collect();
        let us_each = Spread::of(&each).unwrap_or(Spread { median: 0.0, min: 0.0, max: 0.0 });
        Parsing { us_each, per_second: 1e6 / us_each.median, bytes_per_second: 1e6 / self.us_a_byte() }
    }
}
