// Scores of an external program that speaks JSON lines over a pipe. README.md describes what it reads and writes.
#pragma once
#include "engine/rewards/line_program.h"
#include "engine/rewards/reward.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace engine {

/// The program is started once and gets one request a batch.
class ProgramReward final : public Reward {
public:
    /// Starts the program. The calling thread must live as long as this object, see LineProgram.
    /// @param name part of metric names
    /// @param timeout of a batch; of the first one, it includes the time that the program takes to begin
    /// @throws EngineError naming the program when it cannot be started
    ProgramReward(std::string name, std::filesystem::path program, std::chrono::milliseconds timeout);

    const std::string& name() const override { return m_name; }
    at::Tensor scores(const RewardBatch& batch) override;

    pid_t process() const { return m_lines.process(); }

private:
    std::string m_name;
    std::filesystem::path m_program;
    std::chrono::milliseconds m_timeout;
    std::uint64_t m_requests = 0;
    LineProgram m_lines;
};

}  // namespace engine
