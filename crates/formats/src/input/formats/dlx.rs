//! Exact cover problems in Knuth's text format (dlx1 to dlx5, ssxcc, ssmcc), one per source.
//!
//! ```text
//! | a comment
//! p 0:2|q 3|r | x y        items: q up to twice, r three times; x and y secondary
//! p x:red y |4 |1          an option: colour on x, cost 5
//! ```

use super::super::head::Head;
use super::super::lines::{is_blank, lines, number_in, words};
use super::super::shapes::shape_of;
use super::whole_source::{self, Failure, StopPoll, Text, shown, wrong};
use super::{Container, FormatSpec};
use quadrille_model::{Bounds, CoverBuilder, CoverProblem, Entry, NO_COLOUR, SHORT_NAME};

pub(super) const SPEC: FormatSpec = FormatSpec {
    name: "dlx",
    container: Container::Whole,
    about: "an exact cover problem in Knuth's text format, with colours, multiplicities and costs",
    look: "an exact cover problem in Knuth's text format",
    looks: head_is_dlx,
    read_cover: Some(read),
    ..FormatSpec::CUT
};

/// Maximum number of options read.
const OPTIONS_LOOKED_AT: usize = 4;

/// Returns true if the first part of a source is certainly in the DLX format.
///
/// Such a text has a comment or secondary items, and its options name only known items.
fn head_is_dlx(head: &Head<'_>) -> bool {
    let mut comment = false;
    let mut rest = head.lines().filter(|line| match words(line).next() {
        None => false,
        Some(word) => {
            comment |= word[0] == b'|';
            word[0] != b'|'
        }
    });
    let Some(first) = rest.next() else { return false };
    let options: Vec<&[u8]> = rest.take(OPTIONS_LOOKED_AT).collect();
    // A line of items contains neither the frame of a drawing nor a puzzle.
    let is_grid = |word: &[u8]| shape_of(word, None).grid_side().is_some_and(|side| side > 4);
    if words(first).all(is_rule) || words(first).any(is_grid) {
        return false;
    }
    let secondary = words(first).any(|word| word == b"|");
    if !(comment || secondary) || options.is_empty() || !first.iter().any(u8::is_ascii_alphanumeric) {
        return false;
    }
    let mut builder = CoverBuilder::new();
    let mut is_secondary = false;
    words(first).all(|word| item(word, &mut is_secondary, &mut builder).is_ok())
        && options.iter().all(|line| {
            words(line).all(|word| word[0] == b'|' || builder.find_bytes(name_in(word)).is_some())
        })
}

/// Returns the name of the item in a word of an option, without the colour.
fn name_in(word: &[u8]) -> &[u8] {
    &word[..memchr::memchr(b':', word).unwrap_or(word.len())]
}

/// Returns true if a word looks like a line between the rows of a drawn grid, such as `o---o---o`.
fn is_rule(word: &[u8]) -> bool {
    word.windows(2).any(|pair| matches!(pair, b"--" | b"=="))
}

fn read(
    text: Text<'_>,
    warnings: &mut Vec<String>,
    pace: &mut StopPoll<'_>,
) -> Result<CoverProblem, Failure> {
    let mut ignored = Ignored::default();
    let cover = read_noting(text, &mut ignored, pace);
    for (lines, what) in ignored.iter().zip([
        "an option without a primary item is ignored",
        "a line that begins with | is a comment; a cost follows the items of its option",
    ]) {
        let Some((first, later)) = lines.split_first() else { continue };
        let more = if later.is_empty() { String::new() } else { format!(" ({} more like it)", later.len()) };
        warnings.push(format!("line {first}: {what}{more}"));
    }
    cover
}

/// The numbers of lines that were ignored although their author may have meant them to have an effect.
///
/// The first list is of options without a primary item. The second list is of comments that look like options
/// with the cost in the wrong position (first instead of last).
type Ignored = [Vec<u64>; 2];

fn read_noting(
    text: Text<'_>,
    [without_primary, cost_first]: &mut Ignored,
    pace: &mut StopPoll<'_>,
) -> Result<CoverProblem, Failure> {
    let Text { bytes: text, line_end, first_line, .. } = text;
    let mut builder = CoverBuilder::new();
    let mut any_items = false;
    for ((start, line), number) in lines(text, line_end).zip(first_line..) {
        let Some(first) = line.iter().find(|&&byte| !is_blank(byte)) else { continue };
        if *first == b'|' {
            pace.read(line)?;
            if any_items && begins_with_cost(line, &builder) {
                cost_first.push(number);
            }
            continue;
        }
        if !any_items {
            let mut is_secondary = false;
            for (at, word) in whole_source::words(line, start, is_blank) {
                pace.read(word)?;
                item(word, &mut is_secondary, &mut builder).map_err(|what| wrong(at, what))?;
            }
            any_items = true;
            continue;
        }
        if !option(text, (start, start + line.len()), number, &mut builder, pace)? {
            without_primary.push(number);
        }
    }
    builder.build().map_err(|error| wrong(text.len(), error))
}

/// Returns true if a line is a cost (`|` and a number) followed only by item names.
fn begins_with_cost(line: &[u8], builder: &CoverBuilder) -> bool {
    let mut words = words(line).peekable();
    let cost = words.next().and_then(|word| std::str::from_utf8(&word[1..]).ok());
    let is_item = |word: &[u8]| builder.find_bytes(name_in(word)).is_some();
    cost.is_some_and(|cost| cost.parse::<i64>().is_ok()) && words.peek().is_some() && words.all(is_item)
}

/// Reads one word of the line that lists the items. `is_secondary` becomes true at the bar.
///
/// # Errors
/// Returns the fault of the word.
fn item(word: &[u8], is_secondary: &mut bool, builder: &mut CoverBuilder) -> Result<(), String> {
    if word == b"|" {
        if *is_secondary {
            return Err("a second | among the items".into());
        }
        *is_secondary = true;
        return Ok(());
    }
    let (bounds, name) = match memchr::memchr(b'|', word) {
        None => (Bounds::ONCE, word),
        Some(bar) => (bounds(&word[..bar])?, &word[bar + 1..]),
    };
    if bounds != Bounds::ONCE && *is_secondary {
        return Err(format!("secondary item {} has bounds", shown(name)));
    }
    let Ok(text) = std::str::from_utf8(name) else {
        return Err(format!("item {} is not UTF-8 text", shown(name)));
    };
    if name.is_empty() {
        return Err(format!("expected an item name after {}", shown(word)));
    }
    if name.iter().any(|byte| matches!(byte, b':' | b'|')) {
        return Err(format!("item {} has : or | in its name", shown(name)));
    }
    if builder.find(text).is_some() {
        return Err(format!("item {} appears twice", shown(name)));
    }
    let added = if *is_secondary { builder.secondary(text) } else { builder.primary_within(text, bounds) };
    added.map(drop).map_err(|error| error.to_string())
}

/// Reads `high` or `low:high`.
fn bounds(text: &[u8]) -> Result<Bounds, String> {
    let number = |digits: &[u8]| {
        let value = number_in(digits).and_then(|value| u32::try_from(value).ok());
        value.ok_or_else(|| format!("invalid multiplicity '{}': expected a number", shown(digits)))
    };
    let (low, high) = match memchr::memchr(b':', text) {
        Some(colon) => (Some(number(&text[..colon])?), number(&text[colon + 1..])?),
        None => (None, number(text)?),
    };
    let low = low.unwrap_or(high);
    if high == 0 {
        return Err("the upper bound is 0".into());
    }
    if low > high {
        return Err(format!("the lower bound {low} is above the upper bound {high}"));
    }
    Ok(Bounds { low, high })
}

/// Reads the option on line `number`, from byte `start` to `end`.
///
/// Returns false if the option was ignored because it has no primary item.
fn option(
    text: &[u8],
    (start, end): (usize, usize),
    number: u64,
    builder: &mut CoverBuilder,
    pace: &mut StopPoll<'_>,
) -> Result<bool, Failure> {
    let mut cost: i64 = 0;
    let mut at = start;
    while at < end {
        if is_blank(text[at]) {
            at += 1;
            continue;
        }
        let wrong = |what: String| wrong(at, what);
        let (entry, next) = match short_entry(text, at, end, builder) {
            Some((entry, next)) => (Some(entry), next),
            None => {
                let length = text[at..end].iter().position(|&byte| is_blank(byte)).unwrap_or(end - at);
                let word = &text[at..at + length];
                let entry = match word {
                    [b'|', digits @ ..] => {
                        let sum = cost.checked_add(self::cost(digits).map_err(wrong)?);
                        cost = sum.ok_or_else(|| wrong("the costs do not fit into 64 bits".into()))?;
                        None
                    }
                    word => Some(entry(word, builder).map_err(wrong)?),
                };
                (entry, at + length)
            }
        };
        if let Some(entry) = entry {
            builder.entry(entry).map_err(|error| wrong(error.to_string()))?;
        }
        pace.read(&text[at..next])?;
        at = next;
    }
    if !builder.has_open_primary() {
        builder.drop_option();
        return Ok(false);
    }
    let line = u32::try_from(number).ok();
    builder.end_option(cost, line).map_err(|error| wrong(start, error))?;
    Ok(true)
}

/// Reads `item` or `item:colour`. Returns the entry, and the byte offset at which the text of the entry ends.
///
/// Both names must be known and have at most eight bytes, as almost all names do. Returns `None` if the
/// general reader is needed.
#[inline]
fn short_entry(text: &[u8], at: usize, end: usize, builder: &CoverBuilder) -> Option<(Entry, usize)> {
    let (word, length) = short_word(text, at, end)?;
    let next = at + length;
    let item = builder.find_short(word, length)?;
    if next == end || is_blank(text[next]) {
        return Some((Entry { item, colour: NO_COLOUR }, next));
    }
    if text[next] != b':' {
        return None;
    }
    let (word, length) = short_word(text, next + 1, end)?;
    let next = next + 1 + length;
    let colour = builder.find_short_colour(word, length)?;
    (next == end || is_blank(text[next])).then_some((Entry { item, colour }, next))
}

/// Returns up to eight bytes of the word at offset `at` as a little-endian number, and the number of these
/// bytes.
///
/// The word ends before a colon, a control byte, a blank, or `end`. Returns `None` near the end of the text,
/// where eight bytes cannot be read at once.
#[inline]
fn short_word(text: &[u8], at: usize, end: usize) -> Option<(u64, usize)> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x80 * ONES;
    const LOW: u64 = 0x7f * ONES;
    let word = u64::from_le_bytes(*text.get(at..)?.first_chunk::<SHORT_NAME>()?);
    // The top bit of each byte in `above` is set if the byte of `word` is greater than a blank. The top bit
    // of each byte in `other` is set if the byte of `word` is not a colon.
    let above = ((word & LOW) + (0x7f - u64::from(b' ')) * ONES) | word;
    let other = word ^ (u64::from(b':') * ONES);
    let other = ((other & LOW) + LOW) | other;
    let stop = !(above & other) & TOPS;
    let length = (stop.trailing_zeros() as usize / 8).min(end - at);
    let keep = u64::MAX.checked_shr(64 - 8 * length as u32).unwrap_or(0);
    Some((word & keep, length))
}

/// Reads `item` or `item:colour`.
#[inline]
fn entry(word: &[u8], builder: &mut CoverBuilder) -> Result<Entry, String> {
    let (name, colour) = match word.iter().position(|&byte| byte == b':') {
        None => (word, None),
        Some(colon) => (&word[..colon], Some(&word[colon + 1..])),
    };
    let Some(item) = builder.find_bytes(name) else {
        return Err(format!("unknown item {}", shown(name)));
    };
    let Some(colour) = colour else { return Ok(Entry { item, colour: NO_COLOUR }) };
    if colour.is_empty() {
        return Err(format!("expected a colour after {}", shown(word)));
    }
    if colour.len() > 1 && memchr::memchr(b'|', colour).is_some() {
        return Err(format!("colour {} has | in its name", shown(colour)));
    }
    let Ok(text) = std::str::from_utf8(colour) else {
        return Err(format!("colour {} is not UTF-8 text", shown(colour)));
    };
    let colour = builder.colour(text).map_err(|error| error.to_string())?;
    Ok(Entry { item, colour })
}

/// Reads the number in a cost such as `|4`.
fn cost(digits: &[u8]) -> Result<i64, String> {
    if digits.is_empty() {
        return Err("expected a cost after |".into());
    }
    let text = std::str::from_utf8(digits).ok().filter(|text| !text.starts_with('+'));
    text.and_then(|text| text.parse().ok())
        .ok_or_else(|| format!("invalid cost '{}': expected a 64-bit integer", shown(digits)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::testing::{bodies, junk, read_all};
    use super::super::super::{Chunk, ChunkTarget, Format, InputOptions, Reader, Source};
    use super::super::whole_source::read_all_of;
    use super::*;

    fn cover_of(text: &[u8]) -> (Result<CoverProblem, String>, Vec<String>) {
        read_all_of(read, text)
    }

    fn options() -> InputOptions {
        InputOptions { format: Some(Format::Dlx), max_record_bytes: 16, ..Default::default() }
    }

    #[test]
    fn everything_knuth_writes_is_read() {
        let text = b"| comment\n\n p 0:2|q 3|r | x yy#\r\n | more\n\tx:red p yy# |4 |-1\nq\nr x:r \n";
        let (cover, warnings) = cover_of(text);
        let cover = cover.unwrap();
        assert_eq!((cover.items(), cover.primary(), cover.options(), warnings.len()), (5, 3, 3, 0));
        assert_eq!(cover.bounds(0), Bounds::ONCE);
        assert_eq!(cover.bounds(1), Bounds { low: 0, high: 2 });
        assert_eq!(cover.bounds(2), Bounds { low: 3, high: 3 });
        assert_eq!((cover.cost(0), cover.cost(1)), (3, 0));
        assert_eq!((cover.line(0), cover.line(2)), (Some(5), Some(7)));
        let mut words = Vec::new();
        cover.write_option(0, &mut words);
        assert_eq!(words, b"x:red p yy#");
        assert_eq!(cover.colour_name(cover.option(2)[1].colour), Some("r"));
    }

    #[test]
    fn errors_name_line_and_column() {
        for (text, reason) in [
            ("a b\na\nb c\n", "line 3 column 3: unknown item c"),
            ("| x\na b é a", "line 2 column 7: item a appears twice"),
            ("a b\n b a b\n", "line 2 column 6: item b appears twice in an option"),
            ("a | b\nb:x a:x", "line 2 column 5: primary item a has a colour"),
            ("a | b | c\n", "line 1 column 7: a second | among the items"),
            ("| nothing\n\n", "line 2 column 1: no items"),
            ("0|a\n", "line 1 column 1: the upper bound is 0"),
            ("a 3:2|b\n", "line 1 column 3: the lower bound 3 is above the upper bound 2"),
            ("a x|b\n", "line 1 column 3: invalid multiplicity 'x': expected a number"),
            ("a 2|\n", "line 1 column 3: expected an item name after 2|"),
            ("a:b\n", "line 1 column 1: item a:b has : or | in its name"),
            ("a | 2|b\n", "line 1 column 5: secondary item b has bounds"),
            ("a\na |4|2\n", "line 2 column 3: invalid cost '4|2': expected a 64-bit integer"),
            ("a\na |\n", "line 2 column 3: expected a cost after |"),
            ("a\na |9223372036854775807 |1", "line 2 column 24: the costs do not fit into 64 bits"),
            (
                "a\na |9223372036854775808",
                "line 2 column 3: invalid cost '9223372036854775808': expected a 64-bit integer",
            ),
            ("a | b\na b:\n", "line 2 column 3: expected a colour after b:"),
        ] {
            let all = read_all(text.as_bytes(), options());
            assert_eq!(bodies(&all), [format!("invalid: {reason}")], "{text}");
        }
        let all = read_all(b"a \xff\na", options());
        assert_eq!(bodies(&all), ["invalid: line 1 column 3: item \u{fffd} is not UTF-8 text"]);
    }

    #[test]
    fn short_and_long_words_are_read_alike() {
        let items = ["1", "1234567", "12345678", "123456789", "\u{e9}\u{1}", "12345678\u{e9}"];
        let colours = ["", ":r", ":12345678", ":123456789", ":a:b", ":\u{e9}"];
        let words: Vec<String> = items
            .iter()
            .flat_map(|item| colours.iter().map(move |colour| format!("{item}{colour}")))
            .collect();
        for word in &words {
            let short = format!("p | {}\np {word}", items.join(" "));
            // In `long`, eight bytes can be read at once from the start of every word. In `short`, this is
            // not possible for the words near the end.
            let long = format!("{short} \t\r\n| a comment\n");
            let (short, long) = (cover_of(short.as_bytes()).0.unwrap(), cover_of(long.as_bytes()).0.unwrap());
            assert_eq!(short, long);
            let mut written = Vec::new();
            short.write_option(0, &mut written);
            assert_eq!(String::from_utf8(written).unwrap(), format!("p {word}"));
        }
        for word in ["12", "123456780", "1234567\u{1}", "12345678:", "1|", "1234567:"] {
            let text = format!("p 1 1234567 12345678\np {word} p            \n");
            assert!(cover_of(text.as_bytes()).0.is_err(), "{word}");
        }
    }

    #[test]
    fn options_without_primary_items_are_dropped_and_reported() {
        let all = read_all(b"a | x\nx\na x\nx:1\n|c\nx |3\n", options());
        assert_eq!(all.records.len(), 1);
        assert_eq!(all.warnings, ["line 2: an option without a primary item is ignored (2 more like it)"]);
        let (cover, _) = cover_of(b"a | x\nx\na x\n");
        assert_eq!((cover.unwrap().options()), 1);
    }

    #[test]
    fn one_source_is_one_record_of_any_size() {
        let text = format!("{}\n", (0..500).map(|item| format!("i{item} ")).collect::<String>());
        let sources = [&text, "", &text]
            .map(|text| Source::Bytes { name: "x".into(), bytes: text.as_bytes().to_vec() });
        let mut reader = Reader::new(sources.into(), options());
        let mut chunk = Chunk::default();
        let target = ChunkTarget { bytes: 1, records: 1 };
        for record in 1..=2 {
            assert!(reader.next_chunk(&mut chunk, target).unwrap());
            assert_eq!((chunk.records, chunk.first_record, chunk.bytes.len()), (1, record, text.len()));
        }
        assert!(!reader.next_chunk(&mut chunk, target).unwrap());
    }

    #[test]
    fn unmistakable_heads_are_recognised() {
        let format = |text: &str| {
            let mut reader = Reader::new(
                vec![Source::Bytes { name: "x".into(), bytes: text.as_bytes().to_vec() }],
                InputOptions::default(),
            );
            let mut chunk = Chunk::default();
            reader.next_chunk(&mut chunk, ChunkTarget { bytes: 1 << 20, records: 9 }).unwrap();
            chunk.layout.format
        };
        assert_eq!(format("| langford\n1 2 s1 s2\n1 s1\n"), Format::Dlx);
        assert_eq!(format("a b | x\na x:red\nb |4\n"), Format::Dlx);
        assert_eq!(format("a b\na\nb\n"), Format::Dlx);
        assert_ne!(format("a b\na\nc\n"), Format::Dlx);
        assert_ne!(
            format("| 1 . | . 4 |\n| . . | . . |\n+-----+-----+\n| . . | . . |\n+-----+-----+\n"),
            Format::Dlx
        );
        assert_ne!(format("1 . | . 4\n. . | . .\n----+----\n. . | . .\n"), Format::Dlx);
        for rule in ["o---o---o", "x===x===x", "o--o--o"] {
            let rows = "|1 .|. 4|\n|. .|. .|\n";
            assert_ne!(format(&format!("{rule}\n{rows}{rule}\n{rows}{rule}\n")), Format::Dlx, "{rule}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(text in "[ab|:0-9\r\n -]{0,60}", junk in junk()) {
            for text in [text.as_bytes(), &junk] {
                let all = read_all(text, options());
                prop_assert_eq!(all.records.len(), usize::from(!text.is_empty()));
            }
        }
    }
}
