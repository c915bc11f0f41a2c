// Kernels that a program names by an address or in words: how to launch them, and what they need.
#pragma once

#include "cuset_host/threads/execution.h"

namespace cuset_host {

/// A kernel that a void* may point to.
class registration {
public:
    template <class... P>
    registration(void (*function)(P...), const char* name)
        : function_(reinterpret_cast<const void*>(function)),
          name_(name),
          places_(places_of_parameters<std::decay_t<P>...>) {
        run_ = [](const void* f, site at, const configuration& shape, void** a, bool cooperative) {
            return call(reinterpret_cast<void (*)(P...)>(const_cast<void*>(f)), at, shape, a,
                        cooperative, std::index_sequence_for<P...>());
        };
        add();
    }
    static const registration* find(const void* function);
    const char* name() const { return name_; }
    std::size_t parameters(parameter_place* places) const { return places_(places); }
    cudaError_t run(site at, const configuration& shape, void** arguments, bool cooperative) const {
        at.kernel = name_;
        return run_(function_, at, shape, arguments, cooperative);
    }

    template <class... P, std::size_t... I>
    static cudaError_t call(void (*f)(P...), site at, const configuration& shape,
                            [[maybe_unused]] void** arguments, bool cooperative,
                            std::index_sequence<I...>) {
        note_captured(f, shape, argument_at<P>(arguments[I])...);
        return run_each(at, shape, reinterpret_cast<const void*>(f),
                        call_of(f, argument_at<P>(arguments[I])...), cooperative);
    }

private:
    void add();

    const void* function_;
    const char* name_;
    std::size_t (*places_)(parameter_place*);
    cudaError_t (*run_)(const void*, site, const configuration&, void**, bool);
    const registration* next_ = nullptr;
};

/// Makes a template's kernel known whose address the program takes, and returns the address.
template <class... P>
inline auto registered(void (*function)(P...), const char* name) -> void (*)(P...) {
    if (registration::find(reinterpret_cast<const void*>(function)) == nullptr)
        new registration(function, name);  // for as long as the program runs
    return function;
}

/// cudaLaunchKernel and similar functions, in the form that the translator writes.
class named_launch {
public:
    named_launch(const char* kernel, int line) : at_{kernel, line} {}

    template <class... P>
    cudaError_t cudaLaunchKernel(void (*f)(P...), dim3 grid, dim3 block, void** arguments,
                                 std::size_t shared_bytes = 0,
                                 cudaStream_t stream = nullptr) const {
        return returned(registration::call(f, at_, {grid, block, shared_bytes, stream}, arguments,
                                           false, std::index_sequence_for<P...>()));
    }
    cudaError_t cudaLaunchKernel(const void* f, dim3 grid, dim3 block, void** arguments,
                                 std::size_t shared_bytes = 0,
                                 cudaStream_t stream = nullptr) const {
        return by_address(f, {grid, block, shared_bytes, stream}, arguments, false);
    }
    template <class... P>
    cudaError_t cudaLaunchCooperativeKernel(void (*f)(P...), dim3 grid, dim3 block,
                                            void** arguments, std::size_t shared_bytes = 0,
                                            cudaStream_t stream = nullptr) const {
        return returned(registration::call(f, at_, {grid, block, shared_bytes, stream}, arguments,
                                           true, std::index_sequence_for<P...>()));
    }
    cudaError_t cudaLaunchCooperativeKernel(const void* f, dim3 grid, dim3 block, void** arguments,
                                            std::size_t shared_bytes = 0,
                                            cudaStream_t stream = nullptr) const {
        return by_address(f, {grid, block, shared_bytes, stream}, arguments, true);
    }
    template <class... P, class... A>
    cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* c, void (*f)(P...),
                                   A&&... arguments) const {
        const auto launch_with = [&](P... p) {
            const configuration shape = shape_of(*c);
            note_captured(f, shape, p...);
            return returned(run_each(at_, shape, reinterpret_cast<const void*>(f), call_of(f, p...),
                                     is_cooperative(*c)));
        };
        return launch_with(static_cast<A&&>(arguments)...);
    }
    template <class... P>
    cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* c, void (*f)(P...),
                                    void** arguments) const {
        return returned(registration::call(f, at_, shape_of(*c), arguments, is_cooperative(*c),
                                           std::index_sequence_for<P...>()));
    }
    cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* c, const void* f,
                                    void** arguments) const {
        return by_address(f, shape_of(*c), arguments, is_cooperative(*c));
    }

private:
    /// Ends the program as unsupported if an attribute is not modelled.
    static configuration shape_of(const cudaLaunchConfig_t& c);
    static bool is_cooperative(const cudaLaunchConfig_t& c);
    cudaError_t by_address(const void* f, const configuration& shape, void** arguments,
                           bool cooperative) const;
    /// Unlike <<<...>>>, these calls give their error to the program.
    static cudaError_t returned(cudaError_t error);

    site at_;
};

/// The needs of a kernel beside those of its launch. Kernels are known by name: overloaded ones
/// have none.
class kernel_needs {
public:
    /// `max_threads`: of __launch_bounds__, or 0. `shared`: numbers of static shared variables.
    /// `cluster`: of __cluster_dims__; 0 where the kernel has none.
    kernel_needs(const char* name, unsigned max_threads, std::initializer_list<int> shared,
                 dim3 cluster = dim3(0, 0, 0));

    /// The needs of the kernel at this address, or else of this name; null if nothing is known.
    static const kernel_needs* find(const void* function, const char* name);
    unsigned max_threads() const { return max_threads_; }
    /// The size of its static shared variables; if instances of a template differ, of the smallest.
    std::size_t shared_bytes() const;
    dim3 cluster() const { return cluster_; }

private:
    const char* name_;
    unsigned max_threads_;
    const int* shared_;  // for as long as the program runs
    std::size_t count_;
    dim3 cluster_;
    const kernel_needs* next_;
};

}  // namespace cuset_host

/// The translator makes kernels known, but an instance of a template only where it is cast.
template <class... P>
inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, void (*kernel)(P...)) {
    const auto known = cuset_host::registered(kernel, "template");
    return ::cudaGetFuncBySymbol(function, reinterpret_cast<const void*>(known));
}
