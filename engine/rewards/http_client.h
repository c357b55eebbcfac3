// Posts JSON to a server by HTTP. The implementation is a separate module, libatelier_http.so next to the program, which is the only
// part that links libcurl. It is loaded on first use, so that everything else works without libcurl.
#pragma once
#include <atomic>
#include <chrono>
#include <memory>
#include <string>

namespace engine {

struct HttpRequest {
    std::string url;     ///< of http or https
    std::string body;    ///< JSON
    std::string bearer;  ///< the token of an Authorization header; empty: none
    std::chrono::milliseconds timeout {};
    const std::atomic<bool>* isAbandoned = nullptr;  ///< the request fails within a second once this is true
};

struct HttpAnswer {
    int status = 0;        ///< 0: there is no answer
    std::string body;
    std::string redirect;  ///< where the server sends the client instead; it is not followed
    std::string failure;   ///< why there is no answer, as a clause: "cannot be reached (Connection refused)"
};

/// Keeps its connection open between requests. One thread at a time.
class HttpClient {
public:
    virtual ~HttpClient() = default;

    /// Does not throw for what the server or the network does. Follows no redirects, speaks no other protocols.
    /// Answers of more than 1 MiB are failures.
    virtual HttpAnswer post(const HttpRequest& request) = 0;
};

/// Loads the module on the first call. @throws EngineError when the module or libcurl is missing.
std::unique_ptr<HttpClient> makeHttpClient();

}  // namespace engine
