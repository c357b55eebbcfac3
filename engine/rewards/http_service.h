// A server that answers JSON: requests with a time limit, repeated when the server may recover.
#pragma once
#include "engine/rewards/http_client.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace engine {

struct HttpServiceOptions {
    std::string url;
    std::string bearer = {};                                      ///< see HttpRequest
    std::chrono::milliseconds timeout {120000};                   ///< of a request with all its attempts
    std::string_view timeoutOption = "reward.timeout";            ///< for messages; must live as long as the service
    std::chrono::milliseconds firstPause {200};                   ///< before the second attempt; each further pause is twice as long
    int attempts = 5;
};

/// One thread at a time, except where said.
class HttpService {
public:
    /// @throws EngineError when there is no libcurl
    explicit HttpService(HttpServiceOptions options);

    /// Posts @p json and returns the body of the answer. Connections that fail, and answers of status 429 and from 500 on, lead to
    /// another attempt.
    /// @throws std::runtime_error with a clause of which the server is the subject: "answered status 404: …"
    std::string post(std::string json);

    /// Makes post() fail within a second, and later at once. From any thread.
    void abandon();

private:
    HttpServiceOptions m_options;
    std::unique_ptr<HttpClient> m_client;
    std::mutex m_mutex;
    std::condition_variable m_abandoned;  ///< ends the pause between two attempts
    std::atomic<bool> m_isAbandoned = false;
};

}  // namespace engine
