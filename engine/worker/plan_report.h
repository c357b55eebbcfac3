// What `atelier-worker --plan` prints: the memory that a run would need.
#pragma once
#include <filesystem>
#include <string>

namespace engine {

/// One line of JSON: {"v":1,"device":"cpu","ranks":2,"parameters":…,"trained":…,"checkpoint_bytes":…,"activations_known":true,
/// "available_bytes":…,"parts":[{"name":"program","bytes":…,"host":false}, …]}, where bytes are those of one rank, "host" those that are in host memory although
/// the rank trains on a GPU, and "available_bytes" is the host's memory.
/// @param file an experiment; files that describe the model are left beside it
/// @throws EngineError, std::runtime_error naming what is wrong.
std::string planReport(const std::filesystem::path& file);

}  // namespace engine
