#!/usr/bin/env bash
# After a tool is killed, the old file or the new one is there, and no temporary file if the signal
# could be caught.
source "$(dirname "$0")/../_shell_test.sh"
rounds=20
sanitized && rounds=4
records 20000 >in
echo old >old
mkfifo pipe
for tool in "$window --records" cuset-tag; do
    $tool in -o new.zst
    for ((i = 0; i < rounds; ++i)); do
        cp old out.zst
        $tool in -o out.zst &
        pid=$!
        sleep "0.0$((RANDOM % 100))"
        kill -9 $pid 2>/dev/null || true
        wait $pid 2>/dev/null || true
        cmp -s out.zst old || cmp -s out.zst new.zst || fail "$tool: neither the old file nor the new one"
        rm -f .out.zst.cuset-*
    done

    case_is 'The stream stays open, so the signal comes while the temporary file is there'
    for signal in TERM INT HUP; do
        cp old out
        # A shell's background job ignores SIGINT; Python's does not.
        python3 - $signal $tool <<'P' || fail "$tool: SIG$signal"
import glob, os, signal, subprocess, sys, time
number = getattr(signal, "SIG" + sys.argv[1])
p = subprocess.Popen([*sys.argv[2:], "-o", "out", "--on-error=skip", "--rejects=bad", "pipe"],
                     preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
writer = os.open("pipe", os.O_WRONLY)
os.write(writer, b"broken\n")
while len(glob.glob(".*.cuset-*")) < 2:
    assert p.poll() is None
    time.sleep(0.01)
p.send_signal(number)
assert p.wait() == -number, p.returncode
assert not glob.glob(".*.cuset-*"), os.listdir(".")
P
        cmp out old || fail "$tool: SIG$signal touched the output"
    done

    case_is 'A tool started by nohup ignores the signal'
    python3 - $tool <<'P' || fail "$tool: ignored SIGHUP"
import os, signal, subprocess, sys
p = subprocess.Popen([*sys.argv[1:], "-o", "out", "pipe"],
                     preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
writer = os.open("pipe", os.O_WRONLY)
p.send_signal(signal.SIGHUP)
os.close(writer)
assert p.wait() == 0
P
done
