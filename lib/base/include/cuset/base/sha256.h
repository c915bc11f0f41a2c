// SHA-256 of several fields. Cached results are named by it, since two inputs with one name would
// let one pass for the other.
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

/// The hash of these bytes alone, as sha256sum prints it.
digest sha256_of(std::string_view bytes);

/// Hashes fields in the order in which they are added. Each field is preceded by its length, so
/// that "ab", "c" and "a", "bc" differ. Throws std::bad_alloc if libcrypto has no memory.
class sha256 {
public:
    /// `purpose` is the first field: digests of different purposes differ.
    explicit sha256(std::string_view purpose);

    sha256& add(std::string_view field);
    sha256& add(const digest& field);
    sha256& add_number(std::uint64_t field);
    /// Hashes the bits of the number, so that rounding cannot make two values one.
    sha256& add_real(double field);

    /// Call this once, last.
    digest end();

private:
    void update(const void* bytes, std::size_t size);
    struct free_context {
        void operator()(void* context) const;
    };
    std::unique_ptr<void, free_context> context_;
};

}  // namespace cuset
