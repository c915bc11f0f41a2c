"""Runs commands that may hang or fall over, each with an end to its time, and keeps what they say."""
import contextlib
import os
import signal
import subprocess
import threading
import time


class ended:
    """How a command ended: its exit code (negative: by that signal), whether its time was up, the
    seconds that it took, and the last line that it printed."""

    def __init__(self, code, overdue, seconds, last_line):
        self.code, self.overdue, self.seconds, self.last_line = code, overdue, seconds, last_line

    @property
    def why(self):
        if self.overdue:
            return f"ended after {self.seconds:.0f} s"
        return f"exit code {self.code}: {self.last_line}"[:300]


def run(command, seconds, log, environment=None):
    """Runs `command` for at most `seconds`, with all that it starts; what they print goes to the open
    binary file `log`, line by line, as it comes, and to standard output. A command that is not there
    ends with 127. One that cannot be ended, as it waits for a driver that hangs, is left behind."""
    start = time.monotonic()
    try:
        process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, env=environment, start_new_session=True)
    except OSError as error:
        return ended(127, False, 0.0, str(error))
    last = [b""]

    def copy():
        for line in iter(process.stdout.readline, b""):
            last[0] = line.strip() or last[0]
            # A full disk or a closed terminal does not stop the command, which a full pipe would.
            with contextlib.suppress(OSError):
                log.write(line)
                log.flush()
            with contextlib.suppress(OSError):
                os.write(1, line)

    reader = threading.Thread(target=copy, daemon=True)
    reader.start()
    overdue = False
    try:
        overdue = not _over(process, max(0.1, seconds))
        if overdue:
            _signal(process, signal.SIGTERM)
            _over(process, 3)
    finally:
        # Whoever is left of its group holds the pipe, and perhaps the GPU.
        _signal(process, signal.SIGKILL)
    overdue = not _over(process, 5) or overdue
    reader.join(2)
    code = process.returncode if process.returncode is not None else -signal.SIGKILL
    return ended(code, overdue, time.monotonic() - start, last[0].decode(errors="replace"))


def _over(process, seconds):
    try:
        process.wait(seconds)
        return True
    except subprocess.TimeoutExpired:
        return False


def _signal(process, number):
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        pass


def limits(parts, minutes, reserve=5.0):
    """A function limit(name, now) of the seconds that a part may take, where `parts` are (name, usual
    seconds) in order, and time begins at 0: what is left after the usual times of the parts after it,
    at most 1.5 times its own usual time, but for the last part, which has all that is left. With
    fewer minutes than the usual times add up to, all shrink alike."""
    total = 60.0 * minutes - reserve
    shrink = min(1.0, total / max(1.0, sum(usual for _, usual in parts)))
    usual = [(name, seconds * shrink) for name, seconds in parts]

    def limit(wanted, now):
        at = next(i for i, (name, _) in enumerate(usual) if name == wanted)
        left = total - now
        if at == len(usual) - 1:
            return left
        return min(1.5 * usual[at][1], left - sum(seconds for _, seconds in usual[at + 1:]))
    return limit
