//! `combine`: answers of cubes to one answer.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::Result;

use crate::cli::args::CombineArgs;
use crate::cli::exit;
use crate::cli::files::{self, Files};
use crate::cubes::{Sum, Total};
use crate::error::{Error, ErrorKind, Location};
use crate::model::CubeName;

pub(super) fn run(args: &CombineArgs) -> Result<u8> {
    Files::default()
        .reads("the input", args.files.iter().map(|file| &**file))
        .reads("--cubes", args.cubes.as_deref())
        .writes("--missing", args.missing.as_deref())
        .require_apart()?;
    let mut sum = Sum::default();
    if let Some(cubes) = &args.cubes {
        // All must be of one cut; and which cut it is must be known even if nothing was answered.
        each_line(cubes, |line| sum.expect(&name_of(line)?))?;
    }
    for file in &args.files {
        each_line(file, |line| sum.add(line))?;
    }
    let (Some(cubes), Some(missing)) = (&args.cubes, &args.missing) else {
        let shown = match sum.total()? {
            Total::Count(count) => format!("{count}\n"),
            Total::Best(Some((score, solution))) => format!("{score}\t{solution}\n"),
            Total::Best(None) => "none\n".to_owned(),
        };
        files::print(&shown)?;
        return Ok(exit::OK);
    };
    let mut text = String::new();
    each_line(cubes, |line| {
        if !sum.has(name_of(line)?.number) {
            text.push_str(line);
            text.push('\n');
        }
        Ok(())
    })?;
    files::write_to(Some(missing), args.write, |out| out.write_all(text.as_bytes()))?;
    Ok(exit::OK)
}

fn name_of(line: &str) -> crate::error::Result<CubeName> {
    line.split('\t').next().unwrap_or_default().parse().map_err(Error::model)
}

/// Does something for each line of a file that is complete and not empty; an error names the line. A last
/// line without its end is what a program that was killed left of it.
fn each_line(path: &Path, mut take: impl FnMut(&str) -> crate::error::Result<()>) -> Result<()> {
    let failed = |cause| Error::io("reading", path, 0, cause);
    let file: Box<dyn Read> = match path.to_str() {
        Some("-") => Box::new(std::io::stdin()),
        _ => Box::new(std::fs::File::open(path).map_err(failed)?),
    };
    let mut file = BufReader::new(file);
    let (mut line, mut number, mut byte) = (Vec::new(), 0, 0);
    loop {
        line.clear();
        let read = file.read_until(b'\n', &mut line).map_err(failed)?;
        if line.pop() != Some(b'\n') {
            return Ok(());
        }
        number += 1;
        let at = |reason: String| {
            let source = path.display().to_string().into();
            Error::from(ErrorKind::Input {
                place: Location { source, record: number, line: number, byte },
                reason,
            })
        };
        let text = std::str::from_utf8(&line).map_err(|_| at("no text".into()))?.trim_end_matches('\r');
        if !text.is_empty() {
            take(text).map_err(|error| at(error.to_string()))?;
        }
        byte += read as u64;
    }
}
