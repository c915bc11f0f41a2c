// Fields of bits in a word, as HIP's device functions have them: `offset` and `width` are taken
// modulo the bits of the word.
#pragma once

#define CUSET_HOST_HIP_BITS(type, ending, bits)                                              \
    inline type __bitextract_##ending(type source, unsigned offset, unsigned width) {        \
        return (source >> offset % bits) & ((static_cast<type>(1) << width % bits) - 1);                  \
    }                                                                                        \
    inline type __bitinsert_##ending(type source, type field, unsigned offset,               \
                                     unsigned width) {                                       \
        const type mask = (static_cast<type>(1) << width % bits) - 1;                                     \
        return (source & ~(mask << offset % bits)) | ((field & mask) << offset % bits);      \
    }
CUSET_HOST_HIP_BITS(unsigned, u32, 32)
CUSET_HOST_HIP_BITS(unsigned long, u64, 64)
#undef CUSET_HOST_HIP_BITS
