#!/usr/bin/env bash
# A disk fills up while a file is written: the tool fails, and the old file stays, with no remains.
source "$(dirname "$0")/../_shell_test.sh"
mkdir small
mount -t tmpfs -o size=64k tmpfs small 2>/dev/null || skip "a small tmpfs needs root"
trap 'umount "$scratch/small"; rm -rf "$scratch"' EXIT
records 20000 >in
awk 'BEGIN { for (i = 0; i < 20000; ++i) print "broken" }' >bad
for tool in "$window" "$window --records" cuset-tag; do
    echo old >small/out
    expect 1 $tool in -o small/out
    grep -q "^${tool%% *}: small/out: No space left on device$" err || fail "$tool: $(cat err)"
    [ "$(cat small/out)" = old ] || fail "$tool: the old file is gone"
    [ "$(ls -A small)" = out ] || fail "$tool: left: $(ls -A small)"
    expect 1 $tool --on-error=skip --rejects=small/rejects bad -o out
    [ "$(ls -A small)" = out ] || fail "$tool: left: $(ls -A small)"
    [ ! -e out ] || fail "$tool: an output although the rejects were lost"
done
