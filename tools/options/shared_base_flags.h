// --shard-base, of the tools in which several processes share a model.
#pragma once

#include <string>

#include "cuset/cli/option_table.h"
#include "cuset/model/causal_lm.h"
#include "cuset/processes/process_group.h"
#include "model_flags.h"

namespace cuset {

/// Appends --shard-base, into `shares`, and the launchers' variables.
void add_shard_base_flag(program& p, bool& shares);

/// Which of how many processes this is; one alone without --shard-base. error_kind::usage: what
/// does not go with it, or as read_process_environment().
result<process_environment> sharing_processes(bool shares, const model_flags& flags,
                                              const std::string& endpoint);

/// Has a model loaded as this process's part of a shared one; nothing without --shard-base.
void share(bool shares, const process_environment& environment, model_options& options);

/// Meets the other processes. error_kind::usage if their models, or `settings`, differ.
result<process_group> meet(const process_environment& environment, int device,
                           std::uint64_t fingerprint, const std::string& description,
                           const std::string& settings);

/// The processes that share `loaded`, a causal_lm or a cached_decoder. They must outlive it.
template <typename model>
result<process_group> share_loaded(const process_environment& environment, model& loaded,
                                   const std::string& settings = {}) {
    if (environment.size == 1) return process_group();
    CUSET_ASSIGN(process_group processes, meet(environment, loaded.device(), loaded.fingerprint(),
                                               loaded.compute_description(), settings));
    loaded.share_through(*processes.exchange());
    return processes;
}

}  // namespace cuset
