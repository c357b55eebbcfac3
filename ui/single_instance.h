// Allows one window per data home: a second start sends its request to the first and raises it.
#pragma once
#include "launcher/base/data_home.h"

#include <QLocalServer>
#include <QObject>
#include <QString>

namespace ui {

class SingleInstance : public QObject {
    Q_OBJECT
public:
    explicit SingleInstance(const launcher::DataHome& home, QObject* parent = nullptr);

    /// Sends @p message to the window that is already open. Returns whether it has taken the message: false if there is none,
    /// or it is closing, or it does not answer within five seconds.
    bool sendMessage(const QString& message) const;
    /// Makes this the instance that receives messages. Returns false if the socket cannot be created.
    bool listen();
    /// Receives no more messages, so that another instance may open a window. Call it before anything that waits.
    void close();

Q_SIGNALS:
    void messageReceived(const QString& message);

private:
    void read();

    QString m_name;
    QLocalServer m_server;
};

}  // namespace ui
