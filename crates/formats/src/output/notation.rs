//! Adds columns to finished rows. The values of these columns are known only after later records are read.

use super::first_source::PREFIX;

/// Length that marks a missing value in a row of a table.
pub(super) const NULL: u32 = u32::MAX;

/// Appends the length and the text of a value to a row of a table. The length of a missing value is [`NULL`].
pub(super) fn put_value(value: Option<&[u8]>, out: &mut Vec<u8>) {
    let length = value.map_or(NULL, |value| value.len() as u32);
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(value.unwrap_or_default());
}

/// How additional columns are appended to a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Notation {
    /// After a tab.
    #[default]
    Tab,
    /// The additional columns are the only columns of the row. The byte is the delimiter between them.
    First(u8),
    /// After a delimiter.
    Delimiter(u8),
    /// The additional columns are members of the row's JSON object.
    ///
    /// The number decides how members are named: 0 keeps their names, and 1 adds the prefix `q_`. A higher
    /// number adds the prefix, and the number itself as a suffix.
    Json(u8),
    /// The additional columns are a comment on a line above the grid.
    Above,
    /// The additional columns are further values of a table row.
    Table,
}

/// A column that is appended to a row.
#[derive(Debug, Clone, Copy)]
pub struct ExtraColumn<'v> {
    /// Name of the column.
    pub name: &'static str,
    /// Value without characters that need quotes, or empty if there is no value.
    pub value: &'v str,
    /// True if the value is a word, false if it is a number.
    pub is_word: bool,
}

/// Returns the name of a member that is appended to an object. `number` is the number in [`Notation::Json`].
pub(super) fn extra_name(name: &str, number: u8) -> String {
    match number {
        0 => name.to_owned(),
        1 => format!("{PREFIX}{name}"),
        _ => format!("{PREFIX}{name}_{number}"),
    }
}

impl Notation {
    /// Appends the rows of a record, together with additional columns.
    ///
    /// `rows` must end with a line break. If `rows` has several lines, they must be a grid followed by an
    /// empty line.
    pub fn append(self, rows: &[u8], columns: &[ExtraColumn<'_>], out: &mut Vec<u8>) {
        let put = |delimiter: u8, out: &mut Vec<u8>| {
            columns.iter().for_each(|column| out.extend([&[delimiter], column.value.as_bytes()].concat()));
        };
        let ends: [&[u8]; 3] = [b"\r\n", b"\n", b"\r"];
        let end = ends.into_iter().find(|end| rows.ends_with(end)).unwrap_or(b"\n");
        let row = rows.strip_suffix(end).unwrap_or(rows);
        match self {
            Notation::Table => {
                out.extend_from_slice(rows);
                // An empty value is written as a missing value.
                let values = columns.iter().map(|column| column.value.as_bytes());
                return values
                    .for_each(|value| put_value(Some(value).filter(|value| !value.is_empty()), out));
            }
            Notation::Above => {
                out.push(b'#');
                put(b' ', out);
                out.extend_from_slice(end);
                return out.extend_from_slice(rows);
            }
            Notation::First(delimiter) => {
                let start = out.len();
                put(delimiter, out);
                out.drain(start..(start + 1).min(out.len()));
            }
            Notation::Tab => {
                out.extend_from_slice(row);
                put(b'\t', out);
            }
            Notation::Delimiter(delimiter) => {
                out.extend_from_slice(row);
                put(delimiter, out);
            }
            Notation::Json(number) => {
                let brace = row.iter().rposition(|&byte| byte == b'}').unwrap_or(row.len());
                let is_empty = row[..brace].trim_ascii_end().ends_with(b"{");
                out.extend_from_slice(&row[..brace]);
                for (place, &ExtraColumn { name, value, is_word }) in columns.iter().enumerate() {
                    let comma = if place == 0 && is_empty { "" } else { "," };
                    let quote = if is_word { "\"" } else { "" };
                    let value =
                        if value.is_empty() { "null".to_owned() } else { format!("{quote}{value}{quote}") };
                    out.extend_from_slice(
                        format!("{comma}\"{}\":{value}", extra_name(name, number)).as_bytes(),
                    );
                }
                out.extend_from_slice(&row[brace..]);
            }
        }
        out.extend_from_slice(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_follow_rows_in_every_notation() {
        let columns = [
            ExtraColumn { name: "relation", value: "copy", is_word: true },
            ExtraColumn { name: "first", value: "7", is_word: false },
        ];
        let none = [ExtraColumn { name: "first", value: "", is_word: false }];
        let written = |rows: &str, notation: Notation, columns: &[ExtraColumn<'_>]| {
            let mut out = Vec::new();
            notation.append(rows.as_bytes(), columns, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(written("53..7 id\n", Notation::Tab, &columns), "53..7 id\tcopy\t7\n");
        assert_eq!(written("a;b\n", Notation::Delimiter(b';'), &columns), "a;b;copy;7\n");
        assert_eq!(written("a;b\n", Notation::Delimiter(b';'), &none), "a;b;\n");
        assert_eq!(written("\r\n", Notation::First(b';'), &columns), "copy;7\r\n");
        assert_eq!(
            written("{\"a\": {} }\n", Notation::Json(0), &columns),
            "{\"a\": {} ,\"relation\":\"copy\",\"first\":7}\n"
        );
        assert_eq!(written("{ }\n", Notation::Json(0), &none), "{ \"first\":null}\n");
        assert_eq!(written("12\n34\n\n", Notation::Above, &columns), "# copy 7\n12\n34\n\n");
        assert_eq!(written("", Notation::Json(0), &none), ",\"first\":null\n");
    }
}
