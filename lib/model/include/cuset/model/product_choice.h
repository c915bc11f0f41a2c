// Who computes matrix products on the CPU: MKL, which LibTorch's library contains, or the kernels
// of cuset/kernels/packed_products.h. Which of them is faster depends on the processor: MKL takes
// slow paths on those of other makers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cuset/base/status.h"

namespace cuset {

enum class product_provider : unsigned char { mkl, own };

/// One provider for each type of the inputs.
struct product_choice {
    product_provider bfloat16 = product_provider::mkl;
    product_provider single = product_provider::mkl;
    bool operator==(const product_choice&) const = default;
};

/// "bf16 own, float mkl".
std::string name_of(const product_choice& choice);
std::optional<product_choice> product_choice_of(std::string_view name);

/// Makes this process's choice, unless it is made: `kept`, that of a run that goes on; else the
/// provider that CUSET_PRODUCTS names ("own" or "mkl"); else the faster one. That is measured once
/// on a machine, in some 30 ms, and kept in $XDG_CACHE_HOME/cuset (~/.cache/cuset). The file is
/// made again if it is damaged, and missed if it cannot be written. MKL must be a tenth faster to
/// be chosen, since the results of the own kernels depend neither on the batch nor on the threads.
/// error_kind::usage for another name; error_kind::data if `kept` is not the choice that was made;
/// error_kind::unsupported if this processor cannot compute what was asked for.
status choose_products(const std::optional<product_choice>& kept = std::nullopt);

/// The choice; made now if choose_products() was not called, by speed alone if it would fail. The
/// first call of either must not race with another.
const product_choice& chosen_products();

}  // namespace cuset
