// Tests what is kept, for how long, and what evaluations that share a cache may rely on.
#include "build/kept_compilation.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <thread>

#include "cuset/judge/compiler.h"
#include "cuset/sandbox/scratch_folder.h"
#include "sandbox/room.h"

using namespace cuset;
using namespace cuset::sandbox_test;

namespace {

constexpr std::uint64_t mebibyte = 1 << 20;

struct cache_room : own_folder {
    compilation keep(const entry_cache& cache, const std::string& key,
                     std::size_t bytes = 300'000) {
        compilation made;
        made.program = folder / ("made-" + key);
        std::ofstream(made.program) << std::string(bytes, 'x');
        made.seconds = 1.5;
        BOOST_REQUIRE(keep_compilation(cache, key, made).is_ok());
        fs::remove(folder / ("made-" + key));
        return made;
    }
    /// The time of an entry's last use.
    static void use(const compilation& of, std::time_t when) {
        const timespec times[2]{{when, 0}, {when, 0}};
        const fs::path key = of.program.parent_path() / "key";
        BOOST_REQUIRE(::utimensat(AT_FDCWD, key.c_str(), times, 0) == 0);
    }
    static void grow_old(const fs::path& path) {
        const timespec times[2]{{1'000'000'000, 0}, {1'000'000'000, 0}};
        BOOST_REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
    }
    std::uint64_t bytes() const {
        std::uint64_t sum = 0;
        struct stat about {};
        for (const auto& at : fs::recursive_directory_iterator(folder / "cache"))
            if (::lstat(at.path().c_str(), &about) == 0)
                sum += static_cast<std::uint64_t>(about.st_blocks) * 512;
        return sum;
    }

    fs::path place = folder / "cache";
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(compile_caches, cache_room)

BOOST_AUTO_TEST_CASE(what_is_kept_is_found) {
    const entry_cache cache(place);
    BOOST_TEST(!find_compilation(cache, "key").has_value());
    const compilation made = keep(cache, "key");
    BOOST_TEST(fs::exists(made.program));
    const auto found = find_compilation(cache, "key");
    BOOST_REQUIRE(found.has_value());
    BOOST_TEST((found->cached && found->seconds == 1.5 && found->program == made.program));
    BOOST_TEST(text_of(found->program) == std::string(300'000, 'x'));
    BOOST_TEST(!find_compilation(cache, "another").has_value());
    BOOST_TEST(!find_compilation(cache, "").has_value());
    compilation refused;
    refused.end = compile_end::error;
    refused.diagnostic = "error: \xff\x1b";
    BOOST_REQUIRE(keep_compilation(cache, "refused", refused).is_ok());
    BOOST_TEST(find_compilation(cache, "refused")->diagnostic == "error: \\xff\\x1b");
}

// Both keys have the same FNV-1a hash of 64 bits.
BOOST_AUTO_TEST_CASE(two_keys_have_two_places) {
    const entry_cache cache(place);
    keep(cache, "8yn0iYCKYHlIj4-BwPqk");
    keep(cache, "GReLUrM4wMqfg9yzV3KQ");
    BOOST_TEST(find_compilation(cache, "8yn0iYCKYHlIj4-BwPqk").has_value());
    BOOST_TEST(find_compilation(cache, "GReLUrM4wMqfg9yzV3KQ").has_value());
}

BOOST_AUTO_TEST_CASE(what_is_broken_is_made_again) {
    const entry_cache cache(place);
    for (const char* file : {"program", "result.json", "key"})
        for (const bool cut : {false, true}) {
            const fs::path folder_of = keep(cache, "key").program.parent_path();
            cut ? fs::resize_file(folder_of / file, 2)
                : static_cast<void>(fs::remove(folder_of / file));
            BOOST_TEST(!find_compilation(cache, "key").has_value(), file);
            keep(cache, "key");
            BOOST_TEST(find_compilation(cache, "key").has_value(), file);
        }
    for (const auto& at : fs::recursive_directory_iterator(place))
        BOOST_TEST(!at.path().filename().string().starts_with(".work-"), at.path());
}

BOOST_AUTO_TEST_CASE(the_oldest_go_first) {
    const entry_cache unbounded(place);
    for (int i = 0; i < 10; ++i) use(keep(unbounded, std::to_string(i)), 1'000'000 + (i * 7) % 10);
    unbounded.trim();
    BOOST_TEST(bytes() > 3 * mebibyte - 100'000);
    cache_room::use(*find_compilation(unbounded, "0"), 2'000'000);  // the oldest was used again
    const entry_cache cache(place, 2 * mebibyte);
    cache.trim();
    BOOST_TEST(bytes() <= 2 * mebibyte);
    std::string left;
    for (int i = 0; i < 10; ++i)
        if (find_compilation(cache, std::to_string(i))) left += std::to_string(i);
    // By (i * 7) % 10 the order is 0 3 6 9 2 5 8 1 4 7.
    BOOST_TEST(left == "01478");
}

BOOST_AUTO_TEST_CASE(what_is_found_is_used_now) {
    const entry_cache unbounded(place), cache(place, mebibyte);
    use(keep(unbounded, "a"), 1000);
    use(keep(unbounded, "b"), 2000);
    use(keep(unbounded, "c"), 3000);
    BOOST_TEST(find_compilation(cache, "a").has_value());
    keep(cache, "d");
    cache.trim();
    BOOST_TEST(
        (find_compilation(cache, "a").has_value() && find_compilation(cache, "d").has_value()));
    BOOST_TEST((!find_compilation(cache, "b").has_value()));
}

BOOST_AUTO_TEST_CASE(what_is_held_stays) {
    const entry_cache cache(place, mebibyte / 4);
    std::optional<compilation> made = keep(cache, "made"), found;
    use(*made, 1000);
    cache.trim();
    BOOST_TEST(fs::exists(made->program));
    found = find_compilation(cache, "made");
    made.reset();
    BOOST_REQUIRE(found.has_value());
    cache.trim();
    BOOST_TEST(fs::exists(found->program));
    found.reset();
    cache.trim();
    BOOST_TEST(!find_compilation(cache, "made").has_value());
    BOOST_TEST(bytes() < mebibyte / 4);
}

BOOST_AUTO_TEST_CASE(keeping_makes_room) {
    const entry_cache cache(place, 4 * mebibyte);
    for (int i = 0; i < 60; ++i) {
        keep(cache, std::to_string(i));
        BOOST_TEST(bytes() <= 4 * mebibyte, i);
    }
    BOOST_TEST(bytes() > 2 * mebibyte);
    BOOST_TEST(find_compilation(cache, "59").has_value());
}

BOOST_AUTO_TEST_CASE(the_runtime_is_an_entry_too) {
    const entry_cache cache(place, mebibyte / 2);
    const auto put = [&] {
        auto made = scratch_folder::make(place);
        BOOST_REQUIRE(made.is_ok());
        std::ofstream(made->path() / "key") << "runtime";
        std::ofstream(made->path() / "library") << std::string(mebibyte, 'x');
        auto hold = cache.put(std::move(made).value(), place / "host-1", "runtime",
                              [](const fs::path& at) { return fs::exists(at / "library"); });
        BOOST_REQUIRE(hold.is_ok());
        return *hold;
    };
    auto first = put(), second = put();  // the second comes too late, and takes the first
    first.reset();
    cache.trim();
    BOOST_TEST(fs::exists(place / "host-1/library"));
    second.reset();
    cache.trim();
    BOOST_TEST(!fs::exists(place / "host-1"));
}

BOOST_AUTO_TEST_CASE(work_of_the_dead_is_removed) {
    const entry_cache cache(place);
    const fs::path group = keep(cache, "key").program.parent_path().parent_path();
    std::vector<fs::path> dead;
    for (const auto& parent : {place, group}) {
        dead.push_back(parent / ".work-dead");
        fs::create_directory(dead.back());
        std::ofstream(dead.back() / "half") << "x";
        grow_old(dead.back());
        fs::create_directory(parent / ".work-young");  // made, and not locked yet
    }
    const auto living = scratch_folder::make(place);
    BOOST_REQUIRE(living.is_ok());
    grow_old(living->path());
    cache.trim();
    for (const auto& folder_of : dead) BOOST_TEST(!fs::exists(folder_of), folder_of);
    BOOST_TEST((fs::exists(place / ".work-young") && fs::exists(group / ".work-young")));
    BOOST_TEST(fs::exists(living->path()));
    BOOST_TEST(find_compilation(cache, "key").has_value());
}

BOOST_AUTO_TEST_CASE(one_trims_at_a_time) {
    const entry_cache cache(place, mebibyte / 4);
    keep(entry_cache(place), "key");
    const unique_fd another(::open((place / "removals.lock").c_str(), O_RDWR | O_CREAT, 0600));
    BOOST_REQUIRE(::flock(another.get(), LOCK_EX) == 0);
    cache.trim();
    BOOST_TEST(find_compilation(cache, "key").has_value());
    ::flock(another.get(), LOCK_UN);
    cache.trim();
    BOOST_TEST(!find_compilation(cache, "key").has_value());
}

// Each program exists as long as its user has it, even if others free space meanwhile.
BOOST_AUTO_TEST_CASE(several_at_once) {
    std::vector<std::thread> threads;
    std::atomic<int> missing = 0, failed = 0;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            const entry_cache cache(place, mebibyte / 2);
            for (int i = 0; i < 150; ++i) {
                const std::string key = std::to_string((i * 3 + t) % 11);
                auto have = find_compilation(cache, key);
                if (!have) {
                    compilation made;
                    made.program = folder / ("made-" + std::to_string(t));
                    std::ofstream(made.program) << std::string(100'000, key[0]);
                    if (!keep_compilation(cache, key, made)) ++failed;
                    have = made;
                }
                cache.trim();
                if (text_of(have->program) != std::string(100'000, key[0])) ++missing;
            }
        });
    for (auto& thread : threads) thread.join();
    BOOST_TEST((missing == 0 && failed == 0));
    entry_cache(place, mebibyte / 2).trim();
    BOOST_TEST(bytes() <= mebibyte / 2);
}

BOOST_AUTO_TEST_CASE(no_place) {
    std::ofstream(place) << "a file";
    const entry_cache cache(place, mebibyte);
    cache.trim();
    BOOST_TEST(!find_compilation(cache, "key").has_value());
    compilation refused;
    refused.end = compile_end::error;
    BOOST_TEST((keep_compilation(cache, "key", refused).kind() == error_kind::io));
}

BOOST_AUTO_TEST_SUITE_END()
