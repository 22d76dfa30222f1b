"""Obvious and slow: FIRES with linear models, cell by cell; its likelihoods as integrals."""

from math import exp, log, pi, sqrt

import numpy as np
from scipy.special import log_ndtr


def average(f, mean, deviation):
    """The mean of f(t) over a normal t, as a sum over a fine grid (eq. 3, whose integrand depends
    on x only through the margin, which is normal)."""
    grid = np.linspace(-10, 10, 4001)
    weights = np.exp(-(grid**2) / 2)
    return float(weights @ f(mean + deviation * grid) / weights.sum())


def margin(x, mu, sigma):
    """Mean and variance of the margin of a row; missing cells are left out."""
    seen = [(x_j, m, s) for x_j, m, s in zip(x, mu, sigma) if x_j == x_j]
    return sum(m * x_j for x_j, m, _ in seen), sum((s * x_j) ** 2 for x_j, _, s in seen)


def probit_likelihood(x, sign, mu, sigma):
    m, q = margin(x, mu, sigma)
    return average(lambda t: np.exp(log_ndtr(sign * t)), m, sqrt(q))


def gaussian_likelihood(x, y, mu, sigma):
    m, q = margin(x, mu, sigma)
    return average(lambda t: np.exp(-((y - t) ** 2) / 2) / sqrt(2 * pi), m, sqrt(q))


def probit_gradient(x, sign, mu, sigma):
    """By μ_j: r (y/ρ) x_j; by σ_j: -r y σ_j x_j² m/ρ³, where r = φ(z)/Φ(z)."""
    m, q = margin(x, mu, sigma)
    rho = sqrt(1 + q)
    z = sign * m / rho
    r = exp(-z * z / 2 - log(2 * pi) / 2 - log_ndtr(z))
    cells = [0.0 if x_j != x_j else float(x_j) for x_j in x]
    return (
        [r * sign / rho * x_j for x_j in cells],
        [-r * sign * s * x_j**2 * m / rho**3 for x_j, s in zip(cells, sigma)],
    )


def gaussian_gradient(x, y, mu, sigma):
    m, q = margin(x, mu, sigma)
    v = 1 + q
    cells = [0.0 if x_j != x_j else float(x_j) for x_j in x]
    return (
        [(y - m) / v * x_j for x_j in cells],
        [((y - m) ** 2 / v - 1) / v * s * x_j**2 for x_j, s in zip(cells, sigma)],
    )


class Linear:
    """Rows come one by one; those of a step that is not whole are kept, and asked about anew."""

    def __init__(self, p, step, rate, penalty, numbers=False):
        self.p, self.step, self.rate, self.penalty, self.numbers = p, step, rate, penalty, numbers
        self.labels, self.waiting, self.cells = [], [], [set() for _ in range(p)]
        self.outputs = {0: ([0.0] * p, [1.0] * p)}

    def learn(self, x, y, weight=1.0):
        if weight == 0:
            return
        if y not in self.labels:
            self.labels.append(y)
        for cells, x_j in zip(self.cells, x):
            if x_j == x_j:
                cells.add(float(x_j))
        self.waiting.append((x, y if self.numbers else self.labels.index(y), weight))
        if len(self.waiting) == self.step:
            self.outputs, self.waiting = self.after(self.waiting), []

    def after(self, rows):
        """The means and deviations of each output after a step of these rows."""
        outputs = dict(self.outputs)
        classes = 0 if self.numbers else 1 + max((code for _, code, _ in rows), default=0)
        if classes > 2 and 1 not in outputs:  # the mirror image of the first
            outputs[1] = [-m for m in outputs[0][0]], list(outputs[0][1])
        for code in range(2, classes):
            outputs.setdefault(code, ([0.0] * self.p, [1.0] * self.p))
        stepped = {}
        for code, (mu, sigma) in outputs.items():
            up, out = list(mu), [0.0] * self.p
            for x, y, weight in rows:
                if self.numbers:
                    g, h = gaussian_gradient(x, y, mu, sigma)
                else:
                    g, h = probit_gradient(x, 1 if y == code else -1, mu, sigma)
                for j in range(self.p):
                    up[j] += self.rate / self.step * weight * g[j]
                    out[j] += self.rate / self.step * weight * h[j]
            stepped[code] = up, [max(s + by, s / 2, 1e-10) for s, by in zip(sigma, out)]
        return stepped

    def answers(self):
        """Importance, uncertainty and weight of each feature."""
        outputs = (self.after(self.waiting) if self.waiting else self.outputs).values()
        importance = [sqrt(np.mean([mu[j] ** 2 for mu, _ in outputs])) for j in range(self.p)]
        uncertainty = [sqrt(np.mean([s[j] ** 2 for _, s in outputs])) for j in range(self.p)]
        weights = [
            (m**2 - self.penalty * s**2) / 0.02
            if len(cells) > 1 and len(self.labels) > 1
            else float("nan")
            for m, s, cells in zip(importance, uncertainty, self.cells)
        ]
        return importance, uncertainty, weights
