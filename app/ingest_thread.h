// Keeps the database up with a running experiment, beside the thread that owns the ranks.
#pragma once
#include "engine/contract/run_folder.h"

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace app {

/// The database is only the index: whatever happens to it is told and tried again, and never stops training.
class IngestThread {
public:
    /// @param onProblem called on the ingesting thread, once for every new kind of trouble.
    IngestThread(std::filesystem::path database, contract::RunFolder folder,
        std::function<void(const std::string&)> onProblem);
    ~IngestThread();  ///< catches up one last time, then ends
    IngestThread(const IngestThread&) = delete;
    IngestThread& operator=(const IngestThread&) = delete;

    /// Something was written. Returns at once; many calls while it is busy make one more reading.
    void wake();

private:
    void work();
    /// Until there is something to do. @return whether this is the last time.
    bool waitForWork();
    std::string catchUp();
    void tell(const std::string& problem);

    struct Connection;
    std::filesystem::path m_database;
    contract::RunFolder m_folder;
    std::function<void(const std::string&)> m_onProblem;
    std::unique_ptr<Connection> m_connection;  ///< of the working thread; empty after trouble
    std::string m_problem;                     ///< the last one told
    std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_isWoken = true;  ///< guarded, as the next: whatever was written before counts too
    bool m_isEnding = false;
    std::thread m_thread;  ///< last: it uses all of the above
};

}  // namespace app
