#!/usr/bin/env python3
"""Writes docs/coverage.md: which names of the reference engine (chdb) this build has, and which it lacks.

    coverage.py ENTASIS [--print]

Each list is a query that both engines answer, such as the names in system.functions. A name counts as
missing if the reference lists it and this build does not. REASONS says why a name stays out for good.
"""

import subprocess
import sys
import textwrap
from pathlib import Path

import chdb

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "docs" / "coverage.md"

# Title, and a query for the names.
LISTS = [
    ("Functions", "SELECT name FROM system.functions WHERE NOT is_aggregate AND origin = 'System'"),
    ("Aggregate functions", "SELECT name FROM system.functions WHERE is_aggregate"),
    ("Combinators", "SELECT name FROM system.aggregate_function_combinators"),
    ("Types", "SELECT name FROM system.data_type_families"),
    ("Formats", "SELECT name FROM system.formats"),
    ("Table engines", "SELECT name FROM system.table_engines"),
    ("Table functions", "SELECT name FROM system.table_functions"),
    ("Database engines", "SELECT name FROM system.database_engines"),
    ("Dictionary layouts", "SELECT name FROM system.dictionary_layouts"),
    ("Dictionary sources", "SELECT name FROM system.dictionary_sources"),
    ("Codecs", "SELECT name FROM system.codecs"),
    ("Skipping indices", "SELECT name FROM system.data_skipping_index_types"),
    ("System tables", "SELECT name FROM system.tables WHERE database = 'system'"),
]

# Groups of names that stay out, by list: a predicate on the lower-case name, and the reason.
REASONS = [
    ("other systems that a table is read from", ("Table engines", "Table functions", "Database engines", "Dictionary sources", "System tables"),
     ("s3", "azure", "hdfs", "gcs", "oss", "cosn", "kafka", "rabbitmq", "nats", "mysql", "postgres", "mongo", "redis", "odbc", "jdbc",
      "sqlite", "hudi", "delta", "iceberg", "paimon", "ytsaurus", "arrowflight", "hive", "cassandra", "datalake", "bigquery")),
    ("coordination of several machines", ("Table engines", "Database engines", "Table functions", "System tables"),
     ("shared", "replicated", "keeper", "zookeeper")),
]


def reason(title, name):
    for text, titles, starts in REASONS:
        if title in titles and any(start in name.lower() for start in starts):
            return text
    return None


def names_of_reference(query):
    return sorted({line for line in str(chdb.query(f"{query} FORMAT TSVRaw")).splitlines() if line})


def names_of_entasis(binary, query):
    done = subprocess.run([binary, "local", "-q", f"{query} FORMAT TSVRaw"], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{query}\n{done.stderr}")
    return {line for line in done.stdout.splitlines() if line}


def document(binary):
    rows, details = [], []
    for title, query in LISTS:
        wanted, have = names_of_reference(query), names_of_entasis(binary, query)
        missing = [name for name in wanted if name not in have]
        own = len([name for name in have if name not in set(wanted)])
        rows.append(f"| {title} | {len(wanted)} | {len(wanted) - len(missing)} | {len(missing)} | {own} |")
        if missing:
            details.append(f"\n## {title}\n")
            for text in [text for text, _, _ in REASONS] + [None]:
                group = [name for name in missing if reason(title, name) == text]
                if group:
                    lead = f"Stay out ({text})" if text else "Missing"
                    line = f"{lead}: {', '.join(f'`{name}`' for name in group)}."
                    details.append(textwrap.fill(line, 120, break_long_words=False, break_on_hyphens=False) + "\n")
    head = (
        "# Coverage\n\n"
        "This page compares the names that the reference engine lists in its system tables with the names that this\n"
        "build lists. `make coverage` writes it. A name that is listed may still lack an option; `docs/status.md` says so.\n\n"
        "| list | reference | of these here | missing | only here |\n|---|---:|---:|---:|---:|\n"
    )
    return head + "\n".join(rows) + "\n" + "\n".join(details)


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    if len(arguments) != 1:
        sys.exit(__doc__)
    text = document(arguments[0])
    if "--print" in sys.argv:
        print(text, end="")
    else:
        OUT.write_text(text)
        print(f"wrote {OUT.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
