"""Memory is bounded by the batch, not by the file; a line may be as long as memory allows.

CUSET_LONG=1 takes streams of 2 GB; else they are short. Peak memory is that of the kernel's
accounting of the child (ru_maxrss).
"""
import os
import shutil
import subprocess
import sys
import tempfile

BIN = os.environ["CUSET_BIN"]
SANITIZED = os.environ.get("CUSET_SANITIZE") == "ON"
LONG = os.environ.get("CUSET_LONG") == "1"
MB = 1 << 20
stream_bytes = 2048 * MB if LONG else 20 * MB if SANITIZED else 200 * MB
line_bytes = 5 * MB if SANITIZED else 200 * MB


def run(command, feed):
    """Runs it on the pieces of feed; (exit code, lines out, bytes out, peak MB)."""
    p = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    if os.fork() == 0:
        p.stdout.close()
        try:
            for piece in feed:
                p.stdin.write(piece)
            p.stdin.close()
        except BrokenPipeError:
            pass
        os._exit(0)
    p.stdin.close()
    lines = size = 0
    while piece := p.stdout.read(MB):
        lines += piece.count(b"\n")
        size += len(piece)
    p.stdout.close()
    _, status, usage = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    os.wait()
    return p.returncode, lines, size, usage.ru_maxrss / 1024


def check(what, ok):
    if not ok:
        sys.exit("FAILED: " + what)


code_line = "__global__ void k(float *x) { x[threadIdx.x] += 1; }\\nk<<<1, 2>>>(x);\\n"
response = code_line * 40
size = len(code_line.replace("\\n", "n")) * 40
tokens = 600
end = [min(size, (i + 1) * size // tokens) for i in range(tokens)]
record = ('{"id":"k","prompt":"p","response":"%s","score":{"end":%s,"confidence":[%s]}}\n' % (
    response, str(end).replace(" ", ""), ",".join("0.%06d" % (i * 7919 % 999983) for i in range(tokens)))).encode()
block = record * (MB // len(record))
tools = {"cuset-window": ["--records", "--plain", "-q"], "cuset-tag": ["--plain", "-q"]}
for tool, flags in tools.items():
    path = os.path.join(BIN, tool)
    if not os.path.exists(path):
        print("without " + tool + ": it is not built")
        continue
    total = stream_bytes if tool == "cuset-window" or LONG else stream_bytes // 10
    count = total // len(block)
    code, lines, size_out, peak = run([path, *flags, "-t2"], (block for _ in range(count)))
    print("%s: %d MB in, exit code %d, peak %.0f MB" % (tool, total // MB, code, peak))
    check("exit code", code == 0)
    check("lines", lines == count * block.count(b"\n"))
    check("bounded memory", SANITIZED or peak < 100)

    # One long line, of blanks and code in turn; many times its size may be needed, not more. The
    # parser's index alone is 4 bytes for each byte of a line.
    comment = b" " * 100 + b"// text\\n"
    pieces = line_bytes // len(comment)
    line_in = line_bytes if tool == "cuset-window" else line_bytes // 10
    pieces = line_in // len(comment)
    def long_line():
        yield b'{"response":"'
        for at in range(0, pieces, 10000):
            yield comment * min(10000, pieces - at)
        yield b'","score":{"end":[1],"confidence":[1]}}\n'
    code, lines, size_out, peak = run([path, *flags, "-t1"], long_line())
    print("%s: a line of %d MB, exit code %d, peak %.0f MB" % (tool, line_in // MB, code, peak))
    check("exit code", code == 0)
    check("lines", lines == 1 and size_out > pieces * len(comment))
    check("bounded memory", SANITIZED or peak < 16 * line_in / MB + 100)

# A line without an end, of brackets: an error at its end, not a stack overflow.
path = os.path.join(BIN, "cuset-window")
code, lines, _, peak = run([path, "-q"], [b'{"a":' + b"[" * (line_bytes // 10)])
check("brackets", code == 1)
