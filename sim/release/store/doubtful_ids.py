"""Counts doubtful identifiers: one person in two ways, two people in one, or known elsewhere.

Nothing is changed: identifiers are taken exactly as they are written, and what is doubtful about
them is counted, for the user to judge.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sim.release.store.accounts import EMAILS, NAMES, PHONES, ROUNDED, TOTALS, TWINS

BLANKS = (
    " \t\n\v\f\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
)
"""Characters that show nothing; those around a cell do not count."""

EMAIL = r"[^@\s|]+@[^@\s|]+\.[A-Za-z]{2,}"
"""What looks like an e-mail address; it may be a part of a joined identifier."""

PHONE = (
    r"^\s*(?:(?:\+[1-9][0-9]{0,2}[ ./-]?|00[1-9][0-9]{0,2}[ ./-])\(?[0-9][0-9 ()./-]{5,16}"
    r"|\(?0[1-9][0-9]{1,4}\)?[ /-][0-9][0-9 /-]{3,10}[0-9]"
    r"|\(?[2-9][0-9]{2}\)?[ .-]?[2-9][0-9]{2}[ .-][0-9]{4})\s*$"
)
"""What looks like a phone number: international, with an area code, or of North America."""

NAME = (
    r"^\s*(?:(?:Dr|Mrs?|Ms|Prof)\.? )?\p{Lu}[\p{L}'’-]*\p{Ll}\.?,? "
    r"(?:(?:\p{Lu}\.|\p{Lu}[\p{L}'’-]*\p{Ll}|van|von|de|der|den|di|da|la|le|bin|el) ?){0,3}"
    r"\p{Lu}[\p{L}'’-]*\p{Ll}(?: \p{Lu}\.)?(?: \(?[0-9]{2,4}\)?)?\s*$"
    r"|^\s*\p{Lu}[\p{Lu}'’-]+,?(?: \p{Lu}[\p{Lu}'’-]+){1,3}\s*$"
    r"|^\s*\p{Ll}{2,}[._]\p{Ll}{2,}\s*$"
)
"""What looks like the name of a person: two to five words of letters, with capitals and perhaps a
year; two to four in capitals; or two small ones with a full stop or a line between them."""

TOTAL = (
    r"(?i)^\s*(?:(?:grand |sub-?)?total|sum|gesamt|gesamtsumme|summe|zwischensumme"
    r"|total g[ée]n[ée]ral|somme|suma|totale)s?\s*:?\s*$"
)
"""What looks like the line below a table that adds it up."""

_AROUND = BLANKS + "\"'"
_WHOLE = r"^([+-]?[0-9]+)\.0+$"
_PADDED = r"^0+([0-9]+)$"
_ROUNDED = r"^[+-]?[0-9](?:[.,][0-9]+)?[eE]\+?[0-9]{2}$"


def doubts(what: str, ids: Any) -> dict[str, int]:
    """Count the doubtful identifiers in a list.

    Parameters
    ----------
    what : str
        What they identify, in the plural.
    ids : pyarrow array, shape (n,)
        Distinct. Only text can be doubtful.

    Returns
    -------
    dict of str to int
        By the names of the notes; counts of 0 are left out.

    Examples
    --------
    >>> doubts("people", pa.array(["ann", "ann ", "Ann", "7.0", "7", "007", "1.23457E+15"]))
    {'people with the identifier of another but for blanks, quotes, capitals, zeros in front, or a \
.0': 4, \
'people with a rounded number for an identifier, such as 1.23457E+15': 1}
    >>> doubts("people", pa.array(["Anna Müller", "O'Brien, Tom", "Jan van der Berg", "c17"]))
    {'people that look like names': 3}
    >>> doubts("people", pa.array(["MEIER ANNA", "anna.meier", "Anna Meier 1960", "a_17", "AB C3"]))
    {'people that look like names': 3}
    >>> doubts("people", pa.array(["ann", "Total", "Gesamtsumme:", "totally"]))
    {'people that look like a total of rows': 2}
    >>> doubts("people", pa.array([1, 2]))
    {}
    """
    if not pa.types.is_string(ids.type):
        return {}
    bare = pc.utf8_normalize(pc.utf8_trim(ids, characters=_AROUND), form="NFC")
    bare = pc.utf8_lower(bare)
    bare = pc.replace_substring_regex(bare, _WHOLE, r"\1")
    bare = pc.replace_substring_regex(bare, _PADDED, r"\1")
    rounded = pc.sum(pc.match_substring_regex(ids, _ROUNDED)).as_py() or 0
    named = looks_like(ids, NAME) if what == "people" else 0
    found = {
        TWINS: len(ids) - pc.count_distinct(bare).as_py(),
        ROUNDED: rounded,
        EMAILS: looks_like(ids, EMAIL),
        PHONES: looks_like(ids, PHONE),
        # "Gold Member" and the like may be among identifiers; names are most of them.
        NAMES: named if 2 * named > len(ids) else 0,
        TOTALS: looks_like(ids, TOTAL),
    }
    return {name.format(what): count for name, count in found.items() if count}


def looks_like(ids: Any, pattern: str) -> int:
    """Return how many identifiers match a pattern; numbers never do.

    Parameters
    ----------
    ids : pyarrow array, shape (n,)

    Examples
    --------
    >>> looks_like(pa.array(["ann@example.org", "+49 170 1234567", "2015-07-21"]), EMAIL)
    1
    >>> looks_like(pa.array(["ann@example.org", "+49 170 1234567", "2015-07-21"]), PHONE)
    1
    """
    if not (pa.types.is_string(ids.type) or pa.types.is_large_string(ids.type)):
        return 0
    return int(pc.sum(pc.match_substring_regex(ids, pattern)).as_py() or 0)
