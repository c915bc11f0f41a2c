// What is no variable of the device is no symbol: CUDA 5 took names as strings away, and a variable
// of the host, or what a pointer of the host points to, never was one. Nothing is copied.
#include "check.h"

__constant__ int offset = 3;
__device__ int table[4] = {1, 2, 3, 4};
static int of_host[4] = {7, 7, 7, 7};
static int* pointer_of_host = of_host;
struct holder {
    static __device__ int member;
};
__device__ int holder::member = 5;

template <class Symbol>
static void refused(const Symbol& symbol) {
    int value[4] = {9, 9, 9, 9};
    void* address = nullptr;
    size_t bytes = 0;
    REFUSED(cudaMemcpyToSymbol(symbol, value, 4), cudaErrorInvalidSymbol);
    REFUSED(cudaMemcpyToSymbolAsync(symbol, value, 4, 0, cudaMemcpyHostToDevice, 0),
            cudaErrorInvalidSymbol);
    REFUSED(cudaMemcpyFromSymbol(value, symbol, 4), cudaErrorInvalidSymbol);
    REFUSED(cudaMemcpyFromSymbolAsync(value, symbol, 4, 0, cudaMemcpyDeviceToHost, 0),
            cudaErrorInvalidSymbol);
    REFUSED(cudaGetSymbolAddress(&address, symbol), cudaErrorInvalidSymbol);
    REFUSED(cudaGetSymbolSize(&bytes, symbol), cudaErrorInvalidSymbol);
    MUST(value[0] == 9);
}

int main() {
    refused("offset");
    refused("table");
    int local[4] = {8, 8, 8, 8}, *in_heap = new int[4]{6, 6, 6, 6}, *on_device;
    OK(cudaMalloc(&on_device, 16));
    refused(local);
    refused(in_heap);
    refused(*in_heap);
    refused(&offset);
    int* const copy = on_device;
    refused(copy);
    refused(on_device);

    int value[4] = {};
    void* address = nullptr;
    size_t bytes = 0;
    REFUSED(cudaMemcpyToSymbol(of_host, value, 16), cudaErrorInvalidSymbol);
    REFUSED(cudaMemcpyToSymbolAsync(of_host, value, 16), cudaErrorInvalidSymbol);
    REFUSED(cudaMemcpyToSymbol(pointer_of_host, value, 8), cudaErrorInvalidSymbol);
    REFUSED(cudaMemcpyFromSymbol(value, of_host, 16), cudaErrorInvalidSymbol);
    REFUSED(cudaMemcpyFromSymbolAsync(value, of_host, 16), cudaErrorInvalidSymbol);
    REFUSED(cudaGetSymbolAddress(&address, of_host), cudaErrorInvalidSymbol);
    REFUSED(cudaGetSymbolSize(&bytes, of_host), cudaErrorInvalidSymbol);
    MUST(of_host[0] == 7 && pointer_of_host == of_host && address == nullptr);

    // Those of the device are symbols, also where an address as a void* names them.
    OK(cudaMemcpyFromSymbol(value, offset, 4));
    MUST(value[0] == 3);
    const void* const by_address = &table;
    OK(cudaMemcpyFromSymbol(value, by_address, 16));
    MUST(value[3] == 4);
    OK(cudaGetSymbolSize(&bytes, by_address));
    MUST(bytes == 16);
    OK(cudaMemcpyFromSymbol(value, holder::member, 4));
    MUST(value[0] == 5);
    OK(cudaGetSymbolAddress(&address, table[1]));
    OK(cudaMemcpy(value, address, 4, cudaMemcpyDeviceToHost));
    MUST(value[0] == 2);
    delete[] in_heap;
    OK(cudaFree(on_device));
    return verdict();
}
