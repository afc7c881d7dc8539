"""The verbs (``solve``, ``count`` and so on) for data frames of Apache Spark.

The library answers records in the processes of the tasks (``mapInArrow``), on one thread per task
by default. Puzzles are in the column ``puzzle``, ``quizzes`` and so on, or in the one named by
``column=``. New columns follow the given columns: ``q_status``, ``q_solution``. Verbs on rows keep
every row, and the order of rows within a partition.

The verbs on rows take these arguments too:

* ``verify`` (true): the answers are computed immediately, and kept on the disks of the executors or in ``out``
  (``unpersist()`` deletes them). Rows before and after are compared as by :func:`verify`; a
  :class:`VerificationError` names lost, duplicated and changed rows. With ``verify=False`` and nothing to write,
  the data frame is lazy.
* ``out``: a directory of Parquet files that is written and then read again.
* ``statistics``: a file for the statistics of all partitions together. True keeps them in the column
  ``q_statistics`` instead, for :func:`verify` and :func:`statistics`.
* ``key``: the columns that identify a row in errors.
* ``node_limit`` and ``time_limit`` (seconds): limits for each record. ``task_time`` (seconds): the time after
  which a task no longer searches.
* ``second_pass``: other limits for a second pass, spread over all tasks, over the rows whose search
  was stopped: ``second_pass={"time_limit": 600, "partitions": 1000}``.
* ``threads`` (1) and ``memory`` (bytes): resources of a task.
* ``symbols``, ``blank`` and ``side``: how puzzles are read, as for :func:`quadrille.solve`. Without them each
  partition decides from its own first rows.

docs/CLUSTER.md says how to ship the package, how much memory executors need, and what each verb costs.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import Statistics, _solve_question
from .problems import best_problem, count_problem
from .verifying import Verified, VerificationError, verify

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = [
    "VerificationError",
    "Verified",
    "augment",
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
    """Answers each record; ``run`` holds the arguments that all verbs have."""
    from .rows import answered

    return answered(df, question, settings, **run)


def solve(
    df: DataFrame,
    column: str | None = None,
    *,
    unique: bool = False,
    limit: int | None = None,
    first: str | None = None,
    fields: Sequence[str] = (),
    **run: Any,
) -> DataFrame:
    """Solves puzzles: ``q_status``, ``q_solution``, as ``quadrille.solve``.

    With ``limit`` there is one row per solution, up to ``limit`` per puzzle.
    """
    settings = {"column": column, "limit": limit, "fields": fields}
    return _rows(df, _solve_question(unique, limit, first), settings, run)


def count(df: DataFrame, column: str | None = None, *, limit: int | None = None, **run: Any) -> DataFrame:
    """Counts solutions, exactly or up to ``limit``: ``q_count``, or text in ``q_count_large`` above 2^63 - 1."""
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


def canon(df: DataFrame, column: str | None = None, *, form: str = "by-solution", **run: Any) -> DataFrame:
    """Computes canonical forms: ``q_canon``, ``q_transform`` and the numbers of automorphisms, as ``quadrille.canon``."""
    return _rows(df, "canon", {"column": column, "form": form}, run)


def rate(
    df: DataFrame,
    column: str | None = None,
    *,
    scale: str = "ser",
    max_rating: float | None = None,
    permutations: int | None = None,
    seed: int | None = None,
    fields: Sequence[str] = (),
    **run: Any,
) -> DataFrame:
    """Rates puzzles with one solution: ``q_er``, ``q_ep``, ``q_ed``, ``q_technique``, as ``quadrille.rate``.

    If only a lower bound of a rating is known, the rating is null and ``q_er_at_least`` holds the bound.
    """
    settings = {"column": column, "scale": scale, "max_rating": max_rating, "permutations": permutations, "seed": seed}
    return _rows(df, "rate", {**settings, "fields": fields}, run)


def augment(
    df: DataFrame,
    column: str | None = None,
    solution_column: str | None = None,
    *,
    copies: int = 1,
    seed: int = 1,
    only: Sequence[str] | None = None,
    distinct: bool = False,
    **run: Any,
) -> DataFrame:
    """Adds ``copies`` random images of each puzzle: ``q_index``, ``q_copy``, ``q_transform``, as ``quadrille.augment``.

    Images depend on the number of the row within its partition, and on the number of the partition.
    """
    settings = {
        "column": column,
        "solution_column": solution_column,
        "copies": copies,
        "seed": seed,
        "only": only,
        "distinct": distinct,
        "fields": ("index", "copy", "transform"),
    }
    return _rows(df, "augment", settings, run)


def dedup(
    df: DataFrame,
    column: str | None = None,
    *,
    by: str = "by-solution",
    all: bool = False,
    order: str | None = None,
    out: str | None = None,
    statistics: File | None = None,
    verify: bool = True,
    memory: int | None = None,
    threads: int = 1,
) -> DataFrame:
    """Keeps one row of every class of equivalent puzzles, as ``quadrille.dedup``.

    The row kept is the first by the column ``order``, such as a row number. Without ``order`` an
    arbitrary row is kept, but the same in every run. ``q_size`` is the size of the class. With
    ``all`` every row is kept, with the size of its class, and the ``order`` of the class's first
    row in ``q_first``. A puzzle without exactly one solution is in no class. Costs one shuffle of
    the rows.
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

    ``q_relation`` is ``copy``, ``isomorph``, ``same-grid`` or ``new``. For a puzzle without exactly one
    solution it is ``copy`` or the status. ``q_first`` is the smallest ``order`` (a column of ``known``) of
    the puzzles that have the relation. Costs a shuffle of the keys of ``known`` and two of the rows.
    """
    from .classes import overlap as run

    settings = {"column": column, "memory": memory, "threads": threads}
    return run(known, df, order, settings, out=out, statistics=statistics, verify=verify)


def statistics(df: DataFrame) -> Statistics:
    """Returns the statistics of answers with summaries (``statistics=True``), summed over all partitions."""
    from .verifying import added_up, sums

    return added_up(sums(df, []).summaries)
