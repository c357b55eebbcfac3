// The main function of one rank's process.
#pragma once

namespace engine {

/// Implements `atelier-worker`; see its --help. @return the documented exit code.
int workerMain(int argc, char** argv);

}  // namespace engine
