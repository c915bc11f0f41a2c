// cuFFT's plans that are created before they are made: layouts with embedded sizes, strides and
// distances that differ between both sides, of all types and ranks, against sums in plain loops;
// numbers between the elements stay as they are; and work areas, streams and errors.
#include <cufft.h>

#include <complex>

#include "check.h"

using number = std::complex<double>;

static void set(float& to, number x) { to = float(x.real()); }
static void set(double& to, number x) { to = x.real(); }
static void set(cufftComplex& to, number x) { to = {float(x.real()), float(x.imag())}; }
static void set(cufftDoubleComplex& to, number x) { to = {x.real(), x.imag()}; }
static number get(float x) { return x; }
static number get(double x) { return x; }
static number get(cufftComplex x) { return {x.x, x.y}; }
static number get(cufftDoubleComplex x) { return {x.x, x.y}; }

struct side {
    int embed[3], stride, distance;
};
struct layout {
    int rank, n[3], batch;
    side in, out;
    bool is_basic = false;  // the sides say where the elements lie, but are not passed
};

static int size_of(const layout& l) {
    int size = 1;
    for (int d = 0; d < l.rank; ++d) size *= l.n[d];
    return size;
}
/// Where element i of a box lies.
static int place(const layout& l, const side& s, int batch, int i) {
    int x[3] = {}, at = 0;
    for (int d = l.rank; d-- > 0; i /= l.n[d]) x[d] = i % l.n[d];
    for (int d = 0; d < l.rank; ++d) at = at * s.embed[d] + x[d];
    return batch * s.distance + at * s.stride;
}
static std::vector<number> transform(const layout& l, const std::vector<number>& in, int sign) {
    std::vector<number> out(in.size());
    for (int k = 0; k < int(in.size()); ++k)
        for (int j = 0; j < int(in.size()); ++j) {
            double turn = 0;
            int a = j, b = k;
            for (int d = l.rank; d-- > 0; a /= l.n[d], b /= l.n[d])
                turn += double(a % l.n[d] * (b % l.n[d])) / l.n[d];
            out[k] += in[j] * std::polar(1.0, sign * 2 * M_PI * turn);
        }
    return out;
}

static unsigned random_state = 12345;
static double any() {
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 8) / 8388608.0 - 1;
}

/// `execute` runs a plan from In to Out. Real sides have all elements, complex ones beside them
/// those up to the middle of the last dimension.
template <class In, class Out, class Make, class Execute>
static void check(const layout& l, cufftType type, int sign, const Make& make,
                  const Execute& execute) {
    constexpr bool from_real = std::is_floating_point_v<In>;
    constexpr bool to_real = std::is_floating_point_v<Out>;
    constexpr bool is_float = std::is_same_v<In, float> || std::is_same_v<In, cufftComplex>;
    constexpr int room = 4000;
    const number unset(77, 77);
    In* in = managed<In>(room);
    Out* out = managed<Out>(room);
    for (int i = 0; i < room; ++i) set(in[i], unset), set(out[i], unset);
    const int size = size_of(l), last = l.n[l.rank - 1];
    const auto is_stored = [&](bool half, int i) { return !half || i % last <= last / 2; };
    std::vector<std::vector<number>> wanted;
    for (int b = 0; b < l.batch; ++b) {
        std::vector<number> x(size);
        for (number& each : x) each = {any(), from_real || to_real ? 0 : any()};
        auto there = transform(l, x, to_real ? -1 : sign);
        if (to_real) {  // back to where x came from
            x.swap(there);
            for (number& each : there) each *= size;
        }
        for (int i = 0; i < size; ++i)
            if (is_stored(to_real, i)) set(in[place(l, l.in, b, i)], x[i]);
        wanted.push_back(there);
    }
    cufftHandle plan;
    OK(cufftCreate(&plan));
    std::size_t work = 99, size_told = 99;
    OK(make(plan, &work));
    OK(cufftGetSize(plan, &size_told));
    MUST(work == size_told && work < 1 << 30);
    OK(execute(plan, in, out));
    OK(cudaDeviceSynchronize());
    std::vector<bool> is_set(room);
    const double tolerance = (is_float ? 1e-5 : 1e-13) * size;  // sums of `size` numbers
    for (int b = 0; b < l.batch; ++b)
        for (int i = 0; i < size; ++i) {
            if (!is_stored(from_real, i)) continue;
            const int at = place(l, l.out, b, i);
            is_set[at] = true;
            MUST(std::abs(get(out[at]) - wanted[b][i]) < tolerance);
        }
    for (int i = 0; i < room; ++i) {
        Out as_was;
        set(as_was, unset);
        MUST(is_set[i] || get(out[i]) == get(as_was));
    }
    OK(cufftDestroy(plan));
    cudaFree(in), cudaFree(out);
}

/// Each type by the layout; `half` says on which side of real transforms the complex numbers lie.
template <class Make>
static void all_types(const layout& forward, const layout& back, const layout& complex_ones,
                      const Make& make) {
    const auto with = [&](const layout& l, cufftType type) {
        return [&l, &make, type](cufftHandle plan, std::size_t* work) {
            return make(plan, l, type, work);
        };
    };
    for (const int direction : {CUFFT_FORWARD, CUFFT_INVERSE}) {
        check<cufftComplex, cufftComplex>(
            complex_ones, CUFFT_C2C, direction, with(complex_ones, CUFFT_C2C),
            [=](auto plan, auto* in, auto* out) { return cufftExecC2C(plan, in, out, direction); });
        check<cufftDoubleComplex, cufftDoubleComplex>(
            complex_ones, CUFFT_Z2Z, direction, with(complex_ones, CUFFT_Z2Z),
            [=](auto plan, auto* in, auto* out) { return cufftExecZ2Z(plan, in, out, direction); });
    }
    check<float, cufftComplex>(forward, CUFFT_R2C, -1, with(forward, CUFFT_R2C), cufftExecR2C);
    check<double, cufftDoubleComplex>(forward, CUFFT_D2Z, -1, with(forward, CUFFT_D2Z),
                                      cufftExecD2Z);
    check<cufftComplex, float>(back, CUFFT_C2R, 1, with(back, CUFFT_C2R), cufftExecC2R);
    check<cufftDoubleComplex, double>(back, CUFFT_Z2D, 1, with(back, CUFFT_Z2D), cufftExecZ2D);
}
static cufftResult make_many(cufftHandle plan, const layout& l, cufftType type, std::size_t* work) {
    layout own = l;
    return cufftMakePlanMany(plan, l.rank, own.n, l.is_basic ? nullptr : own.in.embed, l.in.stride,
                             l.in.distance, l.is_basic ? nullptr : own.out.embed, l.out.stride,
                             l.out.distance, type, l.batch, work);
}

static void layouts() {
    // Sizes in storage of which the first does not matter, and batches between each other's rows.
    const layout advanced[] = {
        {1, {12}, 3, {{0}, 2, 31}, {{0}, 3, 1}},
        {1, {7}, 4, {{9}, 4, 1}, {{8}, 1, 11}},
        {2, {3, 5}, 2, {{3, 8}, 1, 30}, {{9, 6}, 2, 1}},
        {2, {4, 6}, 2, {{7, 7}, 2, 70}, {{4, 9}, 1, 50}},
        {3, {2, 3, 4}, 2, {{2, 4, 5}, 1, 45}, {{5, 3, 6}, 2, 90}},
        {3, {3, 2, 5}, 3, {{3, 5, 7}, 3, 1}, {{3, 2, 5}, 1, 33}},
    };
    for (const layout& l : advanced) all_types(l, l, l, make_many);
    // Without sizes, all else is as if packed.
    for (layout l : {layout{1, {10}, 3, {{10}, 1, 10}, {{10}, 1, 10}, true},
                     layout{2, {3, 7}, 2, {{3, 7}, 1, 21}, {{3, 7}, 1, 21}, true},
                     layout{3, {2, 3, 4}, 2, {{2, 3, 4}, 1, 24}, {{2, 3, 4}, 1, 24}, true}}) {
        layout forward = l;
        forward.out.embed[l.rank - 1] = l.n[l.rank - 1] / 2 + 1;
        forward.out.distance = size_of(l) / l.n[l.rank - 1] * forward.out.embed[l.rank - 1];
        layout back = forward;
        std::swap(back.in, back.out);
        const auto make_basic = [](auto plan, layout given, cufftType type, std::size_t* work) {
            given.in.stride = 5, given.in.distance = 3, given.out.distance = 1;  // not read
            return make_many(plan, given, type, work);
        };
        all_types(forward, back, l, make_basic);
        if (l.rank == 1) {
            all_types(forward, back, l, [](auto plan, auto& given, auto type, auto* work) {
                return cufftMakePlan1d(plan, given.n[0], type, given.batch, work);
            });
            continue;
        }
        forward.batch = back.batch = l.batch = 1;
        all_types(forward, back, l, [](auto plan, auto& given, auto type, auto* work) {
            return given.rank == 2
                       ? cufftMakePlan2d(plan, given.n[0], given.n[1], type, work)
                       : cufftMakePlan3d(plan, given.n[0], given.n[1], given.n[2], type, work);
        });
    }
}

__global__ void fill_slowly(cufftComplex* x, int n) {
    const long long begin = clock64();
    while (clock64() - begin < 30000000) {
    }
    for (int i = 0; i < n; ++i) x[i] = {1, 0};
}
static void work_areas_and_streams() {
    constexpr int n = 8;
    cufftHandle plan;
    std::size_t bytes = 0;
    OK(cufftCreate(&plan));
    OK(cufftSetAutoAllocation(plan, 0));
    cufftComplex* x = managed<cufftComplex>(n);
    MUST(cufftExecC2C(plan, x, x, CUFFT_FORWARD) == CUFFT_INVALID_PLAN);  // not made yet
    OK(cufftMakePlan1d(plan, n, CUFFT_C2C, 1, &bytes));
    void* area = nullptr;
    cudaMalloc(&area, bytes + 1);
    OK(cufftSetWorkArea(plan, area));
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    OK(cufftSetStream(plan, stream));
    fill_slowly<<<1, 1, 0, stream>>>(x, n);
    OK(cufftExecC2C(plan, x, x, CUFFT_INVERSE));
    cudaStreamSynchronize(stream);
    for (int i = 0; i < n; ++i) MUST(std::abs(get(x[i]) - number(i == 0 ? n : 0)) < 1e-5);
    OK(cufftDestroy(plan));
    cudaStreamDestroy(stream);
    std::size_t work = 0;
    int wrong[] = {4, 0}, version = 0;
    OK(cufftGetVersion(&version));
    MUST(version == CUFFT_VERSION);
    MUST(cufftMakePlan1d(plan, n, CUFFT_C2C, 1, &work) == CUFFT_INVALID_PLAN);
    MUST(cufftGetSize(plan, &work) == CUFFT_INVALID_PLAN);
    MUST(cufftSetAutoAllocation(plan, 1) == CUFFT_INVALID_PLAN);
    MUST(cufftSetWorkArea(plan, area) == CUFFT_INVALID_PLAN);
    MUST(cufftSetStream(plan, nullptr) == CUFFT_INVALID_PLAN);
    OK(cufftCreate(&plan));
    MUST(cufftMakePlanMany(plan, 2, wrong, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1, &work) ==
         CUFFT_INVALID_SIZE);
    MUST(cufftMakePlan2d(plan, -1, 4, CUFFT_C2C, &work) == CUFFT_INVALID_SIZE);
    OK(cufftDestroy(plan));
}

int main() {
    layouts();
    work_areas_and_streams();
    return verdict();
}
