// The processes of a run, as one thread each. Also built under ThreadSanitizer.
#include "cuset/processes/process_group.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace cuset {

namespace {

/// The flight recorder, which all groups of a process share, writes a map before it takes its lock.
/// Only tests have several groups in a process.
const bool no_flight_recorder = setenv("TORCH_FR_BUFFER_SIZE", "0", 1) == 0;

/// A port without a listener.
int free_port() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const int socket_fd = ::socket(AF_INET, SOCK_STREAM, 0);
    BOOST_REQUIRE(::bind(socket_fd, reinterpret_cast<sockaddr*>(&address), size) == 0);
    BOOST_REQUIRE(::getsockname(socket_fd, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    ::close(socket_fd);
    return ntohs(address.sin_port);
}

/// The results of `part` on each of `size` processes.
std::vector<status> on_all(std::size_t size, const std::function<status(process_group&)>& part,
                           std::chrono::seconds silence = std::chrono::seconds(7)) {
    std::vector<status> ends(size);
    std::vector<std::thread> threads;
    const int port = free_port();
    for (std::size_t rank = 0; rank < size; ++rank)
        threads.emplace_back([&, rank] {
            process_environment environment;
            environment.rank = rank;
            environment.size = size;
            environment.address = "127.0.0.1";
            environment.port = port;
            auto group = process_group::join(environment, at::kCPU, silence);
            ends[rank] = group ? part(group.value()) : group.error();
        });
    for (std::thread& thread : threads) thread.join();
    return ends;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(process_groups)

BOOST_AUTO_TEST_CASE(sums_are_the_same_bits_everywhere) {
    constexpr std::size_t size = 3, count = 100'003;
    std::array<at::Tensor, size> floats;
    std::array<std::array<double, 2>, size> doubles;
    const auto ends = on_all(size, [&](process_group& group) {
        const std::size_t rank = group.rank();
        // Thirds: their sum depends on the order of the terms.
        at::Tensor values = at::arange(static_cast<std::int64_t>(count), at::kFloat)
                                .add(static_cast<double>(rank))
                                .div(3.0 + static_cast<double>(rank));
        CUSET_TRY(group.queue_sum(values));
        CUSET_TRY(group.finish_sum());
        floats[rank] = values;
        doubles[rank] = {1.0 / 3 + static_cast<double>(rank), 1};
        CUSET_TRY(group.sum(doubles[rank]));
        return group.wait_for_all();
    });
    for (std::size_t rank = 0; rank < size; ++rank) {
        BOOST_TEST(ends[rank].is_ok(), ends[rank].message());
        BOOST_TEST(at::equal(floats[rank], floats[0]));
        BOOST_TEST(doubles[rank] == doubles[0]);
    }
    // 9 / 3 + 10 / 4 + 11 / 5, and a sum of doubles: six and 15 digits.
    BOOST_TEST(floats[0][9].item<double>() == 3 + 2.5 + 2.2, boost::test_tools::tolerance(1e-6));
    BOOST_TEST(doubles[0][0] == 4.0, boost::test_tools::tolerance(1e-14));
    BOOST_TEST(doubles[0][1] == 3.0);
}

BOOST_AUTO_TEST_CASE(parts_are_gathered_in_the_order_of_ranks) {
    constexpr std::size_t size = 3;
    constexpr std::int64_t count = 70'001;
    std::array<at::Tensor, size> wholes;
    const auto ends = on_all(size, [&](process_group& group) {
        const auto rank = static_cast<std::int64_t>(group.rank());
        const at::Tensor part = at::arange(rank * count, (rank + 1) * count, at::kFloat);
        at::Tensor& whole = wholes[group.rank()];
        whole = at::zeros({static_cast<std::int64_t>(size) * count});
        layer_exchange& exchange = *group.exchange();
        CUSET_TRY(exchange.begin(part, whole));
        // A sum may come before the end of a gather, if it does so on all.
        std::array<double, 1> one = {1};
        CUSET_TRY(group.sum(one));
        CUSET_TRY(exchange.finish());
        return group.wait_for_all();
    });
    const at::Tensor expected = at::arange(static_cast<std::int64_t>(size) * count, at::kFloat);
    for (std::size_t rank = 0; rank < size; ++rank) {
        BOOST_TEST(ends[rank].is_ok(), ends[rank].message());
        BOOST_TEST(at::equal(wholes[rank], expected));
    }
    BOOST_TEST(process_group().exchange() == nullptr);
}

BOOST_AUTO_TEST_CASE(a_process_that_ends_before_a_gather_is_named) {
    const auto ends = on_all(3, [](process_group& group) {
        if (group.rank() == 1) return status::ok();
        const at::Tensor part = at::zeros({64}), whole = at::zeros({192});
        CUSET_TRY(group.exchange()->begin(part, whole));
        return group.exchange()->finish();
    });
    BOOST_TEST(ends[1].is_ok(), ends[1].message());
    for (const std::size_t rank : {0U, 2U})
        BOOST_TEST(ends[rank].message().find("process 1 on ") == 0, ends[rank].message());
}

BOOST_AUTO_TEST_CASE(one_that_computes_for_longer_than_the_silence_is_not_lost) {
    const auto ends = on_all(
        2,
        [](process_group& group) {
            if (group.rank() == 1) std::this_thread::sleep_for(std::chrono::seconds(6));
            std::array<double, 1> value = {1};
            CUSET_TRY(group.check_others());
            return group.sum(value);
        },
        std::chrono::seconds(4));
    for (const status& end : ends) BOOST_TEST(end.is_ok(), end.message());
}

BOOST_AUTO_TEST_CASE(between_sums_it_tells_who_is_lost_too) {
    const auto ends = on_all(2, [](process_group& group) {
        if (group.rank() == 1) return status::ok();
        for (int i = 0; i < 600; ++i) {
            CUSET_TRY(group.check_others());
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        return status::ok();
    });
    BOOST_TEST(ends[0].message().find("process 1 on ") == 0, ends[0].message());
    BOOST_TEST(process_group().check_others().is_ok());
}

BOOST_AUTO_TEST_CASE(what_differs_is_an_error_on_all) {
    const auto ends = on_all(2, [](process_group& group) {
        CUSET_TRY(group.check_same("the seed", "7"));
        return group.check_same("the model", group.rank() == 0 ? "a" : "b");
    });
    for (const status& end : ends) {
        BOOST_TEST(!end.is_ok());
        BOOST_TEST(end.message().find("the model is not ") == 0, end.message());
    }
}

BOOST_AUTO_TEST_CASE(a_process_that_has_ended_is_named) {
    const auto ends = on_all(3, [](process_group& group) {
        if (group.rank() == 1) return status::ok();
        std::array<double, 1> value = {1};
        return group.sum(value);
    });
    BOOST_TEST(ends[1].is_ok(), ends[1].message());
    for (const std::size_t rank : {0U, 2U})
        BOOST_TEST(ends[rank].message().find("process 1 on ") == 0, ends[rank].message());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace cuset
