#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/records/event_file.h"
#include "engine/contract/run/journal_parser.h"
#include "engine/contract/run/origin.h"
#include "launcher/state/run_state.h"
#include "storage/imports/import.h"
#include "tests/fuzz/targets.h"
#include "tests/fuzz/verdict.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

namespace fuzz {
namespace {

namespace fs = std::filesystem;

template <typename Word>
Word wordAt(const std::string& bytes, std::size_t place)
{
    Word word {};
    std::memcpy(&word, bytes.data() + place, sizeof word);
    return word;
}

void setWord(std::string& bytes, std::size_t place, std::uint32_t word) { std::memcpy(bytes.data() + place, &word, sizeof word); }

std::string repairedEvents(std::string content)
{
    for (std::size_t at = 0; content.size() - at >= 16;) {
        setWord(content, at + 8, contract::maskedCrc(std::string_view(content).substr(at, 8)));
        const auto length = wordAt<std::uint64_t>(content, at);
        if (length > content.size() - at - 16)
            break;
        setWord(content, at + 12 + length, contract::maskedCrc(std::string_view(content).substr(at + 12, length)));
        at += 16 + length;
    }
    return content;
}

std::string repairedLog(std::string content)
{
    constexpr std::size_t kBlock = 32768, kHeader = 7;
    for (std::size_t at = kHeader; at + kHeader <= content.size();) {
        const std::size_t room = kBlock - at % kBlock;
        const std::size_t length = wordAt<std::uint16_t>(content, at + 4);
        if (room < kHeader) {
            at += room;
            continue;
        }
        if (length > content.size() - at - kHeader)
            break;
        setWord(content, at, contract::crc32(std::string_view(content).substr(at + 6, length + 1)));
        at += kHeader + length;
    }
    return content;
}

/// Runs that other programs have recorded.
class ImportTarget final : public Target {
public:
    bool canRepair() const override { return true; }
    std::string repaired(const std::string& path, std::string content) const override
    {
        if (path.ends_with(".wandb"))
            return repairedLog(std::move(content));
        return path.find("tfevents") != std::string::npos ? repairedEvents(std::move(content)) : content;
    }

    void read(const fs::path& folder, const Input& input) override
    {
        const fs::path home = folder.parent_path() / "imported";
        std::error_code ignored;
        fs::remove_all(home, ignored);
        fs::create_directories(home / "staging");
        std::vector<std::string> problems;
        std::int64_t values = 0;
        std::vector<fs::path> places {folder};
        std::ranges::copy_if(contract::entriesOf(folder), std::back_inserter(places), [](const fs::path& entry) {
            return fs::is_regular_file(fs::symlink_status(entry));  // tables are not looked for in folders
        });
        for (const fs::path& place : places) {
            accepts([&] {
                for (const storage::ForeignRun& run : storage::findForeignRuns(place, problems))
                    accepts([&] { values += import(run, home); });
            });
        }
        for (const std::string& problem : problems)
            checkMessage(problem);
        require(!input.damaged.empty() || values > 20, "an undamaged run is not imported");
    }

private:
    static std::int64_t import(const storage::ForeignRun& run, const fs::path& home)
    {
        const storage::ImportResult result = storage::importRun(run, home / "runs", home / "staging");
        for (const std::string& sentence : result.leftOut)
            checkMessage(sentence);
        const contract::RunFolder folder(result.folder);
        const launcher::RunStatus status = launcher::inspectRun(folder);
        require(status.state == launcher::RunState::Imported, "an imported run is " + std::string(launcher::stateName(status.state)));
        checkMessage(status.cause);
        std::int64_t values = 0;
        contract::JournalParser parser;
        for (const fs::path& file : contract::entriesOf(folder.journals())) {
            std::ifstream journal(file);
            for (std::string text; std::getline(journal, text);) {
                const contract::JournalLine& line = parser.parse(text);
                require(line.kind != contract::JournalLine::Kind::Malformed, "a line of the journal is malformed: " + text.substr(0, 200));
                values += std::ranges::count(line.fields(), true, &contract::JournalField::isNumber) * (line.type == contract::record::kMetrics ? 1 : 0);
            }
        }
        require(values == contract::readOrigin(folder)->values, "the journals have another number of values than the origin says");
        require(storage::importRun(run, home / "runs", home / "staging").what == storage::ImportResult::What::Known, "a run is imported twice");
        return values;
    }
};

}  // namespace

std::unique_ptr<Target> importTarget() { return std::make_unique<ImportTarget>(); }

}  // namespace fuzz
