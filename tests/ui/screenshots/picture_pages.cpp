// Pictures: the samples of two runs side by side, and what a run is trained on.
#include "engine/contract/run/data_manifest.h"
#include "engine/contract/run/journal_writer.h"
#include "tests/ui/screenshots/pages.h"
#include "tests/ui/support/test_home.h"
#include "ui/data/data_view.h"
#include "ui/gallery/gallery_view.h"

#include <QImage>
#include <QPainter>
#include <QTabWidget>
#include <QTemporaryDir>

#include <cmath>
#include <fstream>

namespace screenshots {
namespace {

using contract::DataEntry;

/// A disc in front of a sky; @p blur of 0 … 1 is how far the model still is from it.
QImage disc(QSize size, const QColor& colour, double blur)
{
    QImage image(size, QImage::Format_RGB32);
    QLinearGradient sky(0, 0, 0, size.height());
    sky.setColorAt(0, QColor(120, 150, 190));
    sky.setColorAt(1, QColor(230, 225, 210));
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(image.rect(), sky);
    QRadialGradient edge(QRectF(image.rect()).center(), size.height() * 0.36);
    edge.setColorAt(0, colour);
    edge.setColorAt(std::max(0.97 - blur, 0.02), colour);
    edge.setColorAt(1, QColor(colour.red(), colour.green(), colour.blue(), 0));
    painter.fillRect(image.rect(), edge);
    return image;
}

void addSamples(const contract::RunFolder& run, double pace)
{
    contract::JournalHeader header;
    header.run = run.id();
    contract::JournalWriter journal(run.journal(0), header);
    const std::initializer_list<std::pair<const char*, QColor>> prompts
        = {{"a red ball", QColor(200, 50, 50)}, {"a blue ball in the morning", QColor(50, 80, 200)}, {"a green ball", QColor(40, 150, 80)}};
    for (int step = 20; step <= 100; step += 20) {
        int number = 0;
        for (const auto& [prompt, colour] : prompts) {
            const std::string file = "samples/step-" + std::to_string(step) + "-" + std::to_string(++number) + ".png";
            if (!disc(QSize(192, 192), colour, std::exp(-step * pace / 40.0)).save(QString::fromStdString((run.root() / file).string())))
                qFatal("a sample cannot be written");
            journal.begin(contract::record::kSample, step).add("file", file).add("prompt", prompt).add("seed", std::int64_t {7}).add("guidance", 4.5);
            journal.add("weights", "ema").commit();
        }
    }
}

void writeData(const contract::RunFolder& run, const QTemporaryDir& folder)
{
    contract::DataManifest list {.folder = folder.path().toStdString(), .resolution = 512, .entries = {}};
    const char* const colours[] = {"red", "blue", "green", "orange", "purple", "brown", "teal", "gold"};
    for (int number = 0; number < 8; ++number) {
        const std::string file = std::string(colours[number]) + ".png";
        const QSize size = number % 3 == 1 ? QSize(320, 240) : QSize(256, 256);
        if (!disc(size, QColor(QLatin1String(colours[number])), 0.03).save(folder.filePath(QString::fromStdString(file))))
            qFatal("a picture cannot be written");
        const bool isWide = number % 3 == 1;
        DataEntry entry {.file = file, .caption = std::string(colours[number]) + " ball in front of the sky", .reason = {}, .width = size.width(),
            .height = size.height(), .bucketWidth = isWide ? 576 : 512, .bucketHeight = isWide ? 448 : 512, .repeats = number == 0 ? 10 : 1, .mask = {},
            .poster = {}};
        if (number < 2) {
            entry.mask = std::string(colours[number]) + "-masklabel.png";
            QImage mask(size, QImage::Format_Grayscale8);
            mask.fill(40);
            QPainter painter(&mask);
            painter.setBrush(Qt::white);
            painter.drawEllipse(QRectF(mask.rect()).center(), size.height() * 0.36, size.height() * 0.36);
            painter.end();
            if (!mask.save(folder.filePath(QString::fromStdString(entry.mask))))
                qFatal("a mask cannot be written");
        }
        if (number == 7)
            entry.use = DataEntry::Use::Validation;
        list.entries.push_back(entry);
    }
    list.entries.push_back({.file = "notes.png", .caption = {}, .use = DataEntry::Use::LeftOut, .reason = "notes.png: is not a PNG", .mask = {}, .poster = {}});
    list.entries.push_back(
        {.file = "tiny.png", .caption = {}, .use = DataEntry::Use::LeftOut, .reason = "tiny.png: has only 12 × 12 pixels", .mask = {}, .poster = {}});
    if (!disc(QSize(12, 12), Qt::gray, 0.03).save(folder.filePath(QStringLiteral("tiny.png"))))
        qFatal("a picture cannot be written");
    std::ofstream(folder.filePath(QStringLiteral("notes.png")).toStdString()) << "not a picture";
    contract::writeDataManifest(run.root() / contract::kDataManifestFile, list);
}

}  // namespace

void showPictures(Album& album)
{
    const QTemporaryDir data;
    const ui_test::TestHome home;
    const auto first = home.writeRun("balls-20261121-100000-aaaa", 100, "finished");
    const auto second = home.writeRun("balls-slower-20261121-100001-bbbb", 100, "finished");
    setFacts(first, "balls", 100);
    setFacts(second, "balls-slower", 100);
    addSamples(first, 1.5);
    addSamples(second, 0.6);
    writeData(first, data);
    home.ingest();
    const auto opened = openWindow(home.home());
    ui::MainWindow& window = *opened;
    settle(window);
    window.openRun(QString::fromStdString(first.id()));
    window.workbench().selection.setAllDrawn({QString::fromStdString(first.id()), QString::fromStdString(second.id())});
    auto& gallery = *window.findChild<ui::GalleryView*>();
    window.tabs().setCurrentIndex(1);
    gallery.beside().setOn(true);
    settle(window);
    album.keepBoth(window, QStringLiteral("beside"));
    gallery.setFullSize(true);
    settle(window);
    album.keepBoth(window, QStringLiteral("beside-full"));
    gallery.setFullSize(false);
    window.tabs().setCurrentIndex(4);
    auto& view = *window.findChild<ui::DataView*>();
    waitFor([&] { return view.grid().shownCount() == 10; });
    settle(window);
    album.keepBoth(window, QStringLiteral("data-masks"));
    view.setFilter({.kind = ui::DataKind::LeftOut});
    waitFor([&] { return view.grid().shownCount() == 2; });
    settle(window);
    album.keepBoth(window, QStringLiteral("data-left-out"));
    view.setFilter({.kind = ui::DataKind::LeftOut, .text = QStringLiteral("ball")});
    settle(window);
    album.keepBoth(window, QStringLiteral("data-filtered"));
}

}  // namespace screenshots
