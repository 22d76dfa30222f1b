"""svmlight text against scikit-learn's reader, and where ours is kinder or stricter."""

import io
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from driftsieve import open_stream
from driftsieve.streams import svmlight
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


@pytest.mark.parametrize("kept", [0, 300, 2_000, 1 << 20])
@pytest.mark.parametrize("options", [{}, {"n_features": 9}, {"zero_based": True}])
def test_rows_kept_from_opening_are_those_of_the_files(tmp_path, monkeypatch, kept, options):
    monkeypatch.setattr(SVMLight, "block_bytes", 100)
    monkeypatch.setattr(svmlight, "KEPT_BYTES", kept)
    lines = [f"{i} {i % 8 + 1}:{i}.5 # note\n\n".encode() for i in range(60)]
    parts = lines[:35], [b"# nothing\n"], lines[35:]
    paths = [tmp_path / f"{number}.svm" for number in range(len(parts))]
    for path, part in zip(paths, parts, strict=True):
        path.write_bytes(b"".join(part))
    expected, _ = load_svmlight_file(io.BytesIO(b"".join(lines)), **{"zero_based": False} | options)

    def assert_rows(stream, start):
        X, y = rows(stream)
        np.testing.assert_array_equal(X.toarray(), expected.toarray()[start:])
        assert y.tolist() == list(range(start, 60))

    def assert_resumes(stream, position, start):
        stream.seek(position)
        assert_rows(stream, start)
        assert_rows(stream, start)

    stream = open_stream(paths, batch=7, **options)
    assert stream.n_rows == 60
    running = iter(stream)
    begun = [next(running)]
    assert_rows(stream, 0)  # meanwhile
    batches = [*begun, *running]
    assert [len(batch) for batch in batches] == [7] * 8 + [4]
    assert_rows(batches, 0)
    for i, batch in enumerate(batches[:-1], 1):
        assert_resumes(open_stream(paths, batch=7, **options), batch.position, 7 * i)
        assert_resumes(open_stream(paths, batch=7, **options), 7 * i, 7 * i)


def test_little_is_kept_of_a_large_file(opened, monkeypatch):
    monkeypatch.setattr(SVMLight, "block_bytes", 1_000)
    monkeypatch.setattr(svmlight, "KEPT_BYTES", 100_000)
    text = "1 1:1 2:2 3:3\n" * 50_000  # 48 bytes and more a row, as arrays
    opened(text[:14])  # compiles
    tracemalloc.start()
    stream = opened(text)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert stream.n_rows == 50_000
    assert kept < 200_000


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
    "twice": ("# note\n1 1:1\n\n1 2:1 2:2\n", r"line 4 gives a feature two values \('1 2:1 2:2'"),
    "twice, apart": (" 1 1:1\n \t# note\n1 2:1 1:1 2:2", "line 3 gives a feature two values"),
    "missing label": ("1 1:1\n\nnan 1:1\n", "line 3 holds 'nan' where a label is due"),
    "infinite label": ("1 1:1\n1e999 1:1\n", "line 2 holds '1e999' where a label is due"),
    "huge index": ("1 1:1\n1 99999999999999999999:1\n", "line 2 has an index beyond 2147483646"),
    "a hole": ("1 1:1\n1 1:1 \0\0\0 3:2\n", "line 2 holds a zero byte"),
    "no features": ("1\n2\n", "say how many with n_features"),
    "a long line": ("1 " + "1:1 x" * 40, r"\.\.\.'"),
}


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD)
@pytest.mark.parametrize("block", [4, 1 << 20])
@pytest.mark.parametrize("kept", [0, 1 << 20])
def test_bad_lines_are_shown(opened, monkeypatch, text, message, block, kept):
    monkeypatch.setattr(SVMLight, "block_bytes", block)
    monkeypatch.setattr(svmlight, "KEPT_BYTES", kept)
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
