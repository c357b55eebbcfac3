// The runs that other programs have recorded in files below a folder.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace storage {

struct ForeignRun {
    enum class Program {
        TensorBoard,  ///< place: a folder that holds event files
        WandB,        ///< place: the log of an offline run, run-ID.wandb
        Trackio,      ///< place: a project's database, which holds several runs
        Csv,          ///< place: a table in a text file, perhaps of several runs
        Json,         ///< place: a JSON file with objects that have a step
    };
    Program program = Program::TensorBoard;
    std::filesystem::path place;  ///< absolute
    /// Of trackio, the run's id in the database, or its name in databases without ids; of a table of several runs, the name in its columns; of
    /// JSON that Atelier has exported, the run's id; else empty.
    std::string key;
    std::string name;     ///< may be refined by what the files say
    std::string project;  ///< the same; may be empty
};

const char* nameOf(ForeignRun::Program program);  ///< "TensorBoard"

/// Lists the runs at @p path, which is a file or a folder, and below it: 16 levels deep, without following links. They are in the order of
/// their places. Tables and JSON are read only when @p path is such a file: in folders lie many that are no runs.
/// @param problems gets a sentence for each folder and database that cannot be read
/// @throws std::runtime_error in one sentence when @p path is missing or is a file of none of these programs
std::vector<ForeignRun> findForeignRuns(const std::filesystem::path& path, std::vector<std::string>& problems);

/// The event files in a folder, sorted by name, that is, by their start.
std::vector<std::filesystem::path> eventFiles(const std::filesystem::path& folder);

/// Changes when the files of the run do.
std::string stampOf(const ForeignRun& run);

}  // namespace storage
