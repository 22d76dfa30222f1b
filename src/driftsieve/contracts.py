"""The contracts of driftsieve, on one page: read this first.

A stream is a sequence of batches. It flows one way, and the folders of the package follow it::

    Source -> Batch -> Summary -> Score -> Selection -> Learner -> evaluation -> report

Anything that has these methods may take part; nothing needs to inherit from anything here.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, Self, TypeAlias, TypeVar, runtime_checkable

from numpy import float64, intp
from numpy.typing import ArrayLike, NDArray

from driftsieve.batch import Batch, Position
from driftsieve.selection import Selection

State: TypeAlias = dict[str, Any]
"""What is needed to go on later: nested dicts and lists of JSON values and NumPy arrays."""


@runtime_checkable
class Source(Protocol):
    """Where batches come from. A source never commits: the reader keeps the position."""

    def __iter__(self) -> Iterator[Batch]:
        """Yield batches from the position last sought, or from the beginning."""
        ...

    def seek(self, position: Position) -> None:
        """Begin the next iteration right behind the batch that carried `position`; None: at the
        beginning."""
        ...


@runtime_checkable
class Summary(Protocol):
    """What is remembered of the rows seen: bounded, mergeable and fadeable.

    It is made from a number of features, `S(n_features, n_jobs=1)`, and may use as many threads as
    its attribute `n_jobs` says.
    """

    def update(self, batch: Batch, fade: float = 1.0) -> None:
        """Let all weights held shrink to `fade` of what they are, then take the batch in.

        A batch that is refused leaves the summary as it was. No reference to it is kept.
        """
        ...

    def fade(self, factor: float) -> None:
        """Let all weights held shrink to `factor` of what they are."""
        ...

    def merge(self, other: Self) -> None:
        """Take in what `other` holds, which stays as it is."""
        ...

    def rearrange(self, places: NDArray[intp], n_features: int) -> None:
        """Move feature j to `places[j]` of `n_features`; nothing is known of the others."""
        ...

    def to_state(self) -> State: ...

    @classmethod
    def from_state(cls, state: State) -> Self: ...

    @property
    def nbytes(self) -> int: ...

    def most_bytes(self, weight: float) -> int:
        """The most that `nbytes` can be, as the summary stands, once its rows weigh so much."""
        ...


S = TypeVar("S", bound=Summary)

Score: TypeAlias = Callable[[S], NDArray[float64]]
"""What each feature is worth: a free function of a summary; NaN where the worth is undefined."""


@runtime_checkable
class Selector(Protocol):
    """Which features to keep: a scikit-learn transformer that learns from batches."""

    def learn(self, batch: Batch) -> Self:
        """Take in a batch that has been validated: `partial_fit` for those who have one."""
        ...

    def partial_fit(self, X: Any, y: Any = None) -> Self: ...

    def transform(self, X: Any) -> Any: ...

    @property
    def scores_(self) -> NDArray[float64]: ...

    @property
    def ranking_(self) -> NDArray[Any]: ...

    @property
    def selection_(self) -> Selection: ...


@runtime_checkable
class Learner(Protocol):
    """What predicts: any scikit-learn classifier with `partial_fit`, or an adapter of another."""

    def partial_fit(self, X: Any, y: Any, classes: Sequence[Any] | None = None) -> Any: ...

    def predict(self, X: ArrayLike) -> NDArray[Any]: ...
