// atelier-worker: one training rank, headless.
#include "engine/worker/worker_main.h"

int main(int argc, char** argv) { return engine::workerMain(argc, argv); }
