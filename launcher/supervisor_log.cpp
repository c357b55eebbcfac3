#include "launcher/supervisor/supervisor_log.h"

#include "engine/contract/formats/open_file.h"
#include "engine/contract/run/log_time.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/null_sink.h>

#include <fcntl.h>
#include <unistd.h>

namespace launcher {
namespace {

spdlog::sink_ptr openSink(const std::filesystem::path& file)
{
    // Creates the file for this user alone, and tells a pipe or a link, which the sink would open.
    const int descriptor = contract::openRegularFile(file, O_WRONLY | O_APPEND | O_CREAT, contract::Links::Refuse);
    if (descriptor < 0)
        return std::make_shared<spdlog::sinks::null_sink_st>();
    ::close(descriptor);
    try {
        return std::make_shared<spdlog::sinks::basic_file_sink_st>(file.string());
    } catch (const spdlog::spdlog_ex&) {
        return std::make_shared<spdlog::sinks::null_sink_st>();
    }
}

}  // namespace

struct SupervisorLog::Private {
    spdlog::logger logger;
};

SupervisorLog::SupervisorLog(const std::filesystem::path& file)
    : m_d(std::make_unique<Private>(Private {spdlog::logger("supervisor", openSink(file))}))
{
    m_d->logger.set_pattern(std::string(contract::kLogTimePattern) + " [%l] [supervisor] %v");
    m_d->logger.flush_on(spdlog::level::info);
    m_d->logger.set_error_handler([](const std::string&) { });
}

SupervisorLog::~SupervisorLog() = default;

void SupervisorLog::info(const std::string& text) { m_d->logger.info("{}", text); }
void SupervisorLog::warning(const std::string& text) { m_d->logger.warn("{}", text); }
void SupervisorLog::error(const std::string& text) { m_d->logger.error("{}", text); }

}  // namespace launcher
