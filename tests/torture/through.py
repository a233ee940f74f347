"""through.py [OPTION...] COMMAND...: run a command with its standard input and
output made difficult.  What comes in goes to it, what it prints comes out, and
its exit status is ours; 128 and the signal if it died of one.

  --bytes         no read gets more than one byte
  --pieces        reads get pieces of odd lengths, with pauses
  --nonblock-in   its stdin is a non-blocking pipe, and often empty
  --nonblock-out  its stdout is a non-blocking pipe, and often full
  --slow-out      its stdout is a blocking pipe, and often full
  --idle          for half a second nothing comes, and for as long nobody reads
                  what it prints; says on stderr how much processor time it took
                  to wait for that
  --stop          it is stopped and continued all the time
"""
import fcntl
import os
import resource
import signal
import subprocess
import sys
import threading
import time

F_SETPIPE_SZ = 1031


def set_flag(fd, flag):
    fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | flag)


def pieces(data, options):
    if "--bytes" in options:
        for i in range(len(data)):
            yield data[i:i + 1]
        return
    at, n = 0, 1
    while at < len(data):
        yield data[at:at + n]
        at += n
        n = n * 7 % 60013 + 1


def feed(fd, data, options):
    if "--idle" in options:
        time.sleep(0.5)
    paused = time.monotonic()
    try:
        for piece in pieces(data, options):
            os.write(fd, piece)
            # Now and then it finds nothing to read.
            if "--bytes" not in options or \
                    time.monotonic() - paused > 0.1:
                time.sleep(0.001)
                paused = time.monotonic()
    except BrokenPipeError:
        pass
    os.close(fd)


def stop_and_go(process):
    while process.returncode is None:
        try:
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.0003)
            process.send_signal(signal.SIGCONT)
            time.sleep(0.0003)
        except ProcessLookupError:
            return


def main():
    args = sys.argv[1:]
    options = set()
    while args[0].startswith("--"):
        options.add(args.pop(0))
    data = sys.stdin.buffer.read()
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    if "--bytes" in options:
        set_flag(to_write, os.O_DIRECT)     # packets
    if "--nonblock-in" in options:
        set_flag(to_read, os.O_NONBLOCK)
    if "--nonblock-out" in options:
        set_flag(from_write, os.O_NONBLOCK)
    slowly = not options.isdisjoint({"--nonblock-out", "--slow-out"})
    if slowly:
        fcntl.fcntl(from_write, F_SETPIPE_SZ, 4096)
    process = subprocess.Popen(args, stdin=to_read, stdout=from_write)
    os.close(to_read)
    os.close(from_write)
    threading.Thread(target=feed, args=(to_write, data, options)).start()
    if "--stop" in options:
        threading.Thread(target=stop_and_go, args=(process,),
                         daemon=True).start()
    if slowly:
        time.sleep(1 if "--idle" in options else 0.1)
    while got := os.read(from_read, 10007):
        sys.stdout.buffer.write(got)
        if slowly:
            time.sleep(0.0005)
    sys.stdout.buffer.flush()
    status = process.wait()
    if "--idle" in options:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"{usage.ru_utime + usage.ru_stime:.3f}", file=sys.stderr)
    sys.exit(status if status >= 0 else 128 - status)


main()
