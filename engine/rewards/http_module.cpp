// libatelier_http.so: HTTP by libcurl.
#include "engine/rewards/http_client.h"

#include <curl/curl.h>

#include <array>
#include <memory>
#include <new>

namespace engine {
namespace {

constexpr std::size_t kMaxBodyBytes = std::size_t {1} << 20;

struct Closer {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

/// libcurl's callback for parts of an answer's body. Anything but @p bytes stops the transfer.
std::size_t appendPart(char* part, std::size_t /*size*/, std::size_t bytes, void* answer)
{
    std::string& body = static_cast<HttpAnswer*>(answer)->body;
    if (body.size() + bytes > kMaxBodyBytes)
        return 0;
    body.append(part, bytes);
    return bytes;
}

/// libcurl's callback, about once a second. Anything but 0 stops the transfer.
int isAbandoned(void* flag, curl_off_t, curl_off_t, curl_off_t, curl_off_t) { return static_cast<const std::atomic<bool>*>(flag)->load() ? 1 : 0; }

class CurlClient final : public HttpClient {
public:
    CurlClient()
        : m_curl(curl_easy_init())
    {
        if (!m_curl)
            throw std::bad_alloc();
    }

    HttpAnswer post(const HttpRequest& request) override
    {
        HttpAnswer answer;
        CURL* const curl = m_curl.get();
        curl_easy_reset(curl);  // connections stay open
        std::unique_ptr<curl_slist, Closer> headers;
        const auto add = [&](const std::string& header) { headers.reset(curl_slist_append(headers.release(), header.c_str())); };
        add("Content-Type: application/json");
        add("Expect:");  // or curl waits a second for servers that do not know "100 Continue"
        if (!request.bearer.empty())
            add("Authorization: Bearer " + request.bearer);
        std::array<char, CURL_ERROR_SIZE> words {};
        curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, words.data());
        curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
        curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
        curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
        curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(curl, CURLOPT_USERAGENT, "Atelier");
        curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.data());
        curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
        if (request.isAbandoned) {
            curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
            curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, isAbandoned);
            curl_easy_setopt(curl, CURLOPT_XFERINFODATA, const_cast<std::atomic<bool>*>(request.isAbandoned));
        }
        curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, appendPart);
        curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer);
        if (const CURLcode code = curl_easy_perform(curl); code != CURLE_OK) {
            answer.failure = describe(code, words[0] != '\0' ? words.data() : curl_easy_strerror(code));
            return answer;
        }
        long status = 0;
        const char* redirect = nullptr;
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
        curl_easy_getinfo(curl, CURLINFO_REDIRECT_URL, &redirect);
        answer.status = static_cast<int>(status);
        answer.redirect = redirect ? redirect : "";
        return answer;
    }

private:
    static std::string describe(CURLcode code, const char* words)
    {
        if (code == CURLE_OPERATION_TIMEDOUT)
            return "has not answered";
        if (code == CURLE_WRITE_ERROR)
            return "answered more than 1 MiB";
        return std::string("cannot be reached (") + words + ")";
    }

    std::unique_ptr<CURL, Closer> m_curl;
};

}  // namespace
}  // namespace engine

extern "C" __attribute__((visibility("default"))) engine::HttpClient* atelierHttpClient() { return new engine::CurlClient; }
