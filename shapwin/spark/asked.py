"""What a user asks about every window, checked before any job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import ArgumentError, PredicateError
from ..players import MAX_PLAYER_PREDICATES, OTHER
from . import checks


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked about every window, checked before any job.

    Parameters
    ----------
    statistics : tuple of str
        The games.
    queries : tuple of str, or None
        The names of the queries; None for atoms.
    predicates : tuple of str
        Their names.
    empty, semantics, max_atoms
        As in `explain`.
    """

    statistics: tuple[str, ...]
    queries: tuple[str, ...] | None
    predicates: tuple[str, ...]
    empty: str
    semantics: str
    max_atoms: int

    def __post_init__(self) -> None:
        checks.one_of("empty", self.empty, ("skip", "emit"))
        checks.one_of("semantics", self.semantics, ("members", "players"))
        limit = self.max_atoms
        if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
            raise ArgumentError(f"max_atoms={limit!r}: give a whole number of at least 1")
        if self.semantics == "players":
            self._check_players()

    def _check_players(self) -> None:
        if len(self.predicates) > MAX_PLAYER_PREDICATES:
            raise ArgumentError(
                f"{len(self.predicates)} predicates have 2^{len(self.predicates)} coalitions: "
                f"give at most {MAX_PLAYER_PREDICATES} with semantics='players'"
            )
        if OTHER in self.predicates:
            raise PredicateError(f"predicate {OTHER!r} has the name of uncovered rows: rename it")

    @property
    def series(self) -> Sequence[str | None]:
        """The rows of an empty window: one for each query or player, or one for all atoms."""
        if self.semantics == "players":
            return [*self.predicates, OTHER]
        return [None] if self.queries is None else self.queries

    @property
    def labels(self) -> tuple[str, ...]:
        """What groups are named after: the queries, or the predicates that atoms are made of."""
        return self.predicates if self.queries is None else self.queries
