#!/usr/bin/env bash
# Programs with a model bound the spinning of OpenMP's waiting threads, unless the caller has set how
# they wait.
source "$(dirname "$0")/../_shell_test.sh"
[ -x "$CUSET_BIN/cuset-score" ] || skip 'this build has no model'
[ -z "$CUSET_SANITIZERS" ] || skip 'a sanitizer is not ready when the bound is set'
unset OMP_WAIT_POLICY GOMP_SPINCOUNT
# spins PROGRAM: what libgomp has read from the environment when it was loaded.
spins() { OMP_DISPLAY_ENV=verbose "$@" --version 2>&1 | sed -n "s/.*GOMP_SPINCOUNT = '\(.*\)'/\1/p"; }
for tool in score train merge sample; do
    [ "$(spins cuset-$tool)" = 10000 ] || fail "cuset-$tool: $(spins cuset-$tool)"
done
[ "$(GOMP_SPINCOUNT=7 spins cuset-score)" = 7 ] || fail 'GOMP_SPINCOUNT of the caller'
[ "$(OMP_WAIT_POLICY=passive spins cuset-score)" = 0 ] || fail 'OMP_WAIT_POLICY of the caller'
[ "$(GOMP_SPINCOUNTS=7 spins cuset-score)" = 10000 ] || fail 'a variable with a longer name'

cuset-score --model "$CUSET_SOURCE/no-model" - <<<'{}' 2>err && fail 'a model that is not there'
grep -q 'no-model' err || fail "arguments were lost: $(cat err)"
# Called through the loader by name, as bundles do, it runs and is not bounded.
loader=/lib64/ld-linux-x86-64.so.2
if [ -x "$loader" ]; then
    "$loader" "$CUSET_BIN/cuset-score" --version | grep -q '^cuset-score ' || fail 'through the loader'
fi
env -i "$CUSET_BIN/cuset-score" --version >/dev/null || fail 'an empty environment'
