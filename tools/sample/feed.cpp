#include "feed.h"

#include "cuset/base/random_key.h"

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

status sample_feed::read(question& q) {
    q.task = record_.id;
    if (seen_.contains(q.task)) return data_error("there was a task \"" + q.task + "\" before");
    CUSET_TRY(ask_.apply(record_));
    for (auto& turn : record_.conversation)
        q.conversation.push_back({std::move(turn.role), std::move(turn.content)});
    if (q.conversation.empty() || q.conversation.back().role != "user")
        return data_error("the conversation does not end with the user's turn");
    CUSET_TRY(prepare_(q));
    seen_.insert(q.task);
    q.line = lines_.keep();
    return {};
}

/// False at the end.
result<bool> sample_feed::next_question() {
    for (;;) {
        CUSET_ASSIGN(const line* const l, lines_.next());
        if (l == nullptr) return false;
        if (status read_error = reader_.read(*l, record_); !read_error) {
            if (lines_.is_mine(*l)) CUSET_TRY(lines_.reject(std::move(read_error)));
            continue;
        }
        if (!lines_.is_mine(record_.id)) continue;
        auto q = std::make_shared<question>();
        if (status wrong = read(*q); !wrong) {
            CUSET_TRY(lines_.reject(std::move(wrong)));
            continue;
        }
        lines_.accept();
        current_ = std::move(q);
        next_sample_ = 0;
        return true;
    }
}

result<std::optional<wanted_sample>> sample_feed::next() {
    for (;;) {
        if (!current_ || next_sample_ == options_.samples) {
            CUSET_ASSIGN(const bool more, next_question());
            if (!more) return std::optional<wanted_sample>();
        }
        wanted_sample wanted{current_, next_sample_++, next_order_++, 0, 0};
        const std::uint64_t task_key = mixed_key(options_.seed, fnv1a_64(current_->task));
        wanted.random_key = mixed_key(task_key, wanted.sample);
        wanted.key =
            mixed_key(mixed_key(options_.setting_key, wanted.random_key), key_of(*current_));
        if (!kept_) return std::optional(std::move(wanted));
        CUSET_ASSIGN(const std::string* const line,
                     kept_->find(current_->task, wanted.sample, wanted.key, options_.needs_scores));
        if (line == nullptr) return std::optional(std::move(wanted));
        ++passed_on_;
        CUSET_TRY(emit(wanted.order, *line));
    }
}

status sample_feed::deliver(const wanted_sample& what, std::string_view response,
                            std::optional<std::uint64_t> tokens, std::string_view finish,
                            std::optional<candidate_score> score) {
    sampled_candidate c;
    c.task = what.of->task;
    c.sample = what.sample;
    c.response = response;
    c.tokens = tokens;
    c.finish = finish;
    c.model = options_.model;
    c.key = what.key;
    c.score = std::move(score);
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
    const std::uint64_t begun = lines_.records() * options_.samples;
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
