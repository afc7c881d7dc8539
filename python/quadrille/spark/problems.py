"""One problem over a cluster: cut into cubes, each answered in a task, put together with the proof that none is missing or doubled.

```text
problem --cut on the driver--> cubes --tasks--> answers --------------------------+--combine--> the answer
                                 ^                                                |
                                 |      out of time: the task cuts the cube again |
                                 +------------------------------------------------+
```

A cube that is cut again is a problem of its own, with a cut of its own: its cubes are combined, with the same proof, to the answer of
the cube. So at every level each name has hashes of its problem and its cut, and what is missing, foreign or there twice is
refused by the library.

What is finished may be written to a directory, a file for what a task finished in about a second, complete when it has its name. Each
line of it is a JSON object: the names of the cubes that lead to a cube from the whole, and its answer or its cut. A run over
a directory with such files leaves out what is in them.
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

#: Random walks for each cube of a cut, and their seed: those of the program.
PROBES, SEED = 64, 1
#: Seconds after which a task writes down what it has finished.
WRITE_EVERY = 1.0
#: Cubes that one is cut into again.
CUT_AGAIN = 16
#: Cubes of cubes of cubes: what is as deep is answered without a limit.
DEEPEST = 8

#: The names of the cubes that lead to a cube from the whole, and its own.
Place = tuple[str, ...]


class Asked(NamedTuple):
    """A problem in cubes: what tasks need to answer one."""

    text: bytes
    purpose: str
    weights: list[int] | None
    format: str | None
    threads: int
    cube_time: float | None
    directory: str | None


class Done(NamedTuple):
    """What came of a cube: its answer, or the cubes that it is cut into."""

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
    """The name of a cube or of an answer."""
    return line.split("\t", 1)[0]


@lru_cache(maxsize=4)
def whole_of(text: bytes, purpose: str, weights: tuple[int, ...] | None, format: str | None) -> Any:
    """The problem: read once a process."""
    return _quadrille.Problem(text, purpose, None if weights is None else list(weights), format)


@lru_cache(maxsize=64)
def part_of(asked: tuple[Any, ...], lines: tuple[str, ...]) -> Any:
    """The problem that these cubes lead to."""
    return part_of(asked, lines[:-1]).part(lines[-1]) if lines else whole_of(*asked)


def answer_cubes(asked: Asked, work: Iterable[tuple[list[str], bool]]) -> Iterator[Done | str]:
    """Answers cubes, each given by the lines that lead to it, and whether it may be cut again; at the end the account of them."""
    statistics = _quadrille.Statistics()
    unwritten: list[Done] = []
    written = time.monotonic()
    for lines, may_be_cut in work:
        weights = None if asked.weights is None else tuple(asked.weights)
        problem = part_of((asked.text, asked.purpose, weights, asked.format), tuple(lines[:-1]))
        limit = asked.cube_time if may_be_cut else None
        answers, account = problem.answer([lines[-1]], asked.threads, None, limit)
        place = tuple(map(name_of, lines))
        _, unfinished = _quadrille.combine(lines[-1:], answers)
        if unfinished:
            if not may_be_cut:
                raise RuntimeError(f"a cube has no answer: {answers}")
            cubes = problem.part(lines[-1]).split(CUT_AGAIN, PROBES, SEED)
            done = Done(place, None, cubes)
        else:
            statistics.merge(account)
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
    """Writes a file that is complete when it has its name. Tasks that ran twice write two."""
    name = f"{hashlib.sha256(repr(done[0].place).encode()).hexdigest()[:16]}-{uuid.uuid4().hex[:8]}"
    partial = directory / f".{name}.partial"
    with partial.open("w", encoding="utf-8") as file:
        file.writelines(one.to_json() + "\n" for one in done)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, directory / f"{name}.jsonl")


def task(asked: Asked) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function for ``mapInArrow`` that answers the cubes of a part of the list."""

    def answer(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        work = (tuple(json.loads(text.as_py())) for batch in batches for text in batch.column(0))
        for done in answer_cubes(asked, work):
            values = [None, done] if isinstance(done, str) else [done.to_json(), None]
            yield pa.RecordBatch.from_arrays([pa.array([value], pa.string()) for value in values], names=["done", "account"])

    return answer


def by_name(cubes: list[str]) -> dict[str, str]:
    """Lines of cubes by their names."""
    return {name_of(line): line for line in cubes}


class Tree:
    """Cubes, and cubes of cubes, with what came of each."""

    def __init__(self, cubes: list[str]) -> None:
        #: By the place of what was cut: the lines of its cubes by their names, in order.
        self.cubes: dict[Place, dict[str, str]] = {(): by_name(cubes)}
        self.answers: dict[Place, str] = {}
        #: By the place of what was cut: the lines that lead to it.
        self.lines: dict[Place, list[str]] = {(): []}

    def add(self, done: Iterable[Done]) -> None:
        """Takes what came of cubes, in any order, also twice."""
        # Those that lead to others first.
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
        """The cubes that are to be answered, each by the lines that lead to it, and whether it may be cut again."""
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
                    # One cube is all that there was: nothing is left to cut.
                    yield [*self.lines[place], line], len(cubes) > 1 and len(at) < DEEPEST

    def total(self, place: Place = ()) -> str:
        """The answer of what was cut at a place, proved to be complete by the library."""
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
    """What files of finished cubes have."""
    return [
        Done.from_json(line)
        for file in sorted(directory.glob("*.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]


def cut_whole(asked: Asked, target: int, directory: Path | None) -> list[str]:
    """The cubes of the whole; of the directory, where they are there."""
    whole = _quadrille.Problem(asked.text, asked.purpose, asked.weights, asked.format)
    kept = directory / "cubes.txt" if directory else None
    if kept and kept.exists():
        cubes = kept.read_text(encoding="utf-8").splitlines() or [""]
        # Refuses a cube of another problem or for another purpose.
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
    """Runs a problem to its end; the answer as ``combine`` writes it."""
    directory = Path(asked.directory) if asked.directory is not None else None
    if directory:
        directory.mkdir(parents=True, exist_ok=True)
    slots = spark.sparkContext.defaultParallelism
    tree = Tree(cut_whole(asked, cubes or 32 * slots, directory))
    if directory:
        tree.add(read_done(directory))
    account = _quadrille.Statistics()
    while todo := list(tree.unanswered()):
        parts = min(len(todo), tasks or max(8 * slots, len(todo) // 16))
        rows = spark.createDataFrame([(json.dumps(one),) for one in todo], "cube string").repartition(parts)
        came = rows.mapInArrow(task(asked), "done string, account string").collect()
        tree.add(Done.from_json(row.done) for row in came if row.done is not None)
        for row in came:
            if row.account is not None:
                account.merge(_quadrille.Statistics.from_json(row.account))
    if statistics is not None:
        from .rows import write_file

        write_file(Path(statistics), account.to_json())
    return tree.total()


def text_of(problem: str | bytes | os.PathLike[str]) -> bytes:
    """The text of a problem: as it is, or that of a file."""
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
    """Counts the solutions of one problem on a cluster: a text in any format that the program reads, or the path of a file.

    It is cut into ``cubes`` on the driver (32 for each slot by default). A cube that is not done in ``cube_time`` seconds is cut
    again by its task; ``None`` never. What is finished is written to ``directory``, one that driver and workers share, and a
    run over the same directory goes on with it. ``tasks`` is the number of tasks of a round, ``threads`` those of a task.

    Raises ``ValueError`` for a text that is no problem, and for a directory with cubes of another one.
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
    """Finds the best solution of one problem on a cluster, as :func:`count_problem` counts; its score and the solution as the
    program writes it, or ``None`` where there is no solution.

    ``weights`` are one integer a cell of a grid (those of a target by default); options of an exact cover have their costs.
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
