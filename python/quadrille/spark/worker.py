"""Code that runs inside a task: batches of a partition in, answered batches out, in order.

```text
batches of Spark (10,000 rows) -> gathered to some 65,536 -> one call of the library -> batches of Spark
                                                              |
                                                              v
                             the summary of the part: statistics, rows in and out, checksums -> its last row
```

The library is called in the process of the task. A failure there fails the task, which Spark then runs again.
No rows are lost silently, since only completed tasks count.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from .. import _quadrille
from .columns import SUMMARY, for_spark, retyped, table_of

#: Rows per call: enough to make the cost of a call negligible, few enough for the memory of a small task.
ROWS_AT_ONCE = 1 << 16
#: Rows per call of a task with a time limit, which is checked between calls.
ROWS_AT_ONCE_TIMED = 1 << 10
#: Maximum number of records per partition. Row numbers are ``monotonically_increasing_id() + 1``.
NUMBERS_OF_A_PART = 1 << 33
#: Reasons for which a search was stopped early.
EARLY = ("nodes", "time", "deadline", "memory", "cancel")


@dataclass(frozen=True)
class Plan:
    """A question to every record of a table."""

    question: str
    settings: dict[str, Any]
    #: Number of columns of the table.
    given: int
    #: Columns covered by the summary's checksum; none if no summary is wanted.
    summed: list[str] = field(default_factory=list)
    #: Name of the column with the reason for the end of a search, or ``None``.
    ended_by: str | None = None
    has_account: bool = False
    #: Seconds after which a task no longer searches.
    task_time: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Returns the part of the plan that a summary stores, so that rows can be answered again."""
        return {"question": self.question, "settings": self.settings}


class Summary:
    """Statistics and checksums of one partition."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.statistics = _quadrille.Statistics()
        self.rows_in = self.rows_out = 0
        self.checksum = self.early_rows = self.early_checksum = 0

    def add(self, given: int, answered: pa.Table, statistics: Any) -> None:
        """Adds the result of one call."""
        self.rows_in += given
        rows, total = _quadrille.checksum(table_of(answered), self.plan.summed)
        self.rows_out += rows
        self.checksum += total
        if self.plan.ended_by is not None:
            early = answered.filter(pa.compute.is_in(answered[self.plan.ended_by], pa.array(EARLY)))
            rows, total = _quadrille.checksum(table_of(early), self.plan.summed)
            self.early_rows += rows
            self.early_checksum += total
        if statistics is not None:
            self.statistics.merge(statistics)

    def to_json(self) -> str:
        return json.dumps(
            {
                "plan": self.plan.to_json(),
                "columns": self.plan.summed,
                "rows": [self.rows_in, self.rows_out, self.early_rows],
                # Sums of 64-bit numbers may be too large for numbers in JSON.
                "checksum": str(self.checksum),
                "early_checksum": str(self.early_checksum),
                "statistics": self.statistics.to_json(),
            }
        )


def ask(plan: Plan, table: pa.Table, **more: Any) -> tuple[pa.Table, Any]:
    """Returns the answers to a table, in columns that Spark accepts, and the statistics of the run."""
    answers = _quadrille.answer(plan.question, table_of(table), None, {**plan.settings, **more}, None)
    answered = pa.table(answers)
    if plan.question == "augment":
        answered = retyped(table, answered, 1 + more.get("index_offset", plan.settings["index_offset"]))
    return for_spark(answered, plan.given), answers.statistics


def gathered(batches: Iterator[pa.RecordBatch], rows: int) -> Iterator[pa.Table]:
    """Joins batches to tables of at least ``rows`` rows; the last may have fewer."""
    held: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        if batch.num_rows == 0:
            continue
        held.append(batch)
        count += batch.num_rows
        if count >= rows:
            yield pa.Table.from_batches(held)
            held, count = [], 0
    if held:
        yield pa.Table.from_batches(held)


def make_mapper(plan: Plan) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Returns the function for ``mapInArrow`` that answers the records of a partition."""

    def answer(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        context = TaskContext.get()
        part = context.partitionId() if context else 0
        begun = time.monotonic()
        summary = Summary(plan)
        waiting: pa.RecordBatch | None = None
        at_once = ROWS_AT_ONCE if plan.task_time is None else ROWS_AT_ONCE_TIMED
        if plan.question == "augment":
            at_once = max(1, at_once // (1 + plan.settings["copies"]))
        for number, table in enumerate(gathered(batches, at_once)):
            more: dict[str, Any] = {
                "name": "the data frame",
                "index_offset": part * NUMBERS_OF_A_PART + summary.rows_in,
                "is_part": number > 0,
            }
            if plan.task_time is not None and time.monotonic() - begun > plan.task_time:
                # With a limit of one node, records that need no search are still answered; the
                # others are left to a second pass.
                more["node_limit"] = 1
            answered, statistics = ask(plan, table, **more)
            if not plan.has_account:
                yield from answered.to_batches()
                continue
            summary.add(table.num_rows, answered, statistics)
            for batch in answered.to_batches():
                if batch.num_rows == 0:
                    continue
                if waiting is not None:
                    yield with_summary(waiting, None)
                waiting = batch
        if waiting is not None:
            yield with_summary(waiting, summary.to_json())

    return answer


def with_summary(batch: pa.RecordBatch, summary: str | None) -> pa.RecordBatch:
    """Adds the summary column to a batch, with the summary in the last row."""
    nulls = pa.nulls(batch.num_rows - (summary is not None), pa.string())
    column = nulls if summary is None else pa.concat_arrays([nulls, pa.array([summary])])
    return pa.RecordBatch.from_arrays([*batch.columns, column], names=[*batch.schema.names, SUMMARY])
