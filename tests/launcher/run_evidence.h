// The evidence by which inspectRun() judges, written by tests: journals by contract::JournalWriter, locks by their classes.
#pragma once
#include "engine/contract/run/journal_writer.h"
#include "engine/contract/run/supervisor_lock.h"
#include "tests/launcher/test_home.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>

/// The journal of a rank, or of the supervisor.
contract::JournalWriter writer(const contract::RunFolder& folder, int rank, int attempt = 1);
void writeSteps(contract::JournalWriter& journal, std::int64_t first, std::int64_t last);
void writeEnd(contract::JournalWriter& journal, const char* outcome, const char* cause);
/// Sets one value in what the supervisor's lock says of its owner.
void changeLock(const contract::RunFolder& folder, const char* key, const nlohmann::json& value);

/// As if a supervisor had run the attempt.
void markStarted(const contract::RunFolder& folder, int attempt);

/// What a test of this evidence has: setUp() makes a prepared run of two ranks in a home of its own, hold() is its supervisor.
class RunEvidence {
protected:
    void setUp();
    void tearDown();
    void hold(int attempt = 1);

    std::optional<TestHome> m_test;
    std::optional<contract::RunFolder> m_folder;
    std::optional<contract::SupervisorLock> m_lock;
};
