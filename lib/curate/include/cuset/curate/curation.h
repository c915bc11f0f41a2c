// A curation: which pairs of a stream are kept, and why the others are not.
//
// Records are read once. What is needed of each later (about 150 bytes) stays in memory; its line
// and its MinHash bands go to temporary files. Then duplicates are found among all, one of each
// cluster and the wanted number of each task are chosen, and the lines are written in the order of
// the input.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/curate/benchmark_index.h"
#include "cuset/curate/code_tokens.h"
#include "cuset/stream/output.h"
#include "cuset/stream/pair_record.h"
#include "cuset/text/tokenizer.h"

namespace cuset {

/// Why a record is dropped, in the order in which it is looked at: the first reason counts.
enum class drop_reason : std::uint8_t {
    none,        ///< it is kept
    bad_record,  ///< the line cannot be read
    no_task,     ///< of a candidate: the tasks do not have its task
    no_twin,     ///< of a source file: it is not there in the other language too
    repeated,    ///< the same candidate came before
    no_verdict,  ///< nobody judged the candidate
    other_task,  ///< the verdict is on another form of the task
    not_judged,  ///< the judge could not tell whether it is right
    failed,      ///< it did not reach the wanted stage
    no_code,     ///< the response holds no program
    too_short,   ///< the response
    too_long,    ///< the response
    no_thought,  ///< of a record that is to be concise
    long_thought,
    language,
    no_kernel,
    comments,  ///< too large a share of them
    license,
    secret,
    own_path,
    benchmark,  ///< it shares text with a benchmark's task
    not_compiled,
    exact_duplicate,
    near_duplicate,
    not_picked,       ///< others of its task were preferred
    no_rival,         ///< no failed answer to its task can stand against it
    no_instruction,   ///< a server could not write one
    cut_instruction,  ///< a limit of tokens ended what a server wrote
};
inline constexpr std::size_t drop_reasons =
    static_cast<std::size_t>(drop_reason::cut_instruction) + 1;
/// "bad_record" and so on; "kept" for none.
std::string_view name_of(drop_reason reason);

/// What is preferred among several: of a cluster of duplicates, and of a task.
enum class pick_rule : std::uint8_t { all, first, shortest, fastest, likeliest };

enum class duplicate_search : std::uint8_t { none, exact, near };

struct curation_options {
    record_options wanted;  ///< response, prompt and members are read in any case
    int threads = 0;
    bool skip_errors = false;
    bool are_candidates = false;  ///< a task and sample stand for one record, and no more
    bool prompts_later = false;   ///< records may lack a prompt: replace() gives it
    std::uint64_t shard_index = 0, shard_count = 1;

    // Checks of a record by itself; a limit of 0 is none.
    std::uint64_t least_bytes = 0, most_bytes = 0;  ///< of the response
    bool needs_code = false;                        ///< a program must be found
    std::string language;                           ///< "cuda" or "hip"; empty: any
    std::uint64_t least_kernels = 0;
    double most_comments = 1;           ///< share, 0 to 1
    std::vector<std::string> licenses;  ///< the allowed ones; empty: any
    /// Records have their licence as a member "license", as source_files makes them; else it is
    /// that of the program's comments.
    bool have_licenses = false;
    bool no_secrets = false, no_own_paths = false;
    const benchmark_index* benchmarks = nullptr;  ///< null: none

    // Reasoning.
    const tokenizer* words = nullptr;  ///< null: thoughts are not measured
    std::string thought_field;         ///< the member with the reasoning; empty: <think>
    std::uint64_t most_thought = 0;    ///< tokens

    // Duplicates.
    duplicate_search duplicates = duplicate_search::near;
    ignored_parts ignored;
    double similar = 0.8;
    std::size_t shingle = 5;

    // Choice.
    pick_rule pick = pick_rule::all;
    std::uint64_t most = 0;  ///< of a task; 0: one, or all with pick_rule::all
    bool concise = false;    ///< --preset concur; see choose()
    double speed_up = 0;     ///< with `concise`: what is faster is kept too; 0: nothing is
    bool difficulty = false;
    std::uint64_t rivals = 0;  ///< failed answers beside each kept one, as preferences; 0: none

    bool describe = false;  ///< count what a data card tells
};

/// A line on its way through a curation.
struct curation_line {
    std::string text;  ///< with line_padding bytes behind it, which do not count in `size`
    std::size_t size = 0;
    std::string place;  ///< "FILE:LINE: "
    std::string_view view() const { return {text.data(), size}; }
};
/// Sets text and size.
void set_text(curation_line& l, std::string_view text);

/// What a maker knows of a pair beside its line.
struct made_pair {
    curation_line line;
    drop_reason reason = drop_reason::none;
    /// Members of the curate value, as JSON without its braces: "\"stage\":\"ran\"".
    std::string notes;
    std::optional<double> seconds;  ///< that its program ran
};
/// Makes pairs of a line of the input. A data error makes it a bad record.
using pair_maker = std::function<status(const curation_line&, std::vector<made_pair>&)>;

/// The result of compiling a pair's program: an empty reason if it compiles.
using program_compiler = std::function<result<std::string>(std::string_view program)>;

struct curation_counts {
    std::uint64_t read = 0, kept = 0, bad = 0;
    std::array<std::uint64_t, drop_reasons> dropped{};
    std::uint64_t verified = 0;     ///< pairs whose Jaccard index was computed
    std::uint64_t preferences = 0;  ///< lines written with curation_options::rivals
    // Of what is kept, if curation_options::describe says so.
    std::map<std::string, std::uint64_t> licenses, languages, families, sources, benchmarks;
    std::vector<std::uint32_t> sizes;  ///< bytes of the responses
    std::uint64_t kernels = 0;
};

/// The streams that a curation writes; null: none.
struct curation_outputs {
    output* kept = nullptr;
    output* rejects = nullptr;
};

class curation {
public:
    /// `make`: null if lines are pairs.
    curation(curation_options options, pair_maker make);
    ~curation();

    /// Reads all lines; `next` gives nothing at the end.
    status read(const std::function<result<std::optional<curation_line>>()>& next);
    /// Finds duplicates and chooses. `compile`: null, or what decides drop_reason::not_compiled.
    status decide(const program_compiler& compile);
    /// Calls `visit` with the number of each record that is kept, in order.
    status for_kept(const std::function<status(std::size_t)>& visit);
    /// The line of a record.
    status line_of(std::size_t record, std::string& line);
    /// Gives a kept record another line, whose prompt is screened against the benchmarks; or drops
    /// it.
    status replace(std::size_t record, const std::string& line);
    status drop(std::size_t record, drop_reason reason, const std::string& notes);
    /// Writes what is kept, with its curate member, and what is not. Either may be null, and the
    /// counts are made all the same.
    result<curation_counts> write(const curation_outputs& to);

private:
    struct state;
    std::unique_ptr<state> state_;
};

/// The table of what was dropped at which step, as lines of text.
std::vector<std::string> funnel_of(const curation_counts& counts);

}  // namespace cuset
