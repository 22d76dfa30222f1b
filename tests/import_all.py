"""Import every module of the installed driftsieve, and report what an extra is missing for.

Modules that stand on an extra must say so in one sentence; all others must import without it.
Usage: `python import_all.py [package ...]`, where the packages are made to look uninstalled.
"""

import importlib
import pkgutil
import sys

import driftsieve


class Hidden:
    """Makes packages look uninstalled."""

    def __init__(self, names):
        self.names = set(names)

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def import_all():
    """Return how many modules could be imported, and a sentence for each that could not."""
    modules = [
        module.name
        for module in pkgutil.walk_packages(driftsieve.__path__, "driftsieve.")
        if module.name != "driftsieve.__main__"  # runs the command
    ]
    refusals = {}
    for name in modules:
        try:
            importlib.import_module(name)
        except ImportError as error:
            refusals[name] = str(error)
    return len(modules) - len(refusals), refusals


def main():
    sys.meta_path.insert(0, Hidden(sys.argv[1:]))
    imported, refusals = import_all()
    print(f"{imported} modules imported")
    good = True
    for name, sentence in refusals.items():
        print(f"{name}: {sentence}")
        clear = "\n" not in sentence and "pip install" in sentence and "driftsieve[" in sentence
        good = good and clear and name.startswith("driftsieve.adapters.")
    sys.exit(0 if good and imported > 10 else 1)


if __name__ == "__main__":
    main()
