// Scored texts out of files: of one model, or the same pairs of two.
#pragma once

#include <functional>

#include "cuset/stream/record_filter.h"
#include "cuset/view/scored_text.h"

namespace cuset {

struct view_feed_options {
    stream_options stream;
    std::size_t window_size = 0;  ///< see take_scored_text()
    std::string prompt_field, response_field;
};

/// `untagged` counts records (of one model) without a tag.
struct view_summary {
    stream_summary stream;
    std::uint64_t untagged = 0;
};

/// Gets each text, and whether the next one may be long in coming.
using text_visitor = std::function<status(scored_text&& text, bool input_paused)>;

result<view_summary> for_texts(const view_feed_options& options, const text_visitor& visit);

/// The same of two inputs, matched by id; of several records of one id, the first with the first.
/// In the order in which pairs are complete: that of the files where they have one order, and then
/// few wait. Records without a partner are told as a warning; none with one is a data error.
result<view_summary> for_compared_texts(const view_feed_options& options,
                                        const text_visitor& visit);

}  // namespace cuset
