#include "engine/comm/moment.h"

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <cstddef>

namespace engine {

Moment Moment::on(c10::DeviceType type)
{
    Moment moment;
    if (type == c10::DeviceType::CPU)
        return moment;
    const c10::impl::VirtualGuardImpl device(type);
    moment.m_event = std::make_shared<c10::Event>(type, c10::EventFlag::BACKEND_DEFAULT);  // with timing
    moment.m_event->record(device.getStream(device.getDevice()));
    return moment;
}

double Moment::since(const Moment& earlier) const
{
    if (!m_event) {
        const std::chrono::duration<double, std::milli> elapsed = m_host - earlier.m_host;
        return elapsed.count();
    }
    const bool isReached = earlier.m_event->query() && m_event->query();
    return isReached ? earlier.m_event->elapsedTime(*m_event) : 0;
}

void WaitTime::add(const Moment& begin, const Moment& end)
{
    constexpr std::size_t kMost = 20'000;  // more than a step has; exceeded only where the times are not collected, as while samples are drawn
    if (m_spans.size() == kMost)
        m_spans.clear();
    m_spans.emplace_back(begin, end);
}

void WaitTime::add(const WaitTime& other)
{
    m_host += other.m_host;
    m_spans.insert(m_spans.end(), other.m_spans.begin(), other.m_spans.end());
}

double WaitTime::milliseconds() const
{
    double sum = std::chrono::duration<double, std::milli>(m_host).count();
    for (const auto& [begin, end] : m_spans)
        sum += end.since(begin);
    return sum;
}

}  // namespace engine
