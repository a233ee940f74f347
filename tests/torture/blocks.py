"""Block devices of our own: a logged one, and states made from its log.

To be used in a mount namespace of its own (unshare -m): then mounts go with
the last process, and with them the loop devices, however the test ends.
"""
import bisect
import ctypes
import errno
import fcntl
import os
import random
import signal
import struct
import subprocess
import time

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mount.argtypes = [ctypes.c_char_p] * 3 + [ctypes.c_ulong, ctypes.c_char_p]
LIBC.fallocate.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64,
                           ctypes.c_int64]
LIBC.sync_file_range.argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.c_int64,
                                 ctypes.c_uint]

WRITE, SYNC = 1, 2              # kinds of records, as in blocklog.c
RECORD = struct.Struct("=IIQ")
PAGE, SECTOR = 4096, 512


def check(result):
    if result == -1:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


def mount(source, where, kind, data=""):
    check(LIBC.mount(source.encode(), where.encode(), kind.encode(), 0,
                     data.encode()))


def bind(source, where):
    check(LIBC.mount(source.encode(), where.encode(), None, 4096, None))


def unmount(where):
    """Busy for a moment: a child just forked may have a file of ours open."""
    until = time.monotonic() + 10
    while LIBC.umount2(where.encode(), 0) == -1:
        error = ctypes.get_errno()
        if error != errno.EBUSY or time.monotonic() > until:
            raise OSError(error, f"{where}: {os.strerror(error)}")
        time.sleep(0.01)


def start_writing(path, offset, length):
    """Have the kernel write out a part of a file, without any sync."""
    fd = os.open(path, os.O_RDONLY)
    check(LIBC.sync_file_range(fd, offset, length, 2))
    os.close(fd)


def extents(fd, size):
    """Where there are data: (offset, bytes), at most 1 MiB each."""
    at = 0
    while at < size:
        try:
            at = os.lseek(fd, at, os.SEEK_DATA)
        except OSError:         # nothing but holes from here on
            return
        end = os.lseek(fd, at, os.SEEK_HOLE)
        while at < end:
            chunk = os.pread(fd, min(1 << 20, end - at), at)
            yield at, chunk
            at += len(chunk)


def copy_sparse(source, target):
    """A copy with holes wherever there are pages of zeros."""
    zeros = bytes(PAGE)
    with open(source, "rb") as old, open(target, "wb") as new:
        size = os.fstat(old.fileno()).st_size
        new.truncate(size)
        for at, chunk in extents(old.fileno(), size):
            for i in range(0, len(chunk), PAGE):
                if chunk[i:i + PAGE] != zeros:
                    os.pwrite(new.fileno(), chunk[i:i + PAGE], at + i)


class Loop:
    """A loop device.  The kernel frees it when nobody uses it any more."""

    CTL_GET_FREE, CONFIGURE, FLSBUF = 0x4C82, 0x4C0A, 0x1261
    AUTOCLEAR, DIRECT = 4, 16

    def __init__(self, path, direct):
        info = bytearray(232)
        struct.pack_into("=I", info, 52,
                         self.AUTOCLEAR | (self.DIRECT if direct else 0))
        file = os.open(path, os.O_RDWR)
        config = struct.pack("=II", file, SECTOR) + bytes(info) + bytes(64)
        control = os.open("/dev/loop-control", os.O_RDWR)
        for _ in range(50):     # somebody else may be quicker
            self.path = f"/dev/loop{fcntl.ioctl(control, self.CTL_GET_FREE)}"
            self.fd = os.open(self.path, os.O_RDWR)
            try:
                fcntl.ioctl(self.fd, self.CONFIGURE, config)
                break
            except OSError:
                os.close(self.fd)
                self.fd = -1
        os.close(control)
        os.close(file)
        if self.fd == -1:
            raise OSError("no loop device is to be had")

    def forget_cache(self):
        fcntl.ioctl(self.fd, self.FLSBUF)

    def close(self):
        os.close(self.fd)


class LoggedDisk:
    """A block device over blocklog: IMAGE changes, LOG says how."""

    def __init__(self, program, image, log, where):
        self.where, self.log = where, log
        os.mkdir(where)
        self.daemon = subprocess.Popen(
            [program, image, log, where],
            preexec_fn=lambda: LIBC.prctl(1, signal.SIGKILL))
        for _ in range(500):
            if os.path.exists(where + "/disk"):
                break
            time.sleep(0.01)
        self.loop = Loop(where + "/disk", direct=True)

    def position(self):
        """Everything up to here has been written or synced by now."""
        return os.stat(self.log).st_size

    def close(self):
        self.loop.close()
        unmount(self.where)     # the kernel frees the loop a little later
        self.daemon.wait()

    def kill(self):
        self.daemon.kill()
        self.daemon.wait()


class Log:
    """The records of a log, by number."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.bytes = f.read()
        self.records, self.starts, self.last_sync = [], [], []
        at, synced = 0, 0
        while at < len(self.bytes):
            kind, length, offset = RECORD.unpack_from(self.bytes, at)
            self.starts.append(at)
            at += RECORD.size
            self.records.append((kind, offset, at, length))
            at += length
            if kind == SYNC:
                synced = len(self.records)
            self.last_sync.append(synced)

    def number(self, position):
        """How many records there were at this position, at the most."""
        return bisect.bisect_left(self.starts, position)

    def position(self, n):
        """Where n records end."""
        return self.starts[n] if n < len(self.starts) else len(self.bytes)

    def count(self, kind):
        return sum(record[0] == kind for record in self.records)

    def synced(self, n):
        """So many of the first n records were safe when the n-th was done."""
        return self.last_sync[n - 1] if n > 0 else 0

    def pieces(self, first, end):
        """What records first to end write, in pieces of a page."""
        for kind, offset, at, length in self.records[first:end]:
            for i in range(0, length if kind == WRITE else 0, PAGE):
                n = min(PAGE, length - i)
                yield offset + i, self.bytes[at + i:at + i + n]


class Rebuilt:
    """
    A disk as a power cut may have left it: all up to the last sync that was
    done, and any part of what was written since.  Ask for cuts in ascending
    order.
    """

    def __init__(self, log, base, work):
        self.log, self.applied = log, 0
        self.base = os.open(base, os.O_RDWR)
        self.size = os.fstat(self.base).st_size
        self.work = os.open(work, os.O_RDWR | os.O_CREAT, 0o600)
        os.ftruncate(self.work, self.size)
        self.loop = Loop(work, direct=False)

    def copy_base(self):
        check(LIBC.fallocate(self.work, 3, 0, self.size))  # all zeros again
        for at, chunk in extents(self.base, self.size):
            os.pwrite(self.work, chunk, at)

    def cut(self, n, dice):
        """The state after n records."""
        synced = self.log.synced(n)
        assert self.applied <= synced
        for offset, data in self.log.pieces(self.applied, synced):
            os.pwrite(self.base, data, offset)
        self.applied = synced
        self.copy_base()
        keep = dice.choice((0, 0.1, 0.3, 0.5, 0.7, 0.9, 1))
        torn = dice.choice((0, 0.2, 0.5))
        for offset, data in self.log.pieces(synced, n):
            if dice.random() >= keep:
                continue
            if dice.random() >= torn:
                os.pwrite(self.work, data, offset)
                continue
            for i in range(0, len(data), SECTOR):
                if dice.random() < 0.5:
                    os.pwrite(self.work, data[i:i + SECTOR], offset + i)
        self.loop.forget_cache()

    def close(self):
        self.loop.close()
        os.close(self.base)
        os.close(self.work)


def dice(*seed):
    return random.Random("/".join(map(str, seed)))
