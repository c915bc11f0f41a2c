// The table of what fits in cuset-train(1).
#include "cuset/train/memory_estimate.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace cuset;

namespace {

struct row {
    std::int64_t hidden, layers, heads, kv_heads, intermediate, vocab;
    std::array<int, 4> gigabytes;  ///< on 1, 2, 4 and 8 cards
};

/// LoRA of rank 8 on all linear layers, the base in bfloat16, --recompute and 4,096 tokens.
double bytes_of(const row& model, double cards) {
    training_memory memory;
    memory.half = true;
    model_config& c = memory.config;
    c.hidden = model.hidden;
    c.layers = model.layers;
    c.heads = model.heads;
    c.kv_heads = model.kv_heads;
    c.head_dim = 128;
    c.intermediate = model.intermediate;
    c.qk_norm = false;
    const auto d = [](std::int64_t n) { return static_cast<double>(n); };
    const double queries = d(c.heads * c.head_dim), keys = d(c.kv_heads * c.head_dim);
    const double hidden = d(c.hidden), inner = d(c.intermediate), layers = d(c.layers);
    const double layer = 2 * (2 * hidden * queries + 2 * hidden * keys + 3 * hidden * inner);
    const double sides = 2 * (hidden + queries) + 2 * (hidden + keys) + 3 * (hidden + inner);
    memory.trained = 4 * 8 * sides * layers;
    memory.weights = 2 * 2 * d(model.vocab) * hidden + layers * layer / cards;
    if (cards > 1) memory.weights += 2 * layer;
    return estimated_bytes(memory, 4096, true);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_table_of_what_fits) {
    const row models[] = {{3584, 28, 28, 4, 18944, 152064, {19, 13, 10, 8}},     // Qwen2.5-7B
                          {5120, 48, 40, 8, 13824, 152064, {35, 22, 16, 13}},    // Qwen2.5-14B
                          {5120, 64, 40, 8, 27648, 152064, {72, 43, 28, 20}},    // Qwen2.5-32B
                          {8192, 80, 64, 8, 28672, 128256, {152, 87, 52, 35}}};  // Llama-3.1-70B
    for (const row& model : models)
        for (std::size_t i = 0; i < model.gigabytes.size(); ++i)
            BOOST_TEST(std::ceil(bytes_of(model, 1 << i) / 1e9) == model.gigabytes[i],
                       model.hidden << ", cards " << (1 << i));
}
