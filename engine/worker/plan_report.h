// What `atelier-worker --plan` prints, and what it writes beside a run's start: the memory that a rank needs.
#pragma once
#include <filesystem>
#include <string>

namespace engine {

/// One line of JSON: {"v":1,"device":"cpu","ranks":2,"parameters":…,"trained":…,"checkpoint_bytes":…,"sample_bytes":…,"cache_bytes":…,"activations_known":true,
/// "available_bytes":…,"parts":[{"name":"program","bytes":…,"host":false}, …]}, where bytes are those of one rank, "host" those that are in host memory although
/// the rank trains on a GPU, and "available_bytes" is the host's memory.
/// @param file an experiment; files that describe the model are left beside it
/// @param cache what the runs of the data home share: what the run encodes for the first time is counted (cache_bytes); empty: it is not
/// @throws EngineError, std::runtime_error naming what is wrong.
std::string planReport(const std::filesystem::path& file, const std::filesystem::path& cache = {});

/// Writes planReport() of an attempt's experiment to @p to, as for @p ranks ranks on @p device: "cpu" or "cuda".
/// @throws as planReport(); std::system_error when the file cannot be written.
void writePlan(const std::filesystem::path& file, const std::filesystem::path& to, int ranks, const std::string& device);

}  // namespace engine
