#include "app/doctor/finding.h"
#include "launcher/launch.h"

#include <QCoreApplication>
#include <QProcess>

#include <cstdlib>

namespace app {

Findings examineWorker()
{
    constexpr int kPatienceMs = 20'000;
    const char* chosen = std::getenv("ATELIER_WORKER");
    const QString program
        = QString::fromStdString(chosen && *chosen ? chosen : launcher::programPath("atelier-worker"));
    QProcess worker;
    worker.setProcessChannelMode(QProcess::MergedChannels);
    worker.start(program, {"--version"});
    const bool hasEnded = worker.waitForFinished(kPatienceMs);
    const std::string said = worker.readAll().trimmed().toStdString();
    if (hasEnded && worker.exitStatus() == QProcess::NormalExit && worker.exitCode() == 0)
        return {{Finding::Level::Good, "Worker", program.toStdString() + ": " + said, "ranks can be started"}};
    const std::string why = !said.empty() ? said : worker.errorString().toStdString();
    return {{Finding::Level::Problem, "Worker", program.toStdString() + ": " + why,
        "no rank can start: build it (`app/setup`, then `cmake --build build/release`)"}};
}

}  // namespace app
