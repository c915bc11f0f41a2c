#!/usr/bin/env bash
# --version is one line for scripts; -V adds the libraries under the tool, as they themselves report
# their versions.
source "$(dirname "$0")/../_shell_test.sh"
# library_version LIBRARY FUNCTION: the version that the library reports.
library_version() {
    python3 -c 'import ctypes, sys
function = ctypes.CDLL(sys.argv[1])[sys.argv[2]]
function.restype = ctypes.c_char_p
print(function().decode())' "$@"
}
number='[0-9]+(\.[0-9]+)+'

case_is "One version everywhere: the project's, the programs', and the newest dated release of CHANGELOG.md"
version=$(sed -n 's/^project(cuset VERSION \([0-9.]*\) .*/\1/p' "$CUSET_SOURCE/CMakeLists.txt")
assert_equal "$(cuset --version)" "cuset $version"
newest=$(grep -m1 '^## ' "$CUSET_SOURCE/CHANGELOG.md")
grep -qxE "## ${version//./\\.} - 20[0-9]{2}-[01][0-9]-[0-3][0-9]" <<<"$newest" || fail "CHANGELOG.md begins with $newest"
zstd=$(library_version libzstd.so.1 ZSTD_versionString) tbb=$(library_version libtbb.so.12 TBB_runtime_version)
for tool in tag window stats view eval run report curate score train merge sample; do
    [ -x "$CUSET_BIN/cuset-$tool" ] || continue
    case_is "cuset-$tool"
    assert_equal "$(cuset-$tool --version)" "cuset-$tool $version"
    cuset-$tool -V >log 2>err
    [ ! -s err ]
    assert_equal "$(head -n 1 log)" "cuset-$tool $version"
    grep -qxF "zstd $zstd" log
    grep -qxF "oneTBB $tbb" log
    grep -qxE "simdjson $number \([a-z0-9]+\)" log
    # Tools that start in milliseconds have no Torch to report.
    case $tool in score | train | merge | sample) ;; *)
        if grep -qiE 'torch|^cuda ' log; then fail "it reports LibTorch"; fi ;;
    esac
done
if [ -x "$CUSET_BIN/cuset-sample" ]; then
    curl=$(library_version libcurl.so.4 curl_version | sed 's|libcurl/\([^ ]*\).*|\1|')
    grep -qxF "libcurl $curl" <(cuset-sample -V) || fail "cuset-sample -V: libcurl: $(cuset-sample -V)"
fi
if [ -x "$CUSET_BIN/cuset-score" ]; then
    case_is 'cuset-score -V'
    cuset-score -V >log
    # The pinned versions, if set-up has left its note of them.
    pinned=$(sed -n 's/^torch==\([0-9.]*\).*/\1/p' "$CUSET_DEPS/torch/.stamp" 2>/dev/null || true)
    grep -qxE "LibTorch ${pinned:-$number}" log
    # By the processor's own flags.
    widest=portable
    has() { for flag; do grep -qw "$flag" <(grep -m1 '^flags' /proc/cpuinfo) || return 1; done; }
    if has avx2 fma; then widest=avx2; fi
    if has avx2 fma avx512f avx512bw avx512dq avx512vl; then widest=avx512; fi
    if [ "$widest" = avx512 ] && has avx512_bf16; then widest=avx512_bf16; fi
    if [ "$widest" = avx512_bf16 ] && has amx_tile amx_bf16; then widest=amx; fi
    grep -qxF "CPU kernels $widest" log
    CUSET_KERNELS=portable cuset-score -V | grep -qxF 'CPU kernels portable' || fail 'CUSET_KERNELS=portable'
    CUSET_KERNELS=mmx cuset-score -V | grep -qF 'CUSET_KERNELS="mmx"' || fail 'CUSET_KERNELS=mmx'
    products='CPU products bf16 (own|mkl), float (own|mkl)'
    grep -qxE "$products" log
    CUSET_PRODUCTS=mkl cuset-score -V | grep -qxF 'CPU products bf16 mkl, float mkl' ||
        fail 'CUSET_PRODUCTS=mkl'
    bf16=mkl
    case $widest in avx512_bf16 | amx) bf16=own ;; esac
    CUSET_PRODUCTS=own cuset-score -V | grep -qxF "CPU products bf16 $bf16, float own" ||
        fail 'CUSET_PRODUCTS=own'
    CUSET_PRODUCTS=fast cuset-score -V | grep -qF 'CUSET_PRODUCTS="fast" (own or mkl)' ||
        fail 'CUSET_PRODUCTS=fast'
    case_is 'the choice is measured once, and a damaged file is made again'
    export XDG_CACHE_HOME=$PWD/cache
    cuset-score -V >first
    kept=$(echo cache/cuset/products-*.json)
    sed -i 's/own/mkl/g' "$kept"
    cuset-score -V | grep -qxF 'CPU products bf16 mkl, float mkl' || fail "kept: $(cat "$kept")"
    echo '{"products":"bf16 slow"}' >"$kept"
    cuset-score -V | grep -qxE "$products" || fail 'a damaged choice'
    grep -qE '^\{"products":"bf16 (own|mkl), float (own|mkl)"\}$' "$kept" || fail "again: $(cat "$kept")"
    case_is 'a choice that the kernels cannot run, as another version may have left it, is made again too'
    CUSET_KERNELS=portable XDG_CACHE_HOME=$PWD/other cuset-score -V >/dev/null
    echo '{"products":"bf16 own, float own"}' >"$(echo other/cuset/products-*.json)"
    CUSET_KERNELS=portable XDG_CACHE_HOME=$PWD/other cuset-score -V |
        grep -qxE 'CPU products bf16 mkl, float (own|mkl)' || fail 'a choice that cannot run'
    XDG_CACHE_HOME=/proc/none cuset-score -V | grep -qxE "$products" || fail 'no place for the choice'
    grep -qE '^CUDA ' log
fi
