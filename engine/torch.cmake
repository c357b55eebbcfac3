# The LibTorch wheel as imported targets: torch_cpu_only for the worker, torch_gpu for the CUDA module.
# Its own TorchConfig.cmake demands a CUDA toolkit, so that we link its libraries directly.

set(LIBTORCH ${ATELIER_LIBTORCH})
if(NOT LIBTORCH)
    file(GLOB LIBTORCH ${PROJECT_SOURCE_DIR}/.deps/venv/lib/python3*/site-packages/torch)
endif()
if(NOT EXISTS "${LIBTORCH}/lib/libtorch_cpu.so")
    message(FATAL_ERROR "LibTorch is not in .deps/: run app/setup, or name a folder with ATELIER_LIBTORCH.")
endif()
find_path(GLOO_HEADERS gloo/config.h REQUIRED)

# Last on the include path (-idirafter): the wheel carries another fmt than Debian's spdlog is built on.
add_library(torch_cpu_only INTERFACE)
target_compile_options(torch_cpu_only INTERFACE
    "SHELL:-idirafter ${LIBTORCH}/include"
    "SHELL:-idirafter ${LIBTORCH}/include/torch/csrc/api/include"
    -fopenmp)
target_compile_definitions(torch_cpu_only INTERFACE USE_DISTRIBUTED USE_C10D_GLOO)
target_link_libraries(torch_cpu_only INTERFACE ${LIBTORCH}/lib/libtorch_cpu.so ${LIBTORCH}/lib/libc10.so)
# Our own -fopenmp must bind to the OpenMP runtime that LibTorch brings, or there are two thread pools.
file(GLOB LIBTORCH_GOMP ${LIBTORCH}/lib/libgomp*.so* ${LIBTORCH}.libs/libgomp*.so*)
if(LIBTORCH_GOMP)
    list(GET LIBTORCH_GOMP 0 LIBTORCH_GOMP)
    target_link_libraries(torch_cpu_only INTERFACE ${LIBTORCH_GOMP})
endif()
# RUNPATH, not RPATH: LD_LIBRARY_PATH may name another copy of the same LibTorch.
target_link_options(torch_cpu_only INTERFACE -Wl,--enable-new-dtags)

# CUDA and NCCL headers come with the wheels beside torch.
file(GLOB WHEEL_CUDA ${LIBTORCH}/../nvidia/cu13)
file(GLOB WHEEL_NCCL ${LIBTORCH}/../nvidia/nccl)
set(HAVE_TORCH_CUDA OFF)
if(EXISTS "${LIBTORCH}/lib/libtorch_cuda.so" AND EXISTS "${WHEEL_CUDA}/include/cuda_runtime_api.h"
   AND EXISTS "${WHEEL_CUDA}/include/crt/host_config.h" AND EXISTS "${WHEEL_CUDA}/include/nv/target"
   AND EXISTS "${WHEEL_CUDA}/include/nvrtc.h" AND EXISTS "${WHEEL_NCCL}/include/nccl.h")
    set(HAVE_TORCH_CUDA ON)
    add_library(torch_gpu INTERFACE)
    target_link_libraries(torch_gpu INTERFACE torch_cpu_only
        ${LIBTORCH}/lib/libtorch_cuda.so ${LIBTORCH}/lib/libc10_cuda.so)
    target_compile_options(torch_gpu INTERFACE
        "SHELL:-idirafter ${WHEEL_CUDA}/include" "SHELL:-idirafter ${WHEEL_NCCL}/include")
    target_compile_definitions(torch_gpu INTERFACE USE_C10D_NCCL)
    file(GLOB NVRTC ${WHEEL_CUDA}/lib/libnvrtc.so.[0-9]*)
    set_property(GLOBAL PROPERTY ATELIER_NVRTC ${NVRTC})
    set_property(GLOBAL PROPERTY ATELIER_CUDA_HEADERS ${WHEEL_CUDA}/include)
endif()
