"""Lines and filters to measure with."""
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BLOOMTOOL = os.path.join(ROOT, "bloomtool")


def write_lines(path, first, count, length=69):
    """count different lines of so many bytes: URLs as a crawler sees them."""
    numbers = range(first, first + count)
    if length < 69:
        form = f"%0{length - 1}x\n"
        lines = (form % (i * 0x9E3779B1 % 16 ** (length - 1)) for i in numbers)
    else:
        form = f"https://www.example.org/%010d/%0{length - 36}x\n"
        lines = (form % (i * 2654435761 % 10**10, i * 0x9E3779B97F4A7C15)
                 for i in numbers)
    with open(path, "w", buffering=1 << 20) as out:
        out.writelines(lines)


def fresh_filter(path, keys, rate=0.01, seed=None):
    subprocess.run([BLOOMTOOL, "create", "-fq", "-n", f"{keys:.0f}", "-p",
                    str(rate), *(["-S", str(seed)] if seed else []), path],
                   check=True)
