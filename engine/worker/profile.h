// Profiles a few steps: a timeline per rank for chrome://tracing or Perfetto.
#pragma once
#include "engine/contract/experiment/step_range.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace engine {

/// Records steps first … last of an attempt with LibTorch's profiler: ATen operators, Atelier's trace ranges ("forward of
/// blocks.3", "wait for all-gather of blocks.4") and, on a GPU, kernels. Only the thread that runs the step is recorded.
class StepProfile {
public:
    /// @param range value of run.profile_steps; without one nothing is recorded
    /// @param folder the run's folder
    /// @param attempt whose files get names of their own
    /// @param usesGpu whether to record kernels as well
    StepProfile(std::optional<contract::StepRange> range, std::filesystem::path folder, int attempt, int rank, bool usesGpu);
    ~StepProfile();
    StepProfile(const StepProfile&) = delete;
    StepProfile& operator=(const StepProfile&) = delete;

    /// Call before step @p step; the first step is 1.
    void begin(std::int64_t step);

    /// Call after step @p step.
    /// @return the file just written, relative to the run's folder; empty unless @p step was the last recorded one.
    /// @throws std::system_error when it cannot be written; training may continue.
    std::string end(std::int64_t step);

private:
    std::string write(std::int64_t last);

    std::optional<contract::StepRange> m_range;
    std::filesystem::path m_folder;
    int m_attempt;
    int m_rank;
    bool m_usesGpu;
    bool m_isRecording = false;
    std::int64_t m_first = 0;  ///< first recorded step
};

}  // namespace engine
