"""Counts conditional jumps that cross or end at a border of 32 bytes, with the comparison they are fused with.

    python3 scripts/jump_borders.py BINARY...

Skylake to Cascade Lake decode such jumps anew each time (Intel, "Mitigations for Jump Conditional Code Erratum", 2019): loops that hold
one lose a fifth and more of their speed, by where the linker happened to put them. Needs objdump; a minute for 200 MB.
"""
import re
import subprocess
import sys

LINE = re.compile(r"\s*([0-9a-f]+):\s+(\S+)")
FUSED = ("cmp", "test", "add", "sub", "and", "inc", "dec")


def count(binary):
    """Jumps at a border, and all."""
    command = ["objdump", "-d", "-w", "--no-show-raw-insn", binary]
    bad = total = 0
    start = before = None
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as listing:
        for line in listing.stdout:
            found = LINE.match(line)
            if not found:
                start = before = None
                continue
            address, name = int(found[1], 16), found[2]
            # The jump before ends where this instruction begins.
            if start is not None and before[1].startswith("j") and before[1] != "jmp":
                total += 1
                bad += start // 32 != address // 32
            fuses = before is not None and before[1].startswith(FUSED)
            start = before[0] if fuses else address
            before = (address, name)
    return bad, total


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for binary in sys.argv[1:]:
        bad, total = count(binary)
        print(f"{binary}: {bad} of {total} conditional jumps at a border of 32 bytes")


main()
