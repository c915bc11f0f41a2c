// Kernels as host functions: launches, blocks, threads, shared memory, barriers.
//
// The threads of a block run one after another on one OS thread, and a thread gets its own stack
// only if it needs one. A loop (run_threads) starts them on the stack of one fiber. The first
// thread that waits keeps that stack, and the loop continues with the next thread on another stack.
// So a kernel without barriers is a plain loop, and nobody has to know in advance which kernels
// have barriers. If the translator could cut a kernel at its barriers, the first thread's turn runs
// all threads (split_blocks.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "cuset_host/alignment.h"
#include "cuset_host/cuda_types.h"
#include "cuset_host/threads/parameters.h"

/// A function whose accesses are the runtime's, not the program's: neither --check nor the search
/// for races looks at them.
#define CUSET_HOST_UNSEEN __attribute__((no_sanitize_address, no_sanitize_thread))

#define CUSET_HOST_TLS extern __constinit thread_local __attribute__((tls_model("local-exec")))
CUSET_HOST_TLS uint3 threadIdx, blockIdx;
CUSET_HOST_TLS dim3 blockDim, gridDim;
constexpr int warpSize = 32;

namespace cuset_host {

/// A launch in the form that the translator writes.
struct site {
    const char* kernel;
    int line;
#ifdef CUSET_HOST_COUNT
    const char* type = nullptr;  ///< of a function with the kernel's parameters; null: not known
#endif
    /// The same with the types of the kernel's parameters, where anybody asks for them.
    template <class... P>
    site with_parameters() const {
#ifdef CUSET_HOST_COUNT
        return {kernel, line, typeid(void(P...)).name()};
#else
        return *this;
#endif
    }
};

/// The part of a launch between <<< and >>>.
struct configuration {
    dim3 grid, block;
    std::size_t shared_bytes;
    cudaStream_t stream;
    dim3 cluster = dim3(0, 0, 0);  ///< blocks of a cluster; 0: as the kernel says
    bool overlaps = false;         ///< may begin before the kernel before it has ended
    configuration(dim3 g, dim3 b, std::size_t s = 0, cudaStream_t st = nullptr)
        : grid(g), block(b), shared_bytes(s), stream(st) {}
};

/// Records a value that is an error for cudaGetLastError, and returns it.
cudaError_t set_error(cudaError_t error);
/// Puts another value in the place of what is recorded, which it returns.
cudaError_t exchange_error(cudaError_t error);

/// Runs threads of the current block until all have been started, or until one that waited
/// continues.
using thread_loop = void (*)(const void* kernel);

/// Checks the configuration as a device does, and runs the grid. `function`: the kernel's address
/// if it is known, for attributes set by cudaFuncSetAttribute.
cudaError_t run_grid(const site& at, const configuration& shape, thread_loop loop,
                     const void* kernel, const void* function, bool cooperative = false);

CUSET_HOST_TLS unsigned row_end;  // blockDim.x, or 0 if threads do not run in ascending order
CUSET_HOST_TLS unsigned starter;  // changes when the thread that started last begins to wait
/// Goes to the next thread that is not in the same row; false if all have been started.
bool next_row();

inline bool next_thread() {
    if (++threadIdx.x < row_end) return true;
    return next_row();
}

/// The thread of threadIdx begins, where the program is counted.
#ifdef CUSET_HOST_COUNT
void enter_counted_thread();
/// The running launch does what its counts leave out: "textures".
void note_uncounted(const char* what);
#else
inline void enter_counted_thread() {}
inline void note_uncounted(const char*) {}
#endif

/// Flat, so that a kernel without barriers is the body of this loop.
template <class Kernel>
__attribute__((flatten)) void run_threads(const void* kernel) {
#ifdef CUSET_HOST_COUNT
    // Each thread reads its arguments: what it computes of them alone is not done once for all.
    const Kernel& run = *static_cast<const Kernel*>(kernel);
#else
    const Kernel run = *static_cast<const Kernel*>(kernel);  // where no store can reach it
#endif
    const unsigned mine = starter;
    do {
        enter_counted_thread();
        run();
    } while (starter == mine && next_thread());
}

// --- Arguments -----------------------------------------------------------------------------------

/// Whether the stream is being captured.
bool is_capturing(cudaStream_t stream);
/// Whether the calling thread is one of a kernel.
bool is_in_kernel();
/// The same. Code of a program that asks it is a kernel's as long as it runs, or the host's: so g++
/// may ask once where a loop asks each time.
[[gnu::const]] bool is_in_kernel_throughout();
/// Whether code of both sides is read as the host's: what is computed while compiling is.
constexpr bool is_host_code() {
    return __builtin_is_constant_evaluated() || !is_in_kernel_throughout();
}
/// Adds a launch to the graph that captures the stream, or to the launches of the kernel that runs:
/// they are done when the grid has ended, as a device may do them. `destroy` is called for `made`
/// in the end.
void capture_launch(cudaStream_t stream, const void* made, cudaError_t (*run)(const void*),
                    void (*destroy)(const void*));
/// Whether the work of streams is done behind the calling thread's code.
bool streams_are_asynchronous();
/// Gives a launch to its stream then, unless a device refuses it.
cudaError_t launch_behind(const site& at, const configuration& shape, const void* function,
                          bool cooperative, const void* made, cudaError_t (*run)(const void*),
                          void (*destroy)(const void*));
/// `is_tail`: behind all others that the grid has made.
void launch_after_grid(const void* made, cudaError_t (*run)(const void*),
                       void (*destroy)(const void*), bool is_tail);

/// Whether what a kernel gives to this stream comes behind all else that its grid has made.
inline bool is_for_tail(cudaStream_t stream) {
    return stream == reinterpret_cast<cudaStream_t>(std::uintptr_t{3});
}

/// Says of the next launch in a stream that is being captured that it may overlap with the one
/// before.
void note_overlap(cudaStream_t stream, bool overlaps);
/// Tells what a launch that is captured next is made of: `list` has a pointer to each argument.
void note_launch(const void* function, const configuration& shape,
                 const std::shared_ptr<void>& arguments, void** list);

template <class F>
struct kept_launch {
    site at;
    configuration shape;
    const void* function;
    F f;
    bool cooperative;
    static cudaError_t run(const void* made) {
        const auto& launch = *static_cast<const kept_launch*>(made);
        return run_grid(launch.at, launch.shape, &run_threads<F>, &launch.f, launch.function,
                        launch.cooperative);
    }
    static void destroy(const void* made) { delete static_cast<const kept_launch*>(made); }
};

/// Calls f() for each thread of the grid. f holds copies of the arguments.
template <class F>
cudaError_t run_each(const site& at, const configuration& shape, const void* function, const F& f,
                     bool cooperative = false) {
    using kept = kept_launch<F>;
    if (is_in_kernel()) {
        launch_after_grid(new kept{at, shape, function, f, cooperative}, &kept::run, &kept::destroy,
                          is_for_tail(shape.stream));
        return cudaSuccess;
    }
    if (is_capturing(shape.stream)) {
        configuration now = shape;
        now.stream = nullptr;
        capture_launch(shape.stream, new kept{at, now, function, f, cooperative}, &kept::run,
                       &kept::destroy);
        return cudaSuccess;
    }
    if (streams_are_asynchronous())
        return launch_behind(at, shape, function, cooperative,
                             new kept{at, shape, function, f, cooperative}, &kept::run,
                             &kept::destroy);
    return run_grid(at, shape, &run_threads<F>, &f, function, cooperative);
}

/// Where the stream is being captured, tells what the next launch is made of, with copies of its
/// arguments.
template <class... P>
void note_captured(void (*function)(P...), const configuration& shape,
                   std::remove_reference_t<P>&... arguments) {
    if (!is_capturing(shape.stream)) return;
    const void* const kernel = reinterpret_cast<const void*>(function);
    if constexpr ((is_plain_parameter<P> && ...)) {
        const auto kept = std::make_shared<argument_list<P...>>(arguments...);
        note_launch(kernel, shape, kept, kept->list);
    } else {
        struct kept_arguments {
            launch_by_bytes<P...> launch_bytes;
            void* list[sizeof...(P)];
        };
        const auto kept = std::make_shared<kept_arguments>(
            kept_arguments{launch_by_bytes<P...>(function, arguments...), {}});
        kept->launch_bytes.addresses(kept->list);
        note_launch(kernel, shape, kept, kept->list);
    }
}

template <class F, class... P>
struct plain_launch {
    site at;
    configuration shape;
    void (*function)(P...);
    F call;
    void operator()(P... arguments) const {
        const void* const kernel = reinterpret_cast<const void*>(function);
        if constexpr ((is_plain_parameter<P> && ...)) {
            (trap_host_pointers(arguments), ...);
            note_captured(function, shape, arguments...);
            run_each(at.with_parameters<P...>(), shape, kernel,
                     [arguments..., f = call] { f(arguments...); });
        } else {
            note_captured(function, shape, arguments...);
            run_each(at.with_parameters<P...>(), shape, kernel,
                     launch_by_bytes<P...>(function, arguments...));
        }
    }
};

/// Of a kernel with default arguments, with the parameters P that the launch gives arguments for.
template <class F, class... P>
struct first_launch {
    site at;
    configuration shape;
    const void* kernel;
    F call;
    void operator()(P... arguments) const {
        (trap_host_pointers(arguments), ...);
        run_each(at.with_parameters<P...>(), shape, kernel,
                 [arguments..., f = call] { f(arguments...); });
    }
};

/// Of an overloaded kernel, or a template whose arguments are deduced, the parameters are not
/// known: each thread gets a copy of the arguments, even where a parameter is a reference.
template <class F>
struct deduced_launch {
    site at;
    configuration shape;
    F call;
    template <class... A>
    void operator()(A... arguments) const {
        (trap_host_pointers(arguments), ...);
        run_each(at.with_parameters<A...>(), shape, nullptr,
                 [arguments..., f = call] { f(arguments...); });
    }
};

/// The one function that a template-id names; a substitution failure if it names none or several.
template <class Dependent, class... P>
auto function_of(void (*function)(P...)) -> void (*)(P...) {
    return function;
}

class launch {
public:
    launch(site at, configuration shape) : at_(at), shape_(shape) {}
    /// Arguments are converted to the kernel's parameters once.
    template <class F, class... P>
    plain_launch<F, P...> plain(void (*function)(P...), F call) const {
        return {at_, shape_, function, call};
    }
    /// The same for the first `count` parameters; the others have defaults.
    template <std::size_t count, class F, class... P>
    auto first(void (*function)(P...), F call) const {
        static_assert(count <= sizeof...(P), "a launch with more arguments than parameters");
        return first_of<P...>(reinterpret_cast<const void*>(function), call,
                              std::make_index_sequence<count>());
    }
    template <class F>
    deduced_launch<F> deduced(F call) const {
        return {at_, shape_, call};
    }
    /// Of a template whose arguments may all be given: then find(0) is the function.
    template <class Find, class F>
    auto deduced([[maybe_unused]] Find find, F call) const {
        if constexpr (std::is_invocable_v<const Find&, int>)
            return plain(find(0), call);
        else
            return deduced(call);
    }

private:
    template <class... P, class F, std::size_t... I>
    auto first_of(const void* kernel, F call, std::index_sequence<I...>) const {
        return first_launch<F, std::tuple_element_t<I, std::tuple<P...>>...>{at_, shape_, kernel,
                                                                             call};
    }

    site at_;
    configuration shape_;
};

// --- Shared memory -------------------------------------------------------------------------------

CUSET_HOST_TLS unsigned char* shared_base;
CUSET_HOST_TLS unsigned char* dynamic_shared_base;
CUSET_HOST_TLS std::size_t shared_size;  ///< from shared_base on

/// Reserves a place in every block's shared memory, with room around it in checked programs.
/// `number` is the variable's in the program; instances of a template share it.
std::size_t reserve_shared(std::size_t bytes, int number);
/// Sets the variable's name for messages.
void name_shared(std::size_t offset, const char* name);

template <class T, class Tag, int Number>
struct shared_place {
    static inline const std::size_t offset = reserve_shared(sizeof(T), Number);
};

/// A __shared__ variable: the same for all threads of a block. Tag and Number tell the variables
/// apart.
template <class T, class Tag, int Number>
inline T& shared([[maybe_unused]] const char* name) {
#ifdef CUSET_HOST_CHECK
    [[maybe_unused]] static const bool named =
        (name_shared(shared_place<T, Tag, Number>::offset, name), true);
#endif
    return *reinterpret_cast<T*>(shared_base + shared_place<T, Tag, Number>::offset);
}

/// The bytes of a block's shared memory that the launch asked for, and that the kernel's own
/// variables take.
std::size_t dynamic_shared_bytes();
std::size_t static_shared_bytes();

/// Where a generic address lies; what is neither a block's nor a thread's own is global.
enum class address_space : unsigned char { global, shared, local };
address_space space_of(const void* p);

/// The array that extern __shared__ T name[] declares.
template <class T>
inline T& dynamic_shared() {
    return *reinterpret_cast<T*>(dynamic_shared_base);
}

/// The same, declared outside of functions.
template <class T>
struct dynamic_shared_array {
    operator T*() const { return reinterpret_cast<T*>(dynamic_shared_base); }
    template <class U>
    explicit operator U*() const {
        return reinterpret_cast<U*>(dynamic_shared_base);
    }
};

// --- Waiting -------------------------------------------------------------------------------------

/// The number of the thread in its block, x fastest: warps are cut in this order.
inline unsigned linear_thread() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
inline unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
inline unsigned lane_id() { return linear_thread() % 32; }

/// The result of a barrier for each thread, over all threads' values.
struct barrier_sums {
    int nonzero, threads;  ///< how many gave a value other than 0, and how many there were
};
/// Waits for all threads of the block that have not ended. `operation`: its name in the program.
barrier_sums block_barrier(int value, const char* operation, int line);

/// Waits for all threads of a cooperative launch.
void grid_barrier(int line);

/// Waits for all threads of the cluster that have not ended.
void cluster_barrier(int line);
/// The blocks of a cluster in each direction; 1 where the launch has none.
dim3 cluster_shape();
/// What is at the address's place in another block of the cluster, x fastest. The program ends if
/// there is no such block.
void* map_shared(const void* p, unsigned rank, int line);
/// The block of the cluster whose shared memory holds the address.
unsigned block_of_shared(const void* p);

/// The values that the lanes of a warp operation gave.
class warp_values {
public:
    struct lane_slots {
        std::uint64_t value[2];  // of this operation or the one before
    };
    warp_values(const lane_slots* lanes, unsigned which, unsigned present)
        : lanes_(lanes), which_(which), present_(present) {}
    std::uint64_t operator[](unsigned lane) const { return lanes_[lane].value[which_ >> lane & 1]; }
    /// The lanes of the mask that took part: those that had not ended.
    unsigned present() const { return present_; }

private:
    const lane_slots* lanes_;
    unsigned which_, present_;
};

/// Waits for the lanes of `mask`, which give the same mask. The values are there until this thread
/// waits again.
warp_values warp_exchange(unsigned mask, std::uint64_t value, const char* operation, int line);
/// The whole warp goes on together, behind what its lanes have stored for each other in one
/// operation. This orders nothing: the warp must synchronise before it reads that.
void wait_for_warp(const char* operation, int line);

/// The lanes of this warp that come to the same line together, in calls from one place
/// (call_places.h): those that no runnable thread of the block is ahead of.
unsigned converged_lanes(int line);
/// The same lanes, sooner where all of the warp come: other warps may have done less by then.
unsigned converged_lanes_at_once(int line);

/// A point of code that relies on warps whose threads run in step: waits until each of this warp's
/// lanes has come to one, or waits for something else, or has ended; of lanes at different places
/// those go on that have not come as far. Nothing in host code.
void step(int place);

// --- Checks --------------------------------------------------------------------------------------

/// Added to the line of an atomic operation: for which threads it is atomic.
constexpr int device_scope = 0, block_scope = 1 << 28;
/// Added where the operation only loads.
constexpr int only_loads = 1 << 27;
/// Added in counted programs to the line of an atomic operation that a GPU does in shared memory by
/// a loop around a compare-and-swap; the second beside it where that loop adds floats or doubles.
constexpr int swap_loop = 1 << 29, adding_loop = 1 << 30;

#if defined(CUSET_HOST_CHECK) || defined(CUSET_HOST_RACES) || defined(CUSET_HOST_COUNT)
#define CUSET_HOST_IS_WATCHED
void note_atomic(const volatile void* address, unsigned bytes, int line);
#endif
/// A thread that makes thousands of atomic operations one after another may poll what another one
/// writes, in a loop that is not known as one that waits (the translator's waiting_loops.h): it lets
/// the others go on.
CUSET_HOST_TLS unsigned atomics_made;
constexpr unsigned atomics_between_looks = 4096;
void look_at_polling(const volatile void* address);
/// The running thread waits: where others wait behind it for their step, they need not do so long.
void note_pause();

/// An atomic operation is about to be made. In counted programs the lanes of a warp wait for each
/// other.
inline void look_for_polling(const volatile void* address) {
#ifdef CUSET_HOST_COUNT
    static_cast<void>(address);
#else
    if (++atomics_made % atomics_between_looks == 0) look_at_polling(address);
#endif
}

/// Called before an atomic operation touches memory. The address must be a multiple of the size,
/// whatever the type's own alignment is. `line`: with its scope.
inline void note_atomic(const volatile void* address, std::size_t bytes, int line) {
    require_alignment(const_cast<const void*>(address), bytes, line & ~(block_scope | only_loads));
    look_for_polling(address);
#ifdef CUSET_HOST_IS_WATCHED
    note_atomic(address, static_cast<unsigned>(bytes), line);
#endif
}

/// The same for an operation that is no compare-and-swap and no exchange. In shared memory GPUs
/// have instructions for integers of 4 bytes only.
template <class T>
inline void note_update(const volatile T* address, int line) {
#ifdef CUSET_HOST_COUNT
    if (sizeof(T) != 4 || !std::is_integral_v<T>) line |= swap_loop;
    if (std::is_floating_point_v<T>) line |= adding_loop;
#endif
    note_atomic(address, sizeof(T), line);
}

/// Called before an atomic operation of libcu++, which the compiler of a checked program then
/// reports as an access like others. `order`: __ATOMIC_SEQ_CST and so on.
#ifdef CUSET_HOST_CHECK
void note_library_atomic(const volatile void* address, unsigned bytes, bool writes, int order);
#else
inline void note_library_atomic(const volatile void*, unsigned, bool, int) {}
#endif
#ifdef CUSET_HOST_RACES
/// Where libcu++'s last atomic operation in this thread is; null if its scope exceeds the block.
CUSET_HOST_TLS const volatile void* library_atomic_of_block;
#endif
#if defined(CUSET_HOST_CHECK) || defined(CUSET_HOST_RACES)
/// Called at a fence, of the block's scope or a wider one.
void note_fence(bool of_block);
#else
inline void note_fence(bool) {}
#endif

}  // namespace cuset_host
