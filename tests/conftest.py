"""What all tests share: reproducible examples, on slow machines too."""

import os

from hypothesis import settings

# A first call may compile for seconds, and a continuous integration run has to repeat exactly.
settings.register_profile("driftsieve", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("driftsieve")
