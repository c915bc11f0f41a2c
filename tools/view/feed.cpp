#include "feed.h"

#include <array>
#include <deque>
#include <unordered_map>

#include "cuset/base/log.h"
#include "cuset/stream/line_source.h"
#include "cuset/stream/progress.h"

namespace cuset {
namespace {

record_options what_is_read(const view_feed_options& options, bool reads_window) {
    record_options wanted{
        .parts = record_part::response | record_part::score | record_part::tag |
                 (reads_window ? record_part::window : record_part::response) |
                 (options.roles.any() || options.window.drops_comments ? record_part::roles
                                                                       : record_part::tag),
        .own_key = "",
        .prompt_field = {},
        .response_field = {}};
    options.fields.put_into(wanted);
    return wanted;
}

class text_source {
public:
    text_source(const view_feed_options& options, line_source lines, bool reads_window)
        : lines_(std::move(lines)),
          reader_(what_is_read(options, reads_window)),
          window_(options.window),
          roles_(options.roles) {}

    /// `bin` sets bad lines aside: that of this source, or of the source that it is compared with.
    static result<text_source> open(const view_feed_options& options,
                                    std::vector<std::string> inputs, bool has_rejects,
                                    bool reads_window) {
        stream_options wanted = options.stream;
        wanted.inputs = std::move(inputs);
        if (!has_rejects) wanted.skip_errors = false, wanted.rejects.clear();
        CUSET_ASSIGN(line_source lines, line_source::open(wanted));
        text_source source(options, std::move(lines), reads_window);
        // The frame is that of the first source, so that the other needs no roles for it.
        if (!reads_window) source.window_.drops_comments = false;
        return source;
    }

    /// False at the end.
    result<bool> next(scored_text& text, line_source& bin) {
        for (;;) {
            CUSET_ASSIGN(const line* l, lines_.next());
            if (!l) return false;
            status error = reader_.read(*l, record_);
            if (!(error.is_ok() ? lines_.is_mine(record_.id) : lines_.is_mine(*l))) continue;
            const bool is_tagged = record_.has_tag;
            if (error.is_ok()) error = take_scored_text(record_, window_, roles_, search_, text);
            lines_.accept();
            if (error.is_ok()) {
                text.place = lines_.place();
                text.place.resize(text.place.rfind(": "));
                if (!is_tagged) ++untagged_;
                if (roles_.any() && !text.has_roles) ++without_roles_;
                return true;
            }
            CUSET_TRY(bin.set_aside(lines_.keep(), std::move(error)));
        }
    }
    line_source& lines() { return lines_; }
    view_summary summary(const stream_summary& stream) const {
        return {stream, untagged_, without_roles_};
    }

private:
    line_source lines_;
    record_reader reader_;
    window_search_options window_;
    role_set roles_;
    pair_record record_;
    window_search search_;
    std::uint64_t untagged_ = 0, without_roles_ = 0;
};

status check_fields(const view_feed_options& options) {
    record_options wanted = what_is_read(options, true);
    wanted.own_key = "window";
    return check(wanted);
}

struct waiting_text {
    scored_text text;
    line_source::kept_line line;
};
using waiting_texts = std::unordered_map<std::string, std::deque<waiting_text>>;

// Some of the ids, for a message.
std::string some_ids(const waiting_texts& texts) {
    constexpr std::size_t most = 3;
    std::string out;
    std::size_t shown = 0;
    for (const auto& [id, waiting] : texts) {
        if (waiting.empty()) continue;
        if (shown == most) return out + ", …";
        out += (shown++ > 0 ? ", \"" : "\"") + id + '"';
    }
    return out;
}

void warn_of_alone(const waiting_texts& texts, const std::string& file) {
    std::size_t alone = 0;
    for (const auto& entry : texts) alone += entry.second.size();
    if (alone > 0)
        log(log_level::warning,
            std::to_string(alone) + " records of " + file +
                " have no partner of their id, and are left out: " + some_ids(texts));
}

}  // namespace

result<view_summary> for_texts(const view_feed_options& options, const text_visitor& visit) {
    CUSET_TRY(check_fields(options));
    CUSET_ASSIGN(text_source source, text_source::open(options, options.stream.inputs, true, true));
    line_source& lines = source.lines();
    progress_meter progress("records");
    for (scored_text text;;) {
        CUSET_ASSIGN(const bool more, source.next(text, lines));
        if (!more) break;
        CUSET_TRY(visit(std::move(text), lines.would_wait()));
        progress.update(lines.records(), lines.bytes_consumed(), lines.bytes_total());
    }
    CUSET_TRY(lines.finish());
    return source.summary({lines.records(), lines.rejected()});
}

result<view_summary> for_compared_texts(const view_feed_options& options,
                                        const text_visitor& visit) {
    CUSET_TRY(check_fields(options));
    const auto& files = options.stream.inputs;
    // The second file's own window is not read: it belongs to other scores.
    CUSET_ASSIGN(text_source first, text_source::open(options, {files[0]}, true, true));
    CUSET_ASSIGN(text_source second, text_source::open(options, {files[1]}, false, false));
    line_source& bin = first.lines();
    const std::array<text_source*, 2> sources{&first, &second};
    std::array<waiting_texts, 2> waiting;
    std::array<bool, 2> is_at_end{};
    std::uint64_t matched = 0;
    for (std::size_t side = 0; !is_at_end[0] || !is_at_end[1]; side = 1 - side) {
        if (is_at_end[side]) continue;
        waiting_text read;
        CUSET_ASSIGN(const bool more, sources[side]->next(read.text, bin));
        if (!more) {
            is_at_end[side] = true;
            continue;
        }
        read.line = sources[side]->lines().keep();
        auto& partners = waiting[1 - side];
        const auto partner = partners.find(read.text.id);
        if (partner == partners.end()) {
            waiting[side][read.text.id].push_back(std::move(read));
            continue;
        }
        waiting_text other = std::move(partner->second.front());
        partner->second.pop_front();
        if (partner->second.empty()) partners.erase(partner);
        waiting_text& before = side == 0 ? read : other;
        waiting_text& after = side == 0 ? other : read;
        ++matched;
        if (status error = add_second_score(before.text, after.text, files[1]); !error)
            CUSET_TRY(bin.set_aside(before.line, std::move(error)));
        else
            CUSET_TRY(visit(std::move(before.text), sources[1 - side]->lines().would_wait()));
    }
    if (matched == 0 && bin.records() + second.lines().records() > bin.rejected())
        return data_error("no record of " + files[0] + " has its id in " + files[1]);
    for (const std::size_t side : std::array<std::size_t, 2>{0, 1})
        warn_of_alone(waiting[side], files[side]);
    CUSET_TRY(bin.finish());
    return first.summary({bin.records() + second.lines().records(), bin.rejected()});
}

}  // namespace cuset
