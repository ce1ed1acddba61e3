"""The presets of hypersparse synthetic releases.

`amazon2023` has the size of Amazon Reviews 2023 (Hou, Li, He, Yan, Chen and McAuley, "Bridging
Language and Items for Retrieval and Recommendation", arXiv:2403.03952, 2024, and the dataset card
https://huggingface.co/datasets/McAuley-Lab/Amazon-Reviews-2023): 571.54 million ratings by 54.51
million people of 48.19 million items, from May 1996 to September 2023. The card gives no
distribution of lengths or supports. Of the earlier ratings of the same site (80.74 million, until
2014) 51.9% of the people gave one, 43.3% of the items got one (Woolf, "Playing with 80 Million
Amazon Product Review Ratings Using Apache Spark", https://minimaxir.com/2017/01/amazon-spark/,
2017), and more than half of the ratings were five stars. With a mean length of 10.5 instead of 4.0
fewer people have a single rating: the quantiles below, the growth and the other stars are
assumptions.
"""

from __future__ import annotations

from sim.release.synthetic.sparse import SparsePreset

_MAY_1996 = 9617
_DAYS = 10_014
"""Until 30 September 2023."""

AMAZON_2023 = SparsePreset(
    name="amazon2023",
    records=54_510_000,
    items=48_190_000,
    cells=571_540_000,
    lengths=(
        (0.0, 1),
        (0.30, 1.4),
        (0.50, 3),
        (0.75, 9),
        (0.90, 24),
        (0.99, 110),
        (0.9999, 1200),
        (1.0, 6000),
    ),
    supports=(
        (0.0, 1),
        (0.40, 1.4),
        (0.60, 3),
        (0.80, 8),
        (0.90, 18),
        (0.99, 150),
        (0.9999, 6000),
        (1.0, 60_000),
    ),
    first_day=_MAY_1996,
    days=_DAYS,
    joins=((0.0, 0.0), (0.02, 0.3), (0.10, 0.55), (0.35, 0.72), (0.70, 0.87), (1.0, 1.0)),
    session=2,
    levels=(1.0, 2.0, 3.0, 4.0, 5.0),
    shares=(0.12, 0.05, 0.07, 0.13, 0.63),
)

SPARSE: dict[str, SparsePreset] = {
    preset.name: preset
    for preset in (AMAZON_2023, *(AMAZON_2023.smaller(n) for n in (10, 100, 1000)))
}
"""`amazon2023`, and the same shape in smaller sizes: `amazon2023_10` is a tenth."""
