# A disk that fills up while a file is written: an error, the old file, and no rest.
source "$(dirname "$0")/_common.sh"
mkdir small
mount -t tmpfs -o size=64k tmpfs small 2>/dev/null || skip "a small tmpfs needs root"
trap 'umount "$scratch/small"; rm -rf "$scratch"' EXIT
records 20000 >in
echo old >small/out
for flags in "" --records; do
    expect 1 $window $flags in -o small/out
    grep -q 'No space left on device' err || fail "$(cat err)"
    [ "$(cat small/out)" = old ] || fail "the old file is gone"
    [ "$(ls -A small)" = out ] || fail "left: $(ls -A small)"
done
awk 'BEGIN { for (i = 0; i < 20000; ++i) print "broken" }' >bad
expect 1 $window --on-error=skip --rejects=small/rejects bad -o out
[ "$(ls -A small)" = out ] || fail "left: $(ls -A small)"
[ ! -e out ] || fail "an output although the rejects were lost"
