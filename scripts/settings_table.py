#!/usr/bin/env python3
"""Writes the table of settings: what the reference engine knows, and what we do about each.

    settings_table.py            rewrites the four files of crates/engine/src/settings/
    settings_table.py --check    fails if they would change

Names, types, defaults, aliases and tiers are read from the reference (chdb), values of the types
that have a closed list too. The columns `effect`, `allowed` and `note` are kept by hand: the script
carries them over, and marks a setting that is new as refused until somebody has judged it.

    query.tsv        name, type, default, alias_for, tier, effect, allowed, note
    merge_tree.tsv   the same without alias_for, for SETTINGS of MergeTree tables
    compatibility.tsv  name, version, default before that version, for `compatibility`
    enums.tsv        type, code of the error for another value, values with `|` between them

Effects: `works`; `none` (ignoring it cannot change an answer); `obsolete`; `refused` (only the
default and the values of `allowed`, with `|` between them, are taken; `note` says what to do
instead).
"""

import argparse
import re
import sys
from pathlib import Path

from chdb import session

FOLDER = Path(__file__).resolve().parent.parent / "crates" / "engine" / "src" / "settings"
PLAIN = {
    "UInt64", "NonZeroUInt64", "Int64", "Int32", "UInt32", "Bool", "BoolAuto", "UInt64Auto",
    "FloatAuto", "MaxThreads", "Float", "Double", "Seconds", "Milliseconds", "String", "URI",
    "Timezone", "Char", "Map",
}
NEW = ("refused", "", "It is new in the reference: leave it at its default.")


def kept(name):
    """Columns that are kept by hand, by name of the setting."""
    path = FOLDER / name
    if not path.exists():
        return {}
    rows = (line.split("\t") for line in path.read_text().splitlines())
    return {row[0]: tuple(row[-3:]) for row in rows}


def escaped(text):
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


def read(db, sql):
    """Rows as lists of texts; chdb escapes as we keep them."""
    text = db.query(sql, "TSV").bytes().decode()
    return [line.split("\t") for line in text.splitlines()]


def rows_of(db, sql, file):
    by_hand = kept(file)
    out = []
    for row in read(db, sql):
        obsolete = ("obsolete", "", "") if row[-1] == "Obsolete" else NEW
        # How many processors this machine has is no fact about the reference.
        row[2] = re.sub(r"^auto\(\d+\)$", "auto", row[2])
        out.append("\t".join(row + list(by_hand.get(row[0], obsolete))))
    return "\n".join(out) + "\n"


def enums(db, settings, of_tables):
    out = {}
    for rows, is_table in ((settings, False), (of_tables, True)):
        for name, kind in rows:
            if kind in PLAIN or kind in out:
                continue
            sql = f"SET {name} = '?!'"
            if is_table:
                sql = f"CREATE TABLE t (a Int8) ENGINE = MergeTree ORDER BY a SETTINGS {name} = '?!'"
            try:
                db.query(sql)
                sys.exit(f"{name} takes any value")
            except RuntimeError as error:
                text = str(error)
            code = re.search(r"Code: (\d+)", text)
            values = re.search(r"Must be one of \[(.*?)\]", text)
            if not values:
                sys.exit(f"{name}: {text}")
            values = re.findall(r"'([^']*)'", values.group(1))
            out[kind] = f"{kind}\t{code.group(1)}\t{'|'.join(sorted(values))}"
    return "\n".join(out[kind] for kind in sorted(out)) + "\n"


def changes(db):
    sql = """SELECT c.1, version, c.2 FROM system.settings_changes ARRAY JOIN changes AS c
        WHERE type = 'Session' AND c.2 != c.3 AND c.1 IN (SELECT name FROM system.settings)"""
    rows = read(db, sql)
    rows.sort(key=lambda row: (row[0], [int(part) for part in row[1].split(".")], row[2]))
    return "".join("\t".join(row) + "\n" for row in rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    db = session.Session()
    columns = "name, type, default, alias_for, tier"
    files = {
        "query.tsv": rows_of(
            db, f"SELECT {columns} FROM system.settings ORDER BY name", "query.tsv"
        ),
        "merge_tree.tsv": rows_of(
            db,
            "SELECT name, type, default, tier FROM system.merge_tree_settings ORDER BY name",
            "merge_tree.tsv",
        ),
        "compatibility.tsv": changes(db),
        "enums.tsv": enums(
            db,
            read(db, "SELECT name, type FROM system.settings"),
            read(db, "SELECT name, type FROM system.merge_tree_settings"),
        ),
    }
    for name, text in files.items():
        path = FOLDER / name
        if check and (not path.exists() or path.read_text() != text):
            sys.exit(f"{path} is not what scripts/settings_table.py writes")
        if not check:
            path.write_text(text)
            print(f"{path}: {text.count(chr(10))} rows")


if __name__ == "__main__":
    main()
