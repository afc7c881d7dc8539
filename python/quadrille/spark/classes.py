"""The verbs that compare records: the workers compute keys, and Spark groups equal ones.

A key is a 128-bit hash in two 64-bit columns. ``overlap`` has keys of the clues, of the ``by-solution`` form and
of the ``solution`` form. Copies and isomorphs have equal solution forms. Rows are partitioned by a *join key*: half
of the key of the solution form or, for a record without exactly one solution, half of the key of the clues. All rows
that may be related have the same join key, so that the three joins share one shuffle.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _settings
from .columns import SUMMARY, mapped, refuse_alike
from .rows import make_plan, persist, write_file
from .verifying import VerificationError, added_up, column, compare, compare_answers, differences
from .verifying import hashed_columns, sums
from .worker import make_mapper

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

#: Temporary columns of the keys, and of the verdicts.
TEXT, BY_SOLUTION, SOLUTION = ([f"q_key_{kind}_{half}" for half in ("high", "low")] for kind in (1, 2, 3))
STATUS = "q_status"


def keyed(df: DataFrame, form: str, settings: dict[str, Any], has_account: bool) -> tuple[DataFrame, list[str]]:
    """Returns the rows with their keys and verdicts, and the columns covered by the summaries' checksums."""
    settings = _settings(**settings, form=form)
    settings["threads"] = settings["threads"] or 1
    plan, schema = make_plan(df, "keys", settings, has_account, None)
    return mapped(df, make_mapper(plan), schema), plan.summed


def accounted(df: DataFrame, rows: DataFrame, summed: list[str], verify: bool, file: str | os.PathLike[str]) -> DataFrame:
    """Persists rows with keys and writes their statistics, before rows that hold summaries may be dropped."""
    rows = persist(rows)
    given = hashed_columns(df)
    held = sums(rows, given, summed)
    if verify:
        compare_answers(rows, given, held)
    write_file(Path(file), added_up(held.summaries).to_json())
    return rows.drop(SUMMARY)


def finished(df: DataFrame, answer: DataFrame, out: str | None) -> DataFrame:
    """Writes the answer to ``out`` and reads it again, or persists it. Returns the result."""
    if out is None:
        return persist(answer)
    answer.write.parquet(out)
    return df.sparkSession.read.parquet(out)


def dedup(
    df: DataFrame,
    by: str,
    all: bool,
    order: str | None,
    settings: dict[str, Any],
    *,
    out: str | None,
    statistics: str | os.PathLike[str] | None,
    verify: bool,
) -> DataFrame:
    """Runs ``quadrille.spark.dedup``."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    firsts = ["q_first"] if all and order is not None else []
    refuse_alike(df, [*df.columns, "q_size", "q_spread", "q_order", "q_rank", *firsts])
    rows, summed = keyed(df, by, settings, statistics is not None)
    if statistics is not None:
        rows = accounted(df, rows, summed, verify, statistics)
    value = f.xxhash64(*[column(name) for name in hashed_columns(df)])
    is_keyed = column(TEXT[0]).isNotNull()
    # Rows without a key are in no class: all are kept, and spread by their values.
    #
    # This is a column, because Spark would compute an expression again in every window, and shuffle
    # by it.
    rows = rows.withColumn("q_spread", f.when(~is_keyed, value))
    rows = rows.withColumn("q_order", value if order is None else column(order))
    # Without ``order``, rows are ordered by value, so that a task that runs again keeps the same row.
    ordered = Window.partitionBy(*TEXT, "q_spread").orderBy("q_order")
    whole = ordered.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    rows = rows.withColumn("q_rank", f.row_number().over(ordered))
    size = f.count(f.lit(1)).over(whole)
    ours = ["q_size"]
    rows = rows.withColumn("q_size", f.when(is_keyed, size) if all else f.when(is_keyed, size).otherwise(1))
    if all and order is not None:
        rows = rows.withColumn("q_first", f.when(is_keyed, f.min(column(order)).over(whole)))
        ours = ["q_first", "q_size"]
    if not all:
        rows = rows.where((column("q_rank") == 1) | ~is_keyed)
    answer = rows.select(*[column(name) for name in [*df.columns, *ours]])
    if not (verify or out is not None):
        return answer
    answer = finished(df, answer, out)
    if verify and all:
        compare(df, answer)
    elif verify:
        stand_for_all(df, answer)
    return answer


def stand_for_all(df: DataFrame, answer: DataFrame) -> None:
    """Requires that the class sizes of the rows kept add up to the number of rows of ``df``."""
    from pyspark.sql import functions as f

    before = df.count()
    stand_for = answer.agg(f.sum("q_size")).first()[0] or 0
    if before != stand_for:
        given = hashed_columns(df)
        found = differences(answer.select(*[column(name) for name in df.columns]), df, given, given)
        raise VerificationError(f"{before:,} rows before, but the sizes of the classes add up to {stand_for:,}", found)


def join_key() -> Column:
    """Returns the join key of a row, which is equal for all rows that may be related."""
    from pyspark.sql import functions as f

    return f.coalesce(column(SOLUTION[0]), column(TEXT[0]), f.lit(0).cast("long"))


@contextmanager
def joined_in_place(spark: SparkSession) -> Iterator[None]:
    """Creates a context in which joins do not shuffle rows that are already partitioned by their join key."""
    name = "spark.sql.requireAllClusterKeysForCoPartition"
    before = spark.conf.get(name, "true")
    spark.conf.set(name, "false")
    try:
        yield
    finally:
        spark.conf.set(name, before)


def overlap(
    known: DataFrame,
    df: DataFrame,
    order: str | None,
    settings: dict[str, Any],
    *,
    out: str | None,
    statistics: str | os.PathLike[str] | None,
    verify: bool,
) -> DataFrame:
    """Runs ``quadrille.spark.overlap``."""
    from pyspark.sql import functions as f

    refuse_alike(df, [*df.columns, "q_relation", "q_first", "q_join_key", *TEXT, *BY_SOLUTION, *SOLUTION])
    spark = df.sparkSession
    parts = int(spark.conf.get("spark.sql.shuffle.partitions"))
    number = column(order) if order is not None else f.lit(None).cast("long")
    of_known, _ = keyed(known, "all", settings, False)
    names = [join_key().alias("q_join_key"), *map(column, [*TEXT, *BY_SOLUTION, *SOLUTION]), number.alias("q_number")]
    # Persisted, since three tables are derived from it.
    of_known = persist(of_known.select(*names).repartition(parts, "q_join_key"))
    rows, summed = keyed(df, "all", settings, statistics is not None)
    if statistics is not None:
        rows = accounted(df, rows, summed, verify, statistics)
    answer = rows.withColumn("q_join_key", join_key()).repartition(parts, "q_join_key")
    for kind, (high, low) in enumerate((TEXT, BY_SOLUTION, SOLUTION)):
        # One row per key, so that the join never doubles a row of the other side.
        firsts = of_known.where(column(high).isNotNull()).groupBy("q_join_key", high, low)
        firsts = firsts.agg(f.min("q_number").alias(f"q_first_{kind}"), f.lit(kind).alias(f"q_found_{kind}"))
        answer = answer.join(firsts.hint("shuffle_hash"), ["q_join_key", high, low], "left")
    is_found = [column(f"q_found_{kind}").isNotNull() for kind in range(3)]
    words = ("copy", "isomorph", "same-grid")
    relation = f.coalesce(
        *[f.when(found, word) for found, word in zip(is_found, words)],
        f.when(column(BY_SOLUTION[0]).isNotNull(), "new"),
        column(STATUS),
    )
    first = f.when(is_found[0], column("q_first_0")).when(is_found[1], column("q_first_1"))
    first = first.when(is_found[2], column("q_first_2"))
    answer = answer.select(*map(column, df.columns), relation.alias("q_relation"), first.alias("q_first"))
    if not (verify or out is not None):
        return answer
    with joined_in_place(spark):
        answer = finished(df, answer, out)
        if verify:
            compare(df, answer)
    of_known.unpersist()
    return answer
