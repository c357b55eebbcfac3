#include "tests/bench/rounds_peer.h"

#include "tests/bench/ranks.h"
#include "tests/paths.h"

#include <QCoreApplication>
#include <QProcess>

#include <stdexcept>

namespace bench {
namespace {

QString ourRank() { return QCoreApplication::applicationDirPath() + "/algorithms_bench_rank"; }

}  // namespace

QStringList RoundsCase::arguments() const
{
    return {"--size", size, "--dtype", dtype, "--rounds", QString::number(rounds), "--prompts", QString::number(prompts), "--samples",
        QString::number(samples), "--micro", QString::number(micro)};
}

nlohmann::json runRounds(const RoundsCase& what, const QStringList& more) { return runRanks(ourRank(), what.arguments() + more); }

RoundsPeer::RoundsPeer(const RoundsCase& what)
{
    const QString file = m_folder.filePath("draws");
    QProcess writer;
    writer.start(ourRank(), what.arguments() + QStringList {"--write", file});
    if (!writer.waitForFinished(-1) || writer.exitCode() != 0)
        throw std::runtime_error("the noise was not written");
    m_arguments = what.arguments() + QStringList {"--draws", file, "--labels", QString::fromUtf8(writer.readAllStandardOutput().trimmed())};
}

nlohmann::json RoundsPeer::run(const QStringList& options) const
{
    return runRanks(peerPython(), QStringList {ATELIER_SOURCE_DIR "/tests/peers/fsdp2_grpo.py"} + m_arguments + options);
}

}  // namespace bench
