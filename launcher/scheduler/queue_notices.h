// Tells the user's web address that a run could not be started, or that the queue is held.
#pragma once
#include "launcher/base/data_home.h"
#include "launcher/queue/queue.h"
#include "launcher/supervisor/supervisor_log.h"
#include "launcher/supervisor/webhook.h"

#include <QObject>

namespace launcher {

/// Use it on one thread that has an event loop.
class QueueNotices : public QObject {
    Q_OBJECT
public:
    /// @p log gets why a notice was not accepted; it must outlive this.
    QueueNotices(DataHome home, SupervisorLog& log, QObject* parent = nullptr);

    /// Does nothing where the user has given no address.
    void send(const QueueAlert& alert);
    /// Whether an answer is still to come: ten seconds at most.
    bool isSending() const { return m_sending > 0; }

Q_SIGNALS:
    void answered();

private:
    DataHome m_home;
    SupervisorLog& m_log;
    WebhookSender m_sender;
    int m_sending = 0;
};

}  // namespace launcher
