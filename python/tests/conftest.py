"""Shared fixtures: puzzles made by the package itself, and the same table in every supported form."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import quadrille as q


@pytest.fixture(scope="session")
def lines() -> list[str]:
    """Returns puzzles with one solution, with several and with none."""
    made = q.generate("puzzles", 300, seed=1)["puzzle"]
    return made + q.generate("multiple", 60, seed=2)["puzzle"] + q.generate("altered", 60, seed=3)["puzzle"]


def digits(lines: list[str]) -> np.ndarray:
    """Converts puzzles to numbers, with 0 for an empty cell."""
    return np.array([[int(cell) if cell != "." else 0 for cell in line] for line in lines], dtype=np.uint8)


FORMS = {
    "list": lambda lines: lines,
    "tuple": tuple,
    "iterator": iter,
    "numpy": digits,
    "numpy 9x9": lambda lines: digits(lines).reshape(-1, 9, 9),
    "numpy int64": lambda lines: digits(lines).astype(np.int64),
    "numpy by columns": lambda lines: np.asfortranarray(digits(lines)),
    "numpy every other row": lambda lines: np.repeat(digits(lines), 2, axis=0)[::2],
    "numpy text": np.array,
    "numpy objects": lambda lines: np.array(lines, dtype=object),
    "arrow array": pa.array,
    "arrow chunked": lambda lines: pa.chunked_array([lines[:7], [], lines[7:]]),
    "arrow table": lambda lines: pa.table({"puzzle": lines}),
    "arrow batch": lambda lines: pa.record_batch({"puzzle": lines}),
    "arrow reader": lambda lines: pa.table({"puzzle": lines}).to_reader(max_chunksize=11),
    "arrow sliced": lambda lines: pa.table({"puzzle": ["x", *lines, "y"]}).slice(1, len(lines)),
    "arrow large": lambda lines: pa.table({"puzzle": pa.array(lines, pa.large_string())}),
    "arrow view": lambda lines: pa.table({"puzzle": pa.array(lines, pa.string_view())}),
    "arrow dictionary": lambda lines: pa.table({"puzzle": pa.array(lines).dictionary_encode()}),
    "arrow binary": lambda lines: pa.table({"puzzle": pa.array(lines, pa.binary())}),
    "arrow lists": lambda lines: pa.table({"puzzle": pa.array(digits(lines).tolist(), pa.list_(pa.int64()))}),
    "arrow large lists": lambda lines: pa.table(
        {"puzzle": pa.array(digits(lines).tolist(), pa.large_list(pa.int8()))}
    ),
    "arrow fixed lists": lambda lines: pa.table(
        {"puzzle": pa.array(digits(lines).tolist(), pa.list_(pa.uint8(), 81))}
    ),
    "arrow 9 of 9": lambda lines: pa.table(
        {"puzzle": pa.array(digits(lines).reshape(-1, 9, 9).tolist(), pa.list_(pa.list_(pa.int16(), 9), 9))}
    ),
    "polars": lambda lines: pl.DataFrame({"puzzle": lines}),
    "polars series": lambda lines: pl.Series("any", lines),
    "polars categorical": lambda lines: pl.DataFrame({"puzzle": pl.Series(lines, dtype=pl.Categorical)}),
    "polars arrays": lambda lines: pl.DataFrame({"puzzle": digits(lines)}),
    "pandas": lambda lines: pd.DataFrame({"puzzle": lines}),
    "pandas series": pd.Series,
    "duckdb": lambda lines: duckdb.sql("select unnest($lines) as puzzle", params={"lines": lines}),
}


@pytest.fixture(params=list(FORMS))
def form(request, lines):
    """Returns the puzzles in each form in turn."""
    return FORMS[request.param](lines)
