//! Parquet and Arrow as input and output: `cargo test --features parquet --test cli tables`.

#[cfg(not(feature = "parquet"))]
use crate::quadrille;

#[cfg(not(feature = "parquet"))]
#[test]
fn a_build_without_tables_says_how_to_enable_them() {
    let dir = tempfile::tempdir().expect("a directory");
    for (bytes, word) in
        [(&b"PAR1...."[..], "Parquet"), (b"ARROW1\0\0", "Arrow"), (b"\xff\xff\xff\xff", "Arrow")]
    {
        let path = dir.path().join("input");
        std::fs::write(&path, bytes).expect("a file");
        let said = quadrille("solve").arg(&path).fails(6);
        assert!(said.contains(word) && said.contains("--features parquet"), "{said}");
    }
    for words in ["--to parquet", "-o OUT.arrow"] {
        let words = words.replace("OUT", dir.path().join("out").to_str().expect("text"));
        let said = quadrille("solve data/4x4.txt").args(&words).fails(2);
        assert!(said.contains("--features parquet"), "{said}");
    }
    let said = quadrille("solve --from parquet data/4x4.txt").fails(6);
    assert!(said.contains("--features parquet"), "{said}");
}

#[cfg(feature = "parquet")]
mod with_tables {
    use std::fs::File;
    use std::path::Path;
    use std::sync::Arc;

    use arrow_array::cast::AsArray;
    use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
    use arrow_array::{
        Array, ArrayRef, Int64Array, ListArray, RecordBatch, StringArray, StructArray, UInt64Array,
    };
    use arrow_schema::{DataType, Field, Schema};
    use parquet::arrow::ArrowWriter;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use parquet::file::properties::WriterProperties;

    use crate::{POJ, quadrille};

    fn lines(path: &str) -> Vec<String> {
        std::fs::read_to_string(path).expect("data of the package").lines().map(str::to_owned).collect()
    }

    /// Writes columns to a Parquet file with row groups of `rows` rows.
    fn write(path: &Path, columns: Vec<(&str, ArrayRef)>, rows: usize) {
        let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(rows)).build();
        let file = File::create(path).expect("a file");
        let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("a writer");
        writer.write(&batch).expect("rows are written");
        writer.close().expect("the file is complete");
    }

    /// Reads a Parquet file as one batch, with its key-value metadata.
    fn read(path: &Path) -> (RecordBatch, Vec<(String, String)>) {
        let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).expect("it is there"));
        let builder = builder.expect("a Parquet file");
        let about = builder.metadata().file_metadata().key_value_metadata().cloned().unwrap_or_default();
        let about = about.into_iter().map(|pair| (pair.key, pair.value.unwrap_or_default())).collect();
        let schema = Arc::clone(builder.schema());
        let batches: Vec<_> = builder.build().expect("a reader").map(|batch| batch.expect("rows")).collect();
        (arrow_select::concat::concat_batches(&schema, &batches).expect("one schema"), about)
    }

    fn strings(batch: &RecordBatch, name: &str) -> Vec<Option<String>> {
        let column = batch.column_by_name(name).expect("a column of this name");
        match column.data_type() {
            DataType::Dictionary(..) => {
                let dictionary = column.as_any_dictionary();
                let words = dictionary.values().as_string::<i32>();
                let keys = dictionary.normalized_keys();
                (0..column.len())
                    .map(|row| column.is_valid(row).then(|| words.value(keys[row]).to_owned()))
                    .collect()
            }
            _ => column.as_string::<i32>().iter().map(|value| value.map(str::to_owned)).collect(),
        }
    }

    fn text(values: &[&str]) -> ArrayRef {
        Arc::new(StringArray::from(values.to_vec()))
    }

    /// Returns the checksum in a statistics file.
    fn checksum(path: &Path) -> String {
        let text = std::fs::read_to_string(path).expect("statistics");
        let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        json["checksum"].as_str().expect("a checksum").to_owned()
    }

    #[test]
    fn rows_are_those_of_text_for_any_threads_and_row_groups() {
        let dir = tempfile::tempdir().expect("a directory");
        let at = |name: &str| dir.path().join(name);
        // Puzzles with no solution, one and several, for both column chunks and record chunks.
        let mut puzzles = lines("data/random-1000.txt");
        puzzles.extend(lines("data/multiple-3000.txt").into_iter().take(500));
        puzzles.insert(7, format!("11{}", ".".repeat(79)));
        puzzles.insert(9, format!("12345678.........9{}", ".".repeat(63)));
        let puzzles: Vec<String> =
            puzzles.iter().filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect();
        std::fs::write(at("in.txt"), puzzles.join("\n") + "\n").expect("a file");
        let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..puzzles.len() as i64));
        let column: ArrayRef = Arc::new(StringArray::from_iter_values(&puzzles));
        write(&at("in.parquet"), vec![("id", ids), ("puzzle", column)], 400);
        for verb in ["solve", "solve --unique", "count", "check"] {
            let csv = at("out.csv");
            quadrille(verb)
                .arg(at("in.txt"))
                .args("--to csv --stats-out")
                .arg(at("text.json"))
                .arg("-o")
                .arg(&csv)
                .prints();
            let mut reader = csv::Reader::from_path(&csv).expect("rows");
            let header = reader.headers().expect("a header").clone();
            let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a row")).collect();
            let mut files = Vec::new();
            for threads in ["-j1", "-j3"] {
                let out = at(&format!("out{threads}.parquet"));
                quadrille(verb).arg(at("in.parquet")).arg("-o").arg(&out).arg(threads).prints();
                files.push(std::fs::read(&out).expect("the output"));
            }
            assert!(files[0] == files[1], "{verb}: one thread and three give the same bytes");
            let (batch, about) = read(&at("out-j3.parquet"));
            assert_eq!(batch.num_rows(), puzzles.len());
            let ids = batch.column_by_name("id").expect("it is kept").as_primitive::<Int64Type>();
            assert!(ids.values().iter().copied().eq(0..puzzles.len() as i64));
            for name in ["status", "solution", "reason", "ended_by"] {
                let Some(place) = header.iter().position(|column| column == name) else { continue };
                let ours = strings(&batch, &format!("q_{name}"));
                for (row, ours) in rows.iter().zip(ours) {
                    assert_eq!(&row[place], ours.as_deref().unwrap_or(""), "{verb} {name} of {:?}", &row[0]);
                }
            }
            if verb == "count" {
                let place = header.iter().position(|column| column == "count").expect("counts");
                let counts = batch.column_by_name("q_count").expect("counts");
                let counts = counts.as_primitive::<arrow_array::types::UInt64Type>();
                assert!(rows.iter().zip(counts).all(|(row, count)| row[place].parse().ok() == count));
            }
            let sum = about.iter().find(|(key, _)| key == "q_checksum").map(|(_, value)| value.clone());
            assert_eq!(sum.as_deref(), Some(&*checksum(&at("text.json"))), "{verb}");
        }
    }

    fn reals(batch: &RecordBatch, name: &str) -> Vec<Option<f64>> {
        batch
            .column_by_name(name)
            .expect("a column of this name")
            .as_primitive::<Float64Type>()
            .iter()
            .collect()
    }

    /// A rating only known to exceed a bound is null, and another column holds its lower bound.
    ///
    /// Puzzles above 3.0 can therefore be selected whatever the bound, also in a table.
    #[test]
    fn ratings_above_a_bound_have_a_column_of_their_own() {
        let dir = tempfile::tempdir().expect("a directory");
        let at = |name: &str| dir.path().join(name);
        let puzzles: Vec<String> =
            lines("data/random-1000.txt").iter().take(120).map(|line| line[..81].to_owned()).collect();
        std::fs::write(at("in.txt"), puzzles.join("\n") + "\n" + &".".repeat(81)).expect("a file");
        let column: ArrayRef = Arc::new(StringArray::from_iter_values(
            puzzles.iter().map(String::as_str).chain([&*".".repeat(81)]),
        ));
        write(&at("in.parquet"), vec![("puzzle", column)], 50);
        let text = quadrille("rate").arg(at("in.txt")).prints();
        let is_harder = |line: &str, than: f64| line.parse().is_ok_and(|rating: f64| rating > than);
        let hard = text.lines().filter(|line| is_harder(line, 3.0)).count();
        assert!(hard > 20);
        for (max_rating, input, prefix, format) in [
            ("2.6", "in.txt", "", "parquet"),
            ("2.9", "in.parquet", "q_", "parquet"),
            ("3.0", "in.txt", "", "arrow"),
        ] {
            let out = at(&format!("out.{format}"));
            let run = quadrille("rate --fields puzzle,status,rating,er,ep,ed --max-rating").arg(max_rating);
            run.arg(at(input)).arg("-o").arg(&out).prints();
            let parquet = at("again.parquet");
            let batch = if format == "arrow" {
                quadrille("convert").arg(&out).arg("-o").arg(&parquet).prints();
                read(&parquet).0
            } else {
                read(&out).0
            };
            let names: Vec<String> =
                batch.schema().fields().iter().map(|field| field.name().clone()).collect();
            let ours = ["rating", "er", "ep", "ed"].map(|name| [name.to_owned(), format!("{name}_at_least")]);
            let ours: Vec<String> = ours.concat().iter().map(|name| format!("{prefix}{name}")).collect();
            assert_eq!(names[names.len() - 8..], ours);
            let column = |name: &str| reals(&batch, &format!("{prefix}{name}"));
            let (er, at_least) = (column("er"), column("er_at_least"));
            assert_eq!((&er, &at_least), (&column("rating"), &column("rating_at_least")));
            let next = max_rating.parse::<f64>().expect("a number") * 10.0 + 1.0;
            for ((text, er), at_least) in text.lines().zip(&er).zip(&at_least) {
                match text.parse::<f64>() {
                    Ok(rating) if er.is_some() => assert_eq!((*er, *at_least), (Some(rating), None)),
                    Ok(rating) => {
                        assert_eq!(*at_least, Some(next.round() / 10.0));
                        assert!(at_least.is_some_and(|least| least <= rating));
                    }
                    // Without a unique solution, the rating and its bound are null.
                    Err(_) => assert_eq!((*er, *at_least), (None, None)),
                }
            }
            let found = er.iter().zip(&at_least).filter(|(er, at_least)| {
                er.is_some_and(|er| er > 3.0) || at_least.is_some_and(|at_least| at_least >= 3.0)
            });
            assert!(found.count() >= hard || max_rating == "2.6", "{max_rating}");
            let (ed, first) = (column("ed"), column("ed_at_least"));
            assert!(
                ed.iter()
                    .zip(&first)
                    .zip(&er)
                    .all(|((ed, at_least), er)| er.is_none() || ed.is_some() && at_least.is_none())
            );
        }
        // Numbers of guesses are always exact.
        let out = at("guesses.parquet");
        quadrille("rate --scale guesses").arg(at("in.txt")).arg("-o").arg(&out).prints();
        assert!(read(&out).0.column_by_name("rating_at_least").is_none());
    }

    #[test]
    fn nested_columns_are_kept_and_bad_values_are_invalid() {
        let dir = tempfile::tempdir().expect("a directory");
        let (input, out) = (dir.path().join("in.parquet"), dir.path().join("out.parquet"));
        let puzzles: ArrayRef = Arc::new(StringArray::from(vec![
            Some(POJ),
            None,
            Some(""),
            Some(&POJ[1..]),
            Some("12"),
            Some(POJ),
            Some(POJ),
        ]));
        let rules = text(&["", "", "", "", "", "dragon", " "]);
        let inner: ArrayRef = Arc::new(UInt64Array::from_iter_values(0..7));
        let nested = StructArray::from(vec![(Arc::new(Field::new("x", DataType::UInt64, false)), inner)]);
        let lists = ListArray::from_iter_primitive::<Int64Type, _, _>(
            (0..7).map(|row| (row != 3).then(|| vec![Some(row), None])),
        );
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("lists", Arc::new(lists)),
            ("nested", Arc::new(nested)),
            ("Puzzle", puzzles),
            ("rules", rules),
        ];
        write(&input, columns, 3);
        let rejects = dir.path().join("rejects.txt");
        quadrille("solve").arg(&input).arg("-o").arg(&out).arg("--rejects").arg(&rejects).ends_with(6);
        let (answered, _) = read(&out);
        let (given, _) = read(&input);
        for column in 0..4 {
            assert_eq!(answered.column(column), given.column(column));
        }
        let status = strings(&answered, "q_status");
        let words: Vec<&str> = status.iter().flatten().map(String::as_str).collect();
        assert_eq!(words, ["solved", "invalid", "invalid", "invalid", "invalid", "unsupported", "solved"]);
        let reasons = strings(&answered, "q_reason");
        assert_eq!(reasons[1].as_deref(), Some("null"));
        assert_eq!(reasons[5].as_deref(), Some("rules: item 1: `dragon` is not supported"));
        let rejected = std::fs::read_to_string(&rejects).expect("rejects");
        assert_eq!(rejected.lines().count(), 4, "{rejected}");
        assert!(rejected.starts_with("2\t"), "rows are their lines: {rejected}");
        // A second run keeps the columns of the first.
        let again = dir.path().join("again.parquet");
        quadrille("count -q").arg(&out).arg("-o").arg(&again).ends_with(6);
        let schema: Arc<Schema> = read(&again).0.schema();
        assert!(
            schema.column_with_name("q_status").is_some() && schema.column_with_name("q_status_2").is_some()
        );
    }

    #[test]
    fn rules_and_regions_are_columns() {
        let dir = tempfile::tempdir().expect("a directory");
        let (input, out) = (dir.path().join("in.parquet"), dir.path().join("out.parquet"));
        let empty = ".".repeat(16);
        let puzzles = text(&[&empty, &empty, &empty, &empty, "1234341221434321"]);
        let rules: ArrayRef =
            Arc::new(StringArray::from(vec![Some("x"), Some(".NoBoxes"), None, Some(""), Some("x1")]));
        let boxes = [0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3];
        let rows = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3];
        let list = |cells: [i64; 16]| Some(cells.map(Some).to_vec());
        let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>([
            None,
            None,
            list(boxes),
            list(rows),
            None,
        ]));
        write(&input, vec![("puzzle", puzzles.clone()), ("rules", rules.clone()), ("regions", lists)], 2);
        quadrille("count").arg(&input).arg("-o").arg(&out).ends_with(0);
        let (answered, _) = read(&out);
        let column = answered.column_by_name("q_count").expect("counts").as_primitive::<UInt64Type>();
        assert_eq!(column.values()[..], [48, 576, 288, 576, 0]);
        // Layouts in letters; records of text converted to a table that has their rules.
        let letters = text(&["", "", "aabbaabbccddccdd", "AAAABBBBCCCCDDDD", ""]);
        write(&input, vec![("regions", letters), ("puzzle", puzzles), ("rules", rules)], 9);
        let counts = quadrille("count --to text").arg(&input).prints();
        assert_eq!(counts, "48\n576\n288\n576\n0\n");
        let table = dir.path().join("of-text.parquet");
        let fields = "count --fields puzzle,rules,count -o";
        quadrille(fields).arg(&table).stdin(format!("{empty}\t.Diagonal~1\n{empty}\n")).ends_with(0);
        assert_eq!(quadrille("count --to text").arg(&table).prints(), "48\n288\n");
        // Rules of the wrong type are an error.
        let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1]));
        write(&input, vec![("puzzle", text(&[POJ])), ("rules", numbers)], 9);
        let said = quadrille("solve").arg(&input).fails(6);
        assert!(said.contains("column rules is Int64: rules and regions are strings"), "{said}");
        let bad: ArrayRef =
            Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>([Some(vec![Some(-1)])]));
        write(&input, vec![("puzzle", text(&[POJ])), ("regions", bad)], 9);
        let told = quadrille("solve --to text").arg(&input).ends();
        assert!(told.out.starts_with("invalid\t"), "{}", told.out);
    }

    /// Input columns keep their names between text and tables, in both directions and in mixed inputs.
    #[test]
    fn columns_are_kept_between_text_and_tables() {
        let dir = tempfile::tempdir().expect("a directory");
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("a.csv"), format!("id,quizzes,note\n7,{POJ},\"a, b\"\n")).expect("written");
        std::fs::write(at("b.csv"), format!("note;more;puzzle\nsecond;x;{POJ}\n")).expect("written");
        let object = format!("{{\"puzzle\":\"{POJ}\",\"note\":{{\"a\":[1]}},\"id\":9}}\n");
        std::fs::write(at("c.jsonl"), format!("{object}{{\"puzzle\":\"{POJ}\",\"late\":1}}\n"))
            .expect("written");
        let rates: ArrayRef = Arc::new(Int64Array::from(vec![Some(5), None]));
        let columns = || {
            vec![("note", text(&["in a table", "2"])), ("rate", rates.clone()), ("puzzle", text(&[POJ, POJ]))]
        };
        write(&at("t.parquet"), columns(), 9);
        quadrille("convert -q").arg(at("t.parquet")).arg("-o").arg(at("t.arrow")).prints();
        let run = |words: &str| {
            let mut run = quadrille(words);
            run.command.current_dir(dir.path());
            run
        };
        // Text to tables: columns of strings, then the columns that the program adds.
        for (verb, status) in
            [("solve", "solved"), ("check", "unique"), ("count", "counted"), ("rate", "unique")]
        {
            let ended =
                run(&format!("{verb} a.csv b.csv c.jsonl t.parquet t.arrow -o out.parquet")).ends_with(0);
            let (batch, _) = read(&at("out.parquet"));
            let names: Vec<_> = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
            assert_eq!(names[..4], ["id", "quizzes", "note", "q_status"], "{verb}");
            assert_eq!(batch.num_rows(), 8, "{verb}");
            let notes = ["a, b", "second", "{\"a\":[1]}", "", "in a table", "2", "in a table", "2"];
            let found = strings(&batch, "note");
            let found: Vec<&str> = found.iter().map(|note| note.as_deref().unwrap_or_default()).collect();
            assert_eq!(found, notes, "{verb}");
            let puzzles = strings(&batch, "quizzes");
            assert!(puzzles.iter().all(|puzzle| puzzle.as_deref() == Some(POJ)), "{verb}");
            assert_eq!(strings(&batch, "id")[..3], [Some("7".into()), None, Some("9".into())]);
            let statuses = strings(&batch, "q_status");
            assert!(statuses.iter().all(|word| word.as_deref() == Some(status)), "{verb}: {statuses:?}");
            for told in [
                "columns of 4 records\n",
                "b.csv: more (1 record)\n",
                "c.jsonl: late (1 record)\n",
                "t.arrow: rate (1 record)\n",
                "t.parquet: rate (1 record)\n",
            ] {
                assert!(ended.err.contains(told), "{verb}: {}", ended.err);
            }
        }
        // Tables to text.
        let csv = run("check --to csv t.parquet b.csv").ends_with(0);
        assert_eq!(
            csv.out,
            format!(
                "note,rate,puzzle,q_status,q_reason,q_ended_by\nin a table,5,{POJ},unique,,complete\n2,,{POJ},unique,,complete\n\
                 second,,{POJ},unique,,complete\n"
            )
        );
        assert!(csv.err.contains("b.csv: more (1 record)\n"), "{}", csv.err);
        let csv = run("solve --to csv --fields status a.csv t.arrow").ends_with(0);
        assert_eq!(
            csv.out,
            format!(
                "id,quizzes,note,q_status\n7,{POJ},\"a, b\",solved\n,{POJ},in a table,solved\n,{POJ},2,solved\n"
            )
        );
        assert!(csv.err.contains("t.arrow: rate (1 record)\n"), "{}", csv.err);
        for order in ["t.parquet b.csv", "c.jsonl t.parquet"] {
            let json = run(&format!("check --to jsonl --fields status {order}")).ends_with(0);
            let row = format!(
                "{{\"note\":\"in a table\",\"rate\":5,\"puzzle\":\"{POJ}\",\"q_status\":\"unique\"}}\n"
            );
            assert!(json.out.contains(&row) && json.err.is_empty(), "{order}: {} {}", json.out, json.err);
        }
        let csv = run("convert --to csv --to-blank 0 a.csv t.parquet").ends_with(0);
        assert!(csv.out.ends_with(&format!("\n,{POJ},in a table\n,{POJ},2\n")), "{}", csv.out);
        // `dedup` writes the kept rows of a table as lines, or under the columns of a first source that is text.
        let kept = run("dedup --all t.parquet").ends_with(0);
        assert_eq!(kept.out, format!("{POJ}\t1\t1\t2\n").repeat(2));
        assert!(kept.err.contains("t.parquet: note (2 records), rate (1 record)\n"), "{}", kept.err);
        let kept = run("dedup --all a.csv t.parquet").ends_with(0);
        assert!(kept.out.ends_with(&format!("\n,{POJ},in a table,1,1,3\n,{POJ},2,1,1,3\n")), "{}", kept.out);
        // If the first input is a table, the others must be tables with the same columns.
        std::fs::write(at("lines.txt"), format!("{POJ}\n")).expect("written");
        write(&at("other.parquet"), vec![("puzzle", text(&[POJ]))], 9);
        let no_table = "not a table, but the first input is one (name a text first";
        let others = ["a.csv", "c.jsonl", "lines.txt"].map(|other| (other, no_table));
        for (other, reason) in
            others.into_iter().chain([("other.parquet", "the columns differ from those of the first")])
        {
            let said = run(&format!("solve t.parquet {other} -o x.parquet")).fails(2);
            assert!(said.contains(&format!("{other}: {reason}")), "{said}");
        }
        // The first source is the first source with a record.
        std::fs::write(at("empty.csv"), "").expect("written");
        run("solve empty.csv t.parquet -o x.parquet").ends_with(0);
        assert_eq!(strings(&read(&at("x.parquet")).0, "note")[1].as_deref(), Some("2"));
    }

    /// Like `rules::records_with_the_rules_of_the_first_record_are_solved_in_lanes`, for columns of a table.
    #[test]
    fn rows_with_the_rules_of_the_first_row_are_solved_in_lanes() {
        let dir = tempfile::tempdir().expect("a directory");
        let input = dir.path().join("in.parquet");
        let made = quadrille("generate minimal --count 40 --seed 4 --rules anti-king").ends().out;
        let mut puzzles: Vec<&str> = made.lines().map(|line| line.split('\t').next().unwrap()).collect();
        puzzles[20] = "not a puzzle";
        let mut rules = vec![Some(".AntiKing"); 40];
        rules[30] = Some(".Diagonal~1");
        rules[31] = None;
        let column: ArrayRef = Arc::new(StringArray::from(rules));
        write(&input, vec![("puzzle", text(&puzzles)), ("rules", column)], 7);
        let rows = |words: &str| {
            let words = format!("solve --unique --to text --fields index,status,reason,engine {words}");
            quadrille(&words).arg(&input).ends().out
        };
        let expected = rows("-j1");
        assert!(expected.starts_with("1\tunique\t\tvariant\n2\tunique\t\tlanes\n"), "{expected}");
        // All records, even those without rules, are solved in lanes, except for the first, the invalid one and
        // the one with a diagonal.
        assert_eq!(expected.lines().filter(|row| row.ends_with("\tlanes")).count(), 37, "{expected}");
        assert_eq!(rows("-j2 --chunk-bytes 500"), expected);
    }

    #[test]
    fn integers_lists_and_larger_grids_are_read() {
        let dir = tempfile::tempdir().expect("a directory");
        let input = dir.path().join("in.parquet");
        let list = |digits: Vec<Option<i64>>| Some(digits);
        let four = "1234341221434320".bytes().map(|byte| Some(i64::from(byte - b'0'))).collect();
        let mut sixteen = vec![Some(0); 256];
        sixteen[0] = Some(16);
        let lists = ListArray::from_iter_primitive::<Int64Type, _, _>([
            list(four),
            list(sixteen),
            list(vec![Some(1); 80]),
            list(vec![Some(17); 256]),
            None,
            list(vec![Some(-1); 16]),
        ]);
        write(&input, vec![("sudoku", Arc::new(lists))], 100);
        // As in a text, no side is the usual one, so the caller must say that all are meant.
        let refused = quadrille("solve").arg(&input).ends_with(6);
        assert!(refused.err.contains("its grids have several sides"), "{}", refused.err);
        let rows = quadrille("solve --side any --fields status,solution,reason").arg(&input).prints();
        let lines: Vec<&str> = rows.lines().collect();
        assert_eq!(lines[0], "solved\t1234341221434321\t");
        assert!(lines[1].starts_with("solved\tG"), "{}", lines[1]);
        assert_eq!(lines[2], "invalid\t\t80 numbers: no grid has this many cells");
        assert_eq!(lines[3], "invalid\t\t17 in cell 1 is not a digit of a 16x16");
        assert_eq!(lines[4], "invalid\t\tnull");
        assert!(lines[5].starts_with("solved\t1234"), "-1 is an empty cell: {}", lines[5]);
    }

    #[test]
    fn puzzles_cut_off_by_a_spreadsheet_are_invalid_whatever_the_output() {
        let dir = tempfile::tempdir().expect("a directory");
        let input = dir.path().join("in.parquet");
        let cut_off = format!("826541937123450{}", "0".repeat(66));
        write(&input, vec![("puzzle", text(&[&cut_off, &lines("data/hard-300.txt")[0]]))], 100);
        for form in ["text", "csv", "jsonl"] {
            let rows =
                quadrille("solve --unique -q --fields status,reason --to").arg(form).arg(&input).prints();
            assert_eq!(rows.matches("invalid").count(), 1, "{rows}");
            assert_eq!(rows.matches("a number rounded by a spreadsheet").count(), 1, "{rows}");
        }
    }

    #[test]
    fn digits_from_zero_are_known_by_their_head() {
        let dir = tempfile::tempdir().expect("a directory");
        let digit = |row: usize, column: usize| b"0123456789ABCDEF"[(4 * row + row / 4 + column) % 16];
        let solution: String = (0..256).map(|cell| char::from(digit(cell / 16, cell % 16))).collect();
        let puzzle = format!("....{}", &solution[4..]);
        let [parquet, arrow] = ["in.parquet", "in.arrow"].map(|name| dir.path().join(name));
        write(&parquet, vec![("puzzle", text(&[&*puzzle; 2])), ("solution", text(&[&*solution; 2]))], 9);
        quadrille("convert -q").arg(&parquet).arg("-o").arg(&arrow).prints();
        for input in [&parquet, &arrow] {
            assert_eq!(quadrille("check").arg(input).prints(), "correct\ncorrect\n");
            assert_eq!(quadrille("solve --unique").arg(input).prints(), format!("{solution}\n").repeat(2));
        }
        // Lists hold numbers: 0 is an empty cell, unless the caller says that it is a digit.
        let list = |cells: &str| {
            Some(cells.bytes().map(|byte| (byte != b'.').then(|| i64::from(byte - b'0'))).collect::<Vec<_>>())
        };
        let nine: String = (0..81)
            .map(|cell| char::from(b'0' + ((cell / 9 * 3 + cell / 27 + cell % 9) % 9) as u8))
            .collect();
        let lists = ListArray::from_iter_primitive::<Int64Type, _, _>([list(&format!("..{}", &nine[2..]))]);
        write(&parquet, vec![("sudoku", Arc::new(lists))], 9);
        let solved = quadrille("solve --unique --symbols from-zero").arg(&parquet).prints();
        assert_eq!(solved, format!("{nine}\n"));
        let refused = quadrille("solve").arg(&parquet).ends();
        assert!(refused.err.contains("choose --symbols from-zero"), "{}", refused.err);
    }

    #[test]
    fn tables_can_be_compared_and_have_one_row_per_solution() {
        let dir = tempfile::tempdir().expect("a directory");
        let at = |name: &str| dir.path().join(name);
        let grids = ["1234341221434321", "2143432112343412", "1234341223414123", "1234341221434321"];
        write(&at("in.parquet"), vec![("puzzle", text(&grids)), ("name", text(&["a", "b", "c", "d"]))], 2);
        quadrille("dedup -q").arg(at("in.parquet")).arg("-o").arg(at("kept.parquet")).prints();
        assert_eq!(
            strings(&read(&at("kept.parquet")).0, "name"),
            [Some("a".to_owned()), Some("c".to_owned())]
        );
        quadrille("dedup -q --all").arg(at("in.parquet")).arg("-o").arg(at("all.parquet")).prints();
        let (all, _) = read(&at("all.parquet"));
        let sizes =
            all.column_by_name("q_size").expect("sizes").as_primitive::<arrow_array::types::UInt64Type>();
        assert_eq!(sizes.values(), &[3, 3, 1, 3]);
        quadrille("overlap -q")
            .arg(at("kept.parquet"))
            .arg(at("in.parquet"))
            .arg("-o")
            .arg(at("leak.parquet"))
            .prints();
        let (leak, _) = read(&at("leak.parquet"));
        let relations: Vec<_> = strings(&leak, "q_relation").into_iter().flatten().collect();
        assert_eq!(relations, ["copy", "isomorph", "copy", "copy"]);
        write(
            &at("open.parquet"),
            vec![("puzzle", text(&["12343412........", grids[0]])), ("name", text(&["x", "y"]))],
            9,
        );
        quadrille("solve --all -q").arg(at("open.parquet")).arg("-o").arg(at("several.parquet")).prints();
        let (several, _) = read(&at("several.parquet"));
        assert_eq!(strings(&several, "name").into_iter().flatten().collect::<String>(), "xxxxy");
    }

    /// Writes the same puzzles in every format and returns the files.
    fn in_every_format(dir: &Path, puzzles: &[String]) -> Vec<std::path::PathBuf> {
        let at = |name: &str| dir.join(name);
        std::fs::write(at("in.txt"), puzzles.join("\n") + "\n").expect("written");
        std::fs::write(at("in.csv"), format!("n,puzzle\n1,{}\n", puzzles.join("\n1,"))).expect("written");
        let objects: String = puzzles.iter().map(|puzzle| format!("{{\"puzzle\":\"{puzzle}\"}}\n")).collect();
        std::fs::write(at("in.jsonl"), objects).expect("written");
        let column: ArrayRef = Arc::new(StringArray::from_iter_values(puzzles));
        write(&at("in.parquet"), vec![("puzzle", Arc::clone(&column))], 300);
        let batch = RecordBatch::try_from_iter([("puzzle", column)]).expect("one column");
        let file = File::create(at("in.arrow")).expect("a file");
        let mut arrow = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).expect("a writer");
        arrow.write(&batch).and_then(|()| arrow.finish()).expect("written");
        ["in.txt", "in.csv", "in.jsonl", "in.parquet", "in.arrow"].map(at).into()
    }

    fn thousand() -> Vec<String> {
        let mut puzzles = lines("data/random-1000.txt");
        puzzles[7] = "80 characters".to_owned();
        puzzles[500] = POJ[1..].to_owned();
        puzzles
    }

    #[test]
    fn bytes_and_checksums_depend_on_neither_threads_nor_formats() {
        let dir = tempfile::tempdir().expect("a directory");
        let at = |name: &str| dir.path().join(name);
        let mut sums = Vec::new();
        for input in in_every_format(dir.path(), &thousand()) {
            let statistics = at("stats.json");
            let name = input.display().to_string();
            quadrille("solve --unique -q").arg(&input).arg("--stats-out").arg(&statistics).prints();
            sums.push((name, checksum(&statistics)));
        }
        assert!(sums.iter().all(|(_, sum)| *sum == sums[0].1), "{sums:?}");
        for (input, output) in [
            ("in.parquet", "out.parquet"),
            ("in.parquet", "out.arrow"),
            ("in.arrow", "out.parquet"),
            ("in.csv", "out.arrow"),
        ] {
            let made: Vec<Vec<u8>> = ["-j1", "-j2", "-j8"]
                .map(|threads| {
                    let run = quadrille("solve --unique -q --chunk-bytes 2k").arg(threads);
                    run.arg(at(input)).arg("-o").arg(at(output)).prints();
                    std::fs::read(at(output)).expect("the output")
                })
                .into();
            assert!(made[0] == made[1] && made[0] == made[2], "{input} to {output}");
        }
    }

    /// Returns the rows of all parts of a directory in the order of the parts.
    fn parts(directory: &Path) -> RecordBatch {
        let names = (0..).map(|number| directory.join(format!("part-{number:05}.parquet")));
        let batches: Vec<_> = names.take_while(|path| path.exists()).map(|path| read(&path).0).collect();
        let left = std::fs::read_dir(directory).expect("it is there").count();
        assert_eq!(left, batches.len(), "nothing else is in the directory");
        arrow_select::concat::concat_batches(&batches[0].schema(), &batches).expect("one schema")
    }

    #[test]
    fn a_directory_of_parts_resumes_where_a_killed_run_ended() {
        let dir = tempfile::tempdir().expect("a directory");
        let at = |name: &str| dir.path().join(name);
        let puzzles: Vec<String> = (0..10).flat_map(|_| thousand()).collect();
        let column: ArrayRef = Arc::new(StringArray::from_iter_values(&puzzles));
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..puzzles.len() as i64));
        write(&at("in.parquet"), vec![("puzzle", column), ("n", numbers)], 1500);
        let run = |out: &str| {
            let run = quadrille("solve --unique -q --engine dlx").arg(at("in.parquet"));
            run.arg("-o").arg(format!("{}/", at(out).display())).arg("--stats-out").arg(at("stats.json"))
        };
        run("whole").prints();
        let sum = checksum(&at("stats.json"));
        let (expected, checkpoint) = (parts(&at("whole")), at("checkpoint"));
        let again =
            || run("killed").arg("--checkpoint").arg(&checkpoint).args("--checkpoint-every 5ms --resume");
        let mut kills = 0;
        loop {
            let before = std::fs::read_dir(at("killed")).map_or(0, Iterator::count);
            let mut child = again().starts();
            crate::wait_for("a part or the end", || {
                child.try_wait().expect("it is a child").is_some()
                    || std::fs::read_dir(at("killed")).map_or(0, Iterator::count) > before + 2
            });
            // The run may complete before the kill; its output is then whole.
            if child.kill().is_ok() && !child.wait().expect("it ends").success() {
                kills += 1;
                if kills < 3 {
                    continue;
                }
            }
            break;
        }
        if kills == 3 {
            again().prints();
        }
        let found = parts(&at("killed"));
        assert_eq!(found.schema().fields(), expected.schema().fields());
        assert!(found.columns() == expected.columns(), "{kills} kills, {} rows", found.num_rows());
        assert_eq!(checksum(&at("stats.json")), sum, "{kills} kills");
        assert!(!checkpoint.exists());
        let said = run("killed").fails(2);
        assert!(said.contains("has parts of an earlier run"), "{said}");
    }

    #[test]
    fn damaged_and_foreign_files_are_reported() {
        let dir = tempfile::tempdir().expect("a directory");
        let at = |name: &str| dir.path().join(name);
        write(&at("in.parquet"), vec![("x", text(&["a", "b"])), ("y", text(&["a", "b"]))], 9);
        let said = quadrille("solve").arg(at("in.parquet")).fails(6);
        assert!(said.contains("no column with a puzzle (name it with --column): x, y"), "{said}");
        write(&at("number.parquet"), vec![("puzzle", Arc::new(Int64Array::from(vec![1, 2])))], 9);
        let said = quadrille("solve").arg(at("number.parquet")).fails(6);
        assert!(said.contains("column puzzle is Int64: puzzles are strings or lists of integers"), "{said}");
        let number = std::fs::read(at("number.parquet")).expect("it is there");
        for length in [4, 5, 12, number.len() / 2, number.len() - 1] {
            std::fs::write(at("cut.parquet"), &number[..length]).expect("a file");
            let said = quadrille("solve").arg(at("cut.parquet")).fails(6);
            assert!(said.contains("a Parquet file that cannot be read"), "{length}: {said}");
        }
        // Text that begins like a Parquet file, and a real Parquet file cut in the middle.
        std::fs::write(at("cut.parquet"), format!("PAR1{POJ}\n").repeat(100)).expect("a file");
        let said = quadrille("solve").arg(at("cut.parquet")).fails(6);
        assert!(said.contains("a Parquet file that cannot be read"), "{said}");
        let column: ArrayRef = Arc::new(StringArray::from_iter_values(thousand()));
        write(&at("rows.parquet"), vec![("puzzle", column)], 100);
        let mut bytes = std::fs::read(at("rows.parquet")).expect("it is there");
        std::fs::write(at("cut.parquet"), &bytes[..bytes.len() / 2]).expect("a file");
        let said = quadrille("solve").arg(at("cut.parquet")).fails(6);
        assert!(said.contains("a Parquet file that cannot be read"), "{said}");
        // Files whose writer did not finish: all rows and then an error.
        for name in ["none.parquet", "none.ARROW"] {
            std::fs::write(at(name), "").expect("a file");
            let said = quadrille("solve").arg(at(name)).fails(6);
            assert!(said.contains("an empty file, which is not a table"), "{said}");
        }
        quadrille("convert data/random-1000.txt -q -o").arg(at("rows.arrow")).ends_with(0);
        assert_eq!(quadrille("solve -q").arg(at("rows.arrow")).prints().lines().count(), 1000);
        let whole = std::fs::read(at("rows.arrow")).expect("it is there");
        for lost in [1, 6, 10] {
            std::fs::write(at("cut.arrow"), &whole[..whole.len() - lost]).expect("a file");
            let ended = quadrille("solve -q").arg(at("cut.arrow")).ends_with(1);
            assert_eq!(ended.out.lines().count(), 1000, "{}", ended.err);
            assert!(ended.err.contains("has no footer"), "{}", ended.err);
        }
        // An intact footer with damaged rows.
        let middle = bytes.len() / 2;
        bytes[middle..middle + 500].fill(0xa5);
        std::fs::write(at("cut.parquet"), &bytes).expect("a file");
        let ended = quadrille("solve -q").arg(at("cut.parquet")).ends_with(1);
        assert!(ended.err.contains("cut.parquet"), "{}", ended.err);
        assert!(ended.out.lines().count() < 1000, "rows behind the damage are not made up");
        let said = quadrille("solve --from arrow data/4x4.txt").fails(6);
        assert!(said.contains("not arrow"), "{said}");
        let said = quadrille("solve data/4x4.txt --unordered -o").arg(at("out.parquet")).fails(2);
        assert!(said.contains("in order"), "{said}");
        let ended = quadrille("solve").stdin(number).ends_with(6);
        assert!(ended.err.contains("in a pipe"), "{}", ended.err);
    }
}
