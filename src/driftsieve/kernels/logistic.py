"""Gradient steps of sparse logistic and softmax regression, at the cost of the non-zeros.

Symbols: j feature, c output, V weights over their common factor `norms[0]`, A sums of squared
gradients, over all outputs together (on its own, each tiny gradient would make a step as long as
any), b intercepts and B their A, G gradients of a step (all zero between steps), u one over the
scale of a feature.
"""

import numpy as np

from driftsieve.kernels import kernel


@kernel
def observe(data, indices, indptr, weights, kept, c, q, u):
    """Add rows to the weight c and the squares q of the non-zeros of each feature, and set u of
    those that are kept."""
    for i in range(len(indptr) - 1):
        for a in range(indptr[i], indptr[i + 1]):
            x = np.float64(data[a])
            if x != 0:
                c[indices[a]] += weights[i]
                q[indices[a]] += weights[i] * x * x
    for a in range(indptr[0], indptr[-1]):
        j = indices[a]
        if q[j] > 0 and kept[j]:
            u[j] = np.sqrt(c[j] / q[j])


@kernel
def take_non_zero(X, data, indices):
    """Lay the non-zeros of dense rows out one after the other, with their columns."""
    at = 0
    for i in range(len(X)):
        for j in range(X.shape[1]):
            if X[i, j] != 0:
                data[at] = X[i, j]
                indices[at] = j
                at += 1


@kernel
def count_kept(indices, indptr, kept, new_indptr):
    """Count what is left of each row when only the kept columns stay."""
    new_indptr[0] = 0
    for i in range(len(indptr) - 1):
        n = 0
        for a in range(indptr[i], indptr[i + 1]):
            n += kept[indices[a]]
        new_indptr[i + 1] = new_indptr[i] + n


@kernel
def take_kept(data, indices, indptr, kept, new_data, new_indices):
    """Leave out the entries of all but the kept columns."""
    at = 0
    for i in range(len(indptr) - 1):
        for a in range(indptr[i], indptr[i + 1]):
            if kept[indices[a]]:
                new_data[at] = data[a]
                new_indices[at] = indices[a]
                at += 1


@kernel
def steps_of_one(
    data, indices, indptr, rows, codes, weights, size, rate, l2, u, V, A, b, B, G, norms
):
    """Do what `steps` does with one output, in less than half the time: V and G are vectors.

    Features whose u is zero stay at zero by arithmetic alone. Indices without a sign need no look
    at whether they count from the end.
    """
    touched = np.empty(len(indices), np.int64)
    for lo in range(0, len(rows), size):
        n = 0
        Gb = 0.0
        length = 0.0
        weight = 0.0
        for t in range(lo, min(lo + size, len(rows))):
            i = rows[t]
            z = 0.0
            r = 1.0
            for a in range(indptr[i], indptr[i + 1]):
                j = np.uint64(indices[a])
                x = np.float64(data[a])
                r += (x * u[j]) ** 2
                z += V[j] * x
            length += weights[i] * r
            weight += weights[i]
            z = b[0] + norms[0] * z
            e = np.exp(-abs(z))
            z = weights[i] * ((1.0 / (1.0 + e) if z >= 0 else e / (1.0 + e)) - codes[i])
            Gb += z
            for a in range(indptr[i], indptr[i + 1]):
                j = np.uint64(indices[a])
                touched[n] = j
                n += G[j] == 0
                G[j] += z * np.float64(data[a])
        norms[1] += length
        norms[2] += weight
        norms[0] *= 1.0 - rate * l2
        step = rate / np.sqrt(max(norms[1] / norms[2], length / weight))
        step_of_V = step / norms[0]
        B[0] += Gb * Gb
        if B[0] > 0:
            b[0] -= step * Gb / np.sqrt(B[0])
        for k in range(n):
            j = np.uint64(touched[k])
            g = G[j] * u[j]  # by the weight of the scaled feature
            G[j] = 0.0
            A[j] += g * g
            if A[j] > 0:
                V[j] -= step_of_V * u[j] * g / np.sqrt(A[j])
        if norms[0] < 1e-6:
            V *= norms[0]
            norms[0] = 1.0


@kernel
def steps(data, indices, indptr, rows, codes, weights, size, rate, l2, u, V, A, b, B, G, norms):
    """Take a step of several outputs for every `size` of these rows. Features whose u is zero stay.

    norms: the common factor of V; and the weighted sum of squared lengths of the rows since
    features were last dropped, with the weight of these rows.
    """
    outputs = len(b)
    z = np.empty(outputs)
    Gb = np.empty(outputs)
    touched = np.empty(len(indices), np.int64)
    for lo in range(0, len(rows), size):
        n = 0
        Gb[:] = 0.0
        length = 0.0
        weight = 0.0
        for t in range(lo, min(lo + size, len(rows))):
            i = rows[t]
            z[:] = 0.0
            r = 1.0
            for a in range(indptr[i], indptr[i + 1]):
                j = indices[a]
                if u[j] > 0:
                    x = np.float64(data[a])
                    r += (x * u[j]) ** 2
                    for c in range(outputs):
                        z[c] += V[j, c] * x
            length += weights[i] * r
            weight += weights[i]
            for c in range(outputs):
                z[c] = b[c] + norms[0] * z[c]
            # From here on, z is the gradient of the loss by the margins.
            z -= np.max(z)
            total = 0.0
            for c in range(outputs):
                z[c] = np.exp(z[c])
                total += z[c]
            for c in range(outputs):
                z[c] /= total
            z[codes[i]] -= 1.0
            for c in range(outputs):
                z[c] *= weights[i]
                Gb[c] += z[c]
            for a in range(indptr[i], indptr[i + 1]):
                j = indices[a]
                if u[j] > 0:
                    if G[j, 0] == 0:
                        touched[n] = j
                        n += 1
                    x = np.float64(data[a])
                    for c in range(outputs):
                        G[j, c] += z[c] * x
        norms[1] += length
        norms[2] += weight
        norms[0] *= 1.0 - rate * l2
        # A gathers the gradients of all outputs, while few of the rows concern each of them.
        step = rate * np.sqrt(outputs / 2)
        step /= np.sqrt(max(norms[1] / norms[2], length / weight))
        step_of_V = step / norms[0]
        for c in range(outputs):
            B[0] += Gb[c] * Gb[c]
        if B[0] > 0:
            for c in range(outputs):
                b[c] -= step * Gb[c] / np.sqrt(B[0])
        for k in range(n):
            j = touched[k]
            for c in range(outputs):
                g = G[j, c] * u[j]  # by the weight of the scaled feature
                A[j] += g * g
            if A[j] > 0:
                by = step_of_V * u[j] / np.sqrt(A[j])
                for c in range(outputs):
                    V[j, c] -= by * (G[j, c] * u[j])
            for c in range(outputs):
                G[j, c] = 0.0
        if norms[0] < 1e-6:
            V *= norms[0]
            norms[0] = 1.0
