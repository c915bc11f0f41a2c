// The processes of one training run: who they are, and sums over all of them.
#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "cuset/base/status.h"

namespace cuset {

/// What torchrun tells its processes, or anybody who sets the same variables.
struct process_environment {
    std::size_t rank = 0, size = 1;  ///< RANK of WORLD_SIZE
    std::size_t local_rank = 0;      ///< LOCAL_RANK: which GPU of this machine
    std::size_t local_size = 1;      ///< LOCAL_WORLD_SIZE: processes on this machine
    std::string address;             ///< MASTER_ADDR
    int port = 29500;                ///< MASTER_PORT
    bool agent_store = false;        ///< torchrun itself serves address:port
    std::string attempt = "0";       ///< TORCHELASTIC_RESTART_COUNT
};

/// Reads the environment. One process where WORLD_SIZE is not set. error_kind::usage: a number that
/// is none, RANK not below WORLD_SIZE, several processes and no RANK or MASTER_ADDR.
result<process_environment> read_process_environment();

/// The device of this process where `asked` is auto or cuda: each process of a machine has its own
/// GPU.
std::string device_of(const process_environment& environment, const std::string& asked);
/// Its threads where `asked` is 0: the processes of a machine share its cores.
int threads_of(const process_environment& environment, int asked);

/// Sums are added in an order that depends on nothing but the number of processes, so they are the
/// same bits on every process and in every run. Between CPU processes they go through Gloo, on the
/// network interface that GLOO_SOCKET_IFNAME names (else that of the machine's name); between GPUs
/// through NCCL, whose order depends on the machines' wiring too. The rendezvous is c10d's
/// TCPStore.
///
/// A process that is lost ends every other's next sum with error_kind::io that names it, at the
/// latest `silence` after its last sign of life: each process gives one every second. Only process
/// 0, which serves the store, is waited for where it stands still without having ended.
class process_group {
public:
    process_group();  ///< one process, alone
    /// Waits until all processes are there, `silence` at most.
    static result<process_group> join(const process_environment& environment, at::Device device,
                                      std::chrono::seconds silence = std::chrono::seconds(60));
    process_group(process_group&&) noexcept;
    process_group& operator=(process_group&&) noexcept;
    ~process_group();

    std::size_t rank() const;
    std::size_t size() const;

    /// Has a contiguous float or double tensor become the sum of all processes' ones. All call it.
    /// On a GPU it is queued (but for the first, in which NCCL connects to the others), and
    /// finish_sum() is to be called before the host waits for anything else there: it notices where
    /// a process is lost.
    status queue_sum(at::Tensor& values);
    status finish_sum();
    status sum(std::span<double> values);
    /// An error on every process where `text` is not the same on all; `what` names it.
    status check_same(const std::string& what, const std::string& text);
    /// Waits until all have come here.
    status wait_for_all();

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace cuset
