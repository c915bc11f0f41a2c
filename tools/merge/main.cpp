// cuset-merge: a base model and a LoRA adapter -> one model folder.
#include <filesystem>

#include "cuset/base/format.h"
#include "cuset/base/log.h"
#include "cuset/model/library_versions.h"
#include "cuset/model/merge.h"
#include "cuset/stream/library_versions.h"
#include "model_flags.h"
#include "tool.h"

namespace {

using namespace cuset;

struct merge_flags {
    stream_flags common;  // threads and quiet
    std::string model, adapter, folder, dtype = "auto", quantise = "none";
};

// The logits are compared over this text: code like that which the adapter was trained on.
constexpr std::string_view probe = R"(Write a CUDA program that scales a vector.
#include <cuda_runtime.h>
#include <cstdio>
__global__ void scale(float* x, float factor, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) x[i] *= factor;
}
int main() {
    const int count = 1 << 20;
    float* x = nullptr;
    cudaMalloc(&x, count * sizeof(float));
    scale<<<(count + 255) / 256, 256>>>(x, 2.0f, count);
    cudaDeviceSynchronize();
    std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaFree(x);
}
)";

program describe(merge_flags& f) {
    program p = new_program("cuset-merge", "merge a LoRA adapter into its base model");
    p.description = paragraphs(R"(
Writes a model folder whose weights are the base's with the adapter's updates added. Each sum is
computed in float and rounded once to the type that the base stores, or not at all with --dtype
f32. A base that bitsandbytes stored in 4 bits is dequantised, and its linear layers get the type
that they had before: the result is never quantised. Then the tool runs base with adapter, and the
merged model, over a short CUDA program in float, and reports the largest difference of a logit:
what the rounding changed.
)");
    p.options = {
        {0, "model", "DIR", "The base model's folder; the default is in CUSET_MODEL.", &f.model,
         value_kind::folder},
        {0, "adapter", "DIR",
         "The adapter. Without one, a quantised base is written as it is dequantised.", &f.adapter,
         value_kind::folder},
        {'o', "output", "DIR", "The folder to make.", &f.folder, value_kind::folder},
        {0, "dtype", "TYPE",
         "The type in which weights are stored: auto keeps that of the base, f32 stores all as "
         "float.",
         &f.dtype, one_of("auto", "f32")},
        {0, "quantize", "TYPE",
         "Merge into the base as --quantize of cuset-train keeps it, dequantised: nf4 or int8, as "
         "the adapter was trained. By default the updates are added to the base's own weights: "
         "these are more exact, but the adapter has learnt to make up for the rounding of the "
         "others. Which one answers better can only be measured. Weights of floats or halves are "
         "quantised as cuset-train --dtype f32 does; with bf16 it rounded them before.",
         &f.quantise, one_of("none", "nf4", "int8")},
        {'t', "threads", "N",
         "Threads in total; 0 takes every core that the affinity mask and the control groups' "
         "quotas leave.",
         &f.common.threads, between(0, 4096)},
        {'q', "quiet", "", "No notes.", &f.common.quiet},
    };
    p.exit_codes = {{0, "All went well."},
                    {1, "Bad data, or a system call failed."},
                    {2, "The command line is wrong."},
                    {4, "This model or adapter is not supported."}};
    p.environment.emplace_back("CUSET_MODEL", "The base model's folder if --model is not given.");
    add_torch_variables(p);
    p.build_details = [] { return stream_library_versions() + model_library_versions(); };
    p.examples = {
        {"cuset-tag pairs.jsonl | cuset-train -o lora --max-steps 2 && "
         "cuset-merge --adapter lora -o merged",
         "A model folder that needs no adapter."},
    };
    p.see_also = {"cuset-train", "cuset-score"};
    f.common.output = "/dev/null";
    return p;
}

status write_merged(const merge_flags& f, const text_model& text, const merge_options& options,
                    const std::filesystem::path& folder) {
    CUSET_TRY(merge_adapter(text.folder, f.adapter, folder, options));
    std::vector<std::int32_t> tokens;
    CUSET_TRY(text.words.encode(probe, tokens));
    CUSET_ASSIGN(const logit_difference difference,
                 compare_logits(text.folder, f.adapter, folder, options, tokens));
    tell_notes(difference.notes);
    std::string message =
        format("largest logit difference %.3g (of logits up to %.3g, over %zu tokens)",
               difference.largest, difference.largest_logit, tokens.size());
    // In float it is of the order of 1e-6 of the logits.
    constexpr double of_rounding = 1e-4;
    if (f.dtype != "f32" && difference.largest > of_rounding * difference.largest_logit)
        message +=
            ": the merged weights are rounded to the base's type; --dtype f32 keeps the logits, in "
            "a folder twice as large";
    log(log_level::note, message);
    return {};
}

result<stream_summary> merge(const merge_flags& f) {
    namespace fs = std::filesystem;
    if (f.folder.empty()) return usage_error("no output: give -o DIR");
    const fs::path folder = fs::absolute(f.folder).lexically_normal();
    const fs::path final_path = folder.has_filename() ? folder : folder.parent_path();
    std::error_code error;
    if (fs::exists(final_path, error) && !fs::is_empty(final_path, error))
        return usage_error(f.folder + " already exists and is not empty");
    model_flags flags;
    flags.model = f.model;
    flags.chat = "none";
    flags.quantise = f.quantise;
    CUSET_ASSIGN(const text_model text, open_text_model(flags));
    const merge_options options{.keep_float = f.dtype == "f32",
                                .quantise = to_quantisation(flags),
                                .threads = static_cast<int>(f.common.threads)};
    CUSET_ASSIGN(const model_config config, read_model_config(text.folder / "config.json"));
    if (f.adapter.empty() && options.quantise == quantisation::none &&
        config.stored_quantisation == quantisation::none)
        return usage_error("no adapter: give --adapter DIR");

    const fs::path partial =
        final_path.parent_path() / ("." + final_path.filename().string() + ".partial");
    fs::create_directories(final_path.parent_path(), error);
    if (!error) fs::remove_all(partial, error);
    if (!error) fs::create_directory(partial, error);
    if (error) return io_error(f.folder, error.value());
    const status written = write_merged(f, text, options, partial);
    if (written) fs::rename(partial, final_path, error);
    std::error_code ignored;
    if (!written || error) fs::remove_all(partial, ignored);
    if (!written) return written;
    if (error) return io_error(f.folder, error.value());
    sync_folder(final_path.parent_path().string());
    return stream_summary{};
}

}  // namespace

int main(int argc, char** argv) {
    merge_flags flags;
    program p = describe(flags);
    return run_tool(p, flags.common, argc, argv,
                    {.form = [] { return output_form::text; },
                     .run = [&] { return merge(flags); },
                     .writes_at_end = true});
}
