// One window per data home: a second start raises the first.
#pragma once
#include "launcher/data_home.h"

#include <QLocalServer>
#include <QObject>
#include <QString>

namespace ui {

class SingleInstance : public QObject {
    Q_OBJECT
public:
    explicit SingleInstance(const launcher::DataHome& home, QObject* parent = nullptr);

    /// Hands @p message to the window that is open already. False: there is none.
    bool tell(const QString& message) const;
    /// From now on this is the one; false when the socket cannot be made.
    bool listen();

Q_SIGNALS:
    void told(const QString& message);

private:
    void read();

    QString m_name;
    QLocalServer m_server;
};

}  // namespace ui
