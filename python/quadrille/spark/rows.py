"""The verbs that answer each record: the rows of a data frame, followed by the library's columns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from .. import _settings
from .columns import SUMMARY, empty_row, mapped, refuse_alike, with_ours
from .verifying import Sums, VerificationError, added_up, changed_answers, column, compare, compare_answers
from .verifying import hashed_columns, sums
from .worker import EARLY, Plan, make_mapper, ask

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

#: Settings of a second pass.
SECOND_PASS = ("node_limit", "time_limit", "memory", "threads", "task_time", "partitions")


def make_plan(
    df: DataFrame, question: str, settings: dict[str, Any], has_account: bool, task_time: float | None
) -> tuple[Plan, StructType]:
    """Returns the plan of a question to a data frame, and the schema of the answers."""
    from pyspark.sql import types

    if SUMMARY in df.columns:
        raise ValueError(f"the data frame has the column {SUMMARY} of an earlier verb's answers: drop it first")
    refuse_alike(df, df.columns)
    row = empty_row(df.schema)
    plan = Plan(question, settings, len(df.columns), task_time=task_time)
    answered, _ = ask(plan, row)
    names = answered.column_names
    ended_by = next((name for name in names[plan.given :] if name.startswith("q_ended_by")), None)
    schema = with_ours(df.schema, row.schema, answered.schema)
    if has_account:
        summed = [
            field.name for field in answered.schema if pa.types.is_string(field.type) or pa.types.is_int64(field.type)
        ]
        # Dates and similar types are integers in Arrow, but not in Spark.
        summed = [name for name in summed if schema[name].dataType.typeName() in ("string", "long")]
        plan = replace(plan, summed=summed, ended_by=ended_by, has_account=True)
        schema = types.StructType([*schema.fields, types.StructField(SUMMARY, types.StringType(), True)])
    else:
        plan = replace(plan, ended_by=ended_by)
    refuse_alike(df, schema.names)
    return plan, schema


def answered(
    df: DataFrame,
    question: str,
    settings: dict[str, Any],
    *,
    out: str | None = None,
    statistics: str | os.PathLike[str] | bool = False,
    verify: bool = True,
    key: str | Sequence[str] | None = None,
    node_limit: int | None = None,
    time_limit: float | None = None,
    task_time: float | None = None,
    second_pass: dict[str, Any] | None = None,
    threads: int = 1,
    memory: int | None = None,
    symbols: str | None = None,
    blank: str | None = None,
    side: int | str | None = None,
) -> DataFrame:
    """Runs a verb. ``quadrille.spark`` documents the arguments."""
    limits = {"node_limit": node_limit, "time_limit": time_limit, "threads": threads or 1, "memory": memory}
    settings = _settings(**settings, **limits, symbols=symbols, blank=blank, side=side)
    one_row = question != "augment" and (settings["limit"] is None or question == "count")
    if second_pass is not None and statistics is True:
        raise ValueError("second_pass needs a file for statistics: statistics=FILE")
    wants_file = not isinstance(statistics, bool)
    is_eager = verify or wants_file or out is not None or second_pass is not None
    has_account = is_eager or statistics is True
    plan, schema = make_plan(df, question, settings, has_account, task_time)
    frame = mapped(df, make_mapper(plan), schema)
    first = Sums(0, 0, 0, [])
    if second_pass is not None:
        frame, plan, first = _with_second_pass(df, frame, plan, schema, second_pass, out)
    if not is_eager:
        return frame
    if out is not None:
        frame.write.parquet(out)
        frame = df.sparkSession.read.parquet(out)
    else:
        frame = persist(frame)
    given = hashed_columns(df)
    held = sums(frame, given, plan.summed)
    keys = [key] if isinstance(key, str) else key
    if verify and one_row:
        compare(df, frame, keys, held)
    if verify and second_pass is None:
        compare_answers(frame, given, held, keys)
    elif verify:
        _compare_both_passes(frame, given, held, first, plan)
    if wants_file:
        write_file(Path(statistics), added_up([*first.summaries, *held.summaries]).to_json())
    return frame if statistics is True else frame.drop(SUMMARY)


def persist(frame: DataFrame) -> DataFrame:
    """Persists the data frame on the disks of the executors."""
    from pyspark import StorageLevel

    return frame.persist(StorageLevel.DISK_ONLY)


def _with_second_pass(
    df: DataFrame, frame: DataFrame, plan: Plan, schema: StructType, second_pass: dict[str, Any], out: str | None
) -> tuple[DataFrame, Plan, Sums]:
    """Answers the rows again whose search was stopped, with other limits and spread over all tasks.

    Which rows are stopped may depend on the clock, so the first pass must not be computed again by its readers.
    With ``out`` it is written next to the output. Otherwise it is persisted, and computed again if an
    executor is lost. If that gives other rows, the checksums reveal it.
    """
    wrong = [name for name in second_pass if name not in SECOND_PASS]
    if wrong:
        raise ValueError(f"second_pass has no {wrong[0]}: expected {', '.join(SECOND_PASS)}")
    if plan.ended_by is None:
        raise ValueError("second_pass needs ended_by among the fields")
    if out is not None:
        frame.write.parquet(out.rstrip("/") + ".first")
        frame = df.sparkSession.read.parquet(out.rstrip("/") + ".first")
    else:
        frame = persist(frame)
    first = sums(frame, [], [])
    limits = {name: value for name, value in second_pass.items() if name not in ("task_time", "partitions")}
    second = replace(plan, settings={**plan.settings, **limits}, task_time=second_pass.get("task_time"))
    is_early = column(plan.ended_by).isin(*EARLY)
    # Rows of records that were not searched, such as unreadable ones, have no `ended_by` and are final.
    done = frame.where(~is_early | column(plan.ended_by).isNull()).withColumn(SUMMARY, _no_summary())
    rest = frame.where(is_early).select(*[column(name) for name in df.columns])
    parts = second_pass.get("partitions") or df.sparkSession.sparkContext.defaultParallelism * 4
    # Partitioned by value: a task that runs again must get the same rows.
    rest = rest.repartition(parts, *[column(name) for name in hashed_columns(df)])
    return done.unionByName(mapped(rest, make_mapper(second), schema)), second, first


def _no_summary() -> Any:
    from pyspark.sql import functions as f

    return f.lit(None).cast("string")


def _compare_both_passes(frame: DataFrame, given: list[str], held: Sums, first: Sums, plan: Plan) -> None:
    """Requires that the rows are those that the first pass completed, and those of the second pass."""
    import json

    summaries = [json.loads(text) for text in first.summaries]
    expected = sum(int(summary["checksum"]) - int(summary["early_checksum"]) for summary in summaries)
    rows = sum(summary["rows"][1] - summary["rows"][2] for summary in summaries)
    for summary in map(json.loads, held.summaries):
        expected += int(summary["checksum"])
        rows += summary["rows"][1]
    if (rows, expected) != (held.rows, held.answered):
        found = changed_answers(frame, {"plan": plan.to_json()}, given, given)
        raise VerificationError(f"{rows:,} rows were answered, but the {held.rows:,} written rows differ", found)


def write_file(path: Path, text: str) -> None:
    """Writes a file that is complete once it has its final name."""
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)
