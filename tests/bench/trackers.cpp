// How soon a series of a million values is seen, and what writing a value costs, beside TensorBoard and trackio on the same series.
#include "engine/contract/run/journal_writer.h"
#include "launcher/base/data_home.h"
#include "launcher/runs/launch.h"
#include "tests/bench/figures.h"
#include "tests/bench/processes.h"
#include "tests/paths.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>

#include <cmath>
#include <cstdio>
#include <iostream>
#include <stdexcept>

namespace {

constexpr std::int64_t kValues = 1'000'000;
constexpr int kWritten = 100'000, kWrittenByTrackio = 2'000, kRepeats = 5;
constexpr char kAtelier[] = ATELIER_BIN_DIR "/atelier";

double valueAt(std::int64_t step) { return 0.1 + 2 * std::exp(-static_cast<double>(step) / 2e5) + 0.05 * std::sin(static_cast<double>(step)); }

void write(const std::filesystem::path& file, const std::string& run, std::int64_t values)
{
    contract::JournalWriter journal(file, {.version = 1, .run = run, .attempt = 1, .rank = 0, .host = {}, .startUnixMs = 0});
    for (std::int64_t step = 1; step <= values; ++step)
        journal.begin(contract::record::kStep, step).add("loss", valueAt(step)).commit();
}

double seconds(const QElapsedTimer& clock) { return static_cast<double>(clock.nsecsElapsed()) / 1e9; }

/// From the start of the program until it has printed the curve: a thousand buckets with the lowest and highest of all values.
double show(const std::string& run)
{
    QElapsedTimer clock;
    clock.start();
    const QByteArray output = bench::outputOf(kAtelier, {"metrics", QString::fromStdString(run), "loss", "--points", "1000", "--json"});
    const double taken = seconds(clock);
    const auto document = nlohmann::json::parse(output.toStdString());
    std::int64_t values = 0;
    double last = 0;
    for (const auto& bucket : document["series"][0]["summaries"]) {
        values += bucket[2].get<std::int64_t>();
        last = bucket[5].get<double>();
    }
    if (values != kValues || last != valueAt(kValues))
        throw std::runtime_error("the curve holds " + std::to_string(values) + " values and ends with " + std::to_string(last));
    return taken;
}

nlohmann::json measureAll(const std::filesystem::path& folder)
{
    using bench::Better;
    const launcher::DataHome home = launcher::DataHome::locate();
    home.create();
    const contract::RunFolder run = launcher::createRun(home, contract::Experiment()).folder;
    std::filesystem::create_directories(run.journals());
    write(run.journal(0), run.id(), kValues);
    const QString events = QString::fromStdString((folder / "events").string());
    bench::outputOf(kAtelier, {"export", QString::fromStdString(run.id()), "--tensorboard", events});

    bench::LineServer peers(bench::diffusersPython(), {ATELIER_SOURCE_DIR "/tests/peers/trackers.py"});
    const auto ask = [&](const QString& line) { return peers.ask(line.toUtf8()).toDouble(); };
    std::vector<double> first, indexed, tensorboard, ours, theirs, trackios;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
        for (const char* suffix : {"", "-wal", "-shm"})
            std::filesystem::remove(home.database().string() + suffix);
        first.push_back(show(run.id()));
        indexed.push_back(show(run.id()));
        tensorboard.push_back(ask(QStringLiteral("show-tensorboard %1 %2 %3").arg(events).arg(kValues).arg(valueAt(kValues), 0, 'g', 17)));
        QElapsedTimer clock;
        clock.start();
        const std::filesystem::path file = folder / "journal.jsonl";
        write(file, run.id(), kWritten);
        ours.push_back(1e6 * seconds(clock) / kWritten);
        std::filesystem::remove(file);
        theirs.push_back(1e6 * ask(QStringLiteral("write-tensorboard %1").arg(kWritten)) / kWritten);
        trackios.push_back(1e6 * ask(QStringLiteral("write-trackio %1").arg(kWrittenByTrackio)) / kWrittenByTrackio);
    }
    const double shown = bench::quantile(tensorboard, 0.5);
    return {bench::row("workbench", "a-million-values", "first-plot", "s", first, Better::Lower, {shown, "TensorBoard"}),
        bench::row("workbench", "a-million-values", "next-plot", "s", indexed, Better::Lower, {shown, "TensorBoard"}),
        bench::row("workbench", "write-a-value", "beside-tensorboard", "µs", ours, Better::Lower, {bench::quantile(theirs, 0.5), "TensorBoard"}),
        bench::row("workbench", "write-a-value", "beside-trackio", "µs", ours, Better::Lower, {bench::quantile(trackios, 0.5), "trackio"})};
}

}  // namespace

int main(int argc, char** argv)
{
    QCoreApplication application(argc, argv);
    const QTemporaryDir folder;
    qputenv("ATELIER_HOME", (folder.path() + QStringLiteral("/home")).toLocal8Bit());
    try {
        std::cout << nlohmann::json({{"rows", measureAll(folder.path().toStdString())}}).dump(1) << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_workbench_trackers: %s\n", error.what());
        return 1;
    }
}
