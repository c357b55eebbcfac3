// One rank of a WorkerRun.
#pragma once
#include <QByteArray>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace tests {

struct WorkerStart {
    std::vector<std::string> arguments;  ///< of atelier-worker
    std::vector<std::pair<std::string, std::string>> variables;  ///< of its environment, besides those of the test
    int inherited = -1;  ///< descriptor that it keeps, with its number; -1: none
    std::uint64_t memoryLimit = 0;  ///< bytes of its address space; 0: none
    bool isProgram = false;  ///< whether it is bin/atelier-worker, not a fork of the test that calls the same main function
};

/// A process of its own, whose output is kept. Not thread-safe.
class WorkerProcess {
public:
    explicit WorkerProcess(const WorkerStart& start);
    ~WorkerProcess();  ///< kills it
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;

    pid_t processId() const { return m_process; }
    void kill();
    /// Returns whether it has ended within that time.
    bool waitForFinished(int milliseconds = 30000);
    /// Of one that has ended; -signal when a signal has ended it.
    int exitCode() const { return m_exitCode; }
    /// What it has written since the last call, to standard output and standard error.
    QByteArray readAll();

private:
    pid_t m_process;
    int m_descriptor;  ///< of the process; -1 once it has ended
    int m_output;
    qint64 m_read = 0;
    int m_exitCode = 0;
};

}  // namespace tests
