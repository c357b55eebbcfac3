// How slow the machine is just now, for promises in milliseconds: threads that share a core or a cache with others take up to three times as
// long for the same work, and no clock shows it.
#pragma once
#include <algorithm>
#include <chrono>
#include <ctime>
#include <random>
#include <vector>

namespace ui_test {

/// Returns the time for which this thread has had a processor.
inline std::chrono::microseconds processorTime()
{
    timespec now {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

/// Returns how many times as long as on a quiet machine of two slow cores a fixed piece of work takes now; from 1 to 3, so that no machine
/// excuses everything.
inline double slowness()
{
    constexpr double kMost = 3;
    constexpr std::chrono::microseconds kOnAQuietMachine {1800};
    std::vector<unsigned> numbers(2000);
    std::mt19937 random(1);
    std::ranges::generate(numbers, random);
    const auto start = processorTime();
    std::ranges::sort(numbers);
    return std::clamp(double((processorTime() - start).count()) / double(kOnAQuietMachine.count()), 1.0, kMost);
}

}  // namespace ui_test
