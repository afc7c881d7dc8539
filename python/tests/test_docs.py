"""Runs docs/PYTHON.md and docs/GUIDE.md from top to bottom, the first with fewer puzzles unless QUADRILLE_PAGE is ``whole``."""

import os
import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "PYTHON.md"


def test_examples_of_the_page_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = PAGE.read_text(encoding="utf-8")
    assert "N = 1_000_000\n" in page
    if os.environ.get("QUADRILLE_PAGE") != "whole":
        page = page.replace("N = 1_000_000\n", "N = 10_000\n")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 6
    names: dict[str, object] = {}
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"PYTHON.md, block {number}", "exec"), names)  # noqa: S102
    assert (tmp_path / "hardest.png").stat().st_size > 1000


def test_examples_of_the_guide_run():
    guide = PAGE.with_name("GUIDE.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 2
    names: dict[str, object] = {}
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"GUIDE.md, block {number}", "exec"), names)  # noqa: S102
