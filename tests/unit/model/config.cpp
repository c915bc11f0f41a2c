#include "cuset/model/config.h"

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <string>

using namespace cuset;

namespace {

/// A Llama config with `more` fields after (and, for simdjson's first-match lookup, `before` them).
std::string config_text(const std::string& before, const std::string& more = "") {
    return "{" + before + R"("model_type":"llama","architectures":["LlamaForCausalLM"],
        "hidden_size":64,"intermediate_size":96,"num_hidden_layers":2,"num_attention_heads":4,
        "num_key_value_heads":2,"vocab_size":100,"rms_norm_eps":1e-5)" +
           more + "}";
}

model_config parsed(const std::string& text) {
    auto config = parse_model_config(text);
    BOOST_REQUIRE_MESSAGE(config.is_ok(), config.error().message());
    return *config;
}

}  // namespace

BOOST_AUTO_TEST_CASE(reads_a_llama) {
    const auto config = parsed(config_text("", R"(,"rope_theta":100000,"torch_dtype":"bfloat16")"));
    BOOST_TEST((config.arch == architecture::llama));
    BOOST_TEST(config.layers == 2);
    BOOST_TEST(config.head_dim == 16);
    BOOST_TEST(config.kv_heads == 2);
    BOOST_TEST(config.norm_epsilon == 1e-5);
    BOOST_TEST(config.rope.theta == 1e5);
    BOOST_TEST((config.rope.kind == rope_kind::plain));
    BOOST_TEST(!config.tied_embeddings);
    BOOST_TEST(!config.qkv_bias);
    BOOST_TEST(config.stored_type.value() == "bfloat16");
}

BOOST_AUTO_TEST_CASE(reads_rope_in_both_styles) {
    for (const char* rope :
         {R"(,"rope_theta":1e5,"rope_scaling":{"type":"linear","factor":4.0})",
          R"(,"rope_theta":1e5,"rope_scaling":{"rope_type":"linear","factor":4})",
          R"(,"rope_parameters":{"rope_type":"linear","factor":4.0,"rope_theta":100000.0})"}) {
        BOOST_TEST_CONTEXT(rope) {
            const auto config = parsed(config_text("", rope));
            BOOST_TEST((config.rope.kind == rope_kind::linear));
            BOOST_TEST(config.rope.factor == 4.0);
            BOOST_TEST(config.rope.theta == 1e5);
        }
    }
    const auto llama3 = parsed(
        config_text("", R"(,"rope_theta":5e5,"rope_scaling":{"rope_type":"llama3","factor":8.0,
        "low_freq_factor":1.0,"high_freq_factor":4.0,"original_max_position_embeddings":8192})"));
    BOOST_TEST((llama3.rope.kind == rope_kind::llama3));
    BOOST_TEST(llama3.rope.original_positions == 8192);
    BOOST_TEST((parsed(config_text("", R"(,"rope_scaling":null)")).rope.kind == rope_kind::plain));
}

BOOST_AUTO_TEST_CASE(families_differ) {
    const std::string sizes = R"("hidden_size":64,"intermediate_size":96,"num_hidden_layers":2,
        "num_attention_heads":4,"vocab_size":100)";
    const auto qwen2 = parsed("{\"model_type\":\"qwen2\"," + sizes +
                              R"(,"use_sliding_window":false,"sliding_window":4096})");
    BOOST_TEST(qwen2.qkv_bias);
    BOOST_TEST(!qwen2.output_bias);
    BOOST_TEST(qwen2.kv_heads == 4);
    const auto qwen3 = parsed("{\"model_type\":\"qwen3\"," + sizes + "}");
    BOOST_TEST(qwen3.qk_norm);
    BOOST_TEST(!qwen3.qkv_bias);
    BOOST_TEST(qwen3.head_dim == 128);
    const auto biased =
        parsed(config_text("", R"(,"attention_bias":true,"mlp_bias":true,"head_dim":20)"));
    BOOST_TEST(biased.qkv_bias);
    BOOST_TEST(biased.output_bias);
    BOOST_TEST(biased.mlp_bias);
    BOOST_TEST(biased.head_dim == 20);
}

BOOST_AUTO_TEST_CASE(reads_what_weights_are_stored_in) {
    BOOST_TEST((parsed(config_text("")).stored_quantisation == quantisation::none));
    BOOST_TEST((parsed(config_text("", R"(,"quantization_config":null)")).stored_quantisation ==
                quantisation::none));
    for (const char* method : {"", R"("quant_method":"bitsandbytes",)"})
        BOOST_TEST((parsed(config_text("", R"(,"quantization_config":{)" + std::string(method) +
                                               R"("load_in_4bit":true,"load_in_8bit":false,
                                               "bnb_4bit_quant_type":"nf4"})"))
                        .stored_quantisation == quantisation::nf4));
}

BOOST_AUTO_TEST_CASE(what_is_not_supported_is_refused_by_name) {
    const std::pair<std::string, const char*> cases[] = {
        {config_text(R"("model_type":"mistral",)"), "\"mistral\""},
        {config_text(R"("architectures":["LlamaForSequenceClassification"],)"),
         "LlamaForSequenceClassification"},
        {config_text("", R"(,"hidden_act":"gelu")"), "hidden_act \"gelu\""},
        {config_text("", R"(,"quantization_config":{"quant_method":"gptq"})"),
         "stored in \"gptq\" are not supported"},
        {config_text("", R"(,"quantization_config":{"load_in_8bit":true})"), "\"llm.int8\""},
        {config_text("", R"(,"quantization_config":{"load_in_4bit":true})"), "\"fp4\""},
        {config_text("", R"(,"quantization_config":{"load_in_4bit":true,"quant_method":"gptq",
            "bnb_4bit_quant_type":"nf4"})"),
         "\"gptq\""},
        {config_text("", R"(,"use_sliding_window":true)"), "use_sliding_window"},
        {config_text("", R"(,"layer_types":["full_attention","sliding_attention"])"),
         "sliding_attention"},
        {config_text("", R"(,"rope_scaling":{"type":"dynamic","factor":2.0})"), "\"dynamic\""},
        {config_text("", R"(,"rope_scaling":{"rope_type":"yarn","factor":2.0})"), "\"yarn\""},
        {config_text("", R"(,"rope_parameters":{"rope_type":"longrope"})"), "\"longrope\""},
        {config_text("", R"(,"rope_parameters":{"full_attention":{"rope_theta":1e4}})"),
         "rope_parameters of layer kinds"},
        {config_text("", R"(,"partial_rotary_factor":0.5)"), "partial_rotary_factor 0.5"},
        {config_text("", R"(,"head_dim":15)"), "odd head_dim"},
    };
    for (const auto& [text, message] : cases) {
        BOOST_TEST_CONTEXT(text) {
            auto config = parse_model_config(text);
            BOOST_REQUIRE(!config.is_ok());
            BOOST_TEST((config.error().kind() == error_kind::unsupported));
            BOOST_TEST(config.error().message().find(message) != std::string::npos,
                       config.error().message());
        }
    }
}

BOOST_AUTO_TEST_CASE(malformed_configs_are_data_errors) {
    const std::pair<std::string, const char*> cases[] = {
        {"", "no JSON"},
        {"[]", "no JSON object"},
        {"{}", "\"model_type\""},
        {R"({"model_type":"llama"})", "\"num_hidden_layers\" is missing"},
        {config_text(R"("hidden_size":0,)"), "\"hidden_size\" is 0"},
        {config_text(R"("hidden_size":-64,)"), "\"hidden_size\" is -64"},
        {config_text(R"("hidden_size":"64",)"), "\"hidden_size\""},
        {config_text(R"("hidden_size":1e300,)"), "\"hidden_size\""},
        {config_text(R"("vocab_size":9223372036854775807,)"), "\"vocab_size\""},
        {config_text(R"("num_attention_heads":5,)"), "no multiple"},
        {config_text(R"("num_key_value_heads":3,)"), "no multiple"},
        {config_text(R"("rms_norm_eps":0,)"), "\"rms_norm_eps\""},
        {config_text(R"("rope_theta":-1,)"), "\"rope_theta\""},
        {config_text("", R"(,"tie_word_embeddings":"yes")"), "not a boolean"},
        {config_text("", R"(,"quantization_config":4)"), "\"quantization_config\" is no object"},
        {config_text("", R"(,"quantization_config":{"quant_method":4})"), "\"quant_method\" is 4"},
        {config_text("", R"(,"quantization_config":{"load_in_4bit":"yes"})"), "not a boolean"},
        {config_text("", R"(,"quantization_config":{"load_in_4bit":false})"),
         "says neither \"load_in_4bit\" nor \"load_in_8bit\""},
        {config_text("", R"(,"rope_scaling":4)"), "\"rope_scaling\" is no object"},
        {config_text("", R"(,"rope_scaling":{"type":"linear"})"), "\"factor\" is missing"},
        {config_text("", R"(,"rope_scaling":{"type":"llama3","factor":8})"), "low_freq_factor"},
    };
    for (const auto& [text, message] : cases) {
        BOOST_TEST_CONTEXT(text) {
            auto config = parse_model_config(text);
            BOOST_REQUIRE(!config.is_ok());
            BOOST_TEST((config.error().kind() == error_kind::data));
            BOOST_TEST(config.error().message().find(message) != std::string::npos,
                       config.error().message());
        }
    }
}
