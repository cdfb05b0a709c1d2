"""Builds Entasis for AArch64 and tests it under qemu: unit tests of the crates with kernels, then each SQL case once.

    test_arm.py TARGET_DIRECTORY [PART_OF_A_PATH]

It needs a compiler with the standard library of AArch64, a linker and qemu. On Debian:

    dpkg --add-architecture arm64 && apt-get update
    apt-get install rustc-web libstd-rust-web-dev:arm64 gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static

Where one of them is missing, it says so and ends without an error. The C library of the package above for arm64 must be
the installed one, because a program that mixes it with that of the cross compiler loops when it starts a thread.
"""
import concurrent.futures
import difflib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TRIPLE = "aarch64-unknown-linux-gnu"
ROOT = pathlib.Path(__file__).resolve().parent.parent
CRATES = ["simd", "codec", "column"]


def compiler():
    """A compiler that has the standard library of AArch64."""
    for path in ["rustc", "/usr/bin/rustc"]:
        if shutil.which(path) is None:
            continue
        asked = subprocess.run([path, "--print", "target-libdir", "--target", TRIPLE], capture_output=True, text=True)
        if asked.returncode == 0 and list(pathlib.Path(asked.stdout.strip()).glob("libstd-*")):
            return path
    return None


def tools():
    """The compiler and qemu, or what is missing."""
    rustc = compiler()
    qemu = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
    missing = []
    if rustc is None:
        missing.append("Rust's standard library for AArch64")
    if shutil.which("aarch64-linux-gnu-gcc") is None:
        missing.append("aarch64-linux-gnu-gcc")
    if qemu is None:
        missing.append("qemu-aarch64-static")
    if not os.path.exists("/lib/ld-linux-aarch64.so.1"):
        missing.append("the C library for AArch64 (libc6:arm64)")
    return rustc, qemu, missing


def cargo(rustc, qemu, target, *arguments):
    """Runs cargo for AArch64. One small profile: no debug information."""
    name = TRIPLE.replace("-", "_")
    environment = dict(os.environ, RUSTC=rustc, CARGO_PROFILE_RELEASE_OPT_LEVEL="2", CARGO_PROFILE_RELEASE_DEBUG="false")
    environment[f"CARGO_TARGET_{name.upper()}_LINKER"] = "aarch64-linux-gnu-gcc"
    environment[f"CARGO_TARGET_{name.upper()}_RUNNER"] = qemu
    # Linux on AArch64 may have pages of 64 KiB.
    environment[f"{name.upper()}_JEMALLOC_SYS_WITH_LG_PAGE"] = "16"
    environment[f"CC_{name}"] = "aarch64-linux-gnu-gcc"
    command = [os.environ.get("CARGO", "cargo"), *arguments, "--release", "--target", TRIPLE, "--target-dir", target]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)


def difference(qemu, binary, case):
    """What is wrong with the answer to a case; None if nothing is."""
    want = case.with_suffix(".reference").read_bytes()
    command = [qemu, binary, "local", "--test-hints", "--queries-file", case]
    with tempfile.TemporaryDirectory() as folder:
        try:
            ran = subprocess.run(command, cwd=folder, capture_output=True, timeout=900)
        except subprocess.TimeoutExpired:
            return f"{case}: no answer after 900 s"
    if ran.returncode == 0 and ran.stdout == want:
        return None
    lines = [text.decode(errors="replace").splitlines() for text in (want, ran.stdout)]
    shown = list(difflib.unified_diff(*lines, lineterm="", n=1))[:12]
    said = ran.stderr.decode(errors="replace")[:600]
    return "\n".join([f"{case}: status {ran.returncode}", *shown, said])


def main():
    target, part = sys.argv[1], (sys.argv[2:] or [""])[0]
    rustc, qemu, missing = tools()
    if missing:
        print(f"skipped: needs {', '.join(missing)} (the head of scripts/test_arm.py says how to install it)")
        return 0
    packages = [argument for crate in CRATES for argument in ("-p", f"entasis-{crate}")]
    cargo(rustc, qemu, target, "test", *packages, "--lib")
    cargo(rustc, qemu, target, "build", "--workspace", "--bin", "entasis")
    binary = pathlib.Path(target) / TRIPLE / "release" / "entasis"
    pending = {line.strip() for line in (ROOT / "tests/sql/pending.txt").read_text().splitlines()}
    cases = []
    for case in sorted((ROOT / "tests/sql").rglob("*.sql")):
        name = str(case.relative_to(ROOT / "tests/sql").with_suffix(""))
        if part in name and name not in pending and case.with_suffix(".reference").exists():
            cases.append(case)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [text for text in pool.map(lambda case: difference(qemu, binary, case), cases) if text]
    for text in wrong:
        print(text)
    print(f"AArch64: {len(cases) - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
