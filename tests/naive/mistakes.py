"""Obvious and slow: OFS and EFS, row after row and cell after cell, with plain numbers."""

from decimal import Decimal, getcontext
from fractions import Fraction
from math import sqrt

getcontext().prec = 50


def present(x):
    """The cells of a row that count, by column."""
    return {j: float(x_j) for j, x_j in enumerate(x) if x_j == x_j and x_j != 0}


class OFS:
    """Algorithm 2 of Wang et al. (2014), two classes, or one output of more."""

    def __init__(self, p, k, rate, regularization):
        self.w, self.k, self.rate, self.radius = [0.0] * p, k, rate, 1 / sqrt(regularization)

    def learn(self, rows):
        """A step of some rows: (x, sign, weight)."""
        moved = list(self.w)
        mistaken = False
        for x, sign, weight in rows:
            if sign * sum(self.w[j] * x_j for j, x_j in present(x).items()) <= 0:
                mistaken = True
                for j, x_j in present(x).items():
                    moved[j] += self.rate * weight * sign * x_j
        if mistaken:
            norm = sqrt(sum(w * w for w in moved))
            moved = [w * min(1.0, self.radius / norm) if norm else w for w in moved]
            largest = sorted(range(len(moved)), key=lambda j: (-abs(moved[j]), j))[: self.k]
            self.w = [w if j in largest else 0.0 for j, w in enumerate(moved)]


class EFS:
    """The modified balanced winnow of Carvalho and Cohen (2006), multiplied plainly."""

    def __init__(self, p, promotion=1.5, demotion=0.5, threshold=1.0, margin=1.0):
        self.up, self.down = Decimal(str(promotion)), Decimal(str(demotion))
        self.threshold, self.margin = Decimal(str(threshold)), Decimal(str(margin))
        self.u, self.v = [Decimal(2)] * (p + 1), [Decimal(1)] * (p + 1)  # the last one: no feature

    def learn(self, rows):
        """A step of some rows: (x, sign, weight), where the weights are whole numbers."""
        u, v = list(self.u), list(self.v)
        for x, sign, weight in rows:
            cells = {**present(x), len(x): 1.0}
            length = sum(Fraction(abs(x_j)) for x_j in cells.values())
            shares = {j: Fraction(x_j) / length for j, x_j in cells.items()}
            shares = {j: Decimal(s.numerator) / Decimal(s.denominator) for j, s in shares.items()}
            score = sum((self.u[j] - self.v[j]) * x_j for j, x_j in shares.items())
            if sign * (score - self.threshold) <= self.margin:
                for j, x_j in shares.items():
                    up, down = self.up * (1 + abs(x_j)), self.down * (1 - abs(x_j))
                    if sign * x_j < 0:
                        up, down = down, up
                    u[j] *= up ** int(weight)
                    v[j] *= down ** int(weight)
        self.u, self.v = u, v

    def importance(self):
        """log |u - v| of each feature."""
        return [float(abs(u - v).ln()) for u, v in zip(self.u[:-1], self.v[:-1])]
