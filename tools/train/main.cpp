// cuset-train: tagged pairs -> a LoRA adapter, or a fine-tuned model.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/format.h"
#include "cuset/base/log.h"
#include "cuset/model/config.h"
#include "cuset/model/library_versions.h"
#include "cuset/stream/json_text.h"
#include "cuset/stream/json_writer.h"
#include "cuset/stream/library_versions.h"
#include "cuset/train/dry_run.h"
#include "cuset/train/run_folder.h"
#include "cuset/train/training_run.h"
#include "flags.h"
#include "llamafactory.h"

namespace {

using namespace cuset;

volatile std::sig_atomic_t stop_signal = 0;

extern "C" void note_stop(int signal) {
    stop_signal = signal;
    // A step may take minutes. Only write(2) is safe here.
    constexpr std::string_view answer =
        "\ncuset-train: stopping after this step; once more stops now\n";
    const int before = errno;
    if (::write(STDERR_FILENO, answer.data(), answer.size()) < 0) errno = before;
}

// The first signal lets the step finish; the second one ends the program at once.
void watch_signals() {
    for (const int signal : {SIGINT, SIGTERM}) {
        struct sigaction action {};
        // Background jobs of a shell ignore SIGINT on purpose: this stays so.
        if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
        action.sa_handler = note_stop;
        action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
        ::sigaction(signal, &action, nullptr);
    }
}

// Of --target; none for all.
std::vector<std::string> targets_of(const train_flags& f) {
    if (f.target.empty() || f.target == "all") return {};
    return names_in(f.target);
}

std::set<std::string> all_if_none(std::vector<std::string> targets) {
    if (targets.empty()) targets = linear_layer_names();
    return {targets.begin(), targets.end()};
}

result<trainable_decoder> load_decoder(const train_flags& f, const text_model& text,
                                       const process_environment& environment) {
    training_model_options options;
    options.dtype = to_compute_type(f.model);
    options.device = device_of(environment, f.model.device);
    options.threads = threads_of(environment, static_cast<int>(f.stream.threads));
    options.recompute = f.recompute;
    if (f.shard_base) options.part = {environment.rank, environment.size};
    options.quantise = to_quantisation(f.model);
    options.seed = static_cast<std::uint64_t>(f.seed);
    if (f.full) {
        options.lora.reset();
    } else {
        options.lora->rank = f.rank > 0 ? f.rank : 8;
        options.lora->alpha = f.alpha > 0 ? f.alpha : 2 * static_cast<double>(options.lora->rank);
        options.lora->dropout = f.dropout;
        options.lora->targets = targets_of(f);
        options.lora->rank_stabilised = f.rslora;
    }
    if (!f.init_adapter.empty()) options.init_adapter = f.init_adapter;
    if (!f.resume_from.empty())
        options.products = recorded_products(std::filesystem::path(f.resume_from) / "..");
    else if (f.resume)
        options.products = recorded_products(f.folder);
    CUSET_ASSIGN(auto decoder, trainable_decoder::load(text.folder, options));
    if (f.rank > 0 && decoder.lora()->rank != f.rank)
        return usage_error(f.init_adapter + " has rank " + std::to_string(decoder.lora()->rank) +
                           ", not --rank " + std::to_string(f.rank));
    if (!f.init_adapter.empty() && !f.target.empty() &&
        all_if_none(decoder.lora()->targets) != all_if_none(targets_of(f)))
        return usage_error(f.init_adapter + " has updates of other layers than --target " +
                           f.target);
    if (f.rslora && !decoder.lora()->rank_stabilised)
        return usage_error(f.init_adapter + " is scaled by alpha / rank, not as --rslora does it");
    if (f.alpha > 0 && decoder.lora() && decoder.lora()->alpha != f.alpha)
        return usage_error(f.init_adapter + " has alpha " + json_of(decoder.lora()->alpha) +
                           ", not --alpha " + json_of(f.alpha));
    return decoder;
}

struct training_data {
    data_set train, held_out;
};

result<training_data> read_data(const train_flags& f, const text_model& text, const task_ask& ask,
                                const objective_settings& objective) {
    data_set_options options;
    options.form = objective.records();
    options.keeps_truncated = objective.keeps_truncated;
    options.finds_code = objective.blames_code();
    options.max_tokens = static_cast<std::size_t>(f.model.max_tokens);
    CUSET_ASSIGN(const model_config config, read_model_config(text.folder / "config.json"));
    options.vocab = config.vocab;
    options.masks = objective.masks();
    options.response_field = f.model.fields.response;
    options.weight_field = f.weight_field;
    options.most_records = static_cast<std::size_t>(f.max_samples);
    stream_options stream = to_stream_options(f.stream);
    training_data data;
    CUSET_ASSIGN(data.train, read_data_set(stream, options, ask, text.words, text.chat));
    tell_cuts(f.model, data.train.cut_prompts, data.train.cut_responses,
              data.train.first_cut_response);
    if (data.train.without_response > 0)
        log(log_level::warning, "left out: " + counted(data.train.without_response, "record") +
                                    " of which --max-tokens " + std::to_string(f.model.max_tokens) +
                                    " leaves no prompt or no response");
    if (data.train.pairs.empty())
        return data_error(data.train.summary.records == 0 ? "the input holds no record"
                                                          : "no sample is left to train on");
    const auto has_code = [](const training_pair& pair) {
        const auto any = [](const std::vector<bool>& flags) {
            return std::find(flags.begin(), flags.end(), true) != flags.end();
        };
        return any(pair.sensitive) || any(pair.rejected_sensitive);
    };
    if (objective.blame == blamed_part::code && std::ranges::none_of(data.train.pairs, has_code))
        log(log_level::warning,
            "--blame code: no response has a kernel or a launch, so that no "
            "token has a loss");
    if (!f.held_out.empty()) {
        stream = {};
        stream.inputs = {f.held_out};
        options.weight_field.clear();
        options.most_records = 0;
        options.masks = {.needs_tags = false, .sensitive_roles = {}, .drops_comments = false};
        CUSET_ASSIGN(data.held_out, read_data_set(stream, options, ask, text.words, text.chat));
        if (data.held_out.pairs.empty()) return data_error(f.held_out + ": no sample to evaluate");
    } else if (f.held_out_size > 0) {
        if (data.train.pairs.size() < 2)
            return data_error("--eval-size: one sample alone, and none to hold out");
        data.held_out = hold_out(data.train, f.held_out_size, static_cast<std::uint64_t>(f.seed));
    }
    return data;
}

std::vector<named_setting> more_settings(const train_flags& f, const text_model& text) {
    // The hashes of data and start values stand for the files that these options name.
    // What --config needs in order to give the same run, with what decides it.
    return {{"template", json_of(text.chat.name()), false},
            {"device", json_of(f.model.device), false},
            {"threads", std::to_string(f.stream.threads), false},
            {"prompt_field", json_of(f.model.fields.prompt), false},
            {"response_field", json_of(f.model.fields.response), false},
            {"columns", json_of(f.model.fields.data_set), false},
            {"weight_field", json_of(f.weight_field), false},
            {"ask_option", json_of(f.ask.ask), false},
            {"level", std::to_string(f.ask.level), false},
            {"system", json_of(f.ask.system), false},
            {"gpu", json_of(f.ask.gpu), false},
            {"max_tokens", std::to_string(f.model.max_tokens), false},
            {"max_samples", std::to_string(f.max_samples), false},
            {"init_adapter", json_of(f.init_adapter), false},
            {"shard_base", f.shard_base ? "true" : "false", false},
            {"keep_optimizer", f.keep_optimizer ? "true" : "false", false},
            {"eval", json_of(f.held_out), false},
            {"eval_size", json_of(f.held_out_size), false},
            {"log_every", std::to_string(f.log_every), false},
            {"save_every", std::to_string(f.save_every), false},
            {"keep", std::to_string(f.keep), false}};
}

// What decides which layers a process gathers when must be the same on all: else they would wait
// for each other without end, or gather something else.
status share_base(const train_flags& f, trainable_decoder& decoder, process_group& processes) {
    CUSET_TRY(processes.check_same("--shard-base", f.shard_base ? "given" : "not given"));
    if (!decoder.shares_base()) return {};
    CUSET_TRY(processes.check_same("the base", hexadecimal(decoder.fingerprint())));
    CUSET_TRY(processes.check_same("--pass-tokens", std::to_string(f.pass_tokens)));
    decoder.gather_through(*processes.exchange());
    return {};
}

// Warns where --config names the run.json of a run that this one does not repeat.
void tell_changes(const train_flags& f, const data_set& data, const trainable_decoder& decoder) {
    const config_facts& there = f.facts;
    const auto changed = [&](const char* what) {
        log(log_level::warning, f.config + " is of a run with " + what + " than this one's");
    };
    if (!there.data_hash.empty() && there.data_hash != hexadecimal(data.hash))
        changed("other data");
    if (!there.model_hash.empty() && there.model_hash != hexadecimal(decoder.fingerprint()))
        changed("another model");
    if (there.was_extended)
        log(log_level::warning, f.config +
                                    " is of a run that --extend made longer: its settings "
                                    "alone may not give the same result");
}

// Checks that the output folder is not the folder of the model or of the first adapter.
status check_distinct(const train_flags& f, const text_model& text) {
    std::error_code ignored;
    if (std::filesystem::equivalent(f.folder, text.folder, ignored))
        return usage_error("-o " + f.folder + " is the model's own folder");
    if (std::filesystem::equivalent(f.folder, f.init_adapter, ignored))
        return usage_error("-o " + f.folder + " is the folder of --init-adapter");
    return {};
}

// Takes the data sets of --config where the command line names no file.
status prepare(train_flags& f) {
    if (f.stream.files.empty() && !f.facts.data_sets.empty()) {
        auto found = find_data_sets(f.facts.data_sets, f.facts.data_folder);
        if (!found) return std::move(found).error().with_prefix(f.facts.data_place);
        std::string files;
        for (const auto& file : found->files) files += (files.empty() ? "" : ", ") + file;
        f.facts.note +=
            (f.facts.note.empty() ? f.facts.data_place : "; ") + "the data are " + files;
        f.stream.files = std::move(found->files);
        if (f.model.fields.data_set.empty()) f.model.fields.data_set = found->columns;
    }
    return f.model.fields.read();
}

result<stream_summary> show(const train_flags& f) {
    const record_options wanted{.parts = record_part::response,
                                .own_key = {},
                                .prompt_field = {},
                                .response_field = f.model.fields.response};
    CUSET_ASSIGN(const ask_options asked, to_ask_options(f.ask, f.model.fields));
    return show_first(f.stream, "-", wanted, asked);
}

result<stream_summary> train(const train_flags& f, const std::string& version) {
    CUSET_ASSIGN(const auto environment, read_process_environment());
    CUSET_ASSIGN(const training_settings settings, to_settings(f, environment.size));
    if (f.folder.empty() && !f.dry_run) return usage_error("no output: give -o DIR (or --dry-run)");
    if (environment.size > 1) {
        bool from_stdin = f.stream.files.empty();
        for (const auto& file : f.stream.files) from_stdin = from_stdin || file == "-";
        if (from_stdin)
            return usage_error("several processes cannot share standard input: name the files");
    }
    CUSET_ASSIGN(const ask_options asked, to_ask_options(f.ask, f.model.fields));
    CUSET_ASSIGN(const task_ask ask, task_ask::open(asked));
    CUSET_ASSIGN(const text_model text, open_text_model(f.model));
    // Checked before the data, so that a folder that cannot be used costs no reading.
    const bool is_new = !f.dry_run && !f.resume && f.resume_from.empty();
    if (is_new && environment.rank == 0) CUSET_TRY(check_unused(f.folder));
    if (!f.dry_run) CUSET_TRY(check_distinct(f, text));
    CUSET_ASSIGN(training_data data, read_data(f, text, ask, settings.objective));
    CUSET_ASSIGN(trainable_decoder decoder, load_decoder(f, text, environment));
    CUSET_ASSIGN(process_group processes, process_group::join(environment, decoder.device()));
    CUSET_TRY(share_base(f, decoder, processes));
    if (environment.rank == 0) {
        if (settings.objective.kind == objective_kind::cuset)
            log(log_level::note,
                "objective cuset; for a model that does not write such programs yet, and for clean "
                "data, --objective sft did better: see OBJECTIVES in cuset-train(1)");
        if (f.shard_base && environment.size == 1)
            log(log_level::note, "--shard-base: one process alone keeps the whole base");
        if (!f.facts.note.empty()) log(log_level::note, f.facts.note);
        if (f.facts.has_stage && f.objective == "cuset")
            log(log_level::note, f.config +
                                     ": stage does not choose the objective, which is cuset; "
                                     "LLaMA-Factory's is --objective sft");
        tell_changes(f, data.train, decoder);
        log(log_level::note, decoder.name() + ", " + decoder.compute_description() + ", template " +
                                 std::string(text.chat.name()));
        tell_notes(decoder.notes());
        if (f.dry_run)
            log(log_level::note, settings_line(named_settings(settings, decoder, data.train)));
    }
    if (f.dry_run) {
        CUSET_ASSIGN(const std::string report,
                     dry_run(decoder, data.train, settings, processes, text.words));
        if (environment.rank != 0) return data.train.summary;
        CUSET_ASSIGN(auto out, output::open({.path = "-", .form = output_form::text}));
        CUSET_TRY(out.write(report));
        CUSET_TRY(out.finish());
        return data.train.summary;
    }
    run_options options;
    options.folder = f.folder;
    options.log_every = static_cast<std::size_t>(f.log_every);
    options.save_every = static_cast<std::size_t>(f.save_every);
    options.keep = static_cast<std::size_t>(f.keep);
    options.keeps_moments = f.keep_optimizer;
    if (f.keep_optimizer && !f.init_adapter.empty()) {
        const std::filesystem::path file = std::filesystem::path(f.init_adapter) / optimizer_file;
        std::error_code ignored;
        if (std::filesystem::exists(file, ignored)) options.first_moments = file;
    }
    options.evaluate_every = static_cast<std::size_t>(f.evaluate_every);
    options.patience = static_cast<std::size_t>(f.patience);
    options.resume = f.resume;
    options.resume_from = f.resume_from;
    options.extend = f.extend;
    options.version = version;
    options.events = f.tensorboard;
    options.more_settings = more_settings(f, text);
    options.library_versions = stream_library_versions() + model_library_versions();
    options.stop_wanted = [] { return stop_signal != 0; };
    watch_signals();
    CUSET_ASSIGN(const run_outcome outcome,
                 run_training(decoder, data.train, data.held_out, settings, options, processes));
    if (environment.rank == 0)
        log(log_level::note,
            outcome.interrupted
                ? "stopped after step " + std::to_string(outcome.steps) + "; --resume goes on"
                : f.folder + ": done after " + counted(outcome.steps, "step") +
                      "; the losses are drawn in " + f.folder + "/loss_curve.svg");
    if (!outcome.interrupted) stop_signal = 0;
    // Another process got the signal; this one stops in the same way.
    if (outcome.interrupted && stop_signal == 0) stop_signal = SIGTERM;
    return data.train.summary;
}

}  // namespace

int main(int argc, char** argv) {
    train_flags flags;
    program p = describe(flags);
    const int code =
        run_tool(p, flags.stream, argc, argv,
                 {.form = [] { return output_form::text; },
                  .run = [&] { return flags.ask.show ? show(flags) : train(flags, p.version); },
                  .writes_at_end = true,
                  .prepare = [&] { return prepare(flags); }});
    // The process ends by the signal, so that its parent sees that it was stopped.
    if ((code == 0 || code == 3) && stop_signal != 0) {
        ::signal(stop_signal, SIG_DFL);
        ::raise(stop_signal);
    }
    return code;
}
