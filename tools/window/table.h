// The rows of cuset-window's table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/region/window.h"
#include "cuset/stream/pair_record.h"

namespace cuset {

inline constexpr std::string_view table_heading = "min\tweight\tid\tlines\tspan\tcode\n";

struct table_options {
    std::size_t size = 256;  ///< tokens of a window
    window_ends ends = window_ends::full;
    bool within_kernels = false;  ///< a row for each kernel: the hardest window of its own tokens
    bool drops_comments = false;  ///< windows as if the response had no comments
};

struct table_row {
    double mean = 1;   ///< of the window
    std::string text;  ///< with its newline
};

/// A record with a score has one row, or one for each of its kernels. The score's ends lie in the
/// response. A data error if comments are dropped and the record has no roles.
result<std::vector<table_row>> rows_of(const pair_record& record, const table_options& options,
                                       window_search& search);

/// The rows with the least means, whatever thread they come from.
class hardest_rows {
public:
    explicit hardest_rows(std::size_t most) : most_(most) {}

    /// `record` and `place`, its row's, decide between equal means.
    void add(table_row row, const pair_record& record, std::size_t place);

    /// The rows in order, the least mean first; of equal means, in the input's order.
    std::string take();

private:
    struct kept_row {
        table_row row;
        std::size_t source;
        std::uint64_t number;
        std::size_t place;
    };
    static bool is_harder(const kept_row& a, const kept_row& b);

    std::mutex mutex_;
    std::size_t most_;
    std::vector<kept_row> rows_;  // a heap whose front is the first to go
};

}  // namespace cuset
