// cuset-window: scored pairs -> where the model is least sure, as a table or as records.
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "cuset/base/log.h"
#include "cuset/region/window.h"
#include "cuset/stream/json_writer.h"
#include "cuset/stream/library_versions.h"
#include "table.h"
#include "tool.h"

namespace {

using namespace cuset;

struct window_flags {
    stream_flags stream;
    std::int64_t size = 256, top = 0;
    bool records = false, header = false, clipped = false;
    std::string within = "response", comments = "keep";
    field_flags fields;

    table_options table() const {
        return {static_cast<std::size_t>(size), clipped ? window_ends::clipped : window_ends::full,
                within == "kernel", comments == "drop"};
    }
};

program describe(window_flags& flags) {
    program p = new_program("cuset-window", "find where a model is least sure in a kernel");
    p.description = paragraphs(R"(
Reads pairs with token confidences (from cuset-score) and finds in each response the window of
tokens with the lowest mean confidence. There is a window around every token, --size tokens long.
At either end of the response a window is clipped, down to half of --size, and its mean is over
the tokens that are left. The mean of fewer tokens varies more, so the lowest one is often at an
end, in an opening comment for example: the table shows full windows alone, unless --clipped is
given. Training and --records take all, as the method has it. A response shorter than --size is
one window. The tokens of the chat template around the response count too.

Prints a table, one line a pair, for sort(1) and cut(1). Tabs separate the columns: the lowest
mean confidence; 1 minus that, which of all windows (--clipped) is the sample weight in training;
the id, or the line in this tool's input where the record has none; the lines of the response; the
kernel or launch that shares most with the window, however little that is (- where there is none,
or no tags); the first line of code. A tab in an id or a name becomes a blank. Sort with LC_ALL=C
where the locale writes decimal commas. With --records the tool adds
"window":{"size","min","weight","token":[first,end],"begin","end"} to the records instead; token
and byte ranges are half open.
)");
    p.options = {
        {0, "size", "N", "Tokens in a window.", &flags.size, between(1, 1'000'000'000)},
        {0, "top", "N",
         "Show the N windows of least confidence alone, in their order; of equal ones, those that "
         "come first. 0 shows each pair's as it is read.",
         &flags.top, between(0, 1'000'000)},
        {0, "within", "PLACE",
         "response: a row is the hardest window of a pair. kernel: a row is the hardest window of "
         "a kernel, over the tokens that have bytes in it; a kernel of fewer than --size tokens is "
         "one window, and a pair without a tagged kernel has no row.",
         &flags.within, one_of("response", "kernel")},
        {0, "clipped", "", "The table counts the windows that the ends clip, too.", &flags.clipped},
        {0, "comments", "USE",
         "With drop, the table's windows are those of the other tokens, as if the response had no "
         "comments; records need roles (cuset-tag --roles). The hardest windows of real files are "
         "often comments about licences.",
         &flags.comments, one_of("keep", "drop")},
        {0, "header", "", "Begin the table with a line of the columns' names.", &flags.header},
        {0, "records", "", "Write the records with a \"window\" instead of the table.",
         &flags.records},
    };
    add_field_flags(p, flags.fields);
    add_stream_flags(p, flags.stream);
    p.build_details = stream_library_versions;
    p.examples = {
        {"cuset-tag pairs.jsonl | cuset-score | cuset-window --within kernel --top 10",
         "The ten hardest kernels."},
        {"cuset-tag --roles pairs.jsonl | cuset-score | cuset-window --comments drop --top 10",
         "The ten hardest responses, whatever their comments are like."},
        {"cuset-window --size 64 scored.jsonl.zst | sort -n | cut -f 1,3",
         "Ids in the order of their lowest mean confidence, over shorter windows."},
        {"cuset-window --records --plain scored.jsonl.zst | jq -r '[.id, .window.weight] | @tsv'",
         "The sample weights."},
    };
    p.see_also = {"cuset-tag", "cuset-score"};
    return p;
}

class window_worker final : public record_worker {
public:
    /// `hardest`: where the rows go; null: into the output, as the records come. `untagged` counts
    /// the records that have no row for want of tags.
    window_worker(const window_flags& flags, hardest_rows* hardest,
                  std::atomic<std::uint64_t>& untagged)
        : table_(flags.table()), records_(flags.records), hardest_(hardest), untagged_(untagged) {}

    void process(std::span<pair_record> records, std::span<record_outcome> outcomes) override {
        for (std::size_t i = 0; i < records.size(); ++i) {
            const pair_record& record = records[i];
            if (!record.token_end.empty() && record.token_end.back() > record.response.size()) {
                outcomes[i].error =
                    data_error("\"score.end\" reaches past the response: scored from other text?");
                continue;
            }
            if (records_) {
                append_record(record, outcomes[i].lines);
                continue;
            }
            if (table_.within_kernels && !record.has_tag) ++untagged_;
            auto rows = rows_of(record, table_, search_);
            if (!rows) {
                outcomes[i].error = std::move(rows).error();
                continue;
            }
            for (std::size_t place = 0; place < rows->size(); ++place) {
                if (hardest_)
                    hardest_->add(std::move((*rows)[place]), record, place);
                else
                    outcomes[i].lines += (*rows)[place].text;
            }
        }
    }

private:
    void append_record(const pair_record& record, std::string& out) {
        const confidence_window window = search_.hardest(record.confidence, table_.size);
        value_.clear();
        json_writer json(value_);
        json.begin_object().member("size", table_.size).member("min", window.mean, 6);
        json.member("weight", sample_weight(window.mean), 6);
        json.key("token").values(std::array{window.first, window.last});
        json.member("begin", window.first ? record.token_end[window.first - 1] : 0);
        json.member("end", window.last ? record.token_end[window.last - 1] : 0).end_object();
        splice(record, "window", value_, out);
    }

    table_options table_;
    bool records_;
    hardest_rows* hardest_;
    std::atomic<std::uint64_t>& untagged_;
    window_search search_;
    std::string value_;
};

output_form form_of(const window_flags& flags) {
    return flags.records ? output_form::records : output_form::text;
}

result<stream_summary> find_windows(const window_flags& flags,
                                    std::atomic<std::uint64_t>& untagged) {
    if (flags.records && (flags.top > 0 || flags.header || flags.clipped ||
                          flags.within != "response" || flags.comments != "keep"))
        return usage_error(
            "--records: --top, --within, --clipped, --comments and --header are of the table");
    auto parts = record_part::response | record_part::score;
    if (!flags.records) parts = parts | record_part::tag;
    if (flags.comments == "drop") parts = parts | record_part::roles;
    record_options wanted{
        .parts = parts, .own_key = "window", .prompt_field = {}, .response_field = {}};
    flags.fields.put_into(wanted);
    stream_options stream = to_stream_options(flags.stream, form_of(flags));
    if (flags.header) stream.heading = table_heading;
    if (flags.top == 0)
        return filter_records(stream, wanted, [&] {
            return made_worker(std::make_unique<window_worker>(flags, nullptr, untagged));
        });
    CUSET_ASSIGN(output table, output::open(to_output_options(flags.stream, output_form::text)));
    stream.written.push_back({"the output", table.identity(), &table});
    stream.output.reset();
    hardest_rows hardest(static_cast<std::size_t>(flags.top));
    CUSET_ASSIGN(const stream_summary summary, filter_records(stream, wanted, [&] {
                     return made_worker(std::make_unique<window_worker>(flags, &hardest, untagged));
                 }));
    CUSET_TRY(table.write(stream.heading + hardest.take()));
    CUSET_TRY(table.finish());
    return summary;
}

result<stream_summary> find_windows(const window_flags& flags) {
    std::atomic<std::uint64_t> untagged = 0;
    CUSET_ASSIGN(const stream_summary summary, find_windows(flags, untagged));
    if (untagged > 0)
        log(log_level::note, std::to_string(untagged) +
                                 " records have no \"tag\", and so no row of a kernel (pipe them "
                                 "through cuset-tag)");
    return summary;
}

}  // namespace

int main(int argc, char** argv) {
    window_flags flags;
    program p = describe(flags);
    return run_tool(p, flags.stream, argc, argv,
                    {.form = [&] { return form_of(flags); },
                     .run = [&] { return find_windows(flags); },
                     .prepare = [&] { return flags.fields.read(); }});
}
