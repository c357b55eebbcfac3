// libatelier_libtorch.so: an empty library whose name for the dynamic loader is libtorch.so.
//
// Models that AOTInductor compiled need a libtorch.so. LibTorch's own has no code either, but loads libtorch_cuda.so and the CUDA
// libraries with it, which takes hundreds of megabytes and fails where they are not installed. Loaded first, this one serves in its place.
