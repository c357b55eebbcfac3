// Measures the time between laps.
#pragma once
#include <chrono>
#include <utility>

namespace engine {

class Stopwatch {
public:
    /// Milliseconds since the last lap, or since construction.
    double lap()
    {
        const auto now = std::chrono::steady_clock::now();
        const std::chrono::duration<double, std::milli> elapsed = now - std::exchange(m_last, now);
        return elapsed.count();
    }

private:
    std::chrono::steady_clock::time_point m_last = std::chrono::steady_clock::now();
};

}  // namespace engine
