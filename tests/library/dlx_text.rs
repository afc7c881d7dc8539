//! Knuth's text format: a problem that is written and read again is unchanged.

use proptest::prelude::*;
use quadrille::input::{Format, InputOptions, Source};
use quadrille::internals::{Chunk, ChunkTarget, Parser, Reader, Records, write_dlx};
use quadrille::{Bounds, CoverBuilder, CoverProblem, Entry, NO_COLOUR};

/// Reads the only problem of a text.
fn read(bytes: Vec<u8>) -> CoverProblem {
    let options = InputOptions { format: Some(Format::Dlx), ..InputOptions::default() };
    let mut reader = Reader::new(vec![Source::Bytes { name: "text".into(), bytes }], options.clone());
    let (mut chunk, mut records) = (Chunk::default(), Records::default());
    assert!(reader.next_chunk(&mut chunk, ChunkTarget { bytes: 1 << 20, records: 1 }).unwrap());
    Parser::new(&options).parse(&chunk, &mut records);
    assert_eq!(records.covers.len(), 1, "{:?}", records.list);
    (*records.covers[0]).clone()
}

/// Creates random problems with bounds, secondary items, colours and costs.
fn covers() -> impl Strategy<Value = CoverProblem> {
    let bounds = prop_oneof![Just((1, 1)), (0u32..3, 1u32..4).prop_map(|(low, more)| (low, low + more))];
    let entries = prop::collection::vec((any::<prop::sample::Index>(), 0u8..4), 1..6);
    let option = (any::<prop::sample::Index>(), entries, prop_oneof![Just(0), any::<i64>()]);
    (prop::collection::vec(bounds, 1..6), 0usize..5, prop::collection::vec(option, 0..12)).prop_map(
        |(bounds, secondary, options)| {
            let mut builder = CoverBuilder::new();
            for (item, &(low, high)) in bounds.iter().enumerate() {
                builder.primary_within(&format!("p{item}"), Bounds { low, high }).unwrap();
            }
            for item in 0..secondary {
                builder.secondary(&format!("s#{item}")).unwrap();
            }
            let primary = bounds.len();
            for (line, (first, more, cost)) in (2..).zip(options) {
                let mut entries = vec![Entry { item: first.index(primary) as u32, colour: NO_COLOUR }];
                for (item, colour) in more {
                    let item = item.index(primary + secondary);
                    if entries.iter().any(|entry| entry.item as usize == item) {
                        continue;
                    }
                    let colour = match colour {
                        1.. if item >= primary => builder.colour(&format!("c{colour}")).unwrap(),
                        _ => NO_COLOUR,
                    };
                    entries.push(Entry { item: item as u32, colour });
                }
                builder.option_of(&entries, cost, Some(line)).unwrap();
            }
            builder.build().unwrap()
        },
    )
}

proptest! {
    #[test]
    fn written_data_is_read_back(cover in covers()) {
        let mut text = Vec::new();
        write_dlx(&cover, &mut text).unwrap();
        prop_assert_eq!(read(text), cover);
    }
}
