#!/usr/bin/env bash
# This tests the records that cuset-view shows, and its messages about those that it cannot show.
source "$(dirname "$0")/../_shell_test.sh"
view="cuset-view"
ids() { sed -n 's/^\([^ ]*\)  [0-9]* tokens.*/\1/p' | xargs; }
refused() { # MESSAGE RECORD
    expect 1 $view <<<"$2"
    grep -qF -- "$1" err || fail "$(cat err), not: $1"
}

case_is 'Several files, plain and zstd; a shard; one record; the hardest (of equal ones, the first)'
records 30 >a.jsonl
records 30 | sed 's/"k/"m/' | zstd -q -o b.jsonl.zst
assert_equal "$($view -q a.jsonl b.jsonl.zst | ids | wc -w)" 60
assert_equal "$($view -q --shard 0/3 a.jsonl | ids) $($view -q --shard 1/3 a.jsonl | ids) $($view -q --shard 2/3 a.jsonl | ids)" \
    "$(for i in 0 1 2; do cuset-window --shard $i/3 a.jsonl | cut -f3; done | xargs)"
assert_equal "$($view -q --id k7 <a.jsonl | ids)" k7
assert_equal "$($view -q --hardest 4 --within response a.jsonl b.jsonl.zst | ids)" "k0 m0 k1 m1"
assert_equal "$($view -q --hardest 4 --within response --shard 1/2 a.jsonl | ids)" "$(cuset-window --shard 1/2 a.jsonl | LC_ALL=C sort -s -n -k1,1 | head -4 | cut -f3 | xargs)"
expect 1 $view -q --id nobody a.jsonl
grep -q 'no record has the id "nobody"' err
[ -z "$($view </dev/null)" ] || fail "shows something of nothing"
# A number is an id by its text; a record without an id has its line number as one.
assert_equal "$(printf '\n%s\n' '{"response":"x","score":{"end":[1],"confidence":[1]}}' | $view -q --id 2 | ids)" 2
assert_equal "$(printf '%s\n' '{"id":1e3,"code":"x","score":{"end":[1],"confidence":[1]}}' | $view -q --response-field code --id 1e3 | ids)" 1e3
# It shows the records so far while its input pauses.
mkfifo pipe
$view -q <pipe >shown &
exec 7>pipe
records 1 >&7
for ((i = 0; i < 600; ++i)); do [ ! -s shown ] || break; sleep 0.1; done
[ -s shown ] || fail "nothing is shown before the input ends"
exec 7>&-
wait

case_is 'Untagged records are shown, with a note on the tool that tags them; unscored ones are refused'
$view a.jsonl >/dev/null 2>err
grep -q '30 records have no "tag".*cuset-tag' err
refused '"score" is missing (pipe the records through cuset-score)' '{"id":1,"response":"x"}'
refused '"score.end" reaches past the response' '{"response":"x","score":{"end":[2],"confidence":[1]}}'
refused '"end" and "confidence" differ in length' '{"response":"x","score":{"end":[1],"confidence":[]}}'
refused '"score.end" falls' '{"response":"xy","score":{"end":[2,1],"confidence":[1,1]}}'
refused 'lies outside [0, 1]' '{"response":"x","score":{"end":[1],"confidence":[2]}}'
refused '"tag.spans" reaches past the response' \
    '{"response":"x","tag":{"spans":[{"kind":"kernel","begin":0,"end":2}]},"score":{"end":[1],"confidence":[1]}}'
refused 'standard input:1: "window.token" reaches past the scored tokens' \
    '{"response":"x","score":{"end":[1],"confidence":[1]},"window":{"min":1,"token":[0,2]}}'
refused 'scored anew since? Run cuset-window --records again, or give --size' \
    '{"response":"x","score":{"end":[1],"confidence":[1]},"window":{"min":0.5,"token":[0,1]}}'
$view -q --size 1 <<<'{"response":"x","score":{"end":[1],"confidence":[1]},"window":{"min":0.5,"token":[0,1]}}' >/dev/null
# The frame is the window that cuset-window wrote.
cuset-window --records --plain --size 2 a.jsonl >windowed.jsonl
cmp <($view -q windowed.jsonl) <($view -q --size 2 a.jsonl) || fail "a record's own window is not its frame"
cmp -s <($view -q windowed.jsonl) <($view -q a.jsonl) && fail "a record's own window does not count"

case_is 'Bad records go to the rejects, and an incomplete page never appears'
{ head -2 a.jsonl; echo '{"id":"bad"}'; tail -1 a.jsonl; } >mixed.jsonl
expect 3 $view -q --on-error=skip --rejects bad.jsonl mixed.jsonl >shown
assert_equal "$(ids <shown) $(cat bad.jsonl)" 'k0 k1 k29 {"id":"bad"}'
expect 1 $view -q --html page.html mixed.jsonl
[ ! -e page.html ] || fail "half a page"
[ -z "$(find . -name '*.cuset-*')" ] || fail "a temporary file stays"
expect 3 $view -q --html page.html --on-error=skip --rejects bad.jsonl mixed.jsonl
assert_equal "$(grep -c 'class="head"' page.html)" 3
$view -q --html - a.jsonl | cmp - <($view -q --html /dev/stdout a.jsonl) || fail "--html -"
expect 2 $view --html page.html -o text a.jsonl
expect 2 $view --html a.jsonl a.jsonl
expect 2 $view --html bad.jsonl --on-error=skip --rejects bad.jsonl a.jsonl

# Two models: records match by id in any order; one without partner is reported; a different one is
# refused.
sed 's/0\.9,/0.5,/' a.jsonl | tac >after.jsonl
$view -q --compare a.jsonl after.jsonl >forth
grep -q '^k29  4 tokens, mean [0-9.]* → [0-9.]*, hardest window' forth || fail "$(head -3 forth)"
assert_equal "$(ids <forth | tr ' ' '\n' | sort | xargs)" "$(cuset-window a.jsonl | cut -f3 | sort | xargs)"
assert_equal "$($view -q --compare --hardest 2 --within response a.jsonl after.jsonl | ids)" "k0 k1"
$view -q --compare a.jsonl - <after.jsonl | cmp - forth || fail "standard input is compared otherwise"
head -28 a.jsonl >some.jsonl
$view -q --compare some.jsonl after.jsonl >/dev/null 2>err
grep -q '2 records of after.jsonl have no partner of their id, and are left out' err
expect 1 $view -q --compare a.jsonl b.jsonl.zst
grep -q 'no record of a.jsonl has its id in b.jsonl.zst' err
expect 2 $view --compare a.jsonl
sed '3s/int a/int c/' a.jsonl >other.jsonl
expect 1 $view -q --compare a.jsonl other.jsonl >/dev/null
grep -q 'a.jsonl:3: "k2" of other.jsonl has another response' err
sed '3s/\[3,5,6,13\]/[3,4,6,13]/' a.jsonl >other.jsonl
expect 3 $view -q --on-error=skip --rejects bad.jsonl --compare a.jsonl other.jsonl >shown
assert_equal "$(ids <shown | wc -w) $(cat bad.jsonl)" "29 $(sed -n 3p a.jsonl)"
sed '3s/"score"/"scores"/' a.jsonl >other.jsonl
expect 1 $view -q --compare a.jsonl other.jsonl >/dev/null
grep -q 'other.jsonl:3: "score" is missing' err
# If several records have one id, the first ones of both files match.
assert_equal "$($view -q --compare <(records 1; records 2) <(records 2; records 1) | ids)" "k0 k1 k0"
