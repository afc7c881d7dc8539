"""Images, scores and fingerprints: the functions for training code."""

import random
import subprocess
import sys
import threading

import numpy as np
import pytest
import quadrille as q

SOLVED = "143628579572139468986754231391542786468917352725863914237481695619275843854396127"
PUZZLE = "103000509002109400000704000300502006060000050700803004000401000009205800804000107"


def naive(puzzle, answer):
    """Scores one pair by the definition, on lists of 81 integers."""
    rows = [[9 * r + c for c in range(9)] for r in range(9)]
    columns = [[9 * r + c for r in range(9)] for c in range(9)]
    boxes = [[9 * (3 * (b // 3) + i // 3) + 3 * (b % 3) + i % 3 for i in range(9)] for b in range(9)]
    houses = rows + columns + boxes
    repeated = [False] * 81
    broken = 0
    for house in houses:
        seen = {}
        for cell in house:
            seen.setdefault(answer[cell], []).append(cell)
        broken += any(digit not in seen for digit in range(1, 10))
        for cells in seen.values():
            if len(cells) > 1:
                for cell in cells:
                    repeated[cell] = True
    kept = [puzzle[cell] in (0, answer[cell]) for cell in range(81)]
    correct = sum(1 <= answer[cell] <= 9 and not repeated[cell] and kept[cell] for cell in range(81))
    clues = sum(puzzle[cell] != 0 and kept[cell] for cell in range(81))
    return broken == 0 and all(kept), correct, broken, clues


def pairs(count):
    """Returns puzzles and answers: valid ones, ones with some wrong cells, and noise."""
    draw = random.Random(5)
    images = q.augment([SOLVED], copies=count - 1, seed=3).to_numpy("puzzle").astype(np.int64)
    answers = images.copy()
    puzzles = np.where(np.random.default_rng(4).random(images.shape) < 0.3, images, 0)
    for row in range(count):
        for _ in range(draw.choice([0, 0, 1, 2, 10, 60])):
            answers[row, draw.randrange(81)] = draw.randint(-1, 11)
    return puzzles, answers


def test_scores_are_those_of_a_naive_reference():
    puzzles, answers = pairs(100_000)
    expected = [naive(puzzle, answer) for puzzle, answer in zip(puzzles.tolist(), answers.tolist())]
    for kind in (np.int64, np.int8):
        scores = q.score(puzzles.astype(kind), answers.astype(kind))
        found = list(zip(*(column.tolist() for column in scores)))
        assert found == expected
    assert 10_000 < sum(scores.valid) < 90_000
    grids, lines = puzzles[:2000].reshape(5, 400, 9, 9), np.abs(answers[:2000]).reshape(5, 400, 81)
    scores = q.score(grids.astype(np.uint16), lines.astype(np.uint32))
    assert scores.valid.shape == (5, 400)


def test_scores_read_digits_from_zero():
    cells = [(4 * row + row // 4 + column) % 16 for row in range(16) for column in range(16)]
    solution = "".join("0123456789ABCDEF"[cell] for cell in cells)
    puzzle, wrong = "...." + solution[4:], "1" + solution[1:]
    scores = q.score([puzzle] * 3, [solution, wrong, solution])
    assert scores.valid.tolist() == [True, False, True]
    assert scores.correct_cells.tolist()[0] == 256
    one = q.score(puzzle, solution)
    assert bool(one.valid)
    from_one = str.maketrans("0123456789ABCDEF", "123456789ABCDEFG")
    assert bool(q.score(puzzle.translate(from_one), solution.translate(from_one)).valid)
    assert q.solve([puzzle]).solution == [solution]


def test_scores_take_one_puzzle_strings_and_threads():
    scores = q.score(PUZZLE, [SOLVED, SOLVED[:-1] + "1"])
    assert scores.valid.tolist() == [True, False] and scores.clues_kept.tolist() == [30, 29]
    one = q.score(PUZZLE, SOLVED)
    assert bool(one.valid) and one.correct_cells == 81 and one.broken_houses == 0
    puzzles, answers = pairs(5000)
    expected = q.score(puzzles, answers)
    wrong = []

    def work():
        for _ in range(5):
            if any((a != b).any() for a, b in zip(q.score(puzzles, answers), expected)):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


class Tensor:
    """An array of another library, on its device."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **settings):
        return self.array.__dlpack__(**settings)


class Elsewhere(Tensor):
    def __dlpack__(self, **settings):
        raise BufferError("the memory of a device")


def test_tensors_are_read_in_place():
    puzzles, answers = pairs(100)
    scores = q.score(Tensor(puzzles), Tensor(answers.reshape(100, 9, 9)))
    assert (scores.correct_cells == q.score(puzzles, answers).correct_cells).all()
    assert np.shares_memory(q._integers("answers", Tensor(answers)), answers)
    assert q.solve(Tensor(puzzles[:3])).status == q.solve(puzzles[:3]).status
    for call in (lambda: q.score(puzzles, Elsewhere(answers)), lambda: q.check(puzzles, Elsewhere(answers))):
        with pytest.raises(TypeError, match="(answers|solution) cannot be read: the memory of a device"):
            call()


def test_tensors_of_torch_are_read():
    torch = pytest.importorskip("torch")
    puzzles, answers = pairs(100)
    given, found = torch.from_numpy(puzzles), torch.from_numpy(answers)
    expected = q.score(puzzles, answers).correct_cells
    for kind in (torch.int64, torch.int32, torch.int16, torch.int8):
        scores = q.score(given.to(kind), found.to(kind).reshape(100, 9, 9))
        assert (scores.correct_cells == expected).all()
    assert (q.score(given[::2], found[::2]).correct_cells == expected[::2]).all()
    assert np.shares_memory(q._integers("answers", found), answers)
    assert q.solve(given[:3]).status == q.solve(puzzles[:3]).status
    for wrong in (found.to("meta"), found > 0, found.float().requires_grad_(), found.to_sparse(), found.bfloat16()):
        with pytest.raises(TypeError, match="answers"):
            q.score(given, wrong)


def test_arrays_of_any_memory_and_integers_are_scored():
    puzzles, answers = pairs(100)
    expected = q.score(puzzles, answers).correct_cells
    wide = np.repeat(answers, 2, axis=1)
    read_only = answers.copy()
    read_only.flags.writeable = False
    for array in (wide[:, ::2], np.asfortranarray(answers), read_only, answers.tolist(), answers.astype(">i2")):
        assert (q.score(puzzles, array).correct_cells == expected).all()
    for kind in "bBhHiIlLqQ":
        assert (q.score(puzzles.astype(kind), answers.astype(kind)).correct_cells == expected).all(), kind
    assert q.score(puzzles[0], answers[:0]).valid.shape == (0,)
    for empty in ([], (), np.array([])):
        for given in (PUZZLE, "." * 256, empty, puzzles[:0]):
            assert q.score(given, empty).valid.tolist() == []
    lines = np.array([PUZZLE, SOLVED])
    assert q.score(lines, lines).clues_kept.tolist() == q.score(lines.tolist(), tuple(lines)).clues_kept.tolist() == [30, 81]


@pytest.mark.parametrize(
    ("puzzles", "answers", "error", "text"),
    [
        (np.zeros((2, 81), int), np.zeros((3, 81), int), ValueError, r"puzzles have the shape \(2, 81\), but answers \(3, 81\)"),
        (np.zeros((2, 80), int), np.zeros((2, 80), int), ValueError, r"puzzles has the shape \(2, 80\)"),
        (np.zeros((2, 81)), np.zeros((2, 81)), TypeError, "puzzles is an array of float64: expected integers"),
        (np.full((2, 81), 10), np.zeros((2, 81), int), ValueError, "puzzles 0: cell 0 is not a digit of a 9x9"),
        (["12", "1"], ["12", "12"], ValueError, "strings of different lengths"),
        ([PUZZLE, SOLVED], [], ValueError, r"puzzles have the shape \(2, 81\), but answers \(0,\)"),
        ([[]], [], ValueError, r"puzzles has the shape \(1, 0\)"),
        ([""], [""], ValueError, r"puzzles has the shape \(1, 0\)"),
        ([PUZZLE, None], [SOLVED, SOLVED], TypeError, "puzzles 1 is NoneType: expected a string"),
        (PUZZLE[:-1] + "é", SOLVED, ValueError, "puzzles 0: cell 80 is not a digit of a 9x9"),
        (np.array(1), np.array(1), ValueError, "puzzles has the shape"),
        (np.zeros(81, "M8[s]"), np.zeros(81, int), TypeError, "expected integers"),
    ],
)
def test_wrong_arrays_are_refused(puzzles, answers, error, text):
    with pytest.raises(error, match=text):
        q.score(puzzles, answers)


def test_single_pairs_are_answered_as_in_a_run():
    other = SOLVED[1:] + SOLVED[:1]
    two = PUZZLE.replace("1", "0").replace("5", "0")
    for puzzle in (PUZZLE, two, SOLVED, "11" + "0" * 79, "0" * 81):
        for answer in (SOLVED, other, None):
            args = (puzzle,) if answer is None else (puzzle, answer)
            listed = ([puzzle],) if answer is None else ([puzzle], [answer])
            one, run = q.check(*args), q.check(*listed)
            assert (one.status, one.reason) == (run.status[0], run.reason[0]), (puzzle, answer)
        for unique in (False, True):
            one, run = q.solve(puzzle, unique=unique), q.solve([puzzle], unique=unique)
            assert (one.status, one.solution) == (run.status[0], run.solution[0])
        assert q.count(puzzle, limit=2).count == q.count([puzzle], limit=2).count[0]


def test_images_can_be_undone_and_keep_columns():
    pl = pytest.importorskip("polars")
    corpus = pl.DataFrame({"n": [7, 8], "puzzle": [PUZZLE, PUZZLE[::-1]], "solution": [SOLVED, SOLVED[::-1]]})
    images = q.augment(corpus, copies=3, seed=2, distinct=True).to_polars()
    assert images.columns == ["n", "puzzle", "solution", "q_index", "q_copy", "q_transform"]
    assert images["q_index"].to_list() == [1] * 4 + [2] * 4 and images["q_copy"].to_list() == [0, 1, 2, 3] * 2
    assert set(q.check(images).status) == {"correct"} and images["puzzle"].n_unique() == 8
    # The second puzzle is the first one, turned.
    assert q.dedup(images.select("puzzle"))["puzzle"] == [PUZZLE]
    assert q.augment(corpus, copies=3, seed=2, threads=3)["q_transform"] == q.augment(corpus, copies=3, seed=2, threads=1)["q_transform"]
    arrays = q.augment(np.array([[int(c) for c in PUZZLE]]), copies=2, only=["digits"])
    assert (arrays.to_numpy() == 0).sum(axis=1).tolist() == [51] * 3
    with pytest.raises(ValueError, match='unknown part "turn"'):
        q.augment([PUZZLE], only=["turn"])


def test_fingerprints_describe_a_set():
    images = q.augment([PUZZLE], copies=1)["puzzle"]
    own, other = q.fingerprint(images[:1]), q.fingerprint(images[1:], images[:1])
    assert own["puzzles"] == other["puzzles"] and own["rows"] != other["rows"]
    assert other["common"] == "same puzzles" and own["clues"] == [30, 30]
    assert q.fingerprint(images, markdown=True).startswith("**2 puzzles**")


@pytest.mark.parametrize("ending", [None, "parquet", "arrow"])
def test_steps_are_typed_columns(ending, tmp_path):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    fields, file = "techniques,path,order", tmp_path / f"rated.{ending}"
    if ending is None:
        rated = pa.table(q.rate([PUZZLE, "." * 81], fields=fields))
    else:
        command = [sys.executable, "-m", "quadrille", "rate", "--fields", fields, "-o", str(file)]
        subprocess.run(command, input=f"{PUZZLE}\n{'.' * 81}\n".encode(), check=True)
        rated = pa.ipc.open_file(file).read_all() if ending == "arrow" else parquet.read_table(file)
    assert pa.types.is_map(rated["techniques"].type)
    assert [field.name for field in rated["path"].type.value_type] == ["technique", "rating", "placed", "removed"]
    steps = rated["path"][0].as_py()
    assert rated["path"].type.value_type[2].type == pa.struct([("cell", pa.uint8()), ("digit", pa.uint8())])
    placed = [step["placed"] for step in steps if step["placed"]]
    assert rated["order"][0].as_py() == [at["cell"] for at in placed] and len(placed) == 51
    assert all(int(SOLVED[at["cell"]]) == at["digit"] for at in placed)
    assert sum(count for _, count in rated["techniques"][0].as_py()) == len(steps)
    assert rated["path"][1].as_py() is None
