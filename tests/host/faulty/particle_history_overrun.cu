// finds: out_of_bounds line 22
// A member array is full: the last particle writes past the end.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#define HISTORY 4

struct Particle {
    float velocity;
    float position;
    float history[HISTORY];
};

__global__ void step(Particle* particles, int n, int steps, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Particle* p = &particles[i];
    for (int s = 0; s < steps; s++) {
        p->position += p->velocity * dt;
        p->history[s] = p->position;
    }
}

int main() {
    const int n = 500;
    std::vector<Particle> particles(n);
    for (int i = 0; i < n; i++) particles[i] = {float(i), 0.0f, {0, 0, 0, 0}};
    Particle* d_particles;
    cudaMalloc(&d_particles, n * sizeof(Particle));
    cudaMemcpy(d_particles, particles.data(), n * sizeof(Particle), cudaMemcpyHostToDevice);
    int steps = HISTORY + 1;  // wrong
//=     int steps = HISTORY;
    step<<<(n + 255) / 256, 256>>>(d_particles, n, steps, 0.5f);
    cudaMemcpy(particles.data(), d_particles, n * sizeof(Particle), cudaMemcpyDeviceToHost);
    cudaFree(d_particles);
    for (int i = 0; i < n; i++)
        for (int s = 0; s < HISTORY; s++)
            if (particles[i].history[s] != i * 0.5f * (s + 1)) return 1;
    return 0;
}
