#include "trial/output_difference.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cuset/base/fd.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

/// A plain file to be read; its folder belongs to a program that may have put anything there.
struct plain_file {
    unique_fd file;
    std::uint64_t bytes = 0;
};

std::optional<plain_file> open_plain(const fs::path& path) {
    plain_file opened{
        unique_fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)), 0};
    struct stat info {};
    if (!opened.file || ::fstat(opened.file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
    opened.bytes = static_cast<std::uint64_t>(info.st_size);
    return opened;
}

/// Fills `bytes` from the file's place `at`; false if it ends before.
bool read_at(const plain_file& from, std::uint64_t at, std::vector<char>& bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const auto count = ::pread(from.file.get(), bytes.data() + done, bytes.size() - done,
                                   static_cast<off_t>(at + done));
        if (count <= 0) return false;
        done += static_cast<std::size_t>(count);
    }
    return true;
}

template <class Element>
bool differs(Element own, Element reference) {
    if constexpr (std::is_integral_v<Element>) {
        return own != reference;
    } else {
        const double a = own, b = reference;
        if (std::isnan(a) || std::isnan(b)) return std::isnan(a) != std::isnan(b);
        if (std::isinf(a) || std::isinf(b)) return a != b;
        return std::abs(a - b) > 1e-3 * (1 + std::abs(b));
    }
}

template <class Element>
std::string shown(Element value) {
    if constexpr (std::is_integral_v<Element>) {
        return std::to_string(+value);
    } else {
        // As many digits as tell it from its neighbours.
        using shown_type = std::conditional_t<sizeof(Element) == 8, double, float>;
        std::array<char, 32> text;
        const auto end =
            std::to_chars(text.data(), text.data() + text.size(), static_cast<shown_type>(value));
        return std::string(text.data(), end.ptr);
    }
}

struct found_difference {
    std::string text;            ///< empty: none
    bool is_of_rounding = true;  ///< no element differs by more
};

template <class Element>
class element_search {
public:
    element_search(const plain_file& own, const plain_file& reference)
        : own_(own), reference_(reference) {}

    /// `name`: the output's, for the text.
    found_difference run(const std::string& name) {
        constexpr std::uint64_t chunk = std::uint64_t{1} << 20;
        for (std::uint64_t at = 0; at < own_.bytes; at += chunk) {
            std::vector<char> a(std::min(chunk, own_.bytes - at)), b(a.size());
            if (!read_at(own_, at, a) || !read_at(reference_, at, b)) return {};
            look_at(a, b, at / sizeof(Element));
        }
        const std::string all = std::to_string(own_.bytes / sizeof(Element));
        const auto told = [&](const place& p) {
            return name + '[' + std::to_string(p.index) + "] is " + shown(p.own) +
                   ", the reference has " + shown(p.reference);
        };
        if (differing_ > 0)
            return {told(first_) + " (" + std::to_string(differing_) + " of " + all +
                        (differing_ == 1 ? " elements differs)" : " elements differ)"),
                    false};
        if (!(distance_ > 0)) return {};
        return {told(farthest_) + ", the largest difference of " + all + " elements", true};
    }

private:
    struct place {
        std::uint64_t index = 0;
        Element own{}, reference{};
    };

    void look_at(const std::vector<char>& a, const std::vector<char>& b, std::uint64_t index) {
        for (std::size_t i = 0; i + sizeof(Element) <= a.size(); i += sizeof(Element), ++index) {
            place p{index, {}, {}};
            std::memcpy(&p.own, a.data() + i, sizeof(Element));
            std::memcpy(&p.reference, b.data() + i, sizeof(Element));
            if (differs(p.own, p.reference)) {
                if (differing_++ == 0) first_ = p;
            } else if constexpr (!std::is_integral_v<Element>) {
                const double distance =
                    std::abs(static_cast<double>(p.own) - static_cast<double>(p.reference));
                if (!(distance > distance_)) continue;
                distance_ = distance;
                farthest_ = p;
            }
        }
    }

    const plain_file& own_;
    const plain_file& reference_;
    std::uint64_t differing_ = 0;
    place first_, farthest_;
    double distance_ = 0;
};

template <class Element>
found_difference search(const plain_file& own, const plain_file& reference,
                        const std::string& name) {
    return element_search<Element>(own, reference).run(name);
}

/// By NumPy's name of the elements' type; empty for any other.
found_difference search_as(std::string_view dtype, const plain_file& own,
                           const plain_file& reference, const std::string& name) {
    if (dtype == "float32" || dtype == "single") return search<float>(own, reference, name);
    if (dtype == "float64" || dtype == "double" || dtype == "float")
        return search<double>(own, reference, name);
    if (dtype == "float16" || dtype == "half") return search<_Float16>(own, reference, name);
    if (dtype == "int8") return search<std::int8_t>(own, reference, name);
    if (dtype == "int16") return search<std::int16_t>(own, reference, name);
    if (dtype == "int32") return search<std::int32_t>(own, reference, name);
    if (dtype == "int64") return search<std::int64_t>(own, reference, name);
    if (dtype == "bool" || dtype == "uint8") return search<std::uint8_t>(own, reference, name);
    if (dtype == "uint16") return search<std::uint16_t>(own, reference, name);
    if (dtype == "uint32") return search<std::uint32_t>(own, reference, name);
    if (dtype == "uint64") return search<std::uint64_t>(own, reference, name);
    return {};
}

}  // namespace

std::string describe_difference(const task& t, const std::vector<data_file>& reference_files,
                                const fs::path& folder) {
    std::vector<std::optional<plain_file>> outputs, references;
    for (const auto& name : t.outputs) outputs.push_back(open_plain(folder / (name + ".bin")));
    for (const auto& file : reference_files) references.push_back(open_plain(file.path));
    const auto of_size = [](const auto& files, std::uint64_t bytes) {
        return std::ranges::count_if(files, [&](const auto& f) { return f && f->bytes == bytes; });
    };
    if (outputs.size() == 1 && references.size() == 1 && outputs[0] && references[0] &&
        outputs[0]->bytes != references[0]->bytes)
        return t.outputs[0] + ".bin has " + std::to_string(outputs[0]->bytes) +
               " bytes, the reference has " + std::to_string(references[0]->bytes);
    std::string rounding;
    for (std::size_t i = 0; i < outputs.size() && i < t.output_dtypes.size(); ++i) {
        if (!outputs[i]) continue;
        const std::uint64_t bytes = outputs[i]->bytes;
        if (of_size(outputs, bytes) != 1 || of_size(references, bytes) != 1) continue;
        const auto reference =
            std::ranges::find_if(references, [&](const auto& f) { return f && f->bytes == bytes; });
        auto found = search_as(t.output_dtypes[i], *outputs[i], **reference, t.outputs[i]);
        if (!found.text.empty() && !found.is_of_rounding) return std::move(found.text);
        if (rounding.empty()) rounding = std::move(found.text);
    }
    return rounding;
}

}  // namespace cuset
