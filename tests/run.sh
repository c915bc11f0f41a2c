#!/usr/bin/env bash
# Set-up with the Python oracles, build, all tests; then the unit and cli suites again under
# AddressSanitizer and UndefinedBehaviorSanitizer, and for the build without LibTorch. The last line
# says how many tests passed, failed and were skipped, over all builds; a build that fails counts as
# one failure.
#
# usage: tests/run.sh [--build-only] [--long] [CTEST-ARGUMENT...]
#   --build-only    stop before the tests
#   --long          run the slow suites too (CUSET_LONG=1)
#   CTEST-ARGUMENT  for example -R tokenizer (names that match), -L unit (one suite)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$here"
deps=$(realpath -m "${CUSET_DEPS:-$here/.deps}")
export CUSET_DEPS=$deps

say() { printf 'run.sh: %s\n' "$*"; }

build_only=''
arguments=()
for argument; do
    case $argument in
        --build-only) build_only=yes ;;
        --long) export CUSET_LONG=1 ;;
        -h | --help)
            sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
            exit 0
            ;;
        *) arguments+=("$argument") ;;
    esac
done

passed=0 failed=0 skipped=0 finished=''
close() {
    if [ -z "$finished" ]; then
        failed=$((failed + 1)) # set-up failed, or a signal
    fi
    if [ -z "$build_only" ]; then
        echo "$passed passed, $failed failed, $skipped skipped"
    fi
    [ "$failed" -eq 0 ] || exit 1
}
trap close EXIT

# build PRESET
build() {
    say "building $1 (messages in build/$1.log)"
    mkdir -p build
    if ! { cmake --preset "$1" -DCUSET_DEPS="$deps" -DCUSET_TESTS=ON &&
        cmake --build --preset "$1"; } >"build/$1.log" 2>&1; then
        grep -n -A 30 -m 5 -E 'FAILED|CMake Error|error:' "build/$1.log" || tail -n 40 "build/$1.log"
        say "FAILED: the build of $1"
        failed=$((failed + 1))
        return 1
    fi
}

# run_tests PRESET CTEST-ARGUMENT...: adds to the sums what ctest's report says.
run_tests() {
    local preset=$1 report=$here/build/$1/tests.xml counts status=0
    shift
    say "testing $preset"
    rm -f "$report"
    ctest --test-dir "build/$preset" -j 2 --output-on-failure --output-junit "$report" "$@" ||
        status=$?
    # Prints the reason of each skipped test, then the counts.
    counts=$(python3 - "$report" <<'EOF'
import sys
import xml.etree.ElementTree as tree

counts = {"run": 0, "fail": 0, "notrun": 0, "disabled": 0}
for case in tree.parse(sys.argv[1]).getroot().iter("testcase"):
    status = case.get("status", "fail")
    skipped = status == "notrun" and case.find("skipped") is not None
    counts[status if status in counts and (skipped or status != "notrun") else "fail"] += 1
    if skipped:
        lines = [line for line in (case.findtext("system-out") or "").splitlines() if line.strip()]
        print(f"skipped: {case.get('name')}: {lines[-1] if lines else 'no reason given'}",
              file=sys.stderr)
print(counts["run"], counts["fail"], counts["notrun"] + counts["disabled"])
EOF
    ) || counts='0 1 0'
    local this_passed this_failed this_skipped
    read -r this_passed this_failed this_skipped <<<"$counts"
    if [ "$status" -ne 0 ] && [ "$this_failed" -eq 0 ]; then
        this_failed=1 # ctest itself failed
    fi
    passed=$((passed + this_passed)) failed=$((failed + this_failed))
    skipped=$((skipped + this_skipped))
}

setup/setup.sh --tests
# no-torch compiles what release did, in another folder, and so may another checkout: ccache shall
# not mind where.
export CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=$here
# Two tests of two threads each share two cores: a thread that waits shall not spin.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-PASSIVE}
release='' no_torch='' asan=''
build release && release=yes
build no-torch && no_torch=yes
build asan && asan=yes
if [ -z "$build_only" ]; then
    if [ "$release" ]; then
        run_tests release "${arguments[@]}"
    fi
    if [ "$no_torch" ]; then
        # The objects are release's: what can differ is whether each tool is there, links and runs.
        run_tests no-torch -R '^cli/(documents|eval_protocol|install|sample_endpoint|stats_report|streams|tag_output|versions|view_records|window_table)$' "${arguments[@]}"
    fi
    if [ "$asan" ]; then
        export ASAN_OPTIONS=detect_odr_violation=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
        export UBSAN_OPTIONS=print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}
        run_tests asan -L '^(unit|cli)$' "${arguments[@]}"
    fi
fi
finished=yes
