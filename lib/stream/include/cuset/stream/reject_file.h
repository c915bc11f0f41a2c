// The destination of a stream's bad lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "cuset/base/status.h"
#include "cuset/stream/output.h"

namespace cuset {

/// Takes bad lines unchanged. Without a file it drops them.
class reject_file {
public:
    /// The most reasons that are reported: a file of another kind must not fill the screen.
    static constexpr std::uint64_t most_reasons = 10;

    explicit reject_file(std::optional<output> file) : file_(std::move(file)) {}

    /// Reports as a note why a line is bad, unless most_reasons are reported already.
    void tell(const status& reason);
    /// `lines` have their newlines.
    status write(std::string_view lines) { return file_ ? file_->write(lines) : status(); }
    status flush() { return file_ ? file_->flush() : status(); }
    status finish() { return file_ ? file_->finish() : status(); }

private:
    std::optional<output> file_;
    std::uint64_t told_ = 0;
};

}  // namespace cuset
