"""How the documentation is built: Markdown pages to HTML, without asking any other host.

Formulas are written in Unicode: what draws TeX in a browser would be fetched from elsewhere.
"""

from importlib.metadata import version as installed

project = "driftsieve"
author = "the driftsieve developers"
version = release = installed("driftsieve")

extensions = ["myst_parser"]
exclude_patterns = ["_build"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"driftsieve {release}"
html_copy_source = False
html_show_sourcelink = False
