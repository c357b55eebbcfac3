// Scores of an external program that speaks JSON lines over a pipe. README.md describes what it reads and writes.
#pragma once
#include "engine/rewards/line_program.h"
#include "engine/rewards/reward.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace engine {

/// The program is started once and gets one request a batch.
class ProgramReward final : public ComparingReward {
public:
    /// Starts the program. The calling thread must live as long as this object, see LineProgram.
    /// @param name part of metric names
    /// @param timeout of a batch; of the first one, it includes the time that the program takes to begin
    /// @throws EngineError naming the program when it cannot be started
    ProgramReward(std::string name, std::filesystem::path program, std::chrono::milliseconds timeout);

    const std::string& name() const override { return m_name; }
    at::Tensor scores(const RewardBatch& batch) override;
    at::Tensor preferences(const RewardBatch& batch, const std::vector<SamplePair>& pairs) override;
    void abandon() override { m_lines.abandon(); }

    pid_t process() const { return m_lines.process(); }

private:
    at::Tensor ask(const std::string& request, std::int64_t count, const std::string& scored);  ///< @return [count], of request m_requests

    std::string m_name;
    std::filesystem::path m_program;
    std::chrono::milliseconds m_timeout;
    std::uint64_t m_requests = 0;
    LineProgram m_lines;
};

}  // namespace engine
