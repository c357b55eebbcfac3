#include "engine/worker/profile.h"

#include <torch/csrc/autograd/profiler_kineto.h>

#include <set>
#include <system_error>

namespace engine {
namespace {

namespace profiler = torch::autograd::profiler;
using torch::profiler::impl::ActivityType;
using torch::profiler::impl::ProfilerConfig;
using torch::profiler::impl::ProfilerState;

std::set<ActivityType> activities(bool usesGpu)
{
    std::set<ActivityType> all = {ActivityType::CPU};
    if (usesGpu)
        all.insert(ActivityType::CUDA);
    return all;
}

}  // namespace

StepProfile::StepProfile(
    std::optional<contract::StepRange> range, std::filesystem::path folder, int attempt, int rank, bool usesGpu)
    : m_range(range)
    , m_folder(std::move(folder))
    , m_attempt(attempt)
    , m_rank(rank)
    , m_usesGpu(usesGpu)
{
}

StepProfile::~StepProfile()
{
    if (m_isRecording)
        profiler::disableProfiler();
}

void StepProfile::begin(std::int64_t step)
{
    if (m_isRecording || !m_range || step < m_range->first || step > m_range->last)
        return;
    const ProfilerConfig config(ProfilerState::KINETO);
    const auto kinds = activities(m_usesGpu);
    profiler::prepareProfiler(config, kinds);
    profiler::enableProfiler(config, kinds, {at::RecordScope::FUNCTION, at::RecordScope::USER_SCOPE});
    m_isRecording = true;
    m_first = step;
}

std::string StepProfile::end(std::int64_t step)
{
    return m_isRecording && step >= m_range->last ? write(step) : std::string();
}

std::string StepProfile::write(std::int64_t last)
{
    namespace fs = std::filesystem;
    m_isRecording = false;
    const auto result = profiler::disableProfiler();
    const std::string ofAttempt = m_attempt > 1 ? "-attempt-" + std::to_string(m_attempt) : "";
    const std::string name = "profile/steps-" + std::to_string(m_first) + "-" + std::to_string(last) + ofAttempt + "-rank-"
        + std::to_string(m_rank) + ".json";
    const fs::path file = m_folder / name, unfinished = file.string() + ".unfinished";
    fs::create_directories(file.parent_path());
    result->save(unfinished.string());  // does not report write errors; the rename below then fails
    fs::rename(unfinished, file);
    return name;
}

}  // namespace engine
