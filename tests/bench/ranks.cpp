#include "tests/bench/ranks.h"

#include <QProcess>
#include <QTcpServer>

#include <memory>
#include <stdexcept>
#include <vector>

namespace bench {
namespace {

int freePort()
{
    QTcpServer server;
    server.listen(QHostAddress::LocalHost);
    return server.serverPort();
}

}  // namespace

QString peerPython()
{
    return qEnvironmentVariable("ATELIER_PEER_PYTHON", ATELIER_SOURCE_DIR "/.deps/venv/bin/python");
}

nlohmann::json runRanks(const QString& program, const QStringList& arguments, bool hasThresholds)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("OMP_NUM_THREADS", "1");
    environment.insert("WORLD_SIZE", QString::number(kRanks));
    environment.insert("LOCAL_WORLD_SIZE", QString::number(kRanks));
    environment.insert("MASTER_ADDR", "127.0.0.1");
    environment.insert("MASTER_PORT", QString::number(freePort()));
    if (hasThresholds) {
        environment.insert("MALLOC_MMAP_THRESHOLD_", "4294967296");
        environment.insert("MALLOC_TRIM_THRESHOLD_", "4294967296");
        environment.insert("MALLOC_TOP_PAD_", "67108864");
    }
    std::vector<std::unique_ptr<QProcess>> ranks;
    for (int rank = 0; rank < kRanks; ++rank) {
        environment.insert("RANK", QString::number(rank));
        environment.insert("LOCAL_RANK", QString::number(rank));
        ranks.push_back(std::make_unique<QProcess>());
        ranks.back()->setProcessEnvironment(environment);
        ranks.back()->start(program, arguments);
    }
    for (const auto& rank : ranks)
        rank->waitForFinished(600'000);
    // Python sometimes aborts while it leaves, after all was measured: what counts is the line.
    const nlohmann::json line = nlohmann::json::parse(ranks.front()->readAllStandardOutput().toStdString(), nullptr, false);
    if (line.is_discarded())
        throw std::runtime_error(program.toStdString() + " " + arguments.join(' ').toStdString() + " failed: "
            + ranks.front()->readAllStandardError().right(2000).toStdString());
    return line;
}

}  // namespace bench
