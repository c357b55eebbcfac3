#include "tests/ui/support/test_home.h"

#include "engine/contract/formats/output_file.h"
#include "engine/contract/run/journal_writer.h"
#include "storage/ingest.h"

#include <cmath>
#include <filesystem>

namespace ui_test {
namespace {

namespace fs = std::filesystem;
namespace metric = contract::metric;

contract::JournalHeader header(const contract::RunFolder& run, int rank)
{
    contract::JournalHeader header;
    header.run = run.id();
    header.rank = rank;
    return header;
}

void writeRank(const contract::RunFolder& run, int rank, std::int64_t steps)
{
    contract::JournalWriter journal(run.journal(rank), header(run, rank));
    for (std::int64_t step = 1; step <= steps; ++step) {
        journal.begin(contract::record::kStep, step);
        if (rank == 0) {
            journal.add(metric::kLoss, 0.2 + std::exp(-double(step) / 40)).add(metric::kGradNorm, 1.0 / double(step));
            journal.add(metric::kImagesPerSecond, 900.0);
        }
        journal.add(metric::kResident, 2.0e8).add(metric::kStepTime, 12.5);
        journal.commit();
    }
}

void writeSupervisor(const contract::RunFolder& run, std::int64_t steps, const std::string& outcome, const std::string& cause)
{
    contract::JournalWriter journal(run.journal(contract::kSupervisorRank), header(run, contract::kSupervisorRank));
    journal.begin(contract::record::kEvent, 0).add("level", std::string_view("info"))
        .add("kind", std::string_view(contract::event::kNotice)).add("message", std::string_view("2 ranks started"));
    journal.commit();
    if (outcome.empty())
        return;
    journal.begin(contract::record::kEnd, steps).add("outcome", std::string_view(outcome))
        .add("cause", std::string_view(cause));
    journal.commit();
}

}  // namespace

TestHome::TestHome()
{
    qputenv("ATELIER_HOME", m_folder.path().toUtf8());
    m_home = launcher::DataHome::locate();
    m_home.create();
}

TestHome::~TestHome()
{
    qunsetenv("ATELIER_HOME");
}

contract::RunFolder TestHome::writeRun(
    const std::string& id, std::int64_t steps, const std::string& outcome, const std::string& cause) const
{
    const contract::RunFolder run(m_home.runs() / id);
    for (const fs::path& folder : {run.journals(), run.logs(), run.checkpoints(), run.samples(), run.attempt(1)})
        fs::create_directories(folder);
    contract::Experiment experiment;
    experiment.setText("run.name", id.substr(0, id.find('-')));
    experiment.setText("run.total_steps", "100");
    contract::writeFileAtomically(run.config(1), experiment.toToml(contract::Experiment::Write::Everything));
    contract::AttemptStart start;
    start.startUnixMs = 1795255200000;
    start.ranks = 2;
    run.writeStart(start);
    for (int rank = 0; rank < 2; ++rank)
        writeRank(run, rank, steps);
    writeSupervisor(run, steps, outcome, cause);
    return run;
}

void TestHome::ingest() const
{
    storage::Store store(m_home.database());
    storage::catchUpAll(store, m_home.runs());
}

}  // namespace ui_test
