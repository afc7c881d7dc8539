mod contest {
    use crate::input::testing::{bodies, read_all};
    use crate::input::{Format, InputOptions};

    const POJ: &str =
        "103000509\n002109400\n000704000\n300502006\n060000050\n700803004\n000401000\n009205800\n804000107";

    fn read(text: &str) -> Vec<String> {
        bodies(&read_all(
            text.as_bytes(),
            InputOptions { format: Some(Format::Contest), ..Default::default() },
        ))
    }

    #[test]
    fn every_arrangement_reads_as_the_same_grid() {
        let plain = read(&format!("1\n{POJ}\n"));
        assert_eq!(plain.len(), 1);
        assert!(plain[0].starts_with("103000509002109400"), "{plain:?}");
        let spaced: String = POJ.replace('\n', "").chars().map(|c| format!("{c} ")).collect();
        let bands = POJ.replace("000704000\n", "000704000\n\n");
        for text in [
            format!("1 {POJ}"),
            format!("1 \n{POJ}"),
            format!("1\r\n{}\r\n", POJ.replace('\n', "\r\n")),
            format!("1\n{}", POJ.replace('\n', "  \n")),
            format!("1\n\n{}\n\n", POJ.replace('\n', "\n\n")),
            format!("1\n{bands}"),
            format!("1 {}", POJ.replace('\n', "")),
            format!("1\n{}", POJ.replace('\n', "")),
            format!("1 {spaced}"),
            spaced.clone(),
            POJ.to_owned(),
            POJ.replace('\n', " "),
        ] {
            assert_eq!(read(&text), plain, "{text:?}");
        }
        let two = [plain.clone(), plain.clone()].concat();
        for text in
            [format!("2\n{POJ}\n\n{POJ}"), format!("2\n{POJ}\n{POJ}\n"), format!("2 {spaced}{spaced}")]
        {
            assert_eq!(read(&text), two, "{text:?}");
        }
    }

    #[test]
    fn a_count_of_grids_that_is_wrong_is_reported() {
        let few = read_all(format!("1\n{POJ}\n{POJ}\n{POJ}").as_bytes(), Default::default());
        assert_eq!(few.records.len(), 1);
        assert_eq!(few.warnings, ["T is 1, and 3 grids were found: 2 grids are ignored"]);
        let many = read(&format!("3\n{POJ}\n"));
        assert_eq!(many[1..], ["invalid: T is 3, but only 1 grid was found"; 2]);
    }

    #[test]
    fn a_bad_row_costs_one_grid() {
        for (bad, reason) in [
            (POJ.replace("002109400", "00210940"), "invalid: row 2 has 8 cells, not 9"),
            (POJ.replace("002109400", "0021094000"), "invalid: row 2 has 10 cells, not 9"),
            (POJ.replace("002109400", "0021x9400").replace("060000050", "06000y050"), "x"),
            (
                POJ.replace("002109400", "0021X9400"),
                "invalid: character 'X' in row 2 column 5 is not a digit of a 9x9",
            ),
        ] {
            let all = read(&format!("3\n{POJ}\n{bad}\n{POJ}"));
            assert_eq!(all.len(), 3);
            assert_eq!(all[0], all[2]);
            if reason != "x" {
                assert_eq!(all[1], reason);
            }
        }
        let short = read(&format!("2\n{}\n\n{POJ}", POJ.replace("\n002109400", "")));
        assert_eq!(short[0], "invalid: 8 rows of 9 cells are not a grid");
        assert!(short[1].starts_with("1030"));
    }
}

mod euler {
    use crate::input::ChunkTarget;
    use crate::input::testing::{read_all, read_in_chunks};

    const ROWS: &str =
        "103000509\n002109400\n000704000\n300502006\n060000050\n700803004\n000401000\n009205800\n804000107\n";

    #[test]
    fn headings_are_the_ids() {
        let text = format!("Grid 01\n{ROWS}Grid 02\n{}\ngrid 3\r\n{ROWS}", &ROWS[10..]);
        let all = read_all(text.as_bytes(), Default::default()).records;
        let told: Vec<_> = all
            .iter()
            .map(|read| (std::str::from_utf8(&read.id).unwrap(), read.line, &read.body[..7]))
            .collect();
        assert_eq!(told, [("Grid 01", 1, "1030005"), ("Grid 02", 11, "invalid"), ("grid 3", 21, "1030005")]);
        assert_eq!(all[1].body, "invalid: 8 rows of 9 cells are not a grid");
    }

    #[test]
    fn a_heading_without_a_grid_is_one_record() {
        let (most, last) = ROWS.split_at(80);
        let text = format!("Grid 01\n{most} Grid 7010\n{last}Grid 02\n{ROWS}Grid 03\nabc\n\n12\nGrid 04\n");
        let all = read_all(text.as_bytes(), Default::default()).records;
        let told: Vec<_> = all.iter().map(|read| (read.line, &read.body[..])).collect();
        let none = "invalid: no grid after this heading";
        assert_eq!(told[..2], [(1, "invalid: 8 rows of 9 cells are not a grid"), (10, none)]);
        assert!(told[2].0 == 12 && told[2].1.starts_with("1030005"), "{told:?}");
        assert_eq!(told[3..], [(22, none), (26, "invalid: 0 cells: no grid has this many cells")]);
    }

    #[test]
    fn a_stray_line_after_a_heading_goes_into_the_chunk_of_the_grid() {
        let stray = "0030 and 0\n";
        let text =
            format!("Grid 01\n{stray}{ROWS}Grid 02\n{stray}{stray}{ROWS}Grid 03\n{ROWS}Grid 04\n{stray}");
        let whole = read_all(text.as_bytes(), Default::default()).records;
        assert!(whole.iter().any(|read| read.body.contains("outside of any grid")), "{whole:?}");
        assert!(whole.iter().any(|read| read.id == b"Grid 03" && !read.body.starts_with("invalid")));
        for (bytes, records) in [(1, 1), (1, 100), (40, 2), (1 << 20, 1)] {
            let cut = read_in_chunks(text.as_bytes(), Default::default(), ChunkTarget { bytes, records });
            assert_eq!(cut.records, whole);
        }
    }
}

mod sdk {
    use crate::input::testing::{bodies, read_all};
    use crate::input::{Format, InputOptions};

    const ROWS: &str =
        "1.3...5.9\n..21.94..\n...7.4...\n3..5.2..6\n.6.....5.\n7..8.3..4\n...4.1...\n..92.58..\n8.4...1.7\n";

    #[test]
    fn only_the_puzzle_section_counts() {
        let sections = format!("#Anobody\n#D one\n[Puzzle]\n{ROWS}[State]\n{}\n", ROWS.replace('.', "1"));
        let all = read_all(sections.as_bytes(), InputOptions::default());
        assert_eq!(bodies(&all).len(), 1);
        assert!(bodies(&all)[0].starts_with("103000509002109400"));
        assert_eq!((all.records[0].line, all.records[0].text.len()), (4, 89));
        let named = InputOptions { format: Some(Format::Sdk), ..InputOptions::default() };
        assert_eq!(bodies(&read_all(format!("#A me\r\n{ROWS}").as_bytes(), named)), bodies(&all));
    }
}
