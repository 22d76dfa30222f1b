"""Sums per class and feature, and the merging of centred moments.

Symbols: w weight, m mean, q sum of squared deviations from the mean (all per feature);
s and z are sums and sums of squares of x - shift within a block.
"""

import numpy as np

from driftsieve.kernels import kernel


@kernel
def group_rows(codes, weights, weighted, order, starts):
    """Sort row numbers by class into `order`; class c is order[starts[c]:starts[c + 1]].

    Rows of weight zero are left out. `starts` holds zeros, one more than there are classes.
    """
    n_classes = len(starts) - 1
    for i in range(len(codes)):
        if not weighted or weights[i] > 0:
            starts[codes[i] + 1] += 1
    for c in range(n_classes):
        starts[c + 1] += starts[c]
    at = starts[:-1].copy()
    for i in range(len(codes)):
        if not weighted or weights[i] > 0:
            order[at[codes[i]]] = i
            at[codes[i]] += 1


@kernel
def dense_sums(X, rows, lo, hi, s, z):
    """Add up x - X[rows[0]] and its square over some rows, for the columns lo..hi.

    Twelve rows a pass: traffic to the accumulators is what limits the plain loop. The slices
    start at 0 so that LLVM need not care for negative indices and vectorises the inner loop.
    """
    n = hi - lo
    shift, s, z = X[rows[0], lo:hi], s[lo:hi], z[lo:hi]
    i = 0
    while i + 12 <= len(rows):
        a, b = X[rows[i], lo:hi], X[rows[i + 1], lo:hi]
        c, d = X[rows[i + 2], lo:hi], X[rows[i + 3], lo:hi]
        e, f = X[rows[i + 4], lo:hi], X[rows[i + 5], lo:hi]
        g, h = X[rows[i + 6], lo:hi], X[rows[i + 7], lo:hi]
        k, q = X[rows[i + 8], lo:hi], X[rows[i + 9], lo:hi]
        m, r = X[rows[i + 10], lo:hi], X[rows[i + 11], lo:hi]
        for j in range(n):
            x = np.float64(shift[j])
            da, db = a[j] - x, b[j] - x
            dc, dd = c[j] - x, d[j] - x
            de, df = e[j] - x, f[j] - x
            dg, dh = g[j] - x, h[j] - x
            dk, dq = k[j] - x, q[j] - x
            dm, dr = m[j] - x, r[j] - x
            s[j] += (da + db) + (dc + dd) + (de + df) + (dg + dh) + (dk + dq) + (dm + dr)
            z[j] += (
                (da * da + db * db)
                + (dc * dc + dd * dd)
                + (de * de + df * df)
                + (dg * dg + dh * dh)
                + (dk * dk + dq * dq)
                + (dm * dm + dr * dr)
            )
        i += 12
    while i < len(rows):
        a = X[rows[i], lo:hi]
        for j in range(n):
            da = a[j] - np.float64(shift[j])
            s[j] += da
            z[j] += da * da
        i += 1


@kernel
def dense_sums_weighted(X, rows, weights, lo, hi, s, z):
    """`dense_sums` with a weight per row of X."""
    n = hi - lo
    shift, s, z = X[rows[0], lo:hi], s[lo:hi], z[lo:hi]
    i = 0
    while i + 12 <= len(rows):
        a, b = X[rows[i], lo:hi], X[rows[i + 1], lo:hi]
        c, d = X[rows[i + 2], lo:hi], X[rows[i + 3], lo:hi]
        e, f = X[rows[i + 4], lo:hi], X[rows[i + 5], lo:hi]
        g, h = X[rows[i + 6], lo:hi], X[rows[i + 7], lo:hi]
        k, q = X[rows[i + 8], lo:hi], X[rows[i + 9], lo:hi]
        m, r = X[rows[i + 10], lo:hi], X[rows[i + 11], lo:hi]
        ua, ub = weights[rows[i]], weights[rows[i + 1]]
        uc, ud = weights[rows[i + 2]], weights[rows[i + 3]]
        ue, uf = weights[rows[i + 4]], weights[rows[i + 5]]
        ug, uh = weights[rows[i + 6]], weights[rows[i + 7]]
        uk, uq = weights[rows[i + 8]], weights[rows[i + 9]]
        um, ur = weights[rows[i + 10]], weights[rows[i + 11]]
        for j in range(n):
            x = np.float64(shift[j])
            da, db = a[j] - x, b[j] - x
            dc, dd = c[j] - x, d[j] - x
            de, df = e[j] - x, f[j] - x
            dg, dh = g[j] - x, h[j] - x
            dk, dq = k[j] - x, q[j] - x
            dm, dr = m[j] - x, r[j] - x
            ea, eb = ua * da, ub * db
            ec, ed = uc * dc, ud * dd
            ee, ef = ue * de, uf * df
            eg, eh = ug * dg, uh * dh
            ek, eq = uk * dk, uq * dq
            em, er = um * dm, ur * dr
            s[j] += (ea + eb) + (ec + ed) + (ee + ef) + (eg + eh) + (ek + eq) + (em + er)
            z[j] += (
                (ea * da + eb * db)
                + (ec * dc + ed * dd)
                + (ee * de + ef * df)
                + (eg * dg + eh * dh)
                + (ek * dk + eq * dq)
                + (em * dm + er * dr)
            )
        i += 12
    while i < len(rows):
        a = X[rows[i], lo:hi]
        ua = weights[rows[i]]
        for j in range(n):
            da = a[j] - np.float64(shift[j])
            s[j] += ua * da
            z[j] += ua * da * da
        i += 1


@kernel
def dense_sums_missing(X, rows, weights, weighted, shift, w, s, z):
    """`dense_sums` where NaN is skipped: each column has a shift and a weight of its own.

    `shift` comes filled with NaN and leaves holding the first value of each column.
    """
    p = X.shape[1]
    unset = p
    for i in range(len(rows)):
        if unset == 0:
            break
        x = X[rows[i]]
        for j in range(p):
            if np.isnan(shift[j]) and not np.isnan(x[j]):
                shift[j] = x[j]
                unset -= 1
    for i in range(len(rows)):
        x = X[rows[i]]
        weight = weights[rows[i]] if weighted else 1.0
        for j in range(p):
            present = x[j] == x[j]
            d = np.float64(x[j]) - shift[j] if present else 0.0
            w[j] += weight if present else 0.0
            s[j] += weight * d
            z[j] += weight * d * d


@kernel
def centre(w, shift, s, z, m, q):
    """Turn sums about a shift into mean and squared deviations; features without weight get 0.

    `m` may be `s`, and `q` may be `z`.
    """
    for j in range(len(w)):
        if w[j] > 0:
            behind = s[j] / w[j]
            q[j] = max(z[j] - s[j] * behind, 0.0)  # in this order the least weights do
            m[j] = shift[j] + behind
        else:
            m[j] = 0.0
            q[j] = 0.0


@kernel
def dense_moments(X, order, starts, present, weights, weighted, lo, hi, largest, w, m, q, odd):
    """Fill in the moments of the classes that are present (see `group_rows`), columns lo..hi.

    w[i], of class present[i], is filled already; m[i] and q[i] are zeros. `odd` becomes true where
    that is wrong, as a value is missing or beyond `largest`: a NaN or an infinity makes the sum of
    squares NaN, and a value too large to work with makes it huge, unless it is the shift itself.
    """
    for i in range(len(present)):
        rows = order[starts[present[i]] : starts[present[i] + 1]]
        if weighted:
            dense_sums_weighted(X, rows, weights, lo, hi, m[i], q[i])
        else:
            dense_sums(X, rows, lo, hi, m[i], q[i])
        shift, s, z = X[rows[0], lo:hi], m[i, lo:hi], q[i, lo:hi]
        bad = odd[lo:hi]
        for j in range(hi - lo):
            bad[j] |= not (z[j] <= largest and abs(shift[j]) <= largest)
        centre(w[i, lo:hi], shift, s, z, s, z)


@kernel
def combine(w, m, q, w2, m2, q2, gain):
    """Merge moments (w2, m2, q2), their weights times `gain`, into (w, m, q): Chan et al. 1983.

    Where w is 0, m and q are, too. Equal means stay equal to the last bit, so a constant column
    has exactly no variance.
    """
    for j in range(len(w)):
        b = w2[j] * gain
        if b > 0:
            total = w[j] + b
            delta = m2[j] - m[j]
            q[j] += q2[j] * gain + delta * delta * (w[j] * (b / total))
            # From the heavier side: what all but weighs nothing takes its rounding errors along.
            if w[j] < b:
                m[j] = m2[j] - delta * (w[j] / total)
            else:
                m[j] += delta * (b / total)
            w[j] = total


@kernel
def sparse_update(data, indices, indptr, codes, weights, weighted, gain, rows, cells):
    """Take the entries of CSR rows into the cells of their class: Welford 1962.

    A cell is w, m, q and the weight of all entries, of which the first three leave missing ones
    (NaN) out. `rows` adds up the weight of each class's rows in the same order: where every row
    has an entry, both are equal to the last bit.
    """
    for i in range(len(codes)):
        c = codes[i]
        weight = (weights[i] if weighted else 1.0) * gain
        if weight > 0:
            rows[c] += weight
            for k in range(indptr[i], indptr[i + 1]):
                cell = cells[indices[k], c]
                x = np.float64(data[k])
                cell[3] += weight
                if x == x:
                    total = cell[0] + weight
                    share = weight / total
                    delta = x - cell[1]
                    cell[2] += delta * delta * (cell[0] * share)
                    if cell[0] < weight:  # from the heavier side, as in `combine`
                        cell[1] = x - delta * (cell[0] / total)
                    else:
                        cell[1] += delta * share
                    cell[0] = total
