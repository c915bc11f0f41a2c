// Which parts of a text are code, and in what language.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "cuset/syntax/tagger.h"
#include "languages.h"

namespace cuset::syntax {

/// A part of the text that is code.
struct region {
    std::size_t begin, end;
    host_language language;
    bool is_closed = true;       ///< false for a fence that the text ends in
    bool is_whole_text = false;  ///< there are no fences
};

/// The regions of code, in order.
///
/// Automatic: with fences, the regions are their contents (if language_of_fence knows a language
/// for them). If the first fence is bare and a line of code begins the text, the text before it is
/// a region too (the answer to a prompt that ended in an opening fence). Without fences, the region
/// is the whole text. A line inside a comment or string of the code around it opens no fence: see
/// enclosures.h. A fence called markdown or md is read as Markdown.
std::vector<region> find_regions(std::string_view text, source_language lang);

}  // namespace cuset::syntax
