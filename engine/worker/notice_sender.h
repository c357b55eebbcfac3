// Tells the user's web address about a run that has no supervisor.
#pragma once
#include "engine/contract/run/notice.h"

#include <functional>
#include <future>
#include <string>
#include <vector>

namespace engine {

/// Training does not wait for answers; the destructor waits at most ten seconds. Notices that were not accepted are logged.
class NoticeSender {
public:
    NoticeSender() = default;
    ~NoticeSender();

    /// @param address not empty
    /// @param onRefusal called on another thread when the address certainly did not take the notice
    void send(const std::string& address, const contract::Notice& notice, std::function<void()> onRefusal = {});
    void wait();  ///< for the answers to all notices

private:
    std::vector<std::future<void>> m_sending;
};

}  // namespace engine
