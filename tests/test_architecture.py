"""The layout of the package is a promise: these tests hold it."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "driftsieve"
FILES = sorted(SOURCE.rglob("*.py"))

# The flow: a folder imports from those above it, from the files beside them, and from kernels.
FLOW = ["streams", "summaries", "scores", "selectors", "learners", "evaluation", "report"]
FLOW += ["adapters", "cli", "testing"]

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
IMPORTED_AS = {"scikit-learn": "sklearn", "confluent-kafka": "confluent_kafka"}


def packages(requirements: list[str]) -> set[str]:
    names = {re.split(r"[<>=~!\[; ]", requirement)[0] for requirement in requirements}
    return {IMPORTED_AS.get(name, name) for name in names} - {"driftsieve"}


CORE = packages(PROJECT["dependencies"])
EXTRAS = {
    extra: packages(requirements)
    for extra, requirements in PROJECT["optional-dependencies"].items()
    if extra not in ("test", "lint", "docs", "bench")
}
TESTED = re.findall(r"driftsieve\[(\w+)\]", " ".join(PROJECT["optional-dependencies"]["test"]))
OPTIONAL = sorted(set().union(*EXTRAS.values()) | {"pytest"})


def imports(file: Path) -> Iterator[str]:
    """Yield the name of every module that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} imports relatively, which hides from where"
            assert node.module is not None
            if node.module == "driftsieve":
                yield from (f"driftsieve.{alias.name}" for alias in node.names)
            yield node.module


def place(module: str) -> int:
    """Where a module stands in the flow: 0 for what everyone may import."""
    folder = module.split(".")[1] if "." in module else ""
    return FLOW.index(folder) + 1 if folder in FLOW else 0


def module_of(file: Path) -> str:
    return ".".join(file.relative_to(ROOT / "src").with_suffix("").parts)


@pytest.mark.parametrize("file", FILES, ids=module_of)
def test_a_file_imports_only_from_above_it_in_the_flow(file):
    here = place(module_of(file))
    below = [name for name in imports(file) if name.startswith("driftsieve") and place(name) > here]
    assert not below


def test_every_folder_has_its_place():
    folders = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name[0] != "_"}
    assert folders <= {*FLOW, "kernels"}


@pytest.mark.parametrize("file", FILES, ids=module_of)
def test_third_parties_are_dependencies_and_optional_ones_stay_in_adapters(file):
    known = CORE | sys.stdlib_module_names | {"driftsieve"}
    if "adapters" in file.parts:
        known |= set().union(*EXTRAS.values())
    assert {name.partition(".")[0] for name in imports(file)} <= known


@pytest.mark.parametrize("file", FILES, ids=module_of)
def test_a_file_fits_in_the_head(file):
    assert len(file.read_text().splitlines()) <= 300


@pytest.mark.parametrize("file", FILES, ids=module_of)
def test_nothing_is_unpickled_or_evaluated(file):
    assert not {"pickle", "dill", "cloudpickle", "marshal", "shelve"} & set(imports(file))
    called = {
        node.func.id
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not {"eval", "exec"} & called


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True)


@pytest.mark.parametrize("module", ["driftsieve", "driftsieve.cli.main"])
def test_starting_is_quick_because_nothing_heavy_is_imported(module):
    result = run("-c", f"import sys, {module}; print(*sys.modules)")
    assert result.returncode == 0, result.stderr
    assert module in result.stdout.split()
    heavy = {"numba", "sklearn", "polars", "matplotlib", "pandas"}
    assert not heavy & set(result.stdout.split())


def test_every_public_name_exists():
    import driftsieve

    for name in driftsieve.__all__:
        assert getattr(driftsieve, name) is not None


def test_optional_packages_are_optional():
    result = run("-P", "-W", "error", str(ROOT / "tests" / "import_all.py"), *OPTIONAL)
    assert result.returncode == 0, result.stdout + result.stderr


def test_with_the_extras_everything_imports():
    result = run("-P", "-W", "error", str(ROOT / "tests" / "import_all.py"))
    assert result.returncode == 0, result.stdout + result.stderr
    # Of the extras, only those that the tests ask for are sure to be here.
    absent = [package for package in OPTIONAL if not find_spec(package)]
    assert not any(package in absent for extra in TESTED for package in EXTRAS[extra])
    missed = result.stdout.splitlines()[1:]
    assert all(any(f"needs {package}:" in line for package in absent) for line in missed), missed


# Written so that this file does not contain what it looks for.
FOREIGN = re.compile(
    r"/(?:[w]ork|[r]oot|[h]ome/[a-z]+|[U]sers/[a-z]+)/|pypi[.]org|[p]ythonhosted[.]org"
    r"|[r]egistry[.]npmjs|[d]eb[.]debian"
)


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="only a git checkout lists its files")
def test_no_file_names_a_place_on_somebodys_machine():
    found = []
    for file in tracked():
        try:
            text = file.read_text()
        except UnicodeDecodeError:
            continue  # a picture or a state file
        found += [f"{file.relative_to(ROOT)}: {hit}" for hit in FOREIGN.findall(text)]
    assert tracked()
    assert not found


def test_versions_are_pinned_without_addresses():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+]+", pin) for pin in pins)
    pinned = {IMPORTED_AS.get(pin.partition("==")[0], pin.partition("==")[0]) for pin in pins}
    assert TESTED
    assert CORE.union(*(EXTRAS[extra] for extra in TESTED)) <= pinned


def test_the_tour_names_every_file():
    tour = (ROOT / "ARCHITECTURE.md").read_text()
    named = set(re.findall(r"^\| `([^`]+\.py)` \|", tour, re.MULTILINE))
    files = {str(file.relative_to(SOURCE)) for file in FILES if file.name != "__init__.py"}
    assert named == files
