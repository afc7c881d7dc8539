"""Conversion of columns between Spark and the library.

Spark has no unsigned integers, and no dictionaries in the tables that a task returns. Words become strings,
and 64-bit numbers become signed. A count above 2^63 - 1 is text in the column ``..._large``, as one above
2^64 - 1 is in Parquet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from .. import _quadrille

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType, StructType

#: A function from batches to batches.
Mapper = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

#: Column of the summaries: text in the last row of each partition, null in all other rows.
SUMMARY = "q_statistics"

#: Largest integer in a column of Spark.
MAX_INT64 = 2**63 - 1


def spark_arrow_type(field: pa.Field) -> pa.DataType:
    """Returns the Arrow type in which Spark accepts a column of the library."""
    if pa.types.is_dictionary(field.type) or pa.types.is_large_string(field.type):
        return pa.string()
    return _signed(field.type)


def spark_type(kind: pa.DataType) -> DataType:
    """Returns the Spark type for an Arrow type of the library's columns."""
    from pyspark.sql import types

    if pa.types.is_nested(kind):
        from pyspark.sql.pandas.types import from_arrow_type

        return from_arrow_type(kind)
    if pa.types.is_floating(kind):
        return types.DoubleType()
    return types.LongType() if pa.types.is_integer(kind) else types.StringType()


def for_spark(table: pa.Table, ours: int) -> pa.Table:
    """Converts columns, from index ``ours`` to the last, to types that Spark accepts."""
    columns, names = list(table.columns), table.column_names
    for place in range(ours, len(columns)):
        column, kind = columns[place], spark_arrow_type(table.schema.field(place))
        if column.type == kind:
            continue
        if pa.types.is_uint64(column.type) and f"{names[place]}_large" in names:
            is_large = pc.greater(column, pa.scalar(MAX_INT64, pa.uint64()))
            if pc.any(is_large).as_py():
                large = names.index(f"{names[place]}_large")
                columns[large] = pc.if_else(pc.fill_null(is_large, False), column.cast(pa.string()), columns[large])
                column = pc.if_else(is_large, pa.scalar(None, pa.uint64()), column)
        columns[place] = column.cast(kind)
    return pa.table(columns, names=names)


def _signed(kind: pa.DataType) -> pa.DataType:
    """Returns the type with signed integers wherever it has unsigned ones."""
    if pa.types.is_list(kind):
        return pa.list_(_signed(kind.value_type))
    if pa.types.is_map(kind):
        return pa.map_(kind.key_type, _signed(kind.item_type))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_signed(field.type)) for field in kind])
    if pa.types.is_uint8(kind):
        return pa.int16()
    return pa.int64() if pa.types.is_uint64(kind) else kind


def retyped(given: pa.Table, answered: pa.Table, first: int) -> pa.Table:
    """Restores the types of given columns that became strings.

    The values are taken from ``given``: row ``q_index - first`` for each answer. A puzzle or a
    solution must be a string, since it is different in each image.
    """
    index = pc.subtract(answered["q_index"].cast(pa.int64()), first)
    columns = list(answered.columns)
    for place, name in enumerate(given.column_names):
        kind = given.schema.field(place).type
        if columns[place].type == kind:
            continue
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            columns[place] = columns[place].cast(kind)
        elif pa.types.is_nested(kind):
            raise ValueError(f"the column {name} is nested: augment reads and keeps strings and numbers")
        else:
            columns[place] = given[name].take(index)
    return pa.table(columns, names=answered.column_names)


def with_ours(schema: StructType, given: pa.Schema, answered: pa.Schema) -> StructType:
    """Returns the schema of a data frame followed by the library's columns.

    ``given`` is the data frame's schema in Arrow, ``answered`` that of the answers.
    """
    from pyspark.sql import types

    ours = list(answered)[len(given) :]
    return types.StructType(
        list(schema.fields)
        + [types.StructField(field.name, spark_type(spark_arrow_type(field)), True) for field in ours]
    )


def refuse_alike(df: DataFrame, names: Iterable[str]) -> None:
    """Raises an error if Spark cannot tell two of the columns apart."""
    is_sensitive = df.sparkSession.conf.get("spark.sql.caseSensitive", "false") == "true"
    known: dict[str, str] = {}
    for name in names:
        other = name if is_sensitive else name.lower()
        if other in known:
            raise ValueError(f"Spark cannot tell the columns {known[other]} and {name} apart: rename or drop one")
        known[other] = name


def mapped(df: DataFrame, mapper: Mapper, schema: StructType) -> DataFrame:
    """Applies a function to the batches of a data frame, whose columns may have any names."""
    names = df.columns
    # `mapInArrow` would read dots and backticks in names as syntax.
    numbered = df.toDF(*map(str, range(len(names))))
    return numbered.mapInArrow(lambda batches: mapper(batch.rename_columns(names) for batch in batches), schema)


def empty_row(schema: StructType) -> pa.Table:
    """Returns a row of nulls with these columns. The answer to it shows which columns all answers have."""
    from pyspark.sql.pandas.types import to_arrow_schema

    try:
        given = to_arrow_schema(schema, timezone="UTC")
    except TypeError:
        # Before pyspark 4.3 there is no such argument.
        given = to_arrow_schema(schema)
    return pa.table({field.name: pa.nulls(1, field.type) for field in given}, schema=pa.schema(
        [pa.field(field.name, field.type, True) for field in given]
    ))


def table_of(table: pa.Table) -> Any:
    """Converts an Arrow table to one of the library."""
    return _quadrille.Table.from_arrow(table)
