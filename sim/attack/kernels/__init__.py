"""The compiled loops over postings.

Five postings show how `sim.attack.kernels.fused` works. A block has four records, 0 to 3. The
adversary knows two facts, each about one item; a *posting* is a record that holds the item, with
the level of its value. Let a value that agrees contribute 1, another 0.25, and let the target,
record 2, score 2 by its own cells::

    fact 0 (item A)   record  0   1   2        fact 1 (item B)   record  2   3
                      level   1   1   0                          level   1   1
                      adds    ¼   ¼   1                          adds    1   1

**Two loops.** The outer loop goes through the facts, the inner one through the postings of a fact's
item, and adds each contribution to the record's score::

    record             0      1      2      3
    at first        −0.0   −0.0   −0.0   −0.0
    after fact 0       ¼      ¼      1   −0.0      overlapping: 3
    after fact 1       ¼      ¼      2      1      overlapping: 4

Scores begin at −0.0, so the sign bit says whether a record has any contribution: −0.0 + 0.0 is
+0.0, and a record that holds the item with a contribution of 0 still counts as *overlapping*.

**Tiles.** Scores are computed for a few thousand records at a time, a *tile*, which fits in the
nearest cache. With tiles of two records the loops take fact 0 up to record 1, fact 1 up to record 1
(it has no posting there), then fact 0 from record 2 on. A *cursor* for each fact points to its next
posting: after the first tile 2 for fact 0 and 3 for fact 1, as the block's postings count from 0 to
4.

**Removed record.** If the target is absent, its postings are skipped: the cursor of fact 0 stops at
posting 2, of record 2, and resumes after it.

**Prefixes.** Scores only grow, and are added fact by fact. So after fact 0 they are the scores of
an adversary who knows fact 0 alone: one scan answers for every *prefix* of the facts
(`sim.attack.kernels.prefixes`).

**Repeats.** Above, a record holds an item in one cell. Where it may hold several,
`sim.attack.kernels.repeats` copies of each record's cells of a fact's item the one that contributes
most, and the loops run on these copies. The exact posterior needs all of them:
`sim.attack.kernels.repeated_facts` sums over the ways to assign facts to cells.

**Pruning threshold.** Scores only grow as facts are added, so a record can reach the top two, or
tie the target, only if its score passes the lower of the second-highest score so far and the
target's. With tiles of two records, the first leaves ¼ and ¼ as the highest two after both facts,
so the threshold of the second tile is min(¼, 2) = ¼: records 2 and 3 pass it, are appended to the
*survivors*, and make the highest two 2 and 1. From then on the threshold is min(1, 2) = 1, and a
record of another tile with ¼ is summed and counted, and not compared. After each prefix, survivors
below the next one's threshold are dropped from the list.

**Candidates first.** Say that both facts have to agree. Then only a record among the postings of
fact 1, the shorter list, is possible; of these only record 2 stands among those of fact 0, and
nobody else is looked at (`sim.attack.kernels.candidates`). If one of the two may be wrong, both
lists have to be read, but only what agrees is kept: record 2 of fact 0, and 2 and 3 of fact 1. If
both may be wrong, whoever holds both items is possible, here record 2 alone: the bits of an item's
holders, 0b0111 and 0b1100, tell that, and the bits before a record's own where its posting is
(`sim.attack.kernels.holders`, `sim.attack.kernels.all_holders`).

**Lanes and masks.** Eight postings are taken at a time, those whose indices in the block share a
multiple of eight, and posting k is lane k mod 8. Bit j of a *mask*, a ``uint8``, says whether lane
j takes part. Fact 0 in the first tile is the mask 0b00000011 (postings 0 and 1), in the second
0b00000100 (posting 2); fact 1 is 0b00011000 (postings 3 and 4). Lane sums of the contributions are
kept for each fact and added up at the end, so the moments, and with them σ, do not depend on the
tiles. `sim.attack.kernels.scalar_loops` does the same with eight accumulators, one posting after
another, and makes the same bits; `sim.attack.kernels.simd` decides which of them runs.

Examples
--------
The same five postings, and the partials of both prefixes (`sim.attack.kernels.partials.PARTIAL`):

>>> import numpy as np
>>> from sim.attack.kernels.fused import scan_fused
>>> from sim.attack.kernels.partials import PARTIAL
>>> from sim.attack.kernels.types import AuxColumns, Postings, Prefixes, Tables
>>> none = np.empty((0, 0, 2)), np.empty(0, np.bool_)  # no entropy
>>> postings = Postings(
...     first=0, n_records=4, item_start=np.array([0, 3, 5]),
...     item_row=np.array([0, 1, 2, 2, 3], np.uint16),
...     item_level=np.array([1, 1, 0, 1, 1], np.uint8), item_day=None,
... )
>>> add = np.array([[1, 0.25], [0.25, 1]])  # fact 0 agrees with level 0, fact 1 with level 1
>>> tables = Tables(add, None, np.zeros(1), np.zeros(2, np.int64))
>>> facts = AuxColumns(start=np.array([0, 2]), item=np.array([0, 1], np.int32))
>>> prefixes = Prefixes(start=np.array([0, 2]), size=np.array([1, 2]))
>>> own, present = np.array([1.0, 2.0]), np.array([-1])
>>> out = np.zeros(2, PARTIAL)
>>> scan_fused(postings, facts, present, tables, prefixes, own, np.zeros((2, 2)), out, *none)
>>> columns = ["best_record", "best", "second", "ties", "overlapping", "at_least", "sum"]
>>> out[columns].tolist()
[(2, 1.0, 0.25, 1, 3, 1, 1.5), (2, 2.0, 1.0, 1, 4, 1, 3.5)]

With record 2 removed, the highest two are others:

>>> removed, unknown = np.array([2]), np.full(2, np.nan)
>>> scan_fused(postings, facts, removed, tables, prefixes, unknown, np.zeros((2, 2)), out, *none)
>>> out[columns].tolist()
[(0, 0.25, 0.25, 2, 2, 0, 0.5), (3, 1.0, 0.25, 1, 3, 0, 1.5)]
"""
