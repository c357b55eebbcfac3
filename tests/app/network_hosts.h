// Two hosts on this machine: network namespaces with names, addresses and one cable between them. Needs root.
#pragma once
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

namespace tests {

class NetworkHosts {
public:
    enum Host { A, B };

    /// Makes the hosts. isReady() says whether that went well.
    NetworkHosts();
    ~NetworkHosts();  ///< kills what runs on them

    bool isReady() const { return m_isReady; }

    static QString name(Host host) { return host == A ? "host-a" : "host-b"; }
    static QString address(Host host) { return host == A ? "10.213.47.1" : "10.213.47.2"; }

    /// The program and arguments that run @p command on @p host, as the same process.
    QStringList on(Host host, const QStringList& command) const;

    void killAll(Host host);
    void setConnected(bool isConnected);

private:
    bool run(const QStringList& ipArguments) const;
    QString space(Host host) const;

    QTemporaryDir m_folder;
    bool m_isReady = false;
};

}  // namespace tests
