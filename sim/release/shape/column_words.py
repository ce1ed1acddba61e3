"""Words in the names of columns, and what they say of who or what is in a column."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

WORDS: Mapping[str, tuple[str, ...]] = {
    "user": (
        *(
            "user",
            "username",
            "login",
            "customer",
            "client",
            "person",
            "patient",
            "member",
            "visitor",
            "subscriber",
        ),
        *("reviewer", "reader", "listener", "buyer", "guest", "traveller", "passenger", "rider"),
        *("student", "employee", "player", "household", "account", "card", "device", "author"),
        *(
            "respondent",
            "participant",
            "subject",
            "proband",
            "donor",
            "voter",
            "patron",
            "borrower",
        ),
        *(
            "borrower",
            "pat",
            "beneficiary",
            "pupil",
            "teilnehmer",
            "patientin",
            "leserin",
            "benutzer",
            "gast",
        ),
        *("paciente", "encuestado", "participante", "répondant", "membre", "utente", "gebruiker"),
        *(
            "matrikel",
            "matrikelnr",
            "who",
            "uid",
            "case",
            "fall",
            "akte",
            "klient",
            "teilnehmer",
            "schüler",
            "mitarbeiter",
        ),
        *(
            "kunde",
            "kunden",
            "karte",
            "karten",
            "nutzer",
            "leser",
            "mitglied",
            "ausweis",
            "besucher",
            "konto",
            "pass",
        ),
        *("utilisateur", "adhérent", "abonné", "lecteur", "usuario", "cliente", "socio", "lector"),
    ),
    "item": (
        *("item", "product", "movie", "film", "book", "isbn", "asin", "track", "song", "artist"),
        *("article", "sku", "stock", "venue", "place", "poi", "location", "station", "diagnosis"),
        *("drug", "page", "url", "query", "merchant", "shop", "store", "category", "what", "where"),
        *("topic", "course", "activity", "museum", "question"),
        *("frage", "thema", "kurs", "leistung"),
        *("title", "titel", "buch", "artikel", "produkt", "medium", "ort", "diagnose"),
        *("spielstätte", "standort"),
        *("livre", "titre", "produit", "lieu", "libro", "titulo", "título", "producto", "lugar"),
    ),
    "value": ("rating", "stars", "score", "plays", "count", "value"),
    "date": ("timestamp", "datetime", "date", "time", "day", "when", "created"),
}
"""By what a column is taken for, those before others where several fit."""

UNSURE = ("author", "case", "fall", "akte", "pass", "subject")
"""Of people, if nothing else is named for them, but often of something else."""

GROUPS = ("artist", "category", "shop", "store", "merchant", "branch")
"""Of items, if nothing else is named for them: what has several, or where they are had."""

RATINGS = ("rating", "stars", "score")
"""Of values: what a person says of an item, however often."""

LETTERS = {"user": "u", "item": "i", "value": "vr", "date": "td"}
"""Names of a single letter, which count where no word fits."""

MEASURES = (
    *("steps", "calories", "distance", "duration", "minutes", "seconds", "hours", "heart", "bpm"),
    *("ms", "msec", "millis", "milliseconds", "secs", "mins", "bytes"),
    *(
        "age",
        "weight",
        "height",
        "rate",
        "length",
        "size",
        "percent",
        "latitude",
        "longitude",
        "lat",
    ),
    *("lon", "temperature", "balance", "quantity", "qty", "total", "average", "mean", "los"),
    *("steptotal", "heartrate", "menge", "dauer", "alter", "gewicht", "größe", "quantité", "durée"),
)
"""Of what is measured, and identifies nobody."""

PLACES = ("branch", "filiale", "markt", "magasin", "sucursal")
"""Of places: no people, and mostly too few to be the items."""

MONEY = (
    *("price", "fee", "cost", "charge", "fine", "tax", "discount", "sales", "revenue"),
    *("preis", "gebühr", "gebühren", "betrag", "kosten", "summe", "prix", "montant", "frais"),
    *("precio", "importe", "coste"),
)
"""Of amounts of money, which are on no scale."""

_LONG = 5  # letters of a word that compounds are known by

_ENDS = ("s", "id", "ids", "key", "nr", "no", "num", "nummer")


def words_of(name: str) -> list[str]:
    """Return the words of a name such as user_id, userId or USERID, in small letters.

    Examples
    --------
    >>> words_of("userId"), words_of("Ausweisnr")
    (['user', 'id', ''], ['ausweisnr', 'ausweis'])
    """
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower()
    words = re.findall(r"[^\W\d_]+", apart)
    return words + [word.removesuffix(end) for word in words for end in _ENDS if word.endswith(end)]


def has_word(name: str, words: Sequence[str]) -> bool:
    """Whether the name of a column has one of some words.

    Examples
    --------
    >>> has_word("InvoiceNo", ["invoice"]), has_word("border", ["order"])
    (True, False)
    """
    return any(word in words for word in words_of(name))


def likeliest(names: Sequence[str], words: Sequence[str]) -> str | None:
    """Return the name with the word that comes first among some; None if no name has any.

    Examples
    --------
    >>> likeliest(["visitor_no", "CustomerID"], WORDS["user"])
    'CustomerID'
    """
    ranked = [
        (min(words.index(word) for word in found), name)
        for name in names
        if (found := [word for word in words_of(name) if word in words])
    ]
    return min(ranked, key=lambda one: one[0])[1] if ranked else None


def _begins_with(words: Sequence[str]) -> Callable[[str], bool]:
    """Return whether a word is one of some, or a compound that begins with a long one of them."""
    long = tuple(word for word in words if len(word) >= _LONG)
    return lambda word: word in words or word.startswith(long)


def are_swapped(people: str, items: str) -> bool:
    """Return whether the names of two columns are rather those of items and of people.

    Examples
    --------
    >>> are_swapped("Titel", "Ausweisnr"), are_swapped("user", "film"), are_swapped("a", "film")
    (True, False, False)
    >>> are_swapped("Artikelbezeichnung", "Kartennummer"), are_swapped("Filiale", "Menge")
    (True, True)
    >>> are_swapped("code", "customer"), are_swapped("customer", "author")
    (True, False)
    >>> are_swapped("Thema", "Fall-Nr")
    True
    """
    named = {
        (column, role): any(map(_begins_with(words), words_of(column)))
        for column in (people, items)
        for role, words in (("user", WORDS["user"]), ("item", (*WORDS["item"], *PLACES)))
    }
    people_rather_items = named[people, "item"] and not named[people, "user"]
    items_rather_people = named[items, "user"] and not named[items, "item"]
    people_fits = named[people, "user"] and not named[people, "item"]
    return people_rather_items or (items_rather_people and not people_fits)
