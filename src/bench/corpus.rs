//! The corpus of a race, kept in memory. Problems are grouped by class and shuffled with a seed.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128;

use super::BenchOptions;
use super::report::CorpusFacts;
use quadrille_formats::input::{
    Body, Chunk, ChunkTarget, InputOptions, Parser, Reader, Record, Records, Source,
};
use quadrille_generate::Random;
use quadrille_model::{Alphabet, Error, Problem, ProblemClass, ProblemRef, Result, Symbols, usage};

/// Size of chunks. It is the same size as when the program solves records.
const TARGET: ChunkTarget = ChunkTarget { bytes: quadrille_batch::CHUNK_BYTES, records: u64::MAX };
/// Maximum number of bytes of input that are kept, to be parsed in every round.
///
/// More input would not make the measurement better.
const PARSED_BYTES: u64 = 64 << 20;

/// Maximum size of a repeated corpus, in bytes of input. In memory, the problems are several times as large.
const REPEATED_BYTES: u64 = 1 << 30;

/// A corpus for a race.
pub(crate) struct Corpus {
    /// Facts about the corpus that a report shows.
    pub(crate) facts: CorpusFacts,
    pub(super) sections: Vec<Section>,
    /// The beginning of the input, which is parsed in every round.
    pub(super) chunks: Vec<Chunk>,
    pub(super) input: InputOptions,
    has_programs: bool,
    per_file: bool,
}

/// The records of one class.
pub(super) struct Section {
    pub(crate) class: ProblemClass,
    /// Name of the section's source, if each source is a separate corpus.
    pub(crate) source: Option<Arc<str>>,
    /// Characters that represent the digits in the section's first record.
    pub(crate) symbols: Symbols,
    pub(crate) problems: Vec<Problem>,
    /// Positions of the records in the input, in the order of `problems`.
    pub(crate) places: Vec<Place>,
    /// Total size of the records in the input, in bytes, including line ends.
    pub(crate) bytes: u64,
}

/// The position of a record in the input, and its text.
#[derive(Clone)]
pub(super) struct Place {
    pub(crate) source: Arc<str>,
    pub(crate) line: u64,
    /// Text of the record in the form that external programs receive. Empty if no external programs race.
    pub(crate) text: Arc<[u8]>,
}

impl Corpus {
    /// Reads all sources.
    ///
    /// Unreadable records are counted, but not kept. Grids whose clues contradict each other are also only
    /// counted, because no engine is needed to answer them.
    ///
    /// # Errors
    /// Returns an error if a source cannot be read to its end. Returns a usage error if there is nothing to
    /// measure.
    pub(crate) fn read(sources: Vec<Source>, options: &BenchOptions) -> Result<Self> {
        options.validate()?;
        let facts = CorpusFacts {
            sources: sources.iter().map(Source::name).collect(),
            every: options.every,
            ..CorpusFacts::default()
        };
        let mut corpus = Corpus {
            facts,
            sections: Vec::new(),
            chunks: Vec::new(),
            input: options.input.clone(),
            has_programs: !options.programs.is_empty(),
            per_file: options.per_file,
        };
        let mut reader = Reader::new(sources, options.input.clone());
        let mut parser = Parser::new(&options.input);
        let (mut records, mut hash, mut kept) = (Records::default(), 0u128, 0);
        loop {
            let mut chunk = Chunk::default();
            if !reader.next_chunk(&mut chunk, TARGET)? {
                break;
            }
            parser.parse(&chunk, &mut records);
            corpus.take(&chunk, &records, &mut hash);
            kept += chunk.bytes.len() as u64;
            if kept <= PARSED_BYTES || corpus.chunks.is_empty() {
                corpus.chunks.push(chunk);
            }
        }
        let taken: usize = corpus.sections.iter().map(|section| section.problems.len()).sum();
        if taken == 0 {
            return Err(corpus.nothing(reader.format_hint().as_deref()));
        }
        let repeats = options.min_records.div_ceil(taken).max(1);
        let bytes: u64 = corpus.sections.iter().map(|section| section.bytes).sum();
        if repeats > 1 && bytes.saturating_mul(repeats as u64) > REPEATED_BYTES {
            return Err(usage!(
                "{taken} problems of {bytes} bytes, repeated {repeats} times, would take more than {REPEATED_BYTES} bytes (use a smaller --min-records)"
            ));
        }
        for section in &mut corpus.sections {
            section.repeat(repeats);
            section.shuffle(options.seed);
        }
        corpus.facts.taken = taken * repeats;
        corpus.facts.repeats = repeats;
        corpus.facts.hash = format!("{:032x}", hash.wrapping_mul(repeats as u128));
        Ok(corpus)
    }

    /// Adds the records of a chunk to the corpus, and the hash of each record to `hash`.
    ///
    /// The sum in `hash` does not depend on the order of the records.
    fn take(&mut self, chunk: &Chunk, records: &Records, hash: &mut u128) {
        for record in &records.list {
            if let Body::Invalid(reason) | Body::Unsupported(reason) = &record.body {
                let first = || format!("{}:{}: {reason}", chunk.source, record.line);
                self.facts.first_unreadable.get_or_insert_with(first);
                self.facts.unreadable += 1;
            }
            let Some(problem) = records.problem(record) else { continue };
            self.facts.readable += 1;
            if !(self.facts.readable - 1).is_multiple_of(self.facts.every) {
                continue;
            }
            if problem.clash().is_some() {
                self.facts.contradictory += 1;
                continue;
            }
            let text = record.text.slice(&chunk.bytes);
            *hash = hash.wrapping_add(xxh3_128(text));
            let text_given = if self.has_programs {
                text_for_programs(problem, record, &chunk.bytes)
            } else {
                Arc::default()
            };
            let section = self.section(problem.class(), &chunk.source, record.symbols);
            section.problems.push(problem.to_owned());
            section.places.push(Place {
                source: Arc::clone(&chunk.source),
                line: record.line,
                text: text_given,
            });
            section.bytes += text.len() as u64 + 1;
        }
    }

    /// Returns the section of a class. Creates the section if necessary. There are only a few sections, so a
    /// linear search is enough.
    fn section(&mut self, class: ProblemClass, source: &Arc<str>, symbols: Symbols) -> &mut Section {
        let source = self.per_file.then(|| Arc::clone(source));
        let is_same = |section: &Section| section.class == class && section.source == source;
        let at = self.sections.iter().position(is_same).unwrap_or_else(|| {
            let (problems, places) = (Vec::new(), Vec::new());
            self.sections.push(Section { class, source, symbols, problems, places, bytes: 0 });
            self.sections.len() - 1
        });
        &mut self.sections[at]
    }

    /// Returns a usage error that says why there is nothing to measure.
    fn nothing(&self, looks: Option<&str>) -> Error {
        let facts = &self.facts;
        let mut text = format!("there is nothing to measure in {}", facts.sources.join(", "));
        if facts.contradictory > 0 {
            text += &format!(": clues contradict each other in all {} records taken", facts.contradictory);
        } else if let Some(first) = &facts.first_unreadable {
            text += &format!(": no record can be read ({first})");
            if let Some(looks) = looks {
                text += &format!("; the input looks like {looks}");
            }
        } else {
            text += ": no records";
        }
        Error::usage(text)
    }
}

impl Section {
    /// Returns the name of the section in reports.
    pub(super) fn name(&self) -> String {
        let class = self.class.name();
        self.source.as_ref().map_or_else(|| class.clone(), |source| format!("{source}: {class}"))
    }

    /// Returns the number of cells of each grid, or 0 for exact cover problems.
    pub(super) fn cells(&self) -> usize {
        match self.class {
            ProblemClass::Grid { side, .. } => side * side,
            _ => 0,
        }
    }

    /// Repeats the records until there are `copies` copies of each record.
    fn repeat(&mut self, copies: usize) {
        let once = self.problems.len();
        for _ in 1..copies {
            self.problems.extend_from_within(..once);
            self.places.extend_from_within(..once);
        }
        self.bytes *= copies as u64;
    }

    /// Shuffles the records with a seed. The result is the same on every machine.
    fn shuffle(&mut self, seed: u64) {
        // The two generators are equal, so both lists get the same order.
        Random::new(seed, 0, 0).shuffle(&mut self.problems);
        Random::new(seed, 0, 0).shuffle(&mut self.places);
    }
}

/// Returns the text of a record in the form that external programs receive.
///
/// Exact cover problems and puzzles with rules stay as written in the input. Any other grid becomes one line:
/// - A grid with one character per cell and no line ends stays as it is.
/// - If digits are written as numbers, line ends become blanks.
/// - Otherwise, the line has one character per cell, and `.` for blank cells.
fn text_for_programs(problem: ProblemRef<'_>, record: &Record, bytes: &[u8]) -> Arc<[u8]> {
    let (cells, whole) = match problem {
        ProblemRef::Packed(packed) => (packed.to_cells().map(u64::from).to_vec(), false),
        ProblemRef::Puzzle(puzzle) => {
            (puzzle.candidates().iter().map(|set| set.0).collect(), !puzzle.is_plain())
        }
        ProblemRef::Cover(_) => (Vec::new(), true),
    };
    let puzzle = record.puzzle.slice(bytes);
    if whole {
        return record.text.slice(bytes).into();
    }
    if puzzle.len() == cells.len() && !puzzle.contains(&b'\n') {
        return puzzle.into();
    }
    if record.symbols.alphabet == Alphabet::Integers {
        return puzzle.iter().map(|&byte| if byte == b'\n' { b' ' } else { byte }).collect();
    }
    let character = |&set: &u64| {
        let digit = (set.count_ones() == 1).then(|| set.trailing_zeros() as usize);
        digit.and_then(|digit| record.symbols.character(digit)).unwrap_or(b'.')
    };
    cells.iter().map(character).collect()
}
