"""Ratings and statistics equal those of the program."""

import pickle

import polars as pl
import pytest

import quadrille as q
from test_program import program

FIELDS = ["status", "er", "ep", "ed", "technique", "steps"]


def test_ratings_are_those_of_the_program(lines):
    text = program("rate", "--fields", ",".join(FIELDS), stdin="\n".join(lines).encode()).stdout.decode()
    rated = q.rate(lines, fields=FIELDS, threads=2)
    at_least = [name + "_at_least" for name in ("er", "ep", "ed")]
    assert [name for name in rated.columns if name not in at_least] == FIELDS and len(rated) == len(lines)
    assert all(rated[name] == [None] * len(lines) for name in at_least)
    shown = [[str(value) for value in row if value is not None] for row in zip(*(rated[name] for name in FIELDS))]
    # The program prints a dash for a missing value, and no ratings after a verdict other than "unique".
    assert shown == [[word for word in line.split("\t") if word not in ("-", "")] for line in text.splitlines()]
    assert rated.rating == rated["er"] and rated["er"].count(None) == 420 - rated["status"].count("unique")


def test_the_default_columns_follow_those_of_a_table(lines):
    frame = pl.DataFrame({"id": range(40), "quizzes": lines[:40]})
    rated = q.rate(frame).to_polars()
    assert rated.columns[:2] == ["id", "quizzes"]
    assert {"q_er", "q_ep", "q_ed", "q_technique", "q_scale"} < set(rated.columns)
    assert rated["q_er"].dtype == pl.Float64 and rated["q_er"].is_between(1.0, 9.4).all()
    assert set(rated["q_scale"]) == {q.rate(lines[:1])["scale"][0]}


@pytest.mark.parametrize("max_rating", [1.9, 3.0, 7.0])
def test_ratings_above_a_bound_are_not_lost(lines, max_rating):
    few = [*lines[:60], "." * 81]
    whole, bounded = q.rate(few), q.rate(few, max_rating=max_rating)
    least = round(max_rating + 0.1, 1)
    for rating, known, at_least in zip(whole.rating, bounded.rating, bounded.rating_at_least):
        expected = (None, least) if rating is not None and rating > max_rating else (rating, None)
        assert (known, at_least) == expected
    assert least in bounded.rating_at_least and bounded["er_at_least"] == bounded.rating_at_least
    hard = sum(rating is not None and rating > max_rating for rating in whole.rating)
    column = pl.col
    # A frame with its own columns, in Polars and pandas.
    frame = q.rate(pl.DataFrame({"puzzle": few}), max_rating=max_rating).to_polars()
    found = frame.filter((column("q_er") > max_rating) | (column("q_er_at_least") > max_rating))
    assert len(found) == hard and found["q_er"].null_count() == hard
    table = bounded.to_pandas()
    assert int(((table["er"] > max_rating) | (table["er_at_least"] >= max_rating)).sum()) == hard
    one = q.rate(few[whole.rating.index(max(rating for rating in whole.rating if rating))], max_rating=max_rating)
    assert (one.rating, one.rating_at_least) == (None, least)
    # Numbers of guesses are always exact.
    assert q.rate(few[:2], scale="guesses").rating_at_least == [None, None]


def test_each_scale_has_its_ratings(lines):
    few = lines[:5]
    mirrored = [line[::-1] for line in few]
    assert q.rate(few, scale="ser-canonical").rating == q.rate(mirrored, scale="ser-canonical").rating
    means = q.rate(few, scale="guesses-mean", permutations=20, seed=7)
    assert means.rating == q.rate(mirrored, scale="guesses-mean", permutations=20, seed=7, threads=2).rating
    assert all(error >= 0 for error in means["rating_error"])
    assert q.rate(few[0], scale="guesses").rating == q.solve(few[:1], unique=True, fields=["guesses"])["guesses"][0]
    assert None in q.rate(lines[:300], max_rating=4.2 - 2.2).rating


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"scale": "hard"}, "unknown scale \"hard\": expected ser"),
        ({"max_rating": 12.0}, "ratings are from 1.0 to 11.9"),
        ({"max_rating": 7.25}, "not a rating"),
        ({"max_rating": float("nan")}, "not a rating"),
        ({"scale": "guesses", "max_rating": 3.0}, "max_rating is only for the scale ser"),
        ({"permutations": 3}, "permutations is only for the scale guesses-mean"),
        ({"scale": "guesses-mean", "permutations": 0}, "1 to 65536"),
        ({"fields": ["nothing"]}, "unknown field \"nothing\""),
    ],
)
def test_wrong_settings_are_refused(settings, said):
    with pytest.raises(ValueError, match=said):
        q.rate(["." * 81], **settings)


def test_statistics_of_parts_add_up_exactly(lines):
    whole = q.solve(lines, unique=True).statistics
    sum_of_parts = q.Statistics()
    for part in (lines[300:], lines[:100], lines[100:300]):
        sum_of_parts.merge(pickle.loads(pickle.dumps(q.solve(part, unique=True).statistics)))
    assert sum_of_parts.records == whole.records == len(lines)
    assert sum_of_parts.status == whole.status
    assert str(whole).startswith("records")
    sum_of_parts.merge(sum_of_parts)
    assert sum_of_parts.records == 2 * len(lines)
    assert q.generate("puzzles", 1).statistics is None
    for wrong in ("", "{}", whole.to_json()[:-3]):
        with pytest.raises(ValueError, match="not a statistics file"):
            q.Statistics.from_json(wrong)


def test_statistics_are_the_file_of_the_program(lines, tmp_path):
    file = tmp_path / "run.json"
    file.write_text(q.count(lines).statistics.to_json())
    done = program("stats", file)
    assert done.returncode == 0 and b"420 " in done.stdout
