# Where each library comes from: Debian packages by find_package, the pinned PyPI archives that
# setup/setup.sh unpacked into CUSET_DEPS as imported or small C targets. Nothing is downloaded here.

find_package(Threads REQUIRED)
find_package(simdjson REQUIRED)
find_package(CLI11 REQUIRED)
find_package(TBB REQUIRED)
find_package(zstd REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)

# nvcc, where there is one. The architectures are named before the language is enabled, since CMake's
# own default is one that this nvcc no longer knows.
set(CMAKE_CUDA_ARCHITECTURES 80-real 90a-real 80-virtual CACHE STRING
  "What the kernels are compiled for")
include(CheckLanguage)
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  enable_language(CUDA)
  set(CMAKE_CUDA_STANDARD 17)  # CMake 3.25 knows of no later one
  if(CUSET_CUDA)
    # LibTorch brings the runtime; with a second one a program could see another current device.
    set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
  endif()
elseif(CUSET_CUDA)
  message(FATAL_ERROR "CUSET_CUDA needs nvcc, for the kernels")
else()
  message(STATUS "No nvcc: the GPU versions of the kernels are left out")
endif()

function(cuset_require_dep file)
  if(NOT EXISTS ${CUSET_DEPS}/${file})
    message(FATAL_ERROR "${CUSET_DEPS}/${file} is missing: run ./setup/setup.sh first")
  endif()
endfunction()

# The tree-sitter runtime and the CUDA grammar, from their source archives, for the roles of tokens.
# Generated parser: -O1 is the grammar's own choice and compiles its 29 MB of tables in seconds.
set(ts_core ${CUSET_DEPS}/tree-sitter/tree_sitter/core/lib)
set(ts_cuda ${CUSET_DEPS}/tree-sitter-cuda/src)
cuset_require_dep(tree-sitter/tree_sitter/core/lib/src/lib.c)
cuset_require_dep(tree-sitter-cuda/src/parser.c)
add_library(tree_sitter STATIC EXCLUDE_FROM_ALL
  ${ts_core}/src/lib.c ${ts_cuda}/parser.c ${ts_cuda}/scanner.c)
target_include_directories(tree_sitter SYSTEM PUBLIC ${ts_core}/include)
target_include_directories(tree_sitter PRIVATE ${ts_core}/src)
set_source_files_properties(${ts_core}/src/lib.c PROPERTIES
  COMPILE_OPTIONS "-w;-O3;-D_DEFAULT_SOURCE")
set_source_files_properties(${ts_cuda}/parser.c PROPERTIES
  COMPILE_OPTIONS "-w;-O1" INCLUDE_DIRECTORIES ${ts_cuda})
set_source_files_properties(${ts_cuda}/scanner.c PROPERTIES
  COMPILE_OPTIONS "-w;-O3" INCLUDE_DIRECTORIES ${ts_cuda})
if(CUSET_SANITIZERS)  # not of them: g++ takes four times as long, and their allocations are seen anyway
  target_compile_options(tree_sitter PRIVATE -fno-sanitize=all)
endif()

# CUDA's own headers, for programs that the host backend compiles on a machine without a toolkit. They
# are found at share/cuset/cuda of the prefix, here too.
cuset_require_dep(cuda/include/cuda_runtime.h)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/cuset)
file(CREATE_LINK ${CUSET_DEPS}/cuda ${PROJECT_BINARY_DIR}/share/cuset/cuda SYMBOLIC)

# LibTorch, out of the PyPI wheel. Our own imported targets: find_package(Torch) would ask for a
# CUDA toolkit even for a program that only links torch_cpu.
if(CUSET_TORCH)
  find_package(yaml-cpp REQUIRED)  # for cuset-train --config
  set(torch_dir ${CUSET_DEPS}/torch)
  cuset_require_dep(torch/lib/libtorch_cpu.so)
  function(cuset_torch_library name)
    add_library(${name} SHARED IMPORTED)
    set_target_properties(${name} PROPERTIES
      IMPORTED_LOCATION ${torch_dir}/lib/lib${name}.so
      INTERFACE_INCLUDE_DIRECTORIES
        "${torch_dir}/include;${torch_dir}/include/torch/csrc/api/include")
  endfunction()
  cuset_torch_library(c10)
  cuset_torch_library(torch_cpu)
  set(cuset_torch_libraries torch_cpu c10)
  if(CUSET_CUDA)
    cuset_torch_library(c10_cuda)
    cuset_torch_library(torch_cuda)
    cuset_torch_library(nccl)
    set_target_properties(nccl PROPERTIES IMPORTED_LOCATION ${torch_dir}/lib/libnccl.so.2)
    cuset_require_dep(torch/lib/libnccl.so.2)
    find_package(CUDAToolkit REQUIRED)
    list(APPEND cuset_torch_libraries torch_cuda c10_cuda)
  endif()
  add_library(cuset_torch INTERFACE)
  target_link_libraries(cuset_torch INTERFACE ${cuset_torch_libraries})
  # ATen/ATen.h declares every operator, which takes 20 s a file: include ATen/ops/NAME.h.
  target_compile_definitions(cuset_torch INTERFACE AT_PER_OPERATOR_HEADERS)
  # at::parallel_for is a template, and a plain loop where OpenMP is off.
  target_compile_options(cuset_torch INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fopenmp>)
  target_link_options(cuset_torch INTERFACE -fopenmp)
  # The NVIDIA libraries behind LibTorch are found at run time, and only where there is a GPU.
  target_link_options(cuset_torch INTERFACE -Wl,--allow-shlib-undefined)
  if(CUSET_CUDA)
    target_link_options(cuset_torch INTERFACE -Wl,--no-as-needed)
    # The toolkit's headers, which LibTorch's include.
    target_link_libraries(cuset_torch INTERFACE CUDA::toolkit)
    target_compile_definitions(cuset_torch INTERFACE CUSET_CUDA=1)
  endif()
endif()

# Arrow, out of the PyPI wheel of pyarrow, where setup/setup.sh --arrow put it.
set(arrow_dir ${CUSET_DEPS}/arrow/pyarrow)
set(CUSET_ARROW OFF)
if(EXISTS ${arrow_dir}/include/arrow/api.h)
  set(CUSET_ARROW ON)
  foreach(name arrow parquet)
    file(GLOB library ${arrow_dir}/lib${name}.so.*)
    add_library(${name} SHARED IMPORTED)
    set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${library}
      INTERFACE_INCLUDE_DIRECTORIES ${arrow_dir}/include)
  endforeach()
else()
  message(STATUS "No Arrow: Parquet files and folders of datasets are refused")
endif()
