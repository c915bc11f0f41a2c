// cuset-view: scored pairs -> the code, coloured by confidence, for a terminal or a browser.
#include <algorithm>
#include <memory>
#include <vector>

#include "cuset/base/log.h"
#include "cuset/stream/output.h"
#include "cuset/view/html_page.h"
#include "feed.h"
#include "flags.h"
#include "tool.h"

namespace {

using namespace cuset;

/// Writes what is shown, as text or as a page.
class viewer {
public:
    viewer(const view_flags& flags, const role_set& roles, output& out)
        : flags_(flags), out_(out), style_(chosen_style(flags, roles)) {}

    status begin() {
        if (flags_.html.empty()) return {};
        page_settings settings{.smoothing = style_.smoothing, .models = {}, .roles = style_.roles};
        if (flags_.compare) settings.models = flags_.stream.files;
        return out_.write(page_begin(settings));
    }
    status add(const scored_text& text) {
        text_.clear();
        if (!flags_.html.empty()) {
            append_sample(text, style_.context, text_);
        } else {
            text_ = is_first_ ? legend(style_, flags_.compare) : "";
            text_ += is_first_ && text_.empty() ? "" : "\n";
            append_view(text, style_, text_);
        }
        is_first_ = false;
        return out_.write(text_);
    }
    status end() {
        if (!flags_.html.empty()) CUSET_TRY(out_.write(page_end()));
        return out_.finish();
    }

private:
    const view_flags& flags_;
    output& out_;
    terminal_style style_;
    bool is_first_ = true;
    std::string text_;
};

/// Keeps the N texts whose windows have the lowest means; of equal ones the first.
class hardest_texts {
public:
    explicit hardest_texts(std::size_t most) : most_(most) {}

    /// Adds each kernel of the text, or the whole text.
    void add(scored_text&& text, const view_flags& flags) {
        if (flags.within == "response") return keep(std::move(text));
        for (auto& [kernel, window] : kernels_of(text, chosen_window(flags), search_)) {
            is_empty_ = false;
            if (kept_.size() == most_ && !(window.mean < kept_.back().window.mean)) continue;
            scored_text shown = text;
            shown.kernel = std::move(kernel);
            shown.window = window;
            keep(std::move(shown));
        }
    }
    const std::vector<scored_text>& kept() const { return kept_; }
    bool is_empty() const { return is_empty_; }

private:
    void keep(scored_text&& text) {
        is_empty_ = false;
        if (kept_.size() == most_ && !is_harder(text, kept_.back())) return;
        const auto place = std::upper_bound(kept_.begin(), kept_.end(), text, is_harder);
        kept_.insert(place, std::move(text));
        if (kept_.size() > most_) kept_.pop_back();
    }
    static bool is_harder(const scored_text& a, const scored_text& b) {
        return a.window.mean < b.window.mean;
    }
    std::size_t most_;
    bool is_empty_ = true;
    window_search search_;
    std::vector<scored_text> kept_;
};

result<stream_summary> view(const view_flags& flags) {
    CUSET_TRY(check(flags));
    CUSET_ASSIGN(const role_set roles, chosen_roles(flags));
    view_feed_options options;
    options.stream = to_stream_options(flags.stream);
    output_options wanted = to_output_options(flags.stream, output_form::text);
    wanted.path = output_path(flags);
    CUSET_ASSIGN(output out, output::open(wanted));
    options.stream.written.push_back({"the output", out.identity(), &out});
    options.window = chosen_window(flags);
    options.roles = roles;
    options.fields = flags.fields;

    viewer shown(flags, roles, out);
    hardest_texts hardest(static_cast<std::size_t>(flags.hardest));
    bool is_found = flags.id.empty();
    CUSET_TRY(shown.begin());
    const auto visit = [&](scored_text&& text, bool input_paused) -> status {
        if (!flags.id.empty() && text.id != flags.id) return {};
        is_found = true;
        if (flags.hardest > 0) {
            hardest.add(std::move(text), flags);
            return {};
        }
        CUSET_TRY(shown.add(text));
        return input_paused ? out.flush() : status();
    };
    CUSET_ASSIGN(const view_summary done,
                 flags.compare ? for_compared_texts(options, visit) : for_texts(options, visit));
    for (const scored_text& text : hardest.kept()) CUSET_TRY(shown.add(text));
    if (!is_found) return data_error("no record has the id \"" + flags.id + '"');
    if (flags.hardest > 0 && hardest.is_empty() && done.stream.records > done.stream.rejected)
        return data_error(
            "no record has a tagged kernel: pipe the records through cuset-tag, or rank whole "
            "records with --within response");
    CUSET_TRY(shown.end());
    if (done.untagged > 0)
        log(log_level::note, std::to_string(done.untagged) +
                                 " records have no \"tag\": kernels and launches are not marked "
                                 "(pipe them through cuset-tag)");
    else if (done.without_roles > 0)
        log(log_level::note, std::to_string(done.without_roles) +
                                 " records have no \"tag.roles\" to show (pipe them through "
                                 "cuset-tag --roles)");
    return done.stream;
}

}  // namespace

int main(int argc, char** argv) {
    view_flags flags;
    program p = describe(flags);
    return run_tool(p, flags.stream, argc, argv,
                    {.form = [] { return output_form::text; },
                     .run = [&] { return view(flags); },
                     .prepare = [&] { return flags.fields.read(); }});
}
