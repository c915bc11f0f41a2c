#!/usr/bin/env bash
# A tool that fails leaves an open frame, and one line on stderr.
source "$(dirname "$0")/../_shell_test.sh"
need zstd
records 3 >in

# leaves_open CODE COMMAND...: standard output has a frame that never ends, even if no record was
# read or the command line is wrong.
leaves_open() {
    local code=0
    "${@:2}" >cut 2>err <in || code=$?
    [ $code = "$1" ] || fail "${*:2}: exit code $code, not $1: $(cat err)"
    [ "$(wc -l <err)" = 1 ] || fail "${*:2}: not one line: $(cat err)"
    if zstd -tq cut 2>/dev/null; then fail "${*:2}: a good end"; fi
    expect 1 $window cut >/dev/null
    grep -q 'truncated zstd stream' err || fail "${*:2}: $(cat err)"
}
for tool in "$CUSET_BIN/cuset-tag" "$CUSET_BIN/cuset-score" "$window --records"; do
    [ -x "${tool%% *}" ] || continue
    leaves_open 2 $tool --no-such-option
    leaves_open 2 $tool --shard 3/3
    leaves_open 2 $tool --on-error=skip
    leaves_open 2 $tool --response-field=id
    leaves_open 1 $tool no-such-file
done
score=$CUSET_BIN/cuset-score
if [ -x "$score" ]; then
    leaves_open 1 "$score" --model no-such-folder
    leaves_open 2 "$score" --model "$PWD" --adapter ''
    leaves_open 2 env -u CUSET_MODEL "$score"
    # The name of a model on a hub is no folder.
    expect 1 "$score" --model Hub/Model in >cut
    grep -q '^cuset-score: Hub/Model: No such file or directory (a model is a folder on this machine' err ||
        fail "a hub's name: $(cat err)"
    # The streams are opened first: their errors are reported without loading a model.
    expect 1 "$score" --model no-such-folder no-such-file >/dev/null
    grep -q no-such-file err || fail "the model was loaded first: $(cat err)"
fi
# A file named as output stays as it was, and standard output stays empty.
echo old >kept
for arguments in "-o kept --no-such-option" "--output=kept --shard x"; do
    [ -z "$("$CUSET_BIN/cuset-tag" $arguments in 2>/dev/null)" ] || fail "$arguments: wrote to stdout"
    [ "$(cat kept)" = old ] || fail "$arguments: the file changed"
done
# Text on standard output stays text.
[ -z "$($window --no-such-option in 2>/dev/null)" ] || fail "a table that begins with zstd's magic"
[ -z "$("$CUSET_BIN/cuset-tag" --plain --shard x in 2>/dev/null)" ] || fail "--plain"

case_is 'The message is one line for any name; no byte of the name reaches the terminal as a command'
code=0
"$CUSET_BIN/cuset-tag" $'a\nb\x1b[2J' </dev/null >cut 2>err || code=$?
[ $code = 1 ]
[ "$(cat err)" = 'cuset-tag: a\nb\x1b[2J: No such file or directory' ]
code=0
"$CUSET_BIN/cuset-tag" --shard $'0/\n1' </dev/null >cut 2>err || code=$?
[ $code = 2 ]
[ "$(wc -l <err)" = 1 ]

case_is 'Rejects and records in one pipe could not be told apart'
code=0
$window --records --on-error=skip --rejects=/dev/stdout in 2>err | cat >cut || code=$?
grep -q 'same file' err || fail "rejects on the output's pipe: $(cat err)"

case_is 'The reasons of rejected lines are reported, except with -q, and only the first ten'
(echo broken; head -1 in; for _ in $(seq 30); do echo '{}'; done) >mixed
expect 3 $window --on-error=skip --rejects=rejects mixed >cut
[ "$(sed -n 1,2p err)" = 'cuset-window: rejected: mixed:1: not a JSON object
cuset-window: rejected: mixed:3: "response" is missing' ] && [ "$(wc -l <err)" = 11 ] || fail "$(cat err)"
expect 3 $window -q --on-error=skip --rejects=rejects mixed >cut
[ "$(wc -l <err)" = 1 ]

case_is 'Files of other kinds, also when bad lines are skipped'
refused() {
    for flags in "" "--on-error=skip --rejects=rejects"; do
        expect 1 $window $flags "$1" >cut
        [ "$(cat err)" = "cuset-window: $1: $2" ]
    done
}
printf 'prompt,response\na,"b, c"\n' >pairs.csv
refused pairs.csv "a CSV file: cuset reads JSON, which to_json() of Hugging Face's datasets writes"
gzip -c pairs.csv >pairs.gz
refused pairs.gz "a CSV file: cuset reads JSON, which to_json() of Hugging Face's datasets writes"
tar -czf in.tgz in
refused in.tgz 'a tar archive: cuset reads JSON Lines and JSON arrays, plain or compressed by zstd or gzip'
python3 -c 'import bz2; open("in.bz2", "wb").write(bz2.compress(open("in", "rb").read()))'
refused in.bz2 'a bzip2 file: pipe it through bzcat'
python3 -c 'import pickle; pickle.dump([{"prompt": "p"}], open("in.pkl", "wb"))'
refused in.pkl 'a Python pickle: cuset reads JSON Lines and JSON arrays, plain or compressed by zstd or gzip'
zstd -q in.bz2 -o twice
gzip -c twice >thrice
refused thrice 'compressed twice: cuset reads JSON Lines and JSON arrays, plain or compressed by zstd or gzip'
