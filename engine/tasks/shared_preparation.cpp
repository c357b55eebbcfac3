#include "engine/tasks/shared_preparation.h"

#include "engine/comm/data_collectives.h"
#include "engine/comm/errors.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>

namespace engine {
namespace {

using Clock = std::chrono::steady_clock;

/// The thread of [Note: preparation]. While it exists, the rank's main thread must not use the group.
class RollCall {
public:
    RollCall(Group& ranks, c10::Device device, const std::string& what, std::chrono::milliseconds limit)
        : m_ranks(ranks)
        , m_device(device)
        , m_what(what)
        , m_limit(limit)
        , m_thread([this] { run(); })
    {
    }
    /// Without awaitAll(), the other ranks wait until this process ends.
    ~RollCall()
    {
        wakeWith(m_isLeaving);
        join();
    }
    RollCall(const RollCall&) = delete;
    RollCall& operator=(const RollCall&) = delete;

    /// @throws what the thread has thrown.
    void pieceDone()
    {
        ++m_pieces;
        if (m_hasFailed)
            awaitAll();
    }

    /// Returns when all ranks have called it. @throws EngineError LostPeer.
    void awaitAll()
    {
        wakeWith(m_isDone);
        join();
        if (m_error)
            std::rethrow_exception(m_error);
    }

private:
    static constexpr double kDone = -1;

    void join()
    {
        if (m_thread.joinable())
            m_thread.join();
    }

    void wakeWith(std::atomic<bool>& flag)
    {
        const std::lock_guard lock(m_mutex);
        flag = true;
        m_wake.notify_all();
    }

    /// Returns at once when this rank is done: its next call then waits for those of the others.
    void waitBetweenCalls(std::chrono::duration<double> pause)
    {
        std::unique_lock lock(m_mutex);
        m_wake.wait_for(lock, pause, [this] { return m_isDone || m_isLeaving; });
    }

    void run()
    {
        try {
            constexpr std::chrono::duration<double> kLongestPause(5);
            constexpr double kGrowth = 1.2;
            std::chrono::duration<double> pause(0.001);
            std::vector<double> former(static_cast<std::size_t>(m_ranks.size()), 0);
            std::vector<Clock::time_point> since(former.size(), Clock::now());
            while (!m_isLeaving) {
                const std::vector<double> now = call();
                if (std::ranges::count(now, kDone) == m_ranks.size())
                    return;
                for (std::size_t rank = 0; rank < now.size(); ++rank) {
                    if (now[rank] != former[rank])
                        since[rank] = Clock::now();
                    else if (now[rank] != kDone && Clock::now() - since[rank] > m_limit)
                        throw EngineError(EngineError::Kind::LostPeer, m_what + ": rank " + std::to_string(rank) + " has finished nothing for "
                                + std::to_string(std::chrono::duration_cast<std::chrono::seconds>(m_limit).count()) + " s");
                }
                former = now;
                waitBetweenCalls(pause);
                pause = std::min(pause * kGrowth, kLongestPause);
            }
        } catch (...) {
            m_error = std::current_exception();
            m_hasFailed = true;
        }
    }

    /// Returns how many pieces each rank has finished, or kDone.
    std::vector<double> call()
    {
        const bool isDone = m_isDone;
        at::Tensor pieces = at::zeros({m_ranks.size()}, at::kDouble);
        pieces.data_ptr<double>()[m_ranks.rank()] = isDone ? kDone : static_cast<double>(m_pieces);
        pieces = pieces.to(m_device);
        m_ranks.allReduceSum(pieces, m_what);
        pieces = pieces.cpu();
        const auto* const values = pieces.const_data_ptr<double>();
        return {values, values + m_ranks.size()};
    }

    Group& m_ranks;
    c10::Device m_device;
    std::string m_what;
    std::chrono::milliseconds m_limit;
    std::atomic<std::int64_t> m_pieces = 0;
    std::atomic<bool> m_isDone = false, m_isLeaving = false, m_hasFailed = false;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::exception_ptr m_error;  ///< read after the thread has ended
    std::thread m_thread;        ///< declared last, because it uses the other members
};

/// Returns rank 0's bytes on every rank. Collective.
std::string broadcast(Group& ranks, c10::Device device, const std::string& bytes)
{
    constexpr std::int64_t kPortion = std::int64_t {1} << 20;  // each rank holds this many bytes for every rank
    const DataTree length = allReduced(ranks, ranks.rank() == 0 ? static_cast<double>(bytes.size()) : 0.0, ReduceOp::Sum, device);
    std::string result(static_cast<std::size_t>(length.number()), '\0');
    for (std::size_t done = 0; done < result.size(); done += kPortion) {
        const std::size_t count = std::min<std::size_t>(kPortion, result.size() - done);
        const at::Tensor portion = at::zeros({static_cast<std::int64_t>(count)}, at::kByte);
        if (ranks.rank() == 0)
            std::memcpy(portion.mutable_data_ptr<std::uint8_t>(), bytes.data() + done, count);
        const at::Tensor all = allGathered(ranks, portion, device).tensor();
        std::memcpy(result.data() + done, all.const_data_ptr<std::uint8_t>(), count);
    }
    return result;
}

}  // namespace

void workTogether(Group& ranks, c10::Device device, const std::string& what,
    const std::function<void(const std::function<void()>& pieceDone)>& work, std::chrono::milliseconds limit)
{
    if (ranks.size() == 1)
        return work([] {});
    RollCall roll(ranks, device, what, limit);
    work([&] { roll.pieceDone(); });
    roll.awaitAll();
}

std::string decidedByFirst(
    Group& ranks, c10::Device device, const std::string& what, const std::function<std::string(const std::function<void()>& pieceDone)>& decide)
{
    std::exception_ptr error;
    std::string decision;
    workTogether(ranks, device, what, [&](const std::function<void()>& pieceDone) {
        if (ranks.rank() != 0)
            return;
        try {
            decision = "+" + decide(pieceDone);
        } catch (const std::exception& problem) {
            error = std::current_exception();
            decision = "-" + firstLine(problem);
        }
    });
    decision = broadcast(ranks, device, decision);
    if (error)
        std::rethrow_exception(error);
    if (decision.front() == '-')
        throw EngineError(EngineError::Kind::Failure, decision.substr(1));
    return decision.substr(1);
}

std::vector<std::size_t> missingItems(
    Group& ranks, c10::Device device, std::size_t count, const std::function<bool(std::size_t)>& isThere)
{
    const std::string flags = decidedByFirst(ranks, device, "looking into the cache", [&](const std::function<void()>& pieceDone) {
        std::string found(count, '0');
        for (std::size_t i = 0; i < count; ++i, pieceDone())
            found[i] = isThere(i) ? '1' : '0';
        return found;
    });
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < count; ++i) {
        if (flags[i] == '0')
            missing.push_back(i);
    }
    return missing;
}

std::vector<std::string> gatherTexts(
    Group& ranks, c10::Device device, std::size_t count, std::size_t length, const std::function<std::string(std::size_t)>& work)
{
    const auto rank = static_cast<std::size_t>(ranks.rank()), size = static_cast<std::size_t>(ranks.size());
    const at::Tensor mine = at::zeros({static_cast<std::int64_t>(count * length)}, at::kByte);
    workTogether(ranks, device, "reading data", [&](const std::function<void()>& pieceDone) {
        for (std::size_t i = rank; i < count; i += size, pieceDone()) {
            try {
                work(i).copy(reinterpret_cast<char*>(mine.mutable_data_ptr<std::uint8_t>()) + i * length, length);
            } catch (const std::exception&) {
            }
        }
    });
    const at::Tensor all = allReduced(ranks, mine, ReduceOp::Max, device).tensor();
    const auto* const bytes = reinterpret_cast<const char*>(all.const_data_ptr<std::uint8_t>());
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i)
        texts.emplace_back(bytes + i * length, bytes[i * length] == 0 ? 0 : length);
    return texts;
}

std::vector<std::size_t> divideAmong(Group& ranks, c10::Device device, std::size_t count, const char* what,
    const PreparationProgress& reportProgress, const std::function<bool(std::size_t)>& work)
{
    constexpr std::size_t kReportEvery = 20;
    const auto rank = static_cast<std::size_t>(ranks.rank()), size = static_cast<std::size_t>(ranks.size());
    const at::Tensor failed = at::zeros({static_cast<std::int64_t>(count)}, at::kByte);
    workTogether(ranks, device, std::string("encoding ") + what, [&](const std::function<void()>& pieceDone) {
        for (std::size_t i = rank, mine = 0; i < count; i += size, ++mine, pieceDone()) {
            if (mine % kReportEvery == 0)
                reportProgress(std::string("encodes ") + what + ": " + std::to_string(i) + " of " + std::to_string(count));
            failed.mutable_data_ptr<std::uint8_t>()[i] = work(i) ? 0 : 1;
        }
    });
    const at::Tensor anywhere = allReduced(ranks, failed, ReduceOp::Max, device).tensor();
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < count; ++i) {
        if (anywhere.const_data_ptr<std::uint8_t>()[i] != 0)
            indices.push_back(i);
    }
    return indices;
}

}  // namespace engine
