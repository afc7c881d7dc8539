//! `stats`: statistics files shown and added up.

use anyhow::Result;

use crate::cli::args::StatsArgs;
use crate::cli::{exit, files};
use crate::error::Error;
use crate::stats::Statistics;

pub(super) fn stats(args: &StatsArgs) -> Result<u8> {
    let mut sum: Option<Statistics> = None;
    for path in &args.files {
        let text = std::fs::read_to_string(path).map_err(|cause| Error::io("reading", path, 0, cause))?;
        let one = Statistics::from_json(&path.display().to_string(), &text)?;
        match &mut sum {
            None => sum = Some(one),
            Some(sum) => sum.merge(&one),
        }
    }
    let sum = sum.unwrap_or_default();
    if let Some(out) = &args.out {
        files::write_whole(out, sum.to_json().as_bytes())?;
    }
    let mut text = String::new();
    if args.json {
        text = sum.to_json();
    } else {
        sum.write_summary(&mut text)?;
    }
    files::print(&text)?;
    Ok(exit::OK)
}
