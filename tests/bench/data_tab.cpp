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
#include <QScrollBar>
#include <QTest>

#include <filesystem>
#include <iostream>

namespace {

constexpr int kImages = 2000, kDistinct = 4, kRepeats = 3;
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

struct Opening {
    double inView = 0, pages = 0;  ///< milliseconds
};

/// From when the list is there until the last picture in view has come, and then for some more pages.
Opening opening(const ui_test::TestHome& home)
{
    constexpr int kPages = 50, kSilenceMs = 200;
    ui_test::OpenWindow window(home.home());
    window.action("view.tab5")->trigger();
    if (!QTest::qWaitFor([&] { return window.entry(kRun) != nullptr; }, 60'000))
        qFatal("the run does not appear");
    auto& grid = window->findChild<ui::DataView*>()->grid();
    QElapsedTimer clock;
    qint64 last = 0;
    QObject::connect(&grid, &ui::CellGrid::currentChanged, &grid, [&] {
        if (!clock.isValid() && grid.shownCount() > 0)
            clock.start();
    });
    QObject::connect(&grid.cache(), &ui::ImageCache::loaded, &grid, [&] { last = clock.nsecsElapsed(); });
    const auto waitForPictures = [&](qint64 since) {
        if (!QTest::qWaitFor([&] { return last > since && clock.nsecsElapsed() - last > kSilenceMs * 1'000'000LL; }, 60'000))
            qFatal("the pictures do not appear");
        return double(last - since) / 1e6;
    };
    window.bench().selection.setInspected(kRun);
    Opening result {.inView = waitForPictures(0)};
    for (int page = 0; page < kPages; ++page) {
        const qint64 since = clock.nsecsElapsed();
        grid.verticalScrollBar()->setValue(grid.verticalScrollBar()->value() + grid.verticalScrollBar()->pageStep());
        result.pages += waitForPictures(since);
    }
    return result;
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
    std::vector<double> first, second, firstPages, secondPages;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
        std::error_code ignored;
        std::filesystem::remove_all(home.home().cache / "thumbnails", ignored);
        const Opening decoded = opening(home), kept = opening(home);
        first.push_back(decoded.inView);
        second.push_back(kept.inView);
        firstPages.push_back(decoded.pages);
        secondPages.push_back(kept.pages);
    }
    const auto row = [](const char* figure, const std::vector<double>& again, const std::vector<double>& once) {
        return bench::row("workbench", "data-2000", figure, "ms", again, bench::Better::Lower, {bench::quantile(once, 0.5), "first time"});
    };
    const nlohmann::json rows = {row("pictures in view, again", second, first), row("50 pages of pictures, again", secondPages, firstPages)};
    std::cout << nlohmann::json {{"rows", rows}}.dump(2) << std::endl;
    return 0;
}
