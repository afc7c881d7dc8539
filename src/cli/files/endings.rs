//! Determines the format and compression of output files from the endings of their names. One table serves
//! all commands and options.
//!
//! If an ending is known but the output cannot be written in its format, an error is reported before any work
//! begins. A name without an ending, or with an unknown ending such as `.out`, gets the output's default
//! format. The endings `.gz` and `.zst`, alone or after another ending, select compression. If an option
//! names the format, the option decides and the ending is ignored. The compression always depends on the
//! name.

use std::ffi::OsStr;
use std::path::Path;

use super::named;
use quadrille_formats::output::{OutputFormat, Packing};
use quadrille_model::{Result, shown, usage};

/// A file format that the ending of a file name can select.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    /// Lines of text.
    Lines,
    Csv,
    Tsv,
    Jsonl,
    Json,
    Parquet,
    Arrow,
    Html,
    Svg,
    Markdown,
    Sdk,
    Framed,
    Iss,
    /// Knuth's exact cover text.
    Cover,
    /// Outcomes of records, as `--outcomes-out` writes them.
    Outcomes,
    /// A known format that this program does not write.
    Foreign,
}

/// Known endings of each format, without the dot. Messages use the first ending.
const ENDINGS: &[(Said, &[&str])] = &[
    (Said::Lines, &["txt", "sdm"]),
    (Said::Csv, &["csv"]),
    (Said::Tsv, &["tsv"]),
    (Said::Jsonl, &["jsonl", "ndjson"]),
    (Said::Json, &["json"]),
    (Said::Parquet, &["parquet", "pq", "parq"]),
    (Said::Arrow, &["arrow", "arrows", "feather", "ipc"]),
    (Said::Html, &["html", "htm"]),
    (Said::Svg, &["svg"]),
    (Said::Markdown, &["md", "markdown"]),
    (Said::Sdk, &["sdk"]),
    (Said::Framed, &["ss"]),
    (Said::Iss, &["iss"]),
    (Said::Cover, &["dlx"]),
    (Said::Outcomes, &["outcomes", "records"]),
    (Said::Foreign, FOREIGN),
];

/// Endings of formats that this program does not write.
const FOREIGN: &[&str] = &[
    "pdf", "png", "jpg", "xls", "xlsx", "ods", "docx", "xml", "yaml", "yml", "toml", "tex", "db", "sqlite",
    "avro", "orc", "npy", "npz", "pkl",
];

/// Endings of compressed files and archives that this program does not write.
const FOREIGN_PACKINGS: &[&str] =
    &["bz2", "xz", "lzma", "lz4", "br", "z", "zip", "7z", "rar", "tar", "tgz", "gzip", "zstd"];

/// An output file of a command.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OutputFile {
    /// Option that names the file.
    pub(crate) option: &'static str,
    /// Contents, for messages.
    what: &'static str,
    /// Formats that can be written.
    writes: &'static [Said],
    /// Option that sets the format, or `None` if no option does.
    by: Option<&'static str>,
    /// True if the file may be compressed.
    packs: bool,
}

use Said::{
    Arrow, Cover, Csv, Framed, Html, Iss, Json, Jsonl, Lines, Markdown, Outcomes, Parquet, Sdk, Svg, Tsv,
};

const TEXT: &[Said] = &[Lines, Csv, Tsv, Jsonl];
const ROWS: &[Said] = &[Lines, Csv, Tsv, Jsonl, Parquet, Arrow];
const PUZZLES: &[Said] = &[Lines, Csv, Tsv, Jsonl, Sdk, Framed, Iss, Parquet, Arrow, Html, Svg];
const CHECKPOINTS: &[Said] = &[Json, Jsonl, Lines];
const PAGES: &[Said] = &[Html, Markdown, Csv, Json];

impl OutputFile {
    /// Answers to records.
    pub(crate) const ROWS: Self = OutputFile::new("-o", "rows", ROWS).with_format("--to");
    pub(crate) const PARTS: Self = OutputFile::new("-o", "parts of a corpus", TEXT).with_format("--to");
    /// Records in another format.
    pub(crate) const CONVERTED: Self = OutputFile::new("-o", "puzzles", PUZZLES).with_format("--to");
    pub(crate) const REJECTS: Self = OutputFile::new("--rejects", "rejects", &[Lines, Tsv]);
    /// The certificate of a count.
    pub(crate) const CERTIFICATE: Self = OutputFile::new("--certificate", "certificates", &[Lines]);
    pub(crate) const STATISTICS: Self = OutputFile::new("--stats-out", "statistics", &[Json]);
    pub(crate) const PAGE: Self = OutputFile::new("--report", "pages", PAGES);
    pub(crate) const OUTCOMES: Self = OutputFile::new("--outcomes-out", "outcomes", &[Outcomes]);
    pub(crate) const CHECKPOINT: Self =
        OutputFile { packs: false, ..OutputFile::new("--checkpoint", "checkpoints", CHECKPOINTS) };
    pub(crate) const CUBES: Self = OutputFile::new("-o", "cubes", &[Lines]);
    pub(crate) const MISSING: Self = OutputFile::new("--missing", "cubes", &[Lines]);
    pub(crate) const COVER: Self = OutputFile::new("-o", "exact cover problems", &[Cover, Lines]);
    pub(crate) const PUZZLES: Self = OutputFile::new("-o", "generated puzzles", TEXT);
    pub(crate) const WEIGHTS: Self = OutputFile::new("--weights-out", "weights", &[Lines]);
    /// Results of `bench`.
    pub(crate) const RACE: Self = OutputFile::new("-o", "results of bench", &[Json]);
    /// The sum of statistics files.
    pub(crate) const SUM: Self = OutputFile::new("--out", "statistics", &[Json]);
    /// The page that the command `report` writes, or only the tables of this page.
    pub(crate) const REPORT: Self = OutputFile::new("-o", "pages", PAGES).with_format("--from");

    const fn new(option: &'static str, what: &'static str, writes: &'static [Said]) -> Self {
        OutputFile { option, what, writes, by: None, packs: true }
    }

    const fn with_format(self, option: &'static str) -> Self {
        OutputFile { by: Some(option), ..self }
    }

    /// Returns the format that the ending of a file name means, or `None` for standard output and for a name
    /// without a known ending.
    ///
    /// `is_named` is true if the user gave an option that sets the format. The ending is then ignored.
    ///
    /// # Errors
    /// Returns a usage error if the ending is known but this output cannot have its format.
    pub(crate) fn said(self, path: Option<&Path>, is_named: bool) -> Result<Option<Said>> {
        // A name that ends with a slash is a directory.
        let is_file = |path: &&Path| !path.as_os_str().as_encoded_bytes().ends_with(b"/");
        let Some(path) = named(path).filter(is_file) else { return Ok(None) };
        let OutputFile { what, writes, by, packs, option } = self;
        let name = Name::new(path);
        let refused = |reason: String| Err(usage!("{option} {}: {reason}", shown::path(path)));
        if let Some(ending) = name.foreign_packing {
            return refused(format!("cannot write .{ending} files: use .gz or .zst for compression"));
        }
        if name.packing.is_some() && !packs {
            return refused(format!("{what} cannot be compressed: leave the ending out"));
        }
        let Some((ending, said)) = name.said else { return Ok(None) };
        if !is_named && !writes.contains(&said) {
            let endings: Vec<String> = writes.iter().map(|said| format!(".{}", said.ending())).collect();
            let list = endings.join(", ");
            let packed = if packs { " (also with .gz or .zst after it)" } else { "" };
            let by = by.map(|option| format!(", or name the format with {option}")).unwrap_or_default();
            return refused(format!("cannot write {what} as .{ending}: use {list}{packed}{by}"));
        }
        if matches!(said, Said::Parquet | Said::Arrow) && name.packing.is_some() {
            return refused(format!("{ending} is always compressed: leave the last ending out"));
        }
        Ok(Some(said))
    }
}

impl Said {
    /// Returns the format in which answer rows are written for this ending. Returns `None` if the ending is
    /// not for answer rows.
    pub(crate) fn output_format(self) -> Option<OutputFormat> {
        match self {
            Said::Lines => Some(OutputFormat::Text),
            Said::Csv | Said::Tsv => Some(OutputFormat::Csv),
            Said::Jsonl => Some(OutputFormat::Jsonl),
            Said::Parquet => Some(OutputFormat::Parquet),
            Said::Arrow => Some(OutputFormat::Arrow),
            _ => None,
        }
    }

    /// Returns the ending of this format that messages show, without the dot.
    pub(crate) fn ending(self) -> &'static str {
        ENDINGS.iter().find(|(said, _)| *said == self).map_or("", |(_, endings)| endings[0])
    }
}

/// Returns the compression that the ending of a file name asks for, or `None`.
pub(crate) fn packing_of(path: &Path) -> Option<Packing> {
    Name::new(path).packing
}

/// The endings of a file name, separated into format and compression.
struct Name {
    /// The ending and its format.
    said: Option<(&'static str, Said)>,
    packing: Option<Packing>,
    foreign_packing: Option<&'static str>,
}

impl Name {
    fn new(path: &Path) -> Self {
        let last = lower_ending(path);
        let packing = Packing::ALL.into_iter().find(|packing| last.as_deref() == Some(packing.ending()));
        let foreign = FOREIGN_PACKINGS.iter().find(|ending| last.as_deref() == Some(**ending));
        let ending = match packing {
            Some(_) => path.file_stem().and_then(|stem| lower_ending(Path::new(stem))),
            None => last,
        };
        let said = ENDINGS.iter().find_map(|(said, known)| {
            Some((*known.iter().find(|known| ending.as_deref() == Some(**known))?, *said))
        });
        Name { said, packing, foreign_packing: foreign.copied() }
    }
}

/// Returns the ending of a name in lower case, without the dot.
fn lower_ending(path: &Path) -> Option<String> {
    path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_found_in_any_case_and_before_that_of_compression() {
        let said = |name: &str| {
            let Name { said, packing, foreign_packing } = Name::new(Path::new(name));
            (said.map(|(_, said)| said), packing, foreign_packing)
        };
        assert_eq!(said("a.csv"), (Some(Said::Csv), None, None));
        assert_eq!(said("dir.csv/A.TSV"), (Some(Said::Tsv), None, None));
        assert_eq!(said("a.jsonl.gz"), (Some(Said::Jsonl), Some(Packing::Gzip), None));
        assert_eq!(said("a.ZST"), (None, Some(Packing::Zstd), None));
        assert_eq!(said("a.csv.xz"), (None, None, Some("xz")));
        for name in ["a", ".csv", "a.", "a.out", "csv", "-", "dir.gz/a", "a.csv.1"] {
            assert_eq!(said(name), (None, None, None), "{name}");
        }
    }

    #[test]
    fn every_suffix_is_listed_once() {
        let all = ENDINGS.iter().flat_map(|(_, endings)| *endings).chain(FOREIGN_PACKINGS);
        let mut seen = std::collections::HashSet::new();
        for ending in all {
            assert!(seen.insert(ending), "{ending}");
        }
    }
}
