#include "tests/ui/support/journal_comparison.h"

#include "engine/contract/run/journal_parser.h"

#include <algorithm>
#include <bit>
#include <compare>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace ui_test {
namespace {

struct SeriesKey {
    int attempt;
    int rank;
    std::string metric;
    auto operator<=>(const SeriesKey&) const = default;
};

struct Value {
    std::int64_t step;
    std::uint64_t tMs;
    std::uint64_t bits;
    auto operator<=>(const Value&) const = default;
};

struct Content {
    std::map<SeriesKey, std::vector<Value>> series;
    std::size_t samples = 0;
    std::size_t events = 0;
};

void addLine(const contract::JournalLine& line, int attempt, int rank, Content& content)
{
    namespace record = contract::record;
    content.samples += line.type == record::kSample;
    content.events += line.type == record::kEvent;
    if (line.type != record::kStep && line.type != record::kMetrics && line.type != record::kHost)
        return;
    for (const contract::JournalField& field : line.fields()) {
        if (field.isNumber)
            content.series[{attempt, rank, field.name}].push_back({line.step,
                std::bit_cast<std::uint64_t>(line.tMs), std::bit_cast<std::uint64_t>(field.number)});
    }
}

/// A line without its newline is no record.
void addJournal(const std::filesystem::path& file, int rank, Content& content)
{
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    const std::string all = text.str();
    contract::JournalParser parser;
    int attempt = 0;
    for (std::size_t begin = 0, end; (end = all.find('\n', begin)) != std::string::npos; begin = end + 1) {
        const contract::JournalLine& line = parser.parse(std::string_view(all).substr(begin, end - begin));
        if (line.kind == contract::JournalLine::Kind::Header)
            attempt = line.header.attempt;
        else if (line.kind == contract::JournalLine::Kind::Record)
            addLine(line, attempt, rank, content);
    }
}

Content journalled(const contract::RunFolder& run)
{
    Content content;
    for (const int rank : {contract::kHostRank, contract::kSupervisorRank})
        addJournal(run.journal(rank), rank, content);
    // A rank that was killed at once has no journal, whatever the others have.
    constexpr int kMostRanks = 16;
    for (int rank = 0; rank < kMostRanks; ++rank)
        addJournal(run.journal(rank), rank, content);
    return content;
}

Content stored(const storage::Store& store, const contract::RunFolder& run)
{
    Content content;
    for (const storage::SeriesRow& row : store.series(run.id())) {
        auto& values = content.series[{row.attempt, row.rank, row.metric}];
        for (const storage::Point& point : store.points(row.id))
            values.push_back({point.step, std::bit_cast<std::uint64_t>(point.tMs), std::bit_cast<std::uint64_t>(point.value)});
    }
    content.samples = store.samples(run.id()).size();
    content.events = store.events(run.id(), std::numeric_limits<int>::max()).size();
    return content;
}

QString firstDifference(Content& truth, Content& index)
{
    for (auto& [key, values] : truth.series) {
        auto& found = index.series[key];
        std::ranges::sort(values);
        std::ranges::sort(found);
        if (values != found)
            return QStringLiteral("%1 of rank %2 in attempt %3: %4 values journalled, %5 in the database")
                .arg(QString::fromStdString(key.metric)).arg(key.rank).arg(key.attempt).arg(values.size()).arg(found.size());
    }
    if (truth.series.size() != index.series.size())
        return QStringLiteral("%1 series journalled, %2 in the database").arg(truth.series.size()).arg(index.series.size());
    if (truth.samples != index.samples)
        return QStringLiteral("%1 samples journalled, %2 in the database").arg(truth.samples).arg(index.samples);
    if (truth.events != index.events)
        return QStringLiteral("%1 events journalled, %2 in the database").arg(truth.events).arg(index.events);
    return {};
}

}  // namespace

JournalComparison compareWithJournals(const storage::Store& store, const contract::RunFolder& run)
{
    Content truth = journalled(run);
    Content index = stored(store, run);
    JournalComparison result;
    for (const auto& [key, values] : truth.series)
        result.values += values.size();
    result.difference = firstDifference(truth, index);
    return result;
}

}  // namespace ui_test
