// How soon metrics are found among 5,000, and lines in a log of 1 GB.
#include "tests/bench/figures.h"
#include "ui/logs/log_scanner.h"
#include "ui/plot/layout/metric_tree.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QTemporaryDir>
#include <QThread>

#include <fstream>
#include <iostream>
#include <set>

namespace {

constexpr int kMetrics = 5'000, kRepeats = 5;
constexpr std::size_t kLogBytes = 1'000'000'000;

nlohmann::json searchMetrics()
{
    std::set<std::string> names;
    for (int metric = 0; metric < kMetrics; ++metric)
        names.insert("group" + std::to_string(metric % 50) + "/layer" + std::to_string(metric / 50) + "/norm");
    ui::MetricTree tree;
    tree.setMetrics(names, {});
    std::vector<double> times;
    for (const char* const query : {"g", "gr", "l7n", "group4norm", "no such metric"}) {
        QElapsedTimer clock;
        clock.start();
        tree.setQuery(QLatin1String(query));
        times.push_back(double(clock.nsecsElapsed()) / 1e6);
    }
    return bench::row("workbench", "metrics-5k", "search", "ms", times, bench::Better::Lower, {50, "limit"});
}

std::string writeLog(const QTemporaryDir& folder)
{
    const std::string file = folder.filePath(QStringLiteral("rank-0.log")).toStdString();
    std::ofstream log(file, std::ios::binary);
    std::string block;
    for (int line = 0; block.size() < 1'000'000; ++line)
        block += "2026-11-21 10:15:11.000 [info] step " + std::to_string(line) + ": loss 0.1234, gradient norm 0.5678, 0.9 s\n";
    for (std::size_t bytes = 0; bytes < kLogBytes; bytes += block.size())
        log << block;
    return file;
}

struct Scan {
    double firstMs = 0, endMs = 0;
};

Scan scan(const std::string& file, const ui::LogFilter& filter)
{
    QThread thread;
    auto* const scanner = new ui::LogScanner;
    scanner->moveToThread(&thread);
    QObject::connect(&thread, &QThread::finished, scanner, &QObject::deleteLater);
    thread.start();
    Scan result;
    QElapsedTimer clock;
    QEventLoop loop;
    const auto first = [&] {
        if (result.firstMs == 0)
            result.firstMs = double(clock.nsecsElapsed()) / 1e6;
    };
    QObject::connect(scanner, &ui::LogScanner::tailsFound, &loop, first);
    QObject::connect(scanner, &ui::LogScanner::found, &loop, first);
    QObject::connect(scanner, &ui::LogScanner::reachedEnd, &loop, [&] {
        result.endMs = double(clock.nsecsElapsed()) / 1e6;
        loop.quit();
    });
    clock.start();
    scanner->cancelBefore(1);
    QMetaObject::invokeMethod(scanner, [scanner, file, filter] { scanner->scan(1, {file}, filter); });
    loop.exec();
    thread.quit();
    thread.wait();
    return result;
}

}  // namespace

int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    qRegisterMetaType<std::vector<ui::LogPlace>>();
    qRegisterMetaType<std::vector<ui::LogClock>>();
    const QTemporaryDir folder;
    const std::string file = writeLog(folder);
    std::vector<double> first, all;
    for (int repeat = 0; repeat < 3; ++repeat) {
        first.push_back(scan(file, {}).firstMs);
        all.push_back(scan(file, {.text = QStringLiteral("step 9+: loss .*, gradient norm 0.6"), .isRegex = true}).endMs / 1000);
    }
    const nlohmann::json rows = {searchMetrics(), bench::row("workbench", "log-1GB", "first-screen", "ms", first, bench::Better::Lower, {200, "limit"}),
        bench::row("workbench", "log-1GB", "regex", "s", all, bench::Better::Lower, {3, "limit"})};
    std::cout << nlohmann::json {{"rows", rows}}.dump(2) << std::endl;
    return 0;
}
