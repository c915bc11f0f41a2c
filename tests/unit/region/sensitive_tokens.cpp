#include "cuset/region/sensitive_tokens.h"

#include <boost/test/unit_test.hpp>
#include <random>

using namespace cuset;

namespace {

// By the definition, byte by byte.
std::vector<bool> direct(const std::vector<std::size_t>& ends, const std::vector<byte_span>& spans) {
    std::vector<bool> sensitive;
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
        bool is = false;
        for (std::size_t byte = begin; byte < end; ++byte)
            for (const byte_span& span : spans) is = is || (byte >= span.begin && byte < span.end);
        sensitive.push_back(is);
        begin = end;
    }
    return sensitive;
}

}  // namespace

BOOST_AUTO_TEST_CASE(sensitive_tokens_by_hand) {
    using flags = std::vector<bool>;
    const std::vector<std::size_t> ends{3, 5, 5, 9, 9};  // two tokens without bytes
    const auto of = [&](std::vector<byte_span> spans) { return sensitive_tokens(ends, spans); };
    BOOST_TEST((of({}) == flags{false, false, false, false, false}));
    BOOST_TEST((of({{2, 4}}) == flags{true, true, false, false, false}));
    BOOST_TEST((of({{3, 5}}) == flags{false, true, false, false, false}));
    BOOST_TEST((of({{8, 9}, {0, 1}}) == flags{true, false, false, true, false}));
    BOOST_TEST((of({{4, 4}}) == flags{false, false, false, false, false}));
    BOOST_TEST((of({{9, 20}}) == flags{false, false, false, false, false}));
    BOOST_TEST(sensitive_tokens({}, std::vector<byte_span>{{0, 9}}).empty());
}

BOOST_AUTO_TEST_CASE(sensitive_tokens_at_random) {
    std::mt19937 random(4);
    for (int round = 0; round < 500; ++round) {
        std::vector<std::size_t> ends(random() % 30);
        std::size_t end = 0;
        for (auto& e : ends) e = end += random() % 4;
        std::vector<byte_span> spans(random() % 4);
        for (auto& span : spans) {
            span.begin = random() % (end + 2);
            span.end = span.begin + random() % 9;
        }
        BOOST_TEST((sensitive_tokens(ends, spans) == direct(ends, spans)));
    }
}
