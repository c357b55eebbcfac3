// The queries that wait for the store's reader thread.
#pragma once
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

namespace ui {

/// How long a query may take, and so how long it may keep others waiting.
enum class QueryLength {
    Short,  ///< some rows about runs
    Long,   ///< many points or rows; waits until no short query waits
};

/// A posted query that its caller may no longer want. A default-constructed one stands for no query.
class QueryTicket {
public:
    QueryTicket() = default;
    explicit QueryTicket(std::shared_ptr<std::atomic<bool>> isCancelled)
        : m_isCancelled(std::move(isCancelled))
    {
    }
    /// Drops the query unless it has been started; whether or not it has, neither of its callbacks is called afterwards.
    void cancel()
    {
        if (m_isCancelled)
            m_isCancelled->store(true);
    }

private:
    std::shared_ptr<std::atomic<bool>> m_isCancelled;
};

/// Any thread may call any function.
class QueryQueue {
public:
    using Query = std::function<void()>;

    void add(QueryLength length, std::shared_ptr<std::atomic<bool>> isCancelled, Query query);
    /// Takes the query that has waited longest among those to be run first; empty when all that waited were cancelled.
    Query take();

private:
    struct Waiting {
        std::shared_ptr<std::atomic<bool>> isCancelled;
        Query query;
    };

    std::mutex m_mutex;
    std::deque<Waiting> m_short, m_long;
};

}  // namespace ui
