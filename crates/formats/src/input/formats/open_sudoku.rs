//! Reads games of OpenSudoku: XML elements that hold the cells in the attribute `data`.

use memchr::memmem;

use super::super::cells::Arrangement;
use super::super::cutter::{ByLine, Line, LineMachine, RecordSink};
use super::super::grids::GridReader;
use super::super::lines::is_blank;
use super::super::variant::OwnRules;
use super::super::{Chunk, LineKind, Record};
use super::FormatSpec;
use quadrille_model::Reason;

pub(super) const SPEC: FormatSpec = FormatSpec {
    name: "opensudoku",
    about: "games of OpenSudoku (XML)",
    looks: |head| {
        head.contents().next().is_some_and(|line| line.trim_ascii_start().starts_with(b"<"))
            && memmem::find(head.bytes, b"<opensudoku").is_some()
    },
    cutter: |layout, options| ByLine::cutter(Games::default(), layout, options),
    parse_cut,
    ..FormatSpec::CUT
};

/// Finds the games in the lines of a source. A line may hold several games.
#[derive(Default)]
struct Games {
    is_in_comment: bool,
}

impl LineMachine for Games {
    fn line(&mut self, line: Line<'_>, out: &mut RecordSink<'_>) {
        let (text, mut at) = (line.text, 0);
        let mut has_comment = self.is_in_comment;
        loop {
            if self.is_in_comment {
                let Some(end) = memmem::find(&text[at..], b"-->") else { break };
                (self.is_in_comment, at) = (false, at + end + 3);
            }
            let comment = memmem::find(&text[at..], b"<!--").map_or(text.len(), |start| at + start);
            while let Some((start, quote)) = data_in(text, at, comment) {
                let end = memchr::memchr(quote, &text[start..]);
                at = end.map_or(text.len(), |len| start + len);
                let open = end.is_none().then(|| "the data of a game are not closed".to_owned());
                out.record(line.place(start), line.start + at as u64, open);
            }
            if at.max(comment) == text.len() {
                break;
            }
            (self.is_in_comment, at) = (at <= comment, at.max(comment));
            has_comment |= self.is_in_comment;
        }
        if has_comment {
            out.pass(LineKind::Comment);
        }
        out.done(line.after());
    }
}

/// Returns the offset after the opening quote of the attribute `data`, and the quote itself.
///
/// Only the bytes from `from` to `to` are searched.
fn data_in(text: &[u8], from: usize, to: usize) -> Option<(usize, u8)> {
    let skip = |at: usize| at + text[at..].iter().take_while(|&&byte| is_blank(byte)).count();
    memmem::find_iter(text.get(from..to)?, b"data").find_map(|found| {
        let (start, equals) = (from + found, skip(from + found + 4));
        let is_name = start == 0 || is_blank(text[start - 1]);
        let quote = skip(equals + usize::from(text.get(equals) == Some(&b'=')));
        let is_set = is_name && quote > equals && matches!(text.get(quote), Some(b'"' | b'\''));
        is_set.then(|| (quote + 1, text[quote]))
    })
}

fn parse_cut(grids: &mut GridReader, chunk: &Chunk, record: &mut Record) -> Result<(), Reason> {
    let text = record.puzzle.slice(&chunk.bytes);
    grids.grid_with(text, Arrangement::Line(1), None, OwnRules::default())?.put_in(record);
    Ok(())
}
