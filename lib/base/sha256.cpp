#include "cuset/base/sha256.h"

#include <openssl/evp.h>

#include <bit>
#include <new>

namespace cuset {

namespace {

EVP_MD_CTX* of(void* context) { return static_cast<EVP_MD_CTX*>(context); }

/// libcrypto can fail here only if it has no memory.
void check(int succeeded) {
    if (succeeded != 1) throw std::bad_alloc();
}

int value_of(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return -1;
}

}  // namespace

std::string digest::hexadecimal() const {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : bytes) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

std::optional<digest> digest::read(std::string_view digits) {
    digest made;
    if (digits.size() != 2 * made.bytes.size()) return {};
    for (std::size_t i = 0; i < made.bytes.size(); ++i) {
        const int high = value_of(digits[2 * i]), low = value_of(digits[2 * i + 1]);
        if (high < 0 || low < 0) return {};
        made.bytes[i] = static_cast<unsigned char>(high * 16 + low);
    }
    return made;
}

digest sha256_of(std::string_view bytes) {
    digest made;
    check(
        EVP_Digest(bytes.data(), bytes.size(), made.bytes.data(), nullptr, EVP_sha256(), nullptr));
    return made;
}

void sha256::free_context::operator()(void* context) const { EVP_MD_CTX_free(of(context)); }

sha256::sha256(std::string_view purpose) : context_(EVP_MD_CTX_new()) {
    check(context_ != nullptr && EVP_DigestInit_ex(of(context_.get()), EVP_sha256(), nullptr) == 1);
    add(purpose);
}

void sha256::update(const void* bytes, std::size_t size) {
    check(EVP_DigestUpdate(of(context_.get()), bytes, size));
}

sha256& sha256::add(std::string_view field) {
    // Little-endian on every processor, so that a digest is the same on every machine.
    std::array<unsigned char, 8> length;
    for (std::size_t i = 0; i < length.size(); ++i)
        length[i] = static_cast<unsigned char>(std::uint64_t{field.size()} >> (8 * i));
    update(length.data(), length.size());
    update(field.data(), field.size());
    return *this;
}

sha256& sha256::add(const digest& field) {
    return add({reinterpret_cast<const char*>(field.bytes.data()), field.bytes.size()});
}

sha256& sha256::add_number(std::uint64_t field) {
    std::array<char, 8> bytes;
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(field >> (8 * i));
    return add({bytes.data(), bytes.size()});
}

sha256& sha256::add_real(double field) { return add_number(std::bit_cast<std::uint64_t>(field)); }

digest sha256::end() {
    digest made;
    check(EVP_DigestFinal_ex(of(context_.get()), made.bytes.data(), nullptr));
    return made;
}

}  // namespace cuset
