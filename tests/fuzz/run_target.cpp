#include "engine/contract/experiment/experiment.h"
#include "engine/contract/run/annotations.h"
#include "engine/contract/run/control.h"
#include "engine/contract/run/journal_parser.h"
#include "engine/contract/run/run_folder.h"
#include "launcher/state/run_state.h"
#include "storage/ingest.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/verdict.h"

#include <limits>
#include <optional>

namespace fuzz {
namespace {

namespace fs = std::filesystem;

/// Reads everything that the window shows of a run.
void queryAll(const storage::Store& store, const std::string& run)
{
    const auto row = store.run(run);
    require(row.has_value(), "the run is not in the database");
    require(store.runs().size() == 1, "the database has another number of runs than one");
    for (const storage::AttemptRow& attempt : store.attempts(run))
        store.parameters(run, attempt.number);
    for (const storage::SeriesRow& series : store.series(run)) {
        require(static_cast<std::int64_t>(store.points(series.id).size()) == series.points, "a series has another number of points than it says");
        store.range(series.id, series.firstStep, series.lastStep, 2);
    }
    store.checkpoints(run);
    store.samples(run);
    store.events(run, std::numeric_limits<int>::max());
}

class RunFolderTarget final : public Target {
public:
    explicit RunFolderTarget(bool isJournals)
        : m_isJournals(isJournals)
    {
    }

    bool damages(const std::string& path) const override { return path.starts_with("journal/") == m_isJournals; }

    void read(const fs::path& folder, const Input& input) override
    {
        const contract::RunFolder run(folder);
        readParts(run);
        const launcher::RunStatus status = launcher::inspectRun(run);
        if (!status.cause.empty())
            checkMessage(status.cause);
        if (!status.waitsFor.empty())
            checkMessage(status.waitsFor);
        if (input.damaged.empty())
            require(status.state == launcher::RunState::Finished, "an undamaged run is not finished");
        accepts([&] { ingest(run, input); });
    }

private:
    static void readParts(const contract::RunFolder& run)
    {
        accepts([&] { run.checkpointSteps(); });
        accepts([&] {
            for (const int attempt : run.attempts()) {
                accepts([&] { run.readStart(attempt); });
                for (const contract::Problem& problem : contract::loadExperiment(run.config(attempt)).problems)
                    checkMessage(problem.message);
            }
        });
        accepts([&] { contract::readAnnotations(run.annotations()); });
        accepts([&] { contract::CommandReader(run.control(), 0).poll(); });
    }

    void ingest(const contract::RunFolder& run, const Input& input)
    {
        if (!m_store)
            m_store.emplace(run.root().parent_path() / "atelier.db");
        m_store->removeRun(run.id());
        storage::Ingest ingest(*m_store);
        const storage::Ingest::Result first = ingest.catchUp(run);
        for (const std::string& problem : first.problems)
            checkMessage(problem);
        require(!input.damaged.empty() || (first.values > 0 && first.problems.empty()), "an undamaged run is not read");
        require(ingest.catchUp(run).values == 0, "values are read twice");
        queryAll(*m_store, run.id());
    }

    bool m_isJournals;
    std::optional<storage::Store> m_store;
};

}  // namespace

std::unique_ptr<Target> journalTarget() { return std::make_unique<RunFolderTarget>(true); }
std::unique_ptr<Target> runFolderTarget() { return std::make_unique<RunFolderTarget>(false); }

}  // namespace fuzz
