// What a curation knows of its records. Private to lib/curate.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "cuset/curate/curation.h"
#include "cuset/curate/near_duplicates.h"
#include "cuset/curate/spool.h"

namespace cuset {

inline constexpr std::uint32_t no_number = UINT32_MAX;

/// A record that was read, without its texts.
struct curated_entry {
    std::uint64_t offset = 0, bytes = 0;     ///< of its stored_record in the spool
    std::uint64_t id_hash = 0;               ///< what --shard takes
    std::array<std::uint64_t, 2> program{};  ///< a hash of the normalised program
    double rank = 0;                         ///< less is better
    double seconds = -1, speed_up = -1;      ///< below 0: not known
    double difficulty = -1;
    std::uint32_t task = no_number, sample = 0;
    std::uint32_t thought = no_number;  ///< tokens
    std::uint32_t of = no_number;       ///< the record that is kept instead
    std::uint32_t others = 0;           ///< duplicates that it stands for
    std::uint32_t choices = 0;          ///< of its task, from which it was picked
    drop_reason reason = drop_reason::none;
    bool is_mine = true;       ///< of this shard
    bool has_license = false;  ///< it names one (where duplicates are compared by tokens)
    bool is_concise = false;   ///< kept for its short reasoning (curation_options::concise)
};

/// The bytes [begin, end) of a line that its curate value replaces, so that a line is parsed once.
/// Lines are shorter than 4 GiB.
struct value_place {
    std::uint32_t begin = 0, end = 0;
    bool is_new = true;       ///< the key is put in front of the value
    bool needs_comma = true;  ///< and a comma in front of the key
};

/// What the spool has of a record. Views point into `bytes`.
struct stored_record {
    std::string bytes;
    std::string_view notes, id;
    std::string_view line;  ///< with line_padding readable bytes behind it
    value_place place;
};

/// What a worker finds out about one record.
struct examined_record {
    curated_entry entry;
    value_place place;
    std::string id, task, notes, line;
    std::uint32_t turn = 1;  ///< of a candidate
    std::vector<std::uint64_t> bands;
};

/// Examines pairs. Keeps its buffers; one for each thread.
class record_examiner {
public:
    explicit record_examiner(const curation_options& options);

    /// Takes the line out of the pair. A data error: the line is no pair, and stays where it is.
    status examine(made_pair& pair, examined_record& found);

    // Lines have line_padding readable bytes behind them.
    /// The elements by which a stored line is compared with others.
    status elements_of(std::string_view line, std::vector<std::uint64_t>& out);
    /// The program of a stored line; empty if it has none.
    result<std::string> program_of(std::string_view line);
    /// What a stored line shares with a benchmark, as notes; empty if it shares nothing.
    result<std::string> shared_with_benchmarks(std::string_view line);

    const pair_record& record() const { return record_; }
    status read(std::string_view line);
    /// Where the record that was read last takes its value.
    value_place place() const;

private:
    void check(examined_record& found);
    drop_reason first_reason(examined_record& found);
    status measure(const made_pair& pair, examined_record& found);
    std::string prompt() const;
    std::vector<std::string_view> texts() const;  // the response, and every turn before it
    bool find_shared(std::string& notes);
    void read_program(std::string_view program);

    const curation_options& options_;
    record_reader reader_;
    pair_record record_;
    bool needs_tokens_;  // beside the normalised text
    code_tokens code_;
    code_tokens plain_code_;  // for benchmarks, where literals count
    std::string_view program_;
    std::string normalised_;
    std::vector<std::uint64_t> shingles_;
    std::vector<std::uint32_t> minima_;
    band_plan plan_;
    std::shared_ptr<benchmark_index::searcher> searcher_;
};

/// The program in a response, or all of it where none is found.
std::string_view program_in(std::string_view response, bool& found);

/// Chooses among the records that no reason drops: one of each cluster, then of each task.
void choose(const curation_options& options, std::vector<curated_entry>& entries,
            disjoint_sets& clusters);

/// The member's value as text (strings and numbers); nothing if there is none.
/// The licence of a record's program, by the options.
std::string license_of(const pair_record& record, const code_tokens& program,
                       const curation_options& options);

std::optional<std::string> member_text(const pair_record& record, std::string_view key);

/// The text with U+FFFD for what is no UTF-8, so that it can be a JSON string.
std::string as_utf8(std::string_view text);

/// All that a curation has, in four files: curation.cpp reads and decides, curation_records.cpp
/// keeps records, preferences.cpp sets failed answers against kept ones, and curation_output.cpp
/// writes.
struct curation::state {
    curation_options options;
    pair_maker make;
    std::vector<curated_entry> entries;
    std::optional<spool> texts;
    std::optional<band_file> bands;
    std::vector<std::string> tasks;
    std::unordered_map<std::string, std::uint32_t> task_numbers;
    std::unordered_set<std::uint64_t> seen;  // candidates: task, sample and turn
    /// A failed answer, and how many tokens its program is from the kept one's.
    struct rival {
        std::uint32_t record = 0;
        std::size_t distance = 0;
    };
    std::unordered_map<std::size_t, std::vector<rival>>
        rivals;  // of a kept record, the nearest first
    std::uint64_t verified = 0;

    struct job {
        std::vector<curation_line> lines;
        std::vector<examined_record> found;
        status error;
    };
    void work(job& j, record_examiner& with) const;
    status examine(curation_line& l, record_examiner& with,
                   std::vector<examined_record>& found) const;
    void set_bad(const curation_line& l, const status& why, examined_record& found) const;
    status end(job& j);
    status store(examined_record& found);
    status put(std::size_t record, std::string_view notes, std::string_view id,
               std::string_view line, const value_place& place);
    status get(std::size_t record, stored_record& stored);
    bool is_mine(std::uint64_t hash) const {
        return hash % options.shard_count == options.shard_index;
    }
    void set_shards(disjoint_sets clusters_of);
    status compile(const program_compiler& compiler);
    status drop(std::size_t record, drop_reason reason, const std::string& more);
    void append_value(std::size_t record, std::string_view notes, std::string& out);
    status note_similarity(std::string_view line, std::uint32_t kept, record_examiner& examiner,
                           std::string& notes);
    status find_rivals();
    status write_preferences(std::size_t record, record_examiner& with, output& to,
                             curation_counts& counts);
    void count(const pair_record& record, curation_counts& counts) const;
};

}  // namespace cuset
