// The members of a task's record, by name and type. Private to lib/ask.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/cost/launch_shape.h"
#include "cuset/stream/array_shape.h"
#include "cuset/stream/pair_record.h"

namespace cuset {

/// One input or output of a CUDABench task.
struct task_array {
    std::string name, dtype;
    std::string shape;                   ///< as it is written; a JSON array is "(16, 4)"
    std::optional<std::uint64_t> count;  ///< of its elements, if the shape is one of numbers

    /// The file that holds its values.
    std::string file() const { return "data/" + name + ".bin"; }
    /// The C++ type that a file of its dtype holds; empty if the dtype is not known.
    std::string_view type() const;
};

/// A file as text.
struct context_file {
    std::string path, content;
};

class task_fields {
public:
    /// `gpu`: the name that stands for the member "gpu"; empty: the record's own.
    explicit task_fields(const pair_record& record, std::string_view gpu = {})
        : members_(record.members), gpu_(gpu) {}

    /// Whether there is such a member, and it is not null.
    bool has(std::string_view key) const { return is_named_gpu(key) || find(key).has_value(); }
    /// Whether the answer is to be in HIP: "lang" is "hip".
    bool is_hip() const;
    /// A string as text, a number or a truth value as it is written. Anything else, and a missing
    /// member, is a data error, as everywhere here.
    result<std::string> text(std::string_view key) const;
    /// Each element needs a name, dtype and shape.
    result<std::vector<task_array>> arrays(std::string_view key) const;
    /// Whether there is an array all of whose elements have a dtype and a shape, right or wrong.
    bool are_arrays(std::string_view key) const;
    /// None if there is no such member.
    result<std::vector<context_file>> files(std::string_view key) const;
    /// The grid or block of a launch, as launch_shape_of() reads it. None if there is no such
    /// member.
    result<std::optional<launch_shape>> shape(std::string_view key) const;
    /// Words of a command: a string, or an array of strings; empty if there is no such member.
    result<std::string> words(std::string_view key) const;

private:
    bool is_named_gpu(std::string_view key) const { return key == "gpu" && !gpu_.empty(); }
    /// The last of duplicate keys counts.
    std::optional<std::string_view> find(std::string_view key) const;

    const std::vector<record_member>& members_;
    std::string_view gpu_;
};

}  // namespace cuset
