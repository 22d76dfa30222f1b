"""Parameters drawn from their normal distributions, and gradients led back to these.

Symbols: θ = μ + σ r, where r is what `codes` point to in a table of normal quantiles. Blocks of
parameters have rows and columns; between them stands the number of the sample.
"""

from driftsieve.kernels import kernel


@kernel
def draw(mu, sigma, codes, table, theta):
    """Fill θ of each sample."""
    for i in range(theta.shape[0]):
        for s in range(theta.shape[1]):
            for j in range(theta.shape[2]):
                theta[i, s, j] = mu[i, j] + sigma[i, j] * table[codes[i, s, j]]


@kernel
def collect(gradient, codes, table, g, h):
    """Add up, over the samples, gradients by θ into g (by μ), and those times r into h (by σ)."""
    g[:] = 0.0
    h[:] = 0.0
    for i in range(gradient.shape[0]):
        for s in range(gradient.shape[1]):
            for j in range(gradient.shape[2]):
                by = gradient[i, s, j]
                g[i, j] += by
                h[i, j] += by * table[codes[i, s, j]]
