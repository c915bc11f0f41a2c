#include "cuset/model/cached_decoder.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <optional>
#include <random>

#include "cuset/kernels/packed_products.h"
#include "random_model.h"

using namespace cuset;

namespace {

constexpr std::size_t vocab = random_model::vocab;

cached_decoder loaded(const std::filesystem::path& folder, model_options options = {},
                      std::size_t sequences = 8, std::size_t max_tokens = 400) {
    options.device = "cpu";
    auto decoder = cached_decoder::load(folder, options, sequences, max_tokens);
    BOOST_REQUIRE_MESSAGE(decoder.is_ok(), decoder.error().message());
    return std::move(*decoder);
}

/// The logits after each input.
std::vector<std::vector<float>> appended(cached_decoder& decoder,
                                         const std::vector<decoder_input>& inputs) {
    std::vector<float> logits(inputs.size() * vocab);
    const auto error = decoder.append(inputs, logits);
    BOOST_REQUIRE_MESSAGE(error.is_ok(), error.message());
    std::vector<std::vector<float>> rows;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const float* row = logits.data() + i * vocab;
        rows.emplace_back(row, row + vocab);
    }
    return rows;
}

std::vector<float> appended(cached_decoder& decoder, std::size_t sequence,
                            std::span<const std::int32_t> tokens) {
    return appended(decoder, {{sequence, tokens}}).front();
}

double log_probability(const std::vector<float>& logits, std::int32_t token) {
    double sum = 0;
    for (const float logit : logits) sum += std::exp(double{logit});
    return double{logits[static_cast<std::size_t>(token)]} - std::log(sum);
}

/// The log-probability of every token of a text but the first, as causal_lm scores it.
std::vector<float> recomputed(const std::filesystem::path& folder, model_options options,
                              const std::vector<std::int32_t>& tokens) {
    options.device = "cpu";
    auto model = causal_lm::load(folder, options);
    BOOST_REQUIRE_MESSAGE(model.is_ok(), model.error().message());
    const scoring_request request{tokens, 1};
    std::vector<scoring_reply> replies;
    BOOST_REQUIRE(model->log_probabilities({&request, 1}, replies).is_ok());
    return replies.front().log_probability;
}

double worst_difference(const std::vector<float>& a, const std::vector<float>& b) {
    BOOST_REQUIRE(a.size() == b.size());
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        BOOST_REQUIRE(std::isfinite(a[i]));
        worst = std::max(worst, std::abs(double{a[i]} - double{b[i]}));
    }
    return worst;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// Logits after every token from `prompt` on, the first `prompt` in one call.
std::vector<std::vector<float>> token_by_token(cached_decoder& decoder, std::size_t sequence,
                                               std::span<const std::int32_t> tokens,
                                               std::size_t prompt) {
    std::vector<std::vector<float>> rows{appended(decoder, sequence, tokens.first(prompt))};
    for (std::size_t i = prompt; i < tokens.size(); ++i) {
        rows.push_back(appended(decoder, sequence, tokens.subspan(i, 1)));
    }
    return rows;
}

constexpr forward_path both_paths[] = {forward_path::automatic, forward_path::operators};

}  // namespace

BOOST_AUTO_TEST_CASE(appending_token_by_token_is_recomputing) {
    const auto tokens = random_tokens(300, 3);  // three blocks of the cache
    for (const char* type : {"llama", "qwen2", "qwen3"}) {
        for (const bool adapted : {false, true}) {
            BOOST_TEST_CONTEXT(type << (adapted ? " with an adapter" : "")) {
                const temporary_folder folder;
                random_model model(folder.path(), type);
                model.write();
                model_options options{.dtype = compute_type::f32};
                if (adapted) {
                    options.adapter = folder.path() / "adapter";
                    model.write_adapter(*options.adapter);
                }
                const auto expected = recomputed(folder.path(), options, tokens);
                for (const auto path : both_paths) {
                    options.path = path;
                    auto decoder = loaded(folder.path(), options);
                    double worst = 0;
                    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
                        const auto logits = appended(decoder, 2, std::span(tokens).subspan(i, 1));
                        worst = std::max(worst, std::abs(log_probability(logits, tokens[i + 1]) -
                                                         double{expected[i]}));
                    }
                    BOOST_TEST(worst < 1e-4);
                    BOOST_TEST(decoder.length(2) == tokens.size() - 1);
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(rounded_weights) {
    const temporary_folder folder;
    random_model(folder.path()).write();
    const auto tokens = random_tokens(150, 4);
    const model_options options{.dtype = compute_type::bf16, .path = forward_path::float_products};
    const auto expected = recomputed(folder.path(), options, tokens);
    const auto exact = recomputed(folder.path(), {.dtype = compute_type::f32}, tokens);
    auto decoder = loaded(folder.path(), options);
    auto operators =
        loaded(folder.path(), {.dtype = compute_type::bf16, .path = forward_path::operators});
    std::optional<cached_decoder> rounding;
    if (kernels::has_bfloat16_products()) {
        rounding = loaded(folder.path(),
                          {.dtype = compute_type::bf16, .path = forward_path::bfloat16_products});
    }
    double worst = 0, other = 0, rounded = 0;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        const std::span token = std::span(tokens).subspan(i, 1);
        worst =
            std::max(worst, std::abs(log_probability(appended(decoder, 0, token), tokens[i + 1]) -
                                     double{expected[i]}));
        other =
            std::max(other, std::abs(log_probability(appended(operators, 0, token), tokens[i + 1]) -
                                     double{expected[i]}));
        if (!rounding) continue;
        rounded = std::max(rounded,
                           std::abs(log_probability(appended(*rounding, 0, token), tokens[i + 1]) -
                                    double{expected[i]}));
    }
    BOOST_TEST_MESSAGE("largest differences " << worst << ", " << other << ", " << rounded);
    BOOST_TEST(rounded < 0.5);                  // bfloat16 inputs of products, all else float
    BOOST_TEST((!rounding || rounded > 1e-4));  // they were rounded
    BOOST_TEST(worst < 1e-4);  // float activations and a float cache: only the weights are rounded
    BOOST_TEST(other < 1.0);   // bfloat16 activations
    BOOST_TEST(worst_difference(expected, exact) > 1e-3);
}

BOOST_AUTO_TEST_CASE(a_row_is_the_same_bit_for_bit_in_any_company) {
    for (const auto dtype : {compute_type::f32, compute_type::bf16}) {
        const temporary_folder folder;
        random_model model(folder.path(), "qwen3");
        model.write();
        model.write_adapter(folder.path() / "adapter");
        const model_options options{.dtype = dtype, .adapter = folder.path() / "adapter"};
        std::vector<std::vector<std::int32_t>> texts;
        for (unsigned i = 0; i < 8; ++i) texts.push_back(random_tokens(160, i));
        // Prompts of different lengths, and the rest in step.
        const auto prompt_of = [](std::size_t i) { return 7 + 17 * i; };
        std::vector<std::vector<std::vector<float>>> alone;
        auto one = options;
        one.threads = 1;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            auto decoder = loaded(folder.path(), one, 1);
            alone.push_back(token_by_token(decoder, 0, texts[i], prompt_of(i)));
        }
        for (const int threads : {1, 2, 3}) {
            auto several = options;
            several.threads = threads;
            auto decoder = loaded(folder.path(), several);
            std::vector<decoder_input> inputs;
            for (std::size_t i = 0; i < texts.size(); ++i) {
                inputs.push_back({7 - i, std::span(texts[i]).first(prompt_of(i))});
            }
            auto rows = appended(decoder, inputs);
            for (std::size_t i = 0; i < 8; ++i) BOOST_TEST(same_bits(rows[i], alone[i][0]));
            for (std::size_t step = 0; step < 20; ++step) {
                // One leaves after another; the order turns.
                inputs.clear();
                std::vector<std::size_t> which;
                for (std::size_t k = 0; k < 8 - step / 4; ++k) {
                    const std::size_t i = (k + step) % (8 - step / 4);
                    which.push_back(i);
                    inputs.push_back({7 - i, std::span(texts[i]).subspan(prompt_of(i) + step, 1)});
                }
                rows = appended(decoder, inputs);
                for (std::size_t k = 0; k < which.size(); ++k) {
                    BOOST_TEST(same_bits(rows[k], alone[which[k]][step + 1]));
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_prompt_may_be_cut_into_calls) {
    const temporary_folder folder;
    random_model(folder.path(), "qwen2").write();
    const auto tokens = random_tokens(390, 5);  // more than a pass takes
    for (const auto path : both_paths) {
        const model_options options{.dtype = compute_type::f32, .path = path};
        auto decoder = loaded(folder.path(), options);
        const auto whole = appended(decoder, 0, tokens);
        for (const std::size_t part : {1U, 13U, 128U, 389U}) {
            decoder.clear(1);
            std::vector<float> last;
            for (std::size_t done = 0; done < tokens.size(); done += part) {
                const std::size_t count = std::min(part, tokens.size() - done);
                last = appended(decoder, 1, std::span(tokens).subspan(done, count));
            }
            BOOST_TEST(worst_difference(last, whole) < 1e-4);
            if (path == forward_path::automatic) BOOST_TEST(same_bits(last, whole));
        }
        // Among others, in one call.
        const auto first = std::span(tokens).first(380), rest = std::span(tokens).subspan(380);
        appended(decoder, 2, first);
        const auto rows = appended(decoder, {{3, first}, {2, rest}, {4, first.first(200)}});
        BOOST_TEST(worst_difference(rows[1], whole) < 1e-4);
        if (path == forward_path::automatic) BOOST_TEST(same_bits(rows[1], whole));
    }
}

BOOST_AUTO_TEST_CASE(copies_go_their_own_ways) {
    const temporary_folder folder;
    random_model(folder.path()).write();
    for (const auto path : both_paths) {
        // A length that ends within a block of the cache, at its end, and none.
        for (const std::size_t length : {131U, 128U, 0U}) {
            auto decoder = loaded(folder.path(), {.dtype = compute_type::f32, .path = path});
            const auto prompt = random_tokens(length, 6);
            const auto left = random_tokens(9, 7), right = random_tokens(9, 8);
            if (length > 0) appended(decoder, 0, prompt);
            appended(decoder, 1, right);  // forgotten
            BOOST_TEST(decoder.copy(0, 1).is_ok());
            BOOST_TEST(decoder.copy(1, 1).is_ok());
            BOOST_TEST(decoder.length(1) == length);
            // In step, so that what one writes would be seen by the other if they shared it.
            std::vector<std::vector<float>> ends;
            for (std::size_t i = 0; i < left.size(); ++i) {
                ends = appended(decoder, {{0, std::span(left).subspan(i, 1)},
                                          {1, std::span(right).subspan(i, 1)}});
            }
            const auto text = [&](const std::vector<std::int32_t>& end) {
                auto whole = prompt;
                whole.insert(whole.end(), end.begin(), end.end());
                return whole;
            };
            decoder.clear(0);
            BOOST_TEST(decoder.length(0) == 0U);
            BOOST_TEST(worst_difference(appended(decoder, 0, text(left)), ends[0]) < 1e-4);
            BOOST_TEST(worst_difference(appended(decoder, 2, text(right)), ends[1]) < 1e-4);
            // Clearing the source leaves the copy alone.
            decoder.clear(0);
            decoder.clear(2);
            BOOST_TEST(decoder.copy(1, 2).is_ok());
            decoder.clear(1);
            const auto more = random_tokens(1, 9);
            const auto c = appended(decoder, 2, more);
            auto whole = text(right);
            whole.push_back(more[0]);
            BOOST_TEST(worst_difference(appended(decoder, 1, whole), c) < 1e-4);
        }
    }
}

BOOST_AUTO_TEST_CASE(what_cannot_be_appended_leaves_everything_alone) {
    const temporary_folder folder;
    random_model(folder.path()).write();
    const auto tokens = random_tokens(12, 1);
    for (const auto path : both_paths) {
        auto decoder = loaded(folder.path(), {.path = path}, 3, 10);
        const std::span all(tokens);
        appended(decoder, 0, all.first(4));
        auto outside = tokens, negative = tokens;
        outside[1] = random_model::vocab;
        negative[1] = -1;
        const auto refusal = [&](std::vector<decoder_input> inputs) {
            std::vector<float> logits(inputs.size() * vocab, 7.0F);
            const auto error = decoder.append(inputs, logits);
            BOOST_TEST((error.kind() == error_kind::data));
            BOOST_TEST(logits[0] == 7.0F);
            BOOST_TEST(decoder.length(0) == 4U);
            BOOST_TEST(decoder.length(1) == 0U);
            return error.message();
        };
        const decoder_input good{1, all.first(3)};
        BOOST_TEST(refusal({good, {0, std::span(outside).first(2)}}).find("token 71") !=
                   std::string::npos);
        BOOST_TEST(refusal({good, {0, std::span(negative).first(2)}}).find("token -1") !=
                   std::string::npos);
        BOOST_TEST(refusal({good, {0, {}}}).find("no token for sequence 0") != std::string::npos);
        BOOST_TEST(refusal({good, {0, all.first(7)}}).find("more than 10 tokens") !=
                   std::string::npos);
        BOOST_TEST(refusal({good, {1, all.first(1)}}).find("twice") != std::string::npos);
        BOOST_TEST(refusal({good, {3, all.first(1)}}).find("sequence 3") != std::string::npos);
        std::vector<float> few(vocab - 1);
        BOOST_TEST(!decoder.append({&good, 1}, few).is_ok());
        BOOST_TEST(decoder.append({}, {}).is_ok());
        appended(decoder, 0, all.subspan(4, 6));  // up to the limit
        BOOST_TEST(decoder.length(0) == 10U);
        auto fresh = loaded(folder.path(), {.path = path});
        BOOST_TEST(worst_difference(appended(fresh, 5, all.first(3)),
                                    appended(decoder, 1, all.first(3))) < 1e-4);
    }
}

BOOST_AUTO_TEST_CASE(decoders_say_what_they_are) {
    const temporary_folder folder;
    random_model(folder.path()).write();
    auto decoder = loaded(folder.path(), {.threads = 1});
    BOOST_TEST(decoder.name() == folder.path().filename().string());
    BOOST_TEST(decoder.config().vocab == std::int64_t{vocab});
    BOOST_TEST(decoder.compute_description().starts_with("cpu f32 (float products, "));
    BOOST_TEST(decoder.compute_description().ends_with(", 1 thread)"));
    const auto error_of = [&](const model_options& options) {
        auto refused = cached_decoder::load(folder.path(), options, 1, 1);
        BOOST_REQUIRE(!refused.is_ok());
        return refused.error().kind();
    };
    BOOST_TEST((error_of({.device = "gpu"}) == error_kind::usage));
    const model_options rounding{.dtype = compute_type::bf16,
                                 .device = "cpu",
                                 .threads = 1,
                                 .path = forward_path::bfloat16_products};
    if (!kernels::has_bfloat16_products()) {
        BOOST_TEST((error_of(rounding) == error_kind::unsupported));
        return;
    }
    BOOST_TEST(loaded(folder.path(), rounding)
                   .compute_description()
                   .starts_with("cpu bf16 (bf16 products, "));
}

BOOST_AUTO_TEST_CASE(scored_tokens_get_the_logits_that_they_get_alone) {
    const temporary_folder folder;
    random_model(folder.path()).write();
    const auto tokens = random_tokens(390, 11);
    for (const auto path : both_paths) {
        auto decoder = loaded(folder.path(), {.path = path});
        const auto alone = token_by_token(decoder, 0, tokens, 1);
        // Across the rows of a pass, beside a sequence of which only the last is wanted.
        const decoder_input inputs[] = {
            {1, std::span(tokens).first(200), 1},
            {2, std::span(tokens).first(380), 300},
            {3, std::span(tokens).first(7), 7},
        };
        std::vector<float> logits(308 * vocab);
        BOOST_REQUIRE(decoder.append(inputs, logits).is_ok());
        const float* row = logits.data();
        for (const auto& input : inputs) {
            for (std::size_t i = input.tokens.size() - input.scored; i < input.tokens.size(); ++i) {
                const std::vector<float> found(row, row + vocab);
                if (path == forward_path::automatic)
                    BOOST_REQUIRE(same_bits(found, alone[i]));
                else
                    BOOST_REQUIRE(worst_difference(found, alone[i]) < 1e-4);
                row += vocab;
            }
        }
        for (const std::size_t scored : {0U, 8U}) {
            const decoder_input wrong{4, std::span(tokens).first(7), scored};
            BOOST_TEST((decoder.append({&wrong, 1}, logits).kind() == error_kind::data));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_truncated_sequence_goes_on_like_a_new_one) {
    const temporary_folder folder;
    random_model(folder.path()).write();
    const auto tokens = random_tokens(300, 12), others = random_tokens(20, 13);
    for (const auto path : both_paths) {
        for (const std::size_t length : {0U, 1U, 100U, 128U, 256U, 299U, 300U}) {
            auto decoder = loaded(folder.path(), {.path = path});
            appended(decoder, 0, tokens);
            BOOST_TEST(decoder.copy(0, 1).is_ok());  // shares blocks
            decoder.truncate(0, length);
            BOOST_TEST(decoder.length(0) == length);
            const auto found = appended(decoder, 0, others);
            if (length > 0) appended(decoder, 2, std::span(tokens).first(length));
            const auto expected = appended(decoder, 2, others);
            const auto kept = appended(decoder, 1, others);
            appended(decoder, 3, tokens);
            const auto whole = appended(decoder, 3, others);
            if (path == forward_path::automatic) {
                BOOST_TEST(same_bits(found, expected));
                BOOST_TEST(same_bits(kept, whole));
            } else {
                BOOST_TEST(worst_difference(found, expected) < 1e-4);
                BOOST_TEST(worst_difference(kept, whole) < 1e-4);
            }
        }
    }
}

/// Some of eight sequences, with different pasts, get one to ten tokens each in a call, and are
/// copied, cut and cleared between calls, as sampling with guesses does.
BOOST_AUTO_TEST_CASE(what_is_appended_together_is_appended_alone) {
    const temporary_folder folder;
    random_model(folder.path(), "qwen3").write();
    constexpr std::size_t sequences = 8, longest = 300;
    auto alone = loaded(folder.path(), {.dtype = compute_type::f32}, sequences, longest);
    auto together =
        loaded(folder.path(), {.dtype = compute_type::f32, .path = forward_path::operators},
               sequences, longest);
    constexpr unsigned seed = 20261127;
    std::mt19937 random(seed);
    const auto below = [&](std::size_t limit) { return random() % limit; };
    double worst = 0;
    for (int round = 0; round < 60; ++round) {
        const std::size_t from = below(sequences), to = below(sequences);
        for (cached_decoder* decoder : {&alone, &together}) {
            if (round % 7 == 3) BOOST_REQUIRE(decoder->copy(from, to).is_ok());
            if (round % 7 == 5) decoder->truncate(from, decoder->length(from) / 2);
            if (round % 11 == 6) decoder->clear(to);
        }
        const std::size_t most = round % 3 == 0 ? 1 : round % 3 == 1 ? 5 : 10;
        std::vector<std::vector<std::int32_t>> tokens(sequences);
        std::vector<decoder_input> inputs;
        std::size_t rows = 0;
        for (std::size_t i = sequences; i-- > 0;) {
            if (below(3) == 0 || together.length(i) + most > longest) continue;
            for (std::size_t n = 1 + below(most); n > 0; --n)
                tokens[i].push_back(static_cast<std::int32_t>(below(vocab)));
            inputs.push_back({i, tokens[i], 1 + below(tokens[i].size())});
            rows += inputs.back().scored;
        }
        if (inputs.empty()) continue;
        std::vector<float> a(rows * vocab), b(rows * vocab);
        BOOST_REQUIRE(alone.append(inputs, a).is_ok());
        BOOST_REQUIRE(together.append(inputs, b).is_ok());
        worst = std::max(worst, worst_difference(a, b));
    }
    BOOST_TEST(worst < 1e-4, "seed " << seed << ": " << worst);
}
