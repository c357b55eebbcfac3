// How long the tab Data takes until all pictures in view are painted, for a run on 2,000 images of 2 megapixels: the first time, when they are
// decoded, and the second, by another window, when reduced copies are in the cache.
#include "engine/contract/run/data_manifest.h"
#include "tests/bench/figures.h"
#include "tests/ui/window/open_window.h"
#include "ui/data/data_view.h"

#include <QAction>
#include <QApplication>
#include <QElapsedTimer>
#include <QImage>
#include <QTest>

#include <cstdio>
#include <filesystem>
#include <iostream>

namespace {

constexpr int kImages = 2000, kDistinct = 4, kRepeats = 5;
constexpr char kRun[] = "data-20261121-101500-aaaa";

QImage photograph(int number)
{
    QImage image(1632, 1224, QImage::Format_RGB32);
    for (int y = 0; y < image.height(); ++y) {
        auto* row = reinterpret_cast<QRgb*>(image.scanLine(y));
        for (int x = 0; x < image.width(); ++x)
            row[x] = qRgb((x / 7 + number * 40) % 256, (y / 5 + (x * y) % 13) % 256, (x + y + (x * 31 + y * 17) % 29) % 256);
    }
    return image;
}

/// A run on PNG and JPEG files, half and half, each under names of their own.
void writeData(const ui_test::TestHome& home, const std::filesystem::path& folder)
{
    const contract::RunFolder run = home.writeRun(kRun, 10, "finished");
    contract::DataManifest list {.folder = folder.string(), .resolution = 1024, .entries = {}};
    for (int number = 0; number < kImages; ++number) {
        const std::string ending = number % 2 == 0 ? ".png" : ".jpg";
        const auto original = folder / ("original" + std::to_string(number % kDistinct) + ending);
        if (number < kDistinct)
            photograph(number).save(QString::fromStdString(original.string()));
        const std::string name = std::to_string(number) + ending;
        std::filesystem::create_hard_link(original, folder / name);
        list.entries.push_back({.file = name, .caption = "photograph " + std::to_string(number), .reason = {}, .width = 1632, .height = 1224,
            .bucketWidth = 1184, .bucketHeight = 896, .mask = {}, .poster = {}});
    }
    contract::writeDataManifest(run.root() / contract::kDataManifestFile, list);
    home.ingest();
}

/// Milliseconds from the choice of the run until the last picture in view has come.
double opening(const ui_test::TestHome& home)
{
    constexpr int kSilenceMs = 500;
    ui_test::OpenWindow window(home.home());
    window.action("view.tab5")->trigger();
    QTest::qWaitFor([&] { return window.entry(kRun) != nullptr; }, 60'000);
    auto& grid = window->findChild<ui::DataView*>()->grid();
    QElapsedTimer clock;
    qint64 last = 0;
    int pictures = 0;
    QObject::connect(&grid.cache(), &ui::ImageCache::loaded, &grid, [&] {
        last = clock.nsecsElapsed();
        ++pictures;
    });
    clock.start();
    window.bench().selection.setInspected(kRun);
    QTest::qWaitFor([&] { return pictures > 0 && clock.nsecsElapsed() - last > kSilenceMs * 1'000'000LL; }, 60'000);
    std::fprintf(stderr, "%d pictures in %.0f ms\n", pictures, double(last) / 1e6);
    return double(last) / 1e6;
}

}  // namespace

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    const ui_test::TestHome home;
    const QTemporaryDir folder;
    writeData(home, folder.path().toStdString());
    std::vector<double> first, second;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
        std::error_code ignored;
        std::filesystem::remove_all(home.home().cache / "thumbnails", ignored);
        first.push_back(opening(home));
        second.push_back(opening(home));
    }
    const double decoded = bench::quantile(first, 0.5);
    const nlohmann::json rows = {bench::row("workbench", "data-2000", "pictures in view, again", "ms", second, bench::Better::Lower, {decoded, "first time"})};
    std::cout << nlohmann::json {{"rows", rows}}.dump(2) << std::endl;
    return 0;
}
