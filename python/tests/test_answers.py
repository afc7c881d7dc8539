"""The answers are right, and the same for every form of the input."""

import _thread
import itertools
import pathlib
import signal
import subprocess
import sys
import threading
import time

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import quadrille as q
from conftest import digits
from quadrille import _quadrille

HOUSES = (
    [[9 * row + column for column in range(9)] for row in range(9)]
    + [[9 * row + column for row in range(9)] for column in range(9)]
    + [[27 * (box // 3) + 3 * (box % 3) + 9 * row + column for row in range(3) for column in range(3)] for box in range(9)]
)


def is_solution(puzzle: str, solution: str) -> bool:
    """Checks a solution by the rules of sudoku."""
    fits = all(clue in (".", digit) for clue, digit in zip(puzzle, solution))
    return fits and all(sorted(solution[cell] for cell in house) == list("123456789") for house in HOUSES)


def test_every_kind_of_input_has_the_same_answers(form, lines):
    answers = q.solve(form, unique=True)
    expected = q.solve(lines, unique=True)
    assert len(answers) == len(lines)
    assert answers.status == expected.status
    assert answers.solution == expected.solution
    assert set(answers.status) == {"unique", "multiple", "none"}
    for puzzle, solution in zip(lines, answers.solution):
        assert solution is None or is_solution(puzzle, solution)


def test_the_least_solution_is_the_first_of_all():
    lines = q.generate("multiple", 5, seed=3)["puzzle"]
    for line, least in zip(lines, q.solve(lines, first="least").solution):
        assert least == min(q.solve(line, limit=1_000_000).solution)
        assert q.solve(line, first="least").solution == least
    for others in [{"first": "last"}, {"first": "least", "unique": True}, {"first": "least", "limit": 2}]:
        with pytest.raises(ValueError, match="first"):
            q.solve(lines, **others)


@pytest.mark.parametrize("threads", [1, 3])
def test_counts_agree_with_statuses(lines, threads):
    counts = q.count(lines, threads=threads).count
    words = ["none" if count == 0 else "unique" if count == 1 else "multiple" for count in counts]
    assert words == q.solve(lines, unique=True).status
    assert q.count(lines, limit=1)["min_count"].count(1) == sum(count > 0 for count in counts)


def test_one_puzzle_is_answered_as_in_a_list():
    lines = q.generate("minimal", 5, seed=3)["puzzle"] + q.generate("sparse", 5, seed=3)["puzzle"]
    lines += q.generate("multiple", 5, seed=3)["puzzle"] + ["." * 81, "11" + "." * 79, "1" * 80, "0" * 80 + "x", "12" * 40 + "é"]
    for ask in [q.solve, lambda puzzle: q.solve(puzzle, unique=True), lambda puzzle: q.count(puzzle, limit=3)]:
        many = ask(lines)
        for place, line in enumerate(lines):
            one = ask(line)
            assert one.status == many.status[place]
            assert one.reason == many.reason[place]
            assert one.solution == (many.solution[place] if "solution" in many.columns else None)
            assert one.count == (many.count[place] if "count" in many.columns else None)


def test_one_puzzle_has_a_plain_answer():
    answer = q.solve("11..............", unique=True)
    assert (answer.status, answer.solution) == ("none", None)
    assert q.solve("1234341221434321").solution == "1234341221434321"
    assert q.solve("12").status == "invalid" and "no grid" in q.solve("12").reason
    assert q.count("." * 36).count == 28200960
    # A count that exceeds 64 bits.
    assert q.count("." * 81).count == 6670903752021072936960


def test_a_long_count_of_one_puzzle_continues_after_its_first_nodes():
    # The first 1,000 nodes run on the caller's thread, and find fewer than 600 solutions.
    puzzle = "1" + "." * 80
    one, many = q.count(puzzle, limit=600), q.count([puzzle], limit=600)
    assert (one.status, one.count) == (many.status[0], many.count[0]) == ("counted", None)
    assert many["min_count"] == [600]


def test_a_table_keeps_its_columns(lines):
    frame = pl.DataFrame({"id": range(len(lines)), "quizzes": lines, "more": [{"a": [1, 2]}] * len(lines)})
    answers = q.solve(frame)
    assert answers.columns == ["id", "quizzes", "more", "q_status", "q_solution", "q_reason", "q_ended_by"]
    out = answers.to_polars()
    assert out.select(frame.columns).equals(frame)
    assert q.solve(frame, column="quizzes").status == answers.status
    assert q.solve(frame.rename({"quizzes": "x"}), column="x").solution == answers.solution
    assert answers.to_pandas()["q_status"].tolist() == answers.status
    solved = answers.to_arrow()
    statuses = duckdb.sql("select count(*), count(q_solution) from solved").fetchall()
    assert statuses == [(len(lines), sum(solution is not None for solution in answers.solution))]


def test_arrays_keep_their_shape(lines):
    array = digits(lines)
    solved = q.solve(array).to_numpy()
    assert solved.shape == array.shape and solved.dtype == np.uint8
    for puzzle, solution, text in zip(array, solved, q.solve(lines).solution):
        assert "".join(map(str, solution)) == (text or "0" * 81)
        assert text is None or ((puzzle == 0) | (puzzle == solution)).all()
    assert set(q.check(array[:300], solved[:300]).status) == {"correct"}
    wrong = solved[:300].copy()
    wrong[:, 0] = wrong[:, 0] % 9 + 1
    assert set(q.check(array[:300], wrong).status) == {"wrong"}
    sixteen = np.zeros((2, 16, 16), dtype=np.uint8)
    sixteen[0, 0, 0] = 16
    assert q.solve(sixteen).to_numpy()[0, 0] == 16


def test_forms_are_those_of_the_class(lines):
    grids = [solution for solution in q.solve(lines[:50]).solution]
    swapped = [grid.translate(str.maketrans("123456789", "987654321"))[::-1] for grid in grids]
    assert q.canon(grids, form="solution")["canon"] == q.canon(swapped, form="solution")["canon"]
    assert len(q.dedup(grids + swapped)) == 50
    assert q.dedup(grids + swapped, all=True)["q_size"] == [2] * 100
    relations = q.overlap(grids[:10], swapped[:20])["q_relation"]
    assert relations == ["isomorph"] * 10 + ["new"] * 10
    assert len(q.dedup(grids + grids, by="text")) == 50


def test_best_is_the_best_of_all():

    weights = list(range(16))
    score = lambda grid: sum(weight * int(digit) for weight, digit in zip(weights, grid))  # noqa: E731
    puzzle = "1..............."
    all_of_them = [grid for grid in q.solve([puzzle], limit=1000).solution if grid]
    assert len(all_of_them) == 72
    assert q.best(puzzle, weights).score == max(map(score, all_of_them))
    assert q.best(puzzle, weights, minimize=True).score == min(map(score, all_of_them))
    assert q.best([puzzle], weights, limit=3)["score"][:3] == sorted(map(score, all_of_them))[::-1][:3]


def test_a_seed_generates_the_same_puzzles():
    made = q.generate("minimal", 20, seed=5)
    assert made["puzzle"] == q.generate("minimal", 20, seed=5, threads=3)["puzzle"]
    assert set(q.check(made, minimal=True).status) == {"correct"}
    clues = [81 - puzzle.count(".") for puzzle in q.generate("puzzles", 20, seed=5, clues=(26, 28))["puzzle"]]
    assert all(26 <= count <= 28 for count in clues)


def test_covers_are_solved_and_counted():
    queens = [[("row", r), ("column", c), ("sum", r + c), ("difference", r - c)] for r in range(8) for c in range(8)]
    diagonals = {item for option in queens for item in option[2:]}
    cover = q.CoverProblem(queens, secondary=diagonals)
    assert cover.count() == 92 and cover.count(limit=10) == 10
    solutions = list(cover.solutions())
    assert len(solutions) == 92 and all(len(solution) == 8 for solution in solutions)
    costs = [r * c for r in range(8) for c in range(8)]
    best, cost = cover.best(costs)
    assert cost == sum(costs[option] for option in best) == min(sum(costs[o] for o in s) for s in solutions)
    coloured = q.CoverProblem([["a", ("x", "red")], ["b", ("x", "red")], ["b", ("x", "blue")]], secondary=["x"])
    assert list(coloured.solutions()) == [[0, 1]]
    assert next(iter(cover.solutions())) == solutions[0]
    assert q.CoverProblem([["a"], ["b", "a"]], primary=["a", "b", "c"]).count() == 0


def test_progress_is_reported_and_may_raise(lines):
    seen = []
    q.solve(lines, progress=seen.append)
    assert seen[-1] == len(lines)

    def fails(done):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        q.solve(lines, progress=fails)


def test_an_interrupt_ends_a_long_run_at_once():
    # A background process ignores the signal unless a handler is set.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    hard = ["." * 100] * 4  # 10x10 has too many solutions to count.
    threading.Timer(0.5, _thread.interrupt_main).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        q.count(hard, node_limit=10**15, time_limit=20)
    assert time.monotonic() - begin < 2
    huge = q.CoverProblem([[("r", r), ("c", c)] for r in range(16) for c in range(16)])
    solutions = huge.solutions()
    assert len(next(solutions)) == 16


def test_other_threads_run_meanwhile():
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.01)

    thread = threading.Thread(target=tick)
    thread.start()
    q.count(["." * 100] * 2, time_limit=0.5, node_limit=10**15)
    stop.set()
    thread.join()
    assert len(ticks) > 10


PUZZLE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"


def without_first(puzzle: str) -> str:
    """Returns a puzzle without its first clue."""
    return puzzle.replace(next(cell for cell in puzzle if cell != "."), ".", 1)


@pytest.mark.parametrize("count", [1, 15, 16, 1000])
def test_short_lists_have_the_answers_of_a_run(lines: list[str], count: int) -> None:
    """Checks that answers without a run equal those of a run, in every way of reading them."""
    plain = [line for line in lines[:300] if len(line) == 81]
    # Every third puzzle has lost a clue, so that some have several solutions.
    opened = [line if number % 3 else without_first(line) for number, line in enumerate(plain)]
    puzzles = (opened * (count // len(opened) + 1))[:count]
    assert _quadrille.few("solve", puzzles, None) is not None
    for few, run in (
        (q.solve(puzzles), q.solve(puzzles, threads=1)),
        (q.solve(puzzles, unique=True), q.solve(puzzles, unique=True, threads=1)),
        (q.count(puzzles, limit=5), q.count(puzzles, limit=5, threads=1)),
    ):
        assert list(few) == list(run) and len(few) == len(run) == count
        assert few.status == run.status and few.reason == run.reason
        assert few[-1] == run[count - 1] and few[:2] == list(run)[:2]
        # The columns of a table need a run, which is then made.
        assert few.columns == run.columns and few.to_arrow().equals(run.to_arrow())
        assert few.statistics.status == run.statistics.status


def test_rows_can_be_read_one_by_one() -> None:
    """Checks indexing and iteration, also of tables with columns of their own."""
    answers = q.rate(pl.DataFrame({"id": [7, 8], "puzzle": [PUZZLE, "." * 81]}))
    assert answers[0].er == answers[0].rating == 1.2 and answers[1].status == "multiple"
    assert [answer.status for answer in answers] == ["unique", "multiple"]
    assert q.rate(PUZZLE, scale="guesses").er is None
    assert answers[np.int64(1)].rating is None and answers["id"] == [7, 8]
    with pytest.raises(IndexError):
        answers[2]
    with pytest.raises(AttributeError):
        q.count([PUZZLE]).solution  # noqa: B018


def test_a_notebook_draws_the_first_grids() -> None:
    """Checks that clues are bold, that boxes have thick borders, and that text is escaped."""
    shown = q.solve([PUZZLE] * 9)._repr_html_()
    assert shown.count("<table") == 4 and shown.count("font-weight:bold") == 4 * 30
    assert "9 puzzles" in shown and "&lt;" in shown
    assert "<b>" not in q.solve(["<b>"])._repr_html_()
    assert q.generate("puzzles", 1)._repr_html_().count("<td") == 81


def test_a_path_is_not_a_puzzle(tmp_path) -> None:
    """Checks that the message names the calls that read a file."""
    path = tmp_path / "puzzles.txt"
    path.write_text(PUZZLE)
    for given in (path, str(path)):
        for ask in (q.solve, q.count, q.rate, q.check):
            with pytest.raises(ValueError, match="is a path, not a puzzle: read the file first, as in solve"):
                ask(given)
    assert q.solve("missing.txt").status == "invalid"


def test_rules_apply_to_all_grids() -> None:
    """Checks the rules of a call, and that unknown rules are refused."""
    assert q.count("." * 16, rules="x").count == q.count(["." * 16], rules=["x"]).count[0] == 48
    assert q.check(["." * 81], rules="x").status == ["multiple"]
    with pytest.raises(ValueError, match="nosuch"):
        q.solve(PUZZLE, rules="nosuch")


def test_generated_puzzles_have_a_rating_and_a_symmetry() -> None:
    """Checks the conditions on generated puzzles."""
    made = q.generate("puzzles", 4, rating="easy", symmetry="rotational", seed=5)
    assert made.rating == q.rate(made["puzzle"]).rating and max(made.rating) <= 2.3
    assert all([c == "." for c in p] == [c == "." for c in p[::-1]] for p in made["puzzle"])
    assert all(4 <= rating <= 5.5 for rating in q.generate("minimal", 2, rating=(4, 5.5)).rating)
    assert "rating" not in q.generate("minimal", 2).columns
    for wrong in ({"symmetry": "nosuch"}, {"rating": "nosuch"}, {"rating": (5, 4)}, {"rating": (1, 2, 3)}):
        with pytest.raises(ValueError):
            q.generate("puzzles", 1, **wrong)


def test_random_solutions_marginals_and_certificates_of_covers(tmp_path) -> None:
    """Checks them against all solutions, and the certificate with the script of the repository if it is there."""
    queens = [[f"r{r}", f"c{c}", f"s{r + c}", f"d{r - c}"] for r in range(6) for c in range(6)]
    board = q.CoverProblem(queens, secondary={item for option in queens for item in option if item[0] in "sd"})
    solutions = [sorted(solution) for solution in board.solutions()]
    assert board.marginals() == [sum(option in one for one in solutions) for option in range(36)]
    drawn = board.sample(400, seed=3)
    assert {tuple(one) for one in drawn} == {tuple(one) for one in solutions}
    assert board.sample(400, seed=3) == drawn != board.sample(400, seed=4)
    assert board.sample(10, seed=3) == drawn[:10] and board.sample(0) == []
    assert q.CoverProblem([["a"], ["b", "a"]], primary=["a", "b", "c"]).sample(3) == []
    dominoes = [[(r, c), cell] for r in range(8) for c in range(8) for cell in ((r, c + 1), (r + 1, c)) if max(cell) < 8]
    wide = q.CoverProblem(dominoes * 2)
    assert wide.count() == 12988816 << 32 and sum(wide.marginals()) == 32 * wide.count()
    proof, problem = tmp_path / "proof.txt", str(tmp_path / "problem.dlx")
    assert board.certificate(proof, problem) == len(solutions) == 4
    script = pathlib.Path(__file__).parents[2] / "scripts" / "check-count"
    if script.exists():
        assert subprocess.check_output([sys.executable, script, proof, problem]) == b"4\n"
    with pytest.raises(ValueError, match="the same file"):
        board.certificate(proof, proof)
    with pytest.raises(ValueError, match="out of range"):
        board.sample(-1)
    with pytest.raises((OSError, ValueError)):
        board.certificate(tmp_path / "no" / "folder", problem)


def grids_4x4() -> np.ndarray:
    """Enumerates all 288 solved 4x4 grids, row by row from permutations."""
    rows = list(itertools.permutations(range(1, 5)))
    grids = []
    for grid in itertools.product(rows, repeat=4):
        columns = list(zip(*grid))
        boxes = [[grid[r + a][c + b] for a in (0, 1) for b in (0, 1)] for r in (0, 2) for c in (0, 2)]
        if all(len(set(house)) == 4 for house in [*columns, *boxes]):
            grids.append([digit for row in grid for digit in row])
    return np.array(grids)


def test_possible_digits_are_arrays_by_cell_and_digit():
    grids = grids_4x4()
    assert len(grids) == 288
    puzzles = ["." * 16, "1..." + "." * 12, "12.." + "...." + "2..." + "....", "11" + "." * 14, "1234341221434321"]
    expected = np.zeros((len(puzzles), 16, 4), np.uint64)
    for number, puzzle in enumerate(puzzles):
        clues = np.array([0 if cell == "." else int(cell) for cell in puzzle])
        fits = grids[((clues == 0) | (grids == clues)).all(axis=1)]
        for digit in range(4):
            expected[number, :, digit] = (fits == digit + 1).sum(axis=0)
    answers = q.count(puzzles, fields=["possible_marks", "digit_counts", "min_digit_counts"])
    counts, marks = answers.to_numpy("digit_counts"), answers.to_numpy("possible_marks")
    assert counts.dtype == np.uint64 and (counts == expected).all()
    assert marks.dtype == np.bool_ and (marks == (expected > 0)).all()
    # These counts are exact, so there are no lower bounds.
    assert answers["min_digit_counts"] == [None] * 5 and answers.to_numpy("min_digit_counts").shape == (5, 81, 9)
    assert answers["digit_counts"][3] is None and (answers["digit_counts"][0] == expected[0].reshape(64)).all()
    bounds = q.count(puzzles[:1], limit=10, fields="min_digit_counts").to_numpy("min_digit_counts")
    assert bounds.sum() == 160
    frame = q.solve(pl.DataFrame({"puzzle": puzzles}), fields=["possible_marks"])
    assert (frame.to_numpy("q_possible_marks") == marks).all()
    zeros = q.solve(["0123............", "0..............."], symbols="from-zero", fields="possible_marks")
    assert (zeros.to_numpy("possible_marks")[0, 0] == [True, False, False, False]).all()


def test_possible_digits_of_9x9_are_those_of_all_solutions(lines):
    puzzles = lines[300:330]
    marks = q.solve(puzzles, fields="possible_marks").to_numpy("possible_marks")
    assert marks.shape == (30, 81, 9)
    for puzzle, mark in zip(puzzles, marks):
        solutions = q.solve([puzzle], limit=100_000).to_numpy()
        assert (mark == (solutions[:, :, None] == np.arange(1, 10)).any(axis=0)).all()
    mixed = q.solve(["." * 16, "." * 81], side="any", fields="possible_marks")
    with pytest.raises(ValueError, match="several sizes"):
        mixed.to_numpy("possible_marks")
    assert q.rate(puzzles[:1], fields="after_marks").to_numpy("after_marks").shape == (1, 81, 9)
