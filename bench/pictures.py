"""What all pictures of benchmarks share: their style, and a place beside the result pages."""

from io import BytesIO
from typing import Any

import matplotlib as mpl
from common import RESULTS
from PIL import Image

mpl.use("Agg")
from matplotlib import pyplot as plt

BLUE, ORANGE, GREY, GREEN, RED = "#2f6f9f", "#d9822b", "#8a8f98", "#3d8b5f", "#a8423f"
plt.rcParams.update(
    {
        "font.size": 9,
        "font.family": "DejaVu Sans",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlesize": 10,
        "axes.titlelocation": "left",
    }
)


def save(figure: Any, name: str) -> str:
    """Save a picture beside the result pages; return its file name."""
    RESULTS.mkdir(exist_ok=True)
    drawn = BytesIO()
    figure.savefig(drawn, dpi=110, bbox_inches="tight")
    plt.close(figure)
    few_colours = Image.open(drawn).convert("RGB").quantize(256)  # half of the size or less
    few_colours.save(RESULTS / f"{name}.png", optimize=True)
    return f"{name}.png"
