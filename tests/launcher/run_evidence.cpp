#include "tests/launcher/run_evidence.h"

#include "launcher/runs/launch.h"

#include <QtTest>

#include <nlohmann/json.hpp>

#include <fstream>

contract::JournalWriter writer(const contract::RunFolder& folder, int rank, int attempt)
{
    return {folder.journal(rank),
        {.version = contract::kJournalVersion, .run = folder.id(), .attempt = attempt, .rank = rank,
            .host = {}, .startUnixMs = 0}};
}

void writeSteps(contract::JournalWriter& journal, std::int64_t first, std::int64_t last)
{
    for (std::int64_t step = first; step <= last; ++step) {
        journal.begin(contract::record::kStep, step).add("loss", 0.5);
        journal.commit();
    }
}

void writeEnd(contract::JournalWriter& journal, const char* outcome, const char* cause)
{
    journal.begin(contract::record::kEnd, 0)
        .add("outcome", std::string_view(outcome))
        .add("cause", std::string_view(cause));
    journal.commit();
}

void changeLock(const contract::RunFolder& folder, const char* key, const nlohmann::json& value)
{
    std::ifstream stream(folder.supervisorLock());
    auto json = nlohmann::json::parse(stream);
    json[key] = value;
    std::ofstream(folder.supervisorLock()) << json.dump();
}

void markStarted(const contract::RunFolder& folder, int attempt)
{
    contract::SupervisorLock lock(folder);
    if (lock.take().empty())
        lock.describe(attempt);
}

void RunEvidence::setUp()
{
    m_test.emplace();
    m_folder.emplace(launcher::createRun(m_test->home(), m_test->experiment()).folder);
    m_lock.emplace(*m_folder);
}

void RunEvidence::tearDown()
{
    m_lock.reset();
    m_folder.reset();
    m_test.reset();
}

void RunEvidence::hold(int attempt)
{
    QCOMPARE(m_lock->take(), std::string());
    m_lock->describe(attempt);
}
