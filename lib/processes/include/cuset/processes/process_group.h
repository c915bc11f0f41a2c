// The processes of one run: their ranks, sums over all of them, and layers that they share.
#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "cuset/base/status.h"
#include "cuset/model/layer_exchange.h"

namespace cuset {

/// What torchrun, or another launcher, tells its processes by variables: torchrun's are named here.
/// Without WORLD_SIZE, Open MPI's (OMPI_COMM_WORLD_SIZE, _RANK, _LOCAL_RANK, _LOCAL_SIZE) are
/// taken, or those of MPICH's and Intel's Hydra (PMI_SIZE, PMI_RANK, MPI_LOCALRANKID,
/// MPI_LOCALNRANKS). They name no MASTER_ADDR: 127.0.0.1 is taken if all processes are on one
/// machine.
struct process_environment {
    std::size_t rank = 0, size = 1;  ///< RANK of WORLD_SIZE
    std::size_t local_rank = 0;      ///< LOCAL_RANK: the index of this machine's GPU
    std::size_t local_size = 1;      ///< LOCAL_WORLD_SIZE: processes on this machine
    std::string address;             ///< MASTER_ADDR
    int port = 29500;                ///< MASTER_PORT
    bool agent_store = false;        ///< torchrun itself serves address:port
    std::string attempt = "0";       ///< TORCHELASTIC_RESTART_COUNT
};

/// Reads the environment. Without a launcher there is one process. error_kind::usage: a number that
/// cannot be read, RANK not below WORLD_SIZE, or several processes without RANK or MASTER_ADDR.
result<process_environment> read_process_environment();

/// This process's device if `asked` is auto or cuda: each process of a machine has its own GPU.
std::string device_of(const process_environment& environment, const std::string& asked);
/// This process's threads if `asked` is 0: the processes of a machine share its cores.
int threads_of(const process_environment& environment, int asked);

/// Sums are added in an order that depends only on the number of processes, so they have the same
/// bits on every process and in every run. CPU processes add through Gloo, on the network interface
/// that GLOO_SOCKET_IFNAME names (else that of the machine's name). GPUs add through NCCL, whose
/// order also depends on the machines' wiring. The rendezvous is c10d's TCPStore.
///
/// If a process is lost (it has ended, its machine is off, the network to it is cut, or it stands
/// still, as by SIGSTOP), the sum or gather that another one waits in ends with error_kind::io,
/// which names it and its machine: some three seconds after connections broke, and at the latest
/// two seconds after a `silence`. Each process gives a sign of life twice a second, on a thread of
/// its own, so that one which only computes, reads or writes for long is not lost. If the network
/// is cut, each side names one of the other side. Whoever is cut off from the store names process
/// 0, which serves it.
class process_group {
public:
    process_group();  ///< one process, alone
    /// Waits until all processes are there, ten minutes at most: some may load a model longer than
    /// others. With more than one, this process ignores SIGPIPE from here on.
    static result<process_group> join(const process_environment& environment, at::Device device,
                                      std::chrono::seconds silence = std::chrono::seconds(7));
    process_group(process_group&&) noexcept;
    process_group& operator=(process_group&&) noexcept;
    ~process_group();

    std::size_t rank() const;
    std::size_t size() const;

    /// Replaces a contiguous float or double tensor by the sum of all processes' tensors. All
    /// processes must call it. On a GPU the sum is queued (except the first, in which NCCL connects
    /// to the others); call finish_sum() before the host waits for anything else there, since it
    /// notices if a process is lost.
    status queue_sum(at::Tensor& values);
    status finish_sum();
    status sum(std::span<double> values);
    /// The error with which the next sum would end, if a process is lost. It is quick: call it
    /// between parts of long work before a sum.
    status check_others();
    /// An error on every process if `text` is not the same on all; `what` names it.
    status check_same(const std::string& what, const std::string& text);
    /// Waits until all processes have called it.
    status wait_for_all();

    /// Gathers of layers, which come in the same order among the sums on all processes. It lives as
    /// long as the group; null if this process is alone.
    layer_exchange* exchange();

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace cuset
