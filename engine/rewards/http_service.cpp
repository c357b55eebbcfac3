#include "engine/rewards/http_service.h"

#include "engine/contract/formats/text.h"

#include <stdexcept>
#include <utility>

namespace engine {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

bool mayRecover(const HttpAnswer& answer) { return answer.status == 0 || answer.status == 429 || answer.status >= 500; }

/// What is wrong with the answer, as a clause.
std::string describe(const HttpAnswer& answer)
{
    if (answer.status == 0)
        return answer.failure;
    if (!answer.redirect.empty())
        return "redirects to " + contract::inQuotes(contract::shortened(answer.redirect))
            + "; if that is meant, give that URL in reward.functions";
    const std::string body = answer.body.empty() ? "" : ": " + contract::inQuotes(contract::shortened(answer.body));
    return "answered status " + std::to_string(answer.status) + body;
}

}  // namespace

HttpService::HttpService(HttpServiceOptions options)
    : m_options(std::move(options))
    , m_client(makeHttpClient())
{
}

std::string HttpService::post(std::string json)
{
    const Clock::time_point deadline = Clock::now() + m_options.timeout;
    HttpRequest request {m_options.url, std::move(json), m_options.bearer, m_options.timeout, &m_isAbandoned};
    milliseconds pause = m_options.firstPause;
    for (int attempt = 1;; ++attempt) {
        HttpAnswer answer = m_isAbandoned ? HttpAnswer() : m_client->post(request);
        if (m_isAbandoned)
            throw std::runtime_error("is not waited for any longer");
        if (answer.status >= 200 && answer.status < 300)
            return std::move(answer.body);
        const auto left = std::chrono::floor<milliseconds>(deadline - Clock::now()) - pause;
        if (left.count() <= 0)
            throw std::runtime_error(describe(answer) + ", within "
                + contract::shortestText(std::chrono::duration<double>(m_options.timeout).count()) + " s (" + std::string(m_options.timeoutOption)
                + ")");
        if (!mayRecover(answer) || attempt == m_options.attempts)
            throw std::runtime_error(describe(answer) + (attempt > 1 ? ", at the last of " + std::to_string(attempt) + " attempts" : ""));
        {
            std::unique_lock lock(m_mutex);
            m_abandoned.wait_for(lock, pause, [this] { return m_isAbandoned.load(); });
        }
        pause *= 2;
        request.timeout = left;
    }
}

void HttpService::abandon()
{
    {
        const std::lock_guard lock(m_mutex);
        m_isAbandoned = true;
    }
    m_abandoned.notify_all();
}

}  // namespace engine
