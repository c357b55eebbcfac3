#include "launcher/remote/mirror.h"

#include "launcher/base/path_hash.h"

#include <QPointer>

#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <utility>

namespace launcher {
namespace {

/// Calls @p onReply on the thread of @p context.
Mirror::OnReply onThreadOf(QObject* context, Mirror::OnReply onReply)
{
    return [context = QPointer<QObject>(context), onReply = std::move(onReply)](const CommandReply& reply) {
        if (context)
            QMetaObject::invokeMethod(context, [onReply, reply] { onReply(reply); }, Qt::QueuedConnection);
    };
}

}  // namespace

DataHome mirrorHome(const DataHome& own, const RemoteHost& host)
{
    std::string name = host.text();
    for (char& each : name)
        each = each == '/' ? '_' : each;
    constexpr std::size_t kLongest = 120;
    if (name.size() > kLongest || name.front() == '.')
        name = name.substr(0, kLongest) + "-" + pathHash(name);
    DataHome home = DataHome::under(own.cache / "remote" / name);
    home.config = own.config;
    return home;
}

Mirror::Mirror(const DataHome& home, const RemoteHost& host, QObject* parent)
    : QObject(parent)
    , m_host(host)
    , m_connection(new MirrorConnection(host, home.data))
{
    qRegisterMetaType<RemoteLink>();
    m_thread.setObjectName(QStringLiteral("mirror"));
    m_connection->moveToThread(&m_thread);
    connect(&m_thread, &QThread::started, m_connection, &MirrorConnection::start);
    connect(&m_thread, &QThread::finished, m_connection, &QObject::deleteLater);
    connect(m_connection, &MirrorConnection::linkChanged, this, [this](const RemoteLink& link) {
        m_link = link;
        Q_EMIT linkChanged(link);
    });
    connect(m_connection, &MirrorConnection::filesChanged, this, &Mirror::filesChanged);
    connect(m_connection, &MirrorConnection::statusChanged, this, &Mirror::statusChanged);
    connect(m_connection, &MirrorConnection::runGone, this, &Mirror::runGone);
    m_thread.start();
}

Mirror::~Mirror()
{
    m_thread.quit();
    m_thread.wait();
}

void Mirror::lookAt(const std::map<std::string, FileDepth>& runs)
{
    QMetaObject::invokeMethod(m_connection, [connection = m_connection, runs] { connection->lookAt(runs); });
}

void Mirror::send(const std::string& run, ControlCommand command, QObject* context, OnReply onReply)
{
    QMetaObject::invokeMethod(m_connection, [connection = m_connection, run, command, reply = onThreadOf(context, std::move(onReply))] {
        connection->send(run, command, reply);
    });
}

void Mirror::execute(const std::vector<std::string>& arguments, QObject* context, OnReply onReply, const std::string& input)
{
    QMetaObject::invokeMethod(m_connection, [connection = m_connection, arguments, input, reply = onThreadOf(context, std::move(onReply))] {
        connection->execute(arguments, input, reply);
    });
}

void Mirror::annotate(const std::string& run, const contract::Annotations& before, const contract::Annotations& after)
{
    const auto answer = std::make_shared<std::promise<ControlReply>>();
    std::future<ControlReply> reply = answer->get_future();
    const bool isAsked = QMetaObject::invokeMethod(m_connection, [connection = m_connection, run, before, after, answer] {
        connection->annotate(run, before, after, [answer](const ControlReply& got) { answer->set_value(got); });
    });
    constexpr std::chrono::seconds kLongest {15};
    if (!isAsked || reply.wait_for(kLongest) != std::future_status::ready)
        throw std::runtime_error(m_host.destination + " does not answer; whether the change was made is not known");
    if (const ControlReply got = reply.get(); !got.isAccepted)
        throw std::runtime_error(got.error);
}

void Mirror::reconnect()
{
    QMetaObject::invokeMethod(m_connection, [connection = m_connection] { connection->reconnectNow(); });
}

}  // namespace launcher
