#include "cuset/host/translation.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "cuset/host/architectures.h"
#include "kernels.h"
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

}  // namespace

translation translate_for_host(std::string_view text, const nvcc_dialect& dialect,
                               barrier_form form, std::string_view architecture,
                               std::uint32_t first_shared) {
    translation result;
    if (text.size() >= std::numeric_limits<std::uint32_t>::max()) {
        result.text = text;
        result.unsupported = "a program of 4 GiB";
        return result;
    }
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
    if (form == barrier_form::steps) std::fill(steps.begin(), steps.end(), true);
    const split_kernels splits(
        program, has_steps && form == barrier_form::split ? barrier_form::fibers : form);
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
    splits.rewrite(edits);
    if (!has_steps && form == barrier_form::split)
        result.rows = rewrite_row_kernels(program, edits);
    auto rewritten = edits.apply();
    if (!rewritten && !result.error)
        result.unsupported = "code that the translation would rewrite twice";
    result.text = rewritten ? *std::move(rewritten) : std::string(text);
    return result;
}

}  // namespace cuset
