#include "cuset/train/checkpoint.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <fcntl.h>
#include <simdjson.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "cuset/base/fd.h"
#include "cuset/model/safetensors.h"
#include "cuset/stream/output_file.h"
#include "torch_errors.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "checkpoint-";
constexpr std::string_view partial_prefix = ".checkpoint-";

std::string state_json(const adamw& optimizer, const run_state& state,
                       std::span<const named_setting> settings) {
    std::string text;
    json_writer json(text);
    json.begin_object(json_layout::lines).member("global_step", optimizer.steps_done());
    json.member("seconds", state.seconds).member("tokens", state.tokens);
    json.member("best_loss", state.best_loss).member("best_step", state.best_step);
    json.member("evaluations_since_best", state.evaluations_since_best);
    if (!state.first_drops.empty()) json.key("first_drops").values(state.first_drops);
    if (!state.extended_at.empty()) json.key("extended_at").values(state.extended_at);
    json.key("settings");
    write_settings(settings, true, json);
    json.end_object();
    return text + '\n';
}

using named_tensors = std::vector<std::pair<std::string, at::Tensor>>;

/// Writes flat tensors of floats.
status write_floats(const fs::path& file, const named_tensors& tensors) {
    std::vector<tensor_header> headers;
    for (const auto& [name, tensor] : tensors)
        headers.push_back({name, element_type::f32, {tensor.numel()}});
    at::Tensor host;
    return write_safetensors(file, headers, [&](std::size_t i) {
        host = tensors[i].second.to(at::kCPU).contiguous();
        return std::span(static_cast<const std::byte*>(host.const_data_ptr()),
                         static_cast<std::size_t>(host.nbytes()));
    });
}

status write_tensors(const fs::path& file, const trainable_decoder& decoder, const adamw& optimizer,
                     const run_state& state) {
    named_tensors tensors = {{"parameters", flat_parameters(decoder)},
                             {"exp_avg", optimizer.first_moment()},
                             {"exp_avg_sq", optimizer.second_moment()}};
    if (state.best.defined()) tensors.emplace_back("best_parameters", state.best);
    if (state.dropped.defined()) tensors.emplace_back("dropped_at_first", state.dropped);
    if (state.stubborn.defined()) tensors.emplace_back("stubborn_tokens", state.stubborn);
    return write_floats(file, tensors);
}

status write_whole(const fs::path& folder, const trainable_decoder& decoder, const adamw& optimizer,
                   const run_state& state, std::span<const named_setting> settings) {
    CUSET_TRY(decoder.save(folder));
    CUSET_TRY(write_tensors(folder / "state.safetensors", decoder, optimizer, state));
    return write_whole_file((folder / "trainer_state.json").string(),
                            state_json(optimizer, state, settings));
}

/// The N of checkpoint-N.
std::optional<std::size_t> step_of(const fs::path& path) {
    const std::string name = path.filename().string();
    if (!name.starts_with(prefix)) return {};
    std::size_t step = 0;
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + prefix.size(), end, step);
    if (error != std::errc() || stop != end) return {};
    return step;
}

std::vector<std::pair<std::size_t, fs::path>> checkpoints_of(const fs::path& run) {
    std::vector<std::pair<std::size_t, fs::path>> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(run, ignored))
        if (const auto step = step_of(entry.path())) found.emplace_back(*step, entry.path());
    std::sort(found.begin(), found.end());
    return found;
}

status restore_tensor(const tensor_store& files, const char* name, at::Tensor to) {
    const stored_tensor* stored = files.find(name);
    if (stored == nullptr) return data_error(std::string("tensor ") + name + " is missing");
    if (stored->type != element_type::f32 || stored->shape.size() != 1 ||
        stored->shape[0] != to.numel())
        return data_error(std::string("tensor ") + name + " is of another model");
    const at::Tensor host = at::empty({to.numel()}, at::kFloat);
    std::memcpy(host.data_ptr(), stored->bytes.data(), stored->bytes.size());
    to.copy_(host);
    return {};
}

struct stored_state {
    run_state state;
    std::size_t steps = 0;
};

result<stored_state> read_state(const fs::path& file, std::span<const named_setting> settings,
                                bool extend) {
    CUSET_ASSIGN(const auto map, file_map::open(file));
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    simdjson::dom::element there;
    const auto bytes = map.bytes();
    const status broken = data_error(file.string() + ": no state of a training run");
    if (bytes.empty() ||
        parser.parse(reinterpret_cast<const char*>(bytes.data()), bytes.size()).get(root) ||
        root["settings"].get(there))
        return broken;
    const std::string recorded = simdjson::minify(there);
    const auto differing = differences(settings, recorded);
    if (!differing) return broken;
    CUSET_TRY(check_same_run(file.parent_path().string() + " is of", settings, recorded, extend));
    stored_state stored;
    std::uint64_t steps = 0, tokens = 0, best = 0, since = 0;
    if (root["global_step"].get(steps) || root["tokens"].get(tokens) ||
        root["seconds"].get(stored.state.seconds) || root["best_step"].get(best) ||
        root["evaluations_since_best"].get(since))
        return broken;
    stored.steps = steps;
    stored.state.tokens = tokens;
    stored.state.best_step = best;
    stored.state.evaluations_since_best = since;
    double loss = 0;
    if (root["best_loss"].get(loss) == simdjson::SUCCESS) stored.state.best_loss = loss;
    simdjson::dom::array drops;
    if (root["first_drops"].get(drops) == simdjson::SUCCESS)
        for (const auto drop : drops) {
            double value = 0;
            if (drop.get(value)) return broken;
            stored.state.first_drops.push_back(value);
        }
    simdjson::dom::array extended;
    if (root["extended_at"].get(extended) == simdjson::SUCCESS)
        for (const auto entry : extended) {
            std::uint64_t step = 0;
            if (entry.get(step)) return broken;
            stored.state.extended_at.push_back(step);
        }
    if (!differing->empty()) stored.state.extended_at.push_back(steps);
    return stored;
}

}  // namespace

status write_moments(const fs::path& file, const adamw& optimizer) try {
    // As a float it is exact up to 2^24 steps.
    const at::Tensor steps = at::empty({1}, at::kFloat);
    *steps.data_ptr<float>() =
        static_cast<float>(optimizer.steps_done() + optimizer.earlier_steps());
    return write_floats(file, {{"exp_avg", optimizer.first_moment()},
                               {"exp_avg_sq", optimizer.second_moment()},
                               {"steps", steps}});
} catch (const std::exception& exception) {
    return training_error(exception);
}

status read_moments(const fs::path& file, adamw& optimizer) try {
    CUSET_ASSIGN(const auto files, tensor_store::open_file(file));
    const std::string where = file.string() + ": ";
    at::Tensor steps = at::empty({1}, at::kFloat);
    CUSET_TRY(restore_tensor(files, "exp_avg", optimizer.first_moment()).with_prefix(where));
    CUSET_TRY(restore_tensor(files, "exp_avg_sq", optimizer.second_moment()).with_prefix(where));
    CUSET_TRY(restore_tensor(files, "steps", steps).with_prefix(where));
    const float count = *steps.const_data_ptr<float>();
    if (!(count >= 1 && count <= 0x1p24F)) return data_error(where + "no number of steps");
    optimizer.set_earlier_steps(static_cast<std::size_t>(count));
    return {};
} catch (const std::exception& exception) {
    return training_error(exception);
}

at::Tensor flat_parameters(const trainable_decoder& decoder) {
    const at::NoGradGuard plain;
    std::vector<at::Tensor> rows;
    for (const auto& parameter : decoder.parameters()) rows.push_back(parameter.value.flatten());
    return at::cat(rows);
}

void set_parameters(const trainable_decoder& decoder, const at::Tensor& flat) {
    const at::NoGradGuard plain;
    std::int64_t offset = 0;
    for (const auto& parameter : decoder.parameters()) {
        at::Tensor to = parameter.value;
        to.copy_(flat.narrow(0, offset, to.numel()).view(to.sizes()));
        offset += to.numel();
    }
}

status write_checkpoint(const fs::path& run, const trainable_decoder& decoder,
                        const adamw& optimizer, const run_state& state,
                        std::span<const named_setting> settings) try {
    const std::string number = std::to_string(optimizer.steps_done());
    const fs::path partial = run / (std::string(partial_prefix) + number + ".partial");
    const fs::path final_path = run / (std::string(prefix) + number);
    std::error_code error;
    fs::remove_all(partial, error);
    if (!error) fs::create_directory(partial, error);
    if (error) return io_error(partial.string(), error.value());
    const status written = write_whole(partial, decoder, optimizer, state, settings);
    if (!written) {
        fs::remove_all(partial, error);
        return written;
    }
    sync_folder(partial.string());
    // A checkpoint exists already if a run continued from an older one; it has the same bytes.
    const fs::path old = run / (std::string(partial_prefix) + number + ".old");
    fs::rename(final_path, old, error);
    fs::rename(partial, final_path, error);
    if (error) return io_error(final_path.string(), error.value());
    sync_folder(run.string());
    fs::remove_all(old, error);
    return {};
} catch (const std::exception& exception) {
    return training_error(exception);
}

result<run_state> read_checkpoint(const fs::path& checkpoint, const trainable_decoder& decoder,
                                  adamw& optimizer, std::span<const named_setting> settings,
                                  bool extend) try {
    CUSET_ASSIGN(auto stored, read_state(checkpoint / "trainer_state.json", settings, extend));
    const fs::path file = checkpoint / "state.safetensors";
    CUSET_ASSIGN(const auto files, tensor_store::open_file(file));
    const std::string where = file.string() + ": ";
    at::Tensor parameters = at::empty_like(optimizer.first_moment());
    CUSET_TRY(restore_tensor(files, "parameters", parameters).with_prefix(where));
    CUSET_TRY(restore_tensor(files, "exp_avg", optimizer.first_moment()).with_prefix(where));
    CUSET_TRY(restore_tensor(files, "exp_avg_sq", optimizer.second_moment()).with_prefix(where));
    if (files.find("best_parameters") != nullptr) {
        stored.state.best = at::empty_like(parameters);
        CUSET_TRY(restore_tensor(files, "best_parameters", stored.state.best).with_prefix(where));
    }
    const auto restore_row = [&](const char* name, at::Tensor& to) -> status {
        const stored_tensor* stored_row = files.find(name);
        if (stored_row == nullptr || stored_row->shape.size() != 1) return {};
        to = at::empty({stored_row->shape[0]});
        return restore_tensor(files, name, to).with_prefix(where);
    };
    CUSET_TRY(restore_row("dropped_at_first", stored.state.dropped));
    CUSET_TRY(restore_row("stubborn_tokens", stored.state.stubborn));
    set_parameters(decoder, parameters);
    optimizer.set_steps_done(stored.steps);
    return std::move(stored.state);
} catch (const std::exception& exception) {
    return training_error(exception);
}

std::optional<fs::path> latest_checkpoint(const fs::path& run) {
    const auto found = checkpoints_of(run);
    if (found.empty()) return {};
    return found.back().second;
}

void remove_old_checkpoints(const fs::path& run, std::size_t step, std::size_t keep) {
    std::error_code ignored;
    auto found = checkpoints_of(run);
    std::erase_if(found, [&](const auto& checkpoint) { return checkpoint.first > step; });
    for (std::size_t i = 0; i + keep < found.size(); ++i) {
        // The checkpoint has a hidden name first: half of one must not look like a checkpoint.
        const fs::path hidden =
            run / (std::string(partial_prefix) + std::to_string(found[i].first) + ".partial");
        fs::rename(found[i].second, hidden, ignored);
        fs::remove_all(hidden, ignored);
    }
}

void tidy_checkpoints(const fs::path& run) {
    std::error_code ignored;
    std::vector<fs::path> leftovers;
    for (const auto& entry : fs::directory_iterator(run, ignored))
        if (entry.path().filename().string().starts_with(partial_prefix))
            leftovers.push_back(entry.path());
    for (const auto& leftover : leftovers) {
        const fs::path visible = run / leftover.stem().string().substr(1);
        if (leftover.extension() == ".old" && !fs::exists(visible, ignored))
            fs::rename(leftover, visible, ignored);
        else
            fs::remove_all(leftover, ignored);
    }
}

}  // namespace cuset
