//! `encode`: a puzzle's exact cover problem in Knuth's format.

use std::io::Write;

use anyhow::Result;

use crate::cli::args::EncodeArgs;
use crate::cli::{config, exit, files};
use crate::encode::{to_cover, write_dlx};
use crate::error::{Error, ErrorKind, Location};
use crate::input::{Body, Chunk, ChunkTarget, Parser, Reader, Records};

pub(super) fn encode(args: &EncodeArgs) -> Result<u8> {
    let options = config::input_options(&args.input)?;
    let file = args.file.clone().into_iter().collect::<Vec<_>>();
    let mut reader = Reader::new(config::sources(&file), options.clone());
    let (mut chunk, mut records) = (Chunk::default(), Records::default());
    let target = ChunkTarget { bytes: 1 << 20, records: 1 };
    if !reader.next_chunk(&mut chunk, target)? {
        return Err(Error::usage("the input has no record to encode").into());
    }
    Parser::new(&options).parse(&chunk, &mut records);
    let record = records.list.iter().find(|record| !matches!(record.body, Body::Skipped));
    let record = record.ok_or_else(|| Error::usage("the input has no record to encode"))?;
    if let Body::Invalid(reason) = &record.body {
        let place =
            Location { source: chunk.source.clone(), record: 1, line: record.line, byte: record.byte };
        return Err(Error::from(ErrorKind::Input { place, reason: reason.to_string() }).into());
    }
    let problem = records.problem(record).expect("a record that is not invalid is a problem");
    let encoded = to_cover(problem)?;
    match &args.out {
        Some(path) => {
            let (target, mut out) = files::Target::create(path, &file)?;
            let written = write_dlx(&encoded.cover, &mut out).and_then(|()| out.flush());
            written.map_err(|cause| Error::io("writing", path, 0, cause))?;
            drop(out);
            target.complete()?;
        }
        None => {
            let mut text = Vec::new();
            write_dlx(&encoded.cover, &mut text).map_err(|cause| Error::io("encoding", "-", 0, cause))?;
            files::print(&String::from_utf8_lossy(&text))?;
        }
    }
    Ok(exit::OK)
}
