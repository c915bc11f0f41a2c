// Errors as values. Every function that can fail returns `status` or `result<T>`. No library throws
// out of its interface, prints or exits.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace cuset {

/// What went wrong, in the terms that decide a tool's exit code (see exit_code).
enum class error_kind : unsigned char {
    none,
    data,         ///< a record, stream, model file or tokenizer is malformed
    io,           ///< a system call failed
    usage,        ///< the command line asks for something impossible
    unsupported,  ///< this device or model cannot run here
    closed_pipe,  ///< the reader of our output has gone: end quietly
};

/// Success, or a kind and a one-line message meant for a person (no trailing newline, no prefix
/// with the tool's name; the tool adds that).
class [[nodiscard]] status {
public:
    status() = default;
    static status ok() { return {}; }
    status(error_kind kind, std::string message) : kind_(kind), message_(std::move(message)) {
        assert(kind != error_kind::none);
    }

    bool is_ok() const { return kind_ == error_kind::none; }
    explicit operator bool() const { return is_ok(); }
    error_kind kind() const { return kind_; }
    const std::string& message() const { return message_; }

    /// The same error with `prefix` before its message; success stays success.
    status with_prefix(std::string_view prefix) && {
        if (!is_ok()) message_.insert(0, prefix);
        return std::move(*this);
    }

private:
    error_kind kind_ = error_kind::none;
    std::string message_;
};

/// A value, or the error because of which there is none.
template <class T>
class [[nodiscard]] result {
public:
    result(T value) : value_(std::move(value)) {}
    result(status error) : error_(std::move(error)) { assert(!error_.is_ok()); }

    bool is_ok() const { return value_.has_value(); }
    explicit operator bool() const { return is_ok(); }

    T& value() & { return *value_; }
    const T& value() const& { return *value_; }
    T&& value() && { return std::move(*value_); }
    T* operator->() { return &*value_; }
    const T* operator->() const { return &*value_; }
    T& operator*() & { return *value_; }
    const T& operator*() const& { return *value_; }
    T&& operator*() && { return std::move(*value_); }

    /// The error. Call it only if !is_ok().
    const status& error() const& { return error_; }
    status&& error() && { return std::move(error_); }

private:
    std::optional<T> value_;
    status error_;
};

inline status data_error(std::string message) { return {error_kind::data, std::move(message)}; }
inline status usage_error(std::string message) { return {error_kind::usage, std::move(message)}; }
inline status unsupported(std::string message) {
    return {error_kind::unsupported, std::move(message)};
}
/// `what` followed by the text of `errno_value`, as in "pairs.jsonl: No such file or directory".
/// EPIPE becomes error_kind::closed_pipe.
status io_error(std::string_view what, int errno_value);

/// The exit code a tool ends with for this kind of error: 0 ok, 1 data or I/O, 2 usage, 4 device or
/// model cannot run here. (3, records rejected, is no error: the tool counts those itself.)
/// closed_pipe is 0 here; a tool ends by SIGPIPE instead.
int exit_code(error_kind kind);

}  // namespace cuset

/// Returns the error of a `status` expression to the caller.
#define CUSET_TRY(expression)                                                     \
    do {                                                                          \
        if (::cuset::status cuset_try_status_ = (expression); !cuset_try_status_) \
            return cuset_try_status_;                                             \
    } while (0)

#define CUSET_CONCAT_2_(a, b) a##b
#define CUSET_CONCAT_(a, b) CUSET_CONCAT_2_(a, b)
#define CUSET_ASSIGN_2_(temporary, declaration, expression) \
    auto temporary = (expression);                          \
    if (!temporary) return std::move(temporary).error();    \
    declaration = std::move(temporary).value()
/// `CUSET_ASSIGN(auto x, f());` declares x from a result<T>, or returns the error to the caller.
#define CUSET_ASSIGN(declaration, expression) \
    CUSET_ASSIGN_2_(CUSET_CONCAT_(cuset_result_, __LINE__), declaration, expression)
