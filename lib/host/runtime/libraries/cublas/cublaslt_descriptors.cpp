// cuBLASLt's handles, descriptors and their attributes. There is one algorithm for each product.
#include "cublaslt_descriptors.h"

#include "cuset_host/cuda_types.h"

/// Nothing is read from a handle: one of cuBLAS serves as well.
struct cublasLtContext {};

using namespace cuset_host;

namespace {

template <class Opaque, class Descriptor>
cublasStatus_t begin(Opaque* opaque, std::size_t bytes, const Descriptor& descriptor) {
    if (opaque == nullptr || bytes < sizeof(Opaque)) return CUBLAS_STATUS_INVALID_VALUE;
    opened<Descriptor>(opaque) = descriptor;
    return CUBLAS_STATUS_SUCCESS;
}
template <class Opaque, class Descriptor>
cublasStatus_t make(Opaque** made, const Descriptor& descriptor) {
    const cublasStatus_t status = create<cublasStatus_t>(made);
    return status != CUBLAS_STATUS_SUCCESS ? status : begin(*made, sizeof(Opaque), descriptor);
}

lt_layout layout_of(cudaDataType type, std::uint64_t rows, std::uint64_t columns,
                    std::int64_t apart) {
    return {static_cast<std::uint32_t>(type), CUBLASLT_ORDER_COL, rows, columns, apart, 1, 0};
}
lt_product product_of(cublasComputeType_t compute, cudaDataType scale) {
    lt_product p{};
    p.compute = compute;
    p.scale = scale;
    p.pointers = CUBLASLT_POINTER_MODE_HOST;
    p.fill = CUBLAS_FILL_MODE_FULL;
    p.epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    p.bias_type = p.aux_type = -1;
    return p;
}
lt_preference usual_preference() {
    lt_preference p{};
    p.reductions = CUBLASLT_REDUCTION_SCHEME_MASK;
    for (auto& each : p.alignment) each = 256;
    p.implementations = ~std::uint64_t{0};
    return p;
}

/// Calls with(member) for the member that the attribute names.
template <class With>
cublasStatus_t with_member(lt_layout& l, cublasLtMatrixLayoutAttribute_t which, const With& with) {
    switch (which) {
        case CUBLASLT_MATRIX_LAYOUT_TYPE: return with(l.type);
        case CUBLASLT_MATRIX_LAYOUT_ORDER: return with(l.order);
        case CUBLASLT_MATRIX_LAYOUT_ROWS: return with(l.rows);
        case CUBLASLT_MATRIX_LAYOUT_COLS: return with(l.columns);
        case CUBLASLT_MATRIX_LAYOUT_LD: return with(l.apart);
        case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT: return with(l.count);
        case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET: return with(l.step);
        default: fail("unsupported", "cublasLtMatrixLayout's attribute " + std::to_string(which));
    }
}
template <class With>
cublasStatus_t with_member(lt_product& p, cublasLtMatmulDescAttributes_t which, const With& with) {
    switch (which) {
        case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE: return with(p.compute);
        case CUBLASLT_MATMUL_DESC_SCALE_TYPE: return with(p.scale);
        case CUBLASLT_MATMUL_DESC_POINTER_MODE: return with(p.pointers);
        case CUBLASLT_MATMUL_DESC_TRANSA: return with(p.turns_a);
        case CUBLASLT_MATMUL_DESC_TRANSB: return with(p.turns_b);
        case CUBLASLT_MATMUL_DESC_TRANSC: return with(p.turns_c);
        case CUBLASLT_MATMUL_DESC_FILL_MODE: return with(p.fill);
        case CUBLASLT_MATMUL_DESC_EPILOGUE: return with(p.epilogue);
        case CUBLASLT_MATMUL_DESC_BIAS_POINTER: return with(p.bias);
        case CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE: return with(p.bias_step);
        case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER: return with(p.aux);
        case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD: return with(p.aux_apart);
        case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE: return with(p.aux_step);
        case CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE: return with(p.alpha_step);
        case CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET: return with(p.processors);
        case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE: return with(p.bias_type);
        case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE: return with(p.aux_type);
        case CUBLASLT_MATMUL_DESC_FAST_ACCUM: return with(p.fast);
        default: fail("unsupported", "cublasLtMatmulDesc's attribute " + std::to_string(which));
    }
}
template <class With>
cublasStatus_t with_member(lt_preference& p, cublasLtMatmulPreferenceAttributes_t which,
                           const With& with) {
    switch (which) {
        case CUBLASLT_MATMUL_PREF_SEARCH_MODE: return with(p.search);
        case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES: return with(p.workspace);
        case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK: return with(p.reductions);
        case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES: return with(p.alignment[0]);
        case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES: return with(p.alignment[1]);
        case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES: return with(p.alignment[2]);
        case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES: return with(p.alignment[3]);
        case CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT: return with(p.waves);
        case CUBLASLT_MATMUL_PREF_IMPL_MASK: return with(p.implementations);
        default:
            fail("unsupported", "cublasLtMatmulPreference's attribute " + std::to_string(which));
    }
}
template <class With>
cublasStatus_t with_member(lt_transform& t, cublasLtMatrixTransformDescAttributes_t which,
                           const With& with) {
    switch (which) {
        case CUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE: return with(t.scale);
        case CUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE: return with(t.pointers);
        case CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA: return with(t.turns_a);
        case CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB: return with(t.turns_b);
        default:
            fail("unsupported", "cublasLtMatrixTransformDesc's attribute " + std::to_string(which));
    }
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* h) { return create<cublasStatus_t>(h); }
cublasStatus_t cublasLtDestroy(cublasLtHandle_t h) { return destroy<cublasStatus_t>(h); }
size_t cublasLtGetVersion() { return CUBLAS_VERSION; }
size_t cublasLtGetCudartVersion() { return CUDART_VERSION; }
const char* cublasLtGetStatusName(cublasStatus_t status) { return cublasGetStatusName(status); }
const char* cublasLtGetStatusString(cublasStatus_t status) { return cublasGetStatusString(status); }

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType type,
                                          uint64_t rows, uint64_t columns, int64_t apart) {
    return make(made, layout_of(type, rows, columns, apart));
}
cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t made, size_t bytes,
                                                 cudaDataType type, uint64_t rows, uint64_t columns,
                                                 int64_t apart) {
    return begin(made, bytes, layout_of(type, rows, columns, apart));
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
    return make(made, product_of(compute, scale));
}
cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t made, size_t bytes,
                                               cublasComputeType_t compute, cudaDataType_t scale) {
    return begin(made, bytes, product_of(compute, scale));
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* made) {
    return make(made, usual_preference());
}
cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t made,
                                                     size_t bytes) {
    return begin(made, bytes, usual_preference());
}
cublasStatus_t cublasLtMatrixTransformDescCreate(cublasLtMatrixTransformDesc_t* made,
                                                 cudaDataType scale) {
    return make(made, lt_transform{scale, CUBLASLT_POINTER_MODE_HOST, 0, 0});
}
cublasStatus_t cublasLtMatrixTransformDescInit_internal(cublasLtMatrixTransformDesc_t made,
                                                        size_t bytes, cudaDataType scale) {
    return begin(made, bytes, lt_transform{scale, CUBLASLT_POINTER_MODE_HOST, 0, 0});
}

#define CUSET_HOST_DESCRIPTOR(Name, Attribute, Descriptor)                                      \
    cublasStatus_t cublasLt##Name##Destroy(cublasLt##Name##_t descriptor) {                     \
        return destroy(descriptor, CUBLAS_STATUS_SUCCESS);                                      \
    }                                                                                           \
    cublasStatus_t cublasLt##Name##SetAttribute(cublasLt##Name##_t descriptor, Attribute which, \
                                                const void* from, size_t bytes) {               \
        if (descriptor == nullptr) return CUBLAS_STATUS_INVALID_VALUE;                          \
        return with_member(opened<Descriptor>(descriptor), which,                               \
                           [&](auto& member) { return set_attribute(member, from, bytes); });   \
    }                                                                                           \
    cublasStatus_t cublasLt##Name##GetAttribute(cublasLt##Name##_t descriptor, Attribute which, \
                                                void* to, size_t bytes, size_t* written) {      \
        if (descriptor == nullptr) return CUBLAS_STATUS_INVALID_VALUE;                          \
        return with_member(opened<Descriptor>(descriptor), which, [&](auto& member) {           \
            return get_attribute(member, to, bytes, written);                                   \
        });                                                                                     \
    }
CUSET_HOST_DESCRIPTOR(MatrixLayout, cublasLtMatrixLayoutAttribute_t, lt_layout)
CUSET_HOST_DESCRIPTOR(MatmulDesc, cublasLtMatmulDescAttributes_t, lt_product)
CUSET_HOST_DESCRIPTOR(MatmulPreference, cublasLtMatmulPreferenceAttributes_t, lt_preference)
CUSET_HOST_DESCRIPTOR(MatrixTransformDesc, cublasLtMatrixTransformDescAttributes_t, lt_transform)
#undef CUSET_HOST_DESCRIPTOR

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t h, cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* found) {
    if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (operation == nullptr || a == nullptr || b == nullptr || c == nullptr || d == nullptr ||
        preference == nullptr || wanted <= 0 || results == nullptr || found == nullptr)
        return CUBLAS_STATUS_INVALID_VALUE;
    results[0] = {};
    results[0].state = CUBLAS_STATUS_SUCCESS;
    results[0].wavesCount = 1;
    *found = 1;
    return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
