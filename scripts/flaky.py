"""Looks for tests that fail by chance: runs every test binary idle, on one core, and beside loops that take both.

    python3 scripts/flaky.py [ROUNDS] [PART OF A BINARY'S NAME...]

Prints what failed, under which condition and in which file its output is, and ends with 1 if anything did.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

LIMIT = 900


def binaries():
    """(name, executable, folder of its package) of all tests; builds them."""
    line = ["cargo", "test", "--release", "--workspace", "--no-run", "--message-format=json"]
    built = subprocess.run(line, stdout=subprocess.PIPE, text=True, check=True)
    for message in map(json.loads, built.stdout.splitlines()):
        if message.get("executable") and message.get("profile", {}).get("test"):
            package = os.path.dirname(message["manifest_path"])
            yield f"{os.path.basename(package)}/{message['target']['name']}", message["executable"], package


def failed(name, executable, package, before, folder):
    """Names of the tests that failed; the binary's own if it ended otherwise."""
    path = os.path.join(folder, f"{name.replace('/', '.')}.log")
    with open(path, "w") as log:
        try:
            ended = subprocess.run([*before, executable], cwd=package, stdout=log, stderr=subprocess.STDOUT, timeout=LIMIT)
            code = ended.returncode
        except subprocess.TimeoutExpired:
            code = f"none after {LIMIT} s"
    if code == 0:
        return []
    names = re.findall(r"^test (\S+) \.\.\. FAILED", open(path, errors="replace").read(), re.M)
    return [f"{test} ({path})" for test in names] or [f"exit code {code} ({path})"]


def main():
    words = sys.argv[1:]
    rounds = int(words.pop(0)) if words and words[0].isdigit() else 1
    tests = [test for test in binaries() if not words or any(word in test[0] for word in words)]
    cores = os.cpu_count() or 1
    conditions = [("idle", [], 0), ("one core", ["taskset", "-c", "0"], 0), ("loaded", [], cores + 1)]
    found = 0
    for number in range(rounds):
        for condition, before, loops in conditions:
            folder = tempfile.mkdtemp(prefix=f"flaky-{condition.replace(' ', '-')}-")
            spinning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
            try:
                for at, (name, executable, package) in enumerate(tests):
                    if sys.stderr.isatty():
                        print(f"\rround {number + 1}, {condition}: {at + 1}/{len(tests)} {name:40}", end="", file=sys.stderr)
                    for what in failed(name, executable, package, before, folder):
                        found += 1
                        print(f"{condition}\t{name}\t{what}", flush=True)
            finally:
                for process in spinning:
                    process.kill()
                    process.wait()
    print(f"{found} failures in {rounds * len(conditions)} runs of {len(tests)} binaries")
    return 1 if found else 0


sys.exit(main())
