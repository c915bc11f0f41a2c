#include "cuset/train/training_run.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cuset/base/format.h"
#include "cuset/base/log.h"
#include "cuset/stream/json_text.h"
#include "cuset/stream/json_writer.h"
#include "cuset/stream/pair_record.h"
#include "cuset/train/checkpoint.h"
#include "cuset/train/mask_watch.h"
#include "cuset/train/memory_estimate.h"
#include "step_average.h"
#include "torch_errors.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;

/// "1:02:03", LLaMA-Factory's form of times.
std::string hours(double seconds) {
    const auto whole = static_cast<long>(std::max(0.0, seconds));
    return format("%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string bar(double share) {
    constexpr std::size_t cells = 20;
    const auto full = static_cast<std::size_t>(share * cells + 0.5);
    return '[' + std::string(full, '#') + std::string(cells - full, '-') + ']';
}

/// Hashes the parameters that a run begins with.
std::uint64_t hash_of(const at::Tensor& tensor) {
    const at::Tensor host = tensor.to(at::kCPU).contiguous();
    return fnv1a_64({static_cast<const char*>(host.const_data_ptr()), host.nbytes()});
}

/// Undefined if there are no values.
at::Tensor row_of(const std::vector<float>& values) {
    if (values.empty()) return {};
    const at::Tensor row = at::empty({static_cast<std::int64_t>(values.size())});
    std::copy(values.begin(), values.end(), row.data_ptr<float>());
    return row;
}

/// The values of such a row; none if it is undefined.
std::span<const float> values_of(const at::Tensor& row) {
    if (!row.defined()) return {};
    return {row.const_data_ptr<float>(), static_cast<std::size_t>(row.numel())};
}

class run {
public:
    run(const trainable_decoder& decoder, const data_set& data, const data_set& held_out,
        const training_settings& settings, const run_options& options, process_group& processes)
        : decoder_(decoder),
          data_(data),
          held_out_(held_out),
          settings_(settings),
          options_(options),
          processes_(processes),
          trainer_(decoder, data, settings, processes),
          named_(named_settings(settings, decoder, data)) {
        named_.push_back({"start_hash", json_of(hexadecimal(hash_of(flat_parameters(decoder))))});
        // With patience, evaluations decide which parameters are the result.
        const bool patient = options.patience > 0;
        if (patient) named_.push_back({"patience", std::to_string(options.patience)});
        if (!held_out.pairs.empty()) {
            named_.push_back({"eval_every", std::to_string(options.evaluate_every), patient});
            named_.push_back({"held_out_samples", std::to_string(held_out.pairs.size()), patient});
            named_.push_back({"held_out_hash", json_of(hexadecimal(held_out.hash)), patient});
        }
        named_.insert(named_.end(), options.more_settings.begin(), options.more_settings.end());
    }

    result<run_outcome> go() {
        CUSET_TRY(begin_with_moments());
        CUSET_TRY(open_folder());
        double done = 0;
        if (folder_ && folder_->is_finished() && !is_longer_ && options_.resume_from.empty()) {
            log(log_level::note, folder_->path().string() + " holds this run, finished already");
            done = 1;
        }
        // All processes leave here together.
        CUSET_TRY(processes_.sum(std::span(&done, 1)));
        if (done > 0) return run_outcome{trainer_.total_steps(), false};
        // Before a checkpoint's parameters are there: those of the start are the reference's.
        if (is_writer() && settings_.objective.keeps_reference())
            log(log_level::progress, "log-probabilities of the model at the start");
        CUSET_TRY(trainer_.keep_reference(held_out_));
        CUSET_TRY(restore());
        // Only now: a run that is refused for its settings says nothing else.
        if (is_writer())
            log(log_level::note, settings_line(named_settings(settings_, decoder_, data_)));
        CUSET_TRY(try_largest());
        // Opened only now: a run that cannot begin leaves its folder free.
        if (folder_) {
            if (!options_.events.empty())
                CUSET_TRY(folder_->copy_log_to(options_.events, trainer_.steps_done()));
            // The record comes before the log: a folder with a log alone belongs to no run.
            CUSET_TRY(folder_->write_record(record(false)));
            CUSET_TRY(folder_->cut_log(trainer_.steps_done()));
        }
        start_ = clock::now();
        if (trainer_.steps_done() == 0) CUSET_TRY(look_first());
        if (trainer_.steps_done() == 0) CUSET_TRY(evaluate(0));
        CUSET_ASSIGN(const bool interrupted, steps());
        if (interrupted) {
            if (folder_ && saved_ != trainer_.steps_done()) CUSET_TRY(save_checkpoint());
            // The starter of the processes may end the others when the first one has finished.
            CUSET_TRY(processes_.wait_for_all());
            return run_outcome{trainer_.steps_done(), true};
        }
        CUSET_TRY(finish());
        return run_outcome{trainer_.steps_done(), false};
    }

private:
    bool is_writer() const { return processes_.rank() == 0; }

    /// Loads the moments of an earlier run, which are among the settings that decide the result.
    status begin_with_moments() {
        if (options_.first_moments.empty()) return {};
        adamw& optimizer = trainer_.optimizer();
        CUSET_TRY(read_moments(options_.first_moments, optimizer));
        named_.push_back({"moments_hash", json_of(hexadecimal(hash_of(optimizer.first_moment())))});
        if (is_writer())
            log(log_level::note,
                "AdamW goes on from " + std::to_string(optimizer.earlier_steps()) + " steps");
        return {};
    }

    status open_folder() {
        CUSET_TRY(processes_.check_same("the data", named("data_hash")));
        CUSET_TRY(processes_.check_same("the model", named("model_hash")));
        std::string settings;
        json_writer json(settings);
        write_settings(named_, true, json);
        CUSET_TRY(processes_.check_same("the command line", settings));
        CUSET_TRY(processes_.check_same(
            "when to evaluate on what",
            named("eval_every") + ' ' + named("held_out_hash") + ' ' + named("held_out_samples")));
        if (!is_writer()) return {};
        const bool resume = options_.resume || !options_.resume_from.empty();
        CUSET_ASSIGN(auto folder, run_folder::open(options_.folder, resume));
        folder_ = std::move(folder);
        if (folder_->recorded_settings().empty()) return {};
        const std::string where = options_.folder.string();
        CUSET_TRY(check_same_run(where + " holds", named_, folder_->recorded_settings(),
                                 options_.extend));
        CUSET_ASSIGN(const std::string differing,
                     differences(named_, folder_->recorded_settings()));
        is_longer_ = !differing.empty();
        if (!is_longer_) return {};
        if (trainer_.total_steps() < folder_->recorded_steps())
            return usage_error("--extend: " + where + " holds a run of " +
                               std::to_string(folder_->recorded_steps()) + " steps, and " +
                               std::to_string(trainer_.total_steps()) + " are fewer");
        if (folder_->is_finished() && options_.resume_from.empty() &&
            !latest_checkpoint(options_.folder))
            return usage_error("--extend: " + where +
                               " holds a finished run without a checkpoint to go on from; a new "
                               "run can begin with its adapter (--init-adapter)");
        return {};
    }

    std::string named(const char* name) const {
        for (const auto& setting : named_)
            if (setting.name == name) return setting.json;
        return {};
    }

    status restore() {
        std::optional<fs::path> from;
        if (!options_.resume_from.empty())
            from = options_.resume_from;
        else if (options_.resume)
            from = latest_checkpoint(options_.folder);
        CUSET_TRY(processes_.check_same("the checkpoint to go on from",
                                        from ? from->filename().string() : "none"));
        if (!from) return {};
        CUSET_ASSIGN(state_, read_checkpoint(*from, decoder_, trainer_.optimizer(), named_,
                                             options_.extend));
        CUSET_TRY(trainer_.restore_stubborn_state(values_of(state_.stubborn))
                      .with_prefix(from->string() + ": "));
        state_.stubborn = at::Tensor();
        saved_ = trainer_.steps_done();
        // A run that ended between its last checkpoint and its adapter has this only to finish.
        const bool is_done = trainer_.total_steps() == trainer_.steps_done() && options_.resume;
        if (options_.extend && trainer_.total_steps() <= trainer_.steps_done() && !is_done)
            return usage_error("--extend: " + from->string() + " has done " +
                               std::to_string(trainer_.steps_done()) + " steps already, and " +
                               std::to_string(trainer_.total_steps()) + " are no more");
        if (is_writer())
            log(log_level::note, "going on from " + from->string() + ", step " +
                                     std::to_string(trainer_.steps_done()) + " of " +
                                     std::to_string(trainer_.total_steps()));
        return {};
    }

    /// Runs the largest pass first: a run that does not fit fails at once.
    status try_largest() {
        const auto [samples, tokens] = trainer_.largest_pass();
        CUSET_TRY(check_memory(decoder_, tokens));
        auto tried = trainer_.try_pass(samples);
        if (tried) return {};
        return std::move(tried).error().with_prefix("the largest pass (" + std::to_string(tokens) +
                                                    " tokens): ");
    }

    /// Returns true if the run was asked to stop.
    result<bool> steps() {
        step_average since_log;
        while (trainer_.steps_done() < trainer_.total_steps() && !stopped_early()) {
            CUSET_ASSIGN(const step_report step, trainer_.step(options_.stop_wanted));
            state_.tokens += step.tokens;
            tokens_now_ += step.tokens;
            since_log.add(step);
            const bool last = step.step == step.total_steps;
            CUSET_ASSIGN(const auto dropped, look_again(step));
            if (step.step % options_.log_every == 0 || last || dropped) {
                if (folder_) CUSET_TRY(report(step, since_log, dropped));
                since_log = {};
            }
            const bool epoch_ends = step.epoch == std::floor(step.epoch);
            const bool due =
                options_.evaluate_every > 0 ? step.step % options_.evaluate_every == 0 : epoch_ends;
            if (last) at_end_.emplace(state_);
            if (last && watch_of_longer_) {
                at_end_->dropped = watch_of_longer_->dropped;
                at_end_->first_drops = watch_of_longer_->first_drops;
            }
            if (due || last) CUSET_TRY(evaluate(step.epoch));
            if (due) at_end_.reset();
            const bool save = options_.save_every > 0 && step.step % options_.save_every == 0;
            if (folder_ && save && !last) CUSET_TRY(save_checkpoint());
            if (step.stop && !last) return true;
        }
        return false;
    }

    /// Finds the tokens that the confidence mask leaves out before the first step.
    status look_first() {
        const objective_settings& objective = settings_.objective;
        if (objective.watches_tokens() && trainer_.total_steps() <= trainer_.steps_in(1) &&
            is_writer())
            log(log_level::note,
                "--mask stubborn leaves nothing out in the first epoch, and this "
                "run has no other");
        // A mask that comes later has taught the tokens before it leaves them out.
        if (!has_confidence_mask(objective) || objective.tau_warmup > 0) return {};
        CUSET_ASSIGN(const auto dropped, trainer_.dropped_tokens(watched_samples(data_)));
        state_.dropped = row_of(dropped);
        return {};
    }

    /// After an epoch, or at the end of a shorter run: which of them does it still leave out?
    result<std::optional<dropped_counts>> look_again(const step_report& step) {
        if (!state_.dropped.defined()) return std::optional<dropped_counts>();
        constexpr std::size_t most_steps = 8;
        if (state_.first_drops.size() < most_steps)
            state_.first_drops.push_back(1 - step.mask_share);
        if (step.step != std::min(trainer_.steps_in(1), trainer_.total_steps()))
            return std::optional<dropped_counts>();
        CUSET_ASSIGN(const auto now, trainer_.dropped_tokens(watched_samples(data_)));
        const std::span<const float> at_first = values_of(state_.dropped);
        if (now.size() != at_first.size())
            return data_error("the checkpoint's watched tokens are of other data");
        const dropped_counts counts = count_dropped(at_first, now);
        const std::string warning =
            warning_of(counts, settings_.objective, state_.first_drops, step.step);
        if (is_writer() && !warning.empty()) log(log_level::warning, warning);
        if (trainer_.total_steps() < trainer_.steps_in(1)) watch_of_longer_.emplace(state_);
        state_.dropped = at::Tensor();
        state_.first_drops.clear();
        return std::optional(counts);
    }

    double seconds() const {
        return state_.seconds + std::chrono::duration<double>(clock::now() - start_).count();
    }

    /// The members that every line of the log begins with.
    void write_progress(double epoch, json_writer& json) const {
        const auto done = static_cast<double>(trainer_.steps_done());
        const auto total = static_cast<double>(trainer_.total_steps());
        json.member("current_steps", trainer_.steps_done());
        json.member("total_steps", trainer_.total_steps()).member("epoch", epoch, 6);
        json.member("percentage", 100 * done / total, 4);
        json.member("elapsed_time", hours(seconds()));
        json.member("remaining_time", hours(seconds_left()));
    }

    double tokens_per_second() const {
        return static_cast<double>(tokens_now_) /
               std::chrono::duration<double>(clock::now() - start_).count();
    }

    double seconds_left() const {
        const auto done = static_cast<double>(trainer_.steps_done());
        const auto total = static_cast<double>(trainer_.total_steps());
        return done > 0 ? seconds() * (total - done) / done : 0;
    }

    status report(const step_report& step, const step_average& average,
                  const std::optional<dropped_counts>& dropped) {
        const auto share = static_cast<double>(step.step) / static_cast<double>(step.total_steps);
        log(log_level::progress,
            format("%s %zu/%zu, loss %.4g, %.0f tokens/s, %s left", bar(share).c_str(), step.step,
                   step.total_steps, average.loss(), tokens_per_second(),
                   hours(seconds_left()).c_str()));
        std::string line;
        json_writer json(line);
        json.begin_object();
        write_progress(step.epoch, json);
        average.write(settings_.objective, json);
        json.member("lr", step.learning_rate, 9).member("grad_norm", step.gradient_norm, 6);
        json.member("throughput", tokens_per_second(), 6);
        json.member("total_tokens", state_.tokens);
        if (dropped) {
            json.member("watched_tokens", dropped->tokens);
            json.member("dropped_at_first", dropped->at_first);
            json.member("dropped_still", dropped->still);
        }
        json.end_object();
        return folder_->append_log(line + '\n');
    }

    status evaluate(double epoch) {
        if (held_out_.pairs.empty()) return {};
        if (is_writer())
            log(log_level::progress,
                "evaluating " + std::to_string(held_out_.pairs.size()) + " held-out samples");
        CUSET_ASSIGN(const evaluation e, trainer_.evaluate(held_out_));
        if (e.loss < state_.best_loss) {
            state_.best_loss = e.loss;
            state_.best_step = trainer_.steps_done();
            state_.evaluations_since_best = 0;
            if (options_.patience > 0) state_.best = flat_parameters(decoder_);
        } else {
            ++state_.evaluations_since_best;
        }
        if (!folder_) return {};
        log(log_level::note, "step " + std::to_string(trainer_.steps_done()) + ": held-out loss " +
                                 json_of(e.loss, 5) + ", confidence " +
                                 json_of(e.mean_confidence, 4));
        std::string line;
        json_writer json(line);
        json.begin_object();
        write_progress(epoch, json);
        json.member("eval_loss", e.loss, 9).member("eval_confidence", e.mean_confidence, 6);
        if (settings_.objective.kind == objective_kind::dpo)
            json.member("eval_reward_margin", e.reward_margin, 6)
                .member("eval_accuracy", e.accuracy, 6);
        json.end_object();
        return folder_->append_log(line + '\n');
    }

    bool stopped_early() const {
        return options_.patience > 0 && state_.evaluations_since_best >= options_.patience;
    }

    /// At the end a run evaluates, and looks at its mask, though one of more steps would not do so
    /// there: a longer run goes on from the state before that.
    status save_checkpoint() {
        run_state state = at_end_ ? *at_end_ : state_;
        state.seconds = seconds();
        state.stubborn = row_of(trainer_.stubborn_state());
        CUSET_TRY(write_checkpoint(options_.folder, decoder_, trainer_.optimizer(), state, named_));
        saved_ = trainer_.steps_done();
        remove_old_checkpoints(options_.folder, saved_, std::max<std::size_t>(1, options_.keep));
        return {};
    }

    status finish() {
        if (stopped_early() && is_writer())
            log(log_level::note, "stopped after step " + std::to_string(trainer_.steps_done()) +
                                     ": the last " + std::to_string(options_.patience) +
                                     " evaluations were no better than step " +
                                     std::to_string(state_.best_step) + "'s");
        // A longer run can go on from it, and a run that ends here between two is not repeated.
        const bool keeps_last = options_.save_every > 0 && saved_ != trainer_.steps_done();
        if (folder_ && keeps_last) CUSET_TRY(save_checkpoint());
        if (state_.best.defined()) set_parameters(decoder_, state_.best);
        if (!folder_) return processes_.wait_for_all();
        CUSET_TRY(decoder_.save(options_.folder));
        if (options_.keeps_moments) {
            CUSET_TRY(write_moments(options_.folder / optimizer_file, trainer_.optimizer()));
        } else {
            // Those of a shorter run are not this adapter's.
            std::error_code ignored;
            fs::remove(options_.folder / optimizer_file, ignored);
        }
        CUSET_TRY(folder_->draw_losses(std::string(name_of(settings_.objective.kind))));
        CUSET_TRY(folder_->write_table());
        CUSET_TRY(folder_->write_record(record(true)));
        return processes_.wait_for_all();
    }

    /// The text of run.json.
    std::string record(bool finished) const {
        std::string text;
        json_writer json(text);
        json.begin_object(json_layout::lines).key("settings");
        write_settings(named_, false, json);
        write_facts(json);
        if (!state_.extended_at.empty()) json.key("extended_at").values(state_.extended_at);
        if (finished) write_result(json);
        json.member("finished", finished).end_object();
        return text + '\n';
    }

    void write_facts(json_writer& json) const {
        std::size_t tokens = 0;
        for (const auto& pair : data_.pairs) tokens += pair.length();
        std::size_t parameters = 0;
        for (const auto& p : decoder_.parameters())
            parameters += static_cast<std::size_t>(p.value.numel());
        json.key("data").begin_object().member("samples", data_.pairs.size());
        json.member("tokens", tokens).member("response_tokens", data_.response_tokens());
        json.member("cut_responses", data_.cut_responses);
        json.member("without_response", data_.without_response).end_object();
        json.member("trained_parameters", parameters);
        json.member("total_steps", trainer_.total_steps()).member("version", options_.version);
        json.key("libraries").begin_array();
        std::string_view rest = options_.library_versions;
        for (std::size_t end; (end = rest.find('\n')) != rest.npos; rest.remove_prefix(end + 1))
            json.value(rest.substr(0, end));
        json.end_array();
    }

    void write_result(json_writer& json) const {
        rusage usage{};
        ::getrusage(RUSAGE_SELF, &usage);
        json.key("result").begin_object().member("steps", trainer_.steps_done());
        json.member("seconds", seconds(), 6).member("tokens", state_.tokens);
        json.member("tokens_per_second", tokens_per_second(), 5);
        json.member("best_eval_loss", state_.best_loss, 9);
        json.member("best_eval_step", state_.best_step);
        json.member("peak_memory_mib", usage.ru_maxrss / 1024).end_object();
    }

    const trainable_decoder& decoder_;
    const data_set &data_, &held_out_;
    const training_settings& settings_;
    const run_options& options_;
    process_group& processes_;
    trainer trainer_;
    std::vector<named_setting> named_;
    std::optional<run_folder> folder_;  // only in the process that writes
    bool is_longer_ = false;            // there: it holds the same run, with fewer steps
    run_state state_;                   // its seconds are those of earlier runs
    // Of a run that ends where a longer one would not evaluate, or look at its mask: the state
    // before that.
    std::optional<run_state> at_end_, watch_of_longer_;
    std::size_t saved_ = SIZE_MAX;  // step of the last checkpoint
    std::size_t tokens_now_ = 0;    // trained on since start_
    clock::time_point start_ = clock::now();
};

}  // namespace

result<run_outcome> run_training(const trainable_decoder& decoder, const data_set& data,
                                 const data_set& held_out, const training_settings& settings,
                                 const run_options& options, process_group& processes) try {
    if (data.pairs.empty()) return data_error("no sample to train on");
    return run(decoder, data, held_out, settings, options, processes).go();
} catch (const std::exception& exception) {
    return training_error(exception);
}

}  // namespace cuset
