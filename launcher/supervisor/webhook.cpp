#include "launcher/supervisor/webhook.h"

#include "engine/contract/formats/text.h"

#include <QNetworkReply>
#include <QNetworkRequest>
#include <QUrl>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace launcher {
namespace {

constexpr int kTimeoutMs = 10'000;
constexpr std::uint64_t kLongestUrl = 4096;

/// Qt's own texts may hold the address, which may hold a secret.
std::string networkProblem(QNetworkReply::NetworkError error)
{
    switch (error) {
    case QNetworkReply::ConnectionRefusedError:
        return ": the connection was refused";
    case QNetworkReply::HostNotFoundError:
        return ": there is no such host";
    default:
        return " (error " + std::to_string(error) + " of the network)";
    }
}

QUrl parsed(const std::string& url)
{
    const QUrl result(QString::fromStdString(url), QUrl::StrictMode);
    const bool isWeb = result.scheme() == QLatin1String("http") || result.scheme() == QLatin1String("https");
    return result.isValid() && isWeb && !result.host().isEmpty() ? result : QUrl();
}

}  // namespace

std::string webhook(const DataHome& home)
{
    const std::string url = contract::webAddress(home.config);
    return parsed(url).isEmpty() ? std::string() : url;
}

void setWebhook(const DataHome& home, const std::string& url)
{
    const auto file = contract::webAddressFile(home.config);
    const auto fail = [&] { throw std::runtime_error(file.string() + " cannot be written: " + std::strerror(errno)); };
    if (url.empty()) {
        if (::unlink(file.c_str()) != 0 && errno != ENOENT)
            fail();
        return;
    }
    if (url.size() >= kLongestUrl || url.find_first_of("\r\n") != std::string::npos || parsed(url).isEmpty())
        throw std::runtime_error(contract::inQuotes(contract::shortened(url)) + " is no web address; write one that begins with https:// or http://");
    std::filesystem::create_directories(home.config);
    const std::string temporary = file.string() + ".new";
    ::unlink(temporary.c_str());
    const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    const std::string line = url + "\n";
    const bool isWritten = descriptor >= 0 && ::write(descriptor, line.data(), line.size()) == static_cast<ssize_t>(line.size()) && ::fsync(descriptor) == 0;
    const int cause = errno;
    if (descriptor >= 0)
        ::close(descriptor);
    errno = cause;
    if (!isWritten || ::rename(temporary.c_str(), file.c_str()) != 0)
        fail();
}

void WebhookSender::send(const std::string& url, const contract::Notice& notice, std::function<void(const std::string& problem)> done)
{
    QNetworkRequest request(parsed(url));
    request.setHeader(QNetworkRequest::ContentTypeHeader, QStringLiteral("application/json"));
    request.setHeader(QNetworkRequest::UserAgentHeader, QStringLiteral("Atelier"));
    request.setAttribute(QNetworkRequest::RedirectPolicyAttribute, QNetworkRequest::ManualRedirectPolicy);
    request.setTransferTimeout(kTimeoutMs);
    QNetworkReply* const reply = m_network.post(request, QByteArray::fromStdString(contract::noticeText(notice)));
    connect(reply, &QNetworkReply::finished, this, [reply, done = std::move(done)] {
        reply->deleteLater();
        const int status = reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
        const std::string host = reply->url().host().toStdString();
        if (status >= 200 && status < 300)
            done({});
        else if (status > 0)
            done(host + " answered the notice with status " + std::to_string(status));
        else if (reply->error() == QNetworkReply::OperationCanceledError)
            done(host + " did not answer the notice within ten seconds");
        else
            done("the notice could not be sent to " + host + networkProblem(reply->error()));
    });
}

}  // namespace launcher
