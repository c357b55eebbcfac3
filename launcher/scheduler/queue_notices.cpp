#include "launcher/scheduler/queue_notices.h"

#include "engine/contract/attempt/attempt.h"

#include <exception>
#include <utility>

namespace launcher {
namespace {

/// The run's id where its experiment cannot be read.
std::string nameOf(const DataHome& home, const QueueAlert& alert)
{
    try {
        return contract::experimentOf(contract::RunFolder(home.runs() / alert.run), alert.attempt).text("run.name");
    } catch (const std::exception&) {
        return alert.run;
    }
}

}  // namespace

QueueNotices::QueueNotices(DataHome home, SupervisorLog& log, QObject* parent)
    : QObject(parent)
    , m_home(std::move(home))
    , m_log(log)
{
}

void QueueNotices::send(const QueueAlert& alert)
{
    const std::string url = webhook(m_home);
    if (url.empty())
        return;
    const std::string state = alert.kind == QueueAlert::Kind::Held ? "queue held" : "not started";
    ++m_sending;
    m_sender.send(url, {.run = alert.run, .name = nameOf(m_home, alert), .state = state, .cause = alert.message, .step = 0},
        [this](const std::string& problem) {
            if (!problem.empty())
                m_log.warning(problem);
            --m_sending;
            Q_EMIT answered();
        });
}

}  // namespace launcher
