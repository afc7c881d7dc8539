"""Changes a certificate at random, and requires that scripts/check-count refuses every change.

    change_certificate.py CHECK_COUNT CERTIFICATE PROBLEM NUMBER
"""

import importlib.machinery
import importlib.util
import random
import sys

script, certificate, problem, number = sys.argv[1:]
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("check_count", script)
module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_count", loader))
loader.exec_module(module)
checker = module.Checker(problem)
lines = list(module.lines_of(certificate))
nodes = range(2, len(lines) - 1)
draw = random.Random(7)


def other(word, numbers):
    """Returns a number of the range as a word, but not this one."""
    return str(draw.choice([number for number in numbers if str(number) != word]))


def change_node(lines):
    place = draw.choice(nodes)
    kind = draw.choice(["delete", "repeat", "swap", "entry"])
    if kind == "delete":
        del lines[place]
    elif kind == "repeat":
        lines.insert(place, lines[place])
    elif kind == "swap":
        to = int(other(str(place), nodes))
        lines[place], lines[to] = lines[to], lines[place]
    else:
        words = lines[place].split()
        mark = words.index("*" if "*" in words else "|")
        entries = set(map(int, words[:mark])) ^ {draw.randint(1, len(checker.having))}
        lines[place] = " ".join([*map(str, sorted(entries)), *words[mark:]]) + "\n"


def change_edge(lines, what):
    place = draw.choice(nodes)
    words = lines[place].split()
    product = "*" in words
    at = draw.randrange(words.index("*" if product else "|") + (1 if product else 2), len(words) - 2)
    option, colon, child = words[at].rpartition(":")
    if what == "child" or product:
        words[at] = option + colon + other(child, ["-", *range(len(lines) - 3)])
    elif draw.random() < 0.3:
        del words[at]
    else:
        words[at] = other(option, range(1, len(checker.options) + 1)) + colon + child
    lines[place] = " ".join(words) + "\n"


def change_count(lines):
    place = draw.choice([*nodes, len(lines) - 1])
    words = lines[place].split()
    words[-1] = other(words[-1], [int(words[-1]) + 1, max(int(words[-1]) - 1, 0), draw.randrange(2 * int(words[-1]) + 2)])
    lines[place] = " ".join(words) + "\n"


def change_bytes(lines):
    text = bytearray("".join(lines).encode())
    if draw.random() < 0.2:
        del text[draw.randrange(len(text)):]
    else:
        text[draw.randrange(len(text))] ^= 1 << draw.randrange(8)
    lines[:] = text.decode("latin-1").splitlines(keepends=True)


changes = [change_node, lambda all: change_edge(all, "child"), lambda all: change_edge(all, "option"), change_count, change_bytes]
for turn in range(-1, int(number)):
    changed = list(lines)
    if turn >= 0:
        changes[turn % len(changes)](changed)
    checker.rests, checker.counts = [0], [1]
    try:
        checker.check(iter(changed))
        accepted = True
    except Exception:
        accepted = False
    if accepted != (turn < 0):
        differ = [pair for pair in zip(lines, changed) if pair[0] != pair[1]]
        sys.exit(f"change {turn}: accepted is {accepted}, lines {len(lines)} and {len(changed)}: {differ[:1]}")
print(int(number), "changes refused")
