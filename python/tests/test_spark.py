"""Verbs over Spark data frames, on a session of one core: the same answers, no row lost, duplicated or changed."""

import datetime
import json
import os
import sys

import pytest

import quadrille as q

pytest.importorskip("pyspark", reason="pyspark is not installed: pip install quadrille[spark]")

from pyspark.sql import SparkSession  # noqa: E402
from pyspark.sql import functions as f  # noqa: E402

import quadrille.spark as qs  # noqa: E402

PENTOMINOES_3X20 = 8  # Turned and mirrored solutions count too.


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """Creates a session of one core whose tasks run with this interpreter."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.master("local[1]").appName("test")
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.default.parallelism": "2",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "50",
        "spark.local.dir": str(tmp_path_factory.mktemp("spark")),
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def puzzles(lines):
    """Returns puzzles with one solution, several and none, and values that are missing or not puzzles."""
    return [*lines[:120], *lines[300:340], *lines[360:400], None, "12", None]


@pytest.fixture(scope="session")
def df(spark, puzzles):
    rows = list(enumerate(puzzles, 1))
    return spark.createDataFrame(rows, "id long, puzzle string").repartition(3).persist()


@pytest.fixture(scope="session")
def solved(df):
    return qs.solve(df, unique=True, statistics=True)


def by_id(frame, name):
    return [row[0] for row in frame.orderBy("id").select(name).collect()]


def test_rows_are_answered_as_in_the_package(df, solved, puzzles):
    here = q.solve(puzzles, unique=True)
    assert solved.columns == ["id", "puzzle", "q_status", "q_solution", "q_reason", "q_ended_by", "q_statistics"]
    assert by_id(solved, "q_status") == here.status and by_id(solved, "q_solution") == here.solution
    assert by_id(solved, "q_reason") == here.reason
    counts = qs.count(df, verify=False)
    assert dict(counts.dtypes)["q_count"] == "bigint" and by_id(counts, "q_count") == q.count(puzzles).count
    assert by_id(qs.rate(df, verify=False), "q_er") == q.rate(puzzles).rating
    bounded = qs.rate(df, verify=False, max_rating=2.0)
    assert by_id(bounded, "q_er_at_least") == q.rate(puzzles, max_rating=2.0).rating_at_least
    checked = df.join(solved.select("id", f.col("q_solution").alias("answers")), "id")
    assert by_id(qs.check(checked, verify=False), "q_status") == q.check(puzzles, here.solution).status
    two = qs.solve(df.where("id = 1 or id = 121"), limit=2)
    assert sorted(row[0] for row in two.select("id").collect()) == [1, 121, 121]


def test_images_keep_columns_and_fit_their_solutions(spark, lines, tmp_path):
    solved = q.solve(lines[:30]).solution
    rows = [(i, float(i), puzzle, solution) for i, (puzzle, solution) in enumerate(zip(lines, solved))]
    frame = spark.createDataFrame(rows, "id long, grade double, puzzle string, solution string").repartition(2)
    images = qs.augment(frame, copies=3, seed=4, statistics=tmp_path / "run.json")
    assert images.columns == ["id", "grade", "puzzle", "solution", "q_index", "q_copy", "q_transform"]
    found = images.collect()
    assert len(found) == 120 and all(row["grade"] == row["id"] for row in found)
    assert sorted((row["id"], row["q_copy"]) for row in found) == [(i, copy) for i in range(30) for copy in range(4)]
    assert set(q.check([row["puzzle"] for row in found], [row["solution"] for row in found]).status) == {"correct"}
    nested = spark.createDataFrame([(lines[0], [1])], "puzzle string, tags array<int>")
    with pytest.raises(Exception, match="the column tags is nested"):
        qs.augment(nested)


def test_counts_of_any_size_have_a_column(spark):
    sizes = ["." * 81, "11" + "." * 14, "." * 16]
    counts = qs.count(spark.createDataFrame([(i, text) for i, text in enumerate(sizes)], "id long, puzzle string"))
    assert by_id(counts, "q_count") == [None, 0, 288]
    assert by_id(counts, "q_count_large") == ["6670903752021072936960", None, None]


def test_a_column_that_is_named_and_lists_of_digits(spark, puzzles):
    digits = [[int(cell) if cell != "." else 0 for cell in text] for text in puzzles[:20]]
    frame = spark.createDataFrame([(i, row) for i, row in enumerate(digits)], "id int, grid array<int>")
    assert by_id(qs.solve(frame, "grid"), "q_solution") == q.solve(puzzles[:20]).solution
    with pytest.raises(ValueError):
        qs.solve(frame.select("id"))
    with pytest.raises(ValueError, match="q_statistics"):
        qs.solve(qs.solve(frame, "grid", statistics=True), "grid")


def test_columns_of_any_type_and_name_are_kept(spark, puzzles):
    now = datetime.datetime(2026, 1, 1, 12, 30, 1, 5)
    kinds = "id int, puzzle string, t timestamp, n timestamp_ntz, d date, m map<string,int>, `a.b` string, `c``d` string"
    rows = [(i, puzzles[i], now, now, now.date(), {"x": i}, f"a{i}", f"c{i}") for i in range(3)]
    rows.append((3, None, None, None, None, None, None, None))
    frame = spark.createDataFrame(rows, kinds)
    solved = qs.solve(frame, unique=True)
    assert solved.columns == [*frame.columns, "q_status", "q_solution", "q_reason", "q_ended_by"]
    found = sorted(solved.collect(), key=lambda row: row["id"])
    assert [tuple(row)[:8] for row in found] == rows
    assert [row["q_status"] for row in found] == q.solve([row[1] for row in rows], unique=True).status
    whole = frame.select("id", "puzzle", "t", "`a.b`", "`c``d`")
    assert qs.dedup(whole, order="a.b").count() == 4
    assert [row["q_first"] for row in qs.overlap(whole, whole, order="c`d").orderBy("id").collect()] == ["c0", "c1", "c2", None]
    assert qs.verify(frame, solved, key="a.b").rows == 4
    assert qs.augment(frame.drop("m"), copies=1).count() == 6


@pytest.mark.parametrize("names", [["Q_STATUS"], ["q_statistics_2", "Q_Statistics_2"], ["Puzzle"], ["Q_SIZE", "Q_FIRST"]])
def test_names_that_spark_cannot_tell_apart_are_refused(spark, names):
    frame = spark.createDataFrame([(".." * 8, *names)], ["puzzle", *names])
    ask = qs.dedup if "Q_SIZE" in names else qs.solve
    with pytest.raises(ValueError, match="Spark cannot tell the columns"):
        ask(frame)


def test_columns_of_the_same_name_are_refused(spark):
    frame = spark.createDataFrame([("." * 16,)], "puzzle string")
    for ask in (qs.solve, qs.dedup):
        with pytest.raises(ValueError, match="columns puzzle and puzzle apart: rename or drop one"):
            ask(frame.select("puzzle", "puzzle"))


def test_statistics_add_up_exactly(df, solved, puzzles, tmp_path):
    total, here = qs.statistics(solved), q.solve(puzzles, unique=True).statistics
    assert total.records == total.rows == here.records == len(puzzles) and total.status == here.status
    qs.count(df, statistics=tmp_path / "run.json")
    total, here = (json.loads(text) for text in ((tmp_path / "run.json").read_text(), q.count(puzzles).statistics.to_json()))
    for name in ("status", "ended_by", "clues", "guesses", "nodes", "engines"):
        assert total[name] == here[name], name
    assert [run["runs"] for run in total["runs"]] == [3]


FAULTS = {
    "lost": lambda frame: frame.where("id <> 5"),
    "duplicated": lambda frame: frame.unionByName(frame.where("id = 7")),
    "changed": lambda frame: frame.withColumn("puzzle", f.when(f.col("id") == 9, "x").otherwise(f.col("puzzle"))),
    "foreign": lambda frame: frame.unionByName(frame.where("id = 7").withColumn("id", f.lit(9999).cast("long"))),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_verify_names_wrong_rows(df, solved, kind):
    verified = qs.verify(df, solved)
    assert verified.rows == df.count() and verified.answers is not None
    with pytest.raises(qs.VerificationError) as caught:
        qs.verify(df, FAULTS[kind](solved), key="id")
    found = caught.value.differences
    place = {"lost": 5, "duplicated": 7, "changed": 9, "foreign": 9999}[kind]
    assert found.numbers == {one: int(one == kind) for one in FAULTS} and getattr(found, kind) == [f'{{"id":{place}}}']


def test_verify_names_changed_answers(df, solved):
    turned = f.when(f.col("id") == 11, f.reverse("q_solution")).otherwise(f.col("q_solution"))
    with pytest.raises(qs.VerificationError) as caught:
        qs.verify(df, solved.withColumn("q_solution", turned), key="id")
    assert caught.value.differences.changed == ['{"id":11}']
    # Answers have changed, and the input columns have not.
    with pytest.raises(qs.VerificationError):
        qs.verify(df, solved.withColumn("q_status", f.when(f.col("id") < 3, "none").otherwise(f.col("q_status"))))
    assert qs.verify(df, solved.drop("q_statistics")).answers is None
    with pytest.raises(ValueError, match="has no column puzzle"):
        qs.verify(df, solved.drop("puzzle"))


def test_the_checksum_is_the_one_of_spark(spark):
    values = [(None, 5), ("", -1), ("a", None), ("ä" * 17, 2**63 - 1), ("x" * 100, -(2**63)), (None, None)]
    frame = spark.createDataFrame(values, "word string, number long")
    import pyarrow as pa

    table = pa.table({"word": [one[0] for one in values], "number": pa.array([one[1] for one in values], pa.int64())})
    rows, total = q._quadrille.checksum(q._quadrille.Table.from_arrow(table), ["word", "number"])
    theirs = frame.select(f.xxhash64("word", "number")).collect()
    assert (rows, total) == (len(values), sum(row[0] for row in theirs))


def test_answers_are_written_and_read_again(df, solved, tmp_path):
    out = str(tmp_path / "solved.parquet")
    written = qs.solve(df, unique=True, out=out)
    assert by_id(written, "q_solution") == by_id(solved, "q_solution")
    with pytest.raises(Exception, match="already exists"):
        qs.solve(df, unique=True, out=out)


def test_hard_records_go_to_a_second_pass(df, solved, tmp_path):
    limited = qs.solve(df, unique=True, node_limit=3)
    assert "nodes" in by_id(limited, "q_ended_by")
    for out in (None, str(tmp_path / "out.parquet")):
        again = qs.solve(df, unique=True, node_limit=3, second_pass={"node_limit": 10**6, "partitions": 2}, out=out)
        assert by_id(again, "q_status") == by_id(solved, "q_status")
        assert by_id(again, "q_solution") == by_id(solved, "q_solution")
    # A task without any time leaves all searches to the second pass.
    hasty = qs.solve(df, unique=True, task_time=0.0, second_pass={"partitions": 2, "node_limit": 10**6})
    assert by_id(hasty, "q_status") == by_id(solved, "q_status")
    with pytest.raises(ValueError, match="second_pass has no"):
        qs.solve(df, second_pass={"nodes": 1})


def turned(puzzle):
    return puzzle[::-1].translate(str.maketrans("123456789", "234567891"))


@pytest.fixture(scope="session")
def doubles(spark, puzzles):
    """Returns puzzles with isomorphs and copies of some, and puzzles on the same grid as others."""
    more = [turned(text) for text in puzzles[:30]] + puzzles[10:20] + [puzzles[125], None]
    return [*puzzles, *more]


def test_dedup_keeps_the_first_of_every_class(spark, doubles):
    frame = spark.createDataFrame(list(enumerate(doubles, 1)), "id long, puzzle string").repartition(3)
    for by in ("by-solution", "text"):
        kept = q.dedup(doubles, by=by)
        there = qs.dedup(frame, by=by, order="id")
        assert by_id(there, "puzzle") == kept["puzzle"]
        assert sum(by_id(there, "q_size")) == len(doubles)
    there, here = qs.dedup(frame, all=True, order="id"), q.dedup(doubles, all=True)
    assert by_id(there, "q_first") == here["q_first"] and by_id(there, "q_size") == here["q_size"]
    without_order = qs.dedup(frame, verify=False)
    assert without_order.count() == len(q.dedup(doubles))


def test_overlap_agrees_with_the_library(spark, doubles, puzzles, tmp_path):
    grid = q.solve(puzzles[0]).solution
    same_grid = [grid[:40] + puzzles[0][40:], turned(grid)]
    known, asked = [*puzzles[5:130], None, puzzles[5]], [*doubles, *same_grid, grid[:60] + "." * 21]
    schema = "id long, puzzle string"
    of_known = spark.createDataFrame(list(enumerate(known, 1)), schema).repartition(2)
    frame = spark.createDataFrame(list(enumerate(asked, 1)), schema).repartition(3)
    there = qs.overlap(of_known, frame, order="id", statistics=tmp_path / "run.json")
    here = q.overlap(known, asked)
    assert by_id(there, "q_relation") == here["q_relation"]
    assert by_id(there, "q_first") == here["q_first"]
    assert {"copy", "isomorph", "new", "multiple", "none", "invalid"} <= set(here["q_relation"])
    assert q.Statistics.from_json((tmp_path / "run.json").read_text()).records == len(asked)


def generated(*words):
    from test_program import program

    return program("generate", *words).stdout


def test_a_problem_is_counted_in_cubes(spark, tmp_path):
    from quadrille.spark.problems import read_done

    # Large enough that no cube is finished before the clock is read.
    queens = generated("queens", "10")
    whole = 724
    assert qs.count_problem(spark, queens, cubes=20) == whole
    # Every cube runs out of time immediately and is cut again until it is small.
    assert qs.count_problem(spark, queens, cubes=3, cube_time=0.0, directory=tmp_path) == whole
    files = sorted(tmp_path.glob("*.jsonl"))
    assert files and any(len(done.place) > 1 for done in read_done(tmp_path))
    # Stored results are not computed again, except for those of the deleted file.
    os.remove(files[0])
    assert qs.count_problem(spark, queens, directory=tmp_path, statistics=tmp_path / "run.json") == whole
    again = q.Statistics.from_json((tmp_path / "run.json").read_text())
    assert again.records < len(read_done(tmp_path))
    with pytest.raises(ValueError, match="another problem"):
        qs.count_problem(spark, generated("queens", "8"), directory=tmp_path)
    with pytest.raises(ValueError):
        qs.count_problem(spark, "nothing")


def test_the_best_of_a_problem_is_found_in_cubes(spark):
    costs = generated("assignment", "6", "--costs", "1..100", "--seed", "7")
    from test_program import program

    score, solution = qs.best_problem(spark, costs, minimize=True, cubes=10)
    assert program("best", "--minimize", stdin=costs).stdout.decode().startswith(f"{score}\t")
    weights = list(range(16))
    assert qs.best_problem(spark, "1...............", weights, cubes=5)[0] == q.best("1...............", weights).score
    assert qs.best_problem(spark, "11..............", weights) is None


def test_finished_cubes_are_proved_to_be_of_the_cut():
    from quadrille.spark.problems import Done, Tree, name_of

    problem = q._quadrille.Problem(generated("dominoes", "4x4"), "count")
    cubes = problem.split(4, 8, 1)
    answers, _ = problem.answer(cubes, 1, None, None)
    tree = Tree(cubes)
    tree.add(Done((name_of(line),), line, []) for line in answers[1:])
    with pytest.raises(RuntimeError, match="1 cubes have no answer"):
        tree.answers[(name_of(cubes[0]),)] = f"{name_of(cubes[0])}\t>=1\ttime"
        tree.total()
    del tree.answers[(name_of(cubes[0]),)]
    tree.add([Done((name_of(answers[0]),), answers[0], [])] * 2)
    assert tree.total() == "36"
    with pytest.raises(ValueError, match="two answers"):
        tree.add([Done((name_of(cubes[0]),), f"{name_of(cubes[0])}\t99", [])])
    with pytest.raises(ValueError, match="another cut"):
        tree.add([Done((name_of(q._quadrille.Problem(b"." * 16, "count").split(2, 8, 1)[0]),), None, [])])
    with pytest.raises(ValueError, match="another problem"):
        q._quadrille.Problem(b"." * 16, "count").part(cubes[0])
