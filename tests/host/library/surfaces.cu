// Surfaces and the copies of arrays: byte coordinates, boundary modes, round trips, and the errors
// of calls that do not fit.
#include "check.h"

__global__ void write(cudaSurfaceObject_t plane, cudaSurfaceObject_t space) {
    const int x = threadIdx.x, y = threadIdx.y;
    surf2Dwrite(100.0f * y + x, plane, x * (int)sizeof(float), y);
    for (int z = 0; z < 2; ++z)
        surf3Dwrite(make_short2(x, 10 * y + z), space, x * (int)sizeof(short2), y, z);
}

__global__ void outside(cudaSurfaceObject_t plane, float* out) {
    out[0] = surf2Dread<float>(plane, 2 * 4, 1);
    out[1] = surf2Dread<float>(plane, -4, 1, cudaBoundaryModeZero);
    out[2] = surf2Dread<float>(plane, 4 * 4, 1, cudaBoundaryModeZero);
    out[3] = surf2Dread<float>(plane, 3 * 4, 3, cudaBoundaryModeZero);
    out[4] = surf2Dread<float>(plane, 9 * 4, 9, cudaBoundaryModeClamp);
    out[5] = surf2Dread<float>(plane, -8, -1, cudaBoundaryModeClamp);
    surf2Dwrite(7.0f, plane, 4 * 4, 0, cudaBoundaryModeZero);  // dropped
    surf2Dread(&out[6], plane, 3 * 4, 0);
    const float2 two = surf2Dread<float2>(plane, 2 * 4, 2);
    out[7] = two.x;
    out[8] = two.y;
}

#define EXPECT(value, expected) expect(#value, __LINE__, value, expected)

static cudaResourceDesc of_array(cudaArray_t array) {
    cudaResourceDesc resource;
    memset(&resource, 0, sizeof(resource));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

int main() {
    const cudaChannelFormatDesc one_float = cudaCreateChannelDesc<float>();
    const cudaChannelFormatDesc two_shorts = cudaCreateChannelDesc<short2>();
    cudaArray_t plane, space, plain;
    OK(cudaMallocArray(&plane, &one_float, 4, 3, cudaArraySurfaceLoadStore));
    OK(cudaMalloc3DArray(&space, &two_shorts, make_cudaExtent(4, 3, 2), cudaArraySurfaceLoadStore));
    OK(cudaMallocArray(&plain, &one_float, 4, 3));
    cudaSurfaceObject_t on_plane, on_space, on_plain;
    cudaResourceDesc resource = of_array(plane);
    OK(cudaCreateSurfaceObject(&on_plane, &resource));
    resource = of_array(space);
    OK(cudaCreateSurfaceObject(&on_space, &resource));
    resource = of_array(plain);  // was made without cudaArraySurfaceLoadStore
    EXPECT(cudaCreateSurfaceObject(&on_plain, &resource) != cudaSuccess, 1);
    cudaGetLastError();

    write<<<1, dim3(4, 3)>>>(on_plane, on_space);
    float back[3][4];
    OK(cudaMemcpy2DFromArray(back, sizeof(back[0]), plane, 0, 0, 16, 3, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 4; ++x) EXPECT(back[y][x], 100 * y + x);

    // Copies rows 1 and 2 and texels 1 to 3 of the second slice.
    short2 part[2][3];
    cudaMemcpy3DParms copy;
    memset(&copy, 0, sizeof(copy));
    copy.srcArray = space;
    copy.srcPos = make_cudaPos(1, 1, 1);
    copy.dstPtr = make_cudaPitchedPtr(part, sizeof(part[0]), 3, 2);
    copy.extent = make_cudaExtent(3, 2, 1);
    copy.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&copy));
    for (int y = 0; y < 2; ++y) {
        for (int x = 0; x < 3; ++x) {
            EXPECT(part[y][x].x, x + 1);
            EXPECT(part[y][x].y, 10 * (y + 1) + 1);
        }
    }

    float *device_out, out[9];
    OK(cudaMalloc(&device_out, sizeof(out)));
    outside<<<1, 1>>>(on_plane, device_out);
    OK(cudaMemcpy(out, device_out, sizeof(out), cudaMemcpyDeviceToHost));
    const float expected[9] = {102, 0, 0, 0, 203, 0, 3, 202, 203};
    for (int i = 0; i < 9; ++i) EXPECT(out[i], expected[i]);

    // A part in, a part out, and from array to array.
    const float row[2] = {-1, -2};
    OK(cudaMemcpy2DToArray(plane, 4, 2, row, 8, 8, 1, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2DArrayToArray(plain, 0, 0, plane, 0, 1, 16, 2, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy2DFromArray(back, sizeof(back[0]), plain, 0, 0, 16, 2, cudaMemcpyDeviceToHost));
    EXPECT(back[0][0], 100);
    EXPECT(back[1][0], 200);
    EXPECT(back[1][1], -1);
    EXPECT(back[1][2], -2);
    EXPECT(back[1][3], 203);

    cudaChannelFormatDesc format;
    cudaExtent extent;
    unsigned flags = 0;
    OK(cudaArrayGetInfo(&format, &extent, &flags, space));
    EXPECT(format.x == 16 && format.y == 16 && format.z == 0, 1);
    EXPECT(extent.width * 100 + extent.height * 10 + extent.depth, 432);
    EXPECT(flags, cudaArraySurfaceLoadStore);

    EXPECT(cudaMemcpy2DToArray(plane, 8, 0, back, 16, 16, 1, cudaMemcpyHostToDevice),
           cudaErrorInvalidValue);  // past the end of the row
    EXPECT(cudaMemcpy2DToArray(plane, 0, 0, back, 8, 16, 1, cudaMemcpyHostToDevice),
           cudaErrorInvalidPitchValue);
    cudaGetLastError();
    OK(cudaDestroySurfaceObject(on_plane));
    OK(cudaDestroySurfaceObject(on_space));
    OK(cudaFreeArray(plane));
    OK(cudaFreeArray(space));
    OK(cudaFreeArray(plain));
    OK(cudaFree(device_out));
    return verdict();
}
