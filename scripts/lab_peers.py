"""How fast every performance query is beside the reference engine (chdb): `make lab-peers`.

    python3 scripts/lab_peers.py BINARY FOLDER [--python PYTHON] [ARGUMENT...]

Runs stage 1 of `lab compare` with chdb as the old side and BINARY as the new one, over tests/performance or the files among the
arguments, which go to `lab compare` as they are (`--only json`, `--first-seconds 1`). The tests run in parts; the report of each, the
JSON of all and `peers.tsv` (ratio, milliseconds of both, test, number, query, with the slowest first) are in FOLDER. PYTHON is one that
has the package chdb. With `--from JSON` nothing is run, and that file is read.

Prints the geometric mean of the ratios of times and the queries whose ratio is above 1.2. Those with a line in
tests/performance/peers.tsv (test, number or * for all, reason) are known; exits with 1 if there are others, and with 2 if nothing
was measured. Lines of that file that nothing needs any more are printed, too.
"""
import glob
import json
import math
import os
import subprocess
import sys

MOST = 1.2
HERE = os.path.dirname(os.path.abspath(__file__))
# Test files in one run of `lab compare`: all tables of a run are there at once.
BATCH = 15
TESTS = os.path.join(HERE, "..", "tests", "performance")
# Three pairs of runs or more tell a factor of 1.2; a verdict on a percent is not wanted.
USUAL = ["--first-only", "--first-runs", "3", "--first-seconds", "0.3", "--min-effect", "0.2", "--wanted-effect", "0",
         "--profile-seconds", "0", "--max-query-seconds", "60", "--no-answers"]


def option(arguments, name):
    """Takes an option with its value out of the arguments."""
    if name not in arguments:
        return None
    place = arguments.index(name)
    value = arguments[place + 1]
    del arguments[place:place + 2]
    return value


def batches(arguments):
    """The test files in parts, each of which has few enough tables for the memory of both sides; and the other arguments."""
    given = [one for one in arguments if os.path.exists(one)]
    files = [file for one in given or [TESTS]
             for file in (sorted(glob.glob(os.path.join(one, "*.xml"))) if os.path.isdir(one) else [one])]
    return [files[at:at + BATCH] for at in range(0, len(files), BATCH)], [one for one in arguments if one not in given]


def compared(binary, folder, python, arguments):
    """Runs the comparison part by part; answers the path of its JSON."""
    os.makedirs(folder, exist_ok=True)
    result = os.path.join(folder, "peers.json")
    environment = dict(os.environ, ENTASIS_BIN=os.path.abspath(binary))
    if python:
        environment["PATH"] = os.path.dirname(os.path.abspath(python)) + os.pathsep + environment["PATH"]
    parts, others = batches(arguments)
    whole = {"queries": [], "verdicts": [], "troubles": []}
    for number, files in enumerate(parts, 1):
        part = os.path.join(folder, f"part{number}")
        if os.path.exists(part + ".json"):
            os.remove(part + ".json")
        print(f"part {number} of {len(parts)}", flush=True)
        command = [binary, "lab", "compare", "--left", "chdb", "--right", binary, *USUAL, "--dir", folder, "--json", part + ".json",
                   "--report", part + ".html", *others, *files]
        # That something is slower, or fails on one side, is no failure here.
        subprocess.run(command, env=environment, check=False)
        if os.path.exists(part + ".json"):
            with open(part + ".json") as text:
                run = json.load(text)
            for key, all_of in whole.items():
                all_of += run[key]
    if not whole["queries"]:
        sys.exit(2)
    with open(result, "w") as text:
        json.dump(whole, text)
    return result


def known(path):
    """Reasons by test and number."""
    with open(path) as lines:
        fields = [line.rstrip("\n").split("\t") for line in lines if line.strip() and not line.startswith("#")]
    return {(test, number): reason for test, number, reason in fields}


def reason_of(reasons, key):
    """The key of the line about a query, if there is one."""
    return next((one for one in (key, (key[0], "*")) if one in reasons), None)


def main():
    arguments = sys.argv[1:]
    source, python = option(arguments, "--from"), option(arguments, "--python")
    if not source and len(arguments) < 2:
        sys.exit(__doc__)
    with open(source or compared(*arguments[:2], python, arguments[2:])) as text:
        run = json.load(text)
    texts = {(one["test"], str(one["index"])): one["query"] for one in run["queries"]}
    times = {(one["test"], str(one["index"])): (one["new"], one["old"]) for one in run["verdicts"]
             if one["metric"] == "client_time"}
    rows = sorted(((new / old, new, old, key) for key, (new, old) in times.items()), reverse=True)
    if not rows:
        sys.exit(2)
    with open(os.path.join(os.path.dirname(source) if source else arguments[1], "peers.tsv"), "w") as out:
        out.write("ratio\tentasis_ms\tchdb_ms\ttest\tnumber\tquery\n")
        for ratio, new, old, key in rows:
            text = texts[key].replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
            out.write(f"{ratio:.2f}\t{new * 1000:.1f}\t{old * 1000:.1f}\t{key[0]}\t{key[1]}\t{text}\n")
    reasons = known(os.path.join(TESTS, "peers.tsv"))
    over = [(ratio, key) for ratio, _, _, key in rows if ratio > MOST]
    explained = [(ratio, key) for ratio, key in over if reason_of(reasons, key)]
    others = [(ratio, key) for ratio, key in over if not reason_of(reasons, key)]
    troubles = [one for one in run["troubles"] if (one["test"], str(one["index"])) not in times]
    needed = {reason_of(reasons, key) for _, key in over} | {reason_of(reasons, (one["test"], str(one["index"]))) for one in troubles}
    for title, list_of in (("with a reason", explained), ("without a reason", others)):
        print(f"\nabove {MOST}, {title}:")
        for ratio, key in list_of:
            why = reasons.get(reason_of(reasons, key), texts[key].replace("\n", " ")[:100])
            print(f"  {ratio:6.2f}  {key[0]} #{key[1]}: {why}")
    print("\nnot compared:")
    for one in troubles:
        why = reasons.get(reason_of(reasons, (one["test"], str(one["index"]))), one["trouble"][:100])
        print(f"  {one['test']} #{one['index']}: {why}")
    measured = {test for test, _ in times}
    for key in sorted(set(reasons) - needed):
        if key[0] in measured:
            print(f"the line {key[0]} {key[1]} of peers.tsv is no longer needed")
    mean = math.exp(sum(math.log(ratio) for ratio, *_ in rows) / len(rows))
    print(f"\n{len(rows)} queries, geometric mean {mean:.2f}; {len(over)} above {MOST}: {len(explained)} with a reason, "
          f"{len(others)} without; {len(troubles)} not compared")
    sys.exit(1 if others else 0)


if __name__ == "__main__":
    main()
