#include <cctype>
#include <utility>

#include "translate/ptx_reader.h"

namespace cuset::ptx {

namespace {

constexpr instruction table[] = {
    {"mov", shape::move, "", 1},
    {"add.cc", shape::value, "add_cc", 2},
    {"addc.cc", shape::value, "addc_cc", 2},
    {"addc", shape::value, "addc", 2},
    {"sub.cc", shape::value, "sub_cc", 2},
    {"subc.cc", shape::value, "subc_cc", 2},
    {"subc", shape::value, "subc", 2},
    {"mad.lo.cc", shape::value, "mad_lo_cc", 3},
    {"madc.lo.cc", shape::value, "madc_lo_cc", 3},
    {"madc.lo", shape::value, "madc_lo", 3},
    {"mad.hi.cc", shape::value, "mad_hi_cc", 3},
    {"madc.hi.cc", shape::value, "madc_hi_cc", 3},
    {"madc.hi", shape::value, "madc_hi", 3},
    {"add", shape::value, "add", 2},
    {"sub", shape::value, "sub", 2},
    {"mul.lo", shape::value, "mul_lo", 2},
    {"mul.hi", shape::value, "mul_hi", 2},
    {"mul.wide", shape::value, "mul_wide", 2},
    {"mad.lo", shape::value, "mad_lo", 3},
    {"mad.hi", shape::value, "mad_hi", 3},
    {"mad.wide", shape::value, "mad_wide", 3},
    {"mul", shape::value, "mul", 2},
    {"fma", shape::value, "fma", 3},
    {"mad", shape::value, "fma", 3},
    {"div", shape::value, "div", 2},
    {"rem", shape::value, "rem", 2},
    {"min", shape::value, "min", 2},
    {"max", shape::value, "max", 2},
    {"abs", shape::value, "abs", 1},
    {"neg", shape::value, "neg", 1},
    {"and", shape::value, "bit_and", 2},
    {"or", shape::value, "bit_or", 2},
    {"xor", shape::value, "bit_xor", 2},
    {"not", shape::value, "bit_not", 1},
    {"shl", shape::value, "shl", 2},
    {"shr", shape::value, "shr", 2},
    {"popc", shape::value, "popc", 1},
    {"clz", shape::value, "clz", 1},
    {"brev", shape::value, "brev", 1},
    {"bfe", shape::value, "bfe", 3},
    {"bfi", shape::value, "bfi", 4},
    {"bfind", shape::value, "bfind", 1},
    {"prmt", shape::value, "prmt", 3},
    {"lop3", shape::value, "lop3", 4},
    {"shf.l.wrap", shape::value, "shf_l_wrap", 3},
    {"shf.l.clamp", shape::value, "shf_l_clamp", 3},
    {"shf.r.wrap", shape::value, "shf_r_wrap", 3},
    {"shf.r.clamp", shape::value, "shf_r_clamp", 3},
    {"sad", shape::value, "sad", 3},
    {"mul24.lo", shape::value, "mul24_lo", 2},
    {"mad24.lo", shape::value, "mad24_lo", 3},
    {"cnot", shape::value, "cnot", 1},
    {"vadd2", shape::lanes, "x + y", 3},
    {"vadd4", shape::lanes, "x + y", 3},
    {"vsub2", shape::lanes, "x - y", 3},
    {"vsub4", shape::lanes, "x - y", 3},
    {"vavrg2", shape::lanes, "(x + y + (x + y >= 0)) >> 1", 3},
    {"vavrg4", shape::lanes, "(x + y + (x + y >= 0)) >> 1", 3},
    {"vabsdiff2", shape::lanes, "x > y ? x - y : y - x", 3},
    {"vabsdiff4", shape::lanes, "x > y ? x - y : y - x", 3},
    {"vmin2", shape::lanes, "x < y ? x : y", 3},
    {"vmin4", shape::lanes, "x < y ? x : y", 3},
    {"vmax2", shape::lanes, "x > y ? x : y", 3},
    {"vmax4", shape::lanes, "x > y ? x : y", 3},
    {"dp4a", shape::value, "dp4a", 3},
    {"dp2a.lo", shape::value, "dp2a_lo", 3},
    {"dp2a.hi", shape::value, "dp2a_hi", 3},
    {"selp", shape::value, "selp", 3},
    {"slct", shape::value, "slct", 3},
    {"fns", shape::value, "fns", 3},
    {"bmsk.clamp", shape::value, "bmsk_clamp", 2},
    {"bmsk.wrap", shape::value, "bmsk_wrap", 2},
    {"szext.clamp", shape::value, "szext_clamp", 2},
    {"szext.wrap", shape::value, "szext_wrap", 2},
    {"copysign", shape::value, "copysign", 2},
    {"setp", shape::compare, "setp", 2},
    {"set", shape::compare, "setp", 2},
    {"testp", shape::test, "testp", 1},
    {"sqrt", shape::value, "sqrt", 1},
    {"rsqrt", shape::value, "rsqrt", 1},
    {"rcp", shape::value, "rcp", 1},
    {"ex2", shape::value, "ex2", 1},
    {"lg2", shape::value, "lg2", 1},
    {"sin", shape::value, "sin", 1},
    {"cos", shape::value, "cos", 1},
    {"tanh", shape::value, "tanh", 1},
    {"cvt", shape::convert, "cvt", 1},
    {"cvta.to", shape::address, "to_window", 1},
    {"cvta", shape::address, "from_window", 1},
    {"ld", shape::load, "", 1},
    {"ldu", shape::load, "", 1},
    {"st", shape::store, "", 1},
    {"atom", shape::atomic, "atom", 2},
    {"red", shape::reduce, "atom", 2},
    {"redux.sync", shape::value, "redux", 2},
    {"shfl.sync", shape::shuffle, "shfl", 4},
    {"vote.sync", shape::value, "vote", 2},
    {"match.any.sync", shape::value, "match_any", 2},
    {"match.all.sync", shape::elect, "match_all", 2},
    {"activemask", shape::value, "activemask", 0},
    {"bar.warp.sync", shape::call, "warp_barrier", 1},
    {"bar.sync", shape::barrier, "barrier", 1},
    {"bar.cta.sync", shape::barrier, "barrier", 1},
    {"barrier.sync", shape::barrier, "barrier", 1},
    {"barrier.cta.sync", shape::barrier, "barrier", 1},
    {"bar.red.popc", shape::value, "barrier_popc", 2},
    {"bar.red.and", shape::value, "barrier_and", 2},
    {"bar.red.or", shape::value, "barrier_or", 2},
    {"elect.sync", shape::elect, "elected", 1},
    {"mapa", shape::value, "mapa", 2},
    {"mapa.shared::cluster", shape::value, "mapa_shared", 2},
    {"isspacep.global", shape::value, "isspacep_global", 1},
    {"isspacep.shared", shape::value, "isspacep_shared", 1},
    {"isspacep.local", shape::value, "isspacep_local", 1},
    {"bar.arrive", shape::call, "arrive", 2},
    {"bar.cta.arrive", shape::call, "arrive", 2},
    {"barrier.arrive", shape::call, "arrive", 2},
    {"barrier.cta.arrive", shape::call, "arrive", 2},
    {"bra", shape::branch, "", 1},
    {"mbarrier.init", shape::barrier_object, "mbarrier_init", 2},
    {"mbarrier.inval", shape::barrier_object, "mbarrier_inval", 1},
    {"mbarrier.expect_tx", shape::barrier_object, "mbarrier_expect_tx", 2},
    {"mbarrier.arrive", shape::barrier_object, "mbarrier_arrive", 2},
    {"mbarrier.arrive.expect_tx", shape::barrier_object, "mbarrier_arrive_expect_tx", 2},
    {"mbarrier.test_wait", shape::barrier_object, "mbarrier_has_passed", 2},
    {"mbarrier.try_wait", shape::barrier_object, "mbarrier_has_passed", 3},
    {"mbarrier.test_wait.parity", shape::barrier_object, "mbarrier_has_passed_parity", 2},
    {"mbarrier.try_wait.parity", shape::barrier_object, "mbarrier_has_passed_parity", 3},
    // Threads wait in the second half.
    {"barrier.cluster.arrive", shape::nothing, "", 0},
    {"barrier.cluster.wait", shape::call, "cluster_wait", 0},
    {"membar", shape::nothing, "", 0},
    {"fence", shape::nothing, "", 0},
    {"prefetch", shape::nothing, "", 0},
    {"prefetchu", shape::nothing, "", 0},
    {"nanosleep", shape::nothing, "", 0},
    {"griddepcontrol.launch_dependents", shape::call, "launch_dependents", 0},
    {"griddepcontrol.wait", shape::call, "wait_for_grids", 0},
    {"cp.async.commit_group", shape::call, "commit_copies", 0},
    {"cp.async.wait_group", shape::call, "wait_for_copies", 1},
    {"cp.async.wait_all", shape::call, "wait_for_all_copies", 0},
    {"cp.async.mbarrier.arrive", shape::barrier_object, "copies_counted", 1},
    {"cp.async.mbarrier.arrive.noinc", shape::barrier_object, "copies_arrive", 1},
    {"cp.async.bulk.commit_group", shape::nothing, "", 0},
    {"cp.async.bulk.wait_group", shape::nothing, "", 0},
    {"cp.async.bulk", shape::bulk_copy, "", 4},
    {"cp.reduce.async.bulk", shape::bulk_copy, "", 3},
    {"cp.async.bulk.tensor", shape::tensor_copy, "", 3},
    {"cp.reduce.async.bulk.tensor", shape::tensor_copy, "", 2},
    {"cp.async.bulk.prefetch", shape::nothing, "", 0},
    {"cp.async.ca", shape::copy, "", 3},
    {"cp.async.cg", shape::copy, "", 3},
    {"trap", shape::call, "trap", 0},
    {"discard", shape::nothing, "", 0},
    {"createpolicy", shape::policy, "", 1},
    {"applypriority", shape::nothing, "", 0},
    {"ldmatrix.sync", shape::load_matrices, "load_matrices", 2},
    {"stmatrix.sync", shape::store_matrices, "store_matrices", 2},
    {"mma.sync", shape::multiply, "multiply", 3},
};

constexpr std::string_view registers[] = {"tid.x",
                                          "tid.y",
                                          "tid.z",
                                          "ntid.x",
                                          "ntid.y",
                                          "ntid.z",
                                          "ctaid.x",
                                          "ctaid.y",
                                          "ctaid.z",
                                          "nctaid.x",
                                          "nctaid.y",
                                          "nctaid.z",
                                          "laneid",
                                          "warpid",
                                          "nwarpid",
                                          "smid",
                                          "nsmid",
                                          "clock",
                                          "clock64",
                                          "lanemask_eq",
                                          "lanemask_lt",
                                          "lanemask_le",
                                          "lanemask_gt",
                                          "lanemask_ge",
                                          "globaltimer",
                                          "globaltimer_lo",
                                          "globaltimer_hi",
                                          "dynamic_smem_size",
                                          "total_smem_size",
                                          "clock_hi",
                                          "cluster_ctaid.x",
                                          "cluster_ctaid.y",
                                          "cluster_ctaid.z",
                                          "cluster_nctaid.x",
                                          "cluster_nctaid.y",
                                          "cluster_nctaid.z",
                                          "clusterid.x",
                                          "clusterid.y",
                                          "clusterid.z",
                                          "nclusterid.x",
                                          "nclusterid.y",
                                          "nclusterid.z",
                                          "cluster_ctarank",
                                          "cluster_nctarank"};

}  // namespace

std::span<const instruction> instructions() { return table; }
std::span<const std::string_view> special_registers() { return registers; }

std::string type_of(std::string_view name) {
    for (const auto& [ptx, type] : {std::pair{"u8", "std::uint8_t"},
                                    {"s8", "std::int8_t"},
                                    {"b8", "std::uint8_t"},
                                    {"u16", "std::uint16_t"},
                                    {"s16", "std::int16_t"},
                                    {"b16", "std::uint16_t"},
                                    {"u32", "std::uint32_t"},
                                    {"s32", "std::int32_t"},
                                    {"b32", "std::uint32_t"},
                                    {"u64", "std::uint64_t"},
                                    {"s64", "std::int64_t"},
                                    {"b64", "std::uint64_t"},
                                    {"f32", "float"},
                                    {"f64", "double"},
                                    {"pred", "bool"}})
        if (name == ptx) return type;
    return {};
}

std::string_view element_of(std::string_view name) {
    constexpr std::string_view types[] = {"f16", "bf16", "tf32", "f32",  "f64",
                                          "s8",  "u8",   "s32",  "e4m3", "e5m2"};
    if (name == "f16x2") return "f16";
    if (name == "bf16x2") return "bf16";
    if (name == "e4m3x2") return "e4m3";
    if (name == "e5m2x2") return "e5m2";
    return is_one_of(name, types) ? name : std::string_view();
}
bool is_narrow(std::string_view name) {
    return is_one_of(name, {"f16", "bf16", "f16x2", "bf16x2", "e4m3x2", "e5m2x2"});
}

std::vector<std::string> split(std::string_view text, char at) {
    std::vector<std::string> parts(1);
    int depth = 0;
    for (const char c : text) {
        depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
        if (c == at && depth == 0)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    for (auto& part : parts) {
        const auto is_blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)); };
        while (!part.empty() && is_blank(part.back())) part.pop_back();
        while (!part.empty() && is_blank(part.front())) part.erase(0, 1);
    }
    return parts;
}

}  // namespace cuset::ptx
