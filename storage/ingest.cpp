#include "storage/ingest.h"

#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/journal.h"
#include "storage/attempt_ingest.h"
#include "storage/checkpoint_ingest.h"
#include "storage/garbage.h"
#include "storage/journal_ingest.h"
#include "storage/journal_reader.h"
#include "storage/run_ingest.h"
#include "storage/store_private.h"

#include <algorithm>
#include <system_error>

namespace storage {
namespace {

namespace fs = std::filesystem;

/// Ranks that have a journal, ascending, the host (-2) and the supervisor (-1) first. Sets @p error when the folder cannot be read.
std::vector<int> ranksWithJournal(const contract::RunFolder& folder, std::error_code& error)
{
    std::vector<int> ranks;
    for (const fs::path& entry : contract::entriesOf(folder.journals(), error)) {
        const std::string name = entry.stem().string();
        const auto rank = name.starts_with("rank-") ? contract::parseInteger(name.substr(5)) : std::nullopt;
        if (rank && *rank >= 0 && *rank < 1'000'000 && entry == folder.journal(static_cast<int>(*rank)))
            ranks.push_back(static_cast<int>(*rank));
        for (const int other : {contract::kHostRank, contract::kSupervisorRank}) {
            if (entry == folder.journal(other))
                ranks.push_back(other);
        }
    }
    std::ranges::sort(ranks);
    return ranks;
}

void ingestJournals(
    Database& database, std::int64_t run, const contract::RunFolder& folder, Ingest::Result& total)
{
    std::error_code error;
    const std::vector<int> ranks = ranksWithJournal(folder, error);
    for (const int rank : ranks) {
        try {
            const Ingest::Result result = ingestJournal(database, run, rank, folder.journal(rank));
            total.values += result.values;
            total.malformedLines += result.malformedLines;
            total.problems.insert(total.problems.end(), result.problems.begin(), result.problems.end());
        } catch (const JournalError& problem) {
            total.problems.emplace_back(problem.what());
        }
    }
    if (const std::string problem = whyUnreadable(folder.journals(), error); problem.empty())
        forgetJournalsExcept(database, run, ranks);
    else
        total.problems.push_back(problem + "; the curves that were read from it before are kept");
}

}  // namespace

struct Ingest::Private {
    Store& store;
    DamagedManifests damaged;
};

Ingest::Ingest(Store& store)
    : m_d(new Private {store, {}})
{
}

Ingest::~Ingest() = default;

Ingest::Result Ingest::catchUp(const contract::RunFolder& folder)
{
    std::error_code error;
    if (!fs::is_directory(folder.root(), error))
        return {};
    return m_d->store.m_d->use([&](Database& database) {
        Result result;
        const std::int64_t run = ingestRun(database, folder, result.problems);
        std::vector<std::string> unread;
        ingestAttempts(database, run, folder, unread);
        result.problems.insert(result.problems.end(), unread.begin(), unread.end());
        ingestJournals(database, run, folder, result);
        if (!unread.empty())  // the journals may have told more about these attempts
            ingestAttempts(database, run, folder, unread);
        ingestCheckpoints(database, run, folder, m_d->damaged, result.problems);
        return result;
    });
}

}  // namespace storage
