#!/usr/bin/env bash
# From a fresh clone to a table of the hardest regions in examples/pairs.jsonl: installs what is
# missing, builds three tools, turns SmolLM2-135M-Instruct into a Hugging Face folder, and runs
#   cuset-tag | cuset-score | cuset-window | LC_ALL=C sort -n
# The table goes to stdout, the region that the model is least sure of first.
#
# usage: examples/quickstart.sh [FILE]      FILE: other pairs to look at (JSON Lines)
set -euo pipefail

say() { printf 'quickstart: %s\n' "$*" >&2; }
die() {
    say "$*"
    exit 1
}

case ${1-} in
    -h | --help)
        sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "$0"
        exit 0
        ;;
    -*) die "unknown option $1" ;;
esac
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pairs=$(realpath "${1:-$here/examples/pairs.jsonl}")
[ -r "$pairs" ] || die "cannot read $pairs"
deps=$(realpath -m "${CUSET_DEPS:-$here/.deps}")
export CUSET_DEPS=$deps

say "set-up"
"$here/setup/setup.sh" --model
cd "$here"
log=build/quickstart.log
mkdir -p build

say "build (messages in $log)"
# Tests stay off unless ./tests/run.sh configured this build folder before.
tests=()
[ -e build/release/CMakeCache.txt ] || tests=(-DCUSET_TESTS=OFF)
{
    cmake --preset release -DCUSET_DEPS="$deps" "${tests[@]}" &&
        cmake --build --preset release --target cuset-tag cuset-score cuset-window
} >"$log" 2>&1 || {
    tail -n 40 "$log" >&2
    die "the build failed"
}

export PATH=$here/build/release/bin:$PATH
export CUSET_MODEL=$deps/models/SmolLM2-135M-Instruct

# Scoring is the long part (a minute or two on two cores): its records are kept, and used again for
# as long as the pairs, the model and the programs are the same.
scored=build/quickstart/$(basename "$pairs" | sed 's/\..*//').jsonl.zst
mkdir -p build/quickstart
key=$(sha256sum "$pairs" "$CUSET_MODEL/.stamp" build/release/bin/cuset-tag build/release/bin/cuset-score)
if [ -e "$scored" ] && [ "$(cat "$scored.key" 2>/dev/null)" = "$key" ]; then
    say "scored before: $scored (remove it to score again)"
else
    say "cuset-tag ${pairs#"$here"/} | cuset-score -o $scored"
    rm -f "$scored.key"
    cuset-tag "$pairs" | cuset-score -o "$scored"
    printf '%s\n' "$key" >"$scored.key"
fi
say "cuset-window $scored | sort -n"
cuset-window "$scored" | LC_ALL=C sort -n
