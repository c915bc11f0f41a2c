// JSON objects that a user's members are merged into.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cuset/endpoint/endpoint.h"
#include "cuset/stream/json_writer.h"

namespace cuset {

/// Writes an object of our own members, but for those that the user's take the place of, and then
/// the user's.
class merged_object {
public:
    merged_object(std::string& out, std::span<const body_member> theirs);

    /// Whether the user's members say nothing of this one.
    bool is_ours(std::string_view key) const;
    template <class... Value>
    merged_object& member(std::string_view key, const Value&... value) {
        if (is_ours(key)) json_.member(key, value...);
        return *this;
    }
    /// For values that are no scalars: write into json() behind a key.
    json_writer& json() { return json_; }
    void end();

private:
    std::span<const body_member> theirs_;
    json_writer json_;
};

}  // namespace cuset
