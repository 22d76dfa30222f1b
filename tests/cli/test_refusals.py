"""What goes wrong is said in one sentence that helps, before any long work is done."""

import polars as pl
import pytest

from driftsieve.cli.learners import LEARNERS
from driftsieve.cli.selectors import SELECTORS
from tests.cli.conftest import table


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.parquet", "-t", "label"], ["missing.parquet"]),
        (["data.parquet", "-t", "labell"], ["'labell'", "did you mean 'label'"]),
        (["data.parquet", "-t", "nothing like it"], ["its columns are 'f0'"]),
        (["data.parquet", "-t", "label", "--columns", "f0,f9"], ["f9"]),
        (["data.parquet", "-t", "label", "--weight", "w"], ["'w'"]),
        (["data.parquet", "-t", "label", "-k", "0"], ["'-k'"]),
        (["data.parquet", "-t", "label", "-k", "many"], ["'-k'", "many"]),
        (["data.parquet", "-t", "label", "--batch", "0"], ["--batch"]),
        (["data.parquet", "-t", "label", "--score", "fishr"], ["did you mean 'fisher'"]),
        (["data.parquet", "-t", "label", "--score", "zzz"], ["choose one of t, fisher"]),
        (["data.parquet", "-t", "label", "--score", "t:widow=4"], ["'widow'", "window"]),
        (["data.parquet", "-t", "label", "--score", "t:window"], ["name=value"]),
        (["data.parquet", "-t", "label", "--score", "t:k=0"], ["k must be"]),
        (["data.parquet", "-t", "label", "--score", "chi2:bins=1"], ["bins must be"]),
        (["data.parquet", "-t", "label", "--score", "gini:epsilon=0.5"], ["between 0 and 0.5"]),
        (["data.parquet", "-t", "label", "--score", "chi2:epsilon=fine"], ["epsilon must be"]),
        (
            ["infinite.csv", "-t", "label", "--score", "mutual_information"],
            ["infinite.csv, row 1: column 'f0'", "infinity"],
        ),
        (["data.parquet", "-t", "label", "--fading", "2"], ["alpha"]),
        (["data.parquet", "-t", "label", "--window", "0"], ["rows must be"]),
        (["data.parquet", "-t", "label", "--half-life", "-1"], ["half-life"]),
        (["data.parquet", "-t", "label", "--window", "9", "--fading", ".9"], ["choose one"]),
        (["data.parquet", "-t", "label", "--every", "9"], ["fading"]),
        (["data.parquet", "-t", "label", "--save", "no/s.sieve"], ["no folder no"]),
        (["data.parquet", "-t", "label", "--save", "."], ["is a folder"]),
        (["data.parquet", "-t", "label", "--report", "no/r.html"], ["no folder no"]),
        (["data.parquet", "-t", "label", "--report", "."], ["is a folder"]),
        (["data.parquet", "-t", "label", "--resume", "no.sieve"], ["no.sieve", "--save"]),
        (["data.parquet", "-t", "label", "--resume", "data.parquet"], ["not a driftsieve state"]),
        (["data.parquet", "-t", "label", "--resume", "."], ["not a file"]),
        (["data.parquet", "-t", "label", "--format", "exel"], ["exel"]),
        (["data.parquet", "-t", "label", "--format", "parquet:header=1"], ["no option 'header'"]),
        (["semicolons.csv", "-t", "label"], ["give --format csv:separator=';'"]),
        (["numbered.csv", "-t", "label"], ["give --format csv:header=false"]),
        (["featureless.svm"], ["say how many with --format svmlight:n_features=N"]),
        (["", "-t", "label"], ["SOURCE is empty"]),
        (["\x1b[31m.csv", "-t", "label"], ["\N{REPLACEMENT CHARACTER}[31m.csv"]),
        (["data.parquet", "-t", "f0", "--columns", "label"], ["'label'", "encode"]),
        (["data.parquet"], ["label"]),
        (["numbers.csv"], ["--target"]),
        (["empty.csv", "-t", "label"], ["empty.csv"]),
        (["header.csv", "-t", "label"], ["header.csv", "no rows"]),
        (["text.csv", "-t", "label"], ["'f0'", "hello"]),
        (["infinite.csv", "-t", "label"], ["infinite.csv, row 1: column 'f0'", "infinity"]),
        (
            ["large.csv", "-t", "label"],
            ["large.csv, row 1: column 'f0' holds 1e+200, which is too large to work with: "],
        ),
        (["broken.parquet", "-t", "label"], ["broken.parquet"]),
        ([".", "-t", "label", "--format", "jsonl"], ["known format"]),
        ([], ["SOURCE"]),
        (["data.parquet", "--no-such-option"], ["--no-such-option"]),
    ],
)
def test_rank_refuses(wrong, data, arguments, words):
    folder = data.parent
    (folder / "numbers.csv").write_text("f0,label\n1,2\n")
    (folder / "empty.csv").write_text("")
    (folder / "header.csv").write_text("f0,label\n")
    (folder / "text.csv").write_text("f0,label\n1,a\nhello,b\n")
    (folder / "infinite.csv").write_text("f0,label\n1,a\ninf,b\n")
    (folder / "large.csv").write_text("f0,label\n1,a\n1e200,b\n")
    (folder / "semicolons.csv").write_text("f0;label\n1;a\n")
    (folder / "numbered.csv").write_text("1,2\n3,4\n")
    (folder / "featureless.svm").write_text("0\n1\n")
    (folder / "broken.parquet").write_bytes(data.read_bytes()[:-100])
    sentence = wrong("rank", *arguments)
    for word in words:
        assert word in sentence


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["evaluate", "data.parquet", "-t", "label", "--learner", "sdg"], ["mean 'sgd'"]),
        (["evaluate", "data.parquet", "-t", "label", "--selector", "x"], ["choose one of"]),
        (["evaluate", "data.parquet", "-t", "f0", "--columns", "f1"], ["learns classes", "cut"]),
        (["evaluate", "data.parquet", "-t", "label", "--save", "run.txt"], [".parquet"]),
        (["evaluate", "data.parquet", "--columns", "f0"], ["--target"]),
        (["compare", "data.parquet", "--columns", "f0", "--learner", "none"], ["--target"]),
        (["evaluate", "new.csv", "-t", "label"], ["'a'", "--classes"]),
        (["compare", "data.parquet", "-t", "label", "--selectors", ","], ["no selector"]),
        (["compare", "data.parquet", "-t", "label", "--selectors", "t,f"], ["'f'"]),
        (["compare", "data.parquet", "-t", "label", "--out", "data.parquet"], ["is a file"]),
        (["demo", "--out", "data.parquet"], ["is a file"]),
        (["generate", "liner", "x.csv"], ["'liner'", "linear"]),
        (["generate", "linear", "x.xls"], [".parquet"]),
        (["generate", "linear", "no/x.csv"], ["no folder no"]),
        (["generate", "linear", "."], ["is a folder"]),
        (["generate", "linear", "x.csv", "--set", "kk=3"], ["'kk'", "shift_every"]),
        (["generate", "linear", "x.csv", "--set", "k"], ["name=value"]),
        (["generate", "linear", "x.csv", "--set", "k=a"], ["k must be"]),
        (["generate", "linear", "x.csv", "--rows", "0"], ["--rows"]),
        (["generate", "linear", "x.csv", "--scenario", "mising"], ["mean 'missing'"]),
        (["generate", "linear"], ["--list"]),
        (["merge", "no.sieve", "-o", "x.sieve"], ["no.sieve"]),
        (["merge", "data.parquet", "-o", "x.sieve"], ["not a driftsieve state"]),
        (["merge", "-o", "x.sieve"], ["STATES"]),
        (["merge", "no.sieve"], ["--output"]),
        (["rnak"], ["rank"]),
    ],
)
def test_the_others_refuse(wrong, data, arguments, words):
    rows = [f"{i},{'a' if i < 2000 else 'b'}\n" for i in range(4000)]
    (data.parent / "new.csv").write_text("f0,label\n" + "".join(rows))
    sentence = wrong(*arguments)
    for word in words:
        assert word in sentence


def test_a_state_and_a_file_that_do_not_match_are_refused(good, wrong, data, tmp_path):
    good("rank", data, "-t", "label", "--save", "s.sieve")
    rank = ["rank", data, "--resume", "s.sieve"]
    assert "about the target 'label', not 'f0'" in wrong(*rank, "-t", "f0")
    assert "lacks column 'f1'" in wrong(*rank, "-t", "label", "--columns", "f0")
    for options in (["--score", "fisher"], ["--window", "5"], ["--open-features"]):
        assert "leave that option out" in wrong(*rank, "-t", "label", *options)
    for options in (["--score", "t"], ["--jobs", "2"]):
        good(*rank, "-t", "label", *options)
    table().rename({"f0": "other"}).write_csv(tmp_path / "day2.csv")
    sentence = wrong("rank", "day2.csv", "-t", "label", "--resume", "s.sieve")
    assert "lacks column 'f0'" in sentence and "s.sieve" in sentence
    table()[:100].write_parquet(data)
    assert "3000" in wrong(*rank, "-t", "label")


def test_a_damaged_state_is_refused(good, wrong, data, tmp_path):
    good("rank", data, "-t", "label", "--save", "s.sieve")
    state = (tmp_path / "s.sieve").read_bytes()
    (tmp_path / "s.sieve").write_bytes(state[:-1])
    assert "truncated" in wrong("rank", data, "-t", "label", "--resume", "s.sieve")
    (tmp_path / "s.sieve").write_bytes(state[:300] + b"\xff" + state[301:])
    assert "damaged" in wrong("rank", data, "-t", "label", "--resume", "s.sieve")


def test_states_that_differ_are_not_merged(good, wrong, data):
    for name, options in {"t": [], "f": ["--score", "fisher"], "c": ["--columns", "f0"]}.items():
        good("rank", data, "-t", "label", *options, "--save", f"{name}.sieve")
    assert "score differs" in wrong("merge", "t.sieve", "f.sieve", "-o", "x.sieve")
    sentence = wrong("merge", "t.sieve", "c.sieve", "-o", "x.sieve")
    assert "c.sieve cannot be merged into t.sieve" in sentence
    assert "is a folder" in wrong("merge", "t.sieve", "-o", ".")


def test_a_bug_of_ours_keeps_its_traceback(run, data, monkeypatch):
    monkeypatch.setattr("driftsieve.Screening._learn", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run("rank", data, "-t", "label")


def test_too_little_memory_is_no_bug(wrong, data, monkeypatch):
    def fail(self, batch):
        raise MemoryError("Unable to allocate 119. GiB")

    monkeypatch.setattr("driftsieve.Screening._learn", fail)
    assert "fewer features or rows: Unable" in wrong("rank", data, "-t", "label")


def test_a_traceback_can_be_had(run, data, monkeypatch):
    monkeypatch.setenv("DRIFTSIEVE_TRACEBACK", "1")
    with pytest.raises(ValueError, match="labell"):
        run("rank", data, "-t", "labell")


def test_an_extra_that_is_missing_is_named(wrong, data, monkeypatch):
    monkeypatch.setitem(LEARNERS, "far", ("no_such_package.models:Model", {}))
    sentence = wrong("evaluate", data, "-t", "label", "--learner", "far")
    assert "pip install" in sentence


def test_every_score_has_a_name_on_the_command_line():
    from driftsieve.scores.registry import SCORES, score_named

    score_named("t")
    ours = {name for name, score in SCORES.items() if score.summary.__module__.startswith("drift")}
    assert "gini" in ours and ours <= set(SELECTORS)


def test_missing_labels_are_refused(wrong, tmp_path):
    pl.DataFrame({"x": [1.0, 2.0], "label": ["a", None]}).write_parquet(tmp_path / "d.parquet")
    assert "label of row" in wrong("rank", "d.parquet", "-t", "label")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rank", "--save", "data.parquet"], ["--save: data.parquet would replace the data"]),
        (["rank", "--report", "./data.parquet"], ["would replace the data"]),
        (["evaluate", "--save", "data.parquet"], ["would replace the data"]),
        (["compare", "--report", "data.parquet"], ["would replace the data"]),
        (["rank", "--save", "x", "--report", "x"], ["would replace what --save writes"]),
    ],
)
def test_neither_the_data_nor_another_output_is_overwritten(wrong, data, arguments, words):
    before = data.read_bytes()
    command, *options = arguments
    sentence = wrong(command, "data.parquet", "-t", "label", *options)
    for word in words:
        assert word in sentence
    assert data.read_bytes() == before
