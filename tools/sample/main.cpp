// cuset-sample: tasks -> candidates, from a model on this machine or from a server.
#include <sstream>

#include "cuset/base/fd.h"
#include "cuset/base/format.h"
#include "cuset/base/log.h"
#include "cuset/base/random_key.h"
#include "cuset/endpoint/endpoint.h"
#include "cuset/model/cached_decoder.h"
#include "cuset/model/config.h"
#include "cuset/sample/end_tokens.h"
#include "cuset/sample/fingerprint.h"
#include "cuset/sample/sampler.h"
#include "cuset/text/encoded_pair.h"
#include "feed.h"
#include "flags.h"
#include "shared_base_flags.h"
#include "tool.h"

namespace {

using namespace cuset;

/// A hash of the numbers and names that answers depend on.
std::uint64_t setting_key(const sample_flags& flags, const std::string& model,
                          std::uint64_t model_key) {
    std::ostringstream text;
    text.precision(17);
    text << model << '\n'
         << model_key << '\n'
         << flags.temperature << ' ' << flags.top_p << ' ' << flags.top_k << ' '
         << flags.max_new_tokens << ' ' << flags.max_tokens << '\n'
         << !flags.endpoint.empty();
    return fnv1a_64(text.str());
}

/// The turns of --refine, if there are any.
result<std::optional<refinement>> read_turns(const sample_flags& flags) {
    if (flags.refine.empty()) return std::optional<refinement>();
    CUSET_ASSIGN(feedback told, feedback::open(flags.feedback));
    CUSET_ASSIGN(past_turns past, past_turns::read(flags.to_refine_settings()));
    const turn_counts& last = past.counts();
    log(log_level::note, "of the last turn's answers " + std::to_string(last.failed) + " failed, " +
                             std::to_string(last.passed) + " passed and " +
                             std::to_string(last.unjudged) + " are neither right nor wrong");
    return std::optional(refinement{std::move(past), std::move(told)});
}

result<sample_feed> open_feed(const sample_flags& flags, output out, const std::string& model,
                              std::uint64_t model_key, sample_feed::preparation prepare) {
    feed_options options;
    options.samples = static_cast<std::uint64_t>(flags.samples);
    options.seed = static_cast<std::uint64_t>(flags.seed);
    options.setting_key = setting_key(flags, model, model_key);
    options.model = model;
    options.needs_scores = flags.confidence;
    CUSET_ASSIGN(ask_options asked, to_ask_options(flags.ask, flags.fields));
    CUSET_TRY(check(what_is_read(asked)));
    CUSET_ASSIGN(options.refined, read_turns(flags));
    CUSET_ASSIGN(task_ask ask, task_ask::open(std::move(asked)));
    stream_options stream = to_stream_options(flags.stream);
    stream.written = {{"-o", out.identity(), &out}, {"--resume", identify(flags.resume)}};
    CUSET_ASSIGN(line_source lines, line_source::open(stream));
    std::optional<candidate_log> kept;
    if (!flags.resume.empty()) {
        CUSET_ASSIGN(kept, candidate_log::open(flags.resume));
    }
    return sample_feed(std::move(options), std::move(ask), std::move(lines), std::move(out),
                       std::move(kept), std::move(prepare));
}

result<stream_summary> close(const sample_flags& flags, sample_feed& feed) {
    CUSET_TRY(feed.finish());
    const std::uint64_t failed = feed.failed_before();
    const bool asks_all =
        !flags.ask.show && flags.best == 0 && flags.stream.shard_count == 1 && feed.rejected() == 0;
    if (asks_all && feed.planned() < failed)
        log(log_level::warning, counted(failed - feed.planned(), "answer") +
                                    " that failed: the input lacks their tasks");
    if (feed.passed_on() > 0)
        log(log_level::note,
            counted(feed.passed_on(), "candidate") + " were already in " + flags.resume);
    return stream_summary{feed.records(), feed.rejected()};
}

/// A model on this machine.
class local_model {
public:
    static result<local_model> load(const sample_flags& flags,
                                    const process_environment& environment);

    status prepare(question& q) const;
    status run(sample_feed& feed);
    /// What processes but the first do: they have neither input nor output.
    status serve() { return decoder_.serve(); }
    std::vector<std::size_t> ends_of(std::span<const std::int32_t> tokens, bool ended) const;
    /// A hash of all that its answers depend on, apart from the prompt's tokens and the sampling
    /// options.
    result<std::uint64_t> key(const sample_flags& flags) const;
    const std::string& name() const { return decoder_.name(); }
    const std::string& description() const { return decoder_.compute_description(); }
    const std::vector<std::string>& notes() const { return decoder_.notes(); }
    std::string_view chat_name() const { return text_.chat.name(); }

private:
    local_model(text_model text, process_group processes, cached_decoder decoder,
                sampler_options options)
        : text_(std::move(text)),
          processes_(std::move(processes)),
          decoder_(std::move(decoder)),
          options_(std::move(options)) {}

    text_model text_;
    process_group processes_;  // before the decoder, which ends the others' work
    cached_decoder decoder_;
    sampler_options options_;
};

result<local_model> local_model::load(const sample_flags& flags,
                                      const process_environment& environment) {
    CUSET_ASSIGN(text_model text, open_text_model(flags.model, flags.adapter));
    auto options = to_model_options(flags.model, flags.stream, flags.adapter);
    share(flags.shard_base, environment, options);
    sampler_options sampling;
    sampling.choice = {flags.temperature, flags.top_p, static_cast<std::size_t>(flags.top_k)};
    sampling.places = static_cast<std::size_t>(flags.batch);
    sampling.draft = static_cast<std::size_t>(flags.draft);
    sampling.max_new_tokens = static_cast<std::size_t>(flags.max_new_tokens);
    sampling.keeps_log_probabilities = flags.confidence;
    sampling.threads = options.threads;
    const chat_message any{"user", ""};
    CUSET_ASSIGN(const rendered_chat rendered, text.chat.render({&any, 1}));
    CUSET_ASSIGN(sampling.ends, end_tokens(text.folder, text.words, rendered.tail));
    CUSET_ASSIGN(const model_config config, read_model_config(text.folder / "config.json"));
    sampling.max_tokens = static_cast<std::size_t>(
        flags.max_tokens > 0 ? flags.max_tokens : std::max<std::int64_t>(config.max_positions, 2));
    CUSET_ASSIGN(
        cached_decoder decoder,
        cached_decoder::load(text.folder, options, sampling.places + 1, sampling.max_tokens));
    const std::string settings = "--batch " + std::to_string(sampling.places) + " of " +
                                 std::to_string(sampling.max_tokens) + " tokens";
    CUSET_ASSIGN(process_group processes, share_loaded(environment, decoder, settings));
    return local_model(std::move(text), std::move(processes), std::move(decoder),
                       std::move(sampling));
}

status local_model::prepare(question& q) const {
    std::vector<std::int32_t> tokens;
    CUSET_TRY(encode_prompt(text_.words, text_.chat, q.conversation, tokens));
    if (tokens.empty()) return data_error("the prompt has no token");
    if (tokens.size() >= options_.max_tokens)
        return data_error("the prompt's " + std::to_string(tokens.size()) +
                          " tokens leave no room for an answer within " +
                          std::to_string(options_.max_tokens) + " (--max-tokens)");
    q.tokens = std::make_shared<const std::vector<std::int32_t>>(std::move(tokens));
    return {};
}

result<std::uint64_t> local_model::key(const sample_flags& flags) const {
    CUSET_ASSIGN(std::uint64_t key, fingerprint(text_.folder));
    if (!flags.adapter.empty()) {
        CUSET_ASSIGN(const std::uint64_t adapter, fingerprint(flags.adapter));
        key = mixed_key(key, adapter);
    }
    for (const std::int32_t token : options_.ends)
        key = mixed_key(key, static_cast<std::uint64_t>(token));
    // Takes "cpu bf16" from "cpu bf16 (float products, avx512, 2 threads)".
    const std::string& how = description();
    key = mixed_key(key, fnv1a_64(how.substr(0, how.find(" ("))));
    // Sums come in another order, with however many processes.
    return flags.shard_base ? mixed_key(key, fnv1a_64("--shard-base")) : key;
}

/// Where each token's bytes end in the response. Special tokens and the end marker have none.
std::vector<std::size_t> local_model::ends_of(std::span<const std::int32_t> tokens,
                                              bool ended) const {
    std::vector<std::size_t> ends;
    std::size_t end = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const bool is_marker = ended && i + 1 == tokens.size();
        if (!is_marker && !text_.words.is_special(tokens[i]))
            end += text_.words.bytes_of(tokens[i]).size();
        ends.push_back(end);
    }
    return ends;
}

status local_model::run(sample_feed& feed) {
    std::unordered_map<std::size_t, wanted_sample> at_work;
    std::size_t drawn = 0;
    const auto next = [&]() -> result<std::optional<sampling_request>> {
        CUSET_ASSIGN(auto wanted, feed.next());
        if (!wanted) return std::optional<sampling_request>();
        sampling_request request{wanted->of->tokens, wanted->random_key};
        at_work.emplace(drawn++, *std::move(wanted));
        return std::optional(std::move(request));
    };
    const auto done = [&](std::size_t number, const sampled_answer& answer) {
        const auto place = at_work.find(number);
        const std::span<const std::int32_t> tokens(answer.tokens);
        std::string response;
        text_.words.decode(tokens.first(tokens.size() - (answer.ended ? 1 : 0)), response, true);
        std::optional<candidate_score> score;
        if (options_.keeps_log_probabilities)
            score = {ends_of(tokens, answer.ended), tokens,
                     answer.log_probabilities,      options_.choice.temperature,
                     options_.choice.top_p,         options_.choice.top_k};
        const status delivered = feed.deliver(place->second, response, tokens.size(),
                                              answer.ended ? "stop" : "length", std::move(score));
        at_work.erase(place);
        return delivered;
    };
    return sample_answers(
        decoder_, options_, next, done, [&] { return feed.would_wait(); },
        [&](std::size_t tokens) { feed.count(tokens); });
}

result<stream_summary> sample_locally(const sample_flags& flags,
                                      const process_environment& environment, output out) {
    CUSET_ASSIGN(local_model model, local_model::load(flags, environment));
    log(log_level::note,
        model.name() + ", " + model.description() + ", template " + std::string(model.chat_name()));
    tell_notes(model.notes());
    CUSET_ASSIGN(const std::uint64_t key, model.key(flags));
    CUSET_ASSIGN(sample_feed feed, open_feed(flags, std::move(out), model.name(), key,
                                             [&](question& q) { return model.prepare(q); }));
    CUSET_TRY(model.run(feed));
    return close(flags, feed);
}

result<stream_summary> sample_from_server(const sample_flags& flags, output out) {
    CUSET_ASSIGN(endpoint_options options,
                 to_endpoint_options(flags, flags.model.model, kept_in_chat));
    std::uint64_t body_key = 0;
    for (const body_member& m : options.body)
        body_key = mixed_key(mixed_key(body_key, fnv1a_64(m.key)), fnv1a_64(m.json));
    CUSET_ASSIGN(endpoint server, endpoint::open(std::move(options)));
    log(log_level::note, server.model() + " at " + server.place());
    // Servers differ in what they make of other roles and orders, and some say nothing.
    const auto check_question = [](const question& q) { return check_dialogue(q.conversation); };
    CUSET_ASSIGN(sample_feed feed,
                 open_feed(flags, std::move(out), server.model(), body_key, check_question));

    constexpr std::size_t most_failures_in_a_row = 8;
    std::size_t failures_in_a_row = 0;
    std::unordered_map<std::size_t, wanted_sample> at_work;
    std::size_t drawn = 0;
    const auto next = [&]() -> result<std::optional<completion_request>> {
        CUSET_ASSIGN(auto wanted, feed.next());
        if (!wanted) return std::optional<completion_request>();
        completion_request request;
        for (const chat_message& turn : wanted->of->conversation)
            request.messages.push_back({turn.role, turn.content});
        request.max_new_tokens = static_cast<std::size_t>(flags.max_new_tokens);
        request.temperature = flags.temperature;
        request.top_p = flags.top_p;
        request.top_k = static_cast<std::size_t>(flags.top_k);
        request.seed = wanted->random_key;
        at_work.emplace(drawn++, *std::move(wanted));
        return std::optional(std::move(request));
    };
    const auto done = [&](std::size_t number, result<completion> answer) -> status {
        const auto place = at_work.find(number);
        const wanted_sample wanted = std::move(place->second);
        at_work.erase(place);
        if (!answer) {
            status reason = std::move(answer).error();
            // A request that a server cannot answer is a bad record; several in a row mean a bad
            // server.
            if (reason.kind() == error_kind::io && ++failures_in_a_row < most_failures_in_a_row)
                reason = data_error(reason.message());
            return feed.fail(wanted, std::move(reason));
        }
        failures_in_a_row = 0;
        feed.count(answer->tokens.value_or(0));
        return feed.deliver(wanted, answer->text, answer->tokens, answer->finish, {},
                            answer->thought);
    };
    CUSET_TRY(server.run(next, done, [&] { return feed.would_wait(); }));
    return close(flags, feed);
}

/// --show with --refine: the first conversation that a model would be asked.
result<stream_summary> show_first_turn(sample_flags flags) {
    CUSET_TRY(check(flags));
    flags.resume.clear();
    CUSET_ASSIGN(output out,
                 output::open({.path = flags.stream.output, .form = output_form::text}));
    CUSET_ASSIGN(sample_feed feed,
                 open_feed(flags, std::move(out), "", 0, [](question&) { return status(); }));
    CUSET_ASSIGN(const auto first, feed.next());
    if (!first) return data_error("no answer failed, so there is nothing to show");
    std::vector<chat_turn> turns;
    for (const chat_message& m : first->of->conversation) turns.push_back({m.role, m.content});
    CUSET_TRY(feed.show(shown(turns)));
    return close(flags, feed);
}

/// Checks that nothing is written over what --refine reads.
status check_apart(const sample_flags& flags, const output& out) {
    const std::pair<const char*, file_identity> written[] = {
        {"-o", out.identity()},
        {"--resume", identify(flags.resume)},
        {"--rejects", identify(flags.stream.rejects)}};
    const auto check_file = [&](const char* name, const std::string& file) -> status {
        for (const auto& [option, identity] : written)
            if (!file.empty() && identify(file).is_same_file(identity))
                return usage_error(std::string(name) + ' ' + file + " and " + option +
                                   " are the same file");
        return {};
    };
    for (const auto& file : flags.refine) CUSET_TRY(check_file("--refine", file));
    for (const auto& file : flags.answers) CUSET_TRY(check_file("--answers", file));
    return check_file("--feedback", flags.feedback);
}

result<stream_summary> sample(const sample_flags& flags) {
    CUSET_ASSIGN(const process_environment environment,
                 sharing_processes(flags.shard_base, flags.model, flags.endpoint));
    if (flags.ask.show && environment.rank > 0) return stream_summary{};
    if (flags.ask.show && !flags.refine.empty()) return show_first_turn(flags);
    if (flags.ask.show) {
        CUSET_ASSIGN(const ask_options asked, to_ask_options(flags.ask, flags.fields));
        return show_first(flags.stream, flags.stream.output, what_is_read(asked), asked);
    }
    if (environment.rank > 0) {
        CUSET_TRY(check(flags));
        CUSET_ASSIGN(local_model model, local_model::load(flags, environment));
        CUSET_TRY(model.serve());
        return stream_summary{};
    }
    CUSET_ASSIGN(output out, output::open(to_output_options(flags.stream, output_form::records)));
    CUSET_TRY(check(flags));
    // Before a model is loaded.
    if (identify(flags.resume).is_same_file(out.identity()))
        return usage_error("--resume and -o are the same file");
    CUSET_TRY(check_apart(flags, out));
    return flags.endpoint.empty() ? sample_locally(flags, environment, std::move(out))
                                  : sample_from_server(flags, std::move(out));
}

}  // namespace

int main(int argc, char** argv) {
    sample_flags flags;
    program p = describe(flags);
    return run_tool(
        p, flags.stream, argc, argv,
        {.form = [&] { return flags.ask.show ? output_form::text : output_form::records; },
         .run = [&] { return sample(flags); },
         .prepare = [&] { return flags.fields.read(); }});
}
