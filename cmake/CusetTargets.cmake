# How a cuset target is made: warnings are errors, and each lib folder is one target with an
# include folder of its own, so that an include from a layer above does not compile.

find_program(CCACHE ccache)
if(CCACHE)
  # Without this ccache takes no file that has a precompiled header.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${launcher})
endif()

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

add_library(cuset_warnings INTERFACE)
target_compile_options(cuset_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  -Wsign-conversion -Wnon-virtual-dtor -Wimplicit-fallthrough -Werror)

if(CUSET_SANITIZERS)
  add_compile_options("$<$<NOT:$<COMPILE_LANGUAGE:CUDA>>:-fsanitize=${CUSET_SANITIZERS};-fno-sanitize-recover=undefined;-fno-omit-frame-pointer>")
  add_link_options(-fsanitize=${CUSET_SANITIZERS})
  # GCC says of this warning that sanitizers make it false: here in std::regex.
  target_compile_options(cuset_warnings INTERFACE -Wno-maybe-uninitialized)
endif()

# $<LINK_LIBRARY:as_needed,LIB>: a shared library that a program loads only where it uses it.
set(CMAKE_LINK_LIBRARY_USING_as_needed_SUPPORTED TRUE)
set(CMAKE_LINK_LIBRARY_USING_as_needed "LINKER:--push-state,--as-needed" "<LIB_ITEM>"
  "LINKER:--pop-state")

# cuset_library(NAME SOURCES... DEPENDS targets... PRIVATE targets...) makes the target cuset_NAME.
function(cuset_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;PRIVATE" ${ARGN})
  add_library(cuset_${name} STATIC ${arg_SOURCES})
  target_include_directories(cuset_${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include)
  target_link_libraries(cuset_${name} PUBLIC ${arg_DEPENDS} PRIVATE ${arg_PRIVATE} cuset_warnings)
endfunction()

# cuset_headers(NAME): a target whose precompiled headers others take by REUSE_FROM. g++ wants the
# same flags there, so that what has LibTorch's (OpenMP) needs its own.
function(cuset_headers name)
  add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/cmake/headers.cpp)
  target_link_libraries(${name} PRIVATE ${ARGN} cuset_warnings)
endfunction()

# Precompiles what most files that include LibTorch share: lib/model then takes 121 s of processor
# time, not 161 s (AMD EPYC).
function(cuset_precompile_torch target)
  target_precompile_headers(${target} PRIVATE <ATen/core/Tensor.h> <ATen/ops/empty.h> <simdjson.h>)
endfunction()
