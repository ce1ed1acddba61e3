"""The privacy attacks of scikit-mobility, by their definitions (Pellungrini et al., 2018).

The risk of a person is the greatest, over all sets of k of their visits, of one over the number of
people whose visits contain these. The library, which needs pandas 1, groups all people anew for
every set; here the visits are counted once, so that a set costs a merge.
"""

from __future__ import annotations

from itertools import combinations

import pandas as pd


class Attack:
    """An attack by someone who knows some of a person's visits.

    Parameters
    ----------
    visits : DataFrame
        Column ``uid``, and whatever else is known of a visit.
    counted : bool
        Whether the attacker knows how often a place was visited.
    """

    def __init__(self, visits: pd.DataFrame, *, counted: bool) -> None:
        if not counted:
            visits = visits.drop_duplicates()
        self.point = [name for name in visits if name != "uid"]
        self.own = dict(list(visits.groupby("uid")[self.point]))
        self.counts = visits.groupby(["uid", *self.point]).size().rename("held").reset_index()

    def risk(self, uid: int, known: int) -> float:
        """Return a person's risk from an attacker who knows `known` of their visits."""
        visits, risk = list(self.own[uid].itertuples(index=False, name=None)), 0.0
        for some in combinations(visits, min(known, len(visits))):
            risk = max(risk, 1 / self._matches(some))
            if risk == 1.0:
                break
        return risk

    def _matches(self, some: tuple[tuple[int, ...], ...]) -> int:
        asked = pd.DataFrame(some, columns=self.point).groupby(self.point).size().rename("asked")
        both = self.counts.merge(asked.reset_index(), on=self.point)
        fitting = both[both["held"] >= both["asked"]].groupby("uid").size()
        return int((fitting == len(asked)).sum())
