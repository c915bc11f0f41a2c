// SHA-256 of several fields: names for what is kept, where two texts that share a name would let
// one pass for the other.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace cuset {

/// 256 bits; all 0 until they are computed.
struct digest {
    std::array<unsigned char, 32> bytes{};

    auto operator<=>(const digest&) const = default;
    /// 64 lower-case hexadecimal digits.
    std::string hexadecimal() const;
    /// Reads 64 hexadecimal digits, and nothing else.
    static std::optional<digest> read(std::string_view digits);
};

/// Hashes fields in the order in which they are added. The length of each one stands before it, so
/// that "ab", "c" and "a", "bc" differ. Throws std::bad_alloc where libcrypto has no memory.
class sha256 {
public:
    /// `purpose` is the first field: what has another purpose has another digest.
    explicit sha256(std::string_view purpose);

    sha256& add(std::string_view field);
    sha256& add(const digest& field);
    sha256& add_number(std::uint64_t field);
    /// The bits of the number, so that no two values are one by rounding.
    sha256& add_real(double field);

    /// To be called once, last.
    digest end();

private:
    void update(const void* bytes, std::size_t size);
    struct free_context {
        void operator()(void* context) const;
    };
    std::unique_ptr<void, free_context> context_;
};

}  // namespace cuset
