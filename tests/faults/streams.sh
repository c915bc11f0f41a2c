# What happens to a tool whose input or output is not what it should be.
source "$(dirname "$0")/_common.sh"
records 3 >in
exec >/dev/null  # what the tools write meanwhile is no news

# Full disks, under whatever name.
expect 1 $window --records in >/dev/full
grep -q '^cuset-window: standard output: No space left on device$' err || fail "no word of the full disk: $(cat err)"
expect 1 $window in >/dev/full
expect 1 $window --records --plain in >/dev/full
expect 1 $window --records in -o /dev/full
expect 1 $window --help >/dev/full
expect 1 $window --version >/dev/full

# A reader that goes away: quiet, and by SIGPIPE.
records 50000 >many
for flags in "" --records "--records --plain" "--records -t1"; do
    set +o pipefail
    code=$($window $flags many 2>err | head -c 1 >/dev/null; echo "${PIPESTATUS[0]}")
    set -o pipefail
    [ "$code" = 141 ] || fail "$window $flags into head ended with $code"
    [ ! -s err ] || fail "$window $flags into head said: $(cat err)"
done
# The same where SIGPIPE was ignored by whoever started us, and no temporary file is left.
python3 - "$window" <<'P' || fail "SIGPIPE ignored from outside"
import subprocess, sys
p = subprocess.Popen([sys.argv[1], "--records", "--on-error=skip", "--rejects=rejects", "many"],
                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, restore_signals=False)
p.stdout.read(1)
p.stdout.close()
said = p.stderr.read()
code = p.wait()
assert code == -13 and not said, (code, said)
P
set +o pipefail
$window --records --on-error=skip --rejects=rejects many | head -c 1 >/dev/null
set -o pipefail
[ "$(ls -A | grep -c cuset-)" = 0 ] || fail "temporary files left: $(ls -A)"

# Closed descriptors.
expect 1 $window --records in >&-
expect 1 $window --records <&-
expect 1 $window in >&-
$window in -o out >&- || fail "-o needs no standard output"
# Without a stderr, no message may land in the file that took its number.
records 2 >broken
echo broken >>broken
if $window --records -o out.jsonl <broken 2>&-; then fail "a bad record passed"; fi
$window --on-error=skip --rejects=rejects --records -o out.jsonl <broken 2>&- || [ $? = 3 ] || fail "no 3"
[ "$(wc -l <out.jsonl)" = 2 ] && ! grep -q cuset out.jsonl || fail "messages in the output"
[ "$(cat rejects)" = broken ] || fail "messages in the rejects"

# Files that cannot be read or written.
expect 1 $window none
grep -q '^cuset-window: none: No such file or directory$' err || fail "$(cat err)"
expect 1 $window .
grep -q '^cuset-window: .: Is a directory$' err || fail "$(cat err)"
expect 1 $window in -o nofolder/out
expect 1 $window in -o .
expect 1 $window --on-error=skip --rejects=nofolder/rejects in -o out
if [ "$(id -u)" != 0 ]; then
    touch secret && chmod 0 secret
    expect 1 $window secret
    touch readonly && chmod 400 readonly
    expect 1 $window in -o readonly
fi

# Output that is also input.
cp in x
ln x hard
ln -s x soft
for name in x hard soft; do
    expect 2 $window x -o $name
    expect 2 $window -o $name <x
    expect 2 $window in x -o $name
    expect 2 $window --on-error=skip --rejects=$name x -o out
done
expect 2 $window x >>x
expect 2 $window <x >>hard
expect 2 $window --on-error=skip --rejects=new -o new in
expect 2 $window --on-error=skip --rejects=- in
cmp in x || fail "the input was touched"
[ ! -e new ] || fail "new exists"

# A terminal is no input; on a terminal, records are text.
python3 - "$window" <<'P' || fail "terminals"
import os, pty, subprocess, sys
leader, follower = pty.openpty()
p = subprocess.run([sys.argv[1]], stdin=follower, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
assert p.returncode == 2 and b"terminal" in p.stderr, p
p = subprocess.Popen([sys.argv[1], "--records", "-q", "in"], stdout=follower, stderr=subprocess.PIPE)
text = b""
while text.count(b"\n") < 3:
    text += os.read(leader, 4096)
assert p.wait() == 0 and text.startswith(b'{"id":"k0"'), text
P

# What is no regular file is written to, not replaced.
$window in -o /dev/null
[ -c /dev/null ] || fail "/dev/null replaced"
[ "$($window in -o /dev/stdout | wc -l)" = 3 ] || fail "-o /dev/stdout into a pipe"
mkfifo fifo
$window in -o fifo &
[ "$(wc -l <fifo)" = 3 ] || fail "-o FIFO"
wait $!
[ -p fifo ] || fail "the FIFO was replaced"
[ "$($window <(cat in) <(cat in) | wc -l)" = 6 ] || fail "process substitution as input"

# Many inputs need no more descriptors than one.
for i in $(seq 200); do ln -f in "many-$i"; done
[ "$(ulimit -n 24; $window many-* | wc -l)" = 600 ] || fail "200 inputs with 24 descriptors"
# Neither bad data nor a bad command line writes a core or a long tale.
expect 1 $window broken
[ "$(wc -l <err)" = 1 ] || fail "more than one line: $(cat err)"
