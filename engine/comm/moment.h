// Points in time on the host, or in a device's stream of queued work.
#pragma once
#include <c10/core/Device.h>

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace c10 {
struct Event;
}

namespace engine {

/// A point in the device's current stream, which it reaches when it has done the work given so far. On the CPU it is now.
/// The host runs ahead of a device, so that its own clock would measure how fast work is handed out.
class Moment {
public:
    /// @param type of the current device
    static Moment on(c10::DeviceType type);

    /// Milliseconds from @p earlier, a moment of the same device, to this one; 0 while the device has not reached both.
    double since(const Moment& earlier) const;

private:
    std::chrono::steady_clock::time_point m_host = std::chrono::steady_clock::now();
    std::shared_ptr<c10::Event> m_event;  ///< null on the CPU
};

/// Time that was spent waiting.
class WaitTime {
public:
    void add(std::chrono::steady_clock::duration host) { m_host += host; }
    void add(const Moment& begin, const Moment& end);
    void add(const WaitTime& other);
    double milliseconds() const;  ///< spans that the device has not reached count as 0

private:
    std::chrono::steady_clock::duration m_host {};
    std::vector<std::pair<Moment, Moment>> m_spans;
};

}  // namespace engine
