#include "feed.h"

#include "cuset/base/random_key.h"
#include "cuset/stream/json_writer.h"

namespace cuset {

namespace {

/// The hash covers the prompt's tokens if there are any: they include the template.
std::uint64_t key_of(const question& q) {
    if (q.tokens)
        return fnv1a_64({reinterpret_cast<const char*>(q.tokens->data()),
                         q.tokens->size() * sizeof(std::int32_t)});
    std::uint64_t key = q.conversation.size();
    for (const auto& message : q.conversation)
        key = mixed_key(mixed_key(key, fnv1a_64(message.role)), fnv1a_64(message.content));
    return key;
}

std::string json_of_turns(const std::vector<chat_message>& conversation) {
    std::string text;
    json_writer json(text);
    json.begin_array();
    for (const chat_message& turn : conversation)
        json.begin_object().member("role", turn.role).member("content", turn.content).end_object();
    json.end_array();
    return text;
}

}  // namespace

record_options what_is_read(const ask_options& asked) {
    record_options wanted{.parts = record_part::prompt,
                          .own_key = {},
                          .questions = true,
                          .prompt_field = {},
                          .response_field = {}};
    complete(wanted, asked);
    return wanted;
}

sample_feed::sample_feed(feed_options options, task_ask ask, line_source lines, output out,
                         std::optional<candidate_log> kept, preparation prepare)
    : options_(std::move(options)),
      ask_(std::move(ask)),
      lines_(std::move(lines)),
      out_(std::move(out)),
      kept_(std::move(kept)),
      prepare_(std::move(prepare)),
      reader_(what_is_read(ask_.options())) {}

/// Plans the samples of the task in record_.
status sample_feed::plan_samples() {
    question asked;
    asked.task = record_.id;
    if (seen_.contains(asked.task))
        return data_error("there was a task \"" + asked.task + "\" before");
    CUSET_TRY(ask_.apply(record_));
    if (record_.conversation.empty() || record_.conversation.back().role != "user")
        return data_error("the conversation does not end with the user's turn");
    asked.line = lines_.keep();
    if (options_.refined) {
        CUSET_TRY(plan_turns(asked));
    } else {
        for (auto& turn : record_.conversation)
            asked.conversation.push_back({std::move(turn.role), std::move(turn.content)});
        CUSET_TRY(prepare_(asked));
        const auto shared = std::make_shared<const question>(std::move(asked));
        for (std::uint64_t i = 0; i < options_.samples; ++i) planned_.push_back({shared, i});
    }
    seen_.insert(record_.id);
    return {};
}

/// Plans the next turns of answers to the task. One whose conversation is too long does not keep
/// the others from being asked.
status sample_feed::plan_turns(const question& asked) {
    auto answers = options_.refined->past.plan(asked.task);
    left_out_ = {};
    for (planned_answer& next : answers) {
        if (!next.wrong) {
            if (left_out_) left_out_ = std::move(next.wrong);
            continue;
        }
        CUSET_ASSIGN(const auto turns,
                     continued(record_.conversation, next, options_.refined->told));
        question q = asked;
        for (const chat_turn& turn : turns) q.conversation.push_back({turn.role, turn.content});
        q.turn = next.turn;
        q.parent = next.parent->key;
        if (status wrong = prepare_(q); wrong)
            planned_.push_back({std::make_shared<const question>(std::move(q)), next.sample});
        else if (left_out_)
            left_out_ =
                std::move(wrong).with_prefix("turn " + std::to_string(next.turn) + " of sample " +
                                             std::to_string(next.sample) + ": ");
    }
    return planned_.empty() ? left_out_ : status();
}

/// Reads up to the next task that has samples to be made. False at the end.
result<bool> sample_feed::next_task() {
    for (;;) {
        planned_.clear();
        next_planned_ = 0;
        CUSET_ASSIGN(const line* const l, lines_.next());
        if (l == nullptr) return false;
        if (status read_error = reader_.read(*l, record_); !read_error) {
            if (lines_.is_mine(*l)) CUSET_TRY(lines_.reject(std::move(read_error)));
            continue;
        }
        if (!lines_.is_mine(record_.id)) continue;
        if (status wrong = plan_samples(); !wrong) {
            planned_.clear();
            CUSET_TRY(lines_.reject(std::move(wrong)));
            continue;
        }
        lines_.accept();
        if (!left_out_) {
            set_aside_.insert(record_.id);
            CUSET_TRY(lines_.set_aside(lines_.keep(), std::exchange(left_out_, {})));
        }
        planned_in_all_ += planned_.size();
        if (!planned_.empty()) return true;
    }
}

result<std::optional<wanted_sample>> sample_feed::next() {
    for (;;) {
        if (next_planned_ == planned_.size()) {
            CUSET_ASSIGN(const bool more, next_task());
            if (!more) return std::optional<wanted_sample>();
        }
        const auto& [asked, sample] = planned_[next_planned_++];
        wanted_sample wanted{asked, sample, next_order_++, 0, 0};
        std::uint64_t task_key = mixed_key(options_.seed, fnv1a_64(asked->task));
        if (asked->turn > 1) task_key = mixed_key(task_key, asked->turn);
        wanted.random_key = mixed_key(task_key, wanted.sample);
        wanted.key = mixed_key(mixed_key(options_.setting_key, wanted.random_key), key_of(*asked));
        if (!kept_) return std::optional(std::move(wanted));
        CUSET_ASSIGN(const std::string* const line,
                     kept_->find(asked->task, wanted.sample, wanted.key, options_.needs_scores));
        if (line == nullptr) return std::optional(std::move(wanted));
        ++passed_on_;
        CUSET_TRY(emit(wanted.order, *line));
    }
}

status sample_feed::deliver(const wanted_sample& what, std::string_view response,
                            std::optional<std::uint64_t> tokens, std::string_view finish,
                            std::optional<candidate_score> score, std::string_view thought) {
    sampled_candidate c;
    c.task = what.of->task;
    c.sample = what.sample;
    c.response = response;
    c.tokens = tokens;
    c.finish = finish;
    c.model = options_.model;
    c.key = what.key;
    c.score = std::move(score);
    if (const question& q = *what.of; q.turn > 1)
        c.turn = {q.turn, q.parent, json_of_turns(q.conversation)};
    c.thought = thought;
    std::string line = to_line(c);
    if (kept_) CUSET_TRY(kept_->append(line));
    ++delivered_;
    return emit(what.order, std::move(line));
}

status sample_feed::fail(const wanted_sample& what, status reason) {
    // A line is set aside once, even if several of its samples fail.
    if (set_aside_.insert(what.of->task).second)
        CUSET_TRY(lines_.set_aside(what.of->line, std::move(reason)));
    return emit(what.order, {});
}

status sample_feed::emit(std::size_t order, std::string line) {
    std::string ready;
    order_.add(order, std::move(line), ready);
    if (ready.empty()) return {};
    CUSET_TRY(out_.write(ready));
    return out_.flush();
}

void sample_feed::count(std::uint64_t tokens) {
    tokens_ += tokens;
    // Progress counts the bytes read so far in proportion to the samples made of them. Samples that
    // were passed on took no time.
    const std::uint64_t begun = planned_in_all_;
    const auto of_begun = [&](std::uint64_t samples) {
        return begun == 0 ? 0 : lines_.bytes_consumed() * samples / begun;
    };
    const std::uint64_t passed = of_begun(passed_on_), total = lines_.bytes_total();
    progress_.update(tokens_, of_begun(delivered_), total > passed ? total - passed : 0);
}

status sample_feed::finish() {
    if (kept_) CUSET_TRY(kept_->sync());
    CUSET_TRY(lines_.finish());
    return out_.finish();
}

}  // namespace cuset
