// Candidates as records, and the file of candidates from which an interrupted run continues.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/stream/line_log.h"

namespace cuset {

/// The tokens of an answer as cuset-score writes them.
struct candidate_score {
    std::vector<std::size_t>
        ends;  ///< where each token's bytes end in the response, as it was given
    std::span<const std::int32_t> ids;
    std::span<const float> log_probabilities;
    /// What the tokens were drawn with; the probabilities are of temperature 1 in any case.
    double temperature = 1, top_p = 1;
    std::uint64_t top_k = 0;
};

/// A turn in which an answer was mended.
struct candidate_turn {
    std::size_t number = 2;    ///< from 1
    std::string parent;        ///< the key of the answer that it mends, or what stands for it
    std::string conversation;  ///< what was asked, as a JSON array of {"role","content"}
};

struct sampled_candidate {
    std::string task;
    std::uint64_t sample = 0;
    std::string_view response;            ///< any bytes: invalid UTF-8 becomes U+FFFD
    std::optional<std::uint64_t> tokens;  ///< the end marker included
    std::string finish;                   ///< "stop" or "length", or what a server said
    std::string model;
    std::uint64_t key = 0;  ///< stands for all that the answer depends on
    std::optional<candidate_score> score{};
    std::optional<candidate_turn> turn{};
    std::string_view thought{};  ///< what a server says that the model thought; any bytes
};

/// {"task":16,"sample":0,"response":"…","tokens":743,"finish":"stop","model":"…","key":"…"} and a
/// newline. A thought that is not empty is "thought":"…" behind the response, a turn "turn":2,
/// "parent":"…" and "messages":[…] behind the key. A task id that is an integer is written
/// as one. A score is the last member, as cuset-score writes it ("model", "end", "id",
/// "confidence"); the ends are those in the text as it is written: a token whose bytes became part
/// of a U+FFFD ends with it.
std::string to_line(const sampled_candidate& c);

class candidate_log {
public:
    /// Errors are those of line_log::open, and a data error for a line without task, sample and
    /// key.
    static result<candidate_log> open(const std::string& path);

    /// The line of a candidate, newline included; null if there is none. A usage error if it was
    /// made with another key, or if it `needs_score` and has none.
    result<const std::string*> find(const std::string& task, std::uint64_t sample,
                                    std::uint64_t key, bool needs_score = false) const;

    status append(std::string_view line) { return file_.append(line); }
    status sync() { return file_.sync(); }

private:
    struct entry {
        std::string line, key;
        bool has_score = false;
    };
    candidate_log(line_log file, std::unordered_map<std::string, entry> made, std::string path)
        : file_(std::move(file)), made_(std::move(made)), path_(std::move(path)) {}

    line_log file_;
    std::unordered_map<std::string, entry> made_;
    std::string path_;
};

/// Puts lines into the order of their numbers, which start at 0 and have no gap.
class line_order {
public:
    /// Appends to `ready` the lines whose turn has come.
    void add(std::size_t number, std::string line, std::string& ready);

private:
    std::size_t next_ = 0;
    std::unordered_map<std::size_t, std::string> waiting_;
};

}  // namespace cuset
