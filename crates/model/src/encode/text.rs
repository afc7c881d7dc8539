//! Writes exact cover problems in Knuth's text format.

use std::io::{self, Write};

use crate::{Bounds, CoverProblem};

/// Writes an exact cover problem in Knuth's text format: one line of items, then one line per option.
///
/// In the line of items, a `|` comes before the secondary items. Multiplicities are written as
/// `low:high|item` or `high|item`, and colours as `item:colour`. A cost is the last word of its option,
/// written as `|cost`. An option without items cannot be written in this format, so it is omitted.
///
/// # Errors
/// Returns the errors of the writer.
pub fn write_dlx(cover: &CoverProblem, out: &mut dyn Write) -> io::Result<()> {
    let mut line = Vec::new();
    for item in 0..cover.items() {
        if item == cover.primary() {
            line.extend_from_slice(if item == 0 { b"| " } else { b" | " });
        } else if item > 0 {
            line.push(b' ');
        }
        if item < cover.primary() {
            match cover.bounds(item) {
                Bounds::ONCE => {}
                Bounds { low, high } if low == high => write!(line, "{high}|")?,
                Bounds { low, high } => write!(line, "{low}:{high}|")?,
            }
        }
        line.extend_from_slice(cover.name(item).as_bytes());
    }
    line.push(b'\n');
    out.write_all(&line)?;
    for option in 0..cover.options() {
        if cover.option(option).is_empty() {
            continue;
        }
        line.clear();
        cover.write_words(option, &mut line);
        match cover.cost(option) {
            0 => {}
            cost => write!(line, " |{cost}")?,
        }
        line.push(b'\n');
        out.write_all(&line)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CoverBuilder, Entry};

    fn text(cover: &CoverProblem) -> String {
        let mut out = Vec::new();
        write_dlx(cover, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn everything_a_cover_has_is_written() {
        let mut builder = CoverBuilder::new();
        builder.primary("p").unwrap();
        builder.primary_within("q", Bounds { low: 0, high: 2 }).unwrap();
        builder.primary_within("r", Bounds { low: 3, high: 3 }).unwrap();
        let x = builder.secondary("x").unwrap();
        builder.secondary("y").unwrap();
        builder.option(&["p", "x:red", "y"]).unwrap();
        let blue = builder.colour("blue").unwrap();
        builder.option_of(&[Entry { item: x, colour: blue }, Entry { item: 1, colour: 0 }], 4, None).unwrap();
        builder.option_of(&[], 7, None).unwrap();
        let expected = "p 0:2|q 3|r | x y\np x:red y\nx:blue q |4\n";
        assert_eq!(text(&builder.build().unwrap()), expected);
    }

    #[test]
    fn a_cover_may_have_secondary_items_only() {
        let mut builder = CoverBuilder::new();
        builder.secondary("x").unwrap();
        builder.option(&["x"]).unwrap();
        assert_eq!(text(&builder.build().unwrap()), "| x\nx\n");
    }
}
