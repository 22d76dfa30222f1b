"""The examples of the README and of the documentation work.

The blocks of one page run in order, in one empty folder:

- ```` ```python ```` runs as it is, or as a doctest where it has `>>>`;
- ```` ```console ```` runs its lines `$ driftsieve ...`, which must succeed; what is printed below
  such a line must be what the command prints, where `...` stands for anything.

Blocks in HTML comments run too: a page's preparations. Other kinds of blocks only show something.
"""

import doctest
import os
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def run_python(code: str, names: dict, page: str) -> None:
    if ">>>" not in code:
        exec(compile(code, page, "exec"), names)
        return
    example = doctest.DocTestParser().get_doctest(code, names, page, page, 0)
    example.globs = names  # what an example defines, later ones may use
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=FLAGS).run(
        example, out=report.append, clear_globs=False
    )
    assert result.failed == 0, "".join(report)


def run_console(text: str, folder: Path) -> None:
    commands = re.split(r"^\$ ", text, flags=re.MULTILINE)
    for command in commands[1:]:
        line, shown = re.fullmatch(r"((?:[^\n]*\\\n)*[^\n]*)\n?(.*)", command, re.DOTALL).groups()
        if not line.startswith("driftsieve "):
            continue
        path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
        done = subprocess.run(
            line,
            shell=True,
            cwd=folder,
            env=os.environ | {"PATH": path, "NO_COLOR": "1", "COLUMNS": "100"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{line}\n{done.stderr}"
        if shown.strip():
            matches = doctest.OutputChecker().check_output(shown, done.stdout, FLAGS)
            assert matches, f"{line}\nshould print\n{shown}\nbut printed\n{done.stdout}"


def run_page(text: str, folder: Path, page: str) -> int:
    names: dict = {"__name__": "__main__"}
    blocks = BLOCK.findall(text)
    for kind, content in blocks:
        if kind == "python":
            run_python(content, names, page)
        else:
            run_console(content, folder)
    return len(blocks)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_a_page_work(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    run_page(page.read_text(), tmp_path, str(page.relative_to(ROOT)))


# The tester tested: an example that fails is noticed.


@pytest.mark.parametrize(
    "text",
    [
        "```python\nraise AssertionError\n```",
        "<!--\n```python\na = 1\n```\n-->\n```python\nassert a == 2\n```",
        "```python\n>>> 1 + 1\n3\n```",
        "```python\n>>> a = 1\n```\n```python\n>>> a\n2\n```",
        "```console\n$ driftsieve no-such-command\n```",
        "```console\n$ driftsieve --help\nsomething else\n```",
    ],
)
def test_an_example_that_fails_is_noticed(text, tmp_path):
    with pytest.raises(AssertionError):
        run_page(text, tmp_path, "page")


def test_examples_that_work_pass(tmp_path):
    text = """
```python
a = [1, 2]
```
and then
```python
>>> a
[1, ...]
```
```console
$ driftsieve --help
Usage: driftsieve ...
$ driftsieve --help \\
    >help.txt
$ other-programs are not run
```
```text
not run
```
"""
    assert run_page(text, tmp_path, "page") == 3
    assert "rank" in (tmp_path / "help.txt").read_text()
