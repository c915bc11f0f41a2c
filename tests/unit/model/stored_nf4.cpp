// Models that bitsandbytes stored in 4 bits: their codes are taken as they are, and what is wrong
// in such a file is named.
#include "stored_nf4.h"

#include <ATen/core/Tensor.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

#include "cuset/model/causal_lm.h"
#include "cuset/model/merge.h"
#include "cuset/model/trainable_decoder.h"
#include "dequantised_model.h"
#include "frozen_codes.h"
#include "quantised_matrix.h"
#include "row_tasks.h"
#include "stored_model.h"

namespace cuset {

namespace {

constexpr const char* up = "model.layers.1.mlp.up_proj.weight";
constexpr const char* state_of_up =
    "model.layers.1.mlp.up_proj.weight.quant_state.bitsandbytes__nf4";

model_options on_cpu(quantisation kind = quantisation::none) {
    model_options options;
    options.device = "cpu";
    options.threads = 2;
    options.quantise = kind;
    return options;
}

std::vector<float> scores(const std::filesystem::path& folder, const model_options& options) {
    auto model = causal_lm::load(folder, options);
    BOOST_REQUIRE_MESSAGE(model.is_ok(), model.error().message());
    const auto tokens = random_tokens(40, 5);
    const scoring_request request{tokens, 1};
    std::vector<scoring_reply> replies;
    BOOST_REQUIRE(model->log_probabilities({&request, 1}, replies).is_ok());
    BOOST_REQUIRE_MESSAGE(replies.front().error.is_ok(), replies.front().error.message());
    return replies.front().log_probability;
}

/// Puts the text `to` in place of `from` in a tensor that holds text.
void replace(stored_model::tensor& tensor, const std::string& from, const std::string& to) {
    const auto at = tensor.bytes.find(from);
    BOOST_REQUIRE_MESSAGE(at != std::string::npos, tensor.bytes);
    tensor.bytes.replace(at, from.size(), to);
    tensor.shape = {tensor.bytes.size()};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(stored_in_4_bits)

// Codes and scales that quantising would not make: it leaves no block without its absmax.
BOOST_AUTO_TEST_CASE(codes_are_taken_as_they_are) {
    const unsigned seed = std::random_device{}();
    BOOST_TEST_CONTEXT("seed " << seed) {
        std::mt19937 random(seed);
        std::uniform_real_distribution<float> uniform(-1, 2);
        for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{64, 64},
                                            {33, 192},
                                            {90, 640},
                                            {7, 9},
                                            {130, 100},
                                            {1, 1}}) {
            for (const bool nested : {false, true}) {
                for (const bool bfloat16 : {false, true}) {
                    const auto count = static_cast<std::size_t>(rows * columns);
                    const std::size_t blocks = (count + 63) / 64;
                    std::vector<std::uint8_t> codes((count + 1) / 2), of_absmax(blocks);
                    for (auto& code : codes) code = static_cast<std::uint8_t>(random());
                    for (auto& code : of_absmax) code = static_cast<std::uint8_t>(random());
                    stored_nf4 stored;
                    stored.rows = rows;
                    stored.columns = columns;
                    stored.codes = std::as_bytes(std::span(codes));
                    stored.absmax.resize(nested ? (blocks + 255) / 256 : blocks);
                    for (float& value : stored.absmax) value = uniform(random);
                    if (nested) {
                        stored.absmax_codes = std::as_bytes(std::span(of_absmax));
                        stored.absmax_values.resize(256);
                        for (float& value : stored.absmax_values) value = uniform(random);
                        stored.offset = 0.25F;
                    }
                    task_pool pool(2);
                    large_pages memory;
                    const auto matrix = quantised_matrix::keep(stored, bfloat16, pool, memory);
                    const auto by_rows =
                        quantised_matrix::keep(stored, bfloat16, pool, memory, code_order::rows);
                    const at::Tensor copied =
                        copied_codes(by_rows, at::kCPU)->dequantised(at::kFloat);
                    std::vector<float> values(count), others(count);
                    matrix.read(0, rows, 0, columns, values.data(), columns);
                    by_rows.read(0, rows, 0, columns, others.data(), columns);
                    BOOST_TEST(std::memcmp(values.data(), others.data(), count * 4) == 0);
                    BOOST_TEST(std::memcmp(values.data(), copied.const_data_ptr(), count * 4) == 0);
                    std::size_t wrong = 0;
                    for (std::size_t i = 0; i < count; ++i) {
                        const std::size_t at = i / 64;
                        const float absmax =
                            nested ? stored.absmax_values[of_absmax[at]] * stored.absmax[at / 256] +
                                         stored.offset
                                   : stored.absmax[at];
                        const int code = i % 2 == 0 ? codes[i / 2] >> 4 : codes[i / 2] & 15;
                        const float value = kernels::nf4_values[code] * absmax;
                        wrong += values[i] != (bfloat16 ? rounded(value) : value);
                    }
                    BOOST_TEST(wrong == 0U, wrong << " of " << rows << " x " << columns);
                }
            }
        }
    }
}

// The codes are those that quantising makes of the same weights, so that the bits are the same.
BOOST_AUTO_TEST_CASE(a_stored_model_is_the_quantised_one) {
    const temporary_folder plain, folder;
    random_model(plain.path()).write();
    const auto expected = scores(plain.path(), on_cpu(quantisation::nf4));
    stored_model(folder.path(), true).write();
    BOOST_TEST(scores(folder.path(), on_cpu()) == expected);
    BOOST_TEST(scores(folder.path(), on_cpu(quantisation::nf4)) == expected);
    const auto model = causal_lm::load(folder.path(), on_cpu());
    BOOST_REQUIRE(model.is_ok());
    BOOST_TEST(model->name().ends_with(":nf4"));
    BOOST_TEST(model->compute_description().starts_with("cpu nf4 in f32 ("));
    // Without double quantisation only scales are a little others.
    stored_model(folder.path(), false).write();
    const auto others = scores(folder.path(), on_cpu());
    double largest = 0;
    for (std::size_t i = 0; i < others.size(); ++i)
        largest = std::max(largest, std::abs(double{others[i]} - double{expected[i]}));
    BOOST_TEST(largest > 0.0);
    BOOST_TEST(largest < 1.0);
}

BOOST_AUTO_TEST_CASE(layers_that_were_left_out_stay_plain) {
    const temporary_folder plain, folder;
    random_model original(plain.path());
    original.write();
    stored_model model(folder.path(), true);
    for (const char* part : {".absmax", ".quant_map", ".nested_absmax", ".nested_quant_map",
                             ".quant_state.bitsandbytes__nf4"})
        model.erase(std::string(up) + part);
    model.find(up) = {up, "F32", {50, 36}, bytes_text(original.find(up).values)};
    model.write();
    const auto some = scores(folder.path(), on_cpu());
    BOOST_TEST(some != scores(plain.path(), on_cpu(quantisation::nf4)));
    BOOST_TEST(scores(folder.path(), on_cpu(quantisation::nf4)) == some);
    // The others hold their dequantised values: the products' sums are rounded in another order.
    const auto kept = original.find(up).values;
    write_dequantised(original, quantisation::nf4, false);
    original.find(up).values = kept;
    original.write();
    const auto expected = scores(plain.path(), on_cpu());
    for (std::size_t i = 0; i < some.size(); ++i)
        BOOST_TEST(std::abs(some[i] - expected[i]) < 1e-5F + 1e-5F * std::abs(expected[i]));
}

BOOST_AUTO_TEST_CASE(a_config_without_codes_is_refused) {
    const temporary_folder folder;
    const auto config = stored_model(folder.path(), true).config;
    random_model(folder.path()).write();
    write_file(folder.path() / "config.json", config);
    const auto model = causal_lm::load(folder.path(), on_cpu());
    BOOST_REQUIRE(!model.is_ok());
    BOOST_TEST((model.error().kind() == error_kind::data));
    BOOST_TEST(model.error().message().ends_with(
        "config.json has a quantization_config, but no linear layer is stored in 4 bits"));
}

BOOST_AUTO_TEST_CASE(another_form_is_refused) {
    const temporary_folder folder;
    stored_model(folder.path(), true).write();
    const auto model = causal_lm::load(folder.path(), on_cpu(quantisation::int8));
    BOOST_REQUIRE(!model.is_ok());
    BOOST_TEST((model.error().kind() == error_kind::usage));
    BOOST_TEST(model.error().message() ==
               folder.path().string() + " is stored in nf4: it cannot be quantised to int8");
}

BOOST_AUTO_TEST_CASE(it_is_trained_under_an_adapter_only) {
    const temporary_folder folder;
    stored_model(folder.path(), true).write();
    training_model_options options;
    options.device = "cpu";
    options.threads = 1;
    const auto decoder = trainable_decoder::load(folder.path(), options);
    BOOST_REQUIRE_MESSAGE(decoder.is_ok(), decoder.error().message());
    BOOST_TEST((decoder->quantised() == quantisation::nf4));
    options.lora.reset();
    const auto full = trainable_decoder::load(folder.path(), options);
    BOOST_REQUIRE(!full.is_ok());
    BOOST_TEST((full.error().kind() == error_kind::usage));
    options.lora.emplace();
    options.part = {0, 2};
    const auto shared = trainable_decoder::load(folder.path(), options);
    BOOST_REQUIRE(!shared.is_ok());
    BOOST_TEST(shared.error().message() ==
               "a quantised base cannot be shared: its codes are kept whole");
}

// An adapter that holds a layer whole: the codes that it replaces are not used.
BOOST_AUTO_TEST_CASE(an_adapter_replaces_layers) {
    const temporary_folder plain, folder;
    random_model original(plain.path());
    original.write();
    stored_model model(folder.path(), true);
    model.write();
    const auto without = scores(folder.path(), on_cpu());
    const auto adapter = plain.path() / "adapter";
    std::filesystem::create_directory(adapter);
    write_file(adapter / "adapter_config.json",
               R"({"peft_type":"LORA","r":1,"lora_alpha":1,"bias":"none",)"
               R"("modules_to_save":["up_proj"]})");
    const std::string root = "base_model.model.", query = root + "model.layers.0.self_attn.q_proj";
    std::vector<random_model::tensor> tensors{
        {query + ".lora_A.weight", {1, 36}, std::vector<float>(36, 0.1F)},
        {query + ".lora_B.weight", {36, 1}, std::vector<float>(36, 0.1F)}};
    for (const char* layer : {"0", "1"}) {
        tensors.push_back(
            original.find("model.layers." + std::string(layer) + ".mlp.up_proj.weight"));
        tensors.back().name = root + tensors.back().name;
    }
    random_model::write_tensors(adapter / "adapter_model.safetensors", tensors, false);
    auto options = on_cpu(), quantised = on_cpu(quantisation::nf4);
    options.adapter = quantised.adapter = adapter;
    const auto replaced = scores(folder.path(), options);
    BOOST_TEST(replaced != without);
    BOOST_TEST(replaced == scores(plain.path(), quantised));
    // Merged, they have the type that the base's layer had, whatever the adapter's.
    replace(model.find(state_of_up), "float32\",\"shape", "bfloat16\",\"shape");
    model.write();
    const temporary_folder merged;
    BOOST_REQUIRE(merge_adapter(folder.path(), adapter, merged.path(), {}).is_ok());
    const auto files = tensor_store::open_folder(merged.path());
    BOOST_REQUIRE(files.is_ok());
    BOOST_TEST(files->find(up)->type_name == "BF16");
    BOOST_TEST(files->find("model.layers.0.mlp.up_proj.weight")->type_name == "F32");
    BOOST_TEST(files->find("model.layers.1.mlp.down_proj.weight")->type_name == "F32");
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_named) {
    using change = std::function<void(stored_model&)>;
    const std::string name = up;
    const auto in_state = [&](const char* from, const char* to) -> change {
        return [=](stored_model& model) { replace(model.find(state_of_up), from, to); };
    };
    const auto without = [&](const std::string& part) -> change {
        return [=](stored_model& model) { model.erase(name + part); };
    };
    const auto number = [&](const std::string& part, float value) -> change {
        return [=](stored_model& model) {
            const auto* bytes = reinterpret_cast<const char*>(&value);
            std::copy_n(bytes, sizeof value, model.find(name + part).bytes.begin() + 8);
        };
    };
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    struct {
        change make;
        bool nested;
        error_kind kind;
        std::string message;
    } const cases[] = {
        {without(""), true, error_kind::data, "tensor \"" + name + "\" is missing"},
        {without(".absmax"), true, error_kind::data, ".absmax\" is missing"},
        {without(".absmax"), false, error_kind::data, ".absmax\" is missing"},
        {without(".quant_map"), true, error_kind::data, ".quant_map\" is missing"},
        {without(".nested_absmax"), true, error_kind::data, ".nested_absmax\" is missing"},
        {without(".nested_quant_map"), true, error_kind::data, ".nested_quant_map\" is missing"},
        {without(".quant_state.bitsandbytes__nf4"), true, error_kind::data,
         "bitsandbytes__nf4\" is missing"},
        {in_state("}", ""), true, error_kind::data, "bitsandbytes__nf4\": no JSON: "},
        {[](auto& m) {
             m.find(state_of_up) = {state_of_up, "U8", {0}, ""};
         },
         true, error_kind::data, "bitsandbytes__nf4\": no JSON: "},
        {in_state("nf4", "fp4"), true, error_kind::unsupported,
         "quant_type \"fp4\" is not supported (\"nf4\" is)"},
        {in_state("\"quant_type\"", "\"quant\""), true, error_kind::data,
         "\"quant_type\" is missing or no string"},
        {in_state(":64,", ":128,"), true, error_kind::unsupported,
         "blocksize 128 is not supported (64 is)"},
        {in_state(":64,", ":-64,"), true, error_kind::data, "\"blocksize\" is missing or no size"},
        {in_state(":256,", ":512,"), true, error_kind::unsupported,
         "nested_blocksize 512 is not supported (256 is)"},
        {in_state("float32\",\"shape", "int8\",\"shape"), true, error_kind::data,
         "\"dtype\" is missing, or not float32, float16 or bfloat16"},
        {in_state("[50,36]", "[36,50]"), true, error_kind::data,
         "\"shape\" is [36, 50], but the config asks for [50, 36]"},
        {in_state("[50,36]", "[50,36,1]"), true, error_kind::data, "\"shape\" is [50, 36, 1]"},
        {in_state("[50,36]", "[50,\"36\"]"), true, error_kind::data,
         "\"shape\" holds something that is no size"},
        {in_state("[50,36]", "1800"), true, error_kind::data, "\"shape\" is missing or no array"},
        {in_state("nested_offset", "offset"), true, error_kind::data,
         "\"nested_offset\" is missing or no number"},
        {in_state("nested_offset\":", "nested_offset\":1e300,\"x\":"), true, error_kind::data,
         "\"nested_offset\" is missing or no number"},
        {[](auto& m) {
             m.find(up).bytes.resize(899);
             m.find(up).shape = {899, 1};
         },
         true, error_kind::data,
         "is U8 of shape [899, 1]: 899 bytes, but codes of [50, 36] elements take 900"},
        {[&](auto& m) {
             m.find(name + ".absmax").bytes += "x";
             m.find(name + ".absmax").shape = {30};
         },
         true, error_kind::data, ".absmax\" is U8 of shape [30], not U8 of shape [29]"},
        // Floats where codes are, and the other way round.
        {in_state("nested_blocksize", "nested"), true, error_kind::data,
         ".absmax\" is U8 of shape [29], not F32 of shape [29]"},
        {in_state("}", ",\"nested_blocksize\":256,\"nested_offset\":0}"), false, error_kind::data,
         ".absmax\" is F32 of shape [29], not U8 of shape [29]"},
        {number(".absmax", nan), false, error_kind::data, ".absmax\": an element is not finite"},
        {number(".nested_quant_map", INFINITY), true, error_kind::data,
         ".nested_quant_map\": an element is not finite"},
        {number(".quant_map", 0.5F), true, error_kind::unsupported,
         ".quant_map\" has other values than NF4"},
        {[](auto& m) {
             m.tensors.push_back({std::string(up) + ".more", "U8", {1}, "x"});
         },
         true, error_kind::unsupported,
         ".more\" is no part of the model that the config describes"},
        {[](auto& m) { m.config.replace(1, m.config.find("},") + 1, ""); }, true, error_kind::data,
         "holds codes of 4 bits, but config.json has no \"quantization_config\""},
        // A layer that was left out, with a wrong shape.
        {[](auto& m) {
             auto& layer = m.find(up);
             layer = {up, "F32", {50, 35}, std::string(50 * 35 * 4, '\0')};
             m.erase(state_of_up);
         },
         true, error_kind::data, "has shape [50, 35], but the config asks for [50, 36]"},
        {[](auto& m) {
             const std::string head = "model.embed_tokens.weight";
             m.find(head).shape = {71 * 18, 2};
             m.tensors.push_back({head + ".quant_state.bitsandbytes__nf4", "U8", {2}, "{}"});
         },
         true, error_kind::unsupported,
         "is stored in 4 bits: only the decoder's linear layers may be"},
        {[](auto& m) {
             auto& state = m.find(state_of_up);
             state.name.replace(state.name.size() - 3, 3, "fp4");
         },
         true, error_kind::unsupported, "is stored in fp4, which is not supported (nf4 is)"},
    };
    for (const auto& one : cases) {
        BOOST_TEST_CONTEXT(one.message) {
            const temporary_folder folder;
            stored_model model(folder.path(), one.nested);
            one.make(model);
            model.write();
            const auto loaded = causal_lm::load(folder.path(), on_cpu());
            BOOST_REQUIRE(!loaded.is_ok());
            const std::string& message = loaded.error().message();
            BOOST_TEST((loaded.error().kind() == one.kind), message);
            BOOST_TEST(message.find(one.message) != std::string::npos, message);
            BOOST_TEST(message.starts_with(folder.path().string()), message);
            BOOST_TEST(message.find('\n') == std::string::npos, message);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace cuset
