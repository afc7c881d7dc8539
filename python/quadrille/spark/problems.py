"""One problem on a cluster: tasks answer its cubes, and the answers are combined with a proof that none is missing.

```text
problem --cut on the driver--> cubes --tasks--> answers --------------------------+--combine--> the answer
                                 ^                                                |
                                 |      out of time: the task cuts the cube again |
                                 +------------------------------------------------+
```

A cube that is cut again is a problem with a cut of its own. Its cubes are combined, with the same proof, to
the answer of the cube. At every level the name of a cube contains hashes of its problem and its cut, so that
the library refuses missing, foreign and doubled cubes.

Finished answers may be written to a directory. A task writes about one file per second, which is complete
once it has its final name. Each line is a JSON object: the names of the cubes on the path to a cube, and its
answer or its cut. A run over a directory with such files skips the cubes in them.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from .. import _quadrille

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Number of random walks per cube of a cut, and their seed, as in the program.
PROBES, SEED = 64, 1
#: Interval in seconds at which a task writes finished cubes.
WRITE_EVERY = 1.0
#: Number of cubes into which a cube is cut again.
CUT_AGAIN = 16
#: Maximum depth of cuts; a cube of this depth is answered without a time limit.
MAX_DEPTH = 8

#: Names of the cubes on the path from the problem to a cube, that cube included.
Place = tuple[str, ...]


class Asked(NamedTuple):
    """A problem, and the settings that tasks need to answer its cubes."""

    text: bytes
    purpose: str
    weights: list[int] | None
    format: str | None
    threads: int
    cube_time: float | None
    directory: str | None


class Done(NamedTuple):
    """Result of a cube: its answer, or the cubes into which it is cut."""

    place: Place
    answer: str | None
    cubes: list[str]

    def to_json(self) -> str:
        return json.dumps(self._asdict())

    @classmethod
    def from_json(cls, text: str) -> Done:
        value = json.loads(text)
        return cls(tuple(value["place"]), value["answer"], value["cubes"])


def name_of(line: str) -> str:
    """Returns the name of a cube, which is the first column of its line and of the line of its answer."""
    return line.split("\t", 1)[0]


@lru_cache(maxsize=4)
def whole_of(text: bytes, purpose: str, weights: tuple[int, ...] | None, format: str | None) -> Any:
    """Returns the problem, which each process reads once."""
    return _quadrille.Problem(text, purpose, None if weights is None else list(weights), format)


@lru_cache(maxsize=64)
def part_of(asked: tuple[Any, ...], lines: tuple[str, ...]) -> Any:
    """Returns the problem of the last of these cubes."""
    return part_of(asked, lines[:-1]).part(lines[-1]) if lines else whole_of(*asked)


def answer_cubes(asked: Asked, work: Iterable[tuple[list[str], bool]]) -> Iterator[Done | str]:
    """Answers cubes, given by their paths, and whether each may be cut again.

    Yields the results and finally the statistics as JSON.
    """
    statistics = _quadrille.Statistics()
    unwritten: list[Done] = []
    written = time.monotonic()
    for lines, may_be_cut in work:
        weights = None if asked.weights is None else tuple(asked.weights)
        problem = part_of((asked.text, asked.purpose, weights, asked.format), tuple(lines[:-1]))
        limit = asked.cube_time if may_be_cut else None
        answers, summary = problem.answer([lines[-1]], asked.threads, None, limit)
        place = tuple(map(name_of, lines))
        _, unfinished = _quadrille.combine(lines[-1:], answers)
        if unfinished:
            if not may_be_cut:
                raise RuntimeError(f"a cube has no answer: {answers}")
            cubes = problem.part(lines[-1]).split(CUT_AGAIN, PROBES, SEED)
            done = Done(place, None, cubes)
        else:
            statistics.merge(summary)
            done = Done(place, answers[0], [])
        yield done
        unwritten.append(done)
        if asked.directory is not None and time.monotonic() - written > WRITE_EVERY:
            write_done(Path(asked.directory), unwritten)
            unwritten, written = [], time.monotonic()
    if asked.directory is not None and unwritten:
        write_done(Path(asked.directory), unwritten)
    yield statistics.to_json()


def write_done(directory: Path, done: list[Done]) -> None:
    """Writes results to a file that is complete once it has its final name. A task that runs again writes another."""
    name = f"{hashlib.sha256(repr(done[0].place).encode()).hexdigest()[:16]}-{uuid.uuid4().hex[:8]}"
    partial = directory / f".{name}.partial"
    with partial.open("w", encoding="utf-8") as file:
        file.writelines(one.to_json() + "\n" for one in done)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, directory / f"{name}.jsonl")


def task(asked: Asked) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Returns the function for ``mapInArrow`` that answers the cubes of a partition."""

    def answer(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        work = (tuple(json.loads(text.as_py())) for batch in batches for text in batch.column(0))
        for done in answer_cubes(asked, work):
            values = [None, done] if isinstance(done, str) else [done.to_json(), None]
            yield pa.RecordBatch.from_arrays([pa.array([value], pa.string()) for value in values], names=["done", "summary"])

    return answer


def by_name(cubes: list[str]) -> dict[str, str]:
    """Returns lines of cubes by name."""
    return {name_of(line): line for line in cubes}


class Tree:
    """The tree of cubes and their results."""

    def __init__(self, cubes: list[str]) -> None:
        #: For the path of each problem or cube that was cut: the lines of its cubes by name, in order.
        self.cubes: dict[Place, dict[str, str]] = {(): by_name(cubes)}
        self.answers: dict[Place, str] = {}
        #: For the path of each problem or cube that was cut: the lines of that path.
        self.lines: dict[Place, list[str]] = {(): []}

    def add(self, done: Iterable[Done]) -> None:
        """Adds results, in any order and possibly repeated."""
        # Cubes that were cut come before their parts.
        for one in sorted(done, key=lambda one: len(one.place)):
            cut, name = one.place[:-1], one.place[-1]
            line = self.cubes.get(cut, {}).get(name)
            if line is None:
                raise ValueError(f"{name}: a cube of another problem or another cut")
            if one.answer is None:
                self.cubes.setdefault(one.place, by_name(one.cubes))
                self.lines[one.place] = [*self.lines[cut], line]
            elif self.answers.setdefault(one.place, one.answer) != one.answer:
                raise ValueError(f"{name} has two answers: {self.answers[one.place]!r} and {one.answer!r}")

    def unanswered(self) -> Iterator[tuple[list[str], bool]]:
        """Yields the unanswered cubes: the lines of the path, and whether the cube may be cut again."""
        below: list[Place] = [()]
        while below:
            place = below.pop()
            cubes = self.cubes[place]
            for name, line in cubes.items():
                at = (*place, name)
                if at in self.answers:
                    continue
                if at in self.cubes:
                    below.append(at)
                else:
                    # A cut into a single cube means that nothing is left to cut.
                    yield [*self.lines[place], line], len(cubes) > 1 and len(at) < MAX_DEPTH

    def total(self, place: Place = ()) -> str:
        """Returns the answer of the problem or cube at a path; the library proves that it is complete."""
        answers = []
        for name in self.cubes[place]:
            at = (*place, name)
            found = self.answers.get(at)
            if found is None and at in self.cubes:
                found = f"{name}\t{self.total(at)}"
            if found is not None:
                answers.append(found)
        total, missing = _quadrille.combine(list(self.cubes[place].values()), answers)
        if total is None:
            raise RuntimeError(f"{len(missing)} cubes have no answer")
        return total


def read_done(directory: Path) -> list[Done]:
    """Reads the results in a directory."""
    return [
        Done.from_json(line)
        for file in sorted(directory.glob("*.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]


def cut_whole(asked: Asked, target: int, directory: Path | None) -> list[str]:
    """Returns the cubes of the problem, from the directory if they are in it."""
    whole = _quadrille.Problem(asked.text, asked.purpose, asked.weights, asked.format)
    kept = directory / "cubes.txt" if directory else None
    if kept and kept.exists():
        cubes = kept.read_text(encoding="utf-8").splitlines() or [""]
        # Raises an error for a cube of another problem or for another purpose.
        whole.part(cubes[0])
        return cubes
    cubes = whole.split(target, PROBES, SEED)
    if kept:
        partial = kept.with_name(".cubes.txt.partial")
        partial.write_text("".join(line + "\n" for line in cubes), encoding="utf-8")
        os.replace(partial, kept)
    return cubes


def solved(
    spark: SparkSession,
    asked: Asked,
    cubes: int | None,
    tasks: int | None,
    statistics: str | os.PathLike[str] | None,
) -> str:
    """Runs a problem to its end and returns the answer as ``combine`` writes it."""
    directory = Path(asked.directory) if asked.directory is not None else None
    if directory:
        directory.mkdir(parents=True, exist_ok=True)
    slots = spark.sparkContext.defaultParallelism
    tree = Tree(cut_whole(asked, cubes or 32 * slots, directory))
    if directory:
        tree.add(read_done(directory))
    summary = _quadrille.Statistics()
    while todo := list(tree.unanswered()):
        parts = min(len(todo), tasks or max(8 * slots, len(todo) // 16))
        rows = spark.createDataFrame([(json.dumps(one),) for one in todo], "cube string").repartition(parts)
        came = rows.mapInArrow(task(asked), "done string, summary string").collect()
        tree.add(Done.from_json(row.done) for row in came if row.done is not None)
        for row in came:
            if row.summary is not None:
                summary.merge(_quadrille.Statistics.from_json(row.summary))
    if statistics is not None:
        from .rows import write_file

        write_file(Path(statistics), summary.to_json())
    return tree.total()


def text_of(problem: str | bytes | os.PathLike[str]) -> bytes:
    """Returns the text of a problem, read from a file if it is a path."""
    if isinstance(problem, os.PathLike):
        return Path(problem).read_bytes()
    return problem.encode() if isinstance(problem, str) else bytes(problem)


def count_problem(
    spark: SparkSession,
    problem: str | bytes | os.PathLike[str],
    *,
    format: str | None = None,
    cubes: int | None = None,
    cube_time: float | None = 60.0,
    directory: str | os.PathLike[str] | None = None,
    tasks: int | None = None,
    threads: int = 1,
    statistics: str | os.PathLike[str] | None = None,
) -> int:
    """Counts the solutions of one problem on a cluster.

    ``problem`` is text in any format that the program reads, or the path of a file. It is cut into
    ``cubes`` on the driver (by default 32 per slot). A cube not finished in ``cube_time`` seconds
    is cut again by its task; with ``None`` no cube is.

    Results are written to ``directory``, which driver and workers must share. Another run over the same
    directory resumes with them. ``tasks`` is the number of tasks per round, ``threads`` the number of threads
    per task. ``statistics`` is a file for the statistics of all tasks.

    Raises ``ValueError`` for text that is not a problem, and for a directory with cubes of another problem.
    """
    directory = None if directory is None else os.fspath(directory)
    asked = Asked(text_of(problem), "count", None, format, threads, cube_time, directory)
    return int(solved(spark, asked, cubes, tasks, statistics))


def best_problem(
    spark: SparkSession,
    problem: str | bytes | os.PathLike[str],
    weights: Any = None,
    *,
    minimize: bool = False,
    format: str | None = None,
    cubes: int | None = None,
    cube_time: float | None = 60.0,
    directory: str | os.PathLike[str] | None = None,
    tasks: int | None = None,
    threads: int = 1,
    statistics: str | os.PathLike[str] | None = None,
) -> tuple[int, str] | None:
    """Finds the best solution of one problem on a cluster.

    ``weights`` are one integer per cell of a grid, by default those of a target. Options of an exact cover
    problem have costs in their text. Returns the score and the solution as the program writes it, or ``None``
    if there is no solution. The other arguments are those of :func:`count_problem`.
    """
    if weights is not None:
        weights = [int(weight) for row in weights for weight in (row if hasattr(row, "__iter__") else (row,))]
    directory = None if directory is None else os.fspath(directory)
    purpose = "min" if minimize else "max"
    asked = Asked(text_of(problem), purpose, weights, format, threads, cube_time, directory)
    total = solved(spark, asked, cubes, tasks, statistics)
    if total == "none":
        return None
    score, solution = total.split("\t")
    return int(score), solution
