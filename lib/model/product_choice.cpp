#include "cuset/model/product_choice.h"

#include <ATen/Version.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "cuset/base/fd.h"
#include "cuset/base/format.h"
#include "cuset/base/sha256.h"
#include "cuset/stream/json_writer.h"
#include "cuset/stream/output_file.h"
#include "json_text.h"
#include "products.h"
#include "row_tasks.h"

namespace cuset {

namespace {

/// Enough work to show a kernel's rate, little enough for a start: 0.1 GFLOP.
constexpr product_size trial{192, 512, 512};
constexpr int trials = 5;
constexpr double advantage = 1.1;

/// Compares the best of several times of each provider. They take turns, so that a busy machine
/// disturbs both.
template <class Element>
product_provider faster_provider() {
    const single_threaded_products alone;
    scratch<Element> a, b, packed;
    scratch<float> c;
    std::fill_n(a.reserve(trial.m * trial.k), trial.m * trial.k, Element{});
    std::fill_n(b.reserve(trial.n * trial.k), trial.n * trial.k, Element{});
    packed.reserve(packed_elements(trial.n, trial.k));
    c.reserve(trial.m * trial.n);
    pack_outputs(matrix_rows::outputs, 0, trial.n, trial.k, b.data(), trial.k, packed.data());
    const product_operand<Element> operands[] = {
        {b.data(), trial.k, matrix_rows::outputs, false},
        packed_operand(packed.data(), trial.k),
    };
    double best[2] = {1e9, 1e9};
    for (int round = 0; round < trials; ++round) {
        for (int which = 0; which < 2; ++which) {
            const auto begin = std::chrono::steady_clock::now();
            product(trial, a.data(), trial.k, operands[which], product_mode::set, c.data(),
                    trial.n);
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
            best[which] = std::min(best[which], took.count());
        }
    }
    return best[0] * advantage < best[1] ? product_provider::mkl : product_provider::own;
}

product_choice measured_choice() {
    product_choice choice;
    if (kernels::has_bfloat16_products())
        choice.bfloat16 = faster_provider<kernels::bfloat16_bits>();
    choice.single = faster_provider<float>();
    return choice;
}

/// What the measurement depends on: the processor, the library, and what limits either.
std::string machine_description() {
    std::string text = at::show_config();
    text.append("\n").append(kernels::name_of(kernels::active_instruction_set()));
    for (const char* name : {"MKL_ENABLE_INSTRUCTIONS", "MKL_DEBUG_CPU_TYPE", "MKL_CBWR"}) {
        const char* value = std::getenv(name);
        text.append("\n").append(name).append("=").append(value == nullptr ? "" : value);
    }
    std::ifstream processor("/proc/cpuinfo");
    for (std::string line; std::getline(processor, line) && !line.empty();) {
        for (const char* key : {"vendor_id", "cpu family", "model", "stepping", "flags"})
            if (line.starts_with(key)) text.append("\n").append(line);
    }
    return text;
}

/// Empty if there is no place for it.
std::filesystem::path cache_file() {
    std::filesystem::path folder;
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    if (cache != nullptr && *cache != '\0')
        folder = cache;
    else if (home != nullptr && *home != '\0')
        folder = std::filesystem::path(home) / ".cache";
    else
        return {};
    const std::string key =
        sha256("products on cache lines").add(machine_description()).end().hexadecimal();
    return folder / "cuset" / ("products-" + key.substr(0, 16) + ".json");
}

std::optional<product_choice> cached_choice(const std::filesystem::path& file) {
    const auto text = read_whole_file(file.string());
    if (!text) return {};
    simdjson::dom::parser parser;
    const auto root = parse_object(parser, *text);
    std::string_view name;
    if (!root || (*root)["products"].get(name)) return {};
    const auto choice = product_choice_of(name);
    const bool can_run =
        choice && (choice->bfloat16 == product_provider::mkl || kernels::has_bfloat16_products());
    return can_run ? choice : std::nullopt;
}

product_choice fastest_choice() {
    const std::filesystem::path file = cache_file();
    if (const auto cached = file.empty() ? std::nullopt : cached_choice(file)) return *cached;
    const product_choice choice = measured_choice();
    if (file.empty()) return choice;
    std::error_code ignored;  // without the file, the next start measures again
    std::filesystem::create_directories(file.parent_path(), ignored);
    std::string text;
    json_writer(text).begin_object().member("products", name_of(choice)).end_object();
    static_cast<void>(write_whole_file(file.string(), text + '\n'));
    return choice;
}

std::optional<product_choice> made;

}  // namespace

std::string name_of(const product_choice& choice) {
    const auto name = [](product_provider p) { return p == product_provider::own ? "own" : "mkl"; };
    return format("bf16 %s, float %s", name(choice.bfloat16), name(choice.single));
}

std::optional<product_choice> product_choice_of(std::string_view name) {
    using enum product_provider;
    for (const product_choice choice : {product_choice{mkl, mkl}, product_choice{mkl, own},
                                        product_choice{own, mkl}, product_choice{own, own}})
        if (name == name_of(choice)) return choice;
    return {};
}

status choose_products(const std::optional<product_choice>& kept) {
    const char* name = std::getenv("CUSET_PRODUCTS");
    const std::string_view wanted = name == nullptr ? "" : name;
    if (!wanted.empty() && wanted != "own" && wanted != "mkl") {
        return usage_error("no products CUSET_PRODUCTS=" + in_quotes(wanted) + " (own or mkl)");
    }
    const bool bfloat16 = kernels::has_bfloat16_products();
    product_choice choice;
    if (kept) {
        if (kept->bfloat16 == product_provider::own && !bfloat16)
            return unsupported("the products of this run, \"" + name_of(*kept) +
                               "\", need a processor with AVX512-BF16");
        choice = *kept;
    } else if (wanted == "own") {
        choice.single = product_provider::own;
        if (bfloat16) choice.bfloat16 = product_provider::own;
    } else if (wanted.empty()) {
        choice = made ? *made : fastest_choice();
    }
    if (made && *made != choice)
        return data_error("products are \"" + name_of(*made) + "\" already, not \"" +
                          name_of(choice) + '"');
    made = choice;
    return {};
}

const product_choice& chosen_products() {
    if (!made && !choose_products()) made = fastest_choice();
    return *made;
}

}  // namespace cuset
