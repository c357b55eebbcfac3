#include "engine/worker/notice_sender.h"

#include "engine/rewards/http_client.h"
#include "engine/worker/log.h"

#include <chrono>
#include <exception>
#include <utility>

namespace engine {
namespace {

using namespace std::chrono_literals;

constexpr auto kTimeout = 10s;

/// The host of the address; the rest may be secret.
std::string hostOf(const std::string& address)
{
    const std::size_t begin = address.find("://") + 3;
    const std::string authority = address.substr(begin, address.find_first_of("/?#", begin) - begin);
    return authority.substr(authority.rfind('@') + 1);
}

/// @return whether somebody may have got the notice
bool post(const std::string& address, const std::string& text)
{
    const auto begin = std::chrono::steady_clock::now();
    try {
        const HttpAnswer answer = makeHttpClient()->post({.url = address, .body = text, .bearer = {}, .timeout = kTimeout});
        if (answer.status >= 200 && answer.status < 300)
            return true;
        // The words of the module may repeat the address.
        logWarning(hostOf(address)
            + (answer.status > 0 ? " answered the notice with status " + std::to_string(answer.status)
                                 : std::string(" cannot be told about the run: it cannot be reached, or does not answer")));
        return answer.status == 0 && std::chrono::steady_clock::now() - begin >= kTimeout;
    } catch (const std::exception& error) {
        logWarning(hostOf(address) + " cannot be told about the run: " + error.what());
        return false;
    }
}

}  // namespace

NoticeSender::~NoticeSender() { wait(); }

void NoticeSender::send(const std::string& address, const contract::Notice& notice, std::function<void()> onRefusal)
{
    m_sending.push_back(std::async(std::launch::async, [address, text = contract::noticeText(notice), refused = std::move(onRefusal)] {
        if (!post(address, text) && refused)
            refused();
    }));
}

void NoticeSender::wait()
{
    for (std::future<void>& each : m_sending)
        each.wait();
    m_sending.clear();
}

}  // namespace engine
