#include "cuset/base/sha256.h"

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace cuset;

namespace {

digest of(const std::vector<std::string>& fields) {
    sha256 hash("test");
    for (const auto& field : fields) hash.add(field);
    return hash.end();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(digests)

// The expected values are from sha256sum: the length of each field in 8 bytes, little-endian, and
// the field.
BOOST_AUTO_TEST_CASE(as_documented) {
    BOOST_TEST(of({"abc"}).hexadecimal() ==
               "d1511677872b3eff330423e6cb979b332edc4e8a3c520cf708dd7c553182e902");
    BOOST_TEST(sha256("test").add_number(0x0102).end().hexadecimal() ==
               "bf6176b2e3b0f907391c843df703e83d8f2dcf8f96779361c392e49010db30d7");
}

BOOST_AUTO_TEST_CASE(fields_do_not_run_together) {
    BOOST_TEST((of({"ab", "c"}) != of({"a", "bc"})));
    BOOST_TEST((of({"ab"}) != of({"ab", ""})));
    BOOST_TEST((of({"a", "b"}) != of({"b", "a"})));
    BOOST_TEST((sha256("test").end() != sha256("other").end()));
    BOOST_TEST((sha256("test").add_real(0.1).end() != sha256("test").add_real(0.1000001).end()));
}

BOOST_AUTO_TEST_CASE(digits_are_read_again) {
    const digest made = of({"x"});
    const std::string digits = made.hexadecimal();
    BOOST_TEST(digits.size() == 64U);
    BOOST_TEST((digest::read(digits) == made));
    BOOST_TEST(!digest::read(digits.substr(1)).has_value());
    BOOST_TEST(!digest::read(digits + "0").has_value());
    BOOST_TEST(!digest::read("g" + digits.substr(1)).has_value());
    BOOST_TEST(!digest::read("-" + digits.substr(1)).has_value());
    BOOST_TEST(!digest::read("").has_value());
}

BOOST_AUTO_TEST_SUITE_END()
