// A data home in a temporary folder, filled with real run folders.
#pragma once
#include "engine/contract/run/journal_writer.h"
#include "engine/contract/run/run_folder.h"
#include "storage/store.h"

#include <QByteArray>
#include <QTemporaryDir>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

class RunHome {
public:
    RunHome();

    std::filesystem::path root() const { return m_folder.path().toStdString(); }
    std::filesystem::path database() const { return root() / "atelier.db"; }
    std::filesystem::path runs() const { return root() / "runs"; }

    /// Creates a run whose attempt 1 has begun.
    contract::RunFolder createRun(const std::string& id, int ranks = 1) const;

private:
    QTemporaryDir m_folder;
};

/// Begins the attempt @p number, resumed at @p parentStep, with the default experiment changed by @p options.
void beginAttempt(const contract::RunFolder& folder, int number, int ranks, std::int64_t parentStep = 0,
    const std::vector<std::pair<std::string, std::string>>& options = {});

/// The header line of an attempt in a journal, with its newline.
std::string headerLine(int attempt, int rank, std::int64_t startUnixMs = 1'000'000);

/// A step record, with its newline. Values are written as the engine does.
std::string stepLine(std::int64_t step, double tMs, const std::vector<std::pair<std::string, double>>& values,
    const std::string& type = "step");

void append(const std::filesystem::path& file, const std::string& text);

/// The line of a record that is written with ' in place of ".
std::string record(const QByteArray& text);

/// Null when @p rows has no such series.
const storage::SeriesRow* findSeries(const std::vector<storage::SeriesRow>& rows, const std::string& metric, int rank, int attempt);

/// A journal of @p steps records of @p metrics random values each, from a fixed seed.
std::string randomJournal(int rank, int steps, int metrics);

/// A complete checkpoint with one small file.
void writeCheckpoint(const contract::RunFolder& folder, std::int64_t step, int attempt, double loss);
