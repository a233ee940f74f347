"""hold_lock.py FILE BYTE alone|shared: hold one of a filter's locks.

BYTE 0 is that of the writers, 1 that of a batch.  Says "held", then stops
itself like a process that was stopped in the middle of its work.
"""
import fcntl
import os
import signal
import struct
import subprocess
import sys


def main(path, byte, how):
    fd = os.open(path, os.O_RDWR)
    kind = fcntl.F_WRLCK if how == "alone" else fcntl.F_RDLCK
    # struct flock: l_type, l_whence, l_start, l_len, l_pid
    lock = struct.pack("hhqqi4x", kind, os.SEEK_SET, (1 << 62) + int(byte),
                       1, 0)
    fcntl.fcntl(fd, fcntl.F_OFD_SETLKW, lock)
    print("held", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)


def hold(path, byte, how):
    """A process that does; kill it by its kill()."""
    p = subprocess.Popen([sys.executable, os.path.abspath(__file__), path,
                          str(byte), how], stdout=subprocess.PIPE)
    if p.stdout.readline() != b"held\n":
        raise RuntimeError("cannot take the lock")
    return p


if __name__ == "__main__":
    main(*sys.argv[1:])
