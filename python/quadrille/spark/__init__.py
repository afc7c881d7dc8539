"""The verbs over data frames of Apache Spark: data frame in, data frame out.

Records are answered by the library in the processes of the tasks (``mapInArrow``), one thread a task. Columns are found as those of
Parquet are (``puzzle``, ``quizzes``... or the one that ``column=`` names), and ours stand behind them: ``q_status``, ``q_solution``.
A row verb leaves the order of rows within a part, and every row.

The verbs on rows take these arguments too:

* ``verify`` (true): the answers are made at once and kept on the disks of the executors (``unpersist()`` frees them), or are in
  ``out``; rows before and after are compared as :func:`verify` does, and a :class:`VerificationError` names what is lost, doubled or
  changed. With ``verify=False`` and nothing to write, the data frame is as lazy as any other.
* ``out``: a directory of Parquet that is written, and read again.
* ``statistics``: a file of the program's statistics, all parts added up exactly; or true: the accounts stay in the column
  ``q_statistics``, for :func:`verify` and :func:`statistics`.
* ``key``: the columns by which rows are named in errors.
* ``node_limit``, ``time_limit`` (seconds) for one record, ``task_time`` (seconds) after which a task searches no more;
  ``again``: other limits, with which the rows that these ended are answered in a second pass, spread over all tasks:
  ``again={"time_limit": 600, "partitions": 1000}``.
* ``threads`` (1) and ``memory`` (bytes) of a task.

See docs/CLUSTER.md for how to ship the package, how much memory executors want, and what each verb costs.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import Statistics
from .problems import best_problem, count_problem
from .verifying import Verified, VerificationError, verify

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = [
    "VerificationError",
    "Verified",
    "best",
    "best_problem",
    "canon",
    "check",
    "count",
    "count_problem",
    "dedup",
    "overlap",
    "rate",
    "solve",
    "statistics",
    "verify",
]

File = str | os.PathLike[str]


def _rows(df: DataFrame, question: str, settings: dict[str, Any], run: dict[str, Any]) -> DataFrame:
    """Asks a question of each record; ``run`` are the arguments that all verbs have."""
    from .rows import answered

    return answered(df, question, settings, **run)


def solve(
    df: DataFrame,
    column: str | None = None,
    *,
    unique: bool = False,
    limit: int | None = None,
    fields: Sequence[str] = (),
    **run: Any,
) -> DataFrame:
    """Solves puzzles: ``q_status``, ``q_solution``, as ``quadrille.solve``. With ``limit`` a row for each of so many solutions."""
    if unique and limit is not None:
        raise ValueError("unique and limit are two questions")
    settings = {"column": column, "limit": limit, "fields": fields}
    return _rows(df, "unique" if unique else "solve", settings, run)


def count(df: DataFrame, column: str | None = None, *, limit: int | None = None, **run: Any) -> DataFrame:
    """Counts solutions: ``q_count``, as text in ``q_count_large`` above 2^63 - 1, or up to ``limit``."""
    return _rows(df, "count", {"column": column, "limit": limit}, run)


def check(
    df: DataFrame, column: str | None = None, solution_column: str | None = None, *, minimal: bool = False, **run: Any
) -> DataFrame:
    """Checks given solutions, and that each puzzle has exactly one: ``q_status``, as ``quadrille.check``."""
    return _rows(df, "check", {"column": column, "solution_column": solution_column, "minimal": minimal}, run)


def best(
    df: DataFrame,
    weights: Any = None,
    column: str | None = None,
    *,
    minimize: bool = False,
    limit: int | None = None,
    **run: Any,
) -> DataFrame:
    """Finds the solution with the best score: ``q_score``, ``q_bound``, ``q_solution``, as ``quadrille.best``."""
    settings = {"column": column, "weights": weights, "minimize": minimize, "limit": limit}
    return _rows(df, "best", settings, run)


def canon(df: DataFrame, column: str | None = None, *, form: str = "carried", **run: Any) -> DataFrame:
    """Gives canonical forms: ``q_canon``, ``q_map`` and the numbers of automorphisms, as ``quadrille.canon``."""
    return _rows(df, "canon", {"column": column, "form": form}, run)


def rate(
    df: DataFrame,
    column: str | None = None,
    *,
    scale: str = "ser",
    up_to: float | None = None,
    permutations: int | None = None,
    seed: int | None = None,
    fields: Sequence[str] = (),
    **run: Any,
) -> DataFrame:
    """Rates puzzles with one solution: ``q_er``, ``q_ep``, ``q_ed``, ``q_technique``, as ``quadrille.rate``.

    A rating that is only known to be above a number is null, and ``q_er_at_least`` has the least that it can be.
    """
    settings = {"column": column, "scale": scale, "up_to": up_to, "permutations": permutations, "seed": seed}
    return _rows(df, "rate", {**settings, "fields": fields}, run)


def dedup(
    df: DataFrame,
    column: str | None = None,
    *,
    by: str = "carried",
    all: bool = False,
    order: str | None = None,
    out: str | None = None,
    statistics: File | None = None,
    verify: bool = True,
    memory: int | None = None,
    threads: int = 1,
) -> DataFrame:
    """Keeps a row of every class of puzzles that are the same but for arrangement and labels, as ``quadrille.dedup``.

    The first by the column ``order``, such as a number of the row; without one it is one of them, always the same.
    ``q_size`` is how many it stands for. With ``all`` every row stays, with the size of its class and the ``order`` of the first of it,
    ``q_first``. A puzzle that has not one solution is in no class. Costs one shuffle of the rows.
    """
    from .classes import dedup as run

    settings = {"column": column, "memory": memory, "threads": threads}
    return run(df, by, all, order, settings, out=out, statistics=statistics, verify=verify)


def overlap(
    known: DataFrame,
    df: DataFrame,
    column: str | None = None,
    *,
    order: str | None = None,
    out: str | None = None,
    statistics: File | None = None,
    verify: bool = True,
    memory: int | None = None,
    threads: int = 1,
) -> DataFrame:
    """Compares every puzzle of a data frame with those of another, as ``quadrille.overlap``.

    ``q_relation`` is ``copy``, ``isomorph``, ``same-grid`` or ``new``, and the status of a puzzle that has not one solution and is no
    copy; ``q_first`` the least ``order`` (a column of ``known``) of those that have the relation. Costs a shuffle of
    the keys of ``known`` and two of the rows.
    """
    from .classes import overlap as run

    settings = {"column": column, "memory": memory, "threads": threads}
    return run(known, df, order, settings, out=out, statistics=statistics, verify=verify)


def statistics(df: DataFrame) -> Statistics:
    """The statistics of answers with accounts (``statistics=True``), all parts added up exactly by the library."""
    from .verifying import added_up, sums

    return added_up(sums(df, []).accounts)
