"""Columns: what Spark has and what the library has, in both directions.

Spark has no unsigned integers and no dictionaries in the tables that a task gives back: words become strings and numbers of 64 bits
signed ones. A count above 2^63 - 1 is text in the column ``..._large``, as one above 2^64 - 1 is in Parquet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from .. import _quadrille

if TYPE_CHECKING:
    from pyspark.sql.types import DataType, StructType

#: The account of a part of a table: text in the last row of each part, null in all others.
ACCOUNT = "q_statistics"

#: The largest number of a column of Spark.
LARGEST = 2**63 - 1


def spark_arrow_type(field: pa.Field) -> pa.DataType:
    """The type of one of our columns as Spark takes it."""
    if pa.types.is_dictionary(field.type) or pa.types.is_large_string(field.type):
        return pa.string()
    return pa.int64() if pa.types.is_uint64(field.type) else field.type


def spark_type(kind: pa.DataType) -> DataType:
    """A type of Arrow, of those that our columns have, as one of Spark."""
    from pyspark.sql import types

    if pa.types.is_floating(kind):
        return types.DoubleType()
    return types.LongType() if pa.types.is_integer(kind) else types.StringType()


def for_spark(table: pa.Table, ours: int) -> pa.Table:
    """The table with the columns from the one numbered ``ours`` on as Spark takes them."""
    columns, names = list(table.columns), table.column_names
    for place in range(ours, len(columns)):
        column, kind = columns[place], spark_arrow_type(table.schema.field(place))
        if column.type == kind:
            continue
        if pa.types.is_uint64(column.type) and f"{names[place]}_large" in names:
            is_large = pc.greater(column, pa.scalar(LARGEST, pa.uint64()))
            if pc.any(is_large).as_py():
                large = names.index(f"{names[place]}_large")
                columns[large] = pc.if_else(pc.fill_null(is_large, False), column.cast(pa.string()), columns[large])
                column = pc.if_else(is_large, pa.scalar(None, pa.uint64()), column)
        columns[place] = column.cast(kind)
    return pa.table(columns, names=names)


def with_ours(schema: StructType, given: pa.Schema, answered: pa.Schema) -> StructType:
    """The columns of a data frame, and ours behind them. ``given`` are its columns in Arrow, ``answered`` those of the answers."""
    from pyspark.sql import types

    ours = list(answered)[len(given) :]
    return types.StructType(
        list(schema.fields)
        + [types.StructField(field.name, spark_type(spark_arrow_type(field)), True) for field in ours]
    )


def empty_row(schema: StructType) -> pa.Table:
    """A row of nulls with these columns, to see what an answer to it has."""
    from pyspark.sql.pandas.types import to_arrow_schema

    given = to_arrow_schema(schema)
    return pa.table({field.name: pa.nulls(1, field.type) for field in given}, schema=pa.schema(
        [pa.field(field.name, field.type, True) for field in given]
    ))


def table_of(table: pa.Table) -> Any:
    """A table of Arrow as one of the library's."""
    return _quadrille.Table.from_arrow(table)
