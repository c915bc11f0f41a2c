#!/usr/bin/env bash
# This tests tools whose input or output is not as it should be.
source "$(dirname "$0")/../_shell_test.sh"
exec >/dev/null  # the tools' normal output is not needed

# faults TOOL: tests the command line TOOL, which writes one row or record for each pair.
faults() {
    tool=$1 name=${1%% *}
    rm -rf room && mkdir room && cd room
    records 3 >in

    case_is 'Full disks, by any name'
    expect 1 $tool in >/dev/full
    grep -q "^$name: standard output: No space left on device$" err || fail "$tool: no word of the full disk: $(cat err)"
    expect 1 $tool --plain in >/dev/full
    expect 1 $tool in -o /dev/full
    expect 1 $tool --help >/dev/full
    expect 1 $tool --version >/dev/full

    case_is 'A reader that goes away: the tool ends without a message, by SIGPIPE'
    records 50000 >many
    for flags in "" --plain -t1; do
        set +o pipefail
        code=$($tool $flags many 2>err | head -c 1 >/dev/null; echo "${PIPESTATUS[0]}")
        set -o pipefail
        [ "$code" = 141 ] || fail "$tool $flags into head ended with $code"
        [ ! -s err ] || fail "$tool $flags into head said: $(cat err)"
    done
    # The same if our starter ignored SIGPIPE; no temporary file is left.
    python3 - $tool <<'P' || fail "$tool: SIGPIPE ignored from outside"
import subprocess, sys
p = subprocess.Popen([*sys.argv[1:], "--on-error=skip", "--rejects=rejects", "many"],
                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, restore_signals=False)
p.stdout.read(1)
p.stdout.close()
said = p.stderr.read()
code = p.wait()
assert code == -13 and not said, (code, said)
P
    set +o pipefail
    $tool --on-error=skip --rejects=rejects many | head -c 1 >/dev/null
    set -o pipefail
    [ "$(ls -A | grep -c cuset-)" = 0 ] || fail "$tool: temporary files left: $(ls -A)"

    case_is 'Closed descriptors'
    expect 1 $tool in >&-
    expect 1 $tool <&-
    expect 1 $tool in >&-
    $tool in -o out >&- || fail "$tool: -o needs no standard output"
    # Without a stderr, no message may go into the file that got its number.
    records 2 >broken
    echo broken >>broken
    if $tool -o out.jsonl <broken 2>&-; then fail "$tool: a bad record passed"; fi
    $tool --on-error=skip --rejects=rejects -o out.jsonl <broken 2>&- || [ $? = 3 ] || fail "$tool: no 3"
    [ "$(wc -l <out.jsonl)" = 2 ] && ! grep -q cuset out.jsonl || fail "$tool: messages in the output"
    [ "$(cat rejects)" = broken ] || fail "$tool: messages in the rejects"

    case_is 'Files that cannot be read or written'
    expect 1 $tool none
    grep -q "^$name: none: No such file or directory$" err || fail "$tool: $(cat err)"
    expect 1 $tool .
    grep -q "^$name: .: Is a directory$" err || fail "$tool: $(cat err)"
    expect 1 $tool in -o nofolder/out
    expect 1 $tool in -o .
    expect 1 $tool --on-error=skip --rejects=nofolder/rejects in -o out
    if [ "$(id -u)" != 0 ]; then
        touch secret && chmod 0 secret
        expect 1 $tool secret
        touch readonly && chmod 400 readonly
        expect 1 $tool in -o readonly
    fi

    case_is 'Output that is also input'
    cp in x
    ln x hard
    ln -s x soft
    for file in x hard soft; do
        expect 2 $tool x -o $file
        expect 2 $tool -o $file <x
        expect 2 $tool in x -o $file
        expect 2 $tool --on-error=skip --rejects=$file x -o out
    done
    expect 2 $tool x >>x
    expect 2 $tool <x >>hard
    expect 2 $tool --on-error=skip --rejects=new -o new in
    expect 2 $tool --on-error=skip --rejects=- in
    cmp in x || fail "$tool: the input was touched"
    [ ! -e new ] || fail "$tool: new exists"
    # An option without its value, as from an unset variable, does not take a file as the value.
    for options in --output= "--on-error=skip --rejects="; do
        code=0
        $tool $options x </dev/null 2>/dev/null || code=$?
        [ $code = 2 ] || fail "$tool $options x: exit code $code"
        cmp in x || fail "$tool $options x: the input was touched"
    done

    case_is 'A terminal is no input; records on a terminal are text'
    python3 - $tool <<'P' || fail "$tool: terminals"
import os, pty, subprocess, sys
leader, follower = pty.openpty()
p = subprocess.run(sys.argv[1:], stdin=follower, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
assert p.returncode == 2 and b"terminal" in p.stderr, p
p = subprocess.Popen([*sys.argv[1:], "-q", "in"], stdout=follower, stderr=subprocess.PIPE)
text = b""
while text.count(b"\n") < 3:
    text += os.read(leader, 4096)
table = sys.argv[1:] == ["cuset-window"]
assert p.wait() == 0 and text.startswith(b"0." if table else b'{"id":"k0"'), text
P

    case_is 'A target that is no regular file is written to, not replaced'
    $tool in -o /dev/null
    [ -c /dev/null ] || fail "$tool: /dev/null replaced"
    [ "$($tool --plain in -o /dev/stdout | wc -l)" = 3 ] || fail "$tool: -o /dev/stdout into a pipe"
    mkfifo fifo
    $tool in -o fifo &
    [ "$(wc -l <fifo)" = 3 ] || fail "$tool: -o FIFO"
    wait $!
    [ -p fifo ] || fail "$tool: the FIFO was replaced"
    [ "$($tool --plain <(cat in) <(cat in) | wc -l)" = 6 ] || fail "$tool: process substitution as input"

    case_is 'Many inputs need no more descriptors than one input'
    for i in $(seq 200); do ln -f in "many-$i"; done
    [ "$(ulimit -n 24; $tool --plain many-* | wc -l)" = 600 ] || fail "$tool: 200 inputs with 24 descriptors"
    # Neither bad data nor a bad command line causes a core dump or a long message.
    expect 1 $tool broken
    [ "$(wc -l <err)" = 1 ] || fail "$tool: more than one line: $(cat err)"
    cd ..
}

faults "$window"
faults "$window --records"
faults cuset-tag
