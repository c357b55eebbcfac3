// What watching a run on another machine sends over the network: bytes of a real SSH connection in a minute, both ways, while the run
// makes a step a second and all its journals are followed; beside them the bytes that its ranks write meanwhile.
#include "engine/contract/attempt/attempt.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/remote/mirror.h"
#include "launcher/runs/launch.h"
#include "tests/app/ssh_server.h"
#include "tests/bench/figures.h"
#include "tests/bench/journalling_ranks.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTemporaryDir>

#include <cstdio>
#include <functional>
#include <iostream>
#include <stdexcept>

namespace {

using Json = nlohmann::json;

constexpr int kSeconds = 20, kSecondsInMinute = 60;

struct Case {
    int ranks, metrics;
    bool isLookedAt;  ///< false: the run is only in the list
};
constexpr Case kCases[] = {{8, 14, false}, {2, 14, true}, {8, 14, true}, {8, 100, true}, {64, 14, true}};

/// Passes connections on to a port and counts their bytes.
class CountingProxy {
public:
    explicit CountingProxy(quint16 port)
    {
        QObject::connect(&m_server, &QTcpServer::newConnection, &m_server, [this, port] {
            QTcpSocket* const near = m_server.nextPendingConnection();
            auto* const far = new QTcpSocket(near);
            const auto there = [this, near, far] { pass(*near, *far); };
            QObject::connect(near, &QTcpSocket::readyRead, far, there);
            QObject::connect(far, &QTcpSocket::connected, near, there);
            QObject::connect(far, &QTcpSocket::readyRead, near, [this, near, far] { pass(*far, *near); });
            QObject::connect(far, &QTcpSocket::disconnected, near, &QTcpSocket::disconnectFromHost);
            QObject::connect(near, &QTcpSocket::disconnected, near, &QObject::deleteLater);
            far->connectToHost(QStringLiteral("127.0.0.1"), port);
        });
        if (!m_server.listen(QHostAddress::LocalHost))
            throw std::runtime_error("no port can be opened");
    }
    quint16 port() const { return m_server.serverPort(); }
    qint64 bytes() const { return m_bytes; }

private:
    void pass(QTcpSocket& from, QTcpSocket& to)
    {
        if (to.state() != QTcpSocket::ConnectedState)
            return;
        const QByteArray bytes = from.readAll();
        m_bytes += bytes.size();
        to.write(bytes);
    }

    QTcpServer m_server;
    qint64 m_bytes = 0;
};

double journalBytes(const contract::RunFolder& folder, int ranks)
{
    double bytes = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        std::error_code error;
        const std::uintmax_t size = std::filesystem::file_size(folder.journal(rank), error);
        bytes += error ? 0 : static_cast<double>(size);
    }
    return bytes;
}

/// Lets the event loop run until @p isSo.
void await(const std::function<bool()>& isSo)
{
    QElapsedTimer time;
    time.start();
    while (!isSo()) {
        if (time.elapsed() > 60'000)
            throw std::runtime_error("the mirror does not follow the run");
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    }
}

struct Traffic {
    double bytes = 0, journals = 0;  ///< in a minute
};

Traffic measure(const launcher::DataHome& home, const launcher::DataHome& own, const Case& what, const CountingProxy& proxy)
{
    contract::Experiment experiment;
    experiment.set("launch.ranks", std::int64_t {what.ranks});
    const contract::RunFolder folder = launcher::createRun(home, experiment).folder;
    contract::makeSubfolders(folder);
    contract::SupervisorLock lock(folder);
    if (const std::string problem = lock.take(); !problem.empty())
        throw std::runtime_error(problem);
    lock.describe(1);
    bench::JournallingRanks ranks(folder, what.ranks, what.metrics);
    ranks.writeStep();

    const launcher::RemoteHost host {.destination = "box", .home = home.data.string(), .program = launcher::programPath("atelier")};
    const launcher::DataHome mirrored = launcher::mirrorHome(own, host);
    mirrored.create();
    launcher::Mirror mirror(mirrored, host);
    const contract::RunFolder copy(mirrored.runs() / folder.id());
    if (what.isLookedAt)
        mirror.lookAt({{folder.id(), launcher::FileDepth::Logs}});
    const auto isWhole = [&] {
        return launcher::inspectRun(copy).state == launcher::RunState::Running
            && (!what.isLookedAt || journalBytes(copy, what.ranks) == journalBytes(folder, what.ranks));
    };
    await(isWhole);
    const double sentBefore = static_cast<double>(proxy.bytes()), writtenBefore = journalBytes(folder, what.ranks);
    QElapsedTimer time;
    time.start();
    for (int second = 1; second <= kSeconds; ++second) {
        ranks.writeStep();
        await([&] { return time.elapsed() >= 1000 * second; });
    }
    await(isWhole);
    constexpr double kTimes = static_cast<double>(kSecondsInMinute) / kSeconds;
    return {kTimes * (static_cast<double>(proxy.bytes()) - sentBefore), kTimes * (journalBytes(folder, what.ranks) - writtenBefore)};
}

Json measureAll(const QTemporaryDir& folder)
{
    Json rows = Json::array();
    tests::SshServer ssh;
    if (const QString problem = ssh.start(); !problem.isEmpty()) {
        std::fprintf(stderr, "bench_workbench_remote: left out: %s\n", qPrintable(problem));
        return rows;
    }
    const CountingProxy proxy(ssh.port());
    ssh.connectThrough(proxy.port());
    for (const Case& each : kCases) {
        const std::string name = "watch-" + std::to_string(each.ranks) + "x" + std::to_string(each.metrics) + (each.isLookedAt ? "" : "-in-the-list");
        const auto home = launcher::DataHome::under(folder.filePath(QString::fromStdString(name)).toStdString());
        home.create();
        const Traffic traffic = measure(home, launcher::DataHome::under(folder.filePath(QStringLiteral("laptop")).toStdString()), each, proxy);
        rows.push_back(bench::row("workbench", name, "over SSH, a minute", "kB", {traffic.bytes / 1e3}, bench::Better::Lower,
            {traffic.journals / 1e3, "its journals"}));
    }
    return rows;
}

}  // namespace

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    const QTemporaryDir folder;
    qputenv("ATELIER_HOME", folder.path().toLocal8Bit());
    try {
        std::cout << Json({{"rows", measureAll(folder)}}).dump(1) << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_workbench_remote: %s\n", error.what());
        return 1;
    }
}
