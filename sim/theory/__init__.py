"""The theorems of NS08, section 4, as functions, to draw with the measured curves.

Symbols: N records; m attributes of the target known, each to within Sim ≥ 1−ε; a *false match* is
a record r′ with Sim(r, r′) ≤ 1−ε−δ. Logarithms are natural but for bits. Invariant: each function
is the paper's statement and nothing else; where its proof does not carry that far, the docstring
says so, and a function or option named ``sound`` returns what does follow.

The proofs' common step, Lemma 1, needs Sim(r, r′) = Σ_i Sim(r_i, r′_i) / |supp(r)|, the directed
form. With |supp(r) ∪ supp(r′)| below the line, as NS08 defines Sim, a record that holds all of r
and as much again is a false match that agrees with r everywhere. The theorems hold as stated for
the directed similarity, or where all records hold the same items.
"""

from sim.theory.definitions import (
    Guarantee,
    agreement,
    deanonymized,
    deanonymized_subset,
    entropic_deanonymized,
    is_false_match,
    sparsity,
)
from sim.theory.lineup import (
    theorem3,
    theorem3_attributes,
    theorem3_bits,
    theorem3_lineup,
)
from sim.theory.samples import (
    theorem5_sound,
    theorem5_sparsity,
)
from sim.theory.scoreboard import (
    false_matches,
    theorem1,
    theorem1_attributes,
    theorem1_success,
    theorem2,
    theorem4,
)

__all__ = [
    "Guarantee",
    "agreement",
    "deanonymized",
    "deanonymized_subset",
    "entropic_deanonymized",
    "false_matches",
    "is_false_match",
    "sparsity",
    "theorem1",
    "theorem1_attributes",
    "theorem1_success",
    "theorem2",
    "theorem3",
    "theorem3_attributes",
    "theorem3_bits",
    "theorem3_lineup",
    "theorem4",
    "theorem5_sound",
    "theorem5_sparsity",
]
