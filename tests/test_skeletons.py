"""The skeletons of docs/extending.md, put into the folders of the package, are found there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "extending.md"
HOMES = {
    "class Presence": "summaries/presence.py",
    "def presence": "scores/presence.py",
    "class Widest": "selectors/widest.py",
}
FIRST_LINES = """
import sys
from importlib import import_module
for folder in ("summaries", "scores", "selectors"):  # as if the files lay in the package
    import_module(f"driftsieve.{folder}").__path__.append(f"{sys.argv[1]}/{folder}")
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Run code in a new process, in which the skeletons are part of the package."""
    folder = tmp_path_factory.mktemp("skeletons")
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    for start, home in HOMES.items():
        (code,) = (block for block in blocks if f"\n{start}" in block)
        if home.startswith("scores"):
            code = f"from driftsieve.summaries.presence import Presence\n{code}"
        (folder / home).parent.mkdir()
        (folder / home).write_text(code)

    def run(code):
        command = [sys.executable, "-c", FIRST_LINES + code, str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_the_laws_find_them(run):
    names = run(
        "from driftsieve.testing import everything; print(*(s.name for s in everything(6)))"
    )
    assert "Presence" in names
    assert "Screening(k=3, score='presence')" in names
    assert "Widest(k=3)" in names


def test_selectors_find_a_score_by_its_name_alone(run):
    fit = "Screening('presence', k=1).fit([[0, 1], [0, 1], [1, 0], [1, 1]], list('aabb'))"
    names = run(f"from driftsieve import Screening; print({fit}.selection_.names)")
    assert names == "('x0',)\n"


def test_load_finds_a_selector_by_its_name_alone(run):
    kind = "import_module('driftsieve.selectors.widest').Widest"
    run(f"{kind}(k=1).fit([[0, 1], [0, 2]]).save('widest.sieve')")
    assert run("from driftsieve import load; print(load('widest.sieve'))") == "Widest(k=1)\n"
