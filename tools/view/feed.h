// Scored texts from files: of one model, or the same pairs of two models.
#pragma once

#include <functional>

#include "cuset/stream/record_filter.h"
#include "cuset/view/scored_text.h"
#include "tool.h"

namespace cuset {

struct view_feed_options {
    stream_options stream;  ///< inputs, handling of bad lines, and the shard
    window_search_options window;
    role_set roles = {};  ///< those that are taken
    field_flags fields;
};

/// `untagged` counts records (of one model) without a tag, `without_roles` those without roles
/// while some are taken.
struct view_summary {
    stream_summary stream;
    std::uint64_t untagged = 0, without_roles = 0;
};

/// Receives each text, and whether the next one may take long to come.
using text_visitor = std::function<status(scored_text&& text, bool input_paused)>;

result<view_summary> for_texts(const view_feed_options& options, const text_visitor& visit);

/// The same for two inputs, matched by id. If several records have one id, the first ones match,
/// then the second ones, and so on. Pairs come in the order in which they are complete: that of the
/// files if both have the same order, and then few records wait. Records without a partner give a
/// warning; if none has a partner, that is a data error.
result<view_summary> for_compared_texts(const view_feed_options& options,
                                        const text_visitor& visit);

}  // namespace cuset
