#include "engine/contract/run/rank_clocks.h"

#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/open_file.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/journal.h"
#include "engine/contract/run/journal_parser.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace contract {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kLeastMs = 1000;
constexpr std::size_t kReadings = 8;  // of an attempt at the most
constexpr std::int64_t kBeginningBytes = 64 * 1024;
constexpr std::int64_t kEndBytes = 512 * 1024;
constexpr std::int64_t kMostEndBytes = 4 * 1024 * 1024;
constexpr double kLongestMs = 4e12;  // 126 years
constexpr auto kAge = 10s;           // of what rankClocks() returns

std::int64_t medianOf(std::vector<std::int64_t>& values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// The times at which two ranks have finished the same steps: the other's own, and by how much it was ahead of rank 0's.
std::vector<std::pair<std::int64_t, std::int64_t>> commonSteps(const RankTimes& zero, const RankTimes& other)
{
    std::vector<std::pair<std::int64_t, std::int64_t>> common;
    auto mine = zero.finishes.begin();
    for (const RankTimes::Finish& finish : other.finishes) {
        mine = std::lower_bound(mine, zero.finishes.end(), finish.step, [](const RankTimes::Finish& each, std::int64_t step) { return each.step < step; });
        if (mine != zero.finishes.end() && mine->step == finish.step)
            common.emplace_back(finish.unixMs, finish.unixMs - mine->unixMs);
    }
    return common;
}

std::string readPart(int descriptor, std::int64_t offset, std::int64_t bytes)
{
    std::string text(static_cast<std::size_t>(bytes), '\0');
    const ssize_t count = ::pread(descriptor, text.data(), text.size(), offset);
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text;
}

/// Collects the attempts of one journal from some of its lines.
class TimesReader {
public:
    explicit TimesReader(int rank)
        : m_rank(rank)
    {
    }

    /// @param beginsInLine the text begins within a line
    void read(std::string_view text, bool beginsInLine)
    {
        if (beginsInLine)
            text.remove_prefix(std::min(text.find('\n'), text.size()));
        for (std::size_t newline; (newline = text.find('\n')) != std::string_view::npos; text.remove_prefix(newline + 1))
            take(m_parser.parse(text.substr(0, newline)));
    }
    /// The header of what follows is not known.
    void leaveAttempt() { m_isInAttempt = false; }

    std::vector<RankTimes> attempts;

private:
    void take(const JournalLine& line)
    {
        if (line.kind == JournalLine::Kind::Header) {
            m_isInAttempt = true;
            m_startUnixMs = line.header.startUnixMs;
            attempts.push_back({.rank = m_rank, .attempt = line.header.attempt, .host = line.header.host, .finishes = {}});
        } else if (line.kind == JournalLine::Kind::Record && m_isInAttempt && line.type == record::kStep) {
            std::vector<RankTimes::Finish>& finishes = attempts.back().finishes;
            const double ms = std::isfinite(line.tMs) ? std::clamp(line.tMs, 0.0, kLongestMs) : 0;
            if (finishes.empty() || finishes.back().step < line.step)
                finishes.push_back({line.step, m_startUnixMs + static_cast<std::int64_t>(ms)});
        }
    }

    int m_rank;
    JournalParser m_parser;
    bool m_isInAttempt = false;
    std::int64_t m_startUnixMs = 0;
};

bool hasHeader(std::string_view text) { return text.find("\n{\"v\":") != std::string_view::npos; }

std::vector<RankTimes> readJournal(const std::filesystem::path& file, int rank, bool isOneAttempt)
{
    TimesReader reader(rank);
    const int descriptor = openRegularFile(file, O_RDONLY, Links::Refuse);
    if (descriptor < 0)
        return {};
    struct stat info {};
    const std::int64_t size = ::fstat(descriptor, &info) == 0 ? info.st_size : 0;
    if (size <= kBeginningBytes + kEndBytes) {
        reader.read(readPart(descriptor, 0, size), false);
    } else {
        const std::string beginning = readPart(descriptor, 0, kBeginningBytes);
        reader.read(beginning.substr(0, beginning.rfind('\n') + 1), false);
        std::string end;
        for (std::int64_t bytes = kEndBytes; bytes <= kMostEndBytes; bytes *= 8) {
            end = readPart(descriptor, size - std::min(bytes, size), std::min(bytes, size));
            if (isOneAttempt || hasHeader(end))
                break;
        }
        if (!isOneAttempt)
            reader.leaveAttempt();
        reader.read(end, true);
    }
    ::close(descriptor);
    return std::move(reader.attempts);
}

/// The host in a journal's first line.
std::string firstHost(const std::filesystem::path& file)
{
    constexpr std::int64_t kHeaderBytes = 4096;
    const int descriptor = openRegularFile(file, O_RDONLY, Links::Refuse);
    if (descriptor < 0)
        return {};
    const std::string text = readPart(descriptor, 0, kHeaderBytes);
    ::close(descriptor);
    JournalParser parser;
    return parser.parse(std::string_view(text).substr(0, text.find('\n'))).header.host;
}

/// The ranks that have a journal, the supervisor too.
std::vector<int> journalledRanks(const RunFolder& folder)
{
    std::vector<int> ranks;
    for (const std::filesystem::path& file : entriesOf(folder.journals())) {
        const std::string stem = file.stem().string();
        const auto rank = stem.starts_with("rank-") ? parseInteger(std::string_view(stem).substr(5)) : kSupervisorRank;
        if (rank && *rank >= kSupervisorRank && *rank < 1'000'000 && file == folder.journal(static_cast<int>(*rank)))
            ranks.push_back(static_cast<int>(*rank));
    }
    return ranks;
}

}  // namespace

RankClocks::RankClocks(const std::vector<RankTimes>& times)
{
    std::map<int, const RankTimes*> zero;  // by attempt
    for (const RankTimes& each : times) {
        if (each.rank == 0)
            zero[each.attempt] = &each;
    }
    const auto hostOfZero = [&](int attempt) { return zero.contains(attempt) ? zero[attempt]->host : std::string(); };
    std::map<std::pair<std::string, int>, std::vector<Reading>> ofHosts;
    for (const RankTimes& each : times) {
        const auto found = zero.find(each.attempt);
        if (found == zero.end() || each.host == found->second->host)
            continue;
        const auto common = commonSteps(*found->second, each);
        const std::size_t count = std::min(kReadings, common.size());
        for (std::size_t part = 0; part < count; ++part) {
            std::vector<std::int64_t> moments, ahead;
            for (std::size_t i = part * common.size() / count; i < (part + 1) * common.size() / count; ++i) {
                moments.push_back(common[i].first);
                ahead.push_back(common[i].second);
            }
            const Reading reading {.attempt = each.attempt, .unixMs = medianOf(moments), .aheadMs = medianOf(ahead)};
            m_readings[each.rank].push_back(reading);
            if (each.rank > 0)
                ofHosts[{each.host, each.rank}].push_back(reading);
        }
    }
    for (const RankTimes& each : times) {  // that have no readings of their own
        if (m_readings.contains(each.rank) || each.host == hostOfZero(each.attempt))
            continue;
        const auto neighbour = ofHosts.lower_bound({each.host, 0});
        if (neighbour != ofHosts.end() && neighbour->first.first == each.host)
            m_readings[each.rank] = neighbour->second;
    }
    std::erase_if(m_readings, [](const auto& each) {
        return std::ranges::all_of(each.second, [](const Reading& reading) { return std::abs(reading.aheadMs) < kLeastMs; });
    });
    for (auto& [rank, readings] : m_readings)
        std::ranges::stable_sort(readings, {}, [](const Reading& reading) { return std::pair(reading.attempt, reading.unixMs); });
}

std::int64_t RankClocks::aheadMs(int rank, std::int64_t unixMs) const
{
    const auto found = m_readings.find(rank);
    if (found == m_readings.end())
        return 0;
    const std::vector<Reading>& all = found->second;
    const Reading* nearest = &all.front();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (std::abs(all[i].unixMs - unixMs) < std::abs(nearest->unixMs - unixMs))
            nearest = &all[i];
        if (i + 1 == all.size() || all[i].attempt != all[i + 1].attempt || unixMs < all[i].unixMs || unixMs > all[i + 1].unixMs)
            continue;
        const double share = static_cast<double>(unixMs - all[i].unixMs) / static_cast<double>(std::max<std::int64_t>(all[i + 1].unixMs - all[i].unixMs, 1));
        return all[i].aheadMs + std::llround(share * static_cast<double>(all[i + 1].aheadMs - all[i].aheadMs));
    }
    return nearest->aheadMs;
}

std::int64_t RankClocks::aheadMs(int rank) const
{
    const auto found = m_readings.find(rank);
    return found == m_readings.end() ? 0 : found->second.back().aheadMs;
}

std::int64_t RankClocks::byRank(int rank, std::int64_t unixMs) const
{
    // Once more at the time that this gives: clocks that drift do so slowly.
    const std::int64_t first = unixMs + aheadMs(rank, unixMs);
    return unixMs + aheadMs(rank, first);
}

RankClocks readRankClocks(const RunFolder& folder)
{
    const bool isOneAttempt = folder.attempts().size() <= 1;
    const std::vector<int> ranks = journalledRanks(folder);
    std::set<std::string> hosts;
    for (const int rank : ranks)
        hosts.insert(firstHost(folder.journal(rank)));
    if (isOneAttempt && hosts.size() <= 1)
        return {};
    std::vector<RankTimes> times;
    for (const int rank : ranks) {
        std::vector<RankTimes> own = readJournal(folder.journal(rank), rank, isOneAttempt);
        std::ranges::move(own, std::back_inserter(times));
    }
    return RankClocks(times);
}

std::shared_ptr<const RankClocks> rankClocks(const RunFolder& folder)
{
    using Clock = std::chrono::steady_clock;
    struct Known {
        std::shared_ptr<const RankClocks> clocks;
        Clock::time_point since;
    };
    static std::mutex mutex;
    static std::map<std::filesystem::path, Known> all;
    {
        const std::lock_guard lock(mutex);
        std::erase_if(all, [](const auto& each) { return Clock::now() - each.second.since >= kAge; });
        if (const auto known = all.find(folder.root()); known != all.end())
            return known->second.clocks;
    }
    auto clocks = std::make_shared<const RankClocks>(readRankClocks(folder));
    const std::lock_guard lock(mutex);
    return all.insert_or_assign(folder.root(), Known {std::move(clocks), Clock::now()}).first->second.clocks;
}

}  // namespace contract
