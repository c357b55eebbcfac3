// Keeps the database up to date with a run, on a thread other than the one that owns the ranks.
#pragma once
#include "engine/contract/run/run_folder.h"

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace app {

/// The database is only an index: problems with it are reported and retried, and never stop training.
class IngestThread {
public:
    /// @param onProblem called on the ingest thread with each problem that differs from the previous one
    IngestThread(std::filesystem::path database, contract::RunFolder folder,
        std::function<void(const std::string&)> onProblem);
    ~IngestThread();  ///< calls finish()
    IngestThread(const IngestThread&) = delete;
    IngestThread& operator=(const IngestThread&) = delete;

    /// Call when records were written. Returns at once; several calls while the thread is busy cause one further pass.
    void wake();

    /// Returns when a last pass has read all that was written before the call, or has failed. No-op after the first call.
    void finish();

private:
    void work();
    /// Blocks until there is work. @return whether this is the last pass.
    bool waitForWork();
    std::string catchUp();
    void report(const std::string& problem);

    struct Connection;
    std::filesystem::path m_database;
    contract::RunFolder m_folder;
    std::function<void(const std::string&)> m_onProblem;
    std::unique_ptr<Connection> m_connection;  ///< used by the ingest thread only; null after a problem
    std::string m_problem;                     ///< result of the last pass; empty when it succeeded
    std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_isWoken = true;    ///< guarded by m_mutex; true at first, so that existing records are read
    bool m_isEnding = false;  ///< guarded by m_mutex
    std::thread m_thread;     ///< declared last, because it uses all other members
};

}  // namespace app
