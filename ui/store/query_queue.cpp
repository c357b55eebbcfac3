#include "ui/store/query_queue.h"

#include <utility>

namespace ui {

void QueryQueue::add(QueryLength length, std::shared_ptr<std::atomic<bool>> isCancelled, Query query)
{
    const std::lock_guard lock(m_mutex);
    (length == QueryLength::Short ? m_short : m_long).push_back({std::move(isCancelled), std::move(query)});
}

QueryQueue::Query QueryQueue::take()
{
    const std::lock_guard lock(m_mutex);
    for (std::deque<Waiting>* waiting : {&m_short, &m_long}) {
        while (!waiting->empty()) {
            Waiting next = std::move(waiting->front());
            waiting->pop_front();
            if (!*next.isCancelled)
                return std::move(next.query);
        }
    }
    return {};
}

}  // namespace ui
