// Scored texts for the tests of lib/view.
#pragma once

#include <random>
#include <string>

#include "cuset/view/scored_text.h"

namespace cuset::test {

/// A text whose tokens end where `ends` says; confidences come in the same order (or are 0.95).
inline scored_text text_of(std::string response, std::vector<std::uint64_t> ends,
                           std::vector<double> confidence = {}) {
    scored_text text;
    text.id = "t";
    text.response = std::move(response);
    confidence.resize(ends.size(), 0.95);
    text.token_end = std::move(ends);
    text.confidence = std::move(confidence);
    text.window = window_search().hardest(text.confidence, 256);
    return text;
}

/// A text with characters of all lengths, newlines and controls; tokens end anywhere.
inline scored_text random_text(std::mt19937& random) {
    constexpr std::string_view characters[] = {
        "a",     "}", " ",  "\t", "\n",     "\r",     "\x1b",   std::string_view("\0", 1),
        "\x7f",  "é", "漢", "😀",  "\u200d", "\u202e", "\u0301", "\u009b",
        "\u2028"};
    std::string response;
    for (std::size_t left = random() % 60; left > 0; --left)
        response += characters[random() % std::size(characters)];
    std::vector<std::uint64_t> ends;
    std::uint64_t end = 0;
    for (std::size_t left = random() % 40; left > 0; --left) {
        end = std::min<std::uint64_t>(response.size(), end + random() % 5);
        ends.push_back(end);
    }
    std::vector<double> confidence(ends.size());
    for (double& c : confidence) c = static_cast<double>(random() % 1000) / 999;
    return text_of(std::move(response), std::move(ends), std::move(confidence));
}

}  // namespace cuset::test
