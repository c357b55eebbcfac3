#include "launcher/debug/machine_facts.h"

#include "launcher/machine/gpus.h"
#include "launcher/runs/launch.h"

#include <QProcess>
#include <QString>
#include <QSysInfo>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>

namespace launcher {
namespace {

std::string gibibytes(std::uint64_t bytes)
{
    std::ostringstream text;
    text.precision(1);
    text << std::fixed << static_cast<double>(bytes) / double(1 << 30) << " GiB";
    return text.str();
}

/// The value after "NAME:" or "NAME\t:" in a file of /proc; empty when there is none.
std::string procValue(const char* file, const std::string& name)
{
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(name))
            continue;
        const std::size_t colon = line.find(':');
        const std::size_t value = line.find_first_not_of(" \t", colon == std::string::npos ? colon : colon + 1);
        return value == std::string::npos ? std::string() : line.substr(value);
    }
    return {};
}

}  // namespace

std::string machineFacts(const DataHome& home)
{
    std::ostringstream text;
    text << "system: " << QSysInfo::prettyProductName().toStdString() << ", kernel " << QSysInfo::kernelType().toStdString() << " "
         << QSysInfo::kernelVersion().toStdString() << ", " << QSysInfo::currentCpuArchitecture().toStdString() << "\n"
         << "Qt: " << qVersion() << "\n"
         << "processors: " << std::thread::hardware_concurrency() << " × " << procValue("/proc/cpuinfo", "model name") << "\n"
         << "memory: " << procValue("/proc/meminfo", "MemTotal") << ", available " << procValue("/proc/meminfo", "MemAvailable") << "\n";
    std::error_code error;
    const std::filesystem::space_info space = std::filesystem::space(home.data, error);
    if (!error)
        text << "disk of the runs: " << gibibytes(space.available) << " free of " << gibibytes(space.capacity) << "\n";
    const GpuList gpus = readGpus();
    text << "GPU driver: " << (gpus.driver.empty() ? gpus.problem : gpus.driver) << "\n";
    for (const Gpu& gpu : gpus.gpus)
        text << "GPU " << gpu.index << ": " << gpu.name << ", " << gibibytes(gpu.freeBytes) << " free of " << gibibytes(gpu.totalBytes) << ", "
             << gpu.processes.size() << " processes" << (gpu.isVisible ? "" : ", hidden by CUDA_VISIBLE_DEVICES") << "\n";
    for (const char* name : {"XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "LANG", "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS", "LD_LIBRARY_PATH"}) {
        if (const char* const value = std::getenv(name))
            text << name << ": " << value << "\n";
    }
    return text.str();
}

std::string doctorText()
{
    constexpr int kLongestMs = 20'000;
    QProcess doctor;
    doctor.setProcessChannelMode(QProcess::MergedChannels);
    doctor.start(QString::fromStdString(programPath("atelier")), {QStringLiteral("doctor")}, QIODevice::ReadOnly);
    if (doctor.waitForFinished(kLongestMs))
        return doctor.readAll().toStdString();
    const bool isSlow = doctor.error() == QProcess::Timedout;
    doctor.kill();
    doctor.waitForFinished(1000);
    return isSlow ? "atelier doctor did not end within 20 s\n" : "atelier doctor could not be started: " + doctor.errorString().toStdString() + "\n";
}

}  // namespace launcher
