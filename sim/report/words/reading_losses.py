"""Rows and values that reading the data left out, cut off or found doubtful, in sentences.

Invariant: whatever concerns more than 1% of the rows read (or of the people, or of the items) is
stated with its count, its total, the rule, and its effect on the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sim.numeric.text import format_number, format_percent, quantity
from sim.release.readers.date_reader import OTHER_ZONE
from sim.release.readers.encodings import GUESSED, RECOGNISED
from sim.release.readers.other_encodings import OTHERS
from sim.release.store.accounts import (
    BINS,
    DATE_COLUMNS,
    DISTINCT,
    EMAILS,
    EPOCH,
    FIRST_UNREADABLE,
    MANY_LEFT_OUT,
    NAMES,
    NEGATIVE,
    NO_VALUE,
    NOT_UTF8,
    PHONES,
    ROUNDED,
    TWINS,
    VALUES,
    Accounts,
)
from sim.release.store.repeats import Repeats
from sim.release.store.time_bins import DAY, TimeBin
from sim.report.words.left_unread import left_unread

NOTABLE_SHARE = 0.01


def as_read(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the release as it was read, before its publisher changed it.

    Parameters
    ----------
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> as_read({"release": {"n_cells": 4}, "read": {"n_cells": 5}})
    {'n_cells': 5}
    """
    read: Mapping[str, Any] = record.get("read") or record["release"]
    return read


def span(release: Mapping[str, Any]) -> str:
    """Return the first and the last bin of time of a release; empty where it has no dates.

    Parameters
    ----------
    release : dict
        As in ``run.json``.

    Examples
    --------
    >>> span({"first_day": 14_245, "n_days": 365}), span({"n_days": 0})
    ('2009-01-01 to 2009-12-31', '')
    >>> span({"first_day": 0, "n_days": 30, "time_bin": "hour"})
    '1970-01-01 00:00 to 1970-01-02 05:00'
    """
    bins = int(release.get("n_days") or 0)
    if not bins:
        return ""
    first, width = int(release["first_day"]), time_bin_of(release)
    return f"{width.text(first)} to {width.text(first + bins - 1)}"


def time_bin_of(release: Mapping[str, Any]) -> TimeBin:
    """Return the bins of time of a release.

    Parameters
    ----------
    release : dict
        As in ``run.json``.
    """
    return TimeBin.parse(release.get("time_bin") or str(DAY), "release.time_bin")


def remarks(release: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what was recognised, or may be read otherwise, and then the `losses`.

    Parameters
    ----------
    release : dict
        As it was read; as in ``run.json``.

    Examples
    --------
    >>> remarks({"notes": {"dates": "dates written as %d/%m/%Y (recognised)"}})
    ('Recognised by the first rows: dates written as %d/%m/%Y. If that is wrong, set \
data.date_format.',)
    """
    return (*_recognised(release), *losses(release))


def _recognised(release: Mapping[str, Any]) -> Iterator[str]:
    notes = release.get("notes") or {}
    letters = "the first letters that are not ASCII"
    if NOT_UTF8 in notes:
        letters = f"{letters} ({notes[NOT_UTF8]})"
    dates, encoding = (str(notes.get(name) or "") for name in ("dates", "encoding"))
    if RECOGNISED in dates and "written as" in dates:
        yield (
            f"Recognised by the first rows: {dates.replace(RECOGNISED, '')}. If that is wrong, set "
            "data.date_format."
        )
    if GUESSED in encoding:
        others = " or ".join(f"data.encoding={name}" for name in OTHERS[:2])
        yield (
            f"Recognised by {letters}: text in {encoding.replace(RECOGNISED, '')}, as it is not "
            f"UTF-8. If letters look wrong, set another encoding, such as {others}."
        )
    if OTHER_ZONE in str(notes.get("dates") or ""):
        yield (
            "The times have a time zone, and their days are those of UTC: in another zone, late or "
            "early hours are of another day."
        )


def losses(release: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the losses in reading a release, one or two sentences for each.

    Parameters
    ----------
    release : dict
        Before its publisher changed it; as in ``run.json``.

    Examples
    --------
    >>> release = {"n_cells": 17_329, "n_duplicates": 35_508, "n_days": 30}
    >>> release["notes"] = {"rows": 52_837}
    >>> for sentences in losses(release):
    ...     print(sentences)
    35,508 of 52,837 rows read (67.2%) were left out: only the latest row of a person for an item \
is kept. The measured risk is too low, unless the others are copies made by mistake: \
repetitions, such as a second visit, also identify people.
    """
    return tuple(loss.words for loss in _losses(release))


def still_in_doubt(release: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the `losses` that concern what was read, also where only that is released.

    Parameters
    ----------
    release : dict
        Before its publisher changed it; as in ``run.json``.

    Examples
    --------
    >>> notes = {"rows": 9, "columns that were not read": "1: born"}
    >>> still_in_doubt({"n_cells": 9, "notes": notes})
    ()
    """
    return tuple(loss.words for loss in _losses(release) if not loss.unread)


class Unread(NamedTuple):
    """What a file holds more than what was attacked.

    Parameters
    ----------
    words : str
        One or two sentences.
    first : str
        The first of them, without its point.
    """

    words: str
    first: str


def unread(release: Mapping[str, Any]) -> tuple[Unread, ...]:
    """Return the losses after which a file holds more than what was attacked.

    Whoever sees the file itself, and not what was read of it, was not tested: also where a single
    row was left out, as it may be the only one of its kind.

    Parameters
    ----------
    release : dict
        Before its publisher changed it; as in ``run.json``.

    Examples
    --------
    >>> notes = {"rows": 9, "columns that were not read": "1: born"}
    >>> [one.first for one in unread({"n_cells": 9, "notes": notes})]
    ['Some columns were not read (1: born), so what they tell was not tested']
    """
    return tuple(
        Unread(loss.words, loss.first or loss.words.partition(". ")[0].rstrip("."))
        for loss in _losses(release, every_row=True)
        if loss.unread
    )


def people_not_counted(rows: Accounts) -> str:
    """Say that people all of whose rows were dropped are nowhere counted; empty: none was dropped.

    Whose these rows are is not kept: their person may be what is missing or cannot be read.
    """
    if not rows.dropped + rows.unreadable:
        return ""
    return "People all of whose rows were dropped are not among the people who are counted."


def left_out_before(release: Mapping[str, Any]) -> str:
    """Return how many rows are no entry of what was read, before any change; empty: none.

    Parameters
    ----------
    release : dict
        Before its publisher changed it; as in ``run.json``.

    Examples
    --------
    >>> left_out_before({"n_cells": 5293, "n_duplicates": 9909})
    'Reading the data had left out 9,909 of 15,202 rows before.'
    >>> left_out_before({"n_cells": 5293})
    ''
    """
    found = Accounts.of(release)
    gone = found.rows - found.cells
    if gone <= 0:
        return ""
    merged = found.merged and Repeats(release.get("repeats") or Repeats.LATEST).adds_up
    done = "left out or added up" if merged else "left out"
    return f"Reading the data had {done} {gone:,} of {quantity(found.rows, 'row')} before."


def file_holds_more(record: Mapping[str, Any]) -> Iterator[str]:
    """Warn where whoever sees the file, and not what was read of it, knows more than was tested.

    Parameters
    ----------
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> [*file_holds_more({"release": {"n_cells": 9, "notes": {"rows": 9}}})]
    []
    """
    more = [loss.unread for loss in _losses(as_read(record), every_row=True) if loss.unread]
    if more:
        yield (
            "All numbers are about what was read of the data. The data hold more: "
            f"{'; '.join(more)}. An attacker who sees that was not tested: release only what was "
            "read, as standout publish writes it."
        )


class _Loss(NamedTuple):
    """A loss in words, and what the file holds more than what was read; empty: nothing more.

    And the first sentence of the words, where it is more than what stands before a point.
    """

    words: str
    unread: str = ""
    first: str = ""


def _losses(release: Mapping[str, Any], *, every_row: bool = False) -> Iterator[_Loss]:
    found, notes = Accounts.of(release), release.get("notes") or {}
    if not found.rows:
        return

    def many(count: int) -> bool:
        return count > (0 if every_row else NOTABLE_SHARE * found.rows)

    def rows(count: int) -> str:
        return _part(count, found.rows, "rows read")

    if many(found.dropped):
        yield _Loss(
            f"{rows(found.dropped)} were dropped because their user or item is empty. The measured "
            "risk is too low if these rows belong to people in the release.",
            unread="rows without a user or an item",
        )
    if many(found.unreadable):
        because = _unreadable(found, notes)
        yield _Loss(
            f"{rows(found.unreadable)} were left out because {because}",
            unread="rows that could not be read",
        )
    if found.zeros:
        yield _Loss(
            f"{rows(found.zeros)} were left out because their value is 0 (data.zeros=drop).",
            unread="rows with the value 0",
        )
    if many(found.merged):
        why, is_unread = _merged(release, notes)
        more = f"{quantity(found.merged, 'row')} merged with or replaced by another"
        yield _Loss(f"{rows(found.merged)} were left out: {why}", more if is_unread else "")
    if notes.get(BINS):
        yield _Loss(_bins_of_values(release, notes), unread="values within their bins")
    if many(found.cut):
        width = time_bin_of(release)
        narrower = width.narrowest(int(release.get("n_days") or 0))
        such_as = "" if narrower is None else f", such as data.time_bin={narrower},"
        lost, exact = "had their time rounded down to its bin: times are kept as", "exact times"
        if width == DAY:
            lost, exact = "lost their time of day: dates are kept as", "times of day"
        yield _Loss(
            f"{rows(found.cut)} {lost} {'' if width.words.endswith('bin') else 'whole '}"
            f"{width.words}s. The measured risk is too low if times are released, since they also "
            f"identify people; a narrower data.time_bin{such_as} keeps more of them.",
            unread=f"the {exact} of {found.cut:,} of {quantity(found.rows, 'row')}",
        )
    counted = release.get("repeats") == Repeats.COUNT  # the values of rows are then not kept
    for count, what, missing, needed in (
        (found.no_date, "date", "missing_days", "n_days"),
        (0 if counted else found.no_value, "value", "missing_values", "scale"),
    ):
        if many(count):
            left = int(release.get(missing) or 0) if release.get(needed) else count
            left = min(left, found.cells)
            empty, instead = "the field is empty or a word such as NA", ""
            if what == "date" and DATE_COLUMNS in notes:
                empty = f"one of the columns {notes[DATE_COLUMNS]} is empty or a word such as NA"
                instead = (
                    " If one of these columns holds the whole day, data.date with that column "
                    "alone keeps the day of each row."
                )
            yield _Loss(
                f"{rows(count)} have no {what} ({empty}){_without(what, count, left)}{instead}"
            )
    yield from _doubts(release, found.rows)


def _unreadable(found: Accounts, notes: Mapping[str, Any]) -> str:
    """Say what rows that cannot be read mean, and what may be wrong where they are many."""
    settings = (
        " So many suggest that a column, or data.date_unit, data.date_format (which takes several "
        "formats with | between them) or data.decimal, was chosen wrongly."
    )
    return (
        "a value or a date in them, or the whole row, could not be read; the first is "
        f"{notes.get(FIRST_UNREADABLE, 'not noted')}. People may be easier to identify in the "
        "release than measured if these rows are published after all."
        f"{settings if found.unreadable > MANY_LEFT_OUT * found.rows else ''}"
    )


def _without(what: str, rows: int, left: int) -> str:
    """Say what became of rows without a date or a value: some are no entry of their own.

    Each entry without one stands for one of these rows at least.

    Parameters
    ----------
    left : int
        Entries without one.
    """
    gone = rows - left
    merged = "merged with or replaced by another row of the same person and item"
    if not left:
        return f"; all of them were {merged}, so that no entry of the data lacks a {what}."
    other = f", and the other {quantity(gone, 'row')} {'was' if gone == 1 else 'were'} {merged}"
    return (
        f": {quantity(left, 'entry', 'entries')} of the data {'has' if left == 1 else 'have'} "
        f"none{other if gone else ''}. The measured risk is too low if attackers can learn these "
        f"{what}s: they are taken to know a {what} only of entries that have one."
    )


def _bins_of_values(release: Mapping[str, Any], notes: Mapping[str, Any]) -> str:
    levels = format_number(len(release.get("scale") or ()))
    distinct = (
        f"the {format_number(notes[DISTINCT])} distinct ones are " if DISTINCT in notes else ""
    )
    return (
        f"Values are kept in bins ({notes[BINS]}): {distinct}{levels} levels, each the lower end "
        "of its bin. What an attacker knows of values is exact to these levels at best, and an "
        "error that is small against the width of a bin changes little. The measured risk is too "
        "low if an attacker knows values more exactly than their bins; data.value_bins=none keeps "
        "them, but the Bayes-optimal attacker is slow with many."
    )


_TOO_LOW = (
    "The measured risk is too low, unless the others are copies made by mistake: repetitions, such "
    "as a second visit, also identify people."
)


def _merged(release: Mapping[str, Any], notes: Mapping[str, Any]) -> tuple[str, bool]:
    """Say which rule left rows out, of times and values only where there are some.

    And whether they tell more than what is kept of them.
    """
    rule, timed = Repeats(release.get("repeats") or Repeats.LATEST), bool(release.get("n_days"))
    if rule is Repeats.ALL:
        date = ", the date or time included" if timed else ""
        return (
            f"they are equal to another row in every column that was read{date}. The measured risk "
            "is not affected if they are errors, and too low if they are not: then repetitions, "
            "such as a second visit, also identify people, and data.repeats=cells reads each of "
            "them."
        ), True
    if rule.adds_up:
        counts = rule is Repeats.COUNT
        done, what = ("counted", "count") if counts else ("added up", "sum")
        of = "" if counts else "values of a person for an item are "
        kept = f", and the {what} is kept with the latest time" if timed else ""
        known = [
            *(["the time of more than the latest"] if timed else []),
            *(["the single values"] if release.get("scale") and not counts else []),
            *(["the values"] if counts and NO_VALUE in notes else []),
        ]
        rest = "No other column of theirs is read, so the measured risk is not affected."
        if known:
            rest = f"The measured risk is too low if an attacker knows {' or '.join(known)}."
        return f"the {of or 'rows of a person for an item are '}{done}{kept}. {rest}", bool(known)
    which = f"the {'latest' if rule is Repeats.LATEST else 'earliest'} row"
    if not timed:
        value = f"the row of the {'greatest' if rule is Repeats.LATEST else 'least'} value"
        which = value if release.get("scale") else "one row"
    return f"only {which} of a person for an item is kept. {_TOO_LOW}", True


def _doubts(release: Mapping[str, Any], rows: int) -> Iterator[_Loss]:
    notes = release.get("notes") or {}
    epoch = int(notes.get(EPOCH) or 0)
    if epoch > NOTABLE_SHARE * rows:
        yield _Loss(
            f"{_part(epoch, rows, 'rows read')} are dated 1970-01-01, the meaning of 0 as a date. "
            "If 0 stands for a missing date in these data, these dates and all measurements with "
            "dates are wrong."
        )
    negative, values = (int(notes.get(name) or 0) for name in (NEGATIVE, VALUES))
    if negative > NOTABLE_SHARE * values:
        yield _Loss(
            f"{_part(negative, values, 'values')} are negative. If that means something other than "
            "a small value, such as a return or no value, an attacker who knows what it means was "
            "not tested."
        )
    for what, key in (("people", "n_records"), ("items", "n_items")):
        whole = int(release.get(key) or 1)
        for kind, name in _KNOWN_ELSEWHERE.items():
            known = int(notes.get(name.format(what)) or 0)
            if known:
                yield _Loss(
                    f"{_part(known, whole, what)} are {kind} by the look of them, which "
                    "identify people without any attack, whatever the measured "
                    "risk: replace them by random identifiers before the release. The file "
                    "that a plan writes has these already.",
                    unread=f"{kind} as identifiers" if what == "people" else "",
                )
        twins, rounded = (int(notes.get(name.format(what)) or 0) for name in (TWINS, ROUNDED))
        if twins > NOTABLE_SHARE * whole:
            yield _Loss(
                f"{_part(twins, whole, what)} have an identifier that differs from another only in "
                "blanks, quotes, capitals, zeros in front, the encoding of an accent or a final "
                ".0, and are "
                "kept apart. If they are the same, the measured risk is wrong"
                f"{': too low for people with several records' if what == 'people' else ''}; write "
                "each of them in one way, and read the data again."
            )
        if rounded > NOTABLE_SHARE * whole:
            yield _Loss(
                f"{_part(rounded, whole, what)} have a rounded number such as 1.23457E+15 as "
                f"identifier, as spreadsheets write long numbers. Several {what} may have been "
                "merged into one; the measured risk is then wrong."
            )
    for left in left_unread(notes):
        yield _Loss(left.warning, left.name, left.first)


_KNOWN_ELSEWHERE = {"e-mail addresses": EMAILS, "phone numbers": PHONES, "names": NAMES}


def _part(count: int, whole: int, of: str) -> str:
    return (
        f"{format_number(count)} of {format_number(whole)} {of} ({format_percent(count / whole)})"
    )
