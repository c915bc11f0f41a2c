// Where a stream's bad lines go.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "cuset/base/status.h"
#include "cuset/stream/output.h"

namespace cuset {

/// Bad lines as they came. Without a file it takes none.
class reject_file {
public:
    /// So many reasons are told: a file of another kind must not fill the screen.
    static constexpr std::uint64_t most_reasons = 10;

    explicit reject_file(std::optional<output> file) : file_(std::move(file)) {}

    /// Tells why a line is bad, as a note; nothing once most_reasons are told.
    void tell(const status& reason);
    /// `lines` with their newlines.
    status write(std::string_view lines) { return file_ ? file_->write(lines) : status(); }
    status flush() { return file_ ? file_->flush() : status(); }
    status finish() { return file_ ? file_->finish() : status(); }

private:
    std::optional<output> file_;
    std::uint64_t told_ = 0;
};

}  // namespace cuset
