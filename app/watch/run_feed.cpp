#include "app/watch/run_feed.h"

#include "engine/contract/run/journal.h"
#include "launcher/slurm/slurm_client.h"
#include "storage/ingest.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace app {
namespace {

/// Where the last part of a journal begins, which is long enough for an estimate of the time left.
std::int64_t endOf(const std::filesystem::path& journal)
{
    constexpr std::int64_t kBytes = 256 * 1024;
    return std::max<std::int64_t>(sizeOf(journal) - kBytes, 0);
}

/// Smaller numbers are shown first.
std::size_t placeOf(std::string_view metric)
{
    namespace name = contract::metric;
    static constexpr std::array<std::string_view, 12> kFirst = {name::kReward, name::kLoss, name::kGradNorm, name::kValidationLoss,
        name::kPolicyDivergence, name::kClipped, name::kLr, name::kImagesPerSecond, name::kAllocated, name::kResident, name::kStepTime, name::kMfu};
    return static_cast<std::size_t>(std::ranges::find(kFirst, metric) - kFirst.begin());
}

}  // namespace

RunFeed::RunFeed(const launcher::DataHome& home, contract::RunFolder folder)
    : m_home(home)
    , m_folder(std::move(folder))
    , m_name(m_folder.id())
    , m_journal(m_folder.journal(0), endOf(m_folder.journal(0)))
    , m_log(m_folder)
{
    update();
}

RunFeed::~RunFeed() = default;

void RunFeed::update()
{
    launcher::refreshSlurm(m_folder, std::chrono::seconds(10));
    m_status = launcher::inspectRun(m_folder);
    readJournal();
    m_log.update();
    try {
        readDatabase();
    } catch (const std::exception& error) {
        m_problem = error.what();
        m_ingest.reset();
        m_store.reset();
    }
}

void RunFeed::readJournal()
{
    m_progress.setTotalSteps(m_status.totalSteps);
    m_journal.poll([this](const contract::JournalLine& line) {
        if (line.kind == contract::JournalLine::Kind::Header)
            m_progress = Progress(m_status.totalSteps);  // another attempt
        else if (line.kind == contract::JournalLine::Kind::Record && line.type == contract::record::kStep)
            m_progress.addStep(line);
    });
}

void RunFeed::open()
{
    try {
        m_store.emplace(m_home.database());
        m_ingest = std::make_unique<storage::Ingest>(*m_store);
    } catch (const storage::StoreError& error) {
        if (error.kind() != storage::StoreError::Kind::ReadOnly)
            throw;
        m_store.emplace(m_home.database(), storage::Store::Open::ReadOnly);
        m_problem = std::string(error.what()) + "; values that are not in the database yet are not drawn";
    }
}

void RunFeed::readDatabase()
{
    if (!m_store) {
        m_problem.clear();
        m_curves.clear();
        open();
    }
    if (m_ingest) {
        const auto problems = m_ingest->catchUp(m_folder).problems;
        m_problem = problems.empty() ? std::string() : problems.front();
    }
    if (const auto row = m_store->run(m_folder.id()))
        m_name = row->name;
    m_series = m_store->series(m_folder.id());
    std::erase_if(m_series, [](const storage::SeriesRow& row) { return row.points == 0; });
    m_metrics.clear();
    for (const storage::SeriesRow& row : m_series)
        m_metrics.push_back(row.metric);
    std::ranges::sort(m_metrics, {}, [](const std::string& metric) { return std::pair(placeOf(metric), metric); });
    m_metrics.erase(std::ranges::unique(m_metrics).begin(), m_metrics.end());
}

std::vector<int> RunFeed::ranksOf(const std::string& metric) const
{
    std::vector<int> ranks;
    for (const storage::SeriesRow& row : m_series) {
        if (row.metric == metric && std::ranges::find(ranks, row.rank) == ranks.end())
            ranks.push_back(row.rank);
    }
    std::ranges::sort(ranks);
    return ranks;
}

const MetricCurve& RunFeed::curve(const std::string& metric, int rank, const ui::Smoothing& smoothing)
{
    const std::vector<int> ranks = ranksOf(metric);
    const int drawn = ranks.empty() || std::ranges::find(ranks, rank) != ranks.end() ? rank : ranks.front();
    MetricCurve& curve = m_curves.try_emplace({metric, drawn}, metric, drawn).first->second;
    try {
        if (m_store)
            curve.update(*m_store, m_series);
    } catch (const storage::StoreError& error) {
        m_problem = error.what();
    }
    curve.smoothen(smoothing);
    return curve;
}

}  // namespace app
