"""query.py: keys for several filters, lines to be asked, and by a slow and
simple way what check with these filters has to print of them.

Makes: keys0 to keys4, one for each filter; lines; and any, all, none, not-all,
which and which-not, as check prints them.  many and many-which are for a list
of MANY filters, which are these again and again.
"""
import random

dice = random.Random(2026)
FILTERS = 5
MANY = 300

words = [b"%d" % i + b"x" * dice.choice((0, 0, 1, 7, 60, 200))
         for i in range(9000)]
common = set(words[:40])
keys = [common | set(dice.sample(words, n)) for n in (40, 200, 300, 100, 0)]
lines = dice.choices(words, k=15000)
# Many short ones, of which there are more than a thread takes at a time.
lines += [b"%d" % (i % 7000) for i in range(30000)]
# It is in all of them, and has no end.
lines.append(words[0])
for i, some in enumerate(keys):
    with open(f"keys{i}", "wb") as f:
        f.writelines(key + b"\n" for key in some)


def write(name, some):
    with open(name, "wb") as f:
        f.write(b"\n".join(some))
        if some and some[-1] is not lines[-1]:
            f.write(b"\n")


def which(names, has):
    return b"".join(b"%s\t%s\n" % (name, line) for line in lines
                    for name, some in names if (line in some) == has)


write("lines", lines)
write("any", [x for x in lines if any(x in k for k in keys)])
write("none", [x for x in lines if not any(x in k for k in keys)])
write("all", [x for x in lines if all(x in k for k in keys)])
write("not-all", [x for x in lines if not all(x in k for k in keys)])
names = [(b"%d.bf" % i, k) for i, k in enumerate(keys)]
with open("which", "wb") as f:
    f.write(which(names, True))
with open("which-not", "wb") as f:
    f.write(which(names, False))
many = [names[i * i % FILTERS] for i in range(MANY)]
with open("many", "wb") as f:
    f.writelines(name + b"\n" for name, _ in many)
with open("many-which", "wb") as f:
    f.write(which(many, True))
