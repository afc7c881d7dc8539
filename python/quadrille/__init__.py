"""Solves, counts, checks and compares large corpora of sudoku, and solves exact cover problems.

Every function takes puzzles in any of these forms:

* one string;
* a list (or any iterable) of strings, with ``None``, NaN or ``pandas.NA`` for a missing puzzle;
* a NumPy array or a tensor of integers of shape ``(n, 81)`` or ``(n, 9, 9)``, or the same for another side, with 0
  for an empty cell;
* an object with the Arrow PyCapsule interface, such as a Polars, pandas or pyarrow table, or a DuckDB
  relation.

A table of the last form is taken without copying it. Its puzzles are in the column ``puzzle`` (or
``quizzes``, ``question``, ``sudoku``), or in the one named by ``column=``. The result has the table's own
columns first, and the names of the new columns begin with ``q_``.

For one string the result is an :class:`Answer`. Otherwise it is an :class:`Answers`, a table that Polars,
pandas, pyarrow and DuckDB accept.

>>> import quadrille as q
>>> answer = q.solve("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79")
>>> answer.status, answer.solution[:9]
('solved', '534678912')
"""

from __future__ import annotations

import html
import itertools
import json
import math
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
    "CoverProblem",
    "Scores",
    "Statistics",
    "augment",
    "best",
    "canon",
    "check",
    "count",
    "dedup",
    "fingerprint",
    "generate",
    "overlap",
    "rate",
    "score",
    "solve",
    "__version__",
]


class Answer(NamedTuple):
    """The answer to one puzzle. Fields that the question does not produce are ``None``."""

    status: str
    solution: str | None = None
    count: int | None = None
    score: int | None = None
    form: str | None = None
    reason: str | None = None
    rating: float | None = None
    technique: str | None = None
    #: The lower bound of a rating, if only a bound is known.
    rating_at_least: float | None = None

    @property
    def er(self) -> float | None:
        """The rating on a scale by steps, which forums call ER or SER; ``None`` on other scales."""
        return self.rating if self.technique is not None else None


class Answers:
    """The answers to a table of puzzles: a table with one row per puzzle, in input order.

    It has the Arrow PyCapsule interface, so it can be passed to ``polars.DataFrame``, ``pyarrow.table`` or a
    DuckDB query. A number selects a row, a name selects a column, and iteration yields the rows.

    >>> import quadrille as q
    >>> answers = q.count(["." * 16, "11" + "." * 14, "12"])
    >>> answers.status
    ['counted', 'counted', 'invalid']
    >>> answers.count
    [288, 0, None]
    >>> len(answers), answers["reason"][2]
    (3, '2 characters: no grid has this many cells')
    >>> answers[0].count, [answer.status for answer in answers[1:]]
    (288, ['counted', 'invalid'])
    """

    __slots__ = ("_made", "_prefix", "_known", "_puzzles", "_lists")

    def __init__(
        self, table: Any, prefix: str, puzzles: Sequence[Any] = (), known: dict[str, list[Any]] | None = None
    ) -> None:
        """Takes a native table, or a function that makes it when columns other than those in ``known`` are needed.

        ``puzzles`` are the first puzzles, if they are not in the table.
        """
        self._made = table
        self._prefix = prefix
        self._puzzles = puzzles
        self._known = known or {}
        self._lists: list[list[Any] | None] | None = None

    @property
    def _table(self) -> Any:
        if callable(self._made):
            self._made = self._made()
        return self._made

    def __len__(self) -> int:
        return len(next(iter(self._known.values()))) if self._known else len(self._table)

    def __repr__(self) -> str:
        return f"<Answers of {len(self):,} puzzles: {', '.join(self.columns)}>"

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)

    def __getitem__(self, key: str | int | slice) -> Any:
        """Returns the values of a column of strings or numbers, or the answer of a row, or a list of answers."""
        if isinstance(key, str):
            return self._table.to_list(key)
        if isinstance(key, slice):
            return [self._row(row) for row in range(*key.indices(len(self)))]
        row = operator.index(key)
        if not -len(self) <= row < len(self):
            raise IndexError(f"row {row} of {len(self)}")
        return self._row(row % len(self))

    def __iter__(self) -> Iterator[Answer]:
        return map(self._row, range(len(self)))

    def _row(self, row: int) -> Answer:
        if self._lists is None:
            self._lists = [self._values(name) for name in Answer._fields]
        return Answer(*[values and values[row] for values in self._lists])

    def _values(self, name: str) -> list[Any] | None:
        """Returns the values of a field of answers, or ``None`` if the table has none."""
        column = {"form": "canon", "rating": "er", "rating_at_least": "er_at_least"}.get(name, name)
        if self._known:
            return self._known.get(column)
        columns = set(self.columns)
        if self._prefix + column not in columns and column.startswith("er"):
            column = name
        if self._prefix + column not in columns:
            return None
        return self.count if column == "count" else self._table.to_list(self._prefix + column)

    def _repr_html_(self) -> str:
        """Draws the first grids, for notebooks."""
        puzzles = self["puzzle"] if "puzzle" in self.columns else self._puzzles
        grids = self._values("solution") or self._values("form") or puzzles
        rows = itertools.zip_longest(grids[:_DRAWN], puzzles[:_DRAWN])
        drawn = "".join(_grid_html(grid or puzzle or "", puzzle or "") for grid, puzzle in rows)
        return f"<p>{html.escape(repr(self))}</p><div style='display:flex;flex-wrap:wrap;gap:1em'>{drawn}</div>"

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self._table.columns

    def _ours(self, name: str) -> list[Any]:
        if name in self._known:
            return self._known[name]
        if self._prefix + name not in self.columns:
            raise AttributeError(f"these answers have no {name}: their columns are {', '.join(self.columns)}")
        return self._table.to_list(self._prefix + name)

    @property
    def status(self) -> list[str]:
        """Verdicts: ``solved``, ``unique``, ``multiple``, ``none``, ``counted``, ``correct``, ``invalid``..."""
        return self._ours("status")

    @property
    def solution(self) -> list[str | None]:
        """Solutions as strings, with ``None`` for a puzzle without a solution."""
        return self._ours("solution")

    @property
    def reason(self) -> list[str | None]:
        """Reasons for the verdicts, such as why a puzzle is invalid; ``None`` if the verdict needs none."""
        return self._ours("reason")

    @property
    def count(self) -> list[int | None]:
        """Exact numbers of solutions, of any size, with ``None`` for an unknown number."""
        if "count" in self._known:
            return self._known["count"]
        numbers, large = self._ours("count"), self._ours("count_large")
        return [number if text is None else int(text) for number, text in zip(numbers, large)]

    @property
    def rating(self) -> list[float | None]:
        """Ratings. On a scale by steps, the rating of the hardest step (``er``).

        ``None`` for a puzzle without a rating. If only a lower bound is known, it is in ``rating_at_least``.
        """
        return self._ours(self._rating())

    @property
    def rating_at_least(self) -> list[float | None]:
        """Lower bounds of ratings: 7.6 for a rating shown as ``>7.5``, ``None`` for all other ratings."""
        name = self._rating() + "_at_least"
        # Numbers of guesses are always exact.
        return self._ours(name) if self._prefix + name in self.columns else [None] * len(self._ours(self._rating()))

    def _rating(self) -> str:
        return "er" if self._prefix + "er" in self.columns else "rating"

    @property
    def statistics(self) -> Statistics | None:
        """Statistics of the run, or ``None`` if no run produced the table, as with generated puzzles."""
        return self._table.statistics

    def to_numpy(self, column: str | None = None) -> Any:
        """Returns the solutions, or the grids of another column, as an array of shape ``(n, cells)``.

        Empty cells and missing grids are 0. Columns with something for each digit of each cell have the shape
        ``(n, cells, side)``: ``possible_marks``, ``after_marks`` and ``smallest_marks`` are true for the digits in them,
        ``digit_counts`` and ``min_digit_counts`` are numbers.

        >>> import quadrille as q
        >>> marks = q.solve(["1...............", "12"], fields="possible_marks").to_numpy("possible_marks")
        >>> marks.shape, marks[0, :2].astype(int).tolist(), bool(marks[1].any())
        ((2, 16, 4), [[1, 0, 0, 0], [0, 1, 1, 1]], False)
        """
        if column is None:
            column = next(
                (self._prefix + name for name in ("solution", "canon") if self._prefix + name in self.columns),
                "puzzle",
            )
        if column.removeprefix(self._prefix) in _BY_DIGIT:
            return _by_digit(column, self._table.to_list(column))
        return self._table.to_numpy(column)

    def to_polars(self) -> Any:
        """Returns the table as a Polars data frame."""
        import polars

        return polars.DataFrame(self)

    def to_pandas(self) -> Any:
        """Returns the table as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def to_arrow(self) -> Any:
        """Returns the table as a pyarrow table."""
        import pyarrow

        return pyarrow.table(self)


#: Columns with a mark or a number for each digit of each cell.
_BY_DIGIT = ("possible_marks", "after_marks", "smallest_marks", "digit_counts", "min_digit_counts")


def _by_digit(column: str, rows: list[Any]) -> Any:
    """Converts marks or counts to an array of shape ``(n, cells, side)``, with zeros for missing rows."""
    import numpy

    length = next((len(row) for row in rows if row is not None), 729)
    if any(row is not None and len(row) != length for row in rows):
        raise ValueError(f"column {column} has grids of several sizes: see to_list")
    if column.endswith("marks"):
        text = "".join("." * length if row is None else row for row in rows)
        array = numpy.frombuffer(text.encode(), numpy.uint8) != ord(".")
    else:
        array = numpy.zeros((len(rows), length), numpy.uint64)
        for number, row in enumerate(rows):
            array[number] = 0 if row is None else row
    side = round(length ** (1 / 3))
    return array.reshape(len(rows), side * side, side)


#: Number of grids that a notebook shows.
_DRAWN = 4


def _grid_html(grid: str, puzzle: str) -> str:
    """Draws a grid, with the clues of ``puzzle`` in bold if they are in it; other text is shown as it is."""
    side, empty = math.isqrt(len(grid)), ".0*_-?"
    if side < 4 or side * side != len(grid):
        return f"<code>{html.escape(grid)}</code>"
    # Boxes are as nearly square as possible, and wide.
    rows = max(number for number in range(1, math.isqrt(side) + 1) if side % number == 0)
    columns = side // rows
    has_clues = len(puzzle) == len(grid) and all(p in empty or p == g for p, g in zip(puzzle, grid))
    lines = []
    for row in range(side):
        cells = []
        for column in range(side):
            cell = grid[row * side + column]
            below, right = rows > 1 and (row + 1) % rows == 0, rows > 1 and (column + 1) % columns == 0
            weight = "bold" if has_clues and puzzle[row * side + column] not in empty else "normal"
            style = f"border:1px solid;border-width:1px {2 if right else 1}px {2 if below else 1}px 1px;font-weight:{weight}"
            cells.append(f"<td style='{style};text-align:center'>{'' if cell in empty else html.escape(cell)}</td>")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table style='border-collapse:collapse'>{''.join(lines)}</table>"


def _cells(name: str, array: Any) -> Any:
    """Converts an array of integers to a contiguous one of bytes with one row per grid."""
    import numpy

    if isinstance(array, numpy.ma.MaskedArray):
        # A masked cell counts as empty.
        array = array.filled(0)
    if array.ndim == 3 and array.shape[1] == array.shape[2]:
        array = array.reshape(len(array), array.shape[1] ** 2)
    if array.ndim != 2:
        raise ValueError(f"{name} has the shape {array.shape}: expected (n, 81) or (n, 9, 9)")
    if array.dtype == object:
        # An object array may hold Python integers of any size.
        wrong = next((value for value in array.flat if not isinstance(value, int)), None)
        if wrong is not None:
            raise TypeError(f"{name} is an array with {type(wrong).__name__}: expected integers")
    elif not numpy.issubdtype(array.dtype, numpy.integer):
        raise TypeError(f"{name} is an array of {array.dtype}: expected integers")
    if array.dtype != numpy.uint8:
        if array.size and not (array.min() >= 0 and array.max() <= 255):
            row, cell = numpy.argwhere((array < 0) | (array > 255))[0]
            raise ValueError(f"{name} {row}: {array[row, cell]} in cell {cell} is not a digit")
        array = array.astype(numpy.uint8)
    return numpy.ascontiguousarray(array)


class _Input:
    """The puzzles of a call, converted to one of the native classes."""

    def __init__(self, column: str | None, **columns: Any) -> None:
        self.is_one = all(isinstance(value, str) for value in columns.values())
        self.is_frame = False
        self.column = column
        #: The column of solutions, if they were given next to a table.
        self.solution_column: str | None = None
        #: The first puzzles, if they are strings.
        self.first: list[Any] = []
        for name, value in columns.items():
            _refuse_path(name, value)
            if type(value).__name__ == "LazyFrame":
                columns[name] = value.collect()
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
        one = next((name for name, value in columns.items() if isinstance(value, str)), None)
        if one is not None:
            raise TypeError(f"{one} is one string, but the other argument is a list")
        frames = [name for name, value in columns.items() if _is_arrow(value) and _is_frame(value)]
        values = {name: value if name in frames else _listed(name, value) for name, value in columns.items()}
        are_grids = [_are_grids(value) for value in values.values()]
        if frames or len(set(are_grids)) > 1:
            # Each argument has a form of its own.
            parts = [_Input(column, **{name: value}) for name, value in values.items()]
            self.solution_column = list(values)[1]
            self.table = parts[0].whole().with_column(self.solution_column, parts[1].whole())
            self.is_frame, self.column = parts[0].is_frame, parts[0].column
            return
        if all(are_grids):
            arrays = [(name, _cells(name, value)) for name, value in values.items()]
            # A single array goes to the engines without conversion.
            self.table = _quadrille.Numbers(*arrays[0]) if len(arrays) == 1 else _quadrille.Table.from_numpy(arrays)
            return
        lists = []
        for name, value in values.items():
            if isinstance(value, (bytes, bytearray, Mapping)):
                raise TypeError(f"{name} is {type(value).__name__}: expected strings, arrays of integers or a table")
            listed = value.tolist() if hasattr(value, "tolist") else value
            lists.append((name, listed if isinstance(listed, list) else list(listed)))
        self.first = lists[0][1][:_DRAWN]
        # This table builds its rows while they are answered.
        self.table = _quadrille.Strings(lists)

    def whole(self) -> Any:
        """Returns the table with all of its columns."""
        is_made = isinstance(self.table, (_quadrille.Numbers, _quadrille.Strings))
        return self.table.table() if is_made else self.table


def _refuse_path(name: str, value: Any) -> None:
    """Raises an error if ``value`` is the path of a file and not a puzzle."""
    if isinstance(value, str):
        # Only names have a letter and a dot; long texts, lines and puzzles do not look like them.
        is_name = 0 < len(value) < 400 and value.isprintable() and any(map(str.isalpha, value)) and "." in value
        if not is_name or not os.path.isfile(value):
            return
    elif not isinstance(value, os.PathLike):
        return
    path = os.fspath(value)
    raise ValueError(
        f"{name} is a path, not a puzzle: read the file first, as in solve(open({path!r}).read().split()), "
        f"or pass a table, as in solve(polars.read_csv({path!r}))"
    )


def _is_arrow(value: Any) -> bool:
    return hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__")


def _is_frame(value: Any) -> bool:
    """Returns true for a table of columns, false for a single column."""
    return any(hasattr(value, name) for name in ("columns", "column_names", "schema"))


def _are_grids(value: Any) -> bool:
    """Returns true for an array that is not one of strings."""
    is_array = hasattr(value, "dtype") and hasattr(value, "ndim")
    return is_array and not (value.dtype.kind in "OU" and value.ndim == 1)


def _listed(name: str, value: Any) -> Any:
    """Converts a column of a data frame to a list, and a tensor to an array; returns any other value unchanged.

    Data in the memory of the CPU is not copied.
    """
    for method in ("to_list", "to_pylist"):
        if _is_arrow(value) and hasattr(value, method):
            return getattr(value, method)()
    if not hasattr(value, "__dlpack__") or hasattr(value, "__array_function__"):
        return value
    import numpy

    try:
        return numpy.from_dlpack(value.detach().cpu() if hasattr(value, "detach") else value)
    except (BufferError, RuntimeError) as error:
        raise TypeError(f"{name} cannot be read: {error}") from error


def _frame(name: str, value: Any) -> Any:
    """Converts a data frame, or a single column under ``name``, to a native table."""
    if hasattr(value, "to_frame") and not hasattr(value, "columns"):
        value = value.to_frame(name)
    elif not _is_frame(value):
        import pyarrow

        value = pyarrow.table({name: value if hasattr(value, "chunks") else pyarrow.array(value)})
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(value, polars.DataFrame):
        # Polars exports a column of nulls with a buffer, which the interface does not allow.
        value = value.cast({polars.Null: polars.String})
    return _quadrille.Table.from_arrow(value)


class _Line:
    """Progress as lines on standard error: one every two seconds, and one at the end."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0
        self.begun = self.last = time.monotonic()

    def update(self, done: int) -> None:
        """Sets the number of finished puzzles."""
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
            # A program without a console has no standard error.
            if sys.stderr is not None:
                print(f"quadrille: {self.done:,} of {self.total:,} puzzles, {rate:,.0f}/s", file=sys.stderr, flush=True)
        except (OSError, ValueError):
            # Standard error is closed or has no reader, which must not lose the answers.
            pass


def _watched(progress: bool | Callable[[int], object] | None, total: int) -> tuple[Any, Any]:
    """Returns the progress callback, and the display to close at the end. Each may be ``None``."""
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
    """Raises an error if ``value`` is not an integer or out of its range. Accepts ``None``."""
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
    max_rating: float | None = None,
    permutations: int | None = None,
    seed: int | None = None,
    copies: int = 1,
    only: Sequence[str] | None = None,
    distinct: bool = False,
    name: str | None = None,
    index_offset: int = 0,
    rules: str | Sequence[str] = (),
    is_part: bool = False,
    symbols: str | None = None,
    blank: str | None = None,
    side: int | str | None = None,
) -> dict[str, Any]:
    for name_of, value, least, most in (
        ("limit", limit, 1, _U64),
        ("threads", threads, 0, 1024),
        ("memory", memory, 0, _U64),
        ("node_limit", node_limit, 0, _U64),
        ("permutations", permutations, 0, (1 << 32) - 1),
        ("seed", seed, 0, _U64),
        ("copies", copies, 1, 1_000_000),
        ("index_offset", index_offset, 0, _U64),
    ):
        _within(name_of, value, least, most)
    if weights is not None:
        # Weights of a grid or of a row. ``index`` rejects fractions, which ``int`` would truncate.
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
        # A sum of tenths may have a rounding error.
        "max_rating": None if max_rating is None else f"{max_rating:.9g}",
        "permutations": permutations,
        "seed": seed,
        "copies": copies,
        "only": None if only is None else [only] if isinstance(only, str) else list(only),
        "distinct": distinct,
        "name": name,
        "index_offset": index_offset,
        "rules": [rules] if isinstance(rules, str) else list(rules),
        "is_part": is_part,
        "symbols": symbols,
        "blank": blank,
        "side": None if side is None else str(side),
    }


def _reading(given: dict[str, Any]) -> dict[str, Any]:
    """Checks the names of arguments that say how puzzles are read."""
    for name in given:
        if name not in ("symbols", "blank", "side", "rules"):
            raise TypeError(f"unexpected argument {name}")
    return given


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
    return Answers(table, "q_" if keep else "", given.first)


#: Maximum number of puzzles that are answered without a run, one after another in the caller's thread.
_FEW = 1000


def _fast_path(question: str, puzzle: str, limit: int | None, *others: Any, solution: str | None = None) -> Answer | None:
    """Answers one plain puzzle without a run. Returns ``None`` if a run is needed."""
    if any(others) or not (limit is None or 1 <= limit <= _U64):
        return None
    found = _quadrille.one(question, puzzle, limit, solution)
    return None if found is None else Answer(*found)


def _fast_list(question: str, puzzles: list[Any], limit: int | None, *others: Any) -> Answers | None:
    """Answers a short list of plain puzzles without a run. Returns ``None`` if a run is needed."""
    if any(others) or not (limit is None or 1 <= limit <= _U64) or not 0 < len(puzzles) <= _FEW:
        return None
    columns = _quadrille.few(question, puzzles, limit)
    if columns is None:
        return None
    # The caller may change the list before a run is made.
    status, listed = columns[0], puzzles.copy()
    known = {"status": status, "reason": [None] * len(status)}
    known |= {"count": columns[2]} if question == "count" else {"solution": columns[1]}
    run = lambda: _answer(question, _Input(None, puzzle=listed), limit=limit)._table  # noqa: E731
    return Answers(run, "", listed[:_DRAWN], known)


def _answers(
    question: str,
    puzzles: Any,
    column: str | None,
    progress: bool | Callable[[int], object] | None,
    limit: int | None,
    **settings: Any,
) -> Any:
    """Answers puzzles, one row each unless a ``limit`` of solutions is given."""
    is_row_each = limit is None or question == "count"
    if question in ("solve", "unique", "count") and is_row_each:
        fast = _fast_path if isinstance(puzzles, str) else _fast_list if type(puzzles) is list else None
        known = fast and fast(question, puzzles, limit, column, progress, *settings.values())
        if known is not None:
            return known
    given = _Input(column, puzzle=puzzles)
    answers = _answer(question, given, progress, limit=limit, **settings)
    return answers[0] if given.is_one and is_row_each and not settings.get("fields") else answers


def _solve_question(unique: bool, limit: int | None, first: str | None) -> str:
    if unique and limit is not None:
        raise ValueError("unique and limit cannot be combined")
    if first is None:
        return "unique" if unique else "solve"
    if first != "least":
        raise ValueError(f"first={first!r}: expected 'least'")
    if unique or limit is not None:
        raise ValueError("first, unique and limit cannot be combined")
    return "least"


def solve(
    puzzles: Any,
    *,
    unique: bool = False,
    limit: int | None = None,
    first: str | None = None,
    column: str | None = None,
    progress: bool | Callable[[int], object] | None = None,
    fields: str | Sequence[str] = (),
    threads: int = 0,
    memory: int | None = None,
    node_limit: int | None = None,
    time_limit: float | None = None,
    **reading: Any,
) -> Any:
    """Solves puzzles.

    ``unique`` also looks for a second solution: a puzzle is then ``unique``, ``multiple`` or ``none``.
    ``first="least"`` finds the least solution of each grid in reading order.
    ``limit`` returns up to that many solutions per puzzle, one per row. ``fields`` selects columns, by the
    names that ``--fields`` of the program has.

    ``threads`` is the number of threads; 0 means one per core. ``memory`` is in bytes. ``node_limit`` and
    ``time_limit`` (seconds) apply to each puzzle. ``progress`` is true for a progress bar (lines without
    tqdm), or a function that is called with the number of finished puzzles.

    Other arguments say how puzzles are read, as the options of the program do: ``symbols`` (such as
    ``"from-zero"``), ``blank`` (a character for an empty cell), ``side`` (a number, or ``"any"``) and ``rules``
    (of all grids, such as ``"x"`` or ``["anti-knight", "windoku"]``).
    Otherwise the first puzzles decide for the whole table.

    >>> import quadrille as q
    >>> q.solve(["1234341221434...", "11.............."]).solution
    ['1234341221434321', None]
    >>> q.solve("1...............", unique=True).status
    'multiple'
    """
    return _answers(
        _solve_question(unique, limit, first),
        puzzles,
        column,
        progress,
        limit,
        fields=fields,
        threads=threads,
        memory=memory,
        node_limit=node_limit,
        time_limit=time_limit,
        **_reading(reading),
    )


def count(
    puzzles: Any,
    *,
    limit: int | None = None,
    column: str | None = None,
    progress: bool | Callable[[int], object] | None = None,
    fields: str | Sequence[str] = (),
    threads: int = 0,
    memory: int | None = None,
    node_limit: int | None = None,
    time_limit: float | None = None,
    **reading: Any,
) -> Any:
    """Counts the solutions of puzzles exactly, or up to ``limit``.

    The other arguments are those of :func:`solve`.

    >>> import quadrille as q
    >>> q.count("." * 16).count
    288
    """
    return _answers(
        "count",
        puzzles,
        column,
        progress,
        limit,
        fields=fields,
        threads=threads,
        memory=memory,
        node_limit=node_limit,
        time_limit=time_limit,
        **_reading(reading),
    )


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
    **reading: Any,
) -> Any:
    """Checks given solutions, and that each puzzle has exactly one.

    The solutions of a table are in its column ``solution`` (or ``solutions``, ``answer``), or in
    ``solution_column``, or in ``solutions``, which then become its column ``solution``. With ``minimal``, a puzzle with a needless clue is ``nonminimal``. The other
    arguments are those of :func:`solve`.

    >>> import quadrille as q
    >>> q.check(["1234341221434321", "1..............."]).status
    ['unique', 'multiple']
    >>> q.check("1234341221434.21", "1234341221434321").status
    'correct'
    """
    if isinstance(puzzles, str) and (solutions is None or isinstance(solutions, str)):
        others = (minimal, column, solution_column, progress, threads, memory, reading)
        answer = _fast_path("check", puzzles, None, *others, solution=solutions)
        if answer is not None:
            return answer
    columns = {"puzzle": puzzles} if solutions is None else {"puzzle": puzzles, "solution": solutions}
    given = _Input(column, **columns)
    answers = _answer(
        "check",
        given,
        progress,
        minimal=minimal,
        solution_column=given.solution_column or solution_column,
        threads=threads,
        memory=memory,
        **_reading(reading),
    )
    return answers[0] if given.is_one else answers


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
    **reading: Any,
) -> Any:
    """Finds the solution with the best score: the sum of weight times digit over all cells.

    The best score is the largest, or the smallest with ``minimize``. ``weights`` are one integer per cell; by
    default those of a target (10 in the centre, 6 at the rim). ``limit`` returns that many of the best
    solutions, one per row. The other arguments are those of :func:`solve`.

    >>> import quadrille as q
    >>> q.best("1234341221......", [1] * 16).score
    40
    """
    return _answers(
        "best",
        puzzles,
        column,
        progress,
        limit,
        weights=weights,
        minimize=minimize,
        threads=threads,
        memory=memory,
        **_reading(reading),
    )


def canon(
    puzzles: Any,
    *,
    form: str = "by-solution",
    column: str | None = None,
    progress: bool | Callable[[int], object] | None = None,
    threads: int = 0,
    memory: int | None = None,
    **reading: Any,
) -> Any:
    """Returns the canonical forms of puzzles, which are equal for puzzles that differ only in arrangement and labels.

    ``form`` is ``by-solution``, ``solution`` or ``puzzle`` (see docs/FORMATS.md). The other arguments are those
    of :func:`solve`.

    >>> import quadrille as q
    >>> q.canon("1234341221434321", form="solution").form
    '1234341221434321'
    """
    return _answers(
        "canon",
        puzzles,
        column,
        progress,
        None,
        form=form,
        threads=threads,
        memory=memory,
        **_reading(reading),
    )


def rate(
    puzzles: Any,
    *,
    scale: str = "ser",
    max_rating: float | None = None,
    permutations: int | None = None,
    seed: int | None = None,
    column: str | None = None,
    progress: bool | Callable[[int], object] | None = None,
    fields: str | Sequence[str] = (),
    threads: int = 0,
    memory: int | None = None,
    node_limit: int | None = None,
    time_limit: float | None = None,
    **reading: Any,
) -> Any:
    """Rates how hard puzzles with one solution are.

    ``scale`` selects the rating; ratings on different scales are not comparable:

    * ``ser``: as by Sudoku Explainer, the rating of the hardest step on the easiest path;
    * ``ser-canonical``: the same for the canonical form, so that equivalent puzzles have equal ratings;
    * ``qqwing``: the level of QQWing, from 1 (simple) to 4 (expert);
    * ``guesses``: the number of guesses of a search;
    * ``guesses-mean``: the mean number of guesses over ``permutations`` random arrangements, chosen by ``seed``.

    Steps above ``max_rating`` are not looked for. A harder puzzle has no rating, but a lower bound in
    ``rating_at_least``.

    The columns on a scale by steps are ``er``, ``ep``, ``ed``, each with its lower bound (``er_at_least`` and
    so on), and ``technique``. On other scales they are ``rating`` and ``rating_error``. ``scale`` holds the
    name and version of the scale. ``fields`` selects others, such as ``steps`` and ``techniques``. The other
    arguments are those of :func:`solve`.

    >>> import quadrille as q
    >>> puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
    >>> answer = q.rate(puzzle)
    >>> answer.status, answer.rating, answer.technique
    ('unique', 1.2, 'hidden single in box')
    >>> q.rate([puzzle, "." * 81], fields=["status", "er", "ep", "ed"]).rating
    [1.2, None]
    >>> bounded = q.rate([puzzle], max_rating=1.0)
    >>> bounded.rating, bounded.rating_at_least
    ([None], [1.1])
    """
    return _answers(
        "rate",
        puzzles,
        column,
        progress,
        None,
        scale=scale,
        max_rating=max_rating,
        permutations=permutations,
        seed=seed,
        fields=fields,
        threads=threads,
        memory=memory,
        node_limit=node_limit,
        time_limit=time_limit,
        **_reading(reading),
    )


def dedup(
    puzzles: Any,
    *,
    by: str = "by-solution",
    all: bool = False,
    column: str | None = None,
    progress: bool | Callable[[int], object] | None = None,
    threads: int = 0,
    memory: int | None = None,
    **reading: Any,
) -> Answers:
    """Keeps the first puzzle of every class of equivalent puzzles.

    Puzzles are equivalent if they differ only in arrangement and labels. ``by`` is the canonical form that is
    compared (``by-solution``, ``solution``, ``puzzle``), or ``text`` for equal texts. With ``all`` every puzzle
    is kept, with its class, the 1-based number of the first puzzle of the class, and the size of the class.
    The other arguments are those of :func:`solve`.

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
        **_reading(reading),
    )


def overlap(
    known: Any,
    puzzles: Any,
    *,
    column: str | None = None,
    progress: bool | Callable[[int], object] | None = None,
    threads: int = 0,
    memory: int | None = None,
    **reading: Any,
) -> Answers:
    """Compares puzzles with those of a known corpus, such as a test set with a training set.

    The column ``q_relation`` is ``copy``, ``isomorph``, ``same-grid`` or ``new``. ``q_first`` is the 1-based
    number of the first known puzzle that has this relation. The other arguments are those of :func:`solve`.

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
        **_reading(reading),
    )


def augment(
    puzzles: Any,
    solutions: Any = None,
    *,
    copies: int = 1,
    seed: int = 1,
    only: Sequence[str] | None = None,
    distinct: bool = False,
    column: str | None = None,
    solution_column: str | None = None,
    progress: bool | Callable[[int], object] | None = None,
    threads: int = 0,
    **reading: Any,
) -> Answers:
    """Returns each puzzle and ``copies`` random images of it. Given solutions are transformed in the same way.

    Rows and columns change places, and digits get new names. ``only`` names the parts that may change:
    ``transpose``, ``bands``, ``rows``, ``stacks``, ``columns``, ``digits``. With ``distinct`` no row of a puzzle
    occurs twice. ``q_index`` is the 1-based number of the puzzle, ``q_copy`` is 0 for the puzzle itself, and
    ``q_transform`` leads from the puzzle to the row. Other columns of a table become strings. Puzzles without
    images are left out. The other arguments are those of :func:`solve`.

    >>> import quadrille as q
    >>> images = q.augment(["1234341221434..."], copies=2, seed=7)
    >>> len(images), images["q_copy"], set(q.solve(images, unique=True).status)
    (3, [0, 1, 2], {'unique'})
    """
    columns = {"puzzle": puzzles} if solutions is None else {"puzzle": puzzles, "solution": solutions}
    given = _Input(column, **{name: [value] if isinstance(value, str) else value for name, value in columns.items()})
    return _answer(
        "augment",
        given,
        progress,
        always_keeps=True,
        copies=copies,
        seed=seed,
        only=only,
        distinct=distinct,
        solution_column=given.solution_column or solution_column,
        fields=["index", "copy", "transform"],
        threads=threads,
        **_reading(reading),
    )


def fingerprint(
    puzzles: Any, known: Any = None, *, column: str | None = None, threads: int = 0, markdown: bool = False
) -> Any:
    """Describes a corpus in a few numbers: a dictionary, or a paragraph of Markdown for a data card.

    ``rows`` is a checksum of the puzzles in their order, and ``puzzles`` is a checksum that is the
    same for any order and any arrangement. ``common`` says what the corpus has in common with
    ``known``: ``same rows``, ``same puzzles`` or the share of its puzzles that ``known`` has too.

    >>> import quadrille as q
    >>> q.fingerprint(["1234341221434321"], ["2143432112343412"])["common"]
    'same puzzles'
    """
    table = _Input(column, puzzle=[puzzles] if isinstance(puzzles, str) else puzzles).table
    other = None if known is None else _Input(column, puzzle=[known] if isinstance(known, str) else known).table
    _within("threads", threads, 0, 1024)
    text, paragraph = _quadrille.fingerprint(table, other, column, threads)
    return paragraph if markdown else json.loads(text)


class Scores(NamedTuple):
    """How much of each answer is right, as arrays of the shape of the batch, or NumPy numbers for a single pair."""

    #: True if the answer is a solution of its puzzle, which may have several.
    valid: Any
    #: Number of cells whose digit does not recur in any of their houses and does not contradict a clue.
    correct_cells: Any
    #: Number of houses (rows, columns and boxes) that do not hold every digit.
    broken_houses: Any
    #: Number of clues that the answer has too.
    clues_kept: Any


#: The number of each character of a grid: 0 for an empty cell, and 255 for any other character.
_NUMBERS = bytes(0 if c in " .0*_-?" else int(c, 36) if c.isdigit() or c.isupper() else 255 for c in map(chr, range(128)))
_NUMBERS += bytes([255]) * 128


def _of_strings(name: str, lines: Sequence[str]) -> Any:
    """Converts strings of one length to an array with a row for each."""
    import numpy

    wrong = next((number for number, line in enumerate(lines) if not isinstance(line, str)), None)
    if wrong is not None:
        raise TypeError(f"{name} {wrong} is {type(lines[wrong]).__name__}: expected a string")
    if len(lines) > 1 and len(set(map(len, lines))) > 1:
        raise ValueError(f"{name} are strings of different lengths")
    return numpy.frombuffer(_numbers_of("".join(lines)), numpy.uint8).reshape(len(lines), len(lines[0]))


def _numbers_of(text: str) -> bytes:
    """Returns the number of each character of a grid."""
    if not text.isascii():
        text = "".join(character if character.isascii() else "~" for character in text)
    return text.encode().translate(_NUMBERS)


def _integers(name: str, value: Any) -> Any:
    """Converts strings, lists and tensors to an array of integers; does not copy data in the memory of the CPU."""
    import numpy

    if isinstance(value, str):
        return numpy.frombuffer(_numbers_of(value), numpy.uint8)
    if isinstance(value, (list, tuple)) and value and isinstance(value[0], str):
        return _of_strings(name, value)
    array = numpy.asarray(value if isinstance(value, numpy.ndarray) else _listed(name, value))
    if array.ndim == 1 and array.size and isinstance(array[0], str):
        return _of_strings(name, array.tolist())
    if not array.size:
        # An empty list has no type.
        return numpy.empty(array.shape, numpy.uint8)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} is an array of {array.dtype}: expected integers")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return numpy.ascontiguousarray(array)


def _batch(name: str, array: Any, side: int | None) -> tuple[tuple[int, ...], int | None]:
    """Returns the shape of a batch of grids, and their side: ``None`` for an empty list."""
    shape = array.shape
    if shape == (0,):
        return shape, side
    if len(shape) >= 2 and shape[-1] == shape[-2] and (shape[-1] == side or side is None and shape[-1] <= 36):
        return shape[:-2], shape[-1]
    root = math.isqrt(shape[-1]) if shape else 0
    if root < 4 or root * root != shape[-1] or side not in (None, root):
        raise ValueError(f"{name} has the shape {shape}: expected (..., 81) or (..., 9, 9), or those of another side")
    return shape[:-1], root


#: Digits of grids above 9x9 in order, if 0 is one.
_FROM_ZERO = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _from_one(*grids: Any) -> tuple[Any, ...]:
    """Rewrites strings of puzzles and answers above 9x9 in ``1-9A-Z`` if 0 is a digit in them; returns others unchanged.

    Some answer then has as many zeros as rows, and none has the last digit of ``1-9A-Z``.
    """
    lists = [[value] if isinstance(value, str) else value for value in grids]
    if not all(isinstance(lines, (list, tuple)) and all(isinstance(line, str) for line in lines) for lines in lists):
        return grids
    answers = lists[-1]
    side = math.isqrt(len(answers[0])) if answers else 0
    if not 9 < side < len(_FROM_ZERO) or any(_FROM_ZERO[side] in line for line in answers):
        return grids
    if not any(line.count("0") == side for line in answers):
        return grids
    shift = str.maketrans(_FROM_ZERO[:side], _FROM_ZERO[1 : side + 1])
    shifted = [[line.translate(shift) for line in lines] for lines in lists]
    return tuple(lines[0] if isinstance(value, str) else lines for value, lines in zip(grids, shifted))


def score(puzzles: Any, answers: Any, *, side: int | None = None) -> Scores:
    """Scores answers to puzzles, for example for rewards, without a search and in the caller's thread.

    Puzzles and answers are arrays or tensors of integers of any type, of shape ``(..., 81)`` or
    ``(..., 9, 9)``, with 0 for an empty cell; strings are read too, also 16x16 grids in ``0-9A-F``.
    One puzzle may have many answers. ``side`` is needed for a shape with two meanings: ``(16, 16)`` is one 16x16 grid
    without ``side``, and sixteen 4x4 grids with ``side=4``.

    >>> import numpy as np
    >>> import quadrille as q
    >>> scores = q.score("1234341221434...", ["1234341221434321", "1234341221434322"])
    >>> scores.valid.tolist(), scores.correct_cells.tolist(), scores.broken_houses.tolist()
    ([True, False], [16, 13], [0, 3])
    """
    puzzles, answers = _from_one(puzzles, answers)
    given, answered = _integers("puzzles", puzzles), _integers("answers", answers)
    of_puzzles, root = _batch("puzzles", given, side)
    shape, other = (of_puzzles, root) if answered.shape == given.shape else _batch("answers", answered, side)
    is_one = of_puzzles != shape and math.prod(of_puzzles) == 1
    if (root or other) != (other or root) or not (is_one or of_puzzles == shape):
        raise ValueError(f"puzzles have the shape {given.shape}, but answers {answered.shape}")
    valid, numbers = _quadrille.scores(given, answered, math.prod(shape), root or other or 9, is_one)
    return Scores(*[column.reshape(shape) if shape else column[0] for column in (valid, *numbers)])


def generate(
    kind: str = "puzzles",
    count: int = 1,
    *,
    seed: int = 0,
    side: int = 9,
    clues: int | tuple[int, int] | None = None,
    rating: str | float | tuple[float, float] | None = None,
    symmetry: str | None = None,
    distinct: bool = False,
    threads: int = 0,
) -> Answers:
    """Makes puzzles with their solutions; equal arguments give equal puzzles.

    ``kind`` is ``puzzles``, ``minimal``, ``grids``, ``multiple``, ``altered`` or ``sparse``. ``clues`` is the
    number of clues, or its minimum and maximum. ``rating`` is the rating on the scale ``ser``, or its minimum and
    maximum, or ``easy``, ``medium``, ``hard`` or ``expert``; the table then has a column ``rating``. ``symmetry`` is
    that of the cells with clues: ``rotational``, ``quarter``, ``mirror``, ``upside-down``, ``diagonal``,
    ``antidiagonal`` or ``full``. With ``distinct`` no two puzzles are equivalent, as in :func:`dedup`.

    >>> import quadrille as q
    >>> made = q.generate("minimal", 3, seed=7)
    >>> q.check(made, minimal=True).status
    ['correct', 'correct', 'correct']
    >>> q.generate("puzzles", 1, rating="easy", symmetry="rotational").rating[0] <= 2.3
    True
    """
    if isinstance(clues, int):
        clues = (clues, clues)
    if rating is not None:
        bounds = rating if isinstance(rating, tuple) else (rating,)
        # A sum of tenths may have a rounding error.
        rating = [bound if isinstance(bound, str) else f"{bound:.9g}" for bound in bounds]
    _within("count", count, 0, _U64)
    _within("seed", seed, 0, _U64)
    _within("side", side, 1, 255)
    _within("threads", threads, 0, 1024)
    for number in clues or ():
        _within("clues", number, 0, (1 << 32) - 1)
    return Answers(_quadrille.generate(kind, count, seed, side, clues, rating, symmetry, distinct, threads), "")


class CoverProblem:
    """An exact cover problem: choose options so that every item is in exactly one of them.

    ``options`` are sequences of items, named by strings or integers. Items in ``secondary`` may stay
    uncovered. In an option they may have a colour, as ``("x", "red")``; several options may then cover the
    item with the same colour. ``primary`` sets the order of the other items, by default that of their first
    appearance. It affects the order of solutions.

    >>> import quadrille as q
    >>> pairs = q.CoverProblem([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)])
    >>> pairs.count()
    3
    >>> list(pairs.solutions())
    [[0, 5], [1, 4], [2, 3]]
    >>> pairs.best([5, 1, 1, 1, 1, 5])
    ([1, 4], 2)
    >>> pairs.marginals()
    [1, 1, 1, 1, 1, 1]
    >>> pairs.sample(3, seed=3)
    [[0, 5], [1, 4], [2, 3]]
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
            # Numbers as names, since blanks and colons in a name would split it.
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
        self._cover = _quadrille.CoverProblem(first, others, words)
        self.options = listed

    def count(self, limit: int | None = None) -> int:
        """Returns the exact number of solutions, but at most ``limit``."""
        _within("limit", limit, 1, _U64)
        return self._cover.count(limit)

    def solutions(self) -> Iterator[list[int]]:
        """Returns an iterator that yields solutions as they are found, each a list of 0-based option numbers."""
        return self._cover.solutions()

    def best(self, costs: Iterable[int], *, minimize: bool = True) -> tuple[list[int], int] | None:
        """Returns the solution with the smallest sum of costs, and that sum, or ``None`` if there is no solution.

        With ``minimize=False`` the largest sum is sought.
        """
        costs = list(costs)
        for option, cost in enumerate(costs):
            _within(f"costs[{option}]", cost, -1 << 63, (1 << 63) - 1)
        return self._cover.best(costs, minimize)

    def sample(self, number: int, seed: int = 1) -> list[list[int]]:
        """Returns random solutions, all with the same probability, or ``[]`` if the problem has no solution.

        The same seed gives the same solutions. Raises ``ValueError`` if the graph of all solutions takes more than 1 GiB.
        """
        _within("number", number, 0, _U64)
        _within("seed", seed, 0, _U64)
        return self._cover.sample(number, seed)

    def marginals(self) -> list[int]:
        """Returns, for each option, the number of solutions that have it. Raises ``ValueError`` like ``sample``."""
        return [int(count) for count in self._cover.marginals()]

    def certificate(self, path: str | os.PathLike[str], problem: str | os.PathLike[str]) -> int:
        """Writes a proof of the number of solutions to ``path``, and returns that number.

        Writes the problem to ``problem`` in Knuth's text format, with numbers as the names of items. The program
        ``scripts/check-count`` checks the two files. Raises ``ValueError`` like ``sample``.
        """
        if os.path.realpath(path) == os.path.realpath(problem):
            raise ValueError(f"certificate and problem are the same file: {os.fspath(path)}")
        return int(self._cover.certificate(os.fspath(path), os.fspath(problem)))


def _main(arguments: Sequence[str] | None = None) -> int:
    """Runs the program and returns its exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    return _quadrille.main([os.fsencode("quadrille").decode(), *words])
