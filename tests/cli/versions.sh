#!/usr/bin/env bash
# --version is one line for scripts; -V adds the libraries under the tool, as they themselves report
# their versions.
source "$(dirname "$0")/../faults/_common.sh"
# told LIBRARY FUNCTION: the version that the library reports.
told() {
    python3 -c 'import ctypes, sys
function = ctypes.CDLL(sys.argv[1])[sys.argv[2]]
function.restype = ctypes.c_char_p
print(function().decode())' "$@"
}
number='[0-9]+(\.[0-9]+)+'

# One version everywhere: the project's, the programs', and the newest dated release of CHANGELOG.md.
version=$(sed -n 's/^project(cuset VERSION \([0-9.]*\) .*/\1/p' "$CUSET_SOURCE/CMakeLists.txt")
[ "$(cuset --version)" = "cuset $version" ] || fail "cuset --version is not $version: $(cuset --version)"
newest=$(grep -m1 '^## ' "$CUSET_SOURCE/CHANGELOG.md")
grep -qxE "## ${version//./\\.} - 20[0-9]{2}-[01][0-9]-[0-3][0-9]" <<<"$newest" || fail "CHANGELOG.md begins with $newest"
for tool in tag window stats view eval curate score train merge sample; do
    [ -x "$CUSET_BIN/cuset-$tool" ] || continue
    [ "$(cuset-$tool --version)" = "cuset-$tool $version" ] || fail "cuset-$tool --version: $(cuset-$tool --version)"
    cuset-$tool -V >lines 2>err
    [ ! -s err ] || fail "cuset-$tool -V: $(cat err)"
    [ "$(head -n 1 lines)" = "$(cuset-$tool --version)" ] || fail "cuset-$tool -V starts with $(head -n 1 lines)"
    grep -qxF "zstd $(told libzstd.so.1 ZSTD_versionString)" lines || fail "cuset-$tool -V: zstd: $(cat lines)"
    grep -qxF "oneTBB $(told libtbb.so.12 TBB_runtime_version)" lines || fail "cuset-$tool -V: oneTBB: $(cat lines)"
    grep -qxE "simdjson $number \([a-z0-9]+\)" lines || fail "cuset-$tool -V: simdjson: $(cat lines)"
done
for tool in tag window stats view eval curate; do
    # Tools that start in milliseconds have no Torch to report.
    if cuset-$tool -V | grep -qiE 'torch|^cuda '; then fail "cuset-$tool -V tells of LibTorch"; fi
done
if [ -x "$CUSET_BIN/cuset-sample" ]; then
    curl=$(told libcurl.so.4 curl_version | sed 's|libcurl/\([^ ]*\).*|\1|')
    grep -qxF "libcurl $curl" <(cuset-sample -V) || fail "cuset-sample -V: libcurl: $(cuset-sample -V)"
fi
if [ -x "$CUSET_BIN/cuset-score" ]; then
    cuset-score -V >lines
    # The pinned versions, if set-up has left its note of them.
    pinned=$(sed -n 's/^torch==\([0-9.]*\).*/\1/p' "$CUSET_DEPS/torch/.stamp" 2>/dev/null || true)
    grep -qxE "LibTorch ${pinned:-$number}" lines || fail "cuset-score -V: LibTorch: $(cat lines)"
    # By the processor's own flags.
    widest=portable
    has() { for flag; do grep -qw "$flag" <(grep -m1 '^flags' /proc/cpuinfo) || return 1; done; }
    if has avx2 fma; then widest=avx2; fi
    if has avx2 fma avx512f avx512bw avx512dq avx512vl; then widest=avx512; fi
    if [ "$widest" = avx512 ] && has avx512_bf16; then widest=avx512_bf16; fi
    if [ "$widest" = avx512_bf16 ] && has amx_tile amx_bf16; then widest=amx; fi
    grep -qxF "CPU kernels $widest" lines || fail "cuset-score -V: kernels: $(cat lines)"
    CUSET_KERNELS=portable cuset-score -V | grep -qxF 'CPU kernels portable' || fail 'CUSET_KERNELS=portable'
    CUSET_KERNELS=mmx cuset-score -V | grep -qF 'CUSET_KERNELS="mmx"' || fail 'CUSET_KERNELS=mmx'
    products='CPU products bf16 (own|mkl), float (own|mkl)'
    grep -qxE "$products" lines || fail "cuset-score -V: products: $(cat lines)"
    CUSET_PRODUCTS=mkl cuset-score -V | grep -qxF 'CPU products bf16 mkl, float mkl' ||
        fail 'CUSET_PRODUCTS=mkl'
    bf16=mkl
    case $widest in avx512_bf16 | amx) bf16=own ;; esac
    CUSET_PRODUCTS=own cuset-score -V | grep -qxF "CPU products bf16 $bf16, float own" ||
        fail 'CUSET_PRODUCTS=own'
    CUSET_PRODUCTS=fast cuset-score -V | grep -qF 'CUSET_PRODUCTS="fast" (own or mkl)' ||
        fail 'CUSET_PRODUCTS=fast'
    # The choice is measured once, and a damaged file is made again.
    export XDG_CACHE_HOME=$PWD/cache
    cuset-score -V >first
    kept=$(echo cache/cuset/products-*.json)
    sed -i 's/own/mkl/g' "$kept"
    cuset-score -V | grep -qxF 'CPU products bf16 mkl, float mkl' || fail "kept: $(cat "$kept")"
    echo '{"products":"bf16 slow"}' >"$kept"
    cuset-score -V | grep -qxE "$products" || fail 'a damaged choice'
    grep -qE '^\{"products":"bf16 (own|mkl), float (own|mkl)"\}$' "$kept" || fail "again: $(cat "$kept")"
    # A choice that the kernels cannot run, as another version may have left it, is made again too.
    CUSET_KERNELS=portable XDG_CACHE_HOME=$PWD/other cuset-score -V >/dev/null
    echo '{"products":"bf16 own, float own"}' >"$(echo other/cuset/products-*.json)"
    CUSET_KERNELS=portable XDG_CACHE_HOME=$PWD/other cuset-score -V |
        grep -qxE 'CPU products bf16 mkl, float (own|mkl)' || fail 'a choice that cannot run'
    XDG_CACHE_HOME=/proc/none cuset-score -V | grep -qxE "$products" || fail 'no place for the choice'
    grep -qE '^CUDA ' lines || fail "cuset-score -V: CUDA: $(cat lines)"
fi
