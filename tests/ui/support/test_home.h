// A data home of its own for each test, and runs in it as workers and supervisors would write them.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/run/run_folder.h"
#include "launcher/base/data_home.h"

#include <QTemporaryDir>

#include <cstdint>
#include <string>

namespace ui_test {

class TestHome {
public:
    /// Sets ATELIER_HOME for this process and those it starts.
    TestHome();
    ~TestHome();

    const launcher::DataHome& home() const { return m_home; }

    /// A run that ended as @p outcome says; empty: nobody wrote an end.
    contract::RunFolder writeRun(const std::string& id, std::int64_t steps, const std::string& outcome,
        const std::string& cause = {}) const;
    /// Reads every run folder into the database.
    void ingest() const;

private:
    QTemporaryDir m_folder;
    launcher::DataHome m_home;
};

}  // namespace ui_test
