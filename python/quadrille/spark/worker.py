"""What runs inside a task: batches of a part of a table in, answered batches out, in order.

```text
batches of Spark (10,000 rows) -> gathered to some 65,536 -> one call of the library -> batches of Spark
                                                              |
                                                              v
                             the account of the part: statistics, rows in and out, checksums -> its last row
```

The library is called in the process of the task. Whatever fails there fails the task, which Spark then runs again: rows are never
lost in silence, since a task is either done to its end or counts for nothing.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from .. import _quadrille
from .columns import ACCOUNT, for_spark, table_of

#: Rows for one call: enough that a call costs nothing by comparison, and few enough for the memory of a small task.
ROWS_AT_ONCE = 1 << 16
#: Rows for one call where a task has a time: it ends after the call in which that is over.
ROWS_AT_ONCE_TIMED = 1 << 10
#: Records of a part that have numbers of their own; the number of a row is then ``monotonically_increasing_id() + 1``.
NUMBERS_OF_A_PART = 1 << 33
#: How a search ends that was not made to its end.
EARLY = ("nodes", "time", "deadline", "memory", "cancel")


@dataclass(frozen=True)
class Plan:
    """A question to every record of a table."""

    question: str
    settings: dict[str, Any]
    #: Columns of the table.
    given: int
    #: The columns whose checksum the account has; none where no account is wanted.
    summed: list[str] = field(default_factory=list)
    #: The column that says how a search ended.
    ended_by: str | None = None
    has_account: bool = False
    #: Seconds after which a task searches no more.
    task_time: float | None = None

    def to_json(self) -> dict[str, Any]:
        """What an account says of it, for answering again."""
        return {"question": self.question, "settings": self.settings}


class Account:
    """What one part of a table came to."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.statistics = _quadrille.Statistics()
        self.rows_in = self.rows_out = 0
        self.checksum = self.early_rows = self.early_checksum = 0

    def add(self, given: int, answered: pa.Table, statistics: Any) -> None:
        """Adds what one call came to."""
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
                # Sums of numbers of 64 bits pass those of JSON.
                "checksum": str(self.checksum),
                "early_checksum": str(self.early_checksum),
                "statistics": self.statistics.to_json(),
            }
        )


def ask(plan: Plan, table: pa.Table, **more: Any) -> tuple[pa.Table, Any]:
    """The answers to a table, with columns that Spark takes, and the account of the run."""
    answers = _quadrille.answer(plan.question, table_of(table), None, {**plan.settings, **more}, None)
    return for_spark(pa.table(answers), plan.given), answers.statistics


def gathered(batches: Iterator[pa.RecordBatch], rows: int) -> Iterator[pa.Table]:
    """Batches put together to tables of so many rows at least, but for the last."""
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


def answerer(plan: Plan) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function for ``mapInArrow`` that answers the records of a part of a table."""

    def answer(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        context = TaskContext.get()
        part = context.partitionId() if context else 0
        begun = time.monotonic()
        account = Account(plan)
        waiting: pa.RecordBatch | None = None
        at_once = ROWS_AT_ONCE if plan.task_time is None else ROWS_AT_ONCE_TIMED
        for number, table in enumerate(gathered(batches, at_once)):
            more: dict[str, Any] = {
                "name": "the data frame",
                "index_offset": part * NUMBERS_OF_A_PART + account.rows_in,
                "is_part": number > 0,
            }
            if plan.task_time is not None and time.monotonic() - begun > plan.task_time:
                # What takes no search is answered yet; all else is left to the second pass.
                more["node_limit"] = 1
            answered, statistics = ask(plan, table, **more)
            if not plan.has_account:
                yield from answered.to_batches()
                continue
            account.add(table.num_rows, answered, statistics)
            for batch in answered.to_batches():
                if batch.num_rows == 0:
                    continue
                if waiting is not None:
                    yield with_account(waiting, None)
                waiting = batch
        if waiting is not None:
            yield with_account(waiting, account.to_json())

    return answer


def with_account(batch: pa.RecordBatch, account: str | None) -> pa.RecordBatch:
    """The batch with the column of the account, which stands in its last row."""
    nulls = pa.nulls(batch.num_rows - (account is not None), pa.string())
    column = nulls if account is None else pa.concat_arrays([nulls, pa.array([account])])
    return pa.RecordBatch.from_arrays([*batch.columns, column], names=[*batch.schema.names, ACCOUNT])
