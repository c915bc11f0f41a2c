// The functions of the CUDA Math API that the C library lacks. The expected values were computed
// with mpmath to 40 digits; the tolerances are above the largest errors that CUDA documents, in
// double and in float, and of the fast float functions for these arguments.
#include <cmath>
#include <cstdio>

struct check {
    double value, expected, tolerance;
    int line;
};

#define DOUBLE(value, expected) out[i++] = {(double)(value), expected, 1e-14, __LINE__};
#define FLOAT(value, expected) out[i++] = {(double)(value), expected, 4e-6, __LINE__};

// `one` keeps the compiler from computing the values itself.
__global__ void compute(check* out, int* n, int one) {
    int i = 0;
    // clang-format off
    DOUBLE(erfinv(1e-300 * one), 8.8622692545275803586e-301)
    DOUBLE(erfinv(1e-05 * one), 8.862269254759594528e-6)
    DOUBLE(erfinv(0.25 * one), 0.22531205501217810473)
    DOUBLE(erfinv(0.5 * one), 0.47693627620446987338)
    DOUBLE(erfinv(0.75 * one), 0.81341984759761854169)
    DOUBLE(erfinv(0.96 * one), 1.4522197815622465907)
    DOUBLE(erfinv(0.999999 * one), 3.4589107372754987775)
    DOUBLE(erfinv(0.9999999999999999 * one), 5.8635847487551679272)
    DOUBLE(erfinv(-0.3 * one), -0.27246271472675434502)
    DOUBLE(erfinv(-0.99 * one), -1.8213863677184494559)
    DOUBLE(erfcinv(1e-300 * one), 26.209469960516123886)
    DOUBLE(erfcinv(1e-100 * one), 15.065574702592645704)
    DOUBLE(erfcinv(1e-17 * one), 6.0626939981635684773)
    DOUBLE(erfcinv(1e-05 * one), 3.1234132743408750177)
    DOUBLE(erfcinv(0.05 * one), 1.3859038243496779285)
    DOUBLE(erfcinv(0.1 * one), 1.1630871536766740677)
    DOUBLE(erfcinv(0.5 * one), 0.47693627620446987338)
    DOUBLE(erfcinv(0.9 * one), 0.088855990494257667182)
    DOUBLE(erfcinv(1.0000000000009095 * one), -8.0601869326779525513e-13)
    DOUBLE(erfcinv(1.5 * one), -0.47693627620446987338)
    DOUBLE(erfcinv(1.999 * one), -2.3267537655135465806)
    DOUBLE(normcdfinv(1e-200 * one), -30.205594179579643063)
    DOUBLE(normcdfinv(1e-10 * one), -6.3613409024040561991)
    DOUBLE(normcdfinv(0.01 * one), -2.3263478740408410931)
    DOUBLE(normcdfinv(0.3 * one), -0.52440051270804081597)
    DOUBLE(normcdfinv(0.9 * one), 1.2815515655446005935)
    DOUBLE(normcdf(-30.0 * one), 4.9067139271481870595e-198)
    DOUBLE(normcdf(-5.0 * one), 2.8665157187919391167e-7)
    DOUBLE(normcdf(-1.0 * one), 0.15865525393145705141)
    DOUBLE(normcdf(0.5 * one), 0.69146246127401310364)
    DOUBLE(normcdf(2.0 * one), 0.9772498680518207928)
    DOUBLE(normcdf(8.0 * one), 0.9999999999999993779)
    DOUBLE(erfcx(-20.0 * one), 1.0442939379528287901e+174)
    DOUBLE(erfcx(-3.0 * one), 16205.988853999586625)
    DOUBLE(erfcx(0.5 * one), 0.61569034419292587487)
    DOUBLE(erfcx(5.0 * one), 0.11070463773306862637)
    DOUBLE(erfcx(9.9 * one), 0.056702456938832268241)
    DOUBLE(erfcx(10.0 * one), 0.056140992743822585858)
    DOUBLE(erfcx(12.0 * one), 0.04685422101489376262)
    DOUBLE(erfcx(30.0 * one), 0.018795888861416751497)
    DOUBLE(erfcx(10000000000.0 * one), 5.6418958354775628695e-11)
    DOUBLE(sinpi(0.25 * one), 0.7071067811865475244)
    DOUBLE(cospi(0.25 * one), 0.7071067811865475244)
    DOUBLE(sinpi(0.3 * one), 0.8090169943749474036)
    DOUBLE(cospi(0.3 * one), 0.58778525229247315739)
    DOUBLE(sinpi(0.3333333333333333 * one), 0.8660254037844386177)
    DOUBLE(cospi(0.3333333333333333 * one), 0.50000000000000005034)
    DOUBLE(sinpi(0.75 * one), 0.7071067811865475244)
    DOUBLE(cospi(0.75 * one), -0.7071067811865475244)
    DOUBLE(sinpi(1.1 * one), -0.30901699437494768948)
    DOUBLE(cospi(1.1 * one), -0.95105651629515348589)
    DOUBLE(sinpi(2.9 * one), 0.30901699437494768948)
    DOUBLE(cospi(2.9 * one), -0.95105651629515348589)
    DOUBLE(sinpi(-0.4 * one), -0.95105651629515359367)
    DOUBLE(cospi(-0.4 * one), 0.30901699437494735776)
    DOUBLE(sinpi(1000000000000000.5 * one), 1.0)
    DOUBLE(sinpi(123456.789 * one), 0.61538637016850522727)
    DOUBLE(cospi(123456.789 * one), -0.78822561199876743138)
    DOUBLE(sinpi(3.0 * one), 0.0)
    DOUBLE(sinpi(1e300 * one), 0.0)
    DOUBLE(cospi(0.5 * one), 0.0)
    DOUBLE(cospi(-2.5 * one), 0.0)
    DOUBLE(sinpif(2.0f * one), 0.0)
    DOUBLE(cospif(1.5f * one), 0.0)
    DOUBLE(sinpi(0.5 * one), 1.0)
    DOUBLE(sinpi(-1.5 * one), 1.0)
    DOUBLE(cospi(3.0 * one), -1.0)
    DOUBLE(cospi(1e300 * one), 1.0)
    DOUBLE(rsqrt(0.1 * one), 3.1622776601683792442)
    DOUBLE(rcbrt(0.1 * one), 2.1544346900318836819)
    DOUBLE(rsqrt(3.0 * one), 0.57735026918962576451)
    DOUBLE(rcbrt(3.0 * one), 0.69336127435063470484)
    DOUBLE(rsqrt(1e-300 * one), 9.9999999999999998747e+149)
    DOUBLE(rcbrt(1e-300 * one), 9.9999999999999999165e+99)
    DOUBLE(rsqrt(1e+300 * one), 9.9999999999999997375e-151)
    DOUBLE(rcbrt(1e+300 * one), 9.999999999999999825e-101)
    DOUBLE(rhypot(3.0 * one, 4.0), 0.2)
    DOUBLE(norm3d(2.0 * one, 3.0, 6.0), 7.0)
    DOUBLE(rnorm3d(2.0 * one, 3.0, 6.0), 0.14285714285714285714)
    DOUBLE(norm4d(1.0 * one, 2.0, 4.0, 10.0), 11.0)
    DOUBLE(rnorm4d(1.0 * one, 2.0, 4.0, 10.0), 0.090909090909090909091)
    DOUBLE(norm3d(2e300 * one, 3e300, 6e300), 7.0e+300)
    DOUBLE(hypot(3e-200 * one, 4e-200), 5.0e-200)
    DOUBLE(cyl_bessel_i0(0.0 * one), 1.0)
    DOUBLE(cyl_bessel_i1(0.0 * one), 0.0)
    DOUBLE(cyl_bessel_i0(0.5 * one), 1.0634833707413235193)
    DOUBLE(cyl_bessel_i1(0.5 * one), 0.25789430539089631636)
    DOUBLE(cyl_bessel_i0(3.0 * one), 4.8807925858650240856)
    DOUBLE(cyl_bessel_i1(3.0 * one), 3.9533702174026093965)
    DOUBLE(cyl_bessel_i0(30.0 * one), 781672297823.97748972)
    DOUBLE(cyl_bessel_i1(30.0 * one), 768532038938.95699949)
    DOUBLE(cyl_bessel_i0(-3.0 * one), 4.8807925858650240856)
    DOUBLE(cyl_bessel_i1(-3.0 * one), -3.9533702174026093965)
    DOUBLE(exp10(2.5 * one), 316.2277660168379332)
    DOUBLE(fdivide(1.0 * one, 3.0), 0.33333333333333333333)
    FLOAT(erfinvf(0.1f * one), 0.08885599183)
    FLOAT(normcdfinvf(0.1f * one), -1.281551557)
    FLOAT(erfinvf(0.7f * one), 0.7328690599)
    FLOAT(normcdfinvf(0.7f * one), 0.5244004784)
    FLOAT(erfinvf(0.99f * one), 1.821386601)
    FLOAT(normcdfinvf(0.99f * one), 2.326348232)
    FLOAT(erfcinvf(0.001f * one), 2.326753756)
    FLOAT(normcdff(-3.0f * one), 0.001349898032)
    FLOAT(erfcxf(7.0f * one), 0.07980005433)
    FLOAT(rsqrtf(3.0f * one), 0.5773502692)
    FLOAT(rsqrt(3.0f * one), 0.5773502692)
    FLOAT(rcbrtf(3.0f * one), 0.6933612744)
    FLOAT(sinpif(0.3f * one), 0.8090170164)
    FLOAT(cospif(0.3f * one), 0.587785222)
    FLOAT(norm3df(2.0f * one, 3.0f, 6.0f), 7.0)
    FLOAT(norm4df(1.0f * one, 2.0f, 4.0f, 10.0f), 11.0)
    FLOAT(rnorm3df(2.0f * one, 3.0f, 6.0f), 0.1428571429)
    FLOAT(rhypotf(3.0f * one, 4.0f), 0.2)
    FLOAT(cyl_bessel_i0f(2.0f * one), 2.279585302)
    FLOAT(exp10f(1.5f * one), 31.6227766)
    FLOAT(fdividef(1.0f * one, 3.0f), 0.3333333333)
    FLOAT(__fdividef(1.0f * one, 3.0f), 0.3333333333)
    FLOAT(__expf(1.5f * one), 4.48168907)
    FLOAT(__exp10f(0.5f * one), 3.16227766)
    FLOAT(__logf(7.0f * one), 1.945910149)
    FLOAT(__log2f(7.0f * one), 2.807354922)
    FLOAT(__log10f(7.0f * one), 0.84509804)
    FLOAT(__powf(2.5f * one, 1.5f), 3.952847075)
    FLOAT(__sinf(1.0f * one), 0.8414709848)
    FLOAT(__cosf(1.0f * one), 0.5403023059)
    FLOAT(__tanf(1.0f * one), 1.557407725)
    FLOAT(__frsqrt_rn(3.0f * one), 0.5773502692)
    // clang-format on
    double sine, cosine;
    sincospi(0.25 * one, &sine, &cosine);
    DOUBLE(sine, 0.70710678118654752440)
    DOUBLE(cosine, 0.70710678118654752440)
    float float_sine, float_cosine;
    __sincosf(0.5f * one, &float_sine, &float_cosine);
    FLOAT(float_sine, 0.47942553860420300027)
    FLOAT(float_cosine, 0.87758256189037271612)
    sincosf(0.5f * one, &float_sine, &float_cosine);
    FLOAT(float_sine, 0.47942553860420300027)
    const double sides[3] = {2.0 * one, 3.0, 6.0};
    DOUBLE(norm(3, sides), 7.0)
    DOUBLE(rnorm(3, sides), 1.0 / 7.0)
    const float float_sides[3] = {2.0f * one, 3.0f, 6.0f};
    FLOAT(normf(3, float_sides), 7.0)
    // What is exact, or not a number.
    DOUBLE(erfinv(1.0 * one) > 1e308 ? 1 : 0, 1)
    DOUBLE(erfcinv(0.0 * one) > 1e308 ? 1 : 0, 1)
    DOUBLE(isnan(erfinv(2.0 * one)) ? 1 : 0, 1)
    DOUBLE(isnan(erfcinv(-1.0 * one)) ? 1 : 0, 1)
    DOUBLE(erfcx(-27.0 * one) > 1e308 ? 1 : 0, 1)
    DOUBLE(rsqrt(0.0 * one) > 1e308 ? 1 : 0, 1)
    DOUBLE(isnan(rsqrt(-1.0 * one)) ? 1 : 0, 1)
    DOUBLE(signbit(sinpi(-2.0 * one)) ? 1 : 0, 1)
    *n = i;
}

int main() {
    static check checks[300];
    int n = 0;
    check* device_checks;
    int* device_n;
    cudaMalloc(&device_checks, sizeof(checks));
    cudaMalloc(&device_n, sizeof(n));
    compute<<<1, 1>>>(device_checks, device_n, 1);
    cudaMemcpy(&n, device_n, sizeof(n), cudaMemcpyDeviceToHost);
    if (n == 0 || cudaMemcpy(checks, device_checks, n * sizeof(check), cudaMemcpyDeviceToHost) !=
                      cudaSuccess) {
        printf("the kernel failed\n");
        return 1;
    }
    cudaFree(device_checks);
    cudaFree(device_n);
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        const check& c = checks[i];
        if (fabs(c.value - c.expected) <= c.tolerance * fabs(c.expected)) continue;
        printf("line %d: %.17g, not %.17g\n", c.line, c.value, c.expected);
        wrong = 1;
    }
    return wrong;
}
