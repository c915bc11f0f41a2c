#!/usr/bin/env bash
# Sets up, builds and tests. The last line says how many tests passed, failed and were skipped, over
# all builds; a build that fails counts as one failure.
#
# usage: tests/run.sh [--all] [--long] [--build-only] [CTEST-ARGUMENT...]
#   (none)          the release build: unit, cli, and a sample of the host programs and oracles
#   --all           every suite, with the Python oracles (4.5 GB); the build without LibTorch; and what
#                   shares memory between threads under ThreadSanitizer. The commit's hash chooses one
#                   of three parts of what takes long: (1) AddressSanitizer and
#                   UndefinedBehaviorSanitizer, with which fuzz runs, and in place of the release
#                   build what of unit and cli needs no LibTorch; (2) and (3) the tests that
#                   tests/CMakeLists.txt lists; and a third of some suites (tests/cli/_rotation.py)
#   --part=N        --all with part N, 1 to 3
#   --long          --all with all parts, LibTorch's under sanitizers too, and with the long forms
#                   (CUSET_LONG=1)
#   --build-only    stop before the tests
#   CTEST-ARGUMENT  for example -R tokenizer (names that match), -L unit (one suite)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$here"
deps=$(realpath -m "${CUSET_DEPS:-$here/.deps}")
export CUSET_DEPS=$deps

say() { printf 'run.sh: %s\n' "$*"; }

all='' build_only='' part=''
arguments=()
for argument; do
    case $argument in
        --all) all=yes ;;
        --part=[123]) all=yes part=${argument#*=} ;;
        --long) all=yes && export CUSET_LONG=1 ;;
        --build-only) build_only=yes ;;
        -h | --help)
            sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
            exit 0
            ;;
        *) arguments+=("$argument") ;;
    esac
done

if [ -n "$all" ] && [ -z "${CUSET_LONG:-}" ]; then
    commit=$(git rev-parse HEAD 2>/dev/null || echo 0)
    chosen=$((0x${commit:0:7}))
    part=${part:-$((chosen % 3 + 1))}
    export CUSET_PART=$((chosen / 3 % 3)) # another digit: each third of a suite meets each part
    say "part $part of 3 of what takes long, by commit ${commit:0:7}"
fi

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

# build PRESET TARGET...
build() {
    say "building $1 (messages in build/$1.log)"
    mkdir -p build
    if ! { cmake --preset "$1" -DCUSET_DEPS="$deps" -DCUSET_TESTS=ON &&
        cmake --build --preset "$1" --target "${@:2}"; } >"build/$1.log" 2>&1; then
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
    ctest --test-dir "build/$preset" -j "$(nproc)" --output-on-failure --output-junit "$report" "$@" ||
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

# no-torch compiles what release did, in another folder, and so may another checkout: ccache shall
# not mind where.
export CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=$here
# Two tests of two threads each share two cores: a thread that waits shall not spin.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-PASSIVE}
export ASAN_OPTIONS=detect_odr_violation=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
export UBSAN_OPTIONS=print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}

# check PRESET "TARGET..." CTEST-ARGUMENT...: builds, then tests.
check() {
    local targets
    read -ra targets <<<"$2"
    if build "$1" "${targets[@]}" && [ -z "$build_only" ]; then
        run_tests "$1" "${@:3}" "${arguments[@]}"
    fi
}

if [ -z "$all" ]; then
    setup/setup.sh --tests
    check release all -L '^(unit|cli|smoke)$' -LE '^slow$'
else
    setup/setup.sh --oracles --arrow
    case $part in
        '') check release 'all more_tests' -LE '^smoke$' ;;
        1) check release 'all more_tests' -LE '^(smoke|part[23]|short)$' ;;
        *) check release 'all more_tests' -LE "^(smoke|part[^$part])\$" ;;
    esac
    # The objects are release's: what can differ is whether each tool is there, links and runs.
    check no-torch tools/all -R '^cli/(documents|install|versions)$'
    case $part in
        '') check asan all -L '^(unit|cli|fuzz)$' -LE '^slow$' ;;
        1) check asan-no-torch all -L '^(short|fuzz)$' ;;
    esac
    check tsan test_thread -L '^thread$'
fi
finished=yes
