// Scored responses as one HTML page that loads nothing else: page_begin(), any number of samples,
// page_end().
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cuset/view/scored_text.h"

namespace cuset {

struct page_settings {
    std::size_t smoothing = 16;       ///< each value of the curve is the mean of as many tokens
    std::vector<std::string> models;  ///< names of the two that are compared; else empty
    role_set roles = {};              ///< those that the page's filter offers
};

/// Everything before the samples: the page's style and frame.
std::string page_begin(const page_settings& settings);

/// Appends a sample as two blocks of JSON, which the page draws when the sample is opened. No text
/// of the record can end its block: every `<` is written as an escape. The lines outside
/// shown_lines(text, context) are folded.
void append_sample(const scored_text& text, std::optional<std::size_t> context, std::string& out);

/// Everything after the samples: the script.
std::string_view page_end();

}  // namespace cuset
