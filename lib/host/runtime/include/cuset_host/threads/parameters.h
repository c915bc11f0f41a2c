// Arguments of launches, as kernels get them: host addresses trap, and objects are bytes.
#pragma once

#include <cuset_host/device_memory.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>

namespace cuset_host {

/// Words of these bytes that are addresses of host memory become addresses that trap.
inline void trap_words(unsigned char* bytes, std::size_t count) {
    for (; count >= sizeof(void*); bytes += sizeof(void*), count -= sizeof(void*)) {
        void* word;
        __builtin_memcpy(&word, bytes, sizeof word);
        word = trap_if_surely_host(word);
        __builtin_memcpy(bytes, &word, sizeof word);
    }
}

/// Pointers to host memory among the arguments, also in structs, become addresses that trap.
template <class T>
void trap_host_pointers(T& argument) {
    // A kernel can only hand these back to the runtime.
    constexpr bool is_handle = std::is_same_v<T, cudaStream_t> || std::is_same_v<T, cudaEvent_t> ||
                               std::is_same_v<T, cudaGraphExec_t>;
    if constexpr (is_handle) {
    } else if constexpr (std::is_pointer_v<T>) {
        if constexpr (std::is_function_v<std::remove_pointer_t<T>>)
            argument = reinterpret_cast<T>(trap_function(reinterpret_cast<const void*>(argument)));
        else
            argument = static_cast<T>(
                trap_if_host(const_cast<const void*>(static_cast<const volatile void*>(argument))));
    } else if constexpr (std::is_integral_v<T> && sizeof(T) == sizeof(void*)) {
        // An address that was cast to an integer. Any other integer could equal a host address by
        // accident, but hardly one in this program's memory.
        argument = static_cast<T>(reinterpret_cast<std::uintptr_t>(
            trap_if_surely_host(reinterpret_cast<const void*>(argument))));
    } else if constexpr (std::is_member_function_pointer_v<T>) {
        trap_words(reinterpret_cast<unsigned char*>(&argument), sizeof(T));
    } else if constexpr (std::is_class_v<T> && std::is_trivially_copyable_v<T> &&
                         sizeof(T) >= sizeof(void*) && alignof(T) >= alignof(void*)) {
        trap_words(reinterpret_cast<unsigned char*>(&argument), sizeof(T));
    }
}

/// What host code gets for a device variable's own name: the address of the host's variable of that
/// name, which the device cannot touch. The translator writes it around such an argument of a
/// launch.
template <class T>
inline decltype(auto) host_variable(T&& argument) {
    if constexpr (std::is_array_v<std::remove_reference_t<T>> || std::is_pointer_v<T>) {
        using pointer = std::decay_t<T>;
        return static_cast<pointer>(
            trap(const_cast<const void*>(static_cast<const volatile void*>(argument))));
    } else {
        return static_cast<T&&>(argument);
    }
}

/// Where a kernel's parameter lies among all of them, as a device lays them out.
struct parameter_place {
    std::size_t offset, bytes;
};

/// Sets the places, if there is room for them, and returns how many there are.
template <class... P>
std::size_t places_of_parameters(parameter_place* places) {
    constexpr std::size_t sizes[] = {sizeof(P)..., 0}, alignments[] = {alignof(P)..., 1};
    std::size_t end = 0;
    for (std::size_t i = 0; places != nullptr && i < sizeof...(P); ++i) {
        places[i] = {(end + alignments[i] - 1) / alignments[i] * alignments[i], sizes[i]};
        end = places[i].offset + sizes[i];
    }
    return sizeof...(P);
}

template <class... P>
struct argument_list {
    std::tuple<P...> values;
    void* list[sizeof...(P) + 1];
    explicit argument_list(const P&... given) : values(given...), list{} {
        std::apply(
            [this](auto&... each) {
                std::size_t i = 0;
                ((list[i++] = const_cast<void*>(
                      static_cast<const volatile void*>(__builtin_addressof(each)))),
                 ...);
            },
            values);
    }
};

/// Whether functions receive the object's address where a parameter is declared by value: the rule
/// of the calling convention for classes that are not trivial for calls.
template <class P>
inline constexpr bool is_passed_by_address =
    !std::is_reference_v<P> &&
    (!std::is_trivially_destructible_v<P> ||
     (std::is_copy_constructible_v<P> && !std::is_trivially_copy_constructible_v<P>) ||
     (std::is_move_constructible_v<P> && !std::is_trivially_move_constructible_v<P>) ||
     (!std::is_copy_constructible_v<P> && !std::is_move_constructible_v<P>));

/// Whether a copy of the argument is what a device makes of it.
template <class P>
inline constexpr bool is_plain_parameter =
    !std::is_reference_v<P> && !is_passed_by_address<P> && std::is_copy_constructible_v<P>;

/// Whether copies of these may be made and ended anywhere, since that runs no code of the program.
template <class... T>
inline constexpr bool are_bytes = ((std::is_trivially_destructible_v<T> &&
                                    std::is_trivially_copy_constructible_v<T>)&&...);

/// A device gets the bytes of the object that a launch has constructed; each thread has its own
/// copy of them, and no thread constructs or destroys it.
template <class P>
class parameter {
public:
    explicit parameter(P& given) {
        __builtin_memcpy(bytes_, std::addressof(given), sizeof(P));
        if constexpr (is_plain_parameter<P>) {
            trap_host_pointers(*static_cast<P*>(address()));
        } else if constexpr (alignof(P) >= alignof(void*)) {
            trap_words(bytes_, sizeof(P));
        }
    }
    void* address() { return bytes_; }

    class of_thread {
    public:
        explicit of_thread(const parameter& all) : copy_(all) {}
        operator std::conditional_t<is_passed_by_address<P>, P&, P&&>() {
            return static_cast<std::conditional_t<is_passed_by_address<P>, P&, P&&>>(
                *static_cast<P*>(copy_.address()));
        }

    private:
        parameter copy_;
    };

private:
    alignas(P) unsigned char bytes_[sizeof(P)];
};

/// A reference is the address that it has on the host.
template <class P>
class parameter<P&> {
public:
    explicit parameter(P& given)
        : place_(static_cast<P*>(trap_if_host(
              const_cast<void*>(static_cast<const volatile void*>(std::addressof(given)))))) {}
    void* address() { return &place_; }

    class of_thread {
    public:
        explicit of_thread(const parameter& all) : place_(all.place_) {}
        operator P&() const { return *place_; }

    private:
        P* place_;
    };

private:
    P* place_;
};

/// Calls a kernel with such parameters.
template <class... P>
class launch_by_bytes {
public:
    launch_by_bytes(void (*kernel)(P...), std::remove_reference_t<P>&... given)
        : kernel_(reinterpret_cast<void (*)(received<P>...)>(kernel)), parameters_(given...) {}

    /// Where each argument is, as cudaLaunchKernel takes them.
    void addresses(void** list) {
        std::apply([&](auto&... each) { ((*list++ = each.address()), ...); }, parameters_);
    }

    void operator()() const {
        std::apply(
            [this](const auto&... each) {
                kernel_(typename std::decay_t<decltype(each)>::of_thread(each)...);
            },
            parameters_);
    }

private:
    /// This is what the calling convention passes.
    template <class Q>
    using received = std::conditional_t<is_passed_by_address<Q>, Q&, Q>;

    void (*kernel_)(received<P>...);
    std::tuple<parameter<P>...> parameters_;
};

/// What each thread calls: the kernel with these arguments, which stay as they are.
template <class... P>
auto call_of(void (*kernel)(P...), std::remove_reference_t<P>&... given) {
    if constexpr ((is_plain_parameter<P> && ...)) {
        const auto copied = [kernel](P... arguments) {
            (trap_host_pointers(arguments), ...);
            return [kernel, arguments...] { kernel(arguments...); };
        };
        return copied(given...);
    } else {
        return launch_by_bytes<P...>(kernel, given...);
    }
}

/// An argument in a list of addresses, as cudaLaunchKernel takes it. A reference is an address
/// there.
template <class P>
std::remove_reference_t<P>& argument_at(void* place) {
    using object = std::remove_reference_t<P>;
    if constexpr (std::is_reference_v<P>)
        return **static_cast<object**>(place);
    else
        return *static_cast<object*>(place);
}

}  // namespace cuset_host
