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
for tool in tag window stats view eval score sample; do
    [ -x "$CUSET_BIN/cuset-$tool" ] || continue
    cuset-$tool --version | grep -qxE "cuset-$tool $number" || fail "cuset-$tool --version: $(cuset-$tool --version)"
    [ "$(cuset-$tool --version | wc -l)" = 1 ] || fail "cuset-$tool --version: more than a line"
    cuset-$tool -V >lines 2>err
    [ ! -s err ] || fail "cuset-$tool -V: $(cat err)"
    [ "$(head -n 1 lines)" = "$(cuset-$tool --version)" ] || fail "cuset-$tool -V starts with $(head -n 1 lines)"
    grep -qxF "zstd $(told libzstd.so.1 ZSTD_versionString)" lines || fail "cuset-$tool -V: zstd: $(cat lines)"
    grep -qxF "oneTBB $(told libtbb.so.12 TBB_runtime_version)" lines || fail "cuset-$tool -V: oneTBB: $(cat lines)"
    grep -qxE "simdjson $number \([a-z0-9]+\)" lines || fail "cuset-$tool -V: simdjson: $(cat lines)"
done
for tool in tag window stats view eval; do
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
    grep -qxF "CPU kernels $widest" lines || fail "cuset-score -V: kernels: $(cat lines)"
    CUSET_KERNELS=portable cuset-score -V | grep -qxF 'CPU kernels portable' || fail 'CUSET_KERNELS=portable'
    CUSET_KERNELS=mmx cuset-score -V | grep -qF 'CUSET_KERNELS="mmx"' || fail 'CUSET_KERNELS=mmx'
    grep -qE '^CUDA ' lines || fail "cuset-score -V: CUDA: $(cat lines)"
fi
