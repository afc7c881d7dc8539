"""Solves, counts, checks and compares very large corpora of sudoku, and solves exact cover problems.

Every function takes puzzles in any of these forms:

* one string;
* a list (or any iterable) of strings, ``None`` where a puzzle is missing;
* a NumPy array of integers of shape ``(n, 81)`` or ``(n, 9, 9)``, 0 for an empty cell (other sides likewise);
* whatever has the Arrow PyCapsule interface: a Polars, pandas or pyarrow table, a DuckDB relation. A table is taken without
  copying it, and its own columns stand in the result before ours, whose names then begin with ``q_``. The puzzles are in the
  column ``puzzle`` (or ``quizzes``, ``question``, ``sudoku``), or in the one that ``column=`` names.

and gives an :class:`Answers`, a table that Polars, pandas, pyarrow and DuckDB take; for one string an :class:`Answer`.

>>> import quadrille as q
>>> answer = q.solve("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79")
>>> answer.status, answer.solution[:9]
('solved', '534678912')
"""

from __future__ import annotations

import operator
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from . import _quadrille
from ._quadrille import Statistics, __version__

__all__ = [
    "Answer",
    "Answers",
    "Cover",
    "Statistics",
    "best",
    "canon",
    "check",
    "count",
    "dedup",
    "generate",
    "overlap",
    "rate",
    "solve",
    "__version__",
]


class Answer(NamedTuple):
    """The answer to one puzzle; what was not asked for is ``None``."""

    status: str
    solution: str | None = None
    count: int | None = None
    score: int | None = None
    form: str | None = None
    reason: str | None = None
    rating: float | None = None
    technique: str | None = None
    #: The least that the rating can be, where only that is known.
    rating_at_least: float | None = None


class Answers:
    """The answers to a table of puzzles: a table with a row for each, in order.

    It has the Arrow PyCapsule interface, so ``polars.DataFrame(answers)``, ``pyarrow.table(answers)`` and a query of DuckDB
    take it as it is.

    >>> import quadrille as q
    >>> answers = q.count(["." * 16, "1" * 16, "12"])
    >>> answers.status
    ['counted', 'counted', 'invalid']
    >>> answers.count
    [288, 0, None]
    >>> len(answers), answers["reason"][2]
    (3, '2 characters: no grid has this many cells')
    """

    __slots__ = ("_table", "_prefix")

    def __init__(self, table: Any, prefix: str) -> None:
        self._table = table
        self._prefix = prefix

    def __len__(self) -> int:
        return len(self._table)

    def __repr__(self) -> str:
        return f"<Answers of {len(self):,} puzzles: {', '.join(self.columns)}>"

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)

    def __getitem__(self, column: str) -> list[Any]:
        """The values of a column of strings or integers."""
        return self._table.to_list(column)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._table.columns

    def _ours(self, name: str) -> list[Any]:
        if self._prefix + name not in self.columns:
            raise AttributeError(f"these answers have no {name}: their columns are {', '.join(self.columns)}")
        return self._table.to_list(self._prefix + name)

    @property
    def status(self) -> list[str]:
        """The verdicts: ``solved``, ``unique``, ``multiple``, ``none``, ``counted``, ``correct``, ``invalid``..."""
        return self._ours("status")

    @property
    def solution(self) -> list[str | None]:
        """The solutions as strings, ``None`` where there is none."""
        return self._ours("solution")

    @property
    def reason(self) -> list[str | None]:
        """Why a puzzle has its status, where that takes words."""
        return self._ours("reason")

    @property
    def count(self) -> list[int | None]:
        """The exact numbers of solutions, of any size; ``None`` where the number is not known."""
        numbers, large = self._ours("count"), self._ours("count_large")
        return [number if text is None else int(text) for number, text in zip(numbers, large)]

    @property
    def rating(self) -> list[float | None]:
        """The ratings; of a scale by steps the largest of a step (``er``).

        ``None`` where a puzzle has none, and where it is only known to be above a number: see ``rating_at_least``.
        """
        return self._ours(self._rating())

    @property
    def rating_at_least(self) -> list[float | None]:
        """The least that ratings can be where only that is known, such as 9.5 for what the program writes as ``>9.4``."""
        name = self._rating() + "_at_least"
        # Numbers of guesses are always known.
        return self._ours(name) if self._prefix + name in self.columns else [None] * len(self._ours(self._rating()))

    def _rating(self) -> str:
        return "er" if self._prefix + "er" in self.columns else "rating"

    @property
    def statistics(self) -> Statistics | None:
        """The account of the run; ``None`` of a table that comes from none, such as puzzles that were made."""
        return self._table.statistics

    def to_numpy(self, column: str | None = None) -> Any:
        """The solutions (or the grids of another column) as an array of shape ``(n, cells)``, 0 where there is none."""
        if column is None:
            column = next(
                (self._prefix + name for name in ("solution", "canon") if self._prefix + name in self.columns),
                "puzzle",
            )
        return self._table.to_numpy(column)

    def to_polars(self) -> Any:
        """The table as a Polars data frame."""
        import polars

        return polars.DataFrame(self)

    def to_pandas(self) -> Any:
        """The table as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def to_arrow(self) -> Any:
        """The table as one of pyarrow."""
        import pyarrow

        return pyarrow.table(self)


def _cells(name: str, array: Any) -> Any:
    """An array of numbers as one of bytes, a row for each grid."""
    import numpy

    if isinstance(array, numpy.ma.MaskedArray):
        # What is masked is not known.
        array = array.filled(0)
    if array.ndim == 3 and array.shape[1] == array.shape[2]:
        array = array.reshape(len(array), array.shape[1] ** 2)
    if array.ndim != 2:
        raise ValueError(f"{name} has the shape {array.shape}: (n, 81) and (n, 9, 9) are read")
    if array.dtype == object:
        # Python's integers, of any size.
        wrong = next((value for value in array.flat if not isinstance(value, int)), None)
        if wrong is not None:
            raise TypeError(f"{name} is an array with {type(wrong).__name__}: integers are read")
    elif not numpy.issubdtype(array.dtype, numpy.integer):
        raise TypeError(f"{name} is an array of {array.dtype}: integers are read")
    if array.dtype != numpy.uint8:
        if array.size and not (array.min() >= 0 and array.max() <= 255):
            row, cell = numpy.argwhere((array < 0) | (array > 255))[0]
            raise ValueError(f"{name} {row}: {array[row, cell]} in cell {cell} is no digit")
        array = array.astype(numpy.uint8)
    return numpy.ascontiguousarray(array)


class _Input:
    """Puzzles on their way into a table."""

    def __init__(self, column: str | None, **columns: Any) -> None:
        self.is_one = all(isinstance(value, str) for value in columns.values())
        self.is_frame = False
        self.column = column
        if self.is_one:
            self.table = _quadrille.Strings([(name, [value]) for name, value in columns.items()])
            return
        first = next(iter(columns.values()))
        if len(columns) == 1 and _is_arrow(first):
            name = next(iter(columns))
            is_series = hasattr(first, "to_frame") or not _is_frame(first)
            self.table = _frame(name, first)
            self.is_frame = not is_series
            if is_series:
                self.column = None
            return
        values = {name: _listed(value) for name, value in columns.items()}
        if all(hasattr(value, "dtype") and hasattr(value, "ndim") for value in values.values()):
            # Of two dimensions are only numbers.
            if all(value.dtype.kind in "OU" and value.ndim == 1 for value in values.values()):
                values = {name: value.tolist() for name, value in values.items()}
            else:
                arrays = [(name, _cells(name, value)) for name, value in values.items()]
                # One alone goes to the engines as it is.
                self.table = _quadrille.Numbers(*arrays[0]) if len(arrays) == 1 else _quadrille.Table.from_numpy(arrays)
                return
        lists = []
        for name, value in values.items():
            if isinstance(value, str):
                raise TypeError(f"{name} is one string beside a list")
            if isinstance(value, (bytes, bytearray, Mapping)):
                raise TypeError(f"{name} is {type(value).__name__}: strings, arrays of integers and tables are read")
            lists.append((name, value if isinstance(value, list) else list(value)))
        # Made into a table while it is answered.
        self.table = _quadrille.Strings(lists)

    def whole(self) -> Any:
        """The table with all of its columns."""
        is_made = isinstance(self.table, (_quadrille.Numbers, _quadrille.Strings))
        return self.table.table() if is_made else self.table


def _is_arrow(value: Any) -> bool:
    return hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__")


def _is_frame(value: Any) -> bool:
    """True for a table of columns, false for a column."""
    return any(hasattr(value, name) for name in ("columns", "column_names", "schema"))


def _listed(value: Any) -> Any:
    """A column of a data frame as a list; anything else as it is."""
    for name in ("to_list", "to_pylist"):
        if _is_arrow(value) and hasattr(value, name):
            return getattr(value, name)()
    return value


def _frame(name: str, value: Any) -> Any:
    """A table of Arrow: a data frame as it is, a column as a frame of that one."""
    if hasattr(value, "to_frame") and not hasattr(value, "columns"):
        value = value.to_frame(name)
    elif not _is_frame(value):
        import pyarrow

        value = pyarrow.table({name: value if hasattr(value, "chunks") else pyarrow.array(value)})
    return _quadrille.Table.from_arrow(value)


class _Line:
    """Progress in plain lines on standard error: one at the end, and before it one every two seconds."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0
        self.begun = self.last = time.monotonic()

    def update(self, done: int) -> None:
        """Notes the number of puzzles done."""
        self.done = done
        if done < self.total and time.monotonic() - self.last >= 2:
            self._print()

    def close(self) -> None:
        """Prints the last line."""
        self._print()

    def _print(self) -> None:
        self.last = time.monotonic()
        rate = self.done / max(self.last - self.begun, 1e-9)
        try:
            # There is none in a program without a console.
            if sys.stderr is not None:
                print(f"quadrille: {self.done:,} of {self.total:,} puzzles, {rate:,.0f}/s", file=sys.stderr, flush=True)
        except (OSError, ValueError):
            # Closed or without a reader: no reason to lose the answers.
            pass


def _watched(progress: bool | Callable[[int], object] | None, total: int) -> tuple[Any, Any]:
    """What is called with the number of puzzles that are done, and what ends the display."""
    if not progress:
        return None, None
    if callable(progress):
        return progress, None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        line = _Line(total)
        return line.update, line
    bar = tqdm(total=total, unit="puzzle", unit_scale=True)
    return (lambda done: bar.update(done - bar.n)), bar


_U64 = (1 << 64) - 1


def _within(name: str, value: Any, least: int, most: int) -> None:
    """Raises where a number is none, or out of its range; ``None`` is no number that was given."""
    if value is not None and not least <= operator.index(value) <= most:
        raise ValueError(f"{name}={value} is out of range: from {least} to {most}")


def _settings(
    *,
    limit: int | None = None,
    minimal: bool = False,
    minimize: bool = False,
    weights: Any = None,
    form: str | None = None,
    column: str | None = None,
    solution_column: str | None = None,
    fields: str | Sequence[str] = (),
    keep: bool = True,
    threads: int = 0,
    memory: int | None = None,
    node_limit: int | None = None,
    time_limit: float | None = None,
    scale: str | None = None,
    up_to: float | None = None,
    permutations: int | None = None,
    seed: int | None = None,
    name: str | None = None,
    index_offset: int = 0,
    is_part: bool = False,
) -> dict[str, Any]:
    for name_of, value, least, most in (
        ("limit", limit, 1, _U64),
        ("threads", threads, 0, 1024),
        ("memory", memory, 0, _U64),
        ("node_limit", node_limit, 0, _U64),
        ("permutations", permutations, 0, (1 << 32) - 1),
        ("seed", seed, 0, _U64),
        ("index_offset", index_offset, 0, _U64),
    ):
        _within(name_of, value, least, most)
    if weights is not None:
        # Of a grid or of a row: `index` takes no fractions, which would be cut off.
        rows = (row if hasattr(row, "__iter__") and not isinstance(row, str) else (row,) for row in weights)
        weights = [operator.index(weight) for row in rows for weight in row]
        if any(abs(weight) >= 1 << 63 for weight in weights):
            raise ValueError(f"a weight of {max(weights, key=abs)} is out of range")
    return {
        "limit": limit,
        "minimal": minimal,
        "minimize": minimize,
        "weights": weights,
        "form": form,
        "column": column,
        "solution_column": solution_column,
        "fields": fields.split(",") if isinstance(fields, str) else list(fields),
        "keep": keep,
        "threads": threads,
        "memory": memory,
        "node_limit": node_limit,
        "time_limit": time_limit,
        "scale": scale,
        # A sum of tenths is not quite one.
        "up_to": None if up_to is None else f"{up_to:.9g}",
        "permutations": permutations,
        "seed": seed,
        "name": name,
        "index_offset": index_offset,
        "is_part": is_part,
    }


def _answer(
    question: str,
    given: _Input,
    progress: bool | Callable[[int], object] | None = None,
    known: _Input | None = None,
    always_keeps: bool = False,
    **settings: Any,
) -> Any:
    keep = given.is_frame or always_keeps
    if given.is_one:
        settings["threads"] = settings.get("threads") or 1
    call, bar = _watched(progress, len(given.table))
    try:
        table = _quadrille.answer(
            question,
            given.whole() if keep else given.table,
            known.whole() if known else None,
            _settings(keep=keep, column=given.column, **settings),
            call,
        )
    finally:
        if bar is not None:
            bar.close()
    return Answers(table, "q_" if keep else "")


def _at_once(question: str, puzzle: Any, limit: int | None, *others: Any) -> Answer | None:
    """The answer to one plain puzzle, where nothing else is asked; ``None`` where a run has to answer."""
    if not isinstance(puzzle, str) or any(others) or not (limit is None or 1 <= limit <= _U64):
        return None
    found = _quadrille.one(question, puzzle, limit)
    return None if found is None else Answer(*found)


def _one(answers: Answers) -> Answer:
    """The only row of a table."""
    columns = set(answers.columns)
    value = lambda name: answers[name][0] if name in columns else None  # noqa: E731
    return Answer(
        status=value("status"),
        solution=value("solution"),
        count=answers.count[0] if "count" in columns else None,
        score=value("score"),
        form=value("canon"),
        reason=value("reason"),
        rating=value("er") if "er" in columns else value("rating"),
        technique=value("technique"),
        rating_at_least=value("er_at_least") if "er" in columns else value("rating_at_least"),
    )


def solve(
    puzzles: Any,
    *,
    unique: bool = False,
    limit: int | None = None,
    column: str | None = None,
    progress: bool | Callable[[int], object] | None = None,
    fields: str | Sequence[str] = (),
    threads: int = 0,
    memory: int | None = None,
    node_limit: int | None = None,
    time_limit: float | None = None,
) -> Any:
    """Solves puzzles.

    ``unique`` looks for a second solution too: a puzzle is ``unique``, ``multiple`` or ``none``. ``limit`` gives up to so many
    solutions of each, a row each. ``fields`` are the columns wanted, as ``--fields`` of the program names them. ``threads`` is 0
    for one a core; ``time_limit`` is in seconds, for one puzzle. ``progress`` is true for a bar (with tqdm; lines without it) or a function
    that is called with the number of puzzles done.

    >>> import quadrille as q
    >>> q.solve(["1234341221434...", "11.............."]).solution
    ['1234341221434321', None]
    >>> q.solve("1...............", unique=True).status
    'multiple'
    """
    if unique and limit is not None:
        raise ValueError("unique and limit are two questions")
    if limit is None:
        others = (column, progress, fields, threads, memory, node_limit, time_limit)
        answer = _at_once("unique" if unique else "solve", puzzles, None, *others)
        if answer is not None:
            return answer
    given = _Input(column, puzzle=puzzles)
    answers = _answer(
        "unique" if unique else "solve",
        given,
        progress,
        limit=limit,
        fields=fields,
        threads=threads,
        memory=memory,
        node_limit=node_limit,
        time_limit=time_limit,
    )
    return _one(answers) if given.is_one and limit is None and not fields else answers


def count(
    puzzles: Any,
    *,
    limit: int | None = None,
    column: str | None = None,
    progress: bool | Callable[[int], object] | None = None,
    threads: int = 0,
    memory: int | None = None,
    node_limit: int | None = None,
    time_limit: float | None = None,
) -> Any:
    """Counts the solutions of puzzles, exactly, or up to ``limit``.

    >>> import quadrille as q
    >>> q.count("." * 16).count
    288
    """
    answer = _at_once("count", puzzles, limit, column, progress, threads, memory, node_limit, time_limit)
    if answer is not None:
        return answer
    given = _Input(column, puzzle=puzzles)
    answers = _answer(
        "count",
        given,
        progress,
        limit=limit,
        threads=threads,
        memory=memory,
        node_limit=node_limit,
        time_limit=time_limit,
    )
    return _one(answers) if given.is_one else answers


def check(
    puzzles: Any,
    solutions: Any = None,
    *,
    minimal: bool = False,
    column: str | None = None,
    solution_column: str | None = None,
    progress: bool | Callable[[int], object] | None = None,
    threads: int = 0,
    memory: int | None = None,
) -> Any:
    """Checks given solutions, and that each puzzle has exactly one.

    The solutions of a table are in its column ``solution`` (or ``solutions``, ``answer``). With ``minimal`` every clue must be
    needed too.

    >>> import quadrille as q
    >>> q.check(["1234341221434321", "1..............."]).status
    ['unique', 'multiple']
    >>> q.check("1234341221434.21", "1234341221434321").status
    'correct'
    """
    columns = {"puzzle": puzzles} if solutions is None else {"puzzle": puzzles, "solution": solutions}
    given = _Input(column, **columns)
    answers = _answer(
        "check",
        given,
        progress,
        minimal=minimal,
        solution_column=solution_column,
        threads=threads,
        memory=memory,
    )
    return _one(answers) if given.is_one else answers


def best(
    puzzles: Any,
    weights: Any = None,
    *,
    minimize: bool = False,
    limit: int | None = None,
    column: str | None = None,
    progress: bool | Callable[[int], object] | None = None,
    threads: int = 0,
    memory: int | None = None,
) -> Any:
    """Finds the solution with the best score: the sum of weight times digit over all cells.

    ``weights`` are one integer a cell; by default those of a target (10 in the centre, 6 at the rim). ``limit`` gives the so many
    best solutions of each, a row each.

    >>> import quadrille as q
    >>> q.best("1234341221......", [1] * 16).score
    40
    """
    given = _Input(column, puzzle=puzzles)
    answers = _answer(
        "best",
        given,
        progress,
        weights=weights,
        minimize=minimize,
        limit=limit,
        threads=threads,
        memory=memory,
    )
    return _one(answers) if given.is_one and limit is None else answers


def canon(
    puzzles: Any,
    *,
    form: str = "carried",
    column: str | None = None,
    progress: bool | Callable[[int], object] | None = None,
    threads: int = 0,
    memory: int | None = None,
) -> Any:
    """Gives the canonical form of puzzles: the same for all that differ in arrangement and labels only.

    ``form`` is ``carried``, ``solution`` or ``puzzle`` (see docs/FORMATS.md).

    >>> import quadrille as q
    >>> q.canon("1234341221434321", form="solution").form
    '1234341221434321'
    """
    given = _Input(column, puzzle=puzzles)
    answers = _answer("canon", given, progress, form=form, threads=threads, memory=memory)
    return _one(answers) if given.is_one else answers


def rate(
    puzzles: Any,
    *,
    scale: str = "ser",
    up_to: float | None = None,
    permutations: int | None = None,
    seed: int | None = None,
    column: str | None = None,
    progress: bool | Callable[[int], object] | None = None,
    fields: str | Sequence[str] = (),
    threads: int = 0,
    memory: int | None = None,
    node_limit: int | None = None,
    time_limit: float | None = None,
) -> Any:
    """Rates how hard puzzles with one solution are.

    ``scale`` is ``ser`` (Sudoku Explainer's: the rating of the hardest step of the easiest path), ``ser-canonical`` (the same
    of the canonical form, which all arrangements share), ``guesses`` or ``guesses-mean`` (the mean over ``permutations``
    arrangements, drawn by ``seed``). Ratings of different scales do not compare. Nothing is told of steps above ``up_to``:
    harder puzzles have no rating, and what it is at least in ``rating_at_least``. The columns are ``er``, ``ep``, ``ed``, each with
    ``er_at_least`` and so on, and ``technique`` of scales by steps, ``rating`` and ``rating_error`` of others, and
    ``scale`` with its version; ``fields`` chooses others, such as ``steps`` and ``techniques``.

    >>> import quadrille as q
    >>> puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
    >>> answer = q.rate(puzzle)
    >>> answer.status, answer.rating, answer.technique
    ('unique', 1.2, 'hidden single in box')
    >>> q.rate([puzzle, "." * 81], fields=["status", "er", "ep", "ed"]).rating
    [1.2, None]
    >>> bounded = q.rate([puzzle], up_to=1.0)
    >>> bounded.rating, bounded.rating_at_least
    ([None], [1.1])
    """
    given = _Input(column, puzzle=puzzles)
    answers = _answer(
        "rate",
        given,
        progress,
        scale=scale,
        up_to=up_to,
        permutations=permutations,
        seed=seed,
        fields=fields,
        threads=threads,
        memory=memory,
        node_limit=node_limit,
        time_limit=time_limit,
    )
    return _one(answers) if given.is_one and not fields else answers


def dedup(
    puzzles: Any,
    *,
    by: str = "carried",
    all: bool = False,
    column: str | None = None,
    progress: bool | Callable[[int], object] | None = None,
    threads: int = 0,
    memory: int | None = None,
) -> Answers:
    """Keeps the first puzzle of every class of puzzles that are the same but for arrangement and labels.

    ``by`` is the canonical form (``carried``, ``solution``, ``puzzle``) or ``text`` for copies. With ``all`` every puzzle stays,
    with its class, the number of the first of the class (from 1), and how many it has.

    >>> import quadrille as q
    >>> q.dedup(["1234341221434321", "2143432112343412", "1234341223414123"])["puzzle"]
    ['1234341221434321', '1234341223414123']
    """
    given = _Input(column, puzzle=puzzles)
    return _answer(
        "classes" if all else "dedup",
        given,
        progress,
        always_keeps=True,
        form=by,
        threads=threads,
        memory=memory,
    )


def overlap(
    known: Any,
    puzzles: Any,
    *,
    column: str | None = None,
    progress: bool | Callable[[int], object] | None = None,
    threads: int = 0,
    memory: int | None = None,
) -> Answers:
    """Compares every puzzle with those of another corpus, such as a test set with what a model was trained on.

    The column ``q_relation`` is ``copy``, ``isomorph``, ``same-grid`` or ``new``; ``q_first`` the number of the first known puzzle
    (from 1) that has this relation.

    >>> import quadrille as q
    >>> q.overlap(["1234341221434321"], ["2143432112343412", "1234341223414123"])["q_relation"]
    ['isomorph', 'new']
    """
    given = _Input(column, puzzle=puzzles)
    return _answer(
        "overlap",
        given,
        progress,
        known=_Input(column, puzzle=known),
        always_keeps=True,
        threads=threads,
        memory=memory,
    )


def generate(
    kind: str = "puzzles",
    count: int = 1,
    *,
    seed: int = 0,
    side: int = 9,
    clues: int | tuple[int, int] | None = None,
    distinct: bool = False,
    threads: int = 0,
) -> Answers:
    """Makes puzzles with their solutions, the same ones for the same seed.

    ``kind`` is ``puzzles``, ``minimal``, ``grids``, ``multiple``, ``changed`` or ``sparse``; ``clues`` a number, or the least and the
    most. With ``distinct`` no two are the same but for arrangement and labels.

    >>> import quadrille as q
    >>> made = q.generate("minimal", 3, seed=7)
    >>> q.check(made, minimal=True).status
    ['correct', 'correct', 'correct']
    """
    if isinstance(clues, int):
        clues = (clues, clues)
    _within("count", count, 0, _U64)
    _within("seed", seed, 0, _U64)
    _within("side", side, 1, 255)
    _within("threads", threads, 0, 1024)
    for number in clues or ():
        _within("clues", number, 0, (1 << 32) - 1)
    return Answers(_quadrille.generate(kind, count, seed, side, clues, distinct, threads), "")


class Cover:
    """An exact cover problem: choose options so that every item is in exactly one of them.

    ``options`` are sequences of items, named by strings or integers. Items in ``secondary`` may stay uncovered; in an option
    they may have a colour, ``("x", "red")``, and may then be covered more than once with the same colour. ``primary`` fixes
    the order of the other items, which decides that of the solutions; by default it is that of their first appearance.

    >>> import quadrille as q
    >>> pairs = q.Cover([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
    >>> pairs.count()
    3
    >>> list(pairs.solutions())
    [[0, 5], [1, 4], [2, 3]]
    >>> pairs.best([5, 1, 1, 1, 1, 5])
    ([1, 4], 2)
    """

    __slots__ = ("_cover", "options")

    def __init__(
        self,
        options: Iterable[Iterable[Any]],
        *,
        primary: Iterable[Any] = (),
        secondary: Iterable[Any] = (),
    ) -> None:
        listed = [list(option) for option in options]
        names: dict[Any, str] = {}

        def name(item: Any) -> str:
            # Names with blanks and colons would be read as several.
            return names.setdefault(item, f"{len(names)}")

        others = [name(item) for item in secondary]
        is_secondary = set(others)
        first = [name(item) for item in primary]
        seen = set(first)
        colours: dict[Any, str] = {}
        words = []
        for option in listed:
            entries = []
            for item in option:
                coloured = isinstance(item, tuple) and len(item) == 2 and item[0] in names and names[item[0]] in is_secondary
                if coloured:
                    colour = colours.setdefault(item[1], f"c{len(colours)}")
                    entries.append(f"{names[item[0]]}:{colour}")
                    continue
                known = name(item)
                if known not in is_secondary and known not in seen:
                    seen.add(known)
                    first.append(known)
                entries.append(known)
            words.append(entries)
        self._cover = _quadrille.Cover(first, others, words)
        self.options = listed

    def count(self, limit: int | None = None) -> int:
        """The exact number of solutions, or ``limit`` where there are as many or more."""
        _within("limit", limit, 1, _U64)
        return self._cover.count(limit)

    def solutions(self) -> Iterator[list[int]]:
        """The solutions, each the numbers of its options from 0 on, as they are found."""
        return self._cover.solutions()

    def best(self, costs: Iterable[int], *, minimize: bool = True) -> tuple[list[int], int] | None:
        """The solution with the least sum of costs (or the largest), and that sum; ``None`` where there is no solution."""
        costs = list(costs)
        for option, cost in enumerate(costs):
            _within(f"costs[{option}]", cost, -1 << 63, (1 << 63) - 1)
        return self._cover.best(costs, minimize)


def _main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program; returns its exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    return _quadrille.main([os.fsencode("quadrille").decode(), *words])
