#include "engine/worker/log.h"

#include "engine/contract/run/log_time.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>

namespace engine {
namespace {

const std::string kPattern = std::string(contract::kLogTimePattern) + " [%l] %v";

std::atomic<int> rank {0};
std::atomic<std::int64_t> step {0};

spdlog::logger& logger()
{
    static const auto instance = [] {
        auto made = std::make_shared<spdlog::logger>(
            "worker", std::make_shared<spdlog::sinks::stderr_sink_mt>());
        made->set_pattern(kPattern);
        made->flush_on(spdlog::level::info);
        return made;
    }();
    return *instance;
}

void write(spdlog::level::level_enum level, const std::string& text)
{
    logger().log(level, "[rank {}] [step {}] {}", rank.load(), step.load(), text);
}

}  // namespace

void setLogRank(int newRank) { rank = newRank; }
void setLogStep(std::int64_t newStep) { step = newStep; }
void addLogFile(const std::filesystem::path& file)
{
    logger().sinks().push_back(std::make_shared<spdlog::sinks::basic_file_sink_mt>(file.string()));
    logger().set_pattern(kPattern);
}
void logInfo(const std::string& text) { write(spdlog::level::info, text); }
void logWarning(const std::string& text) { write(spdlog::level::warn, text); }
void logError(const std::string& text) { write(spdlog::level::err, text); }

}  // namespace engine
