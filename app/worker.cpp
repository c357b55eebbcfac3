// atelier-worker: one training rank, headless.
#include "engine/worker/worker_main.h"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv)
{
    const int exitCode = engine::workerMain(argc, argv);
    std::fflush(nullptr);
    std::_Exit(exitCode);  // skips the destructors of LibTorch's registries, which take half as long as its start
}
