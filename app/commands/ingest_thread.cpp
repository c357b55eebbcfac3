#include "app/commands/ingest_thread.h"

#include "storage/ingest.h"

#include <chrono>

namespace app {

struct IngestThread::Connection {
    explicit Connection(const std::filesystem::path& database)
        : store(database)
        , ingest(store)
    {
    }
    storage::Store store;
    storage::Ingest ingest;
};

IngestThread::IngestThread(std::filesystem::path database, contract::RunFolder folder,
    std::function<void(const std::string&)> onProblem)
    : m_database(std::move(database))
    , m_folder(std::move(folder))
    , m_onProblem(std::move(onProblem))
    , m_thread([this] { work(); })
{
}

IngestThread::~IngestThread() { finish(); }

void IngestThread::finish()
{
    if (!m_thread.joinable())
        return;
    {
        const std::lock_guard lock(m_mutex);
        m_isEnding = true;
    }
    m_changed.notify_one();
    m_thread.join();
}

void IngestThread::wake()
{
    {
        const std::lock_guard lock(m_mutex);
        m_isWoken = true;
    }
    m_changed.notify_one();
}

void IngestThread::work()
{
    for (bool isLast = false; !isLast;) {
        isLast = waitForWork();
        report(catchUp());
    }
    m_connection.reset();
}

bool IngestThread::waitForWork()
{
    using namespace std::chrono_literals;
    std::unique_lock lock(m_mutex);
    const auto hasWork = [this] { return m_isWoken || m_isEnding; };
    if (m_problem.empty())
        m_changed.wait(lock, hasWork);
    else  // after a problem: retry every 2 s, whether or not records are written
        m_changed.wait_for(lock, 2s, [this] { return m_isEnding; });
    m_isWoken = false;
    return m_isEnding;
}

std::string IngestThread::catchUp()
{
    try {
        if (!m_connection)
            m_connection = std::make_unique<Connection>(m_database);
        m_connection->ingest.catchUp(m_folder);
        return {};
    } catch (const std::exception& error) {
        m_connection.reset();
        return error.what();
    }
}

void IngestThread::report(const std::string& problem)
{
    if (problem != m_problem && !problem.empty())
        m_onProblem(problem);
    m_problem = problem;
}

}  // namespace app
