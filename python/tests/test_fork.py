"""Forks: every function works in a process forked from one that has used all of them, and never hangs.

Threads do not survive a fork. The time limits are generous: a test that reaches one has found a hang.
"""

import concurrent.futures
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback

import pytest

import quadrille as q
from quadrille import _quadrille

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork"),
    # Later versions of Python warn about forks with threads, which are the subject here.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

SECONDS = 120
POJ = "103000509002109400000704000300502006060000050700803004000401000009205800804000107"
SMALL = ["1234341221434321", "2143432112343412", "1234341223414123"]
PAIRS = [(first, second) for first in range(12) for second in range(first)]


def columns(answers):
    """Returns all columns of answers except for the times."""
    return {name: answers[name] for name in answers.columns}


def cubes():
    problem = _quadrille.Problem(("." * 16).encode(), "count")
    lines = problem.split(10, 8, 1)
    answers, account = problem.answer(lines, 2, None, None)
    return lines, _quadrille.combine(lines, answers), account.records


CASES = {
    "solve one": lambda: q.solve(POJ),
    "solve one of another size": lambda: q.solve("." * 16),
    "solve one, unique": lambda: q.solve(POJ, unique=True),
    "solve many": lambda: columns(q.solve([POJ] * 100)),
    "solve several of one": lambda: columns(q.solve("." * 16, limit=5)),
    "count one": lambda: q.count(POJ),
    "count one up to a limit": lambda: q.count("." * 16, limit=100),
    "count one of another size": lambda: q.count("." * 16),
    "count many": lambda: columns(q.count(["." * 16] * 20)),
    "check": lambda: q.check([POJ, POJ], minimal=True).status,
    "best": lambda: q.best("1234341221......", [1] * 16),
    "canon": lambda: columns(q.canon(SMALL)),
    "rate": lambda: q.rate(POJ),
    "dedup": lambda: columns(q.dedup(SMALL)),
    "overlap": lambda: columns(q.overlap(SMALL[:1], SMALL)),
    "generate": lambda: columns(q.generate("minimal", 3, seed=7)),
    "statistics": lambda: q.count(["." * 16]).statistics.status,
    "checksum": lambda: _quadrille.checksum(q.dedup(SMALL)._table, ["puzzle"]),
    "cover, counted": lambda: q.CoverProblem(PAIRS).count(),
    "cover, counted up to a limit": lambda: q.CoverProblem(PAIRS).count(limit=10_000),
    "cover, listed": lambda: sum(1 for _ in q.CoverProblem(PAIRS).solutions()),
    "cover, best": lambda: q.CoverProblem(PAIRS[:28]).best(range(28)),
    "cubes": cubes,
    "program": lambda: q._main(["count", "-q", "-o", os.devnull, "data/none"]),
}


def run(name):
    return CASES[name]()


@pytest.fixture(scope="module")
def expected():
    """Returns the answers of this process; computing them starts all of its threads."""
    return {name: run(name) for name in CASES}


def forked(work):
    """Runs ``work`` in a forked process and requires that it ends in time with a true result."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if work() else 2
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "it hangs"


@pytest.mark.parametrize("name", CASES)
def test_a_child_of_os_fork_solves(name, expected):
    assert forked(lambda: run(name) == expected[name]) == 0


def test_a_fork_of_a_fork_solves(expected):
    assert forked(lambda: all(run(name) == expected[name] and forked(lambda: run(name) == expected[name]) == 0 for name in CASES)) == 0


def test_a_fork_while_other_threads_work_solves(expected):
    is_over = threading.Event()

    def work():
        while not is_over.is_set():
            q.solve([POJ] * 500)
            q.CoverProblem(PAIRS).count(limit=10_000)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        assert [forked(lambda: run(name) == expected[name]) for name in CASES] == [0] * len(CASES)
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def test_workers_of_multiprocessing_solve(expected):
    with multiprocessing.get_context("fork").Pool(2) as pool:
        waiting = {name: pool.apply_async(run, (name,)) for name in CASES}
        assert {name: answer.get(SECONDS) for name, answer in waiting.items()} == expected
        # Not ``terminate``: its signal has no effect once the program has run in this process.
        pool.close()
        pool.join()


def test_workers_of_concurrent_futures_solve(expected):
    context = multiprocessing.get_context("fork")
    executor = concurrent.futures.ProcessPoolExecutor(2, mp_context=context)
    try:
        waiting = {name: executor.submit(run, name) for name in CASES}
        assert {name: answer.result(SECONDS) for name, answer in waiting.items()} == expected
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            process.kill()


def test_solutions_of_the_process_before_the_fork_are_refused():
    solutions = q.CoverProblem(PAIRS).solutions()
    first = next(solutions)

    def work():
        nonlocal solutions
        with pytest.raises(RuntimeError, match="before the fork"):
            next(solutions)
        del solutions
        return next(q.CoverProblem(PAIRS).solutions()) == first

    assert forked(work) == 0
    assert sum(1 for _ in solutions) == 10_394


if sys.platform == "darwin":
    # The system's own libraries do not survive a fork.
    pytestmark.append(pytest.mark.skip(reason="macOS"))
