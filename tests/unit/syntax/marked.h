// Texts with the expected spans marked in them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/syntax/tagger.h"

namespace cuset_test {

/// `@k:name[…@]` marks a kernel span, `@l:name[…@]` a launch; they nest. The text is the rest,
/// without the marks.
struct marked {
    std::string text;
    std::vector<cuset::code_span> spans;  // sorted as tagging::spans is
};
marked parse_marks(std::string_view source);

std::string show(const std::vector<cuset::code_span>& spans, std::string_view text);

/// Tags the text of `source` and checks that the spans are those marked in it.
void check(std::string_view source, cuset::tag_options options = {});

}  // namespace cuset_test
