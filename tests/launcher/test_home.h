// A temporary data home for one test, with fake programs in place of atelier and atelier-worker.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/run/run_folder.h"
#include "launcher/base/data_home.h"

#include <QTemporaryDir>

#include <string>
#include <sys/types.h>
#include <vector>

class TestHome {
public:
    TestHome();
    ~TestHome();  ///< kills the processes that its runs have left
    TestHome(const TestHome&) = delete;
    TestHome& operator=(const TestHome&) = delete;

    const launcher::DataHome& home() const { return m_home; }
    std::filesystem::path path() const { return m_folder.path().toStdString(); }

    contract::Experiment experiment() const;  ///< valid, two ranks, practically endless
    contract::RunFolder startedRun() const;   ///< of experiment()

    /// Process ids of a run's ranks, or of its supervisor.
    static std::vector<pid_t> ranks(const contract::RunFolder& folder);
    static pid_t rank(const contract::RunFolder& folder, int rank);  ///< -1 when there is none
    static std::vector<pid_t> supervisors(const contract::RunFolder& folder);

    /// How the fake worker misbehaves.
    static void setFake(const char* what, int rank, int code = 1);

private:
    QTemporaryDir m_folder;
    launcher::DataHome m_home;
};
