#include "storage/ingest.h"

#include "engine/contract/journal.h"
#include "engine/contract/text.h"
#include "storage/attempt_ingest.h"
#include "storage/checkpoint_ingest.h"
#include "storage/garbage.h"
#include "storage/journal_ingest.h"
#include "storage/run_ingest.h"
#include "storage/store_private.h"

#include <algorithm>
#include <system_error>

namespace storage {
namespace {

namespace fs = std::filesystem;

/// Ranks that have a journal, ascending, the supervisor (-1) first.
std::vector<int> ranksWithJournal(const contract::RunFolder& folder)
{
    std::vector<int> ranks;
    std::error_code error;
    for (fs::directory_iterator entry(folder.journals(), error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().stem().string();
        const auto rank = name.starts_with("rank-") ? contract::parseInteger(name.substr(5)) : std::nullopt;
        if (rank && *rank >= 0 && *rank < 1'000'000 && entry->path() == folder.journal(static_cast<int>(*rank)))
            ranks.push_back(static_cast<int>(*rank));
        else if (entry->path() == folder.journal(contract::kSupervisorRank))
            ranks.push_back(contract::kSupervisorRank);
    }
    std::ranges::sort(ranks);
    return ranks;
}

void ingestJournals(
    Database& database, std::int64_t run, const contract::RunFolder& folder, Ingest::Result& total)
{
    const std::vector<int> ranks = ranksWithJournal(folder);
    for (const int rank : ranks) {
        try {
            const Ingest::Result result = ingestJournal(database, run, rank, folder.journal(rank));
            total.values += result.values;
            total.malformedLines += result.malformedLines;
        } catch (const std::system_error& error) {
            total.problems.emplace_back(error.what());
        }
    }
    forgetJournalsExcept(database, run, ranks);
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
        const std::int64_t run = ingestRun(database, folder);
        ingestAttempts(database, run, folder, result.problems);
        ingestJournals(database, run, folder, result);
        ingestCheckpoints(database, run, folder, m_d->damaged, result.problems);
        return result;
    });
}

}  // namespace storage
