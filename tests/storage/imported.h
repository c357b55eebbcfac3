// A data home into which tests import runs of other programs.
#pragma once
#include "storage/imports/import.h"
#include "storage/ingest.h"
#include "tests/storage/run_home.h"

#include <string>
#include <utility>
#include <vector>

namespace tests {

std::filesystem::path foreignRuns();  ///< tests/fixtures/foreign
std::string contentOf(const std::filesystem::path& file);
void write(const std::filesystem::path& file, const std::string& content);  ///< and changes its time
std::uint64_t bits(double value);  ///< of every NaN the same

/// All points, parameters, events, samples and runs, as text.
std::string everythingIn(const storage::Store& store);

class ImportHome : public RunHome {
public:
    /// Imports what is at @p path and ingests it.
    void importAll(const std::filesystem::path& path);

    std::string runCalled(const std::string& name) const;  ///< the id; empty when there is none
    contract::RunFolder folder(const std::string& id) const { return contract::RunFolder(runs() / id); }
    std::vector<storage::Point> points(const std::string& id, const std::string& metric, int attempt) const;
    std::string parameter(const std::string& id, const std::string& key) const;
    std::string leftOut(const std::string& name) const;  ///< of the last import of that run, joined by "; "
    std::string everything() const { return everythingIn(store); }

    storage::Store store {database()};
    std::vector<std::pair<storage::ImportResult, storage::ForeignRun>> results;  ///< of all imports
    std::vector<std::string> failures;  ///< and sentences about what could not be read
};

}  // namespace tests
