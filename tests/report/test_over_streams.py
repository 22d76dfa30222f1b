"""The comparison over several streams: diagram, page and terminal."""

import re
from io import StringIO
from xml.etree import ElementTree

import numpy as np
import pytest
from rich.console import Console

from driftsieve.evaluation.significance import compared
from driftsieve.report.critical_difference import LEFT, RIGHT, WIDTH, diagram, write_diagram
from driftsieve.report.over_streams import sentences, write_comparison
from driftsieve.report.terminal_streams import print_comparison
from tests.evaluation.test_significance import demsar

SVG = "{http://www.w3.org/2000/svg}"


def ladder(k, n=12):
    """Methods of which each is always better than the next."""
    names = [f"method {j}" for j in range(k)]
    return compared([list(range(k, 0, -1))] * n, names, [f"s{i}" for i in range(n)])


def drawn(comparison):
    root = ElementTree.fromstring(diagram(comparison))
    lines = [
        (
            {name: float(line.get(name)) for name in ("x1", "y1", "x2", "y2")},
            line.get("stroke-width"),
        )
        for line in root.iter(f"{SVG}line")
    ]
    texts = {"".join(text.itertext()): text for text in root.iter(f"{SVG}text")}
    return root, lines, texts


def at(rank, k):
    return RIGHT - (RIGHT - LEFT) * (rank - 1) / (k - 1)


def test_names_stand_at_their_ranks_the_best_on_the_right():
    _, lines, texts = drawn(demsar(0.1))
    anchors = {text.split("  ")[0 if node.get("text-anchor") == "start" else -1]: node
               for text, node in texts.items() if "  " in text}  # fmt: skip
    assert {name: node.get("text-anchor") for name, node in anchors.items()} == {
        "C4.5+m+cf": "start", "C4.5+m": "start", "C4.5+cf": "end", "C4.5": "end",
    }  # fmt: skip
    for name, rank in zip(demsar().methods, demsar().mean_ranks, strict=True):
        y = float(anchors[name].get("y")) - 5
        down = [line for line, _ in lines if line["y2"] == y and line["x1"] == line["x2"]]
        assert any(line["x1"] == pytest.approx(at(rank, 4), abs=0.01) for line in down)


def test_bars_lie_over_the_groups():
    _, lines, _ = drawn(demsar(0.1))
    bars = [line for line, width in lines if width == "5"]
    ranks = dict(zip(demsar().methods, demsar().mean_ranks, strict=True))
    expected = [(ranks[group[-1]], ranks[group[0]]) for group in demsar(0.1).groups]
    assert len(bars) == 2 and len({bar["y1"] for bar in bars}) == 2
    for bar, (worst, best) in zip(bars, expected, strict=True):
        assert bar["x1"] == pytest.approx(at(worst, 4) - 4, abs=0.01)
        assert bar["x2"] == pytest.approx(at(best, 4) + 4, abs=0.01)
    assert not [1 for _, width in drawn(ladder(2))[1] if width == "5"]


def test_the_critical_difference_is_drawn_to_scale_as_far_as_there_is_room():
    _, lines, texts = drawn(demsar(0.1))
    longest = max(line["x2"] - line["x1"] for line, _ in lines if line["y1"] == line["y2"] == 22)
    assert longest == pytest.approx((RIGHT - LEFT) * 1.118 / 3, abs=0.1)
    assert "CD = 1.12" in texts
    _, lines, _ = drawn(compared([[2, 1, 0]] * 2, "abc", "xy"))
    assert min(min(line["x1"], line["x2"]) for line, _ in lines) >= 0


@pytest.mark.parametrize("k", [2, 3, 7, 20])
def test_nothing_is_drawn_outside_or_over_another(k):
    comparison = ladder(k)
    root, lines, texts = drawn(comparison)
    height = float(root.get("viewBox").split()[3])
    for line, _ in lines:
        assert all(0 <= line[x] <= WIDTH for x in ("x1", "x2"))
        assert all(0 <= line[y] <= height for y in ("y1", "y2"))
    places = [(node.get("x"), node.get("y")) for node in texts.values()]
    assert len(set(places)) == len(places)
    assert sum(f"method {j}" in text for j in range(k) for text in texts) >= k
    # No line that leads to a name crosses one that leads down to another.
    thin = [line for line, width in lines if width == "1.2"]
    across = [line for line in thin if line["y1"] == line["y2"]]
    down = [line for line in thin if line["x1"] == line["x2"]]
    for flat in across:
        low, high = sorted((flat["x1"], flat["x2"]))
        for steep in down:
            assert not (low < steep["x1"] < high and steep["y1"] < flat["y1"] < steep["y2"])


def test_names_are_escaped_and_shortened():
    name = "<b>&" + 40 * "x" + "end"
    root, _, texts = drawn(compared(np.random.default_rng(0).random((5, 2)), [name, "b"], "vwxyz"))
    label = next(text for text in texts if "…" in text)
    assert "<b>&" in label and "end" in label
    assert name in [node.text for node in root.iter(f"{SVG}title")]


def test_a_diagram_is_a_file_of_its_own(tmp_path):
    write_diagram(tmp_path / "a.svg", demsar())
    assert ElementTree.parse(tmp_path / "a.svg").getroot().tag == f"{SVG}svg"
    with pytest.raises(ValueError, match=r"a\.png must end in \.svg"):
        write_diagram(tmp_path / "a.png", demsar())


def test_a_page_has_diagram_values_and_pairs(tmp_path):
    write_comparison(tmp_path / "a.html", demsar(0.1), title="Trees & <more>")
    text = (tmp_path / "a.html").read_text()
    assert "Trees &amp; &lt;more&gt;" in text and "4 methods on 14 streams" in text
    assert text.count("<svg") == 1 and "χ² = 9.28" in text and "lymphography" in text
    assert "<script" not in text and not re.search(r'(src|href)="http', text)
    best = re.findall(r'<td class="number best">([\d.]+)</td>', text)
    assert best.count("0.798") == 1 and best.count("1.000") == 4
    assert "Wilcoxon" in text and len(re.findall(r"<tr><th scope=\"row\">C4.5", text)) == 6
    with pytest.raises(OSError, match="nowhere"):
        write_comparison(tmp_path / "nowhere" / "a.html", demsar())


def test_the_terminal_shows_values_ranks_and_verdict():
    out = StringIO()
    print_comparison(demsar(0.1), Console(file=out, width=90, highlight=False))
    text = out.getvalue()
    assert re.search(r"adult +0.763 +0.768 +0.771 +0.798", text)
    assert re.search(r"mean rank +3.14 +2.00 +2.89 +1.96", text)
    assert "Not told apart: C4.5+m+cf, C4.5+m, C4.5+cf; C4.5+cf, C4.5." in text


def test_sentences_follow_the_tests():
    alike = compared(np.random.default_rng(0).random((9, 3)), "abc", "123456789")
    assert sentences(alike) == [
        f"Friedman: χ² = {alike.friedman.statistic:.2f}, p = {alike.friedman.pvalue:.2g}, "
        "so the methods are not told apart (at 0.05)."
    ]
    assert sentences(ladder(2, 10))[0].startswith("Wilcoxon: p = 0.002, so the two differ")
    assert "so the two are not told apart" in sentences(ladder(2, 3))[0]
    apart = sentences(ladder(3, 40))
    assert len(apart) == 2 and "so the methods differ" in apart[0]
