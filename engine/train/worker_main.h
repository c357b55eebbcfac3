// The life of one training rank.
#pragma once

namespace engine {

/// `atelier-worker --run FOLDER --attempt N`. @return the documented exit code.
int workerMain(int argc, char** argv);

}  // namespace engine
