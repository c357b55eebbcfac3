// A run of three hosts whose clocks differ by minutes, as its ranks would have written it: rank 0's is right, rank 1's 10 minutes ahead, rank 2's
// 7 minutes behind. Their hosts may lie in three time zones, too. In truth rank R finishes step S and logs it at 1000 S + 200 R milliseconds; rank 1 does nothing after the last step.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/run/run_folder.h"

#include <QByteArray>
#include <QDateTime>
#include <QFile>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace tests {

inline constexpr std::int64_t kSkewedStart = 1795255200000;
inline constexpr std::array<std::int64_t, 3> kAheadMs = {0, 600'000, -420'000};
inline constexpr std::array<const char*, 3> kSkewedHosts = {"alpha", "beta", "gamma"};

enum class Zones { NotWritten, Three };  ///< logs of earlier versions have none
inline constexpr std::array<int, 3> kZoneSeconds = {2 * 3600, 9 * 3600, -3 * 3600 - 1800};

/// The time with which a rank's line begins.
inline QString logTimeOf(std::size_t rank, std::int64_t unixMs, Zones zones)
{
    const QDateTime here = QDateTime::fromMSecsSinceEpoch(unixMs);
    return zones == Zones::Three ? here.toOffsetFromUtc(kZoneSeconds[rank]).toString(Qt::ISODateWithMs).replace(QLatin1Char('T'), QLatin1Char(' '))
                                 : here.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss.zzz"));
}

inline contract::RunFolder writeSkewedRun(const std::filesystem::path& root, int steps, Zones zones = Zones::NotWritten)
{
    const contract::RunFolder run(root);
    for (const auto& folder : {run.journals(), run.logs(), run.attempt(1)})
        std::filesystem::create_directories(folder);
    contract::Experiment experiment;
    experiment.setText("run.name", "skewed");
    experiment.setText("run.total_steps", "1000");
    std::ofstream(run.config(1)) << experiment.toToml(contract::Experiment::Write::Everything);
    run.writeStart({.attempt = 1, .startUnixMs = kSkewedStart, .ranks = 3, .host = kSkewedHosts[0], .versions = {}, .parentCheckpoint = {}, .parentStep = 0,
        .controlOffset = 0});
    for (std::size_t rank = 0; rank < kAheadMs.size(); ++rank) {
        const std::string name = std::to_string(rank);
        std::ofstream journal(run.journal(static_cast<int>(rank))), log(run.log(static_cast<int>(rank)));
        journal << R"({"v":1,"run":")" << run.id() << R"(","attempt":1,"rank":)" << rank << R"(,"host":")" << kSkewedHosts[rank] << R"(","t_unix_ms":)"
                << kSkewedStart + kAheadMs[rank] << "}\n";
        for (int step = 1; step <= steps; ++step) {
            const std::int64_t ms = 1000 * step + 200 * static_cast<std::int64_t>(rank);
            journal << R"({"type":"step","step":)" << step << R"(,"t_ms":)" << ms << R"(,"loss":0.5,"time/step_ms":900})" << "\n"
                    << R"({"type":"event","step":)" << step << R"(,"t_ms":)" << ms << R"(,"level":"warning","kind":"notice","message":"event )" << step << "." << name << "\"}\n";
            log << logTimeOf(rank, kSkewedStart + kAheadMs[rank] + ms, zones).toStdString() << " [info] [rank " << name << "] line " << step << "." << name << "\n";
        }
        if (rank != 1)
            journal << R"({"type":"activity","step":)" << steps << R"(,"t_ms":)" << 1000 * (steps + 1) << R"(,"message":"draws samples"})" << "\n";
    }
    return run;
}

/// "1.0 1.1 1.2 2.0 …": the order of the lines and events of the last @p steps steps in truth.
inline QString trueOrder(int steps, int from = 1)
{
    QStringList all;
    for (int step = from; step <= steps; ++step) {
        for (std::size_t rank = 0; rank < kAheadMs.size(); ++rank)
            all << QStringLiteral("%1.%2").arg(step).arg(rank);
    }
    return all.join(QLatin1Char(' '));
}

}  // namespace tests
