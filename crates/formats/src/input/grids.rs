//! Converts cells to grids. All sudoku formats use this module.

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

/// Reads grids and given solutions. Reuses geometries and tables from one record to the next.
#[derive(Default)]
pub(super) struct GridReader {
    pub(super) options: InputOptions,
    /// The records of the chunk that is being read.
    pub(super) records: Records,
    /// Geometry and weights for each side length of a grid, created on first use.
    shapes: Vec<Option<SideSetup>>,
    /// Character tables, one for each pair of side length and alphabet that has occurred so far. There are at
    /// most a handful.
    codings: Vec<(CharMap, Box<[u8; 256]>)>,
    /// True if 81 characters may be read as a plain 9x9 grid in the current source.
    pub(super) plain: bool,
    /// True if the options allow `plain` to be true. Even then, `plain` is false for a source whose grids are
    /// not 9x9.
    may_be_plain: bool,
    /// True if lines of 81 characters may be read in groups instead of one by one.
    ///
    /// This is possible if the options set no rules, or only rules that such reading supports.
    pub(super) lines: bool,
    /// Rules that the options set, for lines that are read in groups. `None` for classic sudoku.
    pub(super) line_rules: Option<Arc<Rules>>,
    /// The character that last meant an empty cell. The next line is read faster, because this character is
    /// tried first.
    pub(super) usual_blank: u8,
    /// Buffer for the cells of a record, used if the cells are not contiguous in the input.
    pub(super) scratch: Vec<u8>,
    /// Facts about all grids of the source, taken from the first part of the source.
    pub(super) source: Common,
    /// Characters other than zeros that grids read so far use for empty cells, one bit per character of
    /// [`cells::BLANKS`]. Only the first such character of each grid is recorded.
    pub(super) seen_blanks: u8,
    /// Number of 9x9 grids so far in which zeros may be digits. Such a grid has no 9, but it has both zeros
    /// and other empty cells. Plain lines are not counted.
    pub(super) with_two_blanks: u64,
    rules: RuleReader,
}

/// Geometry and weights of grids with a given side length.
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
    /// Stores the puzzle in a record and returns the puzzle's side length.
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

    /// Reads a plain 9x9 grid from the first 81 bytes. This is a fast path: it returns `None` if the bytes
    /// are anything else.
    #[inline]
    pub(super) fn plain_9x9(&self, text: &[u8]) -> Option<Packed9x9> {
        let packed = if self.plain { super::plain_lines::read(text, self.usual_blank) } else { None };
        packed.filter(|_| !(self.names_cut_off() && is_cut_off(&text[..81])))
    }

    /// Returns true if a puzzle that a spreadsheet has cut off must be reported as an error.
    ///
    /// This is the case unless the caller named the format.
    pub(super) fn names_cut_off(&self) -> bool {
        self.options.format.is_none()
    }

    /// Returns the reason if a spreadsheet has cut off the puzzle in `text`, or `None` otherwise.
    pub(super) fn cut_off(&self, text: &[u8]) -> Option<Reason> {
        if self.names_cut_off() { cut_off(text).map(Reason::from) } else { None }
    }

    /// Prepares for reading the grids of another source.
    pub(super) fn begin(&mut self, source: Common) {
        if self.source != source {
            self.usual_blank = self.blank_of(source);
            self.source = source;
            self.plain = self.may_be_plain && source.side.is_none_or(|side| side == 9) && !source.is_text;
        }
    }

    /// Returns the character that is most likely used for empty cells in the plain grids of a source.
    pub(super) fn blank_of(&self, source: Common) -> u8 {
        if self.source == source { self.usual_blank } else { self.options.blank.unwrap_or(b'.') }
    }

    /// Returns the side length of a grid that has `count` cells.
    ///
    /// Returns the reason if there is no such grid, or if the options or the source do not allow it.
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
        // If the caller asks for a side length for which there are no boxes, the grid is a Latin square.
        let is_latin = self.options.side == Some(side);
        if Geometry::default_box(side).is_none() && !is_latin && !self.replaces_boxes(own) {
            return Err(format!("{count} {noun}: a {side}x{side} has no boxes").into());
        }
        self.require_side_of_source(side, own)?;
        Ok(side)
    }

    /// Checks that a grid has the same side length as the other grids of the source. A grid with its own
    /// rules may differ.
    ///
    /// # Errors
    /// Returns the reason if the grid has another side length.
    fn require_side_of_source(&self, side: usize, own: OwnRules<'_>) -> Result<(), Reason> {
        match self.source.side.filter(|&other| other != side && own.is_empty()) {
            Some(other) => Err(format!(
                "a {side}x{side}, but the source's grids are {other}x{other} (--side any reads other sides too)"
            )
            .into()),
            None => Ok(()),
        }
    }

    /// Checks that the boxes drawn in a grid's frame have the shape with which the grid is read.
    ///
    /// # Errors
    /// Returns the reason if the shapes differ. There is no error if the caller named the box shape or
    /// replaced the boxes by rules.
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

    /// Returns true if the rules in the options or in the record replace the boxes by other regions.
    fn replaces_boxes(&self, own: OwnRules<'_>) -> bool {
        let is_own = || std::str::from_utf8(own.items).is_ok_and(replaces_boxes);
        !own.regions.is_empty() || self.options.rules.replace_boxes() || is_own()
    }

    /// Reads a grid from its characters, one per cell. Then applies the rules that the options set for all
    /// grids, and the rules in the grid's own record.
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

    /// Reads the value of a table column or of a JSON object's member.
    ///
    /// The value is a grid, a grid followed by a blank and rules, rules alone, or a killer sudoku in an old
    /// notation. `own` holds the rules from other columns of the record.
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

    /// Reads the value of a column like [`field_with`](Self::field_with) and stores it in a record. Returns
    /// the side length.
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

    /// Creates the empty grid of a record that consists only of rules.
    ///
    /// The side length comes from the rules if they name one, otherwise from the options, otherwise it is 9.
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

    /// Applies the rules that the options set for all grids, and then the record's own rules, to a grid.
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
            // A grid that contains a 9 cannot be a 9x9 grid whose digits start from 0.
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
            // A text such as `-----` may be a ruler instead of an empty grid. The fast path cannot tell them
            // apart. So only a dot, or a character that is known to mean an empty cell, becomes
            // `usual_blank`.
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

    /// Reads a grid from the items of a list or from the fields of a spreadsheet.
    ///
    /// # Errors
    /// Returns the reason if the items are not a grid, or if it is not clear whether the zeros are digits.
    pub(super) fn grid_of_items(&mut self, text: &[u8], known: Option<Symbols>) -> ReadResult {
        self.require_clear_zeros(text)?;
        self.grid_with(text, Arrangement::Rows, known, OwnRules::default())
    }

    /// Checks that it is clear whether the zeros of a list are digits or empty cells.
    ///
    /// # Errors
    /// Returns the reason if the list has both zeros and other empty cells, and the options do not say
    /// whether zeros are digits.
    fn require_clear_zeros(&self, text: &[u8]) -> Result<(), Reason> {
        let is_named = self.options.symbols.is_some() || self.options.blank.is_some();
        if text.len() == 81 && !is_named && has_two_blanks(text) { Err(ZEROS.into()) } else { Ok(()) }
    }

    /// Returns true if the options, or the first part of the source, say that a character means an empty
    /// cell.
    fn is_blank(&self, byte: u8) -> bool {
        self.options.blank == Some(byte) || self.source.has_blank(byte)
    }

    /// Returns the reason if a text with the length of a grid is really a ruler (such as `-----`), a UUID or
    /// words.
    fn no_puzzle(&self, text: &[u8], table: &[u8; 256]) -> Option<Reason> {
        if is_uuid(text) {
            return Some("a UUID, not a puzzle".into());
        }
        let code_of = |byte: u8| table[usize::from(byte)];
        let digits = text.iter().filter(|&&byte| code_of(byte) < FREE).count();
        let marks = || text.iter().copied().filter(|&byte| matches!(code_of(byte), EVEN | ODD | LETTER));
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
            let hint = match text.iter().all(|byte| *byte == text[0]) {
                true => format!(" (--blank '{}' reads it as an empty grid)", char::from(text[0])),
                false => String::new(),
            };
            return Some(format!("a ruler, not a puzzle{hint}").into());
        }
        if self.source.is_text && marks().next().is_none() {
            return Some("a ruler, not a puzzle: no line of the source is a puzzle with clues".into());
        }
        let are_words = self.options.marks.is_none() && are_words(0, marks(), text.len());
        are_words.then(|| {
            "words, not a puzzle: no digits, and the letters are not marks (--marks on reads them as marks)".into()
        })
    }

    /// Reads the solution that the source gives for a puzzle with this side length and these symbols.
    pub(super) fn given(&mut self, text: &[u8], side: usize, symbols: Symbols) -> GivenSolution {
        if text.is_empty() {
            return GivenSolution::Empty;
        }
        let start = self.records.given.len() as u32;
        // The usual case is 81 digits of a 9x9. It is read without a table and without branches.
        if let (9, Alphabet::FromOne, Ok(cells)) = (side, symbols.alphabet, <&[u8; 81]>::try_from(text))
            && cells.iter().fold(true, |all, byte| all & (b'1'..=b'9').contains(byte))
        {
            self.records.given.extend_from_slice(&cells.map(|byte| byte - b'1'));
        } else if let Err(reason) = self.add_given(text, side, symbols) {
            return GivenSolution::Unreadable(Box::new(reason));
        }
        GivenSolution::Digits(Span { start, end: self.records.given.len() as u32 })
    }

    /// Adds the digits of a given solution to the records.
    ///
    /// # Errors
    /// Returns the reason if the text is not a solution for a puzzle with this side length.
    fn add_given(&mut self, text: &[u8], side: usize, symbols: Symbols) -> Result<(), Reason> {
        let text = &*value_cells(text, self.options.wide_blank)?;
        let count = cells::characters(text);
        if count != side * side {
            let noun = Arrangement::Line(1).noun(count);
            let other = || format!("{count} {noun}, but the puzzle has {}", side * side);
            return Err(rounded(text).unwrap_or_else(other).into());
        }
        let alphabet = match symbols.alphabet {
            Alphabet::Integers => Alphabet::FromOne,
            alphabet => alphabet,
        };
        let at = self.coding(CharMap { side, alphabet, marks: false, blank: None });
        let table = &*self.codings[at].1;
        if let Some(at) = text.iter().position(|&byte| table[byte as usize] >= FREE) {
            let other = || cells::bad_character(text, at, &Arrangement::Line(1).name(at, side), side);
            return Err(cut_off(text).map_or_else(other, Reason::from));
        }
        self.records.given.extend(text.iter().map(|&byte| table[byte as usize]));
        Ok(())
    }

    /// Reads the solution that the source gives for a puzzle, if its cells or rows are separate words.
    pub(super) fn given_words(&mut self, words: &[&[u8]], side: usize) -> GivenSolution {
        match characters::characters_of(words) {
            _ if words.is_empty() => GivenSolution::Empty,
            Ok(cells) => self.given(&cells, side, Symbols::DEFAULT),
            Err(reason) => GivenSolution::Unreadable(Box::new(reason.into())),
        }
    }

    /// Reads a 9x9 grid that is written with nine characters per cell: a digit for each candidate, and a
    /// blank otherwise.
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

    /// Reads a grid from integers, one per cell. Then applies the rules that the options set for all grids.
    ///
    /// 0 and the characters of empty cells mean an empty cell.
    pub(super) fn grid_of_integers(&mut self, words: &[&[u8]]) -> ReadResult {
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
        // Letters are used for the digits from 10 upwards.
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
        // With a side length up to 9, each integer is a single character. So answers are written in the usual
        // alphabet instead of as integers.
        let alphabet = match side {
            _ if from_zero => Alphabet::FromZero,
            ..=9 => Alphabet::FromOne,
            _ => Alphabet::Integers,
        };
        let symbols = Symbols { alphabet, lower_case: false };
        let grid = ReadPuzzle { body: self.puzzle(side, codes.into_iter())?, symbols, side };
        Ok(self.with_rules(grid, OwnRules::default()))
    }

    /// Returns `side` if grids with this side length and these rules exist, and the caller did not ask for
    /// another side length.
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

    /// Reads a grid from the candidates of its cells. Then applies the rules that the options set for all
    /// grids.
    pub(super) fn grid_of_candidates(&mut self, side: usize, cells: &[DigitSet]) -> ReadResult {
        let side = self.side_of(side * side, Arrangement::Rows, OwnRules::default())?;
        let body = self.grid_of_sets(side, cells)?;
        let grid = ReadPuzzle { body, symbols: Symbols::DEFAULT, side };
        Ok(self.with_rules(grid, OwnRules::default()))
    }

    /// Creates a grid from the candidates of its cells.
    ///
    /// # Errors
    /// Returns the reason if there are no grids with this side length, or if the caller's weights are for
    /// another side length.
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

    /// Creates a grid from a code and a character for each cell. The code says which digits the character
    /// allows.
    fn puzzle(&mut self, side: usize, codes: impl Iterator<Item = (u8, u8)> + Clone) -> Result<Body, Reason> {
        if side == 9 && self.options.weights.is_none() && codes.clone().all(|(code, _)| code != LETTER) {
            let mut sets = [0; 81];
            for (set, (code, _)) in sets.iter_mut().zip(codes) {
                *set = set_of(code, 9).0 as u16;
            }
            return Ok(self.records.add_packed(Packed9x9::from_cells(&sets)));
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
        // A letter that marks cells with the same digit means nothing if it occurs only once. So the grid may
        // be a plain 9x9 grid after all.
        Ok(self.records.packed_again(body))
    }

    fn coding(&mut self, coding: CharMap) -> usize {
        self.codings.iter().position(|(known, _)| *known == coding).unwrap_or_else(|| {
            self.codings.push((coding, Box::new(coding.table())));
            self.codings.len() - 1
        })
    }
}

/// Returns the geometry and weights for a side length, or `None` if no grids have this side length.
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
            // The side length has no boxes. This happens only if rules replace the boxes.
            _ => Geometry::without_boxes(side),
        }
        .ok()?;
        let weights = options.weights.as_ref();
        let weights = weights.map(|from| from.weights_for(&geometry).map_err(|error| error.to_string()));
        *known = Some(SideSetup { geometry, weights });
    }
    known.as_ref()
}

/// Reason to refuse a list in which zeros may be either digits or empty cells.
const ZEROS: &str =
    "zeros, other empty cells and no 9 (--symbols from-zero if zeros are digits, otherwise --blank 0)";

/// Returns the letter that probably means an empty cell in a large grid, or `None` if there is no such
/// letter.
///
/// The grid must have no other empty cells, and the letter must be in more than twice as many cells as the
/// grid has rows.
fn letter_of_most(text: &[u8], is_empty: impl Fn(u8) -> bool) -> Option<u8> {
    if text.len() <= 81 || text.iter().any(|&byte| is_empty(byte)) {
        return None;
    }
    let count = |letter: u8| memchr::memchr_iter(letter, text).count();
    (b'A'..=b'z').find(|&letter| letter.is_ascii_alphabetic() && count(letter) > 2 * text.len().isqrt())
}

/// Returns the reason if the letters in a text with the length of a grid are probably not marks.
///
/// Marks are lower-case letters that mean an even, an odd or the same digit. Instead, the letters may be
/// digits, empty cells or a part of a key.
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
    let has_twice = |row: &&[u8]| has_a_digit_twice(row, is_used);
    if digits == 0 && kinds.count_ones() as usize + 1 >= side {
        let are_first = (32 - kinds.leading_zeros()) as usize <= side;
        let letters = if are_first { "--symbols letters reads them as digits, " } else { "" };
        return Some(format!("letters in place of digits ({letters}--marks on as marks)").into());
    }
    // In a proper puzzle, the empty cells cannot all be even, all be odd, or all have the same digit. So a
    // letter that is in all empty cells is not a mark.
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

/// Returns the candidates of a cell with the given code.
fn set_of(code: u8, side: usize) -> DigitSet {
    match code {
        EVEN => DigitSet::even(side),
        ODD => DigitSet::odd(side),
        digit if digit < FREE => DigitSet::only(digit as usize),
        _ => DigitSet::all(side),
    }
}

/// Joins two texts of rules, which come from different parts of a record, into one text.
pub(super) fn joined(items: &[u8], others: &[u8]) -> Vec<u8> {
    if others.is_empty() { items.to_vec() } else { [items, b",", others].concat() }
}

/// Returns the side length that rules name, as in `.Shape~9x9`, or `None` if they name none.
fn side_named(rules: &str) -> Option<usize> {
    let rules = without_blanks(rules);
    let items = items(&rules).ok()?;
    let shape = items.iter().find(|item| item.name == "Shape")?;
    shape.arguments.first()?.split_once('x')?.0.parse().ok()
}
