// Where a run comes from that another program has recorded.
//
// [Note: imported runs]
// An imported run has an ordinary run folder: start.json of each attempt, a journal, perhaps samples and a log. In place of config.toml
// it has origin.json, which says what was imported and holds the run's parameters; so a folder with origin.json is an imported run, whose
// state is Imported for ever. Importing again reads the source as a whole and replaces these files, whose content depends on the
// source alone: where it has only grown, a journal only grows, and readers go on where they were. What a person added
// (annotations.jsonl) is kept.
#pragma once
#include "engine/contract/run/run_folder.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace contract {

struct Origin {
    std::string program;   ///< "TensorBoard"
    std::string source;    ///< the file or folder that was read
    std::string identity;  ///< the same for the same run, wherever the data home is
    std::string stamp;     ///< changes when the source does
    std::string name;
    std::string project;
    std::string ending;    ///< how the run ended, to follow "Imported from …, ": "where it finished"; empty: not recorded
    std::int64_t importedUnixMs = 0;
    std::int64_t lastStep = 0;
    std::int64_t lastUnixMs = 0;  ///< of the last record
    std::int64_t values = 0;      ///< of metrics, in all
    std::vector<std::string> leftOut;  ///< a sentence for each kind of thing that was not read
    std::vector<std::pair<std::string, std::string>> parameters;  ///< as text; nested ones as "model.depth"

    std::string sentence() const;  ///< "Imported from TensorBoard (/logs/a), where it finished."
};

std::filesystem::path originFile(const RunFolder& folder);

/// Returns nullopt for a run of Atelier's own. @throws std::runtime_error in one sentence when the file cannot be read.
std::optional<Origin> readOrigin(const RunFolder& folder);

/// "run R was imported from TensorBoard, so …" of an imported run, which can neither be resumed nor repeated; empty for others. Does not throw.
std::string whyNoExperiment(const RunFolder& folder);

/// Replaces the file atomically. @throws std::system_error naming it.
void writeOrigin(const RunFolder& folder, const Origin& origin);

}  // namespace contract
