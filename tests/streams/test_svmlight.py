"""svmlight text against scikit-learn's reader, and where ours is kinder or stricter."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from driftsieve import open_stream
from driftsieve.streams.svmlight import SVMLight


@pytest.fixture
def opened(tmp_path):
    def opened(text, **options):
        path = tmp_path / "f.svm"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return open_stream(path, **options)

    return opened


def rows(stream):
    batches = list(stream)
    return sparse.vstack([b.X for b in batches]).tocsr(), np.concatenate([b.y for b in batches])


def assert_like_sklearn(text, stream, **options):
    X, y = rows(stream)
    expected, labels = load_svmlight_file(io.BytesIO(text), **options)
    assert X.shape == expected.shape
    np.testing.assert_array_equal(X.indptr, expected.indptr)
    np.testing.assert_array_equal(X.indices, expected.indices)
    assert X.data.tobytes() == expected.data.tobytes()
    np.testing.assert_array_equal(y, labels)


@pytest.mark.parametrize("zero_based", [True, False])
@pytest.mark.parametrize("stated", [True, False])
@pytest.mark.parametrize("block", [50, 1 << 20])
def test_files_by_scikit_learn(opened, monkeypatch, zero_based, stated, block):
    monkeypatch.setattr(SVMLight, "block_bytes", block)
    rng = np.random.default_rng(3)
    X = rng.standard_normal((40, 30)) * 10.0 ** rng.integers(-9, 9, (40, 30))
    X[rng.random(X.shape) < 0.8] = 0
    X[0, [0, -1]] = 1.5  # so that "auto" can tell
    buffer = io.BytesIO()
    query = np.arange(40) // 5
    dump_svmlight_file(
        sparse.csr_array(X), rng.integers(-1, 2, 40), buffer, zero_based=zero_based, query_id=query,
        comment="made by a test",
    )  # fmt: skip
    text = buffer.getvalue()
    options = {"zero_based": zero_based, "n_features": 30} if stated else {}
    stream = opened(text, batch=7, **options)
    assert stream.n_rows == (None if stated else 40)
    assert_like_sklearn(text, stream, **options)


numbers = st.floats(allow_nan=False, allow_infinity=False).map(repr) | st.from_regex(
    r"[+-]?[0-9]{1,20}(\.[0-9]{0,20})?([eE][+-]?[0-9]{1,2})?", fullmatch=True
)
pairs = st.dictionaries(st.integers(1, 50), numbers, max_size=5).map(
    lambda pairs: "".join(f" {j}:{value}" for j, value in sorted(pairs.items()))
)
line = st.tuples(
    st.integers(-3, 3).map(str) | st.floats(-9, 9).map(repr),
    st.sampled_from(["", " qid:7", "  qid:1 "]),
    pairs,
    st.sampled_from(["\n", "\r\n", " \t\n", "# 1:2\n", " # note\n", "\n\n", "\n# only a note\n"]),
)


@given(st.lists(line.map("".join), min_size=1), st.integers(1, 60), st.booleans())
def test_any_lines(tmp_path_factory, lines, block, end):
    text = "".join(lines) if end else "".join(lines).rstrip("\n")
    path = tmp_path_factory.mktemp("svm") / "f.svm"
    path.write_text(text, newline="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SVMLight, "block_bytes", block)
        stream = open_stream(path, batch=4, n_features=60)
        assert_like_sklearn(text.encode(), stream, n_features=60)


def test_nan_words_and_subnormal_numbers(opened):
    X, _ = rows(opened("1 1:nan 2:5e-324 3:1e-400 4:-NaN\n"))
    np.testing.assert_array_equal(X.toarray(), [[np.nan, 5e-324, 0, np.nan]])


def test_indices_need_not_ascend(opened):
    X, _ = rows(opened("1 3:3 1:1\n0 2:2\n1 2:5 1:4\n", n_features=3))
    np.testing.assert_array_equal(X.toarray(), [[1, 0, 3], [0, 2, 0], [4, 5, 0]])


def test_a_label_alone_is_an_empty_row(opened):
    X, y = rows(opened("1\n-1 # nothing\n2 qid:3\n", n_features=2))
    assert X.shape == (3, 2)
    assert X.nnz == 0
    assert y.tolist() == [1, -1, 2]


def test_labels_are_whole_or_not(opened, monkeypatch):
    _, y = rows(opened("1 1:1\n+2 1:1\n3.0 1:1\n"))
    assert y.dtype.kind == "i"
    monkeypatch.setattr(SVMLight, "block_bytes", 1)
    _, y = rows(opened("1 1:1\n.5 1:1\n1e1 1:1\n"))
    assert y.tolist() == [1, 0.5, 10]


BAD = {
    "no number": ("1 1:2\n\n# note\n2 1:0x3\n", r"line 4 holds '0x3' where a number is due \('2 1"),
    "no value": ("1 1: 2:3\n", "line 1 holds '' where a number is due"),
    "no label": ("1 1:2\n1:2\n", "line 2 holds '1:2' where a label is due"),
    "text as label": ("cat 1:2\n", "line 1 holds 'cat' where a label is due"),
    "several labels": ("1 1:1\n1,2 1:2\n", "line 2 has several labels"),
    "no pair": ("1 1:1\n1 1:1 abc\n", "line 2 holds what is no index:value pair"),
    "no colon": ("1 1\n2 3:4\n", "line 1 holds what is no index:value pair"),
    "negative index": ("1 -1:1\n1 2:3\n", "line 1 holds what is no index:value pair"),
    "twice": ("1 1:1\n1 2:1 2:2\n", "row 1 gives a feature two values"),
    "twice, apart": ("1 1:1\n1 2:1 1:1 2:2\n", "row 1 gives a feature two values"),
    "missing label": ("1 1:1\nnan 1:1\n", r"the label of row \d is missing"),
    "huge index": ("1 99999999999999999999:1\n", "index beyond"),
    "no features": ("1\n2\n", "say how many with n_features"),
    "a long line": ("1 " + "1:1 x" * 40, r"\.\.\.'"),
}


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD)
@pytest.mark.parametrize("block", [4, 1 << 20])
def test_bad_lines_are_shown(opened, monkeypatch, text, message, block):
    monkeypatch.setattr(SVMLight, "block_bytes", block)
    with pytest.raises(ValueError, match=message) as caught:
        list(opened(text))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_features": 2}, "line 2 has an index outside of 1 to 2: check n_features"),
        ({"n_features": 3, "zero_based": False}, "line 3 has an index outside of 1 to 3"),
        ({"n_features": 0}, "n_features must be a whole number from 1"),
        ({"n_features": "2"}, "n_features must be a whole number from 1"),
        ({"zero_based": "maybe"}, "zero_based must be"),
        ({"target": "y"}, "no named columns"),
        ({"features": ["a"]}, "no named columns"),
        ({"n_features": 10**20}, "n_features must be a whole number from 1"),
    ],
)
def test_bad_options(opened, options, message):
    text = "1 1:2\n1 3:4\n"
    if options == {"n_features": 3, "zero_based": False}:
        text += "1 0:1\n"
    with pytest.raises(ValueError, match=message):
        list(opened(text, **options))


def test_infinities_are_left_to_those_who_read_every_value(opened):
    (batch,) = opened("1 1:inf 2:1e999\n")
    with pytest.raises(ValueError, match="an infinity in row 0"):
        batch.refuse_infinities()
