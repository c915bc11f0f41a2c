// Signs of life, through a store within this process. Also built under ThreadSanitizer.
#include "peer_watch.h"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <vector>

namespace cuset {

namespace {

using namespace std::chrono_literals;

/// A store that can be cut off: a request to it then has no answer.
class cut_store final : public c10d::HashStore {
public:
    void set(const std::string& key, const std::vector<std::uint8_t>& value) override {
        while (is_cut) std::this_thread::sleep_for(10ms);
        HashStore::set(key, value);
    }
    using HashStore::set;
    std::atomic<bool> is_cut = false;
};

const std::vector<std::string> names = {"process 0 on a", "process 1 on b", "process 2 on b"};

struct watched {
    c10::intrusive_ptr<cut_store> store = c10::make_intrusive<cut_store>();
    watched() {
        for (std::size_t rank = 0; rank < names.size(); ++rank) peer_watch::announce(*store, rank);
    }
    std::unique_ptr<peer_watch> watch(std::size_t rank, std::chrono::seconds silence = 4s) const {
        return std::make_unique<peer_watch>(store, rank, names, names[0], silence);
    }
};

status wait_for_loss(peer_watch& watch) {
    for (int i = 0; i < 600; ++i) {
        CUSET_TRY(watch.check());
        std::this_thread::sleep_for(100ms);
    }
    return {};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(peer_watches)

BOOST_FIXTURE_TEST_CASE(one_that_is_silent_is_lost_for_all_the_others, watched) {
    const auto first = watch(0), second = watch(1);
    std::this_thread::sleep_for(500ms);
    BOOST_TEST(second->check().is_ok());
    const std::string lost = "process 2 on b is lost: no sign of life for 4 s";
    BOOST_TEST(wait_for_loss(*first).message() == lost);
    BOOST_TEST(wait_for_loss(*second).message() == lost);
    BOOST_TEST((first->check().kind() == error_kind::io));
}

BOOST_FIXTURE_TEST_CASE(those_that_end_because_of_another_are_not_the_lost_ones, watched) {
    auto first = watch(0), second = watch(1);
    const std::string lost = "process 2 on b is lost: no sign of life for 4 s";
    BOOST_TEST(wait_for_loss(*second).message() == lost);
    second.reset();
    std::this_thread::sleep_for(7s);  // longer than the patience for those that end
    BOOST_TEST(first->check().message() == lost);
}

BOOST_FIXTURE_TEST_CASE(the_server_stays_until_the_others_know_who_is_lost, watched) {
    auto first = watch(0), second = watch(1, 60s);  // the second one only hears of it
    const std::string lost = "process 2 on b is lost: no sign of life for 4 s";
    BOOST_TEST(wait_for_loss(*first).message() == lost);
    first.reset();
    store->is_cut = true;
    BOOST_TEST(second->check().message() == lost);
    second.reset();
    store->is_cut = false;
}

BOOST_FIXTURE_TEST_CASE(one_that_ends_is_lost_for_those_that_wait_for_it, watched) {
    const auto first = watch(0, 60s), second = watch(1, 60s);
    std::thread([this] { watch(2, 60s).reset(); }).join();
    BOOST_TEST(wait_for_loss(*first).message() == "process 2 on b is lost: it has ended");
}

BOOST_FIXTURE_TEST_CASE(without_a_store_its_server_is_lost, watched) {
    auto second = watch(1);
    std::this_thread::sleep_for(500ms);
    store->is_cut = true;
    BOOST_TEST(wait_for_loss(*second).message() ==
               "process 0 on a is lost: no answer from its store for 4 s");
    second.reset();  // does not wait for the store
    store->is_cut = false;
}

BOOST_FIXTURE_TEST_CASE(a_connection_that_broke_is_a_reason_to_be_less_patient, watched) {
    const auto first = watch(0, 60s), second = watch(1, 60s);
    BOOST_TEST(first->find_lost().message() == "process 2 on b is lost: no sign of life for 3 s");
    BOOST_TEST(second->find_lost().message() == first->check().message());
}

BOOST_FIXTURE_TEST_CASE(nobody_is_lost_where_all_live, watched) {
    auto first = watch(0, 5s), second = watch(1, 5s), third = watch(2, 5s);
    std::this_thread::sleep_for(6s);
    for (peer_watch* each : {first.get(), second.get(), third.get()}) {
        BOOST_TEST(each->check().is_ok(), each->check().message());
    }
    BOOST_TEST(first->find_lost().is_ok());
    std::vector<std::thread> ends;
    for (auto* each : {&first, &second, &third}) ends.emplace_back([each] { each->reset(); });
    for (std::thread& end : ends) end.join();
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace cuset
