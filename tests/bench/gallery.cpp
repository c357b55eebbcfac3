// How long a frame takes while 100,000 samples of a run are scrolled in the window: from the wheel's turn or the bar's jump until the grid is
// painted, and what the window does until it can take the next one.
#include "engine/contract/run/journal_writer.h"
#include "tests/bench/figures.h"
#include "tests/ui/window/open_window.h"
#include "ui/gallery/gallery_view.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QImage>
#include <QScrollBar>
#include <QTabWidget>
#include <QTest>
#include <QWheelEvent>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>

namespace {

constexpr int kSteps = 10'000, kPrompts = 10, kRepeats = 5, kFrames = 200;
constexpr int kGalleryTab = 1;

QImage picture(int number)
{
    QImage image(64, 64, QImage::Format_RGB32);
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            image.setPixel(x, y, qRgb(4 * x, 4 * y, (number * 25 + x * y) % 256));
    return image;
}

/// A run with a sample of each prompt at each step, each a file of its own.
contract::RunFolder writeSamples(const ui_test::TestHome& home)
{
    contract::RunFolder folder = home.writeRun("gallery-20261121-101500-aaaa", kSteps, "finished");
    for (int prompt = 0; prompt < kPrompts; ++prompt)
        picture(prompt).save(QString::fromStdString((folder.samples() / (std::to_string(prompt) + ".png")).string()));
    contract::JournalWriter journal(folder.journal(0), {.version = 1, .run = folder.id(), .attempt = 1, .rank = 0, .host = {}, .startUnixMs = 0});
    for (int step = 1; step <= kSteps; ++step) {
        const std::string name = "samples/step-" + std::to_string(step);
        std::filesystem::create_directories(folder.root() / name);
        for (int prompt = 0; prompt < kPrompts; ++prompt) {
            const std::string file = name + "/" + std::to_string(prompt) + ".png";
            std::filesystem::create_hard_link(folder.samples() / (std::to_string(prompt) + ".png"), folder.root() / file);
            journal.begin(contract::record::kSample, step).add("file", file).add("prompt", "a picture of number " + std::to_string(prompt))
                .add("seed", std::int64_t {prompt}).add("guidance", 2.0).add("weights", std::string_view("ema")).commit();
        }
    }
    home.ingest();
    return folder;
}

/// Milliseconds of each frame. @param turn what the user does, by number
template <typename Turn>
std::vector<double> frames(ui::GalleryGrid& grid, Turn turn)
{
    std::vector<double> times;
    for (int frame = 0; frame < kFrames; ++frame) {
        QElapsedTimer clock;
        clock.start();
        turn(frame);
        grid.viewport()->repaint();
        QCoreApplication::processEvents();
        times.push_back(double(clock.nsecsElapsed()) / 1e6);
        QTest::qSleep(4);  // the rest of a frame at 60 Hz, in which images are loaded
    }
    return times;
}

void turnWheel(QWidget& view, int pixels)
{
    const QPointF middle = view.rect().center();
    QWheelEvent event(middle, view.mapToGlobal(middle), {}, {0, -pixels}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(&view, &event);
}

}  // namespace

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    const ui_test::TestHome home;
    const contract::RunFolder folder = writeSamples(home);
    ui_test::OpenWindow window(home.home());
    window->tabs().setCurrentIndex(kGalleryTab);
    window->openRun(QString::fromStdString(folder.id()));
    ui::GalleryGrid& grid = window->findChild<ui::GalleryView*>()->grid();
    if (!QTest::qWaitFor([&] { return grid.grid().rows() == kSteps; }, 60'000)) {
        std::fprintf(stderr, "bench_workbench_gallery: the samples are not shown\n");
        return 1;
    }
    QTest::qWait(1'000);  // a user looks before scrolling: the first images are decoded meanwhile
    QScrollBar& bar = *grid.verticalScrollBar();
    std::vector<double> rolled, dragged;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
        bar.setValue(bar.maximum() / 7 * repeat);
        QTest::qWait(200);  // the jump itself is not what is measured
        rolled.push_back(bench::quantile(frames(grid, [&](int) { turnWheel(*grid.viewport(), 120); }), 1));
        dragged.push_back(bench::quantile(frames(grid, [&](int frame) { bar.setValue(int(std::int64_t {bar.maximum()} * frame / kFrames)); }), 1));
    }
    const nlohmann::json rows = {bench::row("workbench", "samples-100k", "wheel, longest frame", "ms", rolled, bench::Better::Lower, {16, "limit"}),
        bench::row("workbench", "samples-100k", "drag, longest frame", "ms", dragged, bench::Better::Lower, {16, "limit"})};
    std::cout << nlohmann::json {{"rows", rows}}.dump(2) << std::endl;
    return 0;
}
