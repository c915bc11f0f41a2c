// The CPU versions on the cases that the GPU versions run too (tests/kernels).
#include <boost/test/unit_test.hpp>
#include <cstdlib>

#include "../../kernels/adamw_cases.h"
#include "../../kernels/code_rows_cases.h"
#include "../../kernels/dropout_cases.h"
#include "../../kernels/region_cases.h"
#include "../../kernels/token_loss_cases.h"
#include "cuset/kernels/decoder_rows.h"

namespace {

using namespace kernel_cases;

class cpu : public machine {
public:
    ~cpu() override { clear(); }
    void* in(const void* from, std::size_t bytes) override {
        void* const to = std::aligned_alloc(256, (bytes + 256) / 256 * 256);
        if (bytes > 0) std::memcpy(to, from, bytes);
        copies_.push_back(to);
        return to;
    }
    void out(void* to, const void* from, std::size_t bytes) override {
        if (bytes > 0) std::memcpy(to, from, bytes);
    }
    void clear() override {
        for (void* const copy : copies_) std::free(copy);
        copies_.clear();
    }
    device_error run(const token_loss_rows& rows) override {
        if (!is_valid(rows)) return 1;
        token_loss(rows);
        return 0;
    }
    device_error run(const region_settings& settings, const region_batch& batch) override {
        regions(settings, batch);
        return 0;
    }
    /// In parts, as threads would share them.
    device_error run(const adamw_step& step) override {
        adamw_squares(step, 700, adamw_partials);
        adamw_squares(step, 0, 700);
        adamw_norm(step);
        adamw_update(step, step.chunks / 2, step.chunks);
        adamw_update(step, 0, step.chunks / 2);
        return 0;
    }
    device_error run(const dropout_rows& rows) override {
        dropout(rows, rows.rows / 3, rows.rows);
        dropout(rows, 0, rows.rows / 3);
        return 0;
    }

    /// In parts that begin and end anywhere.
    device_error run(const code_rows& matrix, void* to, value_type type) override {
        std::vector<float> all(matrix.elements);
        const std::size_t middle = matrix.elements * 3 / 7;
        dequantise(matrix, middle, matrix.elements - middle, all.data() + middle);
        dequantise(matrix, 0, middle, all.data());
        if (type == value_type::float32)
            std::copy(all.begin(), all.end(), static_cast<float*>(to));
        else
            narrow(all.data(), all.size(), static_cast<bfloat16_bits*>(to));
        return 0;
    }

private:
    std::vector<void*> copies_;
};

template <class Cases>
void run(Cases cases, std::size_t least_cases) {
    cpu on;
    findings found;
    cases(on, extent::full, found);
    BOOST_TEST(found.wrong() == 0U, found.text());
    BOOST_TEST(found.cases() >= least_cases);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(shared_cases)
BOOST_AUTO_TEST_CASE(token_loss_rows) { run(token_loss_cases, 200); }
BOOST_AUTO_TEST_CASE(regions_of_samples) { run(region_cases, 80); }
BOOST_AUTO_TEST_CASE(adamw_steps) { run(adamw_cases, 10); }
BOOST_AUTO_TEST_CASE(dropout_of_rows) { run(dropout_cases, 70); }
BOOST_AUTO_TEST_CASE(elements_of_rows_of_codes) { run(code_rows_cases, 50); }

BOOST_AUTO_TEST_CASE(rows_that_no_kernel_takes) {
    float x[8]{};
    std::int32_t target = 0;
    kernel_cases::token_loss_rows good;
    good.logits = good.gradient = x;
    good.rows = 1;
    good.vocabulary = good.stride = good.gradient_stride = 4;
    good.targets = &target;
    good.log_probability = x + 7;
    BOOST_TEST(is_valid(good));
    const auto refused = [&](auto change) {
        auto rows = good;
        change(rows);
        return !is_valid(rows);
    };
    BOOST_TEST(refused([](auto& r) { r.stride = 3; }));
    BOOST_TEST(refused([](auto& r) { r.gradient_stride = 3; }));
    BOOST_TEST(refused([](auto& r) { r.gradient_stride = 5; }));  // in place, other stride
    BOOST_TEST(refused([](auto& r) { r.gradient_type = logit_type::bfloat16; }));
    BOOST_TEST(refused([](auto& r) { r.type = logit_type::bfloat16; }));
    BOOST_TEST(refused([](auto& r) { r.vocabulary = r.stride = r.gradient_stride = 0; }));
    BOOST_TEST(refused([](auto& r) { r.targets = nullptr; }));
    BOOST_TEST(refused([](auto& r) { r.log_probability = nullptr; }));
}
BOOST_AUTO_TEST_SUITE_END()
