// unmodelled: inline PTX: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
__global__ void product(double* c, double a, double b) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(c[0]), "+d"(c[1])
        : "d"(a), "d"(b));
}
int main() { product<<<1, 32>>>(nullptr, 1, 1); }
