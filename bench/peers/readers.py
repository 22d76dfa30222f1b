"""Readers side by side: memory and speed on files of 2 GB, and svmlight text against scikit-learn.

Memory is the peak of a fresh process above its size after the imports. Files go to a temporary
directory (12 GB at most) and are removed. An argument is the size of the files in GB, or `svmlight`
for that part alone, which is printed and not written.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from driftsieve import open_stream

sys.path.append(str(Path(__file__).parents[1]))
from common import environment, race, table, verdict, write_result

ROUNDS = 5
MOST_MEMORY, LEAST_SPEED, LEAST_SVMLIGHT = 300, 0.6, 8.0

PROCESS = """
import sys
from time import perf_counter
import numpy, polars
import driftsieve.streams.readers, driftsieve.streams.csv_files

def peak():
    status = open("/proc/self/status").read()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024 / 1e6

how, path = sys.argv[1:]
before, begin = peak(), perf_counter()
if how == "stream":
    rows = sum(len(batch) for batch in driftsieve.streams.readers.open_stream(path))
else:
    read = polars.read_csv if path.endswith("csv") else polars.read_parquet
    rows = len(read(path).to_numpy(order="c"))
print(perf_counter() - begin, peak() - before, rows)
"""
"""Read a file by batches of 1,000 rows, or as a whole, and print seconds, peak in MB and rows."""


def write_parquet(path: Path, size: float, columns: int, group: int | None, by: str) -> None:
    rng = np.random.default_rng(0)
    rows = int(size * 1e9 / 8 / columns)
    frame = pl.DataFrame({f"x{j}": rng.standard_normal(rows) for j in range(columns)})
    if by == "polars":
        frame.write_parquet(path, row_group_size=group)
    else:
        import pyarrow.parquet

        pyarrow.parquet.write_table(frame.to_arrow(), path)


def write_csv(path: Path, size: float, columns: int, digits: int) -> None:
    """Write the same 50,000 rows as often as it takes."""
    values = np.random.default_rng(0).standard_normal((50_000, columns)).round(digits)
    frame = pl.DataFrame(values, schema=[f"x{j}" for j in range(columns)])
    if digits == 0:
        frame = frame.cast(pl.Int64)
    body = frame.write_csv(include_header=False).encode()
    with path.open("wb") as file:
        file.write(",".join(frame.columns).encode() + b"\n")
        while file.tell() < size * 1e9:
            file.write(body)


FILES = {
    "Parquet, 100 columns": (write_parquet, 100, None, "polars"),
    "Parquet, 200 columns": (write_parquet, 200, None, "polars"),
    "Parquet, 500 columns": (write_parquet, 500, None, "polars"),
    "Parquet, 200 columns, row groups of 20,000": (write_parquet, 200, 20_000, "polars"),
    "Parquet by pyarrow, 200 columns, row groups of 2**20": (
        write_parquet,
        200,
        None,
        "pyarrow",
    ),
    "CSV, 200 columns, 6 digits": (write_csv, 200, 6),
    "CSV, 200 columns of small integers": (write_csv, 200, 0),
}


def measure(how: str, path: Path) -> tuple[float, float, int]:
    done = subprocess.run(
        [sys.executable, "-c", PROCESS, how, path], capture_output=True, text=True, check=True
    )
    seconds, memory, rows = done.stdout.split()
    return float(seconds), float(memory), int(rows)


def big_files(folder: Path, size: float) -> str:
    lines = []
    for name, (write, *shape) in FILES.items():
        path = folder / f"big.{write.__name__.removeprefix('write_')}"
        write(path, size, *shape)
        hows = ("whole", "stream")
        runs = {how: [] for how in hows}
        for _ in range(ROUNDS):
            for how in hows:
                runs[how].append(measure(how, path))
        path.unlink()
        assert len({rows for how in hows for _, _, rows in runs[how]}) == 1
        ratio = median(s for s, _, _ in runs["whole"]) / median(s for s, _, _ in runs["stream"])
        memory, whole = (max(m for _, m, _ in runs[how]) for how in ("stream", "whole"))
        small = verdict(memory, MOST_MEMORY, at_most=True)
        quick = verdict(ratio, LEAST_SPEED, at_most=False) if path.suffix == ".parquet" else ""
        lines.append([name, f"{memory:.0f} MB", small, f"{whole:.0f} MB", f"{ratio:.2f}", quick])
        print(*lines[-1], flush=True)
    header = ["file", "peak", f"at most {MOST_MEMORY} MB", "peak, whole", "speed, ratio to whole"]
    return table([*header, f"at least {LEAST_SPEED}"], lines)


def svmlight_texts(folder: Path) -> str:
    rng = np.random.default_rng(0)
    X = sparse.random(40_000, 5_000, 0.02, format="csr", rng=rng)
    y = rng.integers(0, 2, X.shape[0])
    path = folder / "rows.svm"
    stated = {"n_features": X.shape[1], "zero_based": False}
    lines = []
    values = rng.standard_normal(X.nnz)
    kinds = {
        "counts": (rng.integers(1, 100, X.nnz).astype(float), 1),
        "4 digits": (values.round(4), 1),
        "16 digits": (values, 1),
        "4 digits, more than is kept": (values.round(4), 5),
    }
    for name, (X.data, times) in kinds.items():
        dump_svmlight_file(X, y, str(path), zero_based=False)
        path.write_bytes(path.read_bytes() * times)
        seconds = race(
            {
                "sklearn": lambda: load_svmlight_file(str(path)),
                "sklearn stated": lambda: load_svmlight_file(str(path), **stated),
                "found": lambda: list(open_stream(path)),
                "stated": lambda: list(open_stream(path, **stated)),
            },
            rounds=ROUNDS,
        )
        for how, width, other in (
            ("stated", "stated", "sklearn stated"),
            ("found", "found on opening", "sklearn"),
        ):
            ratio = seconds[other] / seconds[how]
            speed = path.stat().st_size / seconds[how] / 1e6
            text = f"{name}, {path.stat().st_size / 1e6:.0f} MB"
            met = verdict(ratio, LEAST_SVMLIGHT, at_most=False)
            lines.append([text, width, f"{ratio:.1f}", f"{speed:.0f} MB/s", met])
            print(*lines[-1], flush=True)
    return table(["text", "width", "speed, ratio", "speed", f"at least {LEAST_SVMLIGHT}"], lines)


def main() -> None:
    part = sys.argv[1] if len(sys.argv) > 1 else "2"
    with tempfile.TemporaryDirectory() as folder:
        svmlight = svmlight_texts(Path(folder))
        if part == "svmlight":
            return
        size = float(part)
        big = big_files(Path(folder), size)
    write_result(
        "readers",
        f"""# Readers

{environment("polars", "scikit-learn", "scipy", "pyarrow")}

Written by `python bench/peers/readers.py`. {ROUNDS} interleaved rounds in one run, medians of
times and maxima of memory.

## Files of {size:g} GB of float64 in batches of 1,000 rows

Peak is the resident memory above the process's size after its imports. Whole is
`polars.read_parquet(file).to_numpy(order="c")`, or `read_csv`.

{big}
A row group larger than the buffer (192 MiB) is cut into slabs, for each of which its pages are
decoded again: that is the price of 500 columns in polars' row groups of 125,000 rows (500 MB).
Fewer slabs would not fit into the memory allowed, what polars itself takes included. To lay
columns aside in a temporary file would save time, but then reading would write about as much.

## svmlight text: `open_stream` against `sklearn.datasets.load_svmlight_file`

Both with `n_features` and `zero_based` stated, or both without: then `open_stream` looks through
the file first. It keeps what it parses for that, up to 128 MiB of rows; what is beyond them is
scanned, and parsed again when it is read.

{svmlight}""",
    )


if __name__ == "__main__":
    main()
