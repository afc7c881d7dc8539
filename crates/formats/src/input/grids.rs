//! Converts cells to grids; shared by all sudoku formats.

use std::borrow::Cow;
use std::sync::Arc;

use super::cells::{self, Arrangement, BAD, CharMap, EVEN, FREE, LETTER, ODD};
use super::inner_grid::value_cells;
use super::layout::Common;
use super::lines::{is_blank, number_in, trim};
use super::shapes::{
    PENCILMARK_CELLS, are_words, has_a_digit_twice, has_two_blanks, is_uuid, may_be_digit, rules_off,
};
use super::spreadsheet::{cut_off, is_cut_off, rounded};
use super::variant::{OwnRules, RuleReader};
use super::{Body, GivenSolution, InputOptions, Record, Records, Span, characters};
use quadrille_model::rules::{Rules, are_rules, begins_rules, items, killer, replaces_boxes, without_blanks};
use quadrille_model::{
    Alphabet, Constraint, DigitSet, Geometry, MAX_SIDE, Packed9x9, Puzzle, Reason, Symbols, Weights,
};

/// Reads grids and given solutions. Keeps geometries and tables from one record to the next.
#[derive(Default)]
pub(super) struct GridReader {
    pub(super) options: InputOptions,
    /// The records of the chunk that is being read.
    pub(super) records: Records,
    /// Shapes by side, created on first use.
    shapes: Vec<Option<SideSetup>>,
    /// Character tables, a handful at most: one for each side and alphabet met.
    codings: Vec<(CharMap, Box<[u8; 256]>)>,
    /// True if the options allow 81 characters to be read as a plain 9x9.
    pub(super) plain: bool,
    /// Value of `plain` as far as the options decide it; a source of grids with another side makes `plain` false.
    may_be_plain: bool,
    /// True if lines of 81 characters may be read in bulk.
    ///
    /// Reading in bulk needs a run without rules, or with rules that allow bulk reading.
    pub(super) lines: bool,
    /// Rules of lines read in bulk.
    pub(super) line_rules: Option<Arc<Rules>>,
    /// The character that last meant an empty cell: a guess that speeds up the next line.
    pub(super) usual_blank: u8,
    /// Buffer for the cells of a record that are not contiguous in the input.
    pub(super) scratch: Vec<u8>,
    /// Facts about all grids from the head of the source.
    pub(super) source: Common,
    /// Characters of empty cells found so far at the start of grids, one bit per character of [`cells::BLANKS`].
    pub(super) seen_blanks: u8,
    /// Number of 9x9 grids so far with both zeros and other empty cells, and without a 9; plain lines are not counted.
    pub(super) with_two_blanks: u64,
    rules: RuleReader,
}

/// Geometry and weights of a side.
#[derive(Clone)]
struct SideSetup {
    geometry: Arc<Geometry>,
    weights: Option<Result<Arc<Weights>, String>>,
}

/// A puzzle, or the reason why it cannot be read.
type ReadResult = Result<ReadPuzzle, Reason>;

/// A puzzle that was read successfully.
pub(super) struct ReadPuzzle {
    pub(super) body: Body,
    pub(super) symbols: Symbols,
    pub(super) side: usize,
}

impl ReadPuzzle {
    /// Makes this the puzzle of a record, and returns its side.
    pub(super) fn put_in(self, record: &mut Record) -> usize {
        (record.body, record.symbols) = (self.body, self.symbols);
        self.side
    }
}

impl GridReader {
    pub(super) fn new(options: &InputOptions) -> Self {
        let other_side = options.asked_side().is_some_and(|side| side != 9);
        let digit_as_blank = options.blank.is_some_and(|blank| blank.is_ascii_digit());
        let are_digits = !other_side
            && !digit_as_blank
            && options.weights.is_none()
            && !matches!(options.symbols, Some(Alphabet::FromZero | Alphabet::Own(_)));
        let mut rules = RuleReader::default();
        let line_rules = rules.of_plain_lines(options);
        GridReader {
            plain: are_digits && options.rules.is_empty(),
            may_be_plain: are_digits && options.rules.is_empty(),
            lines: are_digits && (options.rules.is_empty() || line_rules.is_some()),
            line_rules,
            options: options.clone(),
            shapes: vec![None; MAX_SIDE + 1],
            usual_blank: options.blank.unwrap_or(b'.'),
            rules,
            ..GridReader::default()
        }
    }

    /// Reads a plain 9x9 from the first 81 bytes, fast. Returns `None` if it is anything else.
    #[inline]
    pub(super) fn plain_9x9(&self, text: &[u8]) -> Option<Packed9x9> {
        let packed = if self.plain { super::plain_lines::read(text, self.usual_blank) } else { None };
        packed.filter(|_| !(self.names_cut_off() && is_cut_off(&text[..81])))
    }

    /// Returns true if puzzles cut off by a spreadsheet are errors. They are, unless the caller named the format.
    pub(super) fn names_cut_off(&self) -> bool {
        self.options.format.is_none()
    }

    /// Returns the reason if a puzzle in a text was cut off by a spreadsheet, otherwise `None`.
    pub(super) fn cut_off(&self, text: &[u8]) -> Option<Reason> {
        if self.names_cut_off() { cut_off(text).map(Reason::from) } else { None }
    }

    /// Reads the grids of a source from now on.
    pub(super) fn begin(&mut self, source: Common) {
        if self.source != source {
            self.usual_blank = self.blank_of(source);
            self.source = source;
            self.plain = self.may_be_plain && source.side.is_none_or(|side| side == 9) && !source.is_text;
        }
    }

    /// Returns the character that probably stands for an empty cell in the plain grids of a source.
    pub(super) fn blank_of(&self, source: Common) -> u8 {
        if self.source == source { self.usual_blank } else { self.options.blank.unwrap_or(b'.') }
    }

    /// Returns the side of a grid with `count` cells, or the reason why there is no such grid.
    fn side_of(&self, count: usize, arrangement: Arrangement, own: OwnRules<'_>) -> Result<usize, Reason> {
        let noun = arrangement.noun(count);
        let side = count.isqrt();
        if let Some(asked) = self.options.asked_side() {
            if side != asked || side * side != count {
                return Err(format!("{count} {noun}: a {asked}x{asked} has {}", asked * asked).into());
            }
        } else if side * side != count || !(4..=MAX_SIDE).contains(&side) {
            return Err(format!("{count} {noun}: no grid has this many cells").into());
        }
        // A side without boxes that was asked for is that of a Latin square.
        let is_latin = self.options.side == Some(side);
        if Geometry::default_box(side).is_none() && !is_latin && !self.replaces_boxes(own) {
            return Err(format!("{count} {noun}: a {side}x{side} has no boxes").into());
        }
        self.require_side_of_source(side, own)?;
        Ok(side)
    }

    /// Checks that a grid without rules of its own has the side of the source's other grids.
    ///
    /// # Errors
    /// Returns the reason if the grid has another side.
    fn require_side_of_source(&self, side: usize, own: OwnRules<'_>) -> Result<(), Reason> {
        match self.source.side.filter(|&other| other != side && own.is_empty()) {
            Some(other) => Err(format!(
                "a {side}x{side}, but the source's grids are {other}x{other} (--side any reads other sides too)"
            )
            .into()),
            None => Ok(()),
        }
    }

    /// Checks that a grid is read with the boxes that its lines show.
    ///
    /// # Errors
    /// Returns the reason if the boxes differ, unless the caller named the boxes or replaced them.
    pub(super) fn require_shown_box(&self, side: usize, shown: Option<(usize, usize)>) -> Result<(), Reason> {
        let (Some((rows, columns)), Some(usual)) = (shown, Geometry::default_box(side)) else {
            return Ok(());
        };
        let is_named = self.options.box_shape.is_some() || self.options.rules.replace_boxes();
        match is_named || (rows, columns) == usual {
            true => Ok(()),
            false => Err(format!(
                "its boxes are drawn with {rows} rows and {columns} columns (--box {rows}x{columns} reads them; \
                 --box {}x{} ignores the drawing)",
                usual.0, usual.1
            )
            .into()),
        }
    }

    /// Returns true if the rules of the run or of the record replace the boxes.
    fn replaces_boxes(&self, own: OwnRules<'_>) -> bool {
        let is_own = || std::str::from_utf8(own.items).is_ok_and(replaces_boxes);
        !own.regions.is_empty() || self.options.rules.replace_boxes() || is_own()
    }

    /// Reads a grid from its characters, one per cell, and applies the rules of the run.
    pub(super) fn grid(
        &mut self,
        text: &[u8],
        arrangement: Arrangement,
        known: Option<Symbols>,
    ) -> ReadResult {
        self.grid_with(text, arrangement, known, OwnRules::default())
    }

    /// Reads a grid as [`grid`](Self::grid) does, and applies the record's own rules too.
    pub(super) fn grid_with(
        &mut self,
        text: &[u8],
        arrangement: Arrangement,
        known: Option<Symbols>,
        own: OwnRules<'_>,
    ) -> ReadResult {
        let grid = self.grid_alone(text, arrangement, known, own)?;
        Ok(self.with_rules(grid, own))
    }

    /// Reads the value of a column or member.
    ///
    /// The value is a grid, a grid followed by a blank and rules, rules alone, or a killer in one of the old forms.
    /// `own` holds the rules from other columns.
    pub(super) fn field_with(
        &mut self,
        text: &[u8],
        known: Option<Symbols>,
        own: OwnRules<'_>,
    ) -> ReadResult {
        let alone = match killer(text) {
            Some(items) => Some(Cow::Owned(items?.into_bytes())),
            None if are_rules(text) => Some(Cow::Borrowed(text)),
            None => None,
        };
        if let Some(items) = alone {
            let items = joined(&items, own.items);
            return self.blank_with(OwnRules { items: &items, ..own });
        }
        let blank = text.iter().position(|&byte| is_blank(byte)).unwrap_or(text.len());
        let (grid, behind) = text.split_at(blank);
        if !begins_rules(trim(behind)) {
            let cells = value_cells(text, self.options.wide_blank)?;
            return self.grid_with(&cells, Arrangement::Line(1), known, own);
        }
        let items = joined(trim(behind), own.items);
        self.grid_with(grid, Arrangement::Line(1), known, OwnRules { items: &items, ..own })
    }

    /// Reads the value of a column, as [`field_with`](Self::field_with) does, into a record. Returns the side.
    pub(super) fn value(
        &mut self,
        text: &[u8],
        known: Option<Symbols>,
        own: OwnRules<'_>,
        record: &mut Record,
    ) -> Result<usize, Reason> {
        match self.plain_9x9(text).filter(|_| text.len() == 81 && own.is_empty()) {
            Some(packed) => {
                record.body = self.records.add_packed(packed);
                Ok(9)
            }
            None => Ok(self.field_with(text, known, own)?.put_in(record)),
        }
    }

    /// Makes the empty grid of a record that consists of rules.
    ///
    /// The rules determine the side if they name one, or otherwise the options; without both it is 9.
    pub(super) fn blank_with(&mut self, own: OwnRules<'_>) -> ReadResult {
        let named = own
            .items
            .split(|&byte| byte == b',')
            .find_map(|items| side_named(&String::from_utf8_lossy(items)));
        let side = match named {
            Some(named) => named,
            None => self.options.asked_side().unwrap_or(9),
        };
        let side = self.known_side(side, own)?;
        let (body, _) = self.new_puzzle(side)?;
        let symbols =
            Symbols { alphabet: self.options.symbols.unwrap_or(Alphabet::FromOne), lower_case: false };
        Ok(self.with_rules(ReadPuzzle { body, symbols, side }, own))
    }

    /// Applies the rules of the run and of the record to a grid.
    fn with_rules(&mut self, grid: ReadPuzzle, own: OwnRules<'_>) -> ReadPuzzle {
        if self.options.rules.is_empty() && own.is_empty() {
            return grid;
        }
        let Some(shape) = shape(&mut self.shapes, &self.options, grid.side) else { return grid };
        let body = self.rules.add(&self.options, own, (grid.body, &shape.geometry), &mut self.records);
        ReadPuzzle { body, ..grid }
    }

    /// Reads a grid without applying rules.
    fn grid_alone(
        &mut self,
        text: &[u8],
        arrangement: Arrangement,
        known: Option<Symbols>,
        own: OwnRules<'_>,
    ) -> ReadResult {
        let plain = characters::plain(text, self.options.wide_blank)?;
        if matches!(text, [b'[' | b'{' | b'(', ..]) {
            self.require_clear_zeros(&plain)?;
        }
        let text = &*plain;
        if let Some(at) = text.iter().position(|byte| !byte.is_ascii()) {
            let count = cells::characters(text);
            let bad = |side| cells::bad_character(text, at, &arrangement.name(at, side), side);
            return match self.side_of(count, arrangement, own) {
                Ok(side) => Err(bad(side)),
                Err(reason) => Err(format!("{reason} (with {})", cells::describe(text, at)).into()),
            };
        }
        if text.len() == PENCILMARK_CELLS && matches!(self.options.asked_side(), None | Some(9)) {
            self.require_side_of_source(9, own)?;
            return self.pencilmarks(text, arrangement);
        }
        let side = self.side_of(text.len(), arrangement, own).map_err(|reason| match rounded(text) {
            Some(rounded) => rounded.into(),
            None => reason,
        })?;
        let alphabet = match self.options.symbols.or(known.map(|symbols| symbols.alphabet)) {
            Some(alphabet) if side > 9 || self.options.symbols.is_some() => alphabet,
            _ => Alphabet::FromOne,
        };
        let alphabet = match alphabet {
            // A 9 cannot be a digit of a 9x9 with digits from 0.
            Alphabet::FromZero if side <= 9 && text.contains(&(b'0' + side as u8)) => Alphabet::FromOne,
            Alphabet::Integers => Alphabet::FromOne,
            alphabet => alphabet,
        };
        if side > alphabet.largest_side() {
            return Err(
                format!("a {side}x{side} has more digits than characters: write it in integers").into()
            );
        }
        let marks = self.options.marks.unwrap_or(side <= 9 && alphabet == Alphabet::FromOne);
        let coding = CharMap { side, alphabet, marks, blank: self.options.blank };
        let at = self.coding(coding);
        let table = &*self.codings[at].1;
        if let Some(at) = text.iter().position(|&byte| table[byte as usize] == BAD) {
            return Err(cells::bad_character(text, at, &arrangement.name(at, side), side));
        }
        if let Some(reason) = self.no_puzzle(text, table) {
            return Err(reason);
        }
        if let Some(&blank) = text.iter().find(|&&byte| table[byte as usize] == FREE && byte != b'0') {
            // Grids whose empty cells are other characters may be rulers, which the fast path cannot tell from empty
            // grids.
            if blank == b'.' || self.is_blank(blank) {
                self.usual_blank = blank;
            }
            let bit = cells::BLANKS.iter().position(|&known| known == blank);
            self.seen_blanks |= bit.map_or(0, |bit| 1 << bit);
            self.with_two_blanks += u64::from(side == 9 && has_two_blanks(text));
        }
        let is_digit = |byte: u8| table[byte as usize] < FREE;
        let lower = text.iter().any(|&byte| byte.is_ascii_lowercase() && is_digit(byte));
        let upper = text.iter().any(|&byte| byte.is_ascii_uppercase() && is_digit(byte));
        let lower_case = match (lower, upper) {
            (false, false) => known.is_some_and(|symbols| symbols.lower_case),
            _ => lower && !upper,
        };
        let symbols = Symbols { alphabet, lower_case };
        let table = *self.codings[at].1;
        let codes = text.iter().map(|&byte| (table[byte as usize], byte));
        Ok(ReadPuzzle { body: self.puzzle(side, codes)?, symbols, side })
    }

    /// Reads a grid from the items of a list, or the fields of a spreadsheet.
    ///
    /// # Errors
    /// Returns the reason if it is not a grid, or if its zeros may be digits.
    pub(super) fn grid_of_items(&mut self, text: &[u8], known: Option<Symbols>) -> ReadResult {
        self.require_clear_zeros(text)?;
        self.grid(text, Arrangement::Rows, known)
    }

    /// Checks that the zeros of a list are not next to other empty cells, so that they may be digits.
    ///
    /// # Errors
    /// Returns the reason if they are, and the caller decides nothing.
    fn require_clear_zeros(&self, text: &[u8]) -> Result<(), Reason> {
        let is_named = self.options.symbols.is_some() || self.options.blank.is_some();
        if text.len() == 81 && !is_named && has_two_blanks(text) { Err(ZEROS.into()) } else { Ok(()) }
    }

    /// Returns true if a character is an empty cell according to the caller or the head of the source.
    fn is_blank(&self, byte: u8) -> bool {
        self.options.blank == Some(byte) || self.source.has_blank(byte)
    }

    /// Returns the reason if characters that have the length of a grid are a ruler, a UUID or words.
    fn no_puzzle(&self, text: &[u8], table: &[u8; 256]) -> Option<Reason> {
        if is_uuid(text) {
            return Some("a UUID, not a puzzle".into());
        }
        let code_of = |byte: u8| table[usize::from(byte)];
        let digits = text.iter().filter(|&&byte| code_of(byte) < FREE).count();
        let marks = || text.iter().copied().filter(|&byte| matches!(code_of(byte), EVEN | ODD | LETTER));
        let is_one = || text.iter().all(|byte| *byte == text[0]);
        if self.options.marks.is_none()
            && marks().next().is_some()
            && let Some(reason) = no_marks(text, digits, marks())
        {
            return Some(reason);
        }
        if digits > 0 {
            let mut clues = text.iter().map(|&byte| code_of(byte)).filter(|&code| code < FREE);
            let first = clues.next();
            let is_ruler = digits * digits > text.len() && clues.all(|code| Some(code) == first);
            if is_ruler {
                return Some("a ruler, not a puzzle: one digit in more cells than the grid has rows".into());
            }
            let letter = letter_of_most(text, |byte| code_of(byte) == FREE)?;
            let shown = char::from(letter);
            let advice = match may_be_digit(letter, text) {
                true => "write another character for empty cells".to_owned(),
                false => format!("--blank {shown} reads an empty cell"),
            };
            return Some(format!("'{shown}' in more cells than any digit ({advice})").into());
        }
        let empty: Vec<u8> = text.iter().copied().filter(|&byte| code_of(byte) == FREE).collect();
        if rules_off(&empty, |byte| self.is_blank(byte)) {
            let hint = || format!(" (--blank '{}' reads it as an empty grid)", char::from(text[0]));
            let hint = if is_one() { hint() } else { String::new() };
            return Some(format!("a ruler, not a puzzle{hint}").into());
        }
        if self.source.is_text && marks().next().is_none() {
            return Some(ruler_in_text());
        }
        let are_words = self.options.marks.is_none() && are_words(0, marks(), text.len());
        are_words.then(|| {
            "words, not a puzzle: no digits, and the letters are not marks (--marks on reads them as marks)".into()
        })
    }

    /// Reads a given solution for a puzzle with this side and these symbols.
    pub(super) fn given(&mut self, text: &[u8], side: usize, symbols: Symbols) -> GivenSolution {
        if text.is_empty() {
            return GivenSolution::Empty;
        }
        let start = self.records.given.len() as u32;
        // The usual case, 81 digits of a 9x9, is read without a table and without branches.
        if let (9, Alphabet::FromOne, Ok(cells)) = (side, symbols.alphabet, <&[u8; 81]>::try_from(text))
            && cells.iter().fold(true, |all, byte| all & (b'1'..=b'9').contains(byte))
        {
            self.records.given.extend_from_slice(&cells.map(|byte| byte - b'1'));
            return GivenSolution::Digits(Span { start, end: self.records.given.len() as u32 });
        }
        let unreadable = |reason: Reason| GivenSolution::Unreadable(Box::new(reason));
        let cells = match value_cells(text, self.options.wide_blank) {
            Ok(cells) => cells,
            Err(reason) => return unreadable(reason.into()),
        };
        let text = &*cells;
        let count = cells::characters(text);
        if count != side * side {
            let noun = Arrangement::Line(1).noun(count);
            let other = || format!("{count} {noun}, but the puzzle has {}", side * side);
            return unreadable(rounded(text).unwrap_or_else(other).into());
        }
        let alphabet = match symbols.alphabet {
            Alphabet::Integers => Alphabet::FromOne,
            alphabet => alphabet,
        };
        let at = self.coding(CharMap { side, alphabet, marks: false, blank: None });
        let table = &*self.codings[at].1;
        if let Some(at) = text.iter().position(|&byte| table[byte as usize] >= FREE) {
            let other = || cells::bad_character(text, at, &Arrangement::Line(1).name(at, side), side);
            return unreadable(cut_off(text).map_or_else(other, Reason::from));
        }
        self.records.given.extend(text.iter().map(|&byte| table[byte as usize]));
        GivenSolution::Digits(Span { start, end: self.records.given.len() as u32 })
    }

    /// Reads a given solution from the words of its cells or rows.
    pub(super) fn given_words(&mut self, words: &[&[u8]], side: usize) -> GivenSolution {
        match characters::characters_of(words) {
            _ if words.is_empty() => GivenSolution::Empty,
            Ok(cells) => self.given(&cells, side, Symbols::DEFAULT),
            Err(reason) => GivenSolution::Unreadable(Box::new(reason.into())),
        }
    }

    /// Reads a 9x9 from nine characters per cell: candidates are digits, other places are blank.
    fn pencilmarks(&mut self, text: &[u8], arrangement: Arrangement) -> ReadResult {
        let mut sets = [0u16; 81];
        for (at, &byte) in text.iter().enumerate() {
            let (cell, digit) = (at / 9, at % 9);
            if byte == b'1' + digit as u8 {
                sets[cell] |= 1 << digit;
            } else if !(cells::BLANKS.contains(&byte) || self.options.blank == Some(byte)) {
                let what = cells::describe(text, at);
                let column = arrangement.name(at, 27);
                return Err(format!("{what} in {column} is not {} or empty (pencilmarks)", digit + 1).into());
            }
        }
        let body = self.grid_of_sets(9, &sets.map(|set| DigitSet(u64::from(set))))?;
        Ok(ReadPuzzle { body, symbols: Symbols::DEFAULT, side: 9 })
    }

    /// Reads a grid from integers, one per cell, and applies the rules of the run.
    ///
    /// 0 and blank characters are empty cells.
    pub(super) fn grid_of_integers(&mut self, words: &[&[u8]]) -> ReadResult {
        let grid = self.integers_alone(words)?;
        Ok(self.with_rules(grid, OwnRules::default()))
    }

    fn integers_alone(&mut self, words: &[&[u8]]) -> ReadResult {
        let side = self.side_of(words.len(), Arrangement::Rows, OwnRules::default())?;
        let from_zero = self.options.symbols == Some(Alphabet::FromZero);
        let coding = CharMap {
            side,
            alphabet: Alphabet::Integers,
            marks: self.options.marks.unwrap_or(side <= 9),
            blank: self.options.blank,
        };
        let at = self.coding(coding);
        let mut table = *self.codings[at].1;
        let first = u8::from(!from_zero);
        // Letters are the digits from 10 on.
        for (digit, byte) in (b'0' + first..=b'9').chain(b'A'..=b'Z').take(side).enumerate() {
            table[usize::from(byte)] = digit as u8;
        }
        let mut codes = Vec::with_capacity(words.len());
        for (cell, word) in words.iter().enumerate() {
            let code = match word {
                [byte] if table[*byte as usize] != BAD => table[*byte as usize],
                [b'-', b'1'] => FREE,
                _ => match number_in(word) {
                    Some(0) if !from_zero => FREE,
                    Some(value) if value < side as u64 + u64::from(first) => value as u8 - first,
                    _ => {
                        let word = String::from_utf8_lossy(&word[..word.len().min(20)]);
                        let place = Arrangement::Rows.name(cell, side);
                        return Err(format!("'{word}' in {place} is not a digit of a {side}x{side}").into());
                    }
                },
            };
            codes.push((code, word[0]));
        }
        if words.iter().all(|word| word.len() == 1) {
            let mut text = std::mem::take(&mut self.scratch);
            text.clear();
            text.extend(words.iter().map(|word| word[0]));
            let reason = self.no_puzzle(&text, &table);
            self.scratch = text;
            if let Some(reason) = reason {
                return Err(reason);
            }
        }
        // Up to side 9 integers are single characters, so that answers are written as for any 9x9.
        let alphabet = match side {
            _ if from_zero => Alphabet::FromZero,
            ..=9 => Alphabet::FromOne,
            _ => Alphabet::Integers,
        };
        let symbols = Symbols { alphabet, lower_case: false };
        Ok(ReadPuzzle { body: self.puzzle(side, codes.into_iter())?, symbols, side })
    }

    /// Returns `side` if such grids exist under these rules and the caller asked for no other side.
    ///
    /// # Errors
    /// Returns the reason if there is no such grid.
    fn known_side(&self, side: usize, own: OwnRules<'_>) -> Result<usize, Reason> {
        match self.options.asked_side() {
            Some(asked) if asked != side => Err(format!("a {side}x{side}, not a {asked}x{asked}").into()),
            _ if InputOptions::is_side(side) => Ok(side),
            _ if (InputOptions::MIN_SIDE..=MAX_SIDE).contains(&side) && self.replaces_boxes(own) => Ok(side),
            _ => Err(format!("a {side}x{side} has no boxes").into()),
        }
    }

    /// Reads a grid from the candidates of its cells, and applies the rules of the run.
    pub(super) fn grid_of_candidates(&mut self, side: usize, cells: &[DigitSet]) -> ReadResult {
        let side = self.side_of(side * side, Arrangement::Rows, OwnRules::default())?;
        let body = self.grid_of_sets(side, cells)?;
        let grid = ReadPuzzle { body, symbols: Symbols::DEFAULT, side };
        Ok(self.with_rules(grid, OwnRules::default()))
    }

    /// Makes a grid from the candidates of its cells.
    ///
    /// # Errors
    /// Returns the reason if there are no grids of this side, or if the caller's weights do not fit the side.
    pub(super) fn grid_of_sets(&mut self, side: usize, cells: &[DigitSet]) -> Result<Body, Reason> {
        let (body, puzzle) = self.new_puzzle(side)?;
        for (cell, &set) in cells.iter().enumerate() {
            puzzle.restrict(cell, set);
        }
        Ok(self.records.packed_again(body))
    }

    fn new_puzzle(&mut self, side: usize) -> Result<(Body, &mut Puzzle), Reason> {
        let Some(shape) = shape(&mut self.shapes, &self.options, side) else {
            return Err(format!("a {side}x{side} has no boxes").into());
        };
        let weights = match &shape.weights {
            Some(Err(reason)) => return Err(reason.as_str().into()),
            Some(Ok(weights)) => Some(Arc::clone(weights)),
            None => None,
        };
        let (index, puzzle) = self.records.new_puzzle(&shape.geometry);
        puzzle.set_weights(weights);
        Ok((Body::Puzzle(index), puzzle))
    }

    /// Adds a plain 9x9 with these candidates.
    fn packed(&mut self, sets: &[u16; 81]) -> Body {
        self.records.add_packed(Packed9x9::from_cells(sets))
    }

    /// Makes a grid from the codes and characters of its cells.
    fn puzzle(&mut self, side: usize, codes: impl Iterator<Item = (u8, u8)> + Clone) -> Result<Body, Reason> {
        if side == 9 && self.options.weights.is_none() && codes.clone().all(|(code, _)| code != LETTER) {
            let mut sets = [0; 81];
            for (set, (code, _)) in sets.iter_mut().zip(codes) {
                *set = set_of(code, 9).0 as u16;
            }
            return Ok(self.packed(&sets));
        }
        let mut groups: [Vec<u16>; 26] = Default::default();
        let (body, puzzle) = self.new_puzzle(side)?;
        for (cell, (code, byte)) in codes.enumerate() {
            if code == LETTER {
                groups[usize::from(byte - b'a')].push(cell as u16);
            } else {
                puzzle.restrict(cell, set_of(code, side));
            }
        }
        for (letter, cells) in (b'a'..).zip(groups) {
            puzzle.constrain(Constraint::SameDigit { letter: char::from(letter), cells });
        }
        // Letters that occur only once mean nothing, so this may be a plain grid.
        Ok(self.records.packed_again(body))
    }

    fn coding(&mut self, coding: CharMap) -> usize {
        self.codings.iter().position(|(known, _)| *known == coding).unwrap_or_else(|| {
            self.codings.push((coding, Box::new(coding.table())));
            self.codings.len() - 1
        })
    }
}

/// Returns geometry and weights of a side, or `None` if there are no such grids.
fn shape<'s>(
    shapes: &'s mut [Option<SideSetup>],
    options: &InputOptions,
    side: usize,
) -> Option<&'s SideSetup> {
    let known = shapes.get_mut(side)?;
    if known.is_none() {
        let geometry = match options.box_shape {
            Some((rows, columns)) if rows.checked_mul(columns) == Some(side) => Geometry::new(rows, columns),
            _ if Geometry::default_box(side).is_some() => Geometry::of_side(side),
            // Only reached if rules replace the boxes.
            _ => Geometry::without_boxes(side),
        }
        .ok()?;
        let weights = options.weights.as_ref();
        let weights = weights.map(|from| from.weights_for(&geometry).map_err(|error| error.to_string()));
        *known = Some(SideSetup { geometry, weights });
    }
    known.as_ref()
}

/// Reason for refusing a list whose zeros may be digits or empty cells.
const ZEROS: &str =
    "zeros, other empty cells and no 9 (--symbols from-zero if zeros are digits, otherwise --blank 0)";

/// Returns the reason for refusing a line of empty cells among text.
fn ruler_in_text() -> Reason {
    "a ruler, not a puzzle: no line of the source is a puzzle with clues".into()
}

/// Returns the letter that is probably the empty cell of a large grid, or `None`: no cell `is_empty`, and the letter is
/// in twice as many cells as the grid has rows.
fn letter_of_most(text: &[u8], is_empty: impl Fn(u8) -> bool) -> Option<u8> {
    if text.len() <= 81 || text.iter().any(|&byte| is_empty(byte)) {
        return None;
    }
    let count = |letter: u8| memchr::memchr_iter(letter, text).count();
    (b'A'..=b'z').find(|&letter| letter.is_ascii_alphabetic() && count(letter) > 2 * text.len().isqrt())
}

/// Returns the reason if the letters of a text with the length of a grid are probably not marks: they are digits, empty
/// cells or a part of a key.
fn no_marks(text: &[u8], digits: usize, marks: impl Iterator<Item = u8>) -> Option<Reason> {
    let side = text.len().isqrt();
    let is_parity = |byte: u8| matches!(byte, b'e' | b'o');
    let (mut parities, mut letters, mut count) = (0u32, 0u32, 0);
    for mark in marks {
        *(if is_parity(mark) { &mut parities } else { &mut letters }) |= 1 << (mark - b'a');
        count += 1;
    }
    let kinds = parities | letters;
    let is_used = |byte: u8| matches!(byte, b'1'..=b'9') || byte.is_ascii_lowercase() && !is_parity(byte);
    let has_twice = |row: &&[u8]| has_a_digit_twice(row.iter().copied().filter(|&byte| is_used(byte)));
    if digits == 0 && kinds.count_ones() as usize + 1 >= side {
        let are_first = (32 - kinds.leading_zeros()) as usize <= side;
        let letters = if are_first { "--symbols letters reads them as digits, " } else { "" };
        return Some(format!("letters in place of digits ({letters}--marks on as marks)").into());
    }
    // Not all empty cells can be even, or odd, or have the same digit.
    if kinds.is_power_of_two() && digits + count == text.len() && digits > 0 && count > side {
        let mark = char::from(b'a' + kinds.trailing_zeros() as u8);
        let what = "in each cell without a digit";
        return Some(
            format!("'{mark}' {what} (--blank {mark} reads an empty cell, --marks on a mark)").into(),
        );
    }
    let is_key =
        digits > 0 && letters.count_ones() > 1 && 2 * text.chunks(side).filter(has_twice).count() > side;
    is_key.then(|| "a key, not a puzzle: most rows have a digit or letter twice".into())
}

/// Returns the candidates that a code allows.
fn set_of(code: u8, side: usize) -> DigitSet {
    match code {
        EVEN => DigitSet::even(side),
        ODD => DigitSet::odd(side),
        digit if digit < FREE => DigitSet::only(digit as usize),
        _ => DigitSet::all(side),
    }
}

/// Joins rules from two places into one text.
pub(super) fn joined(items: &[u8], others: &[u8]) -> Vec<u8> {
    if others.is_empty() { items.to_vec() } else { [items, b",", others].concat() }
}

/// Returns the side that rules name, as in `.Shape~9x9`, or `None`.
fn side_named(rules: &str) -> Option<usize> {
    let rules = without_blanks(rules);
    let items = items(&rules).ok()?;
    let shape = items.iter().find(|item| item.name == "Shape")?;
    shape.arguments.first()?.split_once('x')?.0.parse().ok()
}
