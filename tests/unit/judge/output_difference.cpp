#include "trial/output_difference.h"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

using namespace cuset;

namespace {

namespace fs = std::filesystem;

/// A task's outputs and references, in a folder that goes with the object.
class output_files {
public:
    output_files() { fs::create_directories(folder_ / "references"); }
    ~output_files() { fs::remove_all(folder_); }

    template <class Element>
    output_files& output(const std::string& name, const std::string& dtype,
                         const std::vector<Element>& values) {
        task_.outputs.push_back(name);
        task_.output_dtypes.push_back(dtype);
        write(folder_ / (name + ".bin"), values);
        return *this;
    }
    template <class Element>
    output_files& reference(const std::string& name, const std::vector<Element>& values) {
        references_.push_back({name + ".bin", folder_ / "references" / (name + ".bin")});
        write(references_.back().path, values);
        return *this;
    }
    std::string difference() const { return describe_difference(task_, references_, folder_); }
    fs::path path(const std::string& name) const { return folder_ / (name + ".bin"); }

private:
    template <class Element>
    static void write(const fs::path& path, const std::vector<Element>& values) {
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(values.data()),
                   static_cast<std::streamsize>(values.size() * sizeof(Element)));
    }

    fs::path folder_ =
        fs::temp_directory_path() / ("cuset-difference-" + std::to_string(::getpid()));
    task task_;
    std::vector<data_file> references_;
};

template <class Element>
std::string between(const std::string& dtype, const std::vector<Element>& own,
                    const std::vector<Element>& reference) {
    return output_files().output("y", dtype, own).reference("y_ref", reference).difference();
}

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

}  // namespace

BOOST_AUTO_TEST_SUITE(output_differences)

BOOST_AUTO_TEST_CASE(integers_of_all_sizes) {
    BOOST_TEST(between<std::int32_t>("int32", {1, 2, 3}, {1, -2, 4}) ==
               "y[1] is 2, the reference has -2 (2 of 3 elements differ)");
    BOOST_TEST(between<std::uint8_t>("uint8", {200}, {201}) ==
               "y[0] is 200, the reference has 201 (1 of 1 elements differs)");
    BOOST_TEST(between<std::int8_t>("int8", {-1}, {65}) ==
               "y[0] is -1, the reference has 65 (1 of 1 elements differs)");
    BOOST_TEST(between<std::uint64_t>("uint64", {1, std::uint64_t{1} << 63}, {1, 0}) ==
               "y[1] is 9223372036854775808, the reference has 0 (1 of 2 elements differs)");
    BOOST_TEST(between<std::int16_t>("int16", {7, 7}, {7, 7}).empty());
}

BOOST_AUTO_TEST_CASE(rounding_is_no_difference_where_there_is_a_larger_one) {
    BOOST_TEST(between<float>("float32", {1.0001F, 3}, {1, 2}) ==
               "y[1] is 3, the reference has 2 (1 of 2 elements differs)");
    BOOST_TEST(between<double>("float64", {1, 2.0005}, {1, 2}) ==
               "y[1] is 2.0005, the reference has 2, the largest difference of 2 elements");
    BOOST_TEST(between<_Float16>("float16", {_Float16(0.5)}, {_Float16(2)}) ==
               "y[0] is 0.5, the reference has 2 (1 of 1 elements differs)");
}

BOOST_AUTO_TEST_CASE(what_is_no_number) {
    BOOST_TEST(between<float>("float32", {nan, nan}, {nan, 1}) ==
               "y[1] is nan, the reference has 1 (1 of 2 elements differs)");
    BOOST_TEST(between<float>("float32", {infinity, -infinity}, {infinity, infinity}) ==
               "y[1] is -inf, the reference has inf (1 of 2 elements differs)");
    BOOST_TEST(between<float>("float32", {infinity, nan}, {infinity, nan}).empty());
}

BOOST_AUTO_TEST_CASE(sizes) {
    BOOST_TEST(between<float>("float32", {1}, {1, 2}) == "y.bin has 4 bytes, the reference has 8");
    BOOST_TEST(between<float>("float32", {}, {1}) == "y.bin has 0 bytes, the reference has 4");
    BOOST_TEST(between<float>("float32", {}, {}).empty());
    // Half an element at the end belongs to none.
    BOOST_TEST(between<std::uint8_t>("float32", {0, 0, 0, 0, 1}, {0, 0, 0, 0, 2}).empty());
}

BOOST_AUTO_TEST_CASE(a_difference_behind_the_first_chunk) {
    std::vector<std::int32_t> own((1 << 20) + 5), reference(own.size());
    own[1 << 20] = 9;
    BOOST_TEST(between("int32", own, reference) ==
               "y[1048576] is 9, the reference has 0 (1 of 1048581 elements differs)");
}

BOOST_AUTO_TEST_CASE(several_outputs) {
    const std::vector<float> one{1}, other{2}, two{1, 2}, more{1, 3};
    BOOST_TEST(output_files()
                   .output("a", "float32", one)
                   .output("b", "float32", two)
                   .reference("r", more)
                   .reference("s", one)
                   .difference() == "b[1] is 2, the reference has 3 (1 of 2 elements differs)");
    // Rounding in one does not hide what is wrong in another.
    BOOST_TEST(output_files()
                   .output("a", "float32", std::vector<float>{1.0001F})
                   .output("b", "float32", two)
                   .reference("r", one)
                   .reference("s", more)
                   .difference() == "b[1] is 2, the reference has 3 (1 of 2 elements differs)");
    BOOST_TEST(output_files()
                   .output("a", "float32", std::vector<float>{1.0000001F})
                   .reference("r", one)
                   .difference() ==
               "a[0] is 1.0000001, the reference has 1, the largest difference of 1 elements");
    // Which of the references is whose is not known.
    BOOST_TEST(output_files()
                   .output("a", "float32", one)
                   .output("b", "float32", one)
                   .reference("r", other)
                   .reference("s", one)
                   .difference()
                   .empty());
    BOOST_TEST(output_files()
                   .output("a", "float32", one)
                   .reference("r", other)
                   .reference("s", other)
                   .difference()
                   .empty());
}

BOOST_AUTO_TEST_CASE(what_the_task_does_not_say) {
    const std::vector<float> one{1}, other{2};
    BOOST_TEST(between("", one, other).empty());
    BOOST_TEST(between("complex64", one, other).empty());
    BOOST_TEST(output_files().output("y", "float32", one).difference().empty());
}

BOOST_AUTO_TEST_CASE(what_is_no_plain_file) {
    const std::vector<float> one{1}, other{2};
    output_files files;
    files.output("y", "float32", one).reference("r", other);
    fs::remove(files.path("y"));
    BOOST_TEST(files.difference().empty());
    BOOST_REQUIRE(::mkfifo(files.path("y").c_str(), 0600) == 0);
    BOOST_TEST(files.difference().empty());  // and it does not wait for a writer
    fs::remove(files.path("y"));
    fs::create_symlink("references/r.bin", files.path("y"));
    BOOST_TEST(files.difference().empty());
}

BOOST_AUTO_TEST_SUITE_END()
