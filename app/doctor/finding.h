// What `atelier doctor` looks at.
#pragma once
#include <string>
#include <vector>

namespace app {

struct Finding {
    enum class Level {
        Good,
        Note,     ///< fine, but something is not there that could be
        Problem,  ///< something will not work
    };
    Level level = Level::Good;
    std::string what;     ///< "GPU 0", "LibTorch"
    std::string found;    ///< the fact
    std::string meaning;  ///< what follows from it, and what to do
};

using Findings = std::vector<Finding>;

// Each looks at one thing and never throws.
Findings examineGpus();
Findings examineNccl();
Findings examineTorch();
Findings examineWorker();
Findings examinePlaces();  ///< data home, disk
Findings examineDatabase();
Findings examineDisplay();


}  // namespace app
