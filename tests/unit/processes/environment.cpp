// What launchers tell a process.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <utility>

#include "cuset/processes/process_group.h"

namespace cuset {

namespace {

void clear() {
    for (const char* name :
         {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT",
          "TORCHELASTIC_USE_AGENT_STORE", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK",
          "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "PMI_SIZE", "PMI_RANK",
          "MPI_LOCALRANKID", "MPI_LOCALNRANKS"})
        ::unsetenv(name);
}

void set(std::initializer_list<std::pair<const char*, const char*>> values) {
    for (const auto& [name, value] : values) ::setenv(name, value, 1);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_environment_says_which_process_this_is) {
    clear();
    BOOST_TEST(read_process_environment().value().size == 1u);
    set({{"WORLD_SIZE", "8"}});
    BOOST_TEST(!read_process_environment().is_ok());
    set({{"RANK", "5"}, {"MASTER_ADDR", "node1"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "4"}});
    const auto environment = read_process_environment().value();
    BOOST_TEST(environment.rank == 5u);
    BOOST_TEST(environment.port == 29500);
    BOOST_TEST(device_of(environment, "cuda") == "cuda:1");
    BOOST_TEST(device_of(environment, "cpu") == "cpu");
    BOOST_TEST(threads_of(environment, 3) == 3);
    BOOST_TEST(threads_of(environment, 0) >= 1);
    for (const char* bad : {"", "8x", "-1", "99999"}) {
        ::setenv("MASTER_PORT", bad, 1);
        BOOST_TEST(!read_process_environment().is_ok(), bad);
    }
    clear();
}

BOOST_AUTO_TEST_CASE(mpi_launchers_say_it_too) {
    clear();
    set({{"OMPI_COMM_WORLD_SIZE", "4"},
         {"OMPI_COMM_WORLD_RANK", "3"},
         {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
         {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
    // Two machines, and none is said to be process 0's.
    BOOST_TEST(read_process_environment().error().message().find("MASTER_ADDR") !=
               std::string::npos);
    set({{"MASTER_ADDR", "node1"}});
    auto environment = read_process_environment().value();
    BOOST_TEST(environment.size == 4u);
    BOOST_TEST(environment.rank == 3u);
    BOOST_TEST(environment.local_rank == 1u);
    BOOST_TEST(environment.local_size == 2u);
    BOOST_TEST(environment.address == "node1");
    // torchrun under mpirun starts processes of its own.
    set({{"WORLD_SIZE", "8"}, {"RANK", "6"}, {"LOCAL_RANK", "2"}, {"LOCAL_WORLD_SIZE", "4"}});
    BOOST_TEST(read_process_environment().value().rank == 6u);
    clear();

    set({{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}});
    BOOST_TEST(!read_process_environment().is_ok());  // on one machine or two?
    set({{"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "2"}});
    environment = read_process_environment().value();
    BOOST_TEST(environment.rank == 1u);
    BOOST_TEST(environment.local_rank == 1u);
    BOOST_TEST(environment.address == "127.0.0.1");
    set({{"PMI_RANK", "2"}});
    BOOST_TEST(!read_process_environment().is_ok());
    clear();
}

}  // namespace cuset
