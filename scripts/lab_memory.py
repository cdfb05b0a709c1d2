"""How much memory the tables of performance tests take that are in it: all are in a process at once, on both sides.

    python3 scripts/lab_memory.py BINARY [FOLDER]

Asks BINARY for `byteSize` of every fiftieth of the rows that tests of FOLDER (tests/performance) fill `ENGINE = Memory` with by CREATE AS SELECT.
Prints gigabytes, test and SELECT of each table, and the sum. Substitutions in a table's text count once, as 10.
"""
import html
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PART = 50


def selects(text):
    for statement in re.findall(r"<create_query>(.*?)</create_query>", text, re.S):
        found = re.search(r"ENGINE = Memory AS (SELECT.*)", html.unescape(statement), re.S)
        if found:
            literal = found[1].replace("{{", "\0").replace("}}", "\1")
            yield re.sub(r"{\w+}", "10", literal).replace("\0", "{").replace("\1", "}")


def main(binary, folder=os.path.join(HERE, "..", "tests", "performance")):
    sum_of_all = 0
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".xml"):
            continue
        with open(os.path.join(folder, name)) as file:
            for select in selects(file.read()):
                part = re.sub(r"\b(numbers|hits)\((\d+)", lambda of: f"{of[1]}({int(of[2]) // PART}", select)
                query = f"SELECT sum(byteSize(*)) FROM ({part})"
                answer = subprocess.run([binary, "local", "-q", query], capture_output=True, text=True, check=True).stdout
                size = int(answer) * PART / 1e9
                sum_of_all += size
                print(f"{size:6.2f} GB  {name[:-4]:24} {select[:100]}")
    print(f"{sum_of_all:6.2f} GB")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
