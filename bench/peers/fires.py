"""Steps of FIRES: the linear model against the products that it contains, the net and the tree
against the same step written plainly in torch.

Run: python bench/peers/fires.py
"""

import sys
from functools import partial
from pathlib import Path

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).parents[1]))
from common import environment, race, table, verdict, write_result

from driftsieve import EFS, FIRES, OFS, Batch
from driftsieve.selectors.models.beliefs import Beliefs
from driftsieve.selectors.models.glm import ProbitGLM
from driftsieve.selectors.models.net import NeuralNet
from driftsieve.selectors.models.tree import SoftTree

try:
    import torch
except ImportError:
    torch = None


def linear():
    rows, features = 100, 5_000
    rng = np.random.default_rng(0)
    X = rng.random((rows, features), dtype=np.float32)
    y = rng.integers(0, 2, rows)
    squares = X * X
    mu, variance = rng.standard_normal((2, features)).astype(np.float32)
    a, b = rng.standard_normal((2, rows)).astype(np.float32)
    beliefs = Beliefs(ProbitGLM(), features, 0.0002, 0)
    sieve = FIRES(step=rows).partial_fit(X, y)
    batch = Batch(X, y)

    def products(squares):
        return X @ mu, squares @ variance, X.T @ a, squares.T @ b

    def one_thread():
        with threadpool_limits(1):
            times = race({"products": lambda: products(squares)}, rounds=400)
        return times["products"]

    times = race(
        {
            "products": lambda: products(squares),
            "squares": lambda: products(X * X),
            "step": lambda: beliefs.take(batch),
            "partial_fit": lambda: sieve.partial_fit(X, y),
        },
        rounds=400,
    )
    alone = one_thread()
    ours = {"one step": "step", "`partial_fit` of one step": "partial_fit"}
    lines = []
    for name, key in ours.items():
        ratio = times[key] / times["products"]
        target = f"1 ({verdict(ratio, 1, at_most=True)})" if key == "step" else ""
        lines.append(
            [
                name,
                f"{1e3 * times[key]:.3f}",
                f"{ratio:.2f}",
                target,
                f"{times[key] / alone:.2f}",
                f"{times[key] / times['squares']:.2f}",
            ]
        )
    return table(
        [
            "",
            "ms",
            "to the four products",
            "at most",
            "... in one thread",
            "... squaring on the way",
        ],
        lines,
    )


def sparse_rows():
    """Equal entries in ever more columns: what a batch costs does not grow with them."""
    rng = np.random.default_rng(0)
    rows, per_row = 100, 200
    y = rng.integers(0, 2, rows)
    runs = {}
    for columns in (10_000, 1_000_000, 10_000_000):
        indices = np.sort(rng.integers(0, 10_000, (rows, per_row)) * (columns // 10_000), axis=1)
        data = rng.random(rows * per_row)
        indptr = np.arange(rows + 1) * per_row
        X = sparse.csr_array((data, indices.ravel(), indptr), shape=(rows, columns))
        X.sum_duplicates()
        sieve = FIRES(step=rows).partial_fit(X, y)
        runs[columns] = partial(sieve.partial_fit, X, y)
    times = race(runs, rounds=50)
    return table(
        ["columns", "ms for 100 rows of 200 entries", "ratio"],
        [
            [f"{columns:,}", f"{1e3 * seconds:.2f}", f"{seconds / times[10_000]:.2f}"]
            for columns, seconds in times.items()
        ],
    )


def rivals():
    """100 rows of 784 features, as the command and the tables of the paper use them."""
    rng = np.random.default_rng(0)
    X, y = rng.random((100, 784)), rng.integers(0, 2, 100)
    sieves = {
        "FIRES, glm": FIRES(step=100),
        "FIRES, sdt": FIRES("sdt", step=100),
        "FIRES, ann": FIRES("ann", step=100),
        "OFS": OFS(k=78),
        "EFS": EFS(k=78),
    }
    for sieve in sieves.values():
        sieve.partial_fit(X, y)
    times = race({name: partial(s.partial_fit, X, y) for name, s in sieves.items()}, rounds=15)
    least = times["FIRES, glm"]
    return table(
        ["100 rows of 784 features", "ms", "ratio"],
        [[name, f"{1e3 * t:.2f}", f"{t / least:.1f}"] for name, t in times.items()],
    )


class Plain:
    """A step in torch, eager: draw, predict, the log of the mean, its gradients, the update."""

    def __init__(self, model, features, outputs=2):
        sizes = {"features": features, "outputs": outputs}
        shapes = [tuple(sizes.get(size, size) for size in shape) for shape in model.layout()]
        self.model = model
        self.mu = [torch.zeros(shape, requires_grad=True) for shape in shapes]
        self.sigma = [torch.ones(shape, requires_grad=True) for shape in shapes]

    def step(self, X, y):
        x = X / X.shape[1] ** 0.5
        logs, charge = [], 0.0
        for _ in range(self.model.samples):
            theta = [m + s * torch.randn_like(m) for m, s in zip(self.mu, self.sigma)]
            log, extra = (self.net if isinstance(self.model, NeuralNet) else self.tree)(theta, x)
            logs.append(log[torch.arange(len(y)), y])
            charge = charge + extra / self.model.samples
        total = torch.logsumexp(torch.stack(logs), 0).mean() - charge
        gradients = torch.autograd.grad(total, [*self.mu, *self.sigma])
        with torch.no_grad():
            for parameter, gradient in zip([*self.mu, *self.sigma], gradients):
                parameter += 0.01 * gradient

    def net(self, theta, x):
        for W, b in zip(theta[:-2:2], theta[1:-2:2]):
            x = torch.relu(x @ W + b) / W.shape[1] ** 0.5
        return torch.log_softmax(x @ theta[-2] + theta[-1], 1), 0.0

    def tree(self, theta, x):
        right = torch.sigmoid(x @ theta[0])
        reached, first, charge = torch.ones(len(x), 1), 0, 0.0
        for level in range(self.model.depth):
            p = right[:, first : first + 2**level]
            share = (reached * p).sum(0) / reached.sum(0)
            cross = -0.5 * (torch.log(share) + torch.log(1 - share))
            charge = charge + self.model.penalty * 0.5**level * cross.sum()
            reached = torch.stack([reached * (1 - p), reached * p], 2).flatten(1)
            first += 2**level
        return torch.log(reached @ torch.softmax(theta[1], 1)), charge


def sampled():
    if torch is None:
        print("torch is not installed: the steps of the net and the tree are skipped")
        return "Skipped: torch is not installed.\n"
    rows, features = 50, 784
    rng = np.random.default_rng(0)
    X, y = rng.random((rows, features), dtype=np.float32), rng.integers(0, 2, rows)
    tensors = torch.as_tensor(X), torch.as_tensor(y)
    batch = Batch(X, y)
    lines = []
    for name, model in (("net, 3 × 100 units", NeuralNet()), ("tree, depth 3", SoftTree())):
        beliefs, plain = Beliefs(model, features, 0.0002, 0), Plain(model, features)
        times = race(
            {
                "ours": lambda beliefs=beliefs: beliefs.take(batch),
                "torch": lambda plain=plain: plain.step(*tensors),
            },
            rounds=60,
        )
        ratio = times["ours"] / times["torch"]
        milliseconds = [f"{1e3 * times[key]:.2f}" for key in ("ours", "torch")]
        lines.append([name, *milliseconds, f"{ratio:.2f}", 0.7, verdict(ratio, 0.7, at_most=True)])
    return table(["step of the", "ms", "ms, torch eager", "ratio", "at most", ""], lines)


def main():
    extra = () if torch is None else ("torch",)
    write_result(
        "fires",
        f"""# Steps of FIRES

{environment("scipy", *extra)}

Written by `python bench/peers/fires.py`. Medians of interleaved rounds in one run.

## The linear model: 100 rows of 5,000 features, float32

{linear()}
The four products are X μ, X² σ², Xᵀ a and (X²)ᵀ b, by NumPy in float32, one after the other, X² at
hand, and by as many threads as its BLAS likes. The step does them in float64 and in one thread,
which is half as many numbers at a time and no help; and it is whole: it also finds what each row
pulls, and moves μ and σ.
`partial_fit` also checks the rows and sees which features have varied.

## Sparse rows: the cost of a batch does not follow its columns

{sparse_rows()}
## The net and the tree: 50 rows of 784 features

{sampled()}
Five samples, the same model, the same penalty. Ours computes in float64, torch in float32.

## Side by side

{rivals()}
OFS and EFS learn from one row after the other.
""",
    )


if __name__ == "__main__":
    main()
