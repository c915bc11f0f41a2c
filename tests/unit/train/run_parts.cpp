// The parts of a run besides its steps: settings, held-out pairs, the drawing.
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "cuset/train/data_set.h"
#include "cuset/train/loss_curve.h"
#include "cuset/train/run_settings.h"

using namespace cuset;

namespace {

data_set numbered(std::size_t count) {
    data_set data;
    for (std::size_t i = 0; i < count; ++i)
        data.pairs.push_back({std::to_string(i), {1, 2}, 1, {}});
    return data;
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; ++at) ++count;
    return count;
}

}  // namespace

BOOST_AUTO_TEST_CASE(only_settings_that_decide_are_compared) {
    const std::vector<named_setting> settings = {
        {"lr", "0.0001"}, {"objective", "\"sft\""}, {"threads", "2", false}};
    const auto differing = [&](const char* there) { return differences(settings, there).value(); };
    std::string own;
    json_writer json(own);
    write_settings(settings, true, json);
    BOOST_TEST(differing(own.c_str()) == "");
    // Numbers compare by their printed form, whatever text is around them.
    BOOST_TEST(differing(R"({ "objective" : "sft" , "lr":1e-4, "threads": 8})") == "");
    BOOST_TEST(differing(R"({"lr":0.001,"objective":"sft"})") == "lr 0.0001 (there 0.001)");
    BOOST_TEST(differing(R"({"objective":"dft"})") ==
               "lr 0.0001 (there nothing), objective \"sft\" (there \"dft\")");
    BOOST_TEST(differing(R"({"lr":1e-4,"objective":"sft","patience":2})") ==
               "patience nothing (there 2)");
    BOOST_TEST(!differences(settings, "[1]").is_ok());
    BOOST_TEST(!differences(settings, "").is_ok());
}

BOOST_AUTO_TEST_CASE(held_out_pairs_are_taken_by_the_seed) {
    for (const double size : {0.2, 3.0}) {
        data_set data = numbered(15);
        const data_set held_out = hold_out(data, size, 7);
        BOOST_TEST(held_out.pairs.size() == 3u);
        BOOST_TEST(data.pairs.size() == 12u);
        data_set again = numbered(15);
        BOOST_TEST(hold_out(again, size, 7).pairs[0].id == held_out.pairs[0].id);
        for (const auto& pair : held_out.pairs)
            for (const auto& kept : data.pairs) BOOST_TEST(pair.id != kept.id);
    }
    data_set few = numbered(2);
    BOOST_TEST(hold_out(few, 10, 1).pairs.size() == 1u);  // one pair is left for training
    data_set one = numbered(1);
    BOOST_TEST(hold_out(one, 0.5, 1).pairs.empty());
}

BOOST_AUTO_TEST_CASE(a_drawing_holds_every_finite_point) {
    const std::vector<loss_point> steps = {{1, 2.5}, {2, NAN}, {3, 1.5}}, evaluations = {{3, 1.7}};
    const std::string svg = loss_curve_svg({steps, {}, evaluations}, "a < b & c");
    BOOST_TEST(count_of(svg, "<circle") == 1u);
    BOOST_TEST(count_of(svg, "<polyline") == 3u);
    BOOST_TEST(count_of(svg, "nan") == 0u);
    BOOST_TEST(count_of(svg, "a &lt; b &amp; c") == 1u);
    // No point, one point, and losses that are all the same.
    for (const std::size_t count : {0u, 1u, 5u}) {
        const std::string drawn =
            loss_curve_svg({std::vector<loss_point>(count, {4, 2}), {}, {}}, "");
        BOOST_TEST(count_of(drawn, "nan") + count_of(drawn, "inf") == 0u);
        BOOST_TEST(count_of(drawn, "</svg>") == 1u);
    }
    // A weighted loss and a mean -log p have names of their own.
    const std::string both = loss_curve_svg({steps, {{1, 3}, {2, 2.5}}, evaluations}, "cuset");
    BOOST_TEST(count_of(both, "<polyline") == 4u);
    BOOST_TEST(count_of(both, "grey: mean -log p, red: mean -log p of held-out samples") == 1u);
}
