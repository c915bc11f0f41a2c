#include "cuset/model/safetensors.h"

#include <boost/test/unit_test.hpp>

#include "safetensors_text.h"

using namespace cuset;

namespace {

struct malformed {
    const char* what;
    std::string file;
    const char* message;  ///< a part of it
};

std::string one(std::string_view fields, std::size_t data = 16) {
    return safetensors_text("{\"a\":{" + std::string(fields) + "}}", data);
}

const std::string good_fields = R"("dtype":"F32","shape":[2,2],"data_offsets":[0,16])";

}  // namespace

BOOST_AUTO_TEST_CASE(reads_a_table) {
    const std::string file = safetensors_text(
        R"({"__metadata__":{"format":"pt"},
            "w":{"dtype":"BF16","shape":[2,3],"data_offsets":[4,16]},
            "scalar":{"dtype":"F32","shape":[],"data_offsets":[0,4]},
            "none":{"dtype":"F16","shape":[0,7],"data_offsets":[16,16]},
            "ids":{"dtype":"I64","shape":[1],"data_offsets":[16,24]}}   )",
        24);
    auto tensors = parse_safetensors(bytes_of(file));
    BOOST_REQUIRE(tensors.is_ok());
    BOOST_REQUIRE(tensors->size() == 4U);
    const auto& w = (*tensors)[0];
    BOOST_TEST(w.name == "w");
    BOOST_TEST((w.type == element_type::bf16));
    BOOST_TEST((w.shape == std::vector<std::int64_t>{2, 3}));
    BOOST_TEST(w.bytes.size() == 12U);
    BOOST_TEST(w.bytes.data() == bytes_of(file).data() + file.size() - 20);
    BOOST_TEST((*tensors)[1].bytes.size() == 4U);
    BOOST_TEST((*tensors)[2].bytes.empty());
    BOOST_TEST((*tensors)[3].type_name == "I64");
}

BOOST_AUTO_TEST_CASE(malformed_files_are_named_errors) {
    std::string huge(8, '\xff');
    std::string short_header = safetensors_text("{}", 0);
    short_header[0] = 3;
    const malformed cases[] = {
        {"empty", "", "shorter"},
        {"cut in the length", "\x02\0\0", "shorter"},
        {"a length beyond any file", huge + "{}", "claims 18446744073709551615"},
        {"a length beyond this file", short_header, "claims 3 bytes"},
        {"no JSON", safetensors_text("{\"a\":", 0), "no JSON"},
        {"empty header", safetensors_text("", 4), "no JSON"},
        {"no object", safetensors_text("[]", 0), "no JSON object"},
        {"no UTF-8", safetensors_text("{\"\xff\":{}}", 0), "no JSON"},
        {"text after the JSON", safetensors_text("{} x", 0), "no JSON"},
        {"a name twice",
         safetensors_text("{\"a\":{" + good_fields + "},\"a\":{" + good_fields + "}}", 16),
         "names \"a\" twice"},
        {"metadata that is no text", safetensors_text(R"({"__metadata__":{"n":1}})", 0),
         "__metadata__ \"n\""},
        {"tensor that is no object", safetensors_text(R"({"a":1})", 0), "tensor \"a\": is no"},
        {"no dtype", one(R"("shape":[4],"data_offsets":[0,16])"), "\"dtype\" is missing"},
        {"unknown dtype", one(R"("dtype":"F31","shape":[4],"data_offsets":[0,16])"), "\"F31\""},
        {"no shape", one(R"("dtype":"F32","data_offsets":[0,16])"), "\"shape\" is missing"},
        {"negative shape", one(R"("dtype":"F32","shape":[-4],"data_offsets":[0,16])"), "no size"},
        {"fractional shape", one(R"("dtype":"F32","shape":[4.5],"data_offsets":[0,16])"),
         "no size"},
        {"shape that overflows",
         one(R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,16])"),
         "no such number"},
        {"shape that overflows to its own size",
         one(R"("dtype":"F32","shape":[4611686018427387905,4],"data_offsets":[0,16])"),
         "no such number"},
        {"no offsets", one(R"("dtype":"F32","shape":[4])"), "\"data_offsets\" is missing"},
        {"one offset", one(R"("dtype":"F32","shape":[4],"data_offsets":[16])"), "no pair"},
        {"three offsets", one(R"("dtype":"F32","shape":[4],"data_offsets":[0,16,16])"), "no pair"},
        {"negative offset", one(R"("dtype":"F32","shape":[4],"data_offsets":[-16,0])"), "no pair"},
        {"offsets backwards", one(R"("dtype":"F32","shape":[4],"data_offsets":[16,0])"),
         "lie outside"},
        {"offsets beyond the data", one(R"("dtype":"F32","shape":[4],"data_offsets":[4,20])"),
         "lie outside the file's 16"},
        {"fewer bytes than the shape", one(R"("dtype":"F32","shape":[4],"data_offsets":[0,12])"),
         "takes 16"},
        {"more bytes than the shape", one(R"("dtype":"BF16","shape":[4],"data_offsets":[0,12])"),
         "takes 8"},
        {"half a byte", one(R"("dtype":"F4","shape":[3],"data_offsets":[0,1])"), "no such number"},
        {"overlap",
         safetensors_text(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},
                              "b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})",
                          16),
         "\"a\" and \"b\" overlap"},
        {"a tensor inside another",
         safetensors_text(R"({"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]},
                              "a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})",
                          16),
         "overlap"},
    };
    for (const auto& [what, file, message] : cases) {
        BOOST_TEST_CONTEXT(what) {
            auto tensors = parse_safetensors(bytes_of(file));
            BOOST_REQUIRE(!tensors.is_ok());
            BOOST_TEST((tensors.error().kind() == error_kind::data));
            BOOST_TEST(tensors.error().message().find(message) != std::string::npos,
                       tensors.error().message());
            BOOST_TEST(tensors.error().message().find('\n') == std::string::npos);
        }
    }
}

BOOST_AUTO_TEST_CASE(every_cut_of_a_file_is_an_error) {
    const std::string file = one(good_fields);
    BOOST_TEST(parse_safetensors(bytes_of(file)).is_ok());
    for (std::size_t size = 0; size < file.size(); ++size) {
        BOOST_REQUIRE(!parse_safetensors(bytes_of(std::string_view(file).substr(0, size))).is_ok());
    }
}

BOOST_AUTO_TEST_CASE(opens_one_file_or_shards) {
    const temporary_folder folder;
    auto nothing = tensor_store::open_folder(folder.path());
    BOOST_REQUIRE(!nothing.is_ok());
    BOOST_TEST(nothing.error().message().find("model.safetensors.index.json") != std::string::npos);

    const auto index = folder.path() / "model.safetensors.index.json";
    write_file(index,
               R"({"metadata":{},"weight_map":{"a":"one.safetensors","b":"two.safetensors"}})");
    write_file(folder.path() / "one.safetensors", one(good_fields));
    auto missing = tensor_store::open_folder(folder.path());
    BOOST_REQUIRE(!missing.is_ok());
    BOOST_TEST(missing.error().message().find("shard \"two.safetensors\" is missing") !=
               std::string::npos);

    write_file(folder.path() / "two.safetensors", one(good_fields));
    auto twice = tensor_store::open_folder(folder.path());
    BOOST_REQUIRE(!twice.is_ok());
    BOOST_TEST(twice.error().message().find("is in another shard too") != std::string::npos);

    write_file(folder.path() / "two.safetensors",
               safetensors_text("{\"b\":{" + good_fields + "}}", 16));
    auto store = tensor_store::open_folder(folder.path());
    BOOST_REQUIRE(store.is_ok());
    BOOST_TEST(store->tensors().size() == 2U);
    BOOST_TEST(store->find("b")->bytes.size() == 16U);
    BOOST_TEST((store->find("c") == nullptr));

    for (const char* text :
         {"", "{", "[]", "{}", R"({"weight_map":[]})", R"({"weight_map":{"a":1}})",
          R"({"weight_map":{"a":"../one.safetensors"}})", R"({"weight_map":{"a":""}})",
          R"({"weight_map":{"c":"one.safetensors"}})"}) {
        write_file(index, text);
        auto refused = tensor_store::open_folder(folder.path());
        BOOST_TEST_CONTEXT(text) {
            BOOST_REQUIRE(!refused.is_ok());
            BOOST_TEST(refused.error().message().find(index.string()) == 0U);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_file_that_is_none) {
    const temporary_folder folder;
    auto absent = tensor_store::open_file(folder.path() / "absent");
    BOOST_REQUIRE(!absent.is_ok());
    BOOST_TEST((absent.error().kind() == error_kind::io));
    auto directory = tensor_store::open_file(folder.path());
    BOOST_REQUIRE(!directory.is_ok());
    BOOST_TEST((directory.error().kind() == error_kind::data));
    write_file(folder.path() / "empty", "");
    BOOST_TEST(!tensor_store::open_file(folder.path() / "empty").is_ok());
}
