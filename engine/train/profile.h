// A profile of a few steps: what each rank did when, for chrome://tracing, Perfetto or NVTX tools.
#pragma once
#include "engine/contract/step_range.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace engine {

/// Records steps first … last of an attempt by LibTorch's profiler: ATen's operators, our own ranges ("forward of
/// blocks.3", "wait for all-gather of blocks.4") and, on a GPU, kernels. One thread, that of the step.
class StepProfile {
public:
    /// @param range of run.profile_steps; nothing happens without one
    /// @param folder of the run; @param usesGpu records kernels as well
    StepProfile(std::optional<contract::StepRange> range, std::filesystem::path folder, int rank, bool usesGpu);
    ~StepProfile();
    StepProfile(const StepProfile&) = delete;
    StepProfile& operator=(const StepProfile&) = delete;

    /// Before step @p step, counted from 1.
    void begin(std::int64_t step);

    /// After it. @return the file just written, relative to the run's folder; empty mostly.
    /// @throws std::system_error when it cannot be written; training may go on.
    std::string end(std::int64_t step);

private:
    std::string write(std::int64_t last);

    std::optional<contract::StepRange> m_range;
    std::filesystem::path m_folder;
    int m_rank;
    bool m_usesGpu;
    bool m_isRecording = false;
    std::int64_t m_first = 0;  ///< step that recording began with
};

}  // namespace engine
