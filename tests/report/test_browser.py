"""The report in a real browser: what is there can be seen, and nothing is fetched."""

import html
import json
import os
import re
import shutil
import subprocess
from types import SimpleNamespace

import pytest

from driftsieve.report.page import page
from driftsieve.report.words import MEASURES
from tests.report.runs import drifting, huge

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)

pytestmark = pytest.mark.skipif(
    CHROMIUM is None,
    reason=f"no browser: none of {', '.join(NAMES)} is installed, and CHROMIUM names none",
)

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
FLAGS += ["--hide-scrollbars", "--enable-logging=stderr"]

# Run in the page, whose policy (no scripts) is taken off for this: tells what there is to see,
# and what the page has asked for, in vain or not.
MEASURE = """<script>addEventListener("load", () => {
  const box = (node) => {
    const {width, height, left, right} = node.getBoundingClientRect();
    return {width, height, left, right, text: node.textContent.slice(0, 80)};
  };
  const all = (selector) => [...document.querySelectorAll(selector)].map(box);
  const answer = {
    asked: performance.getEntriesByType("resource").map((entry) => entry.name),
    page: document.documentElement.scrollWidth,
    window: innerWidth,
    ground: getComputedStyle(document.body).backgroundColor,
    ink: getComputedStyle(document.body).color,
  };
  for (const [name, selector] of Object.entries(SELECTORS)) answer[name] = all(selector);
  const place = document.createElement("pre");
  place.id = "answer";
  place.textContent = JSON.stringify(answer);
  document.body.append(place);
})</script>"""
SELECTORS = {
    "sections": "section",
    "bars": ".ranking .fill",
    "cells": ".map .s4",
    "truth": ".map rect.truth",
    "drifts": ".drifts path",
    "lines": ".chart .line",
    "bands": ".chart .band",
    "panels": ".panel, .scroll, .tiles > div",
    "settings": ".settings td",
    "summary": "table.summary",
    "scrolled": "#summary .scroll",
}


def browse(tmp_path, text, *options):
    """Open a page; return what the browser prints, and what it says on its console."""
    file = tmp_path / "report.html"
    file.write_text(text, encoding="utf-8")
    profile = tmp_path / "profile"
    shutil.rmtree(profile, ignore_errors=True)
    done = subprocess.run(
        [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", *options, file.as_uri()],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def measure(tmp_path, text, *, width=1200, dark=False):
    script = MEASURE.replace("SELECTORS", json.dumps(SELECTORS))
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    text = text.replace("</body>", f"{script}</body>")
    shown, console = browse(
        tmp_path,
        text,
        "--dump-dom",
        f"--window-size={width},1000",
        f"--blink-settings=preferredColorScheme={0 if dark else 1}",
    )
    assert not console
    return json.loads(html.unescape(re.search(r'<pre id="answer">(.*?)</pre>', shown)[1]))


def brightness(color):
    return sum(map(int, re.findall(r"\d+", color)[:3]))


@pytest.fixture(scope="module")
def report():
    run = drifting()
    return page({"left <b>": run, "right": run})


def test_everything_can_be_seen_and_nothing_is_asked_for(report, tmp_path):
    seen = measure(tmp_path, report)
    assert seen["asked"] == []
    assert [box["text"][:7] for box in seen["sections"]] == [
        "Summary", "What ma", "Selecti", "Quality", "DriftsD", "Setting",
    ]  # fmt: skip
    for name in SELECTORS:
        assert seen[name], name
        # A vertical or a level line has a width or a height of zero.
        line = name in ("drifts", "lines")
        assert all(
            (box["width"] > 0) + (box["height"] > 0) >= (1 if line else 2) for box in seen[name]
        ), name
    assert max(box["width"] for box in seen["bars"]) > 50
    assert max(box["height"] for box in seen["lines"]) > 20


@pytest.mark.parametrize("width", [500, 1200])
def test_it_fits_the_window(tmp_path, width):
    seen = measure(tmp_path, page({"a": huge(steps=50), "b": huge(steps=5)}), width=width)
    assert seen["page"] <= seen["window"]
    assert all(box["left"] >= 0 and box["right"] <= seen["window"] for box in seen["panels"])
    assert min(box["width"] for box in seen["panels"]) > 100


def test_a_summary_of_all_measures_is_seen_at_once(tmp_path):
    run = drifting()
    every = dict.fromkeys(MEASURES, 0.12345) | {"state_bytes": 1920}
    whole = SimpleNamespace(**vars(run), summary=lambda: run.summary() | every)
    seen = measure(tmp_path, page({"a name of some length": whole, "b": whole}))
    [table] = seen["summary"]
    assert table["right"] <= min(box["right"] for box in seen["scrolled"])


def test_settings_are_not_broken_into_letters(tmp_path):
    run = drifting()
    seen = measure(tmp_path, page({"a": run, "b": run, "c": run}), width=500)
    assert min(box["width"] for box in seen["settings"]) > 150


def test_it_follows_the_scheme_of_the_reader(report, tmp_path):
    light, dark = measure(tmp_path, report), measure(tmp_path, report, dark=True)
    assert brightness(light["ground"]) > 650 > 150 > brightness(light["ink"])
    assert brightness(dark["ground"]) < 150 < 600 < brightness(dark["ink"])


def test_its_own_policy_lets_everything_through_that_it_needs(report, tmp_path):
    _, console = browse(tmp_path, report, "--dump-dom")
    assert not console


def test_a_page_that_asks_for_something_is_noticed(report, tmp_path):
    asking = report.replace("<main>", '<main><img src="nowhere.png">')
    _, console = browse(tmp_path, asking, "--dump-dom")
    assert any("Content Security Policy" in line for line in console)
    seen = measure(tmp_path, report.replace("<main>", '<main><img src="http://127.0.0.1:9/x">'))
    assert seen["asked"] == ["http://127.0.0.1:9/x"]
