#include "engine/train/part_clock.h"

namespace engine {

void PartClock::begin()
{
    m_mesh.takeWaited();
    m_last = Moment::on(m_device.type());
}

void PartClock::lap(double StepTimes::*part)
{
    if (!m_last)
        return;
    const Moment now = Moment::on(m_device.type());
    m_laps.push_back({part, *m_last, now, m_mesh.takeWaited()});
    m_last = now;
}

void PartClock::collect(StepTimes& times)
{
    for (const Lap& lap : m_laps) {
        const double waited = lap.waited.milliseconds();
        times.communication += waited;
        times.*lap.part += lap.end.since(lap.begin) - waited;
    }
    m_laps.clear();
}

}  // namespace engine
