"""Titles of the papers and of their experiments.

Invariant: every experiment in `sim.papers.papers` has a title.
"""

from __future__ import annotations

from collections.abc import Mapping

PAPERS: Mapping[str, str] = {
    "NS08": "Narayanan and Shmatikov, Robust De-anonymization of Large Sparse Datasets (2008)",
    "NS07": "Narayanan and Shmatikov, How To Break Anonymity of the Netflix Prize Dataset (2007)",
    "F06": "Frankowski et al., You Are What You Say: Privacy Risks of Public Mentions (2006)",
    "slides": "lecture slides on k-anonymity",
    "reproduction": "a public reproduction on the real Netflix Prize data",
}
"""Sources by their short name in statements."""

TITLES: Mapping[str, str] = {
    "ns08_fig1": "Similarity to the nearest other record",
    "ns08_fig2_3": "Lengths of records",
    "ns08_table_rare": "Records with items outside the most popular",
    "ns08_fig4": "Best guess from exact values and dates",
    "ns08_fig5": "The same, with the target present and absent",
    "ns08_fig6": "Bits of uncertainty that remain",
    "ns08_fig7": "Bits gained from one item, by its rank",
    "ns08_fig8": "Best guess without dates, from less popular items",
    "ns08_fig9": "Best guess from approximate values and dates",
    "ns08_fig10": "Best guess with a growing number of wrong items",
    "ns08_fig11": "Bits of uncertainty that remain, in both interpretations",
    "ns08_fig12": "Knowing the length of the record",
    "ns08_imdb": "People of another site",
    "ns07_fig1": "Distance to the nearest other record",
    "ns07_fig2": "Records that match exact values and dates",
    "ns07_fig3": "Records that match approximate values and dates",
    "ns07_fig4": "Records that match values alone",
    "ns07_rmse": "Gain of a recommender that knows some records",
    "f06_fig4": "Five attacks on public mentions",
    "f06_fig3_5": "People identified, and reasons for failure, by number of mentions",
    "f06_fig6_7": "The publisher drops rare items",
    "f06_fig8": "People hide their rarest mentions",
    "f06_fig9": "People mention decoys",
    "slides_kanon": "k-anonymity",
    "theory": "The theorems' bounds and the measured curves",
}
"""In the order of a report of all of them."""

_OF_NO_PAPER: Mapping[str, str] = {
    "all": "All experiments of the papers",
    "audit": "Audit: who can be found in the data",
    "plan": "Plan: how the data can be published",
    "frontier": "Frontier: what changes of the data cost and protect",
    "census": "Census: every record attacked",
    "facts_until_found": "Facts until a record is found",
    "unicity": "Unicity: records that points tell from all others",
}

_PLACES = {"ns08": "NS08", "ns07": "NS07", "f06": "F06", "slides": "slides", "theory": "NS08"}


def title_of(name: str) -> str:
    """Return the title of an experiment, with its paper and figure.

    Parameters
    ----------
    name : str
        As in the configuration; any other name is its own title.

    Examples
    --------
    >>> title_of("ns08_fig4"), title_of("f06_fig6_7")
    ('Best guess from exact values and dates (NS08 Fig. 4)', \
'The publisher drops rare items (F06 Figs. 6, 7)')
    >>> title_of("all"), title_of("my_study")
    ('All experiments of the papers', 'my study')
    """
    if name not in TITLES:
        return _OF_NO_PAPER.get(name, name.replace("_", " "))
    return f"{TITLES[name]} ({place_of(name)})"


def place_of(name: str) -> str:
    """Return the paper and figure of an experiment.

    Parameters
    ----------
    name : str
        One of `TITLES`.

    Examples
    --------
    >>> place_of("ns08_fig4"), place_of("ns08_table_rare"), place_of("theory")
    ('NS08 Fig. 4', 'NS08', 'NS08')
    """
    paper, _, rest = name.partition("_")
    numbers = rest.removeprefix("fig").split("_") if rest.startswith("fig") else []
    if not numbers:
        return _PLACES[paper]
    return f"{_PLACES[paper]} {'Figs.' if len(numbers) > 1 else 'Fig.'} {', '.join(numbers)}"
