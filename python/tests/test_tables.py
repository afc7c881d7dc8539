"""Tables as other programs write them, and frames of every library: answered, or refused with what to pass."""

import datetime
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import quadrille as q

PUZZLE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"


def library(name: str):
    """Imports a library, or skips the test."""
    return pytest.importorskip(name, reason=f"{name} is not installed: pip install quadrille[test]")


def columns(rows: int) -> dict[str, list]:
    """Returns columns of many types, with missing values."""
    day = datetime.date(2026, 1, 1)
    every = {
        "puzzle": [PUZZLE, None, PUZZLE],
        "number": [1, None, 3],
        "real": [0.5, None, -1.0],
        "flag": [True, False, None],
        "day": [day, None, day + datetime.timedelta(days=1)],
        "time": [datetime.datetime(2026, 1, 1, 12), None, datetime.datetime(1999, 12, 31, 23, 59, 59)],
        "word": ["x", "", None],
        "none": [None, None, None],
        "list": [[1, 2], [], None],
    }
    return {name: (values * rows)[:rows] for name, values in every.items()}


def table(rows: int = 3000):
    pa = library("pyarrow")
    made = pa.table(columns(rows))
    # Categories that differ from row group to row group.
    names = pa.chunked_array([pa.array([f"{part} {row % 7}" for row in range(1000)]) for part in "abc"])
    return made.append_column("category", pa.chunked_array([chunk.dictionary_encode() for chunk in names.chunks]))


def frame(rows: int = 3000):
    pl = library("polars")
    named = pl.DataFrame(columns(rows))
    return named.with_columns(category=pl.Series([f"c{row % 5}" for row in range(rows)], dtype=pl.Categorical))


def by_pandas(rows: int = 3000):
    pd = library("pandas")
    made = pd.DataFrame({name: values for name, values in columns(rows).items() if name != "list"})
    return made.assign(category=pd.Categorical([f"c{row % 5}" for row in range(rows)]))


def by_pyarrow(path: Path, **options) -> None:
    library("pyarrow")
    from pyarrow import parquet

    parquet.write_table(table(), path, row_group_size=1000, **options)


def arrow_stream(path: Path) -> None:
    pa = library("pyarrow")
    with pa.ipc.new_stream(path, table().schema) as writer:
        writer.write_table(table(), max_chunksize=700)


def arrow_file(path: Path, compression: str | None) -> None:
    library("pyarrow")
    from pyarrow import feather

    feather.write_feather(table().unify_dictionaries(), path, compression=compression, chunksize=900)


def duckdb(path: Path) -> None:
    library("pyarrow")
    given = table().drop_columns("category")  # noqa: F841, a query names it
    library("duckdb").sql("select * from given").write_parquet(str(path), row_group_size=2048)


WRITERS = {
    "pyarrow.parquet": by_pyarrow,
    "pyarrow-v2.parquet": lambda path: by_pyarrow(path, version="2.6", data_page_version="2.0", compression="gzip"),
    "pyarrow-lz4.parquet": lambda path: by_pyarrow(path, compression="lz4"),
    "pyarrow.arrow": lambda path: arrow_file(path, "uncompressed"),
    "pyarrow-lz4.arrow": lambda path: arrow_file(path, "lz4"),
    "pyarrow-zstd.arrow": lambda path: arrow_file(path, "zstd"),
    "pyarrow.arrows": arrow_stream,
    "polars.parquet": lambda path: frame().write_parquet(path, row_group_size=1000),
    "polars.arrow": lambda path: frame().write_ipc(path),
    "polars-lz4.arrow": lambda path: frame().write_ipc(path, compression="lz4"),
    "polars-zstd.arrow": lambda path: frame().write_ipc(path, compression="zstd"),
    "polars.arrows": lambda path: frame().write_ipc_stream(path),
    "pandas.parquet": lambda path: by_pandas().to_parquet(path),
    "pandas.arrow": lambda path: by_pandas().to_feather(path),
    "duckdb.parquet": duckdb,
}


def program(*words) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "quadrille", *map(str, words)], capture_output=True, text=True)


def values(path: Path) -> dict[str, list]:
    """Reads a table with pyarrow."""
    pa = library("pyarrow")
    from pyarrow import parquet

    if path.suffix == ".parquet":
        return parquet.read_table(path).to_pydict()
    opened = pa.ipc.open_stream if path.suffix == ".arrows" else pa.ipc.open_file
    return opened(path).read_all().to_pydict()


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("target", ["out.parquet", "out.arrow"])
def test_tables_of_other_programs_keep_their_columns(name, target, tmp_path):
    WRITERS[name](tmp_path / name)
    ended = program("solve", tmp_path / name, "-o", tmp_path / target, "-q")
    assert ended.returncode == 0, ended.stderr
    given, found = values(tmp_path / name), values(tmp_path / target)
    assert {column: found[column] for column in given} == given
    assert found["q_status"] == ["solved", "invalid", "solved"] * 1000
    assert found["q_solution"] == [SOLVED, None, SOLVED] * 1000


def test_our_arrow_files_are_read_by_polars(tmp_path):
    pl = library("polars")
    by_pyarrow(tmp_path / "in.parquet")
    pl.read_parquet(tmp_path / "in.parquet").drop("category").write_parquet(tmp_path / "plain.parquet")
    assert program("solve", tmp_path / "plain.parquet", "-o", tmp_path / "out.arrow", "-q").returncode == 0
    assert pl.read_ipc(tmp_path / "out.arrow")["q_status"].to_list() == ["solved", "invalid", "solved"] * 1000


def test_brotli_is_refused_with_what_to_do(tmp_path):
    by_pyarrow(tmp_path / "in.parquet", compression="brotli")
    ended = program("solve", tmp_path / "in.parquet")
    assert ended.returncode == 6 and "write it with zstd" in ended.stderr


def test_tensors_are_read_in_order_or_refused(tmp_path):
    pa = library("pyarrow")
    from pyarrow import parquet

    grids = np.arange(2 * 81, dtype=np.int64).reshape(2, 9, 9) % 2
    plain = pa.FixedShapeTensorArray.from_numpy_ndarray(grids)
    parquet.write_table(pa.table({"puzzle": plain}), tmp_path / "plain.parquet")
    assert len(program("count", "--limit", 2, tmp_path / "plain.parquet").stdout.split()) == 2
    kind = pa.fixed_shape_tensor(pa.int64(), [9, 9], permutation=[1, 0])
    permuted = pa.ExtensionArray.from_storage(kind, plain.storage)
    parquet.write_table(pa.table({"puzzle": permuted}), tmp_path / "permuted.parquet")
    ended = program("count", tmp_path / "permuted.parquet")
    assert ended.returncode == 6 and "without a permutation" in ended.stderr


def test_frames_of_polars_may_have_columns_of_nulls():
    pl = library("polars")
    given = pl.DataFrame({"puzzle": [PUZZLE, None], "none": [None, None]})
    answers = q.solve(given)
    assert answers.status == ["solved", "invalid"] and answers.columns[:2] == ["puzzle", "none"]
    assert answers.to_polars()["none"].to_list() == [None, None] == answers["none"]
    assert q.solve(pl.DataFrame({"puzzle": [None, None]})).status == ["invalid"] * 2
    assert q.solve(pl.Series("any", [None, None])).status == ["invalid"] * 2
    assert len(q.solve(pl.DataFrame({"puzzle": []}))) == 0
    assert len(q.dedup(given)) == 2


def strings() -> dict:
    """Returns the same column as each library has it."""
    pa, pl, pd = map(library, ["pyarrow", "polars", "pandas"])
    two = [PUZZLE, None, PUZZLE]
    return {
        "polars": pl.DataFrame({"puzzle": two}),
        "polars categories": pl.DataFrame({"puzzle": pl.Series(two, dtype=pl.Categorical)}),
        "polars enum": pl.DataFrame({"puzzle": pl.Series(two, dtype=pl.Enum([PUZZLE]))}),
        "polars binary": pl.DataFrame({"puzzle": [text and text.encode() for text in two]}),
        "pandas": pd.DataFrame({"puzzle": two}),
        "pandas objects": pd.DataFrame({"puzzle": pd.Series(two, dtype=object)}),
        "pandas categories": pd.DataFrame({"puzzle": pd.Categorical(two)}),
        "pandas strings": pd.DataFrame({"puzzle": pd.Series(two, dtype="string")}),
        "arrow": pa.table({"puzzle": two}),
        "arrow views": pa.table({"puzzle": pa.array(two, pa.string_view())}),
        "arrow dictionary": pa.table({"puzzle": pa.array(two).dictionary_encode()}),
        "arrow large dictionary": pa.table({"puzzle": pa.array(two, pa.large_string()).dictionary_encode()}),
    }


@pytest.mark.parametrize("kind", strings())
def test_columns_of_any_strings_are_arrays_and_lists(kind):
    answers = q.solve(strings()[kind])
    array = answers.to_numpy("puzzle")
    assert array.shape == (3, 81) and array.dtype == np.uint8
    assert array[0].tolist() == [int(cell) if cell != "." else 0 for cell in PUZZLE] == array[2].tolist()
    assert not array[1].any()
    assert answers.to_numpy().shape == (3, 81)
    if "binary" not in kind:
        assert answers["puzzle"] == [PUZZLE, None, PUZZLE]


def forms(text: str) -> dict:
    """Returns two rows of a text in each form."""
    pa, pl, pd = map(library, ["pyarrow", "polars", "pandas"])
    two = [text, text]
    grids = np.array([[int(cell) if cell != "." else 0 for cell in text]] * 2)
    return {
        "list": two,
        "generator": iter(two),
        "text array": np.array(two),
        "objects": np.array(two, dtype=object),
        "grids": grids,
        "9x9": grids.reshape(2, 9, 9).astype(np.uint8),
        "pandas series": pd.Series(two),
        "polars series": pl.Series(two),
        "chunks": pa.chunked_array([[text], [text]]),
        "pandas": pd.DataFrame({"id": [1, 2], "puzzle": two}),
        "polars": pl.DataFrame({"id": [1, 2], "puzzle": two}),
        "arrow": pa.table({"id": [1, 2], "puzzle": two}),
        "lazy": pl.LazyFrame({"id": [1, 2], "puzzle": two}),
    }


@pytest.mark.parametrize("puzzles", forms(PUZZLE))
@pytest.mark.parametrize("solutions", [form for form in forms(SOLVED) if form not in ("pandas", "polars", "arrow", "lazy")])
def test_puzzles_and_solutions_may_have_forms_of_their_own(puzzles, solutions):
    answers = q.check(forms(PUZZLE)[puzzles], forms(SOLVED)[solutions])
    assert answers.status == ["correct", "correct"]
    is_frame = puzzles in ("pandas", "polars", "arrow", "lazy")
    assert (answers.columns[:3] == ["id", "puzzle", "solution"]) == is_frame


def test_solutions_beside_a_frame_win_over_its_own():
    pd, pl = map(library, ["pandas", "polars"])
    given = pd.DataFrame({"quiz": [PUZZLE] * 2, "solution": [SOLVED, PUZZLE]})
    assert q.check(given).status == ["correct", "wrong"]
    assert q.check(given, [SOLVED] * 2).status == ["correct"] * 2
    assert q.check(given, given["solution"], column="quiz").status == ["correct", "wrong"]
    assert q.check(given[["quiz"]], given[["solution"]]).status == ["correct", "wrong"]
    assert q.check(pl.DataFrame({"quiz": [PUZZLE] * 2}), given).status == ["correct", "wrong"]
    with pytest.raises(ValueError, match=r"different lengths: \(2, 1\)"):
        q.check(given, [SOLVED])
    with pytest.raises(TypeError, match="pass the column itself"):
        q.check(given, pl.DataFrame({"a": [SOLVED] * 2, "b": [SOLVED] * 2}))
    with pytest.raises(TypeError, match="solution is one string"):
        q.check(given, SOLVED)
    with pytest.raises(TypeError, match="puzzle is one string"):
        q.check(PUZZLE, given["solution"])


def test_missing_values_of_pandas_are_missing_rows():
    pd = library("pandas")
    assert q.solve([PUZZLE, np.float32("nan")]).status == ["solved", "invalid"]
    for missing in (None, float("nan"), np.nan, pd.NA, pd.NaT):
        listed = [PUZZLE, missing]
        for puzzles in (listed, tuple(listed), iter(listed), np.array(listed, dtype=object), pd.Series(listed, dtype=object)):
            answers = q.solve(puzzles)
            assert answers.status == ["solved", "invalid"] and answers.reason[1] == "null", missing
        assert q.check([PUZZLE, PUZZLE], [SOLVED, missing]).status == ["correct", "missing"]
    for number in (1, 1.5, float("inf"), np.int64(1)):
        with pytest.raises(TypeError, match="puzzle 1 is"):
            q.solve([PUZZLE, number])


def test_frames_that_are_computed_later_are_collected():
    pl = library("polars")
    lazy = pl.LazyFrame({"puzzle": [PUZZLE], "id": [7]})
    assert q.solve(lazy)["id"] == [7] and q.solve(lazy.select("puzzle")).status == ["solved"]
    assert q.count(lazy).count == [1]
    for frames in ([lazy.collect()], iter([lazy.collect()])):
        with pytest.raises(TypeError, match="puzzle 0 is DataFrame, not str .pass a table"):
            q.solve(frames)
