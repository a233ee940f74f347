"""threads.py: lines of all lengths, and by a slow and simple way what add -v
and check have to print of them.

Makes: keys, to be put into a filter; lines, to be asked, with repeats; in and
out, those of lines that are keys and those that are not, as check prints them;
new, those that add -v prints.  zlines and so on are the same with NUL for
newline.
"""
import random

dice = random.Random(2026)
BUFFER = 128 * 1024


def length():
    """Mostly short; often around 64, a batch and a buffer."""
    kind = dice.random()
    if kind < 0.6:
        return dice.randrange(12)
    if kind < 0.9:
        return dice.randrange(200)
    if kind < 0.999:
        return 64 * dice.randrange(1, 40) + dice.randrange(-2, 3)
    return BUFFER * dice.choice((1, 1, 2, 5)) + dice.randrange(-70, 70)


def line(n):
    return dice.randbytes(n).translate(None, b"\n\0")


keys = [line(length()) for _ in range(40000)]
lines = []
while len(lines) < 100000:
    roll = dice.random()
    if roll < 0.5:
        lines.append(line(length()))
    elif roll < 0.9:
        lines.append(dice.choice(keys[:4000]))
    elif lines:
        lines.append(dice.choice(lines[-5000:]))
# Short ones only: more of them than a thread takes at a time.
lines += [b"%d" % dice.randrange(10) for _ in range(200000)]
lines.append(b"the last one, without an end")

known = set(keys)
seen = set()
new = []
for x in lines:
    if x not in seen:
        seen.add(x)
        new.append(x)
for name, some in (("keys", keys), ("lines", lines), ("new", new),
                   ("in", [x for x in lines if x in known]),
                   ("out", [x for x in lines if x not in known])):
    for prefix, end in (("", b"\n"), ("z", b"\0")):
        with open(prefix + name, "wb") as f:
            f.write(end.join(some))
            if some[-1] is not lines[-1]:
                f.write(end)
