"""Verification of rows before and after: none lost, none duplicated, none changed.

Each row has a hash of its values, ``xxhash64`` of Spark. The number of rows and the sum of their hashes do
not depend on order, partitions or repeated tasks. Two sums are compared:

* the sum for the columns of the input, before and after, both computed by Spark;
* the sum for all columns with text or numbers, including the library's: once computed by the workers with their answers
  (in Rust, and stored in the summaries), once by Spark from the resulting table.

A sum of 64-bit hashes does not protect from deliberate changes. It misses any other fault with a probability
of 2^-64. If sums differ, rows are counted by their hashes on both sides, and those whose counts differ are
named.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from .. import _quadrille
from .columns import SUMMARY, mapped
from .worker import Plan, ask, gathered

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

#: Maximum number of rows of each kind that are named.
NAMED = 10


@dataclass(frozen=True)
class Verified:
    """Result of a successful verification."""

    rows: int
    #: Sum of the hashes of the input columns of all rows.
    checksum: int
    #: Sum of the hashes of the answered rows, or ``None`` if the table has no summaries.
    answers: int | None


@dataclass
class Differences:
    """Rows that differ: for each kind their number, and the names of some."""

    lost: list[str] = field(default_factory=list)
    duplicated: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        kinds = ("lost", "duplicated", "changed", "foreign")
        shown = [
            f"{self.numbers[kind]:,} {kind}: {', '.join(getattr(self, kind))}{', ...' * (self.numbers[kind] > NAMED)}"
            for kind in kinds
            if self.numbers.get(kind)
        ]
        return "; ".join(shown) or "no row can be named"


class VerificationError(Exception):
    """Rows were lost, duplicated or changed; ``differences`` names them."""

    def __init__(self, what: str, differences: Differences) -> None:
        super().__init__(f"{what}: {differences}")
        self.differences = differences


@dataclass
class Sums:
    """Number of rows of a table, their checksums, and the summaries in it."""

    rows: int
    given: int
    answered: int
    summaries: list[str]


def column(name: str) -> Column:
    """Returns a column by name; the name may contain any characters."""
    from pyspark.sql import functions as f

    return f.col("`" + name.replace("`", "``") + "`")


def hashed_columns(df: DataFrame) -> list[str]:
    """Returns the columns that the hash of a row covers: all but maps, which have no order, and types without a hash."""

    def has_hash(kind: Any) -> bool:
        name = kind.typeName()
        if name in ("map", "variant", "void"):
            return False
        if name == "array":
            return has_hash(kind.elementType)
        return name != "struct" or all(has_hash(part.dataType) for part in kind.fields)

    return [part.name for part in df.schema.fields if has_hash(part.dataType) and part.name != SUMMARY]


def columns_of_both(before: DataFrame, after: DataFrame) -> list[str]:
    """Returns the columns that the hash covers; raises an error if ``after`` lacks a column of ``before``."""
    gone = [name for name in before.columns if name not in after.columns and name != SUMMARY]
    if gone:
        raise ValueError(f"the second table has no column {gone[0]}")
    return hashed_columns(before)


def _pieces(columns: Sequence[str]) -> list[Column]:
    """Returns the sum of hashes in pieces of 21, 22 and 21 bits, which cannot overflow up to 2^41 rows."""
    from pyspark.sql import functions as f

    if not columns:
        return [f.lit(0)] * 3
    value = f.xxhash64(*[column(name) for name in columns])
    low = f.sum(value.bitwiseAND(f.lit((1 << 21) - 1)))
    middle = f.sum(f.shiftright(value, 21).bitwiseAND(f.lit((1 << 22) - 1)))
    return [low, middle, f.sum(f.shiftright(value, 43))]


def _total(pieces: Iterable[int | None]) -> int:
    low, middle, high = (piece or 0 for piece in pieces)
    return low + (middle << 21) + (high << 43)


def sums(df: DataFrame, given: Sequence[str], answered: Sequence[str] = ()) -> Sums:
    """Computes the row count and checksums in one pass, and reads the summaries in another."""
    from pyspark.sql import functions as f

    values = df.agg(f.count(f.lit(1)), *_pieces(given), *_pieces(answered)).first()
    assert values is not None
    # Not in the same pass: Spark does not compile sums next to a collected list.
    summaries = []
    if SUMMARY in df.columns:
        summaries = [row[0] for row in df.where(column(SUMMARY).isNotNull()).select(column(SUMMARY)).collect()]
    return Sums(values[0], _total(values[1:4]), _total(values[4:7]), summaries)


def differences(before: DataFrame, after: DataFrame, columns: Sequence[str], key: Sequence[str]) -> Differences:
    """Returns the rows whose counts before and after differ, named by their key."""
    from pyspark.sql import functions as f

    def counted(df: DataFrame, number: str, name: str) -> DataFrame:
        names = f.to_json(f.struct(*[column(one) for one in key]), {"ignoreNullFields": "false"})
        value = f.xxhash64(*[column(one) for one in columns]).alias("q_hash")
        return df.groupBy(value).agg(f.count(f.lit(1)).alias(number), f.min(names).alias(name))

    both = counted(before, "q_before", "q_name_before").join(counted(after, "q_after", "q_name_after"), "q_hash", "full")
    both = both.na.fill(0, ["q_before", "q_after"]).where("q_before <> q_after").persist()
    try:
        less = both.where("q_before > q_after").select(f.col("q_name_before").alias("q_name"))
        more = both.where("q_after > q_before and q_before = 0").select(f.col("q_name_after").alias("q_name"))
        found = Differences()
        kinds = {
            "lost": less.join(more, "q_name", "left_anti"),
            "duplicated": both.where("q_after > q_before and q_before > 0").select(f.col("q_name_after").alias("q_name")),
            "changed": less.join(more, "q_name", "left_semi"),
            "foreign": more.join(less, "q_name", "left_anti"),
        }
        for kind, rows in kinds.items():
            found.numbers[kind] = rows.count()
            getattr(found, kind).extend(row[0] for row in rows.limit(NAMED).collect())
        return found
    finally:
        both.unpersist()


def _differing(plan: Plan, given: list[str], ours: list[str]) -> Any:
    """Returns the function for ``mapInArrow`` that answers rows again and keeps those whose answer differs."""

    def again(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for table in gathered(batches, 1 << 14):
            answered, _ = ask(plan, table.select(given))
            differs = pa.chunked_array([pa.array([False] * len(table))])
            for name in ours:
                one, other = table[name], answered[name]
                is_other = pc.fill_null(pc.not_equal(one, other), False)
                differs = pc.or_(differs, pc.or_(is_other, pc.xor(pc.is_null(one), pc.is_null(other))))
            yield from table.select(given).filter(differs).to_batches()

    return again


def changed_answers(after: DataFrame, summary: dict[str, Any], given: Sequence[str], key: Sequence[str]) -> Differences:
    """Answers the summary's question again and returns the rows with other answers."""
    from pyspark.sql import functions as f

    ours = [name for name in after.columns if name not in given and name != SUMMARY]
    plan = Plan(summary["plan"]["question"], summary["plan"]["settings"], len(given))
    rows = after.select(*[column(name) for name in [*given, *ours]])
    names = f.to_json(f.struct(*[column(one) for one in key]), {"ignoreNullFields": "false"})
    wrong = mapped(rows, _differing(plan, list(given), ours), rows.select(*[column(name) for name in given]).schema)
    named = [row[0] for row in wrong.select(names).limit(NAMED + 1).collect()]
    return Differences(changed=named[:NAMED], numbers={"changed": len(named)})


def compare(
    before: DataFrame, after: DataFrame, key: Sequence[str] | None = None, held: Sums | None = None
) -> tuple[Verified, Sums]:
    """Compares two tables. ``held`` are the sums of ``after``, if they are known."""
    given = columns_of_both(before, after)
    if not given:
        raise ValueError("no column of the first table can be hashed")
    after_sums = held or sums(after, given)
    before_sums = sums(before, given)
    name = list(key) if key is not None else given
    if (before_sums.rows, before_sums.given) != (after_sums.rows, after_sums.given):
        found = differences(before, after, given, name)
        raise VerificationError(f"{before_sums.rows:,} rows before, {after_sums.rows:,} after", found)
    return Verified(before_sums.rows, before_sums.given, None), after_sums


def compare_answers(after: DataFrame, given: Sequence[str], held: Sums, key: Sequence[str] | None = None) -> int:
    """Requires that the checksum of the answered rows equals that of the workers, and returns it."""
    summaries = [json.loads(text) for text in held.summaries]
    expected = sum(int(summary["checksum"]) for summary in summaries)
    rows = sum(summary["rows"][1] for summary in summaries)
    if (rows, expected) != (held.rows, held.answered):
        found = changed_answers(after, summaries[0], given, key or given) if summaries else Differences()
        raise VerificationError(f"{rows:,} rows were answered, but the {held.rows:,} written rows differ", found)
    return expected


def verify(before: DataFrame, after: DataFrame, key: str | Sequence[str] | None = None) -> Verified:
    """Requires that all rows of one table are in another, equally often and with the same values.

    Additional columns of ``after`` may hold anything. If they are answers with summaries
    (``statistics=True``), they are compared with the workers' checksums. ``key`` names the columns that
    identify a row. With it, a row with other values is *changed*; without it, it is one row *lost* and one
    *foreign*.

    Costs a pass over each table and no shuffle; if the tables differ, a shuffle of the hashes of both.

    Raises :class:`VerificationError`, which names the lost, duplicated, changed or foreign rows.
    """
    keys = [key] if isinstance(key, str) else key
    given = columns_of_both(before, after)
    summed = json.loads(_first_account(after) or "{}").get("columns", ())
    held = sums(after, given, summed)
    verified, held = compare(before, after, keys, held)
    if not held.summaries:
        return verified
    return Verified(verified.rows, verified.checksum, compare_answers(after, given, held, keys))


def _first_account(df: DataFrame) -> str | None:
    if SUMMARY not in df.columns:
        return None
    found = df.where(column(SUMMARY).isNotNull()).select(column(SUMMARY)).first()
    return found[0] if found else None


def added_up(summaries: Iterable[str]) -> Any:
    """Returns the sum of the statistics in summaries."""
    total = _quadrille.Statistics()
    for text in summaries:
        total.merge(_quadrille.Statistics.from_json(json.loads(text)["statistics"]))
    return total
