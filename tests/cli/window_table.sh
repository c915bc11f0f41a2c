# cuset-window's table: columns that sort and cut can work with.
source "$(dirname "$0")/../_shell_test.sh"
t=$'\t'
row() { printf '%s\n' "$1" | $window "${@:2}"; }

assert_equal "$(row '{"id":"a","response":"x;\ny;\nz;\n","score":{"end":[2,3,5,6,8,9],"confidence":[0.9,0.9,0.2,0.4,0.9,0.9]}}' --size 2)" \
    "0.300000${t}0.700000${t}a${t}2-2${t}-${t}y;"
# Tiny means keep six digits, and sort -n still sorts them.
assert_equal "$(row '{"response":"x","score":{"end":[1],"confidence":[1.23457e-09]}}')" \
    "0.00000000123457${t}1.000000${t}1${t}1-1${t}-${t}x"
assert_equal "$(row '{"response":"x","score":{"end":[1],"confidence":[0]}}')" "0.000000${t}1.000000${t}1${t}1-1${t}-${t}x"
# Without tokens or text there is no window.
assert_equal "$(row '{"id":7,"response":"","score":{"end":[],"confidence":[]}}')" "1.000000${t}0.000000${t}7${t}1-1${t}-${t}"
# The end marker has no bytes.
assert_equal "$(row '{"id":7,"response":"a\nb","score":{"end":[1,3,3],"confidence":[1,1,0]}}' --size 1)" \
    "0.000000${t}1.000000${t}7${t}2-2${t}-${t}b"
# The span that contains most of the window; tabs and newlines never break a row.
assert_equal "$(row '{"id":"i\td","response":"0123456789\tx\n","tag":{"spans":[{"kind":"launch","name":"l","begin":0,"end":2},{"kind":"kernel","name":"k","begin":2,"end":9}]},"score":{"end":[5,13],"confidence":[0,1]}}')" \
    "0.500000${t}0.500000${t}i d${t}1-1${t}kernel k${t}0123456789 x"
assert_equal "$(row '{"response":"'"$(printf '\303\251%.0s' $(seq 70))"'","score":{"end":[140],"confidence":[1]}}' | cut -f6)" \
    "$(printf '\303\251%.0s' $(seq 60))..."
# No text reverses a terminal's line or gives it a command.
assert_equal "$(row '{"id":"i\u202e","response":"\u009b1m","score":{"end":[4],"confidence":[1]}}' | cut -f3,6)" "i\\u202e${t}\\x9b1m"
# Scores for another text.
expect 1 $window <<<'{"response":"x","score":{"end":[2],"confidence":[1]}}'
grep -q 'reaches past the response' err
assert_equal "$(row '{"code":"x","score":{"end":[1],"confidence":[0.5]}}' --response-field code | cut -f1,6)" "0.500000${t}x"

case_is 'Only full windows, unless asked otherwise: the lowest clipped one is at the end'
ends='{"response":"abcdef","score":{"end":[1,2,3,4,5,6],"confidence":[0.9,0.8,0.9,0.9,0.9,0.3]}}'
assert_equal "$(row "$ends" --size 4 | cut -f1)" 0.750000
assert_equal "$(row "$ends" --size 4 --clipped | cut -f1)" 0.700000
assert_equal "$(row "$ends" --size 6 | cut -f1)" "$(row "$ends" --size 7 | cut -f1)"
assert_equal "$(printf '%s\n' "$ends" | $window --records --plain --size 4 | jq .window.min)" 0.7

# A row a kernel: the hardest window over its own tokens, the first and last of which it shares. The
# kernel k has tokens 2 to 5, j token 5 alone; the launch and the kernel behind the scores have no row.
kernels='{"id":"x","response":"aa{bb}cc{d}","tag":{"spans":[{"kind":"kernel","name":"k","begin":2,"end":9},
{"kind":"launch","name":"l","begin":0,"end":2},{"kind":"kernel","name":"j","begin":8,"end":9},
{"kind":"kernel","name":"cut","begin":10,"end":11}]},"score":{"end":[2,3,5,8,10],"confidence":[0,0.5,0.3,0.4,0.6]}}'
kernels=${kernels//$'\n'/}
assert_equal "$(row "$kernels" --within kernel --size 2 | cut -f1,5)" "0.350000${t}kernel k
0.600000${t}kernel j"
assert_equal "$(row "$kernels" --within kernel | cut -f1)" "0.450000
0.600000"
untagged='{"response":"x","score":{"end":[1],"confidence":[0.5]}}'
for top in 0 1; do
    assert_equal "$(row "$untagged" --within kernel --top $top 2>err)" ""
    assert_equal "$(cat err)" 'cuset-window: 1 records have no "tag", and so no row of a kernel (pipe them through cuset-tag)'
done
for said in "--within response" "--within kernel -q"; do
    row "$untagged" $said >/dev/null 2>err
    assert_equal "$(cat err)" ""
done
row '{"response":"x","tag":{"spans":[]},"score":{"end":[1],"confidence":[0.5]}}' --within kernel 2>err
assert_equal "$(cat err)" ""

case_is '--top is what sort and head make of the table, with any number of threads; equal rows stay in order'
python3 - >many <<'P'
import json, random
rnd = random.Random(9)
for i in range(3000):
    c = [rnd.choice([0.125, 0.5, 1.0]) for _ in range(3)]
    print(json.dumps({"id": i, "response": "abc", "score": {"end": [1, 2, 3], "confidence": c}}))
P
$window --size 2 many | LC_ALL=C sort -s -n -k 1,1 | sed -n 1,40p >wanted
for threads in 1 4; do $window --size 2 --top 40 -t $threads many | cmp - wanted || fail "--top with $threads threads"; done
assert_equal "$($window --top 2 --size 2 many | cut -f1 | xargs)" "0.125000 0.125000"
assert_equal "$($window --top 5000 many | wc -l)" 3000
assert_equal "$($window --header many | sed -n 1p)" "min${t}weight${t}id${t}lines${t}span${t}code"
assert_equal "$($window --header </dev/null)" "$($window --header --top 3 many | sed -n 1p)"
assert_equal "$($window --header many | wc -l)" 3001
expect 2 $window --records --top 3 many
grep -q 'are of the table' err
# A bad record stops it before anything of the table is written.
expect 1 $window --top 3 -o top <(cat many; echo '{}')
[ ! -e top ] || fail "half a table"

case_is 'Compared with numbers that Python computes'
python3 - <<'P' || fail "windows differ from the formula"
import json, random, subprocess
rnd = random.Random(5)
records, wanted = [], []
for i in range(60):
    count, size = rnd.randrange(1, 80), 17
    c = [float("%.6g" % rnd.random()) for _ in range(count)]
    records.append({"id": i, "response": "a" * count, "score": {"end": list(range(1, count + 1)), "confidence": c}})
    spans = [(0, count)] if count < size else [(max(1, t - size // 2) - 1, min(count, t + (size + 1) // 2 - 1)) for t in range(1, count + 1)]
    means = [sum(c[a:b]) / (b - a) for a, b in spans]
    best = next(k for k, m in enumerate(means) if m <= min(means) * (1 + 1e-13))
    wanted.append((spans[best], means[best]))
out = subprocess.run(["cuset-window", "--records", "--plain", "--size", "17"], stdout=subprocess.PIPE, check=True,
                     input="".join(json.dumps(r) + "\n" for r in records).encode()).stdout
for line, ((first, last), mean) in zip(out.decode().splitlines(), wanted, strict=True):
    w = json.loads(line)["window"]
    assert w["token"] == [first, last] and w["begin"] == first and w["end"] == last, (w, first, last)
    assert abs(w["min"] - mean) <= 5.01e-6 * mean and abs(w["weight"] - (1 - mean)) < 1e-6, (w, mean)
P
