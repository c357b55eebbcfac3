// Tells a web address how runs end, for people who are elsewhere at night.
#pragma once
#include "engine/contract/run/notice.h"
#include "launcher/base/data_home.h"

#include <QNetworkAccessManager>
#include <QObject>

#include <functional>
#include <string>

namespace launcher {

/// The address, kept in the file "webhook" of the user's configuration, which only the user can read: it is as good as a password for
/// most services. Empty: none.
std::string webhook(const DataHome& home);
/// Keeps @p url, or none if it is empty. @throws std::runtime_error in one sentence when it is no http or https address, or cannot be kept.
void setWebhook(const DataHome& home, const std::string& url);

/// Sends notices. Use it on one thread that has an event loop.
class WebhookSender : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// POSTs the notice to @p url, and calls @p done with why it was not accepted, in one sentence that does not repeat the address
    /// beyond its host; empty: it was. Gives up after ten seconds. Redirections are not followed.
    void send(const std::string& url, const contract::Notice& notice, std::function<void(const std::string& problem)> done);

private:
    QNetworkAccessManager m_network;
};

}  // namespace launcher
