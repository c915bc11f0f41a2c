#!/usr/bin/env bash
# The wheel (setup/wheel.sh): pip installs it into an empty virtual environment, and its programs run
# where there is nothing but glibc and that environment, those that run a model with torch in it. Where
# torch is missing, another, or elsewhere, one line says so, or CUSET_TORCH_LIB helps.
source "$(dirname "$0")/../_shell_test.sh"
sanitized && skip "a sanitizer build is not for packages"
[ -e "$CUSET_BUILD/cmake_install.cmake" ] || skip "$CUSET_BUILD is not a build folder"
[ -e "$CUSET_BIN/cuset-score" ] || skip "this build has no cuset-score"
need bwrap

setup="$CUSET_SOURCE/setup/wheel.sh"
wheel=$("$setup" --build "$CUSET_BUILD" -o packages 2>log | tail -n 1) || fail "wheel.sh: $(cat log)"
version=$(cuset --version | cut -d' ' -f2)
glibc=$(getconf GNU_LIBC_VERSION | tr -dc '0-9.' | tr . _)
[ "${wheel##*/}" = "cuset-$version-py3-none-manylinux_${glibc}_x86_64.whl" ] || fail "the name $wheel"
debug=$(echo packages/cuset-*-debug.tar.gz)
[ "$(tar -tzf "$debug" | grep -c '\.debug$')" -ge 13 ] || fail "debug files: $(tar -tzf "$debug")"
expect 2 "$setup" --nonsense
expect 1 "$setup" --cuda --build "$CUSET_BUILD" -o packages
grep -qx "wheel: $CUSET_BUILD is no build with CUSET_CUDA" err || fail "--cuda of another build: $(cat err)"
expect 1 "$setup" --build "$scratch" -o packages
grep -qx "wheel: $scratch is not a build folder" err || fail "no build folder: $(cat err)"

case_is "pip checks RECORD's hashes, and takes the wheel for any Python 3 with this glibc"
python3 -m venv environment
environment/bin/pip install -q --disable-pip-version-check --no-index --no-deps "$wheel" 2>err ||
    fail "pip install: $(cat err)"
grep -qx 'Requires: nvidia-cuda-cccl, nvidia-cuda-crt, nvidia-cuda-runtime, torch' <(environment/bin/pip show cuset) || fail "pip show: $(environment/bin/pip show cuset)"
grep -qxE 'Requires-Dist: torch==2\.[0-9]+\.\*' <(unzip -p "$wheel" '*/METADATA') || fail 'Requires-Dist'
for tool in tag window stats view eval report reward curate score train merge sample; do
    [ -s environment/share/man/man1/cuset-$tool.1 ] || fail "man page of $tool"
    [ -s environment/share/bash-completion/completions/cuset-$tool ] || fail "completion of $tool"
done
if grep -q '\.debug_info' <(readelf -S environment/libexec/cuset-* environment/bin/cuset*); then fail 'not stripped'; fi

case_is "A root with glibc and this folder alone. Debian's libraries are nowhere in it"
folder=$(dirname "$(ldd /bin/true | grep -oE '/[^ ]*/libc\.so\.6')")
loader=$(ldd /bin/true | grep -oE '/[^ ]*/ld-linux-x86-64\.so\.2')
root=(--ro-bind "$loader" "$loader")
for name in libc libm libmvec libdl libpthread librt libresolv libutil libanl; do
    for file in "$folder/$name".so.*; do root+=(--ro-bind "$file" "$file"); done
done
# Each process here would measure which products are faster, and may find others than the build's programs did.
alone() {
    bwrap --unshare-all --clearenv --setenv CUSET_PRODUCTS own "${root[@]}" --dev /dev --proc /proc --tmpfs /tmp \
        --bind "$scratch" "$scratch" --chdir "$scratch" "$@"
}
bin=$scratch/environment/bin
head -n 3 "$CUSET_SOURCE/examples/pairs.jsonl" >pairs.jsonl
alone "$bin/cuset-tag" --plain pairs.jsonl >tagged.jsonl || fail "cuset-tag in an empty root"
cmp tagged.jsonl <(cuset-tag --plain pairs.jsonl) || fail "cuset-tag of the wheel writes other bytes"
alone "$bin/cuset" tag --version | grep -qx "cuset-tag $version" || fail "cuset tag"
for tool in window stats view eval report reward curate; do
    alone "$bin/cuset-$tool" --version | grep -qx "cuset-$tool $version" || fail "cuset-$tool in an empty root"
done

# Without torch, with another one, and with a wrong CUSET_TORCH_LIB.
says() { # TEXT COMMAND...: exit code 4 and this one line
    local text=$1
    shift
    expect 4 "$@"
    [ "$(cat err)" = "$text" ] || fail "$*: $(cat err)"
}
series=$(sed -n 's/^torch==\([0-9]*\.[0-9]*\)\..*/\1/p' "$CUSET_SOURCE/setup/pins/archives.txt")
help="run pip install 'torch==$series.*' in this environment, or set CUSET_TORCH_LIB to the folder torch/lib of another one"
says "cuset-score: LibTorch is missing: $help" alone "$bin/cuset-score" --version
packages=$(echo environment/lib/python3.*/site-packages)
mkdir -p "$packages/torch/lib"
echo "__version__ = '1.13.1+cu117'" >"$packages/torch/version.py"
touch "$packages/torch/lib/libtorch_cpu.so"
says "cuset-train: this environment has torch 1.13.1+cu117, and this build needs torch==$series.*: $help" \
    alone "$bin/cuset-train" --version
says "cuset-merge: CUSET_TORCH_LIB=/nowhere: libtorch_cpu.so is not in it" \
    alone --setenv CUSET_TORCH_LIB /nowhere "$bin/cuset-merge" --version
other=$scratch/$packages/torch/lib
for given in "$other" "$other/"; do
    says "cuset-sample: CUSET_TORCH_LIB=$given: that is torch 1.13.1+cu117, and this build needs torch==$series.*" \
        alone --setenv CUSET_TORCH_LIB "$given" "$bin/cuset-sample" --version
done

case_is 'With torch: that of set-up, by its path, and as a package of the environment'
tiny_model
torch=$(realpath "$CUSET_DEPS/torch")
runs_models() { # OPTION-OF-BWRAP...
    rm -rf adapter
    alone "$@" "$bin/cuset-score" -q --model model --device=cpu tagged.jsonl -o scored.jsonl || fail "cuset-score: $*"
    cmp scored.jsonl <(CUSET_PRODUCTS=own cuset-score -q --plain --model model --device=cpu tagged.jsonl) || fail "other scores: $*"
    alone "$@" "$bin/cuset-train" -q --model model --device=cpu --max-steps=1 -o adapter tagged.jsonl 2>err ||
        fail "cuset-train: $* ($(cat err))"
    [ -s adapter/adapter_model.safetensors ] || fail "cuset-train wrote no adapter: $*"
}
runs_models --ro-bind "$torch" "$torch" --setenv CUSET_TORCH_LIB "$torch/lib/"
rm -r "$packages/torch"
mkdir "$packages/torch"
runs_models --ro-bind "$torch" "$scratch/$packages/torch"

# As a link, in the Python below an environment that shows its packages, and beside what pip put into a
# folder of its own.
found() { alone --ro-bind "$torch" "$torch" "$@" --version 2>err || fail "$*: $(cat err)"; }
rmdir "$packages/torch"
ln -s "$torch" "$packages/torch"
found "$bin/cuset-score" >version
grep -qx "cuset-score $version" version || fail "a link to torch: $(cat version)"
python3 -m venv --without-pip --system-site-packages above
sed -i "s|^home = .*|home = $scratch/environment/bin|" above/pyvenv.cfg
cp -r environment/libexec above/
cp environment/bin/cuset* above/bin/
found "$scratch/above/bin/cuset-merge" >version
sed -i 's|^include-system-site-packages = .*|include-system-site-packages = false|' above/pyvenv.cfg
says "cuset-merge: LibTorch is missing: $help" alone "$scratch/above/bin/cuset-merge" --version
environment/bin/pip install -q --disable-pip-version-check --no-index --no-deps --target folder "$wheel"
alone "$scratch/folder/bin/cuset-tag" --plain pairs.jsonl | cmp - tagged.jsonl || fail "pip install --target"
ln -s "$torch" folder/torch
found "$scratch/folder/bin/cuset-train" >version
