"""Templates of `sim.findings.reading` and `sim.findings.suspicions`."""

from __future__ import annotations

TEMPLATES: dict[str, str] = {
    "rows_without_role": "No person or item in {count:n} of {of:row}: left out, and people with "
    "no other row are not counted.",
    "rows_unreadable": "Left out as unreadable: {count:n} of {of:row}[[ (the first: {first})]]; "
    "unread.csv lists them.",
    "many_rows_unreadable": "Left out as unreadable: {count:n} of {of:row}[[ (the first: "
    "{first})]]; check the columns, data.date_format and data.decimal.",
    "rows_of_zero": "{count:n} of {of:row} have the value 0 and are left out; {remedy} reads them.",
    "rows_copied": "{count:n} of {of:row} are copies of others and left out; if they are no "
    "errors, risks are too low: {remedy} reads them.",
    "rows_replaced": "Left out: {count:n} of {of:row}, as the {kept} of a person and item is "
    "kept; risks may be too low ({remedy} reads all).",
    "rows_added_up": "{count:n} of {of:row} are added to another of the same person and item; who "
    "knows single {lost} was not tested ({remedy} reads all).",
    "rows_split": "{count:row} of several entries each are {entries:row} of one entry, which are "
    "counted from here on.",
    "rows_counted": "{count:n} of {of:row} are counted with another of the same person and item.",
    "values_binned": "Values are kept in bins ({bins}):[[ {distinct:n} distinct ones as]] "
    "{levels:level}; who knows them more exactly was not tested ({remedy} keeps all).",
    "times_cut": "Times of {count:n} of {of:row} are kept only as the {bin} they lie in; who "
    "knows them more exactly was not tested[[; {remedy} keeps the {finer}]].",
    "cells_missing": "{count:n} of {of:entry|entries} have no {part}[[, as columns {columns} are "
    "not all filled]]: attackers know none there.",
    "dates_of_zero": "{count:n} of {of:row} are dated 1970-01-01, which is what a 0 means: are "
    "these dates that are missing?",
    "values_negative": "{count:n} of {of:value}[[ ({column})]] are negative: are they returns, or "
    "a code for none?",
    "values_far": "{count:n} of {of:value}[[ ({column})]] are more than 10 times the 99.9% "
    "quantile: slips, tests, or a code for none?",
    "people_named": "{count:n} of {of:person|people}[[ ({column})]] have {form} as identifiers, "
    "which need no attack: publish random ones.",
    "items_named": "{count:n} of {of:item}[[ ({column})]] are {form}, which tell who people are: "
    "replace them.",
    "identifiers_alike": "{count:n} of {of:n} {role}[[ ({column})]] differ from another only in "
    "blanks, capitals, zeros or the like: if they are the same, write them alike.",
    "identifiers_rounded": "{count:n} of {of:n} {role}[[ ({column})]] are rounded numbers such as "
    "1.23457E+15: several may have become one, so read the original.",
    "line_of_totals": "{count:n} of {of:n} {role}[[ ({column})]] are called Total, Sum or the "
    "like: if it is a line below the table, delete it.",
    "date_format_recognised": "Dates were recognised as {format} by the first rows: {remedy} sets "
    "another.",
    "encoding_recognised": "Text is not UTF-8 and was read as Windows-1252[[ (first letter: "
    "{first})]]: {remedy} sets another encoding.",
    "days_of_utc": "Times have a zone, and days are those of UTC.",
    "columns_unread": "Columns not read, so not attacked ({listed:few}[[; {parts:other part} of "
    "the file, in the details]]). Publish what `standout publish` writes.",
    "part_unread": "Not read, so not attacked: {name} ({listed}).",
    "file_holds_more": "The file holds more than was attacked ({parts:part}, in the details). "
    "Publish what `standout publish` writes.",
    "people_far_above": "{people:person|people}[[ ({column})]] hold {count:n} of "
    "{of:entry|entries}, the next {following:n}: tills, tests, unknown people? Without them: "
    "{remedy}.",
    "people_of_one_entry": "{count:n} of {of:person|people}[[ ({column})]] have one entry: is it "
    "the number of a row, an order or a session?",
    "blanks_as_entries": "Everybody has every item, {count:n} of {of:entry|entries} without a "
    "value[[ ({column})]]: leave out rows that are blanks of a wide table.",
    "items_of_one_holder": "{count:n} of {of:item}[[ ({column})]] have one holder, whom each of "
    "them identifies.",
    "roles_swapped": "People ({name}) and items ({items}) seem exchanged[[: {count:n} of "
    "{of:item} have one holder of {people:person|people}]][[; {remedy}]].",
    "one_value": "All values[[ ({column})]] are the same, and tell nothing.",
    "times_all_midnight": "Times of day are written[[ ({column})]], but all are midnight: were "
    "they lost in an export?",
    "placeholders": "{count:n} of {of:n} {role}[[ ({column})]] are {which}, which may stand for "
    "none[[; {remedy} reads them as missing]].",
}
