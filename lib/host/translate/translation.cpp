#include "cuset/host/translation.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "cuset/host/architectures.h"
#include "cuset/host/build/gxx_messages.h"
#include "cuset/host/hip.h"
#include "kernels.h"
#include "refuse/only_of_clang.h"
#include "refuse/refusals.h"
#include "refuse/reserved_names.h"
#include "rewriting.h"
#include "split/row_kernels.h"
#include "split/split_kernels.h"
#include "text_edits.h"
#include "translate/asm_macros.h"
#include "translate/inline_ptx.h"
#include "translate/library_headers.h"
#include "translate/macro_expansion.h"
#include "translate/pointer_casts.h"
#include "translate/sides.h"
#include "translate/waiting_loops.h"
#include "translate/warp_steps.h"

namespace cuset {

namespace {

/// Without what is for device code: `program` has none that runs.
translation translate_host_source(std::string_view text, std::uint32_t first_shared) {
    translation result;
    const syntax::cuda_program program = syntax::read_cuda_program(text);
    result.headers = library_headers(program);
    result.calls_libraries = names_libraries(text);
    result.may_misalign = casts_to_wider_types(program);
    result.unsupported = find_unmodelled(program);
    result.shared = first_shared;
    for (const syntax::cuda_launch& launch : program.launches)
        if (!launch.is_call && launch.define == syntax::no_token && !result.error)
            result.error = {program.line_of(launch.opening),
                            "a launch in a file that nvcc leaves to the host compiler"};
    if (auto reserved = find_reserved_name(text)) {
        result.unsupported.reset();
        result.error = std::move(reserved);
    }
    text_edits edits(text);
    mark_host_algorithms(program, edits);
    mark_unchecked_calls(program, edits);
    end_renamed_main(program, edits);
    rewrite_functional_casts(program, edits);
    rewrite_host_arithmetic(program, edits);
    rewrite_launches(program, kernel_table(program), edits);
    auto rewritten = edits.apply();
    if (!rewritten && !result.error)
        result.unsupported = "code that the translation would rewrite twice";
    result.text = rewritten ? *std::move(rewritten) : std::string(text);
    return result;
}

/// Each thread has a copy of a parameter of __grid_constant__, which has one address on a device:
/// in checked programs a thread may use the address of another one's.
void note_grid_constants(const syntax::cuda_program& program, text_edits& edits) {
    const syntax::token_stream& code = program.code;
    for (const syntax::cuda_function& f : program.functions)
        if (f.is_global && !f.body.empty() && code.has_word(f.parameters, {"__grid_constant__"}))
            edits.insert(code.tokens[f.body.first].end, " ::cuset_host::note_grid_constants();");
}

translation translate_cuda(std::string_view text, const nvcc_dialect& dialect, barrier_form form,
                           std::string_view architecture, std::uint32_t first_shared) {
    translation result;
    if (dialect.is_host_source) return translate_host_source(text, first_shared);
    const std::string expanded = with_asm_macros_expanded(text);
    if (!expanded.empty()) text = expanded;
    const std::string with_heads = with_head_macros_expanded(text);
    if (!with_heads.empty()) text = with_heads;
    const std::string_view whole = text;
    separated_sides sides = separate_sides(text, cuda_arch_of(architecture), dialect);
    if (!sides.text.empty()) text = sides.text;
    syntax::cuda_program program = syntax::read_cuda_program(text);
    mark_host_blocks(program);
    const kernel_table kernels(program);
    result.headers = library_headers(program);
    result.calls_libraries = names_libraries(text);
    result.may_misalign = casts_to_wider_types(program);
    result.unsupported = find_unmodelled(program);
    if (!result.unsupported && !sides.unsupported.empty()) result.unsupported = sides.unsupported;
    result.error = find_refusal(program, kernels, dialect);
    if (auto reserved = find_reserved_name(whole)) {
        result.unsupported.reset();
        result.error = std::move(reserved);
    }
    text_edits edits(text);
    // Memory that is volatile, or a loop that waits for another thread, shows that a program relies
    // on threads that all go on.
    std::vector<bool> steps = functions_with_volatile(program);
    const bool has_steps = std::ranges::find(steps, true) != steps.end();
    // A thread that polls has to be able to let others go on.
    const bool waits = has_steps || has_polling_loops(program);
    if (form == barrier_form::steps) std::fill(steps.begin(), steps.end(), true);
    const split_kernels splits(program,
                               waits && form == barrier_form::split ? barrier_form::fibers : form);
    result.kernels = splits.forms();
    splits.move_constants(edits);
    rewrite_shared_memory(program, splits, first_shared, edits);
    result.shared = first_shared;
    for (const auto& d : program.shared)
        result.shared += static_cast<std::uint32_t>(d.declarators.size());
    read_device_variables(program, edits);
    mark_host_algorithms(program, edits);
    mark_unchecked_calls(program, edits);
    end_renamed_main(program, edits);
    rewrite_functional_casts(program, edits);
    rewrite_device_arithmetic(program, edits);
    rewrite_host_arithmetic(program, edits);
    rewrite_inline_ptx(program, edits);
    if (dialect.is_counted) mark_local_arrays(program, edits);
    rewrite_launches(program, kernels, edits);
    use_host_shadows(program, edits);
    rewrite_device_functions(program, kernels, cuda_arch_of(architecture), first_shared, edits);
    if (has_steps || form == barrier_form::steps) add_warp_steps(program, steps, edits);
    if (form == barrier_form::fibers) note_grid_constants(program, edits);
    name_convergence_places(program, edits);
    splits.rewrite(edits);
    if (!waits && form == barrier_form::split) result.rows = rewrite_row_kernels(program, edits);
    auto rewritten = edits.apply();
    if (!rewritten && !result.error)
        result.unsupported = "code that the translation would rewrite twice";
    result.text = rewritten ? *std::move(rewritten) : std::string(text);
    return result;
}

/// The runtime tells of calls whose errors a program drops by these names.
std::string with_calls_named_as_in_hip(std::string_view text) {
    constexpr std::string_view call = "::cuset_host::unchecked_call(\"", cuda = "cuda";
    std::string out;
    out.reserve(text.size());
    std::size_t from = 0;
    for (std::size_t at = text.find(call); at != text.npos; at = text.find(call, at)) {
        at += call.size();
        if (!text.substr(at).starts_with(cuda)) continue;
        out.append(text, from, at - from).append("hip");
        from = at + cuda.size();
    }
    return out.append(text, from);
}

/// As the CUDA program that it stands for.
translation translate_hip(std::string_view text, nvcc_dialect dialect, barrier_form form,
                          std::string_view architecture, std::uint32_t first_shared) {
    for (const char* defined :
         {"-D__HIP__=1", "-D__HIPCC__=1", "-D__HIP_PLATFORM_AMD__=1", "-D__HIP_PLATFORM_HCC__=1"})
        dialect.definitions.emplace_back(defined);
    dialect.extended_lambda = dialect.relaxed_constexpr = true;  // which clang has by itself
    const std::string cuda = with_cuda_names(text, dialect.definitions);
    translation result = translate_cuda(cuda, dialect, form, architecture, first_shared);
    result.text = with_calls_named_as_in_hip(result.text);
    result.headers.emplace_back("cuset_host/hip/language.h");
    if (!result.error && !has_header_of_hip(text) && needs_header_of_hip(text))
        result.error = {1, "no header of HIP is included, such as <hip/hip_runtime.h>"};
    if (!result.unsupported && dialect.has_wide_warps && depends_on_lanes(text))
        result.unsupported = "warps of 64 lanes";
    if (std::string only = only_of_clang(text); !result.unsupported && !only.empty())
        result.unsupported = std::move(only);
    // To clang such a lambda is of the host and the device.
    if (result.error && !result.error->is_ours &&
        result.error->message.starts_with("The closure type for a lambda")) {
        result.error.reset();
        if (!result.unsupported) result.unsupported = "a lambda of the host as a kernel's argument";
    }
    if (result.error) result.error->message = in_names_of_hip(std::move(result.error->message));
    if (result.unsupported) result.unsupported = in_names_of_hip(*std::move(result.unsupported));
    return result;
}

}  // namespace

translation translate_for_host(std::string_view text, const nvcc_dialect& dialect,
                               barrier_form form, std::string_view architecture,
                               std::uint32_t first_shared) {
    if (text.size() >= std::numeric_limits<std::uint32_t>::max()) {
        translation result;
        result.text = text;
        result.unsupported = "a program of 4 GiB";
        return result;
    }
    if (dialect.is_hip) return translate_hip(text, dialect, form, architecture, first_shared);
    return translate_cuda(text, dialect, form, architecture, first_shared);
}

}  // namespace cuset
