#!/usr/bin/env bash
# "cuset TOOL" is cuset-TOOL: the same output, exit code and messages; cuset alone lists all tools.
source "$(dirname "$0")/../_shell_test.sh"

"$CUSET_BIN/cuset" >list
cmp list <("$CUSET_BIN/cuset" --help) || fail "cuset --help"
for program in "$CUSET_BIN"/cuset-*; do
    tool=${program##*/cuset-}
    summary=$("$program" --generate=man | sed -n '/^\.SH NAME/{n;p}' | sed "s/\\\\-/-/g; s/\\\\(aq/'/g; s/^cuset-$tool - //")
    [ -n "$summary" ] || fail "$tool has no summary"
    grep -qxF "  $(printf %-8s "$tool")$summary" list || fail "$tool is not in the list as: $summary"
    cmp <("$program" --version) <("$CUSET_BIN/cuset" "$tool" --version) || fail "$tool --version"
    cmp <("$program" --help) <("$CUSET_BIN/cuset" help "$tool") || fail "help $tool"
done
assert_equal "$(grep -c '^  [a-z]' list)" 13

records 2 | "$CUSET_BIN/cuset" window --size 3 >table
records 2 | "$CUSET_BIN/cuset-window" --size 3 | cmp table - || fail "cuset window"
expect 1 "$CUSET_BIN/cuset" tag <<<'{}'
grep -q '^cuset-tag: standard input:1: ' err
expect 2 "$CUSET_BIN/cuset" tga
assert_equal "$(cat err)" 'cuset: "tga" is no tool; did you mean tag? (cuset alone lists them)'
expect 2 "$CUSET_BIN/cuset" help nothing
expect 1 "$CUSET_BIN/cuset" >/dev/full

case_is "The tool beside it, wherever the PATH leads; without one, the PATH's; without both, an error"
mkdir bin
ln -s "$CUSET_BIN/cuset" bin/linked
assert_equal "$(PATH=/nowhere bin/linked tag --version)" "$("$CUSET_BIN/cuset-tag" --version)"
cp "$CUSET_BIN/cuset" bin/cuset
assert_equal "$(PATH=$CUSET_BIN:$PATH bin/cuset tag --version)" "$("$CUSET_BIN/cuset-tag" --version)"
code=0
PATH=/nowhere bin/cuset tag 2>err || code=$?
[ $code = 1 ] && grep -qx 'cuset: cuset-tag: this build does not have it' err || fail "$code: $(cat err)"
bin/cuset | grep -q 'tag .*(not built here)$' || fail "the list without tools"
