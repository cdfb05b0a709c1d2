#!/usr/bin/env python3
"""The binary for distribution, `make dist`: thin LTO, profile-guided optimisation, and BOLT where it is installed.

    python3 scripts/dist.py FOLDER [--cargo CARGO] [--queries N] [--no-bolt]

1. Builds the binary with counters (`-C profile-generate`) in FOLDER/counted.
2. Trains it: the demo, every SQL case, N performance queries drawn by chance (default: 150), and small requests over HTTP.
3. Builds it again with the profile and the cargo profile `dist` in FOLDER/guided.
4. With llvm-bolt: trains that binary in the same way with BOLT's counters, and orders its code by what was hot.

The result is FOLDER/entasis, and FOLDER/entasis.debug has its names and lines. Needs an llvm-profdata (Debian: llvm-19) that reads
what rustc's runtime wrote; for step 4 llvm-bolt (Debian: bolt-19). Only x86-64 has step 4.
"""
import glob
import http.client
import os
import platform
import shutil
import subprocess
import sys
import tempfile

from lab_peers import option
from own_server import OwnServer

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Small requests that the server answers during the training, and how often.
REQUESTS = ["SELECT 1", "SELECT count() FROM hits", "SELECT UserID, URL FROM hits WHERE WatchID = 77",
            "SELECT max(UserID) FROM hits WHERE WatchID BETWEEN 100 AND 200", "SELECT count() FROM hits WHERE UserID = 3 FORMAT JSON"]
TIMES = 2000


def tool(name):
    """The newest tool of LLVM with that name; `None` if there is none."""
    def version(path):
        return int("".join(filter(str.isdigit, os.path.dirname(path))) or 0)
    versions = sorted(glob.glob(f"/usr/lib/llvm-*/bin/{name}"), key=version)
    return versions[-1] if versions else shutil.which(name)


def run(command, **more):
    print("+", " ".join(command), flush=True)
    subprocess.run(command, check=True, cwd=ROOT, **more)


def host():
    return subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout.split("host: ")[1].split()[0]


def built(cargo, target, folder, profile, flags):
    """Builds the binary with further flags of rustc; build scripts and macros get none, as a target is named."""
    flags = ", ".join(f'"{flag}"' for flag in flags)
    run([cargo, "build", "--profile", profile, "--bin", "entasis", "--target", target, "--target-dir", folder,
         "--config", f"target.{target}.rustflags=[{flags}]"])
    return os.path.join(folder, target, profile, "entasis")


def requests(binary, environment):
    """Small requests over one connection."""
    server = OwnServer(binary, "dist", environment=environment)
    server.text("CREATE TABLE hits (WatchID UInt64, UserID UInt64, URL String) ENGINE = MergeTree ORDER BY WatchID")
    server.text("INSERT INTO hits SELECT number, cityHash64(number) % 1000, concat('http://example.com/', toString(number)) "
                "FROM numbers(100000)")
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    for text in REQUESTS * TIMES:
        connection.request("POST", "/", text.encode())
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            sys.exit(f"{text}: {body.decode(errors='replace')}")
    server.stop()


def trained(binary, queries, environment):
    """Runs what people run, so that the counters of the binary say what is hot. Answers are not looked at."""
    environment = dict(os.environ, **environment)
    quiet = {"env": environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": False}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([binary, "demo", "--once", "--rows", "1000000", "--path", os.path.join(folder, "demo")], cwd=folder, **quiet)
        for case in sorted(glob.glob(os.path.join(ROOT, "tests/sql/**/*.sql"), recursive=True)):
            with open(case) as text:
                subprocess.run([binary, "local", "--test-hints"], stdin=text, cwd=folder, timeout=300, **quiet)
        subprocess.run([binary, "lab", "profile", "--queries", "--left", binary, "--functions", "1", "--dir", os.path.join(folder, "lab"),
                        "--max-queries", str(queries), "--seed", "1", os.path.join(ROOT, "tests/performance")], cwd=folder, **quiet)
    requests(binary, environment)


def ordered(binary, folder, queries):
    """The binary with its code ordered by BOLT, or as it is."""
    bolt = tool("llvm-bolt")
    if not bolt or platform.machine() != "x86_64":
        print("skipped: code is not ordered, as llvm-bolt is missing (sudo apt-get install bolt-19)")
        return binary
    counted, counts, result = (os.path.join(folder, name) for name in ["entasis.counted", "bolt.fdata", "entasis.ordered"])
    for old in glob.glob(counts + "*"):
        os.remove(old)
    run([bolt, binary, "-instrument", "-instrumentation-file-append-pid", f"-instrumentation-file={counts}", "-o", counted])
    trained(counted, queries, {})
    merge = tool("merge-fdata")
    with open(counts, "wb") as merged:
        run([merge, *glob.glob(counts + ".*")], stdout=merged)
    run([bolt, binary, "-o", result, f"-data={counts}", "-reorder-blocks=ext-tsp", "-reorder-functions=cdsort",
         "-split-functions", "-split-all-cold", "-split-eh", "-dyno-stats", "-update-debug-sections"])
    return result


def main():
    arguments = sys.argv[1:]

    cargo, queries = option(arguments, "--cargo") or "cargo", int(option(arguments, "--queries") or 150)
    bolts = "--no-bolt" not in arguments
    folder = os.path.abspath(arguments[0])
    merge = tool("llvm-profdata")
    if not merge:
        print("skipped: needs llvm-profdata (sudo apt-get install llvm-19)")
        return
    target, raw = host(), os.path.join(folder, "raw")
    counted = built(cargo, target, os.path.join(folder, "counted"), "release", [f"-Cprofile-generate={raw}"])
    shutil.rmtree(raw, ignore_errors=True)
    trained(counted, queries, {"LLVM_PROFILE_FILE": os.path.join(raw, "%m_%4m.profraw")})
    profile = os.path.join(folder, "entasis.profdata")
    run([merge, "merge", "-o", profile, *glob.glob(os.path.join(raw, "*.profraw"))])
    # BOLT moves functions, so it needs their relocations.
    guided = built(cargo, target, os.path.join(folder, "guided"), "dist", [f"-Cprofile-use={profile}", "-Clink-arg=-Wl,--emit-relocs"])
    last = ordered(guided, folder, max(queries // 3, 1)) if bolts else guided
    result = os.path.join(folder, "entasis")
    copy = tool("llvm-objcopy") or shutil.which("objcopy")
    run([copy, "--only-keep-debug", last, result + ".debug"])
    run([copy, "--strip-all", f"--add-gnu-debuglink={result}.debug", last, result])
    print(f"{result}: {os.path.getsize(result) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
