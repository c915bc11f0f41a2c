// An adapter on a quantised base: the same bits as on a base of the dequantised weights.
#include <ATen/core/Tensor.h>

#include <boost/test/unit_test.hpp>
#include <cstring>

#include "cuset/model/trainable_decoder.h"
#include "dequantised_model.h"

namespace cuset {

namespace {

trainable_decoder loaded(const std::filesystem::path& folder, compute_type dtype,
                         quantisation quantise, bool recompute) {
    training_model_options options;
    options.dtype = dtype;
    options.device = "cpu";
    options.threads = 2;
    options.recompute = recompute;
    options.quantise = quantise;
    auto decoder = trainable_decoder::load(folder, options);
    BOOST_REQUIRE_MESSAGE(decoder.is_ok(), decoder.error().message());
    return std::move(*decoder);
}

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
    return a.sizes() == b.sizes() &&
           std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(quantised_training)

BOOST_AUTO_TEST_CASE(rows_and_gradients_are_those_of_the_dequantised_weights) {
    const auto tokens = random_tokens(30, 3);
    const training_sample sample{tokens, 4, 17};
    for (const auto kind : {quantisation::nf4, quantisation::int8}) {
        for (const auto dtype : {compute_type::f32, compute_type::bf16}) {
            for (const bool recompute : {false, true})
                BOOST_TEST_CONTEXT(name_of(kind) << (dtype == compute_type::f32 ? " f32" : " bf16")
                                                 << (recompute ? " recomputed" : "")) {
                    const temporary_folder one, other;
                    random_model(one.path(), "qwen2").write();
                    random_model plain(other.path(), "qwen2");
                    write_dequantised(plain, kind, dtype == compute_type::bf16);
                    const auto mine = loaded(one.path(), dtype, kind, recompute);
                    const auto theirs = loaded(other.path(), dtype, quantisation::none, recompute);
                    for (const auto pass : {pass_kind::evaluation, pass_kind::reference})
                        BOOST_TEST(same_bits(mine.hidden_rows({&sample, 1}, pass),
                                             theirs.hidden_rows({&sample, 1}, pass)));
                    const at::Tensor rows = mine.hidden_rows({&sample, 1}, pass_kind::training);
                    const at::Tensor wanted = theirs.hidden_rows({&sample, 1}, pass_kind::training);
                    BOOST_TEST(same_bits(rows.detach(), wanted.detach()));
                    rows.sum().backward();
                    wanted.sum().backward();
                    BOOST_REQUIRE(mine.parameters().size() == theirs.parameters().size());
                    for (std::size_t i = 0; i < mine.parameters().size(); ++i)
                        BOOST_TEST(same_bits(mine.parameters()[i].value.grad(),
                                             theirs.parameters()[i].value.grad()));
                    BOOST_TEST(mine.recomputes() == recompute);
                    BOOST_TEST((mine.quantised() == kind));
                    BOOST_TEST(mine.compute_description().starts_with(
                        "cpu " + std::string(name_of(kind)) + " in "));
                }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_quantised_base_is_not_trained) {
    const temporary_folder folder;
    random_model(folder.path()).write();
    training_model_options options;
    options.device = "cpu";
    options.lora.reset();
    options.quantise = quantisation::nf4;
    const auto decoder = trainable_decoder::load(folder.path(), options);
    BOOST_REQUIRE(!decoder.is_ok());
    BOOST_TEST((decoder.error().kind() == error_kind::usage));
    BOOST_TEST(decoder.error().message().find("frozen") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace cuset
