"""Records that fit some points, by comparing them all; and the worst case, by trying all points.

The worst case is that of scikit-mobility's ``privacy.attacks``: the risk of an individual is the
greatest, over all instances of background knowledge of k visits, of one over the number of
individuals whose visits contain them (its `LocationAttack` and `LocationTimeAttack`, and
`UniqueLocationAttack` where a place is visited or not).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import combinations

Visits = Sequence[Hashable]
"""One record's points, each as often as it holds it."""


def matching(release: Sequence[Visits], known: Visits) -> int:
    """Count the records that hold all of some points, each as often as it is known.

    Examples
    --------
    >>> matching(["ab", "aab", "bc"], "ab"), matching(["ab", "aab", "bc"], "aa")
    (2, 1)
    """
    asked = Counter(known)
    return sum(not asked - Counter(record) for record in release)


def fewest_matching(release: Sequence[Visits], record: int, facts: int) -> int:
    """Fewest records that hold all of any `facts` points of a record's, or of all it has.

    Examples
    --------
    >>> [fewest_matching(["ab", "aab", "bc"], r, 2) for r in range(3)]
    [2, 1, 1]
    """
    own = release[record]
    instances = combinations(own, min(facts, len(own)))
    return min(matching(release, instance) for instance in instances)
