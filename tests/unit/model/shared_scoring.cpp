// Work that process 0 hands to the others, with an exchange that only counts.
#include "shared_scoring.h"

#include <boost/test/unit_test.hpp>
#include <new>
#include <span>
#include <vector>

namespace cuset {

namespace {

struct counting_exchange final : layer_exchange {
    std::vector<std::vector<double>> sums;
    status begin(const at::Tensor&, const at::Tensor&) override { return {}; }
    status finish() override { return {}; }
    status sum(std::span<double> values) override {
        sums.emplace_back(values.begin(), values.end());
        return {};
    }
};

struct constant_pass final : forward_pass {
    bool fails = false;
    void run(const packed_batch&, std::span<float> log_probability) override {
        if (fails) throw std::bad_alloc();
        for (float& value : log_probability) value = -1.5F;
    }
};

std::vector<packed_batch> passes() { return {{{1, 2, 3}, {{0, 1, 3}}, {3, 4}}}; }

}  // namespace

BOOST_AUTO_TEST_CASE(work_and_its_end_are_handed_on) {
    counting_exchange exchange;
    {
        constant_pass pass;
        shared_scoring scoring(pass, nullptr, exchange, {0, 2});
        std::vector<std::vector<float>> found;
        scoring.run(passes(), found);
        BOOST_TEST((found == std::vector<std::vector<float>>{{-1.5F, -1.5F}}));
    }
    // The length, the passes (one; of one sample, three tokens, two targets), what was found, the
    // end.
    const std::vector<std::vector<double>> wanted = {
        {12}, {1, 1, 3, 2, 0, 1, 3, 1, 2, 3, 3, 4}, {-1.5, -1.5}, {0}};
    BOOST_TEST((exchange.sums == wanted));
}

// Others may still be in a pass: to hand the end on would wait for them, and they for this process.
BOOST_AUTO_TEST_CASE(after_a_failed_pass_nothing_is_handed_on) {
    counting_exchange exchange;
    {
        constant_pass pass;
        pass.fails = true;
        shared_scoring scoring(pass, nullptr, exchange, {0, 2});
        std::vector<std::vector<float>> found;
        BOOST_CHECK_THROW(scoring.run(passes(), found), std::bad_alloc);
    }
    BOOST_TEST(exchange.sums.size() == 2u);
}

}  // namespace cuset
