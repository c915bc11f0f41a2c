// cuset-tag: pairs -> pairs with the spans of kernels and launches.
#include "cuset/base/sha256.h"
#include "cuset/stream/json_writer.h"
#include "cuset/stream/library_versions.h"
#include "cuset/syntax/tagger.h"
#include "tool.h"

namespace {

using namespace cuset;

struct tag_flags {
    stream_flags stream;
    std::string kernel = "body";
    std::string launch = "configuration";
    std::string lang = "auto";
    bool roles = false;
    bool add_ids = false;
    field_flags fields;
};

program describe(tag_flags& flags) {
    program p = new_program("cuset-tag", "tag the kernels and launches in CUDA code");
    p.description = paragraphs(R"(
Reads prompt/response pairs and adds to each the byte spans of the CUDA kernels and kernel
launches in its response, as "tag":{"spans":[{"kind","name","begin","end"},...],"lang"}. Offsets
count bytes of the response as UTF-8. All other fields pass through byte for byte.

Spans are found in the text as it stands, not in the output of the preprocessor: a kernel that a
macro of another file makes is not found. Macros of the same text are known if they stand for
__global__ or for a single brace (#define BEGIN {), but not if they hold several braces or take
arguments.

Plain CUDA and HIP code, Markdown with fenced code, and CUDA inside Python string literals are
found, also in code that does not parse: for its macros, or since it is cut off.

With --roles, tree-sitter's CUDA grammar reads each function of the device, and "roles" has a run
of bytes for tokens of one role in a row: index (threadIdx and its like, and what is computed from
them for subscripts and bounds), bound (conditions that guard accesses), memory (names,
declarations and accesses of global, shared and constant memory), sync (barriers, fences, atomics,
shuffles, votes, cooperative groups), launch (whole launch statements, what feeds them, streams),
transfer (cudaMalloc, cudaMemcpy and their like), arithmetic (the rest of device code), host (the
rest of the code) and comment. Each byte of code other than white space is in one run; text around
code, in Markdown or Python, is in none. "recovered" counts the bytes of device code that the
grammar could not read: their roles are by words, brackets and statements alone.
)");
    p.options = {
        {0, "kernel", "EXTENT",
         "How much of a kernel its span takes: the braces and what is in them, or the whole "
         "definition.",
         &flags.kernel, one_of("body", "definition")},
        {0, "launch", "EXTENT",
         "How much of a launch: <<<...>>> alone, its whole statement, or also the declarations "
         "that "
         "feed it.",
         &flags.launch, one_of("configuration", "statement", "setup")},
        {0, "lang", "LANGUAGE", "What the responses are.", &flags.lang,
         one_of("auto", "cuda", "hip", "python", "markdown")},
        {0, "roles", "",
         "Also write what each token of code is for, as \"roles\":[[ROLE,begin,end],...] in the "
         "tag.",
         &flags.roles},
        {0, "add-ids", "",
         "Give each record that has neither an \"id\" nor a \"task_id\" one: the first 16 "
         "hexadecimal digits of a SHA-256 of its bytes, so that it is the same in every shard and "
         "order. Equal records have equal ids.",
         &flags.add_ids},
    };
    add_field_flags(p, flags.fields);
    add_stream_flags(p, flags.stream);
    p.build_details = [] { return stream_library_versions(); };
    p.examples = {
        {"cuset-tag --plain pairs.jsonl | jq -c '.tag.spans[]'", "List the spans, one a line."},
        {"cuset-tag --launch=statement pairs.jsonl -o tagged.jsonl.zst",
         "Tag whole launch statements, into a compressed file."},
        {"cuset-tag --roles --plain pairs.jsonl | "
         "jq -r '.tag.roles[] | \"\\(.[0])\\t\\(.[2] - .[1])\"' | "
         "awk '{ n[$1] += $2 } END { for (r in n) print n[r], r }' | sort -rn",
         "Count the bytes of each role."},
    };
    p.see_also = {"cuset-score", "cuset-window"};
    return p;
}

class tag_worker final : public record_worker {
public:
    tag_worker(const tag_options& options, bool add_ids)
        : tagger_(options), roles_(options.roles), add_ids_(add_ids) {}

    void process(std::span<pair_record> records, std::span<record_outcome> outcomes) override {
        for (std::size_t i = 0; i < records.size(); ++i) {
            const tagging found = tagger_.tag(records[i].response);
            value_.clear();
            append(found);
            // The second member goes where the tag does.
            if (add_ids_ && !records[i].has_id)
                value_ += ",\"id\":\"" + content_id(records[i].line) + '"';
            splice(records[i], "tag", value_, outcomes[i].lines);
        }
    }

private:
    void append(const tagging& found) {
        json_writer json(value_);
        json.begin_object().key("spans").begin_array();
        for (const code_span& span : found.spans)
            json.begin_object()
                .member("kind", span.kind == span_kind::kernel ? "kernel" : "launch")
                .member("name", span.name)
                .member("begin", span.begin)
                .member("end", span.end)
                .end_object();
        json.end_array();
        json.member("lang", found.lang);
        if (roles_) {
            json.key("roles").begin_array();
            for (const role_run& run : found.roles)
                json.begin_array()
                    .value(name_of(run.role))
                    .value(run.begin)
                    .value(run.end)
                    .end_array();
            json.end_array();
            json.member("recovered", found.recovered);
        }
        json.end_object();
    }

    static std::string content_id(std::string_view line) {
        return sha256("record").add(line).end().hexadecimal().substr(0, 16);
    }

    tagger tagger_;
    bool roles_;
    bool add_ids_;
    std::string value_;
};

tag_options to_tag_options(const tag_flags& flags) {
    tag_options options;
    options.kernel = flags.kernel == "body" ? kernel_extent::body : kernel_extent::definition;
    options.launch = flags.launch == "configuration" ? launch_extent::configuration
                     : flags.launch == "statement"   ? launch_extent::statement
                                                     : launch_extent::setup;
    options.lang = flags.lang == "cuda"       ? source_language::cuda
                   : flags.lang == "hip"      ? source_language::hip
                   : flags.lang == "python"   ? source_language::python
                   : flags.lang == "markdown" ? source_language::markdown
                                              : source_language::automatic;
    options.roles = flags.roles;
    return options;
}

}  // namespace

int main(int argc, char** argv) {
    tag_flags flags;
    program p = describe(flags);
    const auto run = [&] {
        const tag_options options = to_tag_options(flags);
        record_options wanted{.parts = record_part::response,
                              .own_key = "tag",
                              .prompt_field = {},
                              .response_field = {}};
        flags.fields.put_into(wanted);
        return filter_records(to_stream_options(flags.stream, output_form::records), wanted, [&] {
            return made_worker(std::make_unique<tag_worker>(options, flags.add_ids));
        });
    };
    return run_tool(p, flags.stream, argc, argv,
                    {.run = run, .prepare = [&] { return flags.fields.read(); }});
}
