"""The first page of the report of a run."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sim.defence.registry import DEFENCES
from sim.record.run_record import FRAME
from sim.report.words.assessment import Chapter

ANSWER = "The answer"
FOUND = "How many people, by whom, and from how much"
UNTESTED = "What was not tested"
NEXT = "What to do next"
PASTE = "To paste into a data protection impact assessment (DPIA)"


@dataclass(frozen=True, slots=True)
class FirstPage:
    """What a report begins with.

    Parameters
    ----------
    answer : sequence of str
        The verdict, and how many people are found.
    data : str
        The data, in a line.
    chapters : sequence of Chapter
        All else, in the order in which it is read; those without content are left out.
    """

    answer: Sequence[str]
    data: str
    chapters: Sequence[Chapter]

    def without(self, *titles: str) -> list[Chapter]:
        """Return the chapters but some."""
        return [one for one in self.chapters if one.title not in titles]


def page_of(answer: Sequence[str], data: str, chapters: Sequence[Chapter]) -> FirstPage:
    """Return a first page without the chapters that are empty."""
    kept = [one for one in chapters if one.sentences or one.items or one.commands]
    return FirstPage(answer, data, [_of_own_defences(_of_a_frame(one)) for one in kept])


def _of_a_frame(chapter: Chapter) -> Chapter:
    """Say what a command calls a data frame, which has no file."""
    if not any(FRAME in command for command in chapter.commands):
        return chapter
    said = (
        f"'{FRAME}' stands for the data frame: save it by to_parquet('{FRAME}', index=False), or "
        "call sim.audit or sim.plan with it from Python."
    )
    return replace(chapter, sentences=[*chapter.sentences, said])


def _of_own_defences(chapter: Chapter) -> Chapter:
    """Say that a command does not know a defence that is a class of a script or a notebook."""
    typed = [word for command in chapter.commands for word in shlex.split(command)]
    names = [
        name
        for word in typed
        if word.startswith(_DEFENCES)
        for name in word.removeprefix(_DEFENCES).rstrip("]").split(",")
    ]
    own = [name for name in dict.fromkeys(names) if name and not DEFENCES.is_installed(name)]
    if not own:
        return chapter
    is_one = len(own) == 1
    said = (
        f"{', '.join(own)} {'is a class' if is_one else 'are classes'} of your own, which the "
        f"command does not know until {'it is' if is_one else 'they are'} installed as a plug-in, "
        "as the page of the guide on extending says: call sim.audit with an instance from Python."
    )
    return replace(chapter, sentences=[*chapter.sentences, said])


_DEFENCES = "defence=["
