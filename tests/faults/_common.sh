# Sourced by the fault tests: a scratch folder, scored records, and how to fail.
set -euo pipefail
: "${CUSET_BIN:?}" "${CUSET_SOURCE:?}"
export PATH="$CUSET_BIN:$PATH" CUSET_PLAIN=0
window=cuset-window
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

skip() {
    echo "skipped: $*"
    exit 77
}

# expect CODE COMMAND...: runs it, with its stderr in ./err.
expect() {
    local wanted=$1 got=0
    shift
    "$@" 2>err || got=$?
    [ "$got" = "$wanted" ] || fail "exit code $got, not $wanted: $* ($(cat err))"
}

# records COUNT: that many scored records.
records() {
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; ++i)
        printf "{\"id\":\"k%d\",\"prompt\":\"p\",\"response\":\"int a;\\nint b;\",\"score\":{\"end\":[3,5,6,13],\"confidence\":[0.9,0.%d,1e-05,1]}}\n", i, i % 89 + 10 }'
}

sanitized() { [ -n "${CUSET_SANITIZERS:-}" ]; }
