#include "cuset/model/causal_lm.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "random_model.h"

using namespace cuset;

namespace {

using random_llama = random_model;
constexpr int hidden = random_model::hidden, inner = random_model::inner;
constexpr std::int32_t vocab = random_model::vocab;

causal_lm loaded(const std::filesystem::path& folder, model_options options = {}) {
    options.device = "cpu";
    auto model = causal_lm::load(folder, options);
    BOOST_REQUIRE_MESSAGE(model.is_ok(), model.error().message());
    return std::move(*model);
}

std::vector<scoring_reply> scored(causal_lm& model, std::span<const scoring_request> batch) {
    std::vector<scoring_reply> replies;
    const auto error = model.log_probabilities(batch, replies);
    BOOST_REQUIRE_MESSAGE(error.is_ok(), error.message());
    BOOST_REQUIRE(replies.size() == batch.size());
    return replies;
}

/// Samples of several lengths, one of them longer than a block of queries.
struct ragged_batch {
    std::vector<std::vector<std::int32_t>> tokens;
    std::vector<scoring_request> requests;
    ragged_batch() {
        const std::pair<std::size_t, std::size_t> lengths[] = {
            {200, 3}, {2, 1}, {17, 16}, {60, 20}};
        for (const auto& [length, prompt] : lengths) {
            tokens.push_back(random_tokens(length, static_cast<unsigned>(length)));
        }
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            requests.push_back({tokens[i], lengths[i].second});
        }
    }
};

float largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
    BOOST_REQUIRE(a.size() == b.size());
    float largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

}  // namespace

BOOST_AUTO_TEST_CASE(both_passes_agree_and_no_reply_depends_on_its_batch) {
    const temporary_folder folder;
    random_llama(folder.path()).write();
    auto fused = loaded(folder.path(), {.dtype = compute_type::f32});
    auto operators =
        loaded(folder.path(), {.dtype = compute_type::f32, .path = forward_path::operators});
    const ragged_batch batch;
    const auto together = scored(fused, batch.requests);
    const auto other = scored(operators, batch.requests);
    for (std::size_t i = 0; i < batch.requests.size(); ++i) {
        const auto& values = together[i].log_probability;
        BOOST_TEST(values.size() ==
                   batch.requests[i].tokens.size() - batch.requests[i].prompt_length);
        BOOST_TEST(largest_difference(values, other[i].log_probability) < 1e-4F);
        const auto alone = scored(fused, {&batch.requests[i], 1});
        BOOST_TEST(largest_difference(values, alone[0].log_probability) < 1e-5F);
        for (const float value : values) BOOST_REQUIRE(value <= 0.0F);
    }
}

BOOST_AUTO_TEST_CASE(probabilities_of_all_tokens_sum_to_one) {
    const temporary_folder folder;
    random_llama(folder.path()).write();
    auto model = loaded(folder.path());
    auto prefix = random_tokens(12, 5);
    std::vector<std::vector<std::int32_t>> samples;
    for (std::int32_t token = 0; token < vocab; ++token) {
        samples.push_back(prefix);
        samples.back().push_back(token);
    }
    std::vector<scoring_request> requests;
    for (const auto& sample : samples) requests.push_back({sample, prefix.size()});
    double sum = 0;
    for (const auto& reply : scored(model, requests)) {
        sum += std::exp(double{reply.log_probability.at(0)});
    }
    BOOST_TEST(sum == 1.0, boost::test_tools::tolerance(1e-5));
}

BOOST_AUTO_TEST_CASE(unaligned_files_and_rounded_weights) {
    const temporary_folder folder;
    const random_llama writer(folder.path());
    writer.write();
    const ragged_batch batch;
    auto aligned = loaded(folder.path());
    const auto expected = scored(aligned, batch.requests);
    auto rounded =
        loaded(folder.path(), {.dtype = compute_type::bf16, .path = forward_path::float_products});
    auto products = loaded(folder.path(),
                           {.dtype = compute_type::bf16, .path = forward_path::bfloat16_products});
    const auto near = scored(rounded, batch.requests), nearer = scored(products, batch.requests);
    writer.write(true);
    auto unaligned = loaded(folder.path());
    const auto actual = scored(unaligned, batch.requests);
    for (std::size_t i = 0; i < batch.requests.size(); ++i) {
        BOOST_TEST(actual[i].log_probability == expected[i].log_probability,
                   boost::test_tools::per_element());
        BOOST_TEST(largest_difference(near[i].log_probability, expected[i].log_probability) < 1.0F);
        BOOST_TEST(largest_difference(nearer[i].log_probability, near[i].log_probability) < 1.0F);
    }
}

BOOST_AUTO_TEST_CASE(a_bad_sample_leaves_the_others_alone) {
    const temporary_folder folder;
    random_llama(folder.path()).write();
    auto model = loaded(folder.path());
    const auto good = random_tokens(9, 1);
    auto outside = good;
    outside[4] = vocab;
    auto negative = good;
    negative[0] = -1;
    const scoring_request batch[] = {{good, 3}, {good, 0},  {outside, 3}, {negative, 3},
                                     {good, 9}, {good, 10}, {{}, 0}};
    const auto replies = scored(model, batch);
    BOOST_TEST(replies[0].log_probability.size() == 6U);
    BOOST_TEST(replies[1].error.message().find("no prefix") != std::string::npos);
    BOOST_TEST(replies[2].error.message().find("token 71") != std::string::npos);
    BOOST_TEST(replies[3].error.message().find("token -1") != std::string::npos);
    BOOST_TEST(replies[4].error.is_ok());  // no response: nothing to score
    BOOST_TEST(replies[4].log_probability.empty());
    BOOST_TEST(!replies[5].error.is_ok());
    BOOST_TEST(!replies[6].error.is_ok());
    for (const std::size_t i : {1U, 2U, 3U, 5U, 6U}) {
        BOOST_TEST((replies[i].error.kind() == error_kind::data));
    }
}

BOOST_AUTO_TEST_CASE(results_that_are_not_finite_are_errors_of_their_sample) {
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        const temporary_folder folder;
        random_llama writer(folder.path());
        // The embedding of token 7: only samples that contain it are hurt. (Untied, so that the
        // head stays sound.)
        writer.tensors.push_back(writer.find("model.embed_tokens.weight"));
        writer.tensors.back().name = "lm_head.weight";
        writer.find("model.embed_tokens.weight").values[7 * hidden + 3] = bad;
        writer.write();
        write_file(folder.path() / "config.json", R"({"model_type":"llama","hidden_size":36,
            "intermediate_size":50,"num_hidden_layers":2,"num_attention_heads":6,
            "num_key_value_heads":2,"vocab_size":71})");
        for (const auto path : {forward_path::automatic, forward_path::operators}) {
            auto model = loaded(folder.path(), {.path = path});
            const std::vector<std::int32_t> sound{1, 2, 3, 4}, hurt{1, 2, 7, 4, 5};
            const scoring_request batch[] = {{sound, 1}, {hurt, 1}, {sound, 2}};
            const auto replies = scored(model, batch);
            BOOST_TEST(replies[0].error.is_ok());
            BOOST_TEST(replies[2].log_probability.size() == 2U);
            BOOST_TEST((replies[1].error.kind() == error_kind::data));
            BOOST_TEST(replies[1].error.message().find("not finite") != std::string::npos);
            BOOST_TEST(replies[1].log_probability.empty());
        }
    }
}

BOOST_AUTO_TEST_CASE(folders_that_do_not_fit_are_refused_by_name) {
    const temporary_folder folder;
    const random_llama writer(folder.path());
    const auto refusal = [&](const random_llama& changed) {
        changed.write();
        auto model = causal_lm::load(folder.path(), {});
        BOOST_REQUIRE(!model.is_ok());
        return model.error();
    };
    auto missing = writer;
    missing.tensors.erase(missing.tensors.begin() + 4);
    BOOST_TEST(refusal(missing).message().find(
                   "tensor \"model.layers.0.self_attn.q_proj.weight\" is missing") !=
               std::string::npos);
    auto reshaped = writer;
    reshaped.find("model.layers.1.mlp.down_proj.weight").shape = {inner, hidden};
    BOOST_TEST(refusal(reshaped).message().find("has shape [50, 36], but the config asks for") !=
               std::string::npos);
    auto extra = writer;
    extra.tensors.push_back({"model.layers.0.self_attn.q_proj.bias", {36}, std::vector<float>(36)});
    BOOST_TEST((refusal(extra).kind() == error_kind::unsupported));
    BOOST_TEST(refusal(extra).message().find("q_proj.bias") != std::string::npos);
    // Copies that the config makes redundant are fine.
    auto redundant = writer;
    auto head = redundant.find("model.embed_tokens.weight");
    head.name = "lm_head.weight";
    redundant.tensors.push_back(head);
    redundant.tensors.push_back({"model.layers.0.self_attn.rotary_emb.inv_freq", {1}, {0.0F}});
    redundant.write();
    const auto same = causal_lm::load(folder.path(), {});
    BOOST_REQUIRE(same.is_ok());
    BOOST_TEST(same->config().tied_embeddings);
    BOOST_TEST(same->notes().empty());
    // A head that is none is no copy.
    redundant.find("lm_head.weight").values.back() += 1;
    redundant.write();
    const auto other = causal_lm::load(folder.path(), {});
    BOOST_REQUIRE(other.is_ok());
    BOOST_TEST(!other->config().tied_embeddings);
    BOOST_TEST(other->notes().size() == 1u);

    auto absent = causal_lm::load(folder.path() / "nowhere", {});
    BOOST_REQUIRE(!absent.is_ok());
    BOOST_TEST(absent.error().message().find("nowhere/config.json") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(devices) {
    const temporary_folder folder;
    random_llama(folder.path()).write();
    for (const char* name : {"gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:0x", "", "cuda0"}) {
        auto model = causal_lm::load(folder.path(), {.device = name});
        BOOST_REQUIRE(!model.is_ok());
        BOOST_TEST((model.error().kind() == error_kind::usage));
    }
    auto far = causal_lm::load(folder.path(), {.device = "cuda:99"});
    BOOST_REQUIRE(!far.is_ok());
    BOOST_TEST((far.error().kind() == error_kind::unsupported));
    BOOST_TEST(far.error().message().find("cuda:99") != std::string::npos);
    auto model = causal_lm::load(folder.path(), {.threads = 1});
    BOOST_REQUIRE(model.is_ok());
    BOOST_TEST(model->name() == folder.path().filename().string());
    BOOST_TEST(!model->compute_description().empty());
}
