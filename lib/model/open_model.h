// The part of loading that every kind of pass begins with. Private to lib/model.
#pragma once

#include <filesystem>
#include <string>

#include "cuset/base/status.h"
#include "cuset/model/causal_lm.h"
#include "weights.h"

namespace cuset {

struct opened_model {
    decoder_weights weights;  ///< with the adapter's updates, if there is one
    std::string name;         ///< as causal_lm::name
    bool bfloat16 = false;    ///< as checkpoint::bfloat16
    std::string quantised;    ///< name_of the quantisation
    int device = -1;          ///< as resolve_device
    int threads = 1;          ///< which LibTorch and MKL are set to

    /// Whether LibTorch's operators run it rather than kernels of our own.
    bool operators = false;

    /// "cuda:0 bf16", "cpu bf16 (<way>, 2 threads)" or "cpu nf4 in bf16 (<way>, 2 threads)".
    std::string description(const std::string& way) const;
    /// Of a base that processes share: with all that its bits depend on besides the threads.
    std::string shared_description() const;
};

/// Errors as causal_lm::load.
result<opened_model> open_model(const std::filesystem::path& folder, const model_options& options);

}  // namespace cuset
