// cuFFT's transforms against sums in plain loops: lengths with small and large prime factors, two
// and three dimensions, batches, strides, real ones in place and out of place, and wrong plans.
#include <cufft.h>

#include <complex>

#include "check.h"

using number = std::complex<double>;

/// The transform of a box of nx * ny * nz numbers, by its definition.
static std::vector<number> plain(const std::vector<number>& in, int nx, int ny, int nz, int sign) {
    std::vector<number> out(in.size());
    for (int a = 0; a < nx; ++a)
        for (int b = 0; b < ny; ++b)
            for (int c = 0; c < nz; ++c) {
                number sum = 0;
                for (int x = 0; x < nx; ++x)
                    for (int y = 0; y < ny; ++y)
                        for (int z = 0; z < nz; ++z) {
                            const double turn =
                                double(a * x) / nx + double(b * y) / ny + double(c * z) / nz;
                            sum += in[(x * ny + y) * nz + z] *
                                   std::polar(1.0, sign * 2 * M_PI * turn);
                        }
                out[(a * ny + b) * nz + c] = sum;
            }
    return out;
}
static std::vector<number> numbers(int n, bool real = false) {
    std::vector<number> out(n);
    for (int i = 0; i < n; ++i) out[i] = {(i * 7 % 11) - 5.0, real ? 0 : (i * 5 % 13) - 6.0};
    return out;
}
template <class T>
static bool is_near(T got, double wanted, double most) {
    return std::fabs(got - wanted) <= most;
}

static void complex_box(int nx, int ny, int nz, cufftHandle plan) {
    const int n = nx * ny * nz;
    cufftComplex* x = managed<cufftComplex>(n);
    const auto in = numbers(n);
    for (const int direction : {CUFFT_FORWARD, CUFFT_INVERSE}) {
        for (int i = 0; i < n; ++i) x[i] = {float(in[i].real()), float(in[i].imag())};
        OK(cufftExecC2C(plan, x, x, direction));
        OK(cudaDeviceSynchronize());
        const auto wanted = plain(in, nx, ny, nz, direction == CUFFT_FORWARD ? -1 : 1);
        for (int i = 0; i < n; ++i)
            MUST(is_near(x[i].x, wanted[i].real(), 1e-2) && is_near(x[i].y, wanted[i].imag(), 1e-2));
    }
    OK(cufftDestroy(plan));
}

/// Real to complex and back, which multiplies by the size.
template <class Real, class Complex>
static void real_box(int nx, int ny, int nz, cufftHandle there, cufftHandle back, bool in_place,
                     cufftResult (*forward)(cufftHandle, Real*, Complex*),
                     cufftResult (*inverse)(cufftHandle, Complex*, Real*)) {
    const int n = nx * ny * nz, half = nz / 2 + 1, row = in_place ? 2 * half : nz;
    const auto in = numbers(n, true);
    Complex* to = managed<Complex>(nx * ny * half);
    Real* from = (Real*)to;
    if (!in_place) cudaMallocManaged(&from, n * sizeof *from);
    for (int i = 0; i < n; ++i) from[i / nz * row + i % nz] = in[i].real();
    OK(forward(there, from, to));
    const auto wanted = plain(in, nx, ny, nz, -1);
    for (int i = 0; i < nx * ny * half; ++i) {
        const number& w = wanted[i / half * nz + i % half];
        MUST(is_near(to[i].x, w.real(), 1e-2) && is_near(to[i].y, w.imag(), 1e-2));
    }
    OK(inverse(back, to, from));
    for (int i = 0; i < n; ++i)
        MUST(is_near(from[i / nz * row + i % nz], n * in[i].real(), 1e-2));
    cufftDestroy(there);
    cufftDestroy(back);
}

int main() {
    cufftHandle plan, back;
    for (const int n : {1, 8, 12, 64, 97, 210}) {
        OK(cufftPlan1d(&plan, n, CUFFT_C2C, 1));
        complex_box(1, 1, n, plan);
    }
    OK(cufftPlan2d(&plan, 6, 10, CUFFT_C2C));
    complex_box(1, 6, 10, plan);
    OK(cufftPlan3d(&plan, 3, 4, 5, CUFFT_C2C));
    complex_box(3, 4, 5, plan);
    for (const bool in_place : {false, true}) {
        for (const int n : {16, 15}) {
            cufftPlan1d(&plan, n, CUFFT_R2C, 1);
            cufftPlan1d(&back, n, CUFFT_C2R, 1);
            real_box<cufftReal, cufftComplex>(1, 1, n, plan, back, in_place, cufftExecR2C,
                                              cufftExecC2R);
        }
        cufftPlan2d(&plan, 6, 7, CUFFT_D2Z);
        cufftPlan2d(&back, 6, 7, CUFFT_Z2D);
        real_box<cufftDoubleReal, cufftDoubleComplex>(1, 6, 7, plan, back, in_place, cufftExecD2Z,
                                                      cufftExecZ2D);
        cufftPlan3d(&plan, 3, 4, 6, CUFFT_R2C);
        cufftPlan3d(&back, 3, 4, 6, CUFFT_C2R);
        real_box<cufftReal, cufftComplex>(3, 4, 6, plan, back, in_place, cufftExecR2C,
                                          cufftExecC2R);
    }
    // The columns of a matrix, as a batch with strides.
    int n = 8, sizes = 8;
    const int columns = 5;
    OK(cufftPlanMany(&plan, 1, &n, &sizes, columns, 1, &sizes, columns, 1, CUFFT_Z2Z, columns));
    cufftDoubleComplex* x = managed<cufftDoubleComplex>(n * columns);
    const auto in = numbers(n * columns);
    for (int i = 0; i < n * columns; ++i) x[i] = {in[i].real(), in[i].imag()};
    OK(cufftExecZ2Z(plan, x, x, CUFFT_FORWARD));
    for (int c = 0; c < columns; ++c) {
        std::vector<number> column(n);
        for (int i = 0; i < n; ++i) column[i] = in[i * columns + c];
        const auto wanted = plain(column, 1, 1, n, -1);
        for (int i = 0; i < n; ++i)
            MUST(is_near(x[i * columns + c].x, wanted[i].real(), 1e-9) &&
                 is_near(x[i * columns + c].y, wanted[i].imag(), 1e-9));
    }
    // Rows that lie one behind the other, without sizes.
    cufftComplex* y = managed<cufftComplex>(n * columns);
    for (int i = 0; i < n * columns; ++i) y[i] = {float(in[i].real()), float(in[i].imag())};
    OK(cufftPlan1d(&back, n, CUFFT_C2C, columns));
    OK(cufftExecC2C(back, y, y, CUFFT_FORWARD));
    for (int r = 0; r < columns; ++r) {
        const auto wanted =
            plain({in.begin() + r * n, in.begin() + (r + 1) * n}, 1, 1, n, -1);
        for (int i = 0; i < n; ++i) MUST(is_near(y[r * n + i].x, wanted[i].real(), 1e-3));
    }
    MUST(cufftExecC2C(plan, y, y, CUFFT_FORWARD) != CUFFT_SUCCESS);  // a plan of doubles
    MUST(cufftDestroy(plan) == CUFFT_SUCCESS && cufftDestroy(plan) == CUFFT_INVALID_PLAN);
    MUST(cufftPlan1d(&plan, 0, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE);
    return verdict();
}
