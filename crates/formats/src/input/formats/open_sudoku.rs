//! Games of OpenSudoku: XML whose elements have the cells in `data="..."`.

use super::super::cells::Arrangement;
use super::super::cutter::{ByLine, Line, LineMachine, RecordSink, RecordStart};
use super::super::grids::GridReader;
use super::super::head::Head;
use super::super::{Chunk, Format, Record};
use super::FormatSpec;
use quadrille_model::Reason;

pub(super) const SPEC: FormatSpec = FormatSpec {
    format: Format::OpenSudoku,
    name: "opensudoku",
    about: "games of OpenSudoku (XML)",
    sniff: |head: &Head<'_>| {
        head.contents().next().is_some_and(|line| line.trim_ascii_start().starts_with(b"<"))
            && memchr::memmem::find(head.bytes, b"<opensudoku").is_some()
    },
    cutter: |layout, options| ByLine::cutter(Games, layout, options),
    parse_cut,
    ..FormatSpec::CUT
};

/// Text before the cells of a game.
const DATA: &[u8] = b" data=\"";

/// Finds the games; a line may hold several.
struct Games;

impl LineMachine for Games {
    fn line(&mut self, line: Line<'_>, out: &mut RecordSink<'_>) {
        for at in memchr::memmem::find_iter(line.text, DATA) {
            let from = at + DATA.len();
            let begin = RecordStart { byte: line.start + from as u64, line: line.number };
            let quote = memchr::memchr(b'"', &line.text[from..]);
            let end = quote.map_or(line.text.len(), |len| from + len);
            let open = quote.is_none().then(|| "the data of a game are not closed".to_owned());
            out.record(begin, line.start + end as u64, open);
        }
        out.done(line.next, line.number + 1);
    }
}

fn parse_cut(grids: &mut GridReader, chunk: &Chunk, record: &mut Record) -> Result<(), Reason> {
    grids.grid(record.puzzle.slice(&chunk.bytes), Arrangement::Line(1), None)?.put_in(record);
    Ok(())
}
