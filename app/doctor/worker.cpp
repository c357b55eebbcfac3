#include "app/doctor/finding.h"
#include "launcher/runs/launch.h"

#include <QCoreApplication>
#include <QProcess>

#include <cstdlib>

namespace app {

Findings examineWorker()
{
    constexpr int kTimeoutMs = 20'000;
    const char* chosen = std::getenv("ATELIER_WORKER");
    const QString program
        = QString::fromStdString(chosen && *chosen ? chosen : launcher::programPath("atelier-worker"));
    QProcess worker;
    worker.setProcessChannelMode(QProcess::MergedChannels);
    worker.start(program, {"--version"});
    const bool hasEnded = worker.waitForFinished(kTimeoutMs);
    const std::string output = worker.readAll().trimmed().toStdString();
    if (hasEnded && worker.exitStatus() == QProcess::NormalExit && worker.exitCode() == 0)
        return {{Finding::Level::Good, "Worker", program.toStdString() + ": " + output, "ranks can be started"}};
    const std::string why = !output.empty() ? output : worker.errorString().toStdString();
    const bool lacksLibTorch = why.find("libtorch") != std::string::npos;
    return {{Finding::Level::Problem, "Worker", program.toStdString() + ": " + why,
        lacksLibTorch ? "no rank can start without LibTorch" : "no rank can start: build it (`app/setup`, then `cmake --build build/release`)"}};
}

}  // namespace app
