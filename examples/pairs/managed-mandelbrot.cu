// The Mandelbrot set into managed memory, written out as a PGM picture.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

struct View {
    double left, top, step;
    int width, height, limit;
};

__managed__ unsigned long long inside_count = 0;

__global__ void mandelbrot(View v, uint8_t* pixels)
{
    const int px = blockIdx.x * blockDim.x + threadIdx.x;
    const int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= v.width || py >= v.height)
        return;

    const double cr = v.left + px * v.step;
    const double ci = v.top - py * v.step;
    int n = 0;
    double zr = 0.0, zi = 0.0;
    // Skip the two big regions known to be inside: the cardioid and the disc.
    const double q = (cr - 0.25) * (cr - 0.25) + ci * ci;
    if (q * (q + (cr - 0.25)) <= 0.25 * ci * ci ||
        (cr + 1.0) * (cr + 1.0) + ci * ci <= 0.0625) {
        n = v.limit;
    } else {
        while (n < v.limit && zr * zr + zi * zi <= 4.0) {
            const double t = zr * zr - zi * zi + cr;
            zi = 2.0 * zr * zi + ci;
            zr = t;
            ++n;
        }
    }
    if (n == v.limit)
        atomicAdd(&inside_count, 1ull);
    pixels[(size_t)py * v.width + px] = n == v.limit ? 0 : (uint8_t)(255 - 200 * n / v.limit);
}

static void check(cudaError_t e, const char* step)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", step, cudaGetErrorString(e));
        exit(1);
    }
}

int main(int argc, char** argv)
{
    const char* path = argc > 1 ? argv[1] : "mandelbrot.pgm";
    const View view = {-2.25, 1.25, 2.5 / 1024, 1280, 1024, 500};
    const size_t size = (size_t)view.width * view.height;

    uint8_t* pixels = nullptr;
    check(cudaMallocManaged(&pixels, size), "cudaMallocManaged");

    const dim3 block(32, 8);
    const dim3 grid((view.width + block.x - 1) / block.x, (view.height + block.y - 1) / block.y);
    mandelbrot<<<grid, block>>>(view, pixels);
    check(cudaGetLastError(), "launch");
    // The host may touch managed memory only after the kernel has finished.
    check(cudaDeviceSynchronize(), "mandelbrot");

    size_t black = 0;
    for (size_t i = 0; i < size; ++i)
        black += pixels[i] == 0;
    // The area of the set is close to 1.5066.
    const double area = inside_count * view.step * view.step;
    printf("%zu pixels inside, area %.4f\n", black, area);

    FILE* out = fopen(path, "wb");
    if (!out) {
        perror(path);
        return 1;
    }
    fprintf(out, "P5\n%d %d\n255\n", view.width, view.height);
    const bool written = fwrite(pixels, 1, size, out) == size;
    const bool closed = fclose(out) == 0;
    check(cudaFree(pixels), "cudaFree");
    if (!written || !closed) {
        fprintf(stderr, "%s: could not be written\n", path);
        return 1;
    }
    return black == inside_count && area > 1.4 && area < 1.65 ? 0 : 1;
}
