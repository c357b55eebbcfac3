// How long a frame of panning and zooming takes: thinning, drawing and painting one plot.
#include "ui/plot/canvas/plot_panel.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSysInfo>
#include <QThread>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

using namespace ui;

namespace {

constexpr int kFrames = 120;

std::vector<DrawnLine> makeLines(int lines, int points, const Smoothing& smoothing)
{
    std::vector<DrawnLine> drawn(static_cast<std::size_t>(lines));
    std::mt19937 random(1);
    std::normal_distribution<double> noise;
    for (int line = 0; line < lines; ++line) {
        auto data = std::make_shared<LineData>();
        data->key = {"run-" + std::to_string(line), "loss", 0};
        std::vector<storage::Point> all(static_cast<std::size_t>(points));
        for (int step = 0; step < points; ++step)
            all[static_cast<std::size_t>(step)]
                = {step, step * 20.0, 2 * std::exp(-step / (points / 5.0)) + 0.05 * line + 0.1 * noise(random)};
        data->points.append({.seriesId = line}, all);
        data->smoother = Smoother(smoothing);
        data->smooth();
        DrawnLine& entry = drawn[static_cast<std::size_t>(line)];
        entry.data = data;
        entry.name = QStringLiteral("run %1").arg(line);
        entry.look = line;
    }
    return drawn;
}

/// Milliseconds of each frame, from the user's gesture until it is painted.
std::vector<double> frames(PlotPanel& panel, PlotViewState& link, bool zooms)
{
    std::vector<double> times;
    link.fit();
    link.zoomX(0.5, link.extent().upper / 2);
    for (int frame = 0; frame < kFrames; ++frame) {
        const bool isForth = frame % 60 < 30;
        QElapsedTimer clock;
        clock.start();
        panel.canvas().setMoving();
        if (zooms)
            link.zoomX(isForth ? 0.85 : 1 / 0.85, link.extent().upper / 3);
        else
            link.panX(isForth ? 0.02 : -0.02);
        panel.canvas().refresh();
        panel.repaint();
        times.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
    }
    std::sort(times.begin(), times.end());
    return times;
}

QJsonObject row(const QString& name, const QString& figure, const std::vector<double>& times)
{
    const double p95 = times[times.size() * 95 / 100];
    QJsonArray runs;
    for (const double time : times)
        runs.append(time);
    return {{"bench", "workbench"}, {"case", name}, {"figure", figure}, {"unit", "ms"}, {"ours", p95},
        {"peer", 16}, {"peer_name", "limit"}, {"ratio", 16 / p95}, {"runs", runs}};
}

QJsonArray measure(const QString& name, int lines, int points, const Smoothing& smoothing)
{
    PlotViewState link;
    PlotPanel panel({"loss", {"loss"}}, link);
    panel.resize(1000, 420);
    link.setExtent({0, double(points - 1)});
    panel.setLines(makeLines(lines, points, smoothing));
    panel.show();
    panel.canvas().refresh();
    return {row(name, QStringLiteral("pan-p95"), frames(panel, link, false)),
        row(name, QStringLiteral("zoom-p95"), frames(panel, link, true))};
}

}  // namespace

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    QJsonArray rows;
    const auto add = [&](const QJsonArray& more) {
        for (const auto& entry : more)
            rows.append(entry);
    };
    add(measure(QStringLiteral("1x1M"), 1, 1'000'000, {}));
    add(measure(QStringLiteral("1x1M-smoothed"), 1, 1'000'000, {Smoothing::Kind::Exponential, 500}));
    add(measure(QStringLiteral("50x100k"), 50, 100'000, {}));
    if (application.arguments().contains(QStringLiteral("--json"))) {
        const QJsonObject machine {{"cpu", QSysInfo::currentCpuArchitecture()}, {"cores", QThread::idealThreadCount()}};
        std::puts(QJsonDocument(QJsonObject {{"machine", machine}, {"rows", rows}}).toJson().constData());
        return 0;
    }
    for (const auto& entry : rows) {
        const QJsonObject figures = entry.toObject();
        std::printf("%-8s %-14s %-9s %8.2f ms  (limit 16)\n", "plots", qPrintable(figures["case"].toString()),
            qPrintable(figures["figure"].toString()), figures["ours"].toDouble());
    }
    return 0;
}
