// The checks of `atelier doctor`.
#pragma once
#include <string>
#include <vector>

namespace app {

struct Finding {
    enum class Level {
        Good,
        Note,     ///< no problem, but something optional is missing
        Problem,  ///< something does not work
    };
    Level level = Level::Good;
    std::string what;     ///< the object of the check: "GPU 0", "LibTorch"
    std::string found;    ///< what the check found
    std::string meaning;  ///< the consequence, and what to do
};

using Findings = std::vector<Finding>;

// Each runs one check and never throws.
Findings examineGpus();
Findings examineNccl();
Findings examineTorch();
Findings examineWorker();
Findings examineKernels();  ///< of GPUs, by the worker; none where there is no GPU
Findings examinePlaces();  ///< data home, its disk, and the database where that is elsewhere
Findings examineDatabase();
Findings examineDisplay();


}  // namespace app
