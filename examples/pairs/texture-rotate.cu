// Rotate a grey image about its centre with a texture object: the hardware
// interpolates between pixels and returns black outside the image.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CK(call)                                                            \
  do {                                                                      \
    cudaError_t s_ = (call);                                                \
    if (s_ != cudaSuccess) {                                                \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(s_));      \
      std::exit(EXIT_FAILURE);                                              \
    }                                                                       \
  } while (0)

__global__ void rotate(cudaTextureObject_t image, float* __restrict__ out,
                       int width, int height, float cos_a, float sin_a) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;

  // Pixel centres lie at +0.5 in unnormalised texture coordinates.
  const float cx = 0.5f * width, cy = 0.5f * height;
  const float dx = x + 0.5f - cx, dy = y + 0.5f - cy;
  const float u = cos_a * dx + sin_a * dy + cx;
  const float v = -sin_a * dx + cos_a * dy + cy;
  out[size_t(y) * width + x] = tex2D<float>(image, u, v);
}

class Texture {
 public:
  Texture(const std::vector<float>& pixels, int width, int height) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CK(cudaMallocArray(&array_, &format, width, height));
    const size_t row = width * sizeof(float);
    CK(cudaMemcpy2DToArray(array_, 0, 0, pixels.data(), row, row, height,
                           cudaMemcpyHostToDevice));

    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_;

    cudaTextureDesc texture = {};
    texture.addressMode[0] = cudaAddressModeBorder;
    texture.addressMode[1] = cudaAddressModeBorder;
    texture.filterMode = cudaFilterModeLinear;
    texture.readMode = cudaReadModeElementType;
    texture.normalizedCoords = 0;
    CK(cudaCreateTextureObject(&object_, &resource, &texture, nullptr));
  }
  ~Texture() {
    cudaDestroyTextureObject(object_);
    cudaFreeArray(array_);
  }
  Texture(const Texture&) = delete;
  Texture& operator=(const Texture&) = delete;
  cudaTextureObject_t get() const { return object_; }

 private:
  cudaArray_t array_ = nullptr;
  cudaTextureObject_t object_ = 0;
};

int main() {
  const int width = 64, height = 64;
  std::vector<float> image(width * height), turned(width * height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) image[y * width + x] = float(y * width + x);

  Texture texture(image, width, height);
  float* d_out = nullptr;
  CK(cudaMalloc(&d_out, turned.size() * sizeof(float)));

  // A quarter turn of a square image maps pixel centres onto pixel centres,
  // so the answer is known exactly.
  const dim3 block(16, 16);
  const dim3 grid((width + 15) / 16, (height + 15) / 16);
  rotate<<<grid, block>>>(texture.get(), d_out, width, height, 0.0f, 1.0f);
  CK(cudaGetLastError());
  CK(cudaMemcpy(turned.data(), d_out, turned.size() * sizeof(float),
                cudaMemcpyDeviceToHost));
  CK(cudaFree(d_out));

  int wrong = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const float want = image[(width - 1 - x) * width + y];  // (u, v) = (y, w-1-x)
      if (std::fabs(turned[y * width + x] - want) > 0.5f) ++wrong;
    }
  std::printf("%d wrong pixels\n", wrong);
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
