#include "app/doctor/finding.h"
#include "app/doctor/libtorch_place.h"
#include "engine/contract/formats/json_text.h"
#include "launcher/base/program_path.h"
#include "launcher/machine/gpus.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>
#include <QProcess>

#include <algorithm>
#include <cstdlib>

namespace app {

namespace {

QString workerProgram()
{
    const char* chosen = std::getenv("ATELIER_WORKER");
    return QString::fromStdString(chosen && *chosen ? chosen : launcher::programPath("atelier-worker"));
}

Findings kernelFindings(const nlohmann::json& gpu)
{
    const std::string name = gpu.at("name");
    const int kernels = gpu.at("kernels");
    Finding kernelsFinding {Finding::Level::Good, "GPU kernels", std::to_string(kernels) + " compiled for " + name + "; they agree with LibTorch's operators",
        "ranks on this GPU use them"};
    if (kernels == 0)
        kernelsFinding = {Finding::Level::Note, "GPU kernels", "cannot be compiled for " + name, "ranks use LibTorch's operators, which are slower"};
    Findings findings;
    for (const std::string problem : gpu.at("problems"))
        findings.push_back({Finding::Level::Problem, "GPU kernels", name + ": " + problem, "ranks on this GPU would compute wrong numbers; please report it"});
    if (findings.empty())
        findings.push_back(kernelsFinding);
    for (const std::string choice : gpu.at("attention"))
        findings.push_back({Finding::Level::Good, "GPU attention", choice, "measured just now; ranks measure the sizes that they have"});
    return findings;
}

}  // namespace

Findings examineKernels()
{
    constexpr int kTimeoutMs = 180'000;  // compiling takes some seconds, the first use of a GPU as well
    const auto gpus = launcher::readGpus().gpus;
    if (!kIsCudaModuleBuilt || std::ranges::none_of(gpus, &launcher::Gpu::isVisible))
        return {};
    QProcess worker;
    worker.start(workerProgram(), {"--check-gpus"});
    const bool hasEnded = worker.waitForFinished(kTimeoutMs);
    const std::string output = worker.readAllStandardOutput().trimmed().toStdString();
    const auto report = contract::parsedOrDiscarded(output.substr(output.rfind('\n') + 1));
    if (!hasEnded || !report.is_object() || report.value("v", 0) != 1) {
        const std::string why = worker.readAllStandardError().trimmed().toStdString();
        return {{Finding::Level::Problem, "GPU kernels", why.empty() ? "the worker could not check them" : why, "ranks cannot use the GPUs"}};
    }
    try {
        if (report.at("gpus").empty())
            return {{Finding::Level::Note, "GPU kernels", "CUDA shows the worker no GPU", "ranks train on the CPU"}};
        return kernelFindings(report.at("gpus").at(0));
    } catch (const nlohmann::json::exception& error) {
        return {{Finding::Level::Problem, "GPU kernels", std::string("the worker's report cannot be read: ") + error.what(), "it is of another version"}};
    }
}

Findings examineWorker()
{
    constexpr int kTimeoutMs = 20'000;
    const QString program = workerProgram();
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
