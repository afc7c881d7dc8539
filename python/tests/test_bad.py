"""Invalid input: every call raises an error or answers as documented, and the interpreter survives."""

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quadrille as q

POJ = "103000509002109400000704000300502006060000050700803004000401000009205800804000107"


def test_missing_and_short_puzzles_are_invalid():
    answers = q.solve([None, "", "12", POJ[1:], POJ, "x" * 81])
    assert answers.status == ["invalid"] * 4 + ["solved", "invalid"]
    assert answers.reason[0] == "null" and answers.reason[1] == "empty"
    assert "80 characters" in answers.reason[3]


@pytest.mark.parametrize("empty", [[], (), pa.table({"puzzle": pa.array([], pa.string())}), np.zeros((0, 81), int)])
def test_an_empty_list_has_no_answers(empty):
    answers = q.solve(empty)
    assert len(answers) == 0 and answers.status == []
    assert answers.to_numpy().shape == (0, 81)


@pytest.mark.parametrize(
    ("puzzles", "error"),
    [
        (5, TypeError),
        (None, TypeError),
        ([POJ, 5], TypeError),
        ([b"1"], TypeError),
        (np.zeros((2, 80), int), ValueError),
        (np.zeros(81, int), ValueError),
        (np.zeros((2, 81)), TypeError),
        (np.full((2, 81), 10), ValueError),
        (np.full((2, 81), -1), ValueError),
        (np.full((2, 81), 300), ValueError),
        (POJ.encode(), TypeError),
        ({"puzzle": [POJ]}, TypeError),
        (pl.DataFrame({"a": [1], "b": [2]}), ValueError),
        (pl.DataFrame({"puzzle": [1.5]}), ValueError),
        (pl.DataFrame({"a": ["x"], "b": ["y"]}), ValueError),
        (pa.table({"puzzle": pa.array([[1.5] * 81])}), ValueError),
    ],
)
def test_other_objects_than_puzzles_raise(puzzles, error):
    with pytest.raises(error):
        q.solve(puzzles)


def test_errors_name_the_puzzle():
    array = np.zeros((10, 81), int)
    array[7, 3] = 12
    with pytest.raises(ValueError, match="puzzle 7: 12 in cell 3 is not a digit"):
        q.solve(array)
    with pytest.raises(TypeError, match="puzzle 1 is int, not str"):
        q.solve([POJ, 1])
    with pytest.raises(ValueError, match='no column "x"'):
        q.solve(pl.DataFrame({"puzzle": [POJ]}), column="x")
    with pytest.raises(ValueError, match="different lengths"):
        q.check([POJ, POJ], [POJ])
    with pytest.raises(ValueError, match="3 costs for 1 options"):
        q.CoverProblem([["a"]]).best([1, 2, 3])
    with pytest.raises(ValueError, match="^the table: no column with a puzzle \\(name it with column=\\): a, b$"):
        q.solve(pl.DataFrame({"a": ["x"], "b": ["y"]}))


def test_long_lists_are_read_some_rows_at_a_time():
    puzzles = [POJ, None, "12"] * 2000
    answers = q.solve(puzzles)
    assert answers.status == ["solved", "invalid", "invalid"] * 2000
    assert q.check([POJ] * 5000, [answers.solution[0]] * 4999 + ["1" * 81]).status[-2:] == ["correct", "wrong"]
    with pytest.raises(TypeError, match="puzzle 5001 is int, not str"):
        q.solve([*puzzles[:5001], 7, *puzzles])
    answers = q.solve([*puzzles[:5001], "\ud800", POJ + "\udfff", POJ])
    assert answers.status[-3:] == ["invalid", "invalid", "solved"]
    assert q.solve("\ud800").status == q.count("\ud800").status == "invalid"


def test_a_list_that_gets_shorter_is_an_error():
    puzzles = [POJ] * 2_000_000
    with pytest.raises(IndexError):
        q.solve(puzzles, progress=lambda _: puzzles.clear(), threads=1)
    assert q.solve([POJ]).status == ["solved"]


def test_arrays_of_any_kind_of_memory_are_read():
    grid = np.array([[int(digit) for digit in POJ]])
    solved = q.solve(POJ).solution
    kinds = [grid.astype(">i4"), np.repeat(grid, 2, axis=0)[::2], np.asfortranarray(grid), grid.reshape(1, 9, 9)]
    assert [q.solve(kind).solution for kind in kinds] == [[solved]] * len(kinds)
    assert len(q.solve(np.zeros((0, 9, 9), int))) == 0
    # A masked cell is empty, whatever its value.
    given = np.array([[int(digit) for digit in solved]])
    hidden = np.ma.masked_array(given, mask=grid == 0)
    assert q.solve(hidden, unique=True).status == ["unique"]
    assert q.solve(np.ma.masked_array(given, mask=given > 0), unique=True).status == ["multiple"]


def test_weights_are_whole_numbers():
    assert q.best(POJ, np.arange(81)).score == q.best(POJ, np.arange(81).reshape(9, 9).tolist()).score
    for weights in ([0.5] * 81, "1" * 81, ["1"] * 81, [float("nan")] * 81):
        with pytest.raises(TypeError):
            q.best(POJ, weights)
    with pytest.raises(ValueError, match="out of range"):
        q.best(POJ, [1 << 64] * 81)


def test_fields_are_a_list_or_the_word_of_the_program():
    assert q.solve([POJ], fields="status,solution").columns == q.solve([POJ], fields=["status", "solution"]).columns


@pytest.mark.parametrize(
    "options",
    [{"threads": -1}, {"threads": 5000}, {"limit": 0}, {"memory": 1}, {"time_limit": -1.0}, {"fields": ["x"]}],
)
def test_absurd_options_raise(options):
    with pytest.raises(ValueError):
        q.solve([POJ], **options)


def test_a_very_wide_frame_passes():
    width = 20_000
    wide = pa.table({"puzzle": [POJ], **{f"c{number}": [number] for number in range(width)}})
    answers = pa.table(q.solve(wide))
    assert answers.num_columns == width + 5
    assert answers["c19999"].to_pylist() == [19999]


def test_rules_are_unsupported():
    answers = q.solve(pl.DataFrame({"puzzle": [POJ] * 3, "rules": [None, "", "killer"]}))
    assert answers.status == ["solved", "solved", "unsupported"]


PUZZLE = st.one_of(st.none(), st.text(max_size=100), st.text("0123456789.", min_size=81, max_size=81), st.just(POJ))


@settings(max_examples=60, deadline=None)
@given(st.lists(PUZZLE, max_size=12), st.integers(0, 3), st.integers(0, 3))
def test_any_text_has_an_answer(puzzles, before, behind):
    table = pa.table({"puzzle": pa.array([None] * before + puzzles + [POJ] * behind, pa.string())})
    sliced = table.slice(before, len(puzzles))
    # With a limit, since the searches of some of these grids are long.
    answers = q.solve(sliced, unique=True, node_limit=1000)
    assert len(answers) == len(puzzles)
    assert answers["puzzle"] == puzzles
    for puzzle, status in zip(puzzles, answers.status):
        assert status in {"unique", "multiple", "none", "invalid", "unknown", "solved", "unsupported"}
        assert (puzzle is not None) or status == "invalid"
        assert status == "unique" if puzzle == POJ else True
    assert q.solve(puzzles, unique=True, node_limit=1000).status == answers.status


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(st.none(), st.lists(st.one_of(st.none(), st.integers(-3, 40)), max_size=90)), max_size=8))
def test_any_lists_have_an_answer(lists):
    table = pa.table({"puzzle": pa.array(lists, pa.list_(pa.int32()))})
    answers = q.solve(table, node_limit=1000)
    assert len(answers) == len(lists)
    assert pa.table(answers)["puzzle"].to_pylist() == lists


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 6), st.sampled_from(["int8", "uint8", "int16", "uint64"]), st.data())
def test_any_array_has_an_answer_or_raises(rows, kind, data):
    cells = data.draw(st.sampled_from([0, 1, 16, 36, 80, 81, 256]))
    value = data.draw(st.integers(0, 20))
    array = np.full((rows, cells), value, dtype=kind)
    try:
        answers = q.solve(array, node_limit=1000)
    except ValueError:
        return
    assert len(answers) == rows


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: q.solve([POJ], limit=1 << 64), "limit=18446744073709551616 is out of range"),
        (lambda: q.solve([POJ], limit=0), "limit=0 is out of range"),
        (lambda: q.count(POJ, limit=1 << 70), "limit=1180591620717411303424 is out of range"),
        (lambda: q.solve([POJ], memory=-1), "memory=-1 is out of range"),
        (lambda: q.solve([POJ], node_limit=-1), "node_limit=-1 is out of range"),
        (lambda: q.solve([POJ], threads=1025), "threads=1025 is out of range: from 0 to 1024"),
        (lambda: q.rate([POJ], scale="guesses-mean", seed=-1), "seed=-1 is out of range"),
        (lambda: q.rate([POJ], scale="guesses-mean", permutations=1 << 32), "permutations=4294967296 is out of range"),
        (lambda: q.generate("puzzles", -1), "count=-1 is out of range"),
        (lambda: q.generate("puzzles", seed=1 << 64), "seed=18446744073709551616 is out of range"),
        (lambda: q.generate("puzzles", side=-9), "side=-9 is out of range"),
        (lambda: q.generate("puzzles", clues=-1), "clues=-1 is out of range"),
        (lambda: q.CoverProblem([["a"]]).count(-1), "limit=-1 is out of range"),
        (lambda: q.CoverProblem([["a"]]).best([1 << 63]), r"costs\[0\]=9223372036854775808 is out of range"),
        (lambda: q.solve(np.full((2, 81), 1 << 70, dtype=object)), "puzzle 0: 1180591620717411303424 in cell 0 is not a digit"),
        (lambda: q.solve(np.full((1, 16), -1, dtype=object)), "puzzle 0: -1 in cell 0 is not a digit"),
        (lambda: q.solve(np.full((1, 81), 1 << 63, dtype=np.uint64)), "puzzle 0: 9223372036854775808 in cell 0 is not a digit"),
    ],
)
def test_numbers_out_of_range_are_named(ask, message):
    with pytest.raises(ValueError, match=message):
        ask()


def test_arrays_of_python_integers_are_read():
    grid = np.array([[int(digit) for digit in POJ]], dtype=object)
    assert q.solve(grid, unique=True).status == q.solve(grid.reshape(1, 9, 9), unique=True).status == ["unique"]
    with pytest.raises(TypeError, match="an array with float: expected integers"):
        q.solve(np.full((1, 81), 0.5, dtype=object))


def test_missing_columns_are_not_attributes():
    kept = q.dedup([POJ, POJ])
    for name in ("status", "solution", "reason", "count", "rating"):
        assert not hasattr(kept, name)
    with pytest.raises(AttributeError, match="these answers have no status: their columns are puzzle"):
        kept.status
    with pytest.raises(KeyError):
        kept["status"]


def test_progress_without_tqdm_is_a_plain_line(monkeypatch, capsys):
    monkeypatch.setitem(__import__("sys").modules, "tqdm.auto", None)
    assert len(q.solve([POJ] * 1500, progress=True)) == 1500
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.splitlines()[-1].startswith("quadrille: 1,500 of 1,500 puzzles, ")
    monkeypatch.setattr("sys.stderr", None)
    assert q.solve([POJ], progress=True).status == ["solved"]


def test_damaged_arrow_files_are_errors_without_a_panic(tmp_path):
    import random
    import subprocess
    import sys

    table = pa.table({"puzzle": [POJ, None] * 40, "n": pa.array(range(80)), "word": pa.array(["a", "b"] * 40).dictionary_encode()})
    for name, opened in (("arrow", pa.ipc.new_file), ("stream", pa.ipc.new_stream)):
        with opened(str(tmp_path / name), table.schema) as writer:
            writer.write_table(table)
    draw = random.Random(5)
    files = []
    for number in range(120):
        whole = bytearray((tmp_path / ("arrow", "stream")[number % 2]).read_bytes())
        for _ in range(draw.randint(1, 4)):
            whole[draw.randrange(8, len(whole))] = draw.choice([0, 1, 127, 128, 255, draw.randrange(256)])
        files.append(tmp_path / f"{number}.arrow")
        files[-1].write_bytes(whole)
    script = "import sys, quadrille as q; [q._main(['solve', '-q', '-o', '-', name]) for name in sys.argv[1:]]"
    done = subprocess.run([sys.executable, "-c", script, *files], capture_output=True, timeout=600)
    assert done.returncode == 0
    assert b"panicked" not in done.stderr and b"RUST_BACKTRACE" not in done.stderr, done.stderr[-2000:]
