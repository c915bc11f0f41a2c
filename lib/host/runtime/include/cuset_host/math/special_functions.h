// The functions of the CUDA Math API that the C library lacks: rsqrt, sinpi, erfinv, norm3d …
// Doubles are within a few units in the last place; floats are computed as double and rounded.
#pragma once

#include <cuset_host/cuda_types.h>

#include <cmath>

namespace cuset_host {

struct sine_and_cosine {
    double sine, cosine;
};

/// Sine and cosine of pi x. The argument is reduced before it is multiplied by pi, so that whole
/// and half numbers are exact.
inline sine_and_cosine of_pi_times(double x) {
    if (!(std::fabs(x) < HUGE_VAL)) return {x - x, x - x};
    const double turn = std::fmod(std::fabs(x), 2.0);  // exact, in [0, 2)
    const int quarter = static_cast<int>(turn * 2.0 + 0.5);
    const double rest = (turn - quarter * 0.5) * 3.14159265358979323846;
    const double s = std::sin(rest), c = std::cos(rest);
    sine_and_cosine result{};
    switch (quarter & 3) {
        case 0: result = {s, c}; break;
        case 1: result = {c, -s}; break;
        case 2: result = {-s, -c}; break;
        default: result = {-c, s}; break;
    }
    if (result.sine == 0) result.sine = 0;  // whole numbers: the sign is that of x, below
    if (result.cosine == 0) result.cosine = 0;
    if (std::signbit(x)) result.sine = -result.sine;
    return result;
}

/// A first value of erfinv for |x| < 1: M. Giles, "Approximating the erfinv function", table 5.
inline double erfinv_start(double x) {
    double w = -std::log((1.0 - x) * (1.0 + x));
    double p;
    if (w < 5.0) {
        w -= 2.5;
        p = 2.81022636e-08;
        for (const double c : {3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                               -0.00125372503, -0.00417768164, 0.246640727, 1.50140941})
            p = c + p * w;
    } else {
        w = std::sqrt(w) - 3.0;
        p = -0.000200214257;
        for (const double c : {0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                               -0.0076224613, 0.00943887047, 1.00167406, 2.83297682})
            p = c + p * w;
    }
    return p * x;
}

inline constexpr double two_over_sqrt_pi = 1.12837916709551257390;

}  // namespace cuset_host

CUSET_HOST_ARITHMETIC double erfinv(double x);

CUSET_HOST_ARITHMETIC double erfcinv(double c) {
    if (!(c >= 0.0 && c <= 2.0)) return NAN;
    if (c == 0.0) return HUGE_VAL;
    if (c == 2.0) return -HUGE_VAL;
    if (c >= 0.5 && c <= 1.5) return erfinv(1.0 - c);  // the difference is exact
    if (c > 1.0) return -erfcinv(2.0 - c);
    double y;
    if (c > 0.0625) {
        y = cuset_host::erfinv_start(1.0 - c);
    } else {
        const double t = std::sqrt(-2.0 * std::log(0.5 * c));  // Abramowitz and Stegun 26.2.22
        y = 0.70710678118654752 *
            (t - (2.30753 + t * 0.27061) / (1.0 + t * (0.99229 + t * 0.04481)));
    }
    for (int i = 0; i < 4; ++i) {  // Halley's method on erfc(y) - c
        const double slope = cuset_host::two_over_sqrt_pi * std::exp(-y * y);
        if (slope == 0.0) break;
        const double step = (std::erfc(y) - c) / slope;
        y += step / (1.0 - y * step);
    }
    return y;
}
CUSET_HOST_ARITHMETIC double erfinv(double x) {
    if (!(std::fabs(x) <= 1.0)) return NAN;
    if (std::fabs(x) > 0.5) return std::copysign(erfcinv(1.0 - std::fabs(x)), x);
    if (x == 0.0) return x;
    double y = cuset_host::erfinv_start(x);
    for (int i = 0; i < 2; ++i) {
        const double step = (std::erf(y) - x) / (cuset_host::two_over_sqrt_pi * std::exp(-y * y));
        y -= step / (1.0 + y * step);
    }
    return y;
}
CUSET_HOST_ARITHMETIC double erfcx(double x) {
    if (x < 10.0) {
        const double square = x * x, rest = std::fma(x, x, -square);
        const double power = std::exp(square);
        return power == HUGE_VAL ? HUGE_VAL : power * (1.0 + rest) * std::erfc(x);
    }
    // The asymptotic series; its terms fall below 2^-53 well before they rise again.
    const double u = 0.5 / x / x;
    double sum = 1.0, term = 1.0;
    for (int i = 1; i <= 20; ++i) {
        term *= -(2 * i - 1) * u;
        sum += term;
    }
    return 0.5 * cuset_host::two_over_sqrt_pi / x * sum;
}
CUSET_HOST_ARITHMETIC double normcdf(double x) {
    // erfc magnifies its argument's error by the square of the argument, so the rounding error of x
    // / sqrt(2) is corrected to first order.
    constexpr double half = 0.70710678118654752440, lost = -4.8336466567264567e-17;
    const double a = -half * x;
    double value = std::erfc(a);
    if (std::fabs(a) < 28.0) {
        const double rest = std::fma(-half, x, -a) - lost * x;
        value -= rest * cuset_host::two_over_sqrt_pi * std::exp(-a * a);
    }
    return 0.5 * value;
}
CUSET_HOST_ARITHMETIC double normcdfinv(double p) {
    return -1.41421356237309504880 * erfcinv(2.0 * p);
}

#if defined(__GLIBC_PREREQ) && __GLIBC_PREREQ(2, 42)
#define CUSET_HOST_LIBRARY_HAS_RSQRT 1
#endif
#if defined(__GLIBC_PREREQ) && __GLIBC_PREREQ(2, 41)
#define CUSET_HOST_LIBRARY_HAS_SINPI 1
#endif

#ifndef CUSET_HOST_LIBRARY_HAS_RSQRT
CUSET_HOST_ARITHMETIC double rsqrt(double x) { return 1.0 / std::sqrt(x); }
CUSET_HOST_ARITHMETIC float rsqrtf(float x) {
    return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x)));
}
#endif
#ifndef CUSET_HOST_LIBRARY_HAS_SINPI
CUSET_HOST_ARITHMETIC double sinpi(double x) { return cuset_host::of_pi_times(x).sine; }
CUSET_HOST_ARITHMETIC double cospi(double x) { return cuset_host::of_pi_times(x).cosine; }
CUSET_HOST_ARITHMETIC float sinpif(float x) {
    return static_cast<float>(cuset_host::of_pi_times(x).sine);
}
CUSET_HOST_ARITHMETIC float cospif(float x) {
    return static_cast<float>(cuset_host::of_pi_times(x).cosine);
}
#endif
CUSET_HOST_ARITHMETIC float rsqrt(float x) { return rsqrtf(x); }
CUSET_HOST_ARITHMETIC float sinpi(float x) { return sinpif(x); }
CUSET_HOST_ARITHMETIC float cospi(float x) { return cospif(x); }
CUSET_HOST_ARITHMETIC void sincospi(double x, double* sine, double* cosine) {
    const cuset_host::sine_and_cosine both = cuset_host::of_pi_times(x);
    *sine = both.sine;
    *cosine = both.cosine;
}
CUSET_HOST_ARITHMETIC void sincospif(float x, float* sine, float* cosine) {
    const cuset_host::sine_and_cosine both = cuset_host::of_pi_times(x);
    *sine = static_cast<float>(both.sine);
    *cosine = static_cast<float>(both.cosine);
}
CUSET_HOST_ARITHMETIC void sincospi(float x, float* sine, float* cosine) {
    sincospif(x, sine, cosine);
}
CUSET_HOST_ARITHMETIC void sincos(float x, float* sine, float* cosine) {
    ::sincosf(x, sine, cosine);
}
CUSET_HOST_ARITHMETIC float exp10(float x) { return ::exp10f(x); }

CUSET_HOST_ARITHMETIC double rcbrt(double x) { return 1.0 / std::cbrt(x); }
CUSET_HOST_ARITHMETIC double rhypot(double x, double y) { return 1.0 / std::hypot(x, y); }
CUSET_HOST_ARITHMETIC double norm3d(double x, double y, double z) { return std::hypot(x, y, z); }
CUSET_HOST_ARITHMETIC double rnorm3d(double x, double y, double z) { return 1.0 / norm3d(x, y, z); }
CUSET_HOST_ARITHMETIC double norm4d(double x, double y, double z, double w) {
    return std::hypot(std::hypot(x, y), std::hypot(z, w));
}
CUSET_HOST_ARITHMETIC double rnorm4d(double x, double y, double z, double w) {
    return 1.0 / norm4d(x, y, z, w);
}
CUSET_HOST_ARITHMETIC double norm(int n, const double* p) {
    double length = 0.0;
    for (int i = 0; i < n; ++i) length = std::hypot(length, p[i]);
    return length;
}
CUSET_HOST_ARITHMETIC double rnorm(int n, const double* p) { return 1.0 / norm(n, p); }
CUSET_HOST_ARITHMETIC float normf(int n, const float* p) {
    double sum = 0.0;
    bool infinite = false;
    for (int i = 0; i < n; ++i) {
        infinite = infinite || std::fabs(p[i]) == HUGE_VALF;
        sum += static_cast<double>(p[i]) * p[i];
    }
    return infinite ? HUGE_VALF : static_cast<float>(std::sqrt(sum));
}
CUSET_HOST_ARITHMETIC float rnormf(int n, const float* p) { return 1.0f / normf(n, p); }

CUSET_HOST_ARITHMETIC double cyl_bessel_i0(double x) {
    return std::cyl_bessel_i(0.0, std::fabs(x));
}
CUSET_HOST_ARITHMETIC double cyl_bessel_i1(double x) {
    return std::copysign(std::cyl_bessel_i(1.0, std::fabs(x)), x);
}

// The float of each: its own name, and an overload of the double's.
#define CUSET_HOST_FLOAT_OF(name)                                \
    CUSET_HOST_ARITHMETIC float name##f(float x) {               \
        return static_cast<float>(name(static_cast<double>(x))); \
    }                                                            \
    CUSET_HOST_ARITHMETIC float name(float x) { return name##f(x); }
CUSET_HOST_FLOAT_OF(erfinv)
CUSET_HOST_FLOAT_OF(erfcinv)
CUSET_HOST_FLOAT_OF(erfcx)
CUSET_HOST_FLOAT_OF(normcdf)
CUSET_HOST_FLOAT_OF(normcdfinv)
CUSET_HOST_FLOAT_OF(rcbrt)
CUSET_HOST_FLOAT_OF(cyl_bessel_i0)
CUSET_HOST_FLOAT_OF(cyl_bessel_i1)
#undef CUSET_HOST_FLOAT_OF

CUSET_HOST_ARITHMETIC float rhypotf(float x, float y) {
    return static_cast<float>(rhypot(static_cast<double>(x), static_cast<double>(y)));
}
CUSET_HOST_ARITHMETIC float rhypot(float x, float y) { return rhypotf(x, y); }
CUSET_HOST_ARITHMETIC float norm3df(float x, float y, float z) {
    return static_cast<float>(norm3d(x, y, z));
}
CUSET_HOST_ARITHMETIC float rnorm3df(float x, float y, float z) {
    return static_cast<float>(rnorm3d(x, y, z));
}
CUSET_HOST_ARITHMETIC float norm4df(float x, float y, float z, float w) {
    return static_cast<float>(norm4d(x, y, z, w));
}
CUSET_HOST_ARITHMETIC float rnorm4df(float x, float y, float z, float w) {
    return static_cast<float>(rnorm4d(x, y, z, w));
}

CUSET_HOST_ARITHMETIC float j0(float x) { return ::j0f(x); }
CUSET_HOST_ARITHMETIC float j1(float x) { return ::j1f(x); }
CUSET_HOST_ARITHMETIC float jn(int n, float x) { return ::jnf(n, x); }
CUSET_HOST_ARITHMETIC float y0(float x) { return ::y0f(x); }
CUSET_HOST_ARITHMETIC float y1(float x) { return ::y1f(x); }
CUSET_HOST_ARITHMETIC float yn(int n, float x) { return ::ynf(n, x); }
