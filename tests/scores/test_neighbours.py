"""Graphs of neighbours, Laplacian scores and flat embeddings, beside dense matrices."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from driftsieve.scores import neighbours
from driftsieve.scores.neighbours import (
    AFFINITIES,
    Graph,
    laplacian_scores,
    neighbour_graph,
    spectral_targets,
)
from tests.naive.unsupervised import flat_embedding, laplacian_score, similarities

FORMS = {"dense": np.asarray, "sparse": sparse.csr_array}


def rows(seed=0, n=50, features=6):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, features)) + 1
    X[rng.random(X.shape) < 0.3] = 0
    return X


@pytest.mark.parametrize("affinity", AFFINITIES)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("n", [2, 3, 5, 6, 50])
def test_the_graph_and_the_scores_are_those_of_dense_matrices(affinity, form, n, monkeypatch):
    monkeypatch.setattr(neighbours, "BLOCK", 20)  # so that there is more than one block
    X = rows(n=n)
    graph = neighbour_graph(form(X), 5, affinity)
    S = similarities(X, 5, affinity)
    assert_allclose(graph.matrix().toarray(), S, atol=1e-12)
    assert_allclose(graph.degree, S.sum(axis=1), atol=1e-12)
    if n > 2:
        assert_allclose(laplacian_scores(form(X), graph), laplacian_score(X, S), rtol=1e-9)


def test_the_bandwidth_is_that_of_the_paper():
    X = rows()
    graph = neighbour_graph(X, 3, "heat", bandwidth=2.5)
    assert_allclose(graph.matrix().toarray(), similarities(X, 3, "heat", 2.5), atol=1e-12)


def test_a_laplacian_score_by_hand():
    """A path of three rows, with ties of 1: the degrees are 1, 2, 1.

    f = (0, 1, 2) has the weighted mean 1: (1 + 1) / (1 + 0 + 1) = 1. f = (0, 1, 0) has the mean
    1/2: (1 + 1) / (4 / 4) = 2, the worst that there is: neighbours always differ.
    """
    path = Graph(3, np.array([0, 1]), np.array([1, 2]), np.ones(2))
    X = np.array([[0.0, 0.0, 7.0], [1.0, 1.0, 7.0], [2.0, 0.0, 7.0]])
    for form in FORMS.values():
        assert_allclose(laplacian_scores(form(X), path), [1.0, 2.0, np.nan])


def test_far_from_the_origin_scores_keep_their_digits():
    X = np.round(rows() * 2**20) / 2**20
    graph = neighbour_graph(X, 5)
    far = neighbour_graph(X + 1e6, 5)
    assert_array_equal(far.one, graph.one)
    assert_allclose(laplacian_scores(X + 1e6, far), laplacian_scores(X, graph), rtol=1e-7)


def test_rows_without_ties_are_left_out():
    X = np.array([[1.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.0, 0.0, 0.0], [0.9, 0.0, 0.0]])
    graph = neighbour_graph(X, 2, "cosine")  # a row of zeros is at no angle to any other
    assert graph.degree[2] == 0
    scores = laplacian_scores(X, graph)
    assert np.isnan(scores[2])
    assert not np.isnan(scores[:2]).any()
    assert_array_equal(spectral_targets(graph, 2)[2], 0)
    alone = neighbour_graph(np.eye(3), 2, "cosine")
    assert np.isnan(laplacian_scores(np.eye(3), alone)).all()
    assert spectral_targets(alone, 2).shape == (3, 0)
    assert neighbour_graph(np.ones((1, 3)), 2).n_rows == 1


@pytest.mark.parametrize("small", [0, 400], ids=["sparse", "dense"])
def test_targets_are_the_generalised_eigenvectors(small, monkeypatch):
    monkeypatch.setattr(neighbours, "SMALL", small)
    X = rows(n=60)
    S = similarities(X, 5, "heat")
    found = spectral_targets(neighbour_graph(X, 5), 4)
    expected = flat_embedding(S, 4)
    assert_allclose(np.abs(found), np.abs(expected), atol=1e-8)
    assert_allclose(found.T @ np.diag(S.sum(axis=1)) @ found, np.eye(4), atol=1e-9)


@pytest.mark.parametrize("small", [0, 400], ids=["sparse", "dense"])
def test_of_a_graph_in_pieces_the_pieces_come_first(small, monkeypatch):
    monkeypatch.setattr(neighbours, "SMALL", small)
    X = np.vstack([rows(1, 12), rows(2, 30) + 100, rows(3, 20) - 100])
    graph = neighbour_graph(X, 4, "binary")
    targets = spectral_targets(graph, 4)
    S, D = graph.matrix().toarray(), np.diag(graph.degree)
    with_constant = np.column_stack([np.ones(62) / np.sqrt(D.sum()), targets])
    assert_allclose(with_constant.T @ D @ with_constant, np.eye(5), atol=1e-9)
    values = np.diag(targets.T @ (D - S) @ targets)
    assert_allclose((D - S) @ targets, D @ targets * values, atol=1e-9)
    assert_allclose(values[:2], 0, atol=1e-12)
    assert 1e-6 < values[2] <= values[3]
    second, smallest = targets[:, 0], targets[:, 1]  # components of 20 and of 12 rows
    for target, here in ((second, slice(42, 62)), (smallest, slice(0, 12))):
        signs = np.sign(target) * np.sign(target[here][0])
        assert np.ptp(target[here]) < 1e-9
        assert (signs[here] == 1).all()
        assert (np.delete(signs, np.r_[here, np.r_[42:62]]) == -1).all()
    assert_allclose(second[0], second[20])  # all that is left
    assert_allclose(smallest[42:62], 0, atol=1e-9)


def test_there_are_no_more_targets_than_rows():
    graph = neighbour_graph(rows(n=5), 2)
    assert spectral_targets(graph, 50).shape == (5, 4)
    assert spectral_targets(graph, 1).shape == (5, 1)
