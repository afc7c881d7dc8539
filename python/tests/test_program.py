"""The program in the package: the same as the command line build, with Parquet."""

import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import quadrille as q


def program(*words: object, stdin: bytes = b"") -> subprocess.CompletedProcess:
    """Runs the program to its end."""
    command = [sys.executable, "-m", "quadrille", *map(str, words)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False)


def test_files_and_frames_have_the_same_answers(lines, tmp_path: Path):
    frame = pl.DataFrame({"puzzle": lines, "more": range(len(lines))})
    frame.write_parquet(tmp_path / "in.parquet", row_group_size=100)
    done = program("solve", "--unique", tmp_path / "in.parquet", "-o", tmp_path / "out.parquet")
    assert (done.returncode, done.stderr) == (0, b"")
    answered = pl.read_parquet(tmp_path / "out.parquet")
    here = q.solve(frame, unique=True).to_polars()
    assert answered["q_solution"].to_list() == here["q_solution"].to_list()
    assert answered["more"].equals(frame["more"])
    text = program("solve", "--unique", "--fields", "status", stdin="\n".join(lines).encode())
    assert text.stdout.decode().split() == here["q_status"].to_list()


def test_rows_of_overlap_keep_their_own_columns(lines, tmp_path: Path):
    known, asked = lines[:40], [*lines[20:60], *(line[::-1] for line in lines[30:50])]
    for name, rows in (("known", known), ("asked", asked)):
        pl.DataFrame({"puzzle": rows, "id": range(len(rows))}).write_parquet(tmp_path / f"{name}.parquet")
    done = program("overlap", "-q", tmp_path / "known.parquet", tmp_path / "asked.parquet", "-o", tmp_path / "out.parquet")
    assert (done.returncode, done.stderr) == (0, b"")
    out, here = pl.read_parquet(tmp_path / "out.parquet"), q.overlap(known, asked)
    assert out["puzzle"].to_list() == asked and out["id"].to_list() == list(range(len(asked)))
    assert out["q_relation"].to_list() == here["q_relation"] and out["q_first"].to_list() == here["q_first"]
    for name in ("known", "asked"):
        (tmp_path / f"{name}.parquet").rename(tmp_path / f"{name}.pq")
    parts = program("overlap", "-q", tmp_path / "known.pq", tmp_path / "asked.pq", "-o", f"{tmp_path / 'parts'}/")
    assert (parts.returncode, parts.stderr) == (0, b"")
    assert pl.read_parquet(tmp_path / "parts" / "*.parquet").equals(out)


def test_exit_statuses_are_those_of_the_program():
    assert program("nothing").returncode == 2
    assert program("--version").stdout.startswith(b"quadrille ")
    assert program("solve", "/nothing/there").returncode in (1, 6)


BETWEEN_RUNS = """
import multiprocessing, os, signal, sys, time
from quadrille import _main

how, seen = sys.argv[1], []
if how == "handled":
    signal.signal(signal.SIGTERM, lambda *_: seen.append(True))
elif how == "ignored":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
elif how == "interrupt":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
for _ in range(2):
    assert _main(["solve", "-q", "." * 16, "-o", os.devnull]) == 0
if how == "forked":
    child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,))
    child.start()
    child.terminate()
    child.join(60)
    sys.exit(0 if child.exitcode == -signal.SIGTERM else 4)
os.kill(os.getpid(), signal.SIGINT if how == "interrupt" else signal.SIGTERM)
time.sleep(0.1)
sys.exit(0 if bool(seen) == (how == "handled") else 5)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere what a signal did cannot be seen")
@pytest.mark.parametrize(
    ("how", "ended"),
    [
        ("default", -signal.SIGTERM),
        ("forked", 0),
        ("handled", 0),
        ("ignored", 0),
        ("interrupt", -signal.SIGINT),
    ],
)
def test_a_signal_between_runs_does_what_it_did_before(how, ended):
    done = subprocess.run([sys.executable, "-c", BETWEEN_RUNS, how], capture_output=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (ended, b"")
