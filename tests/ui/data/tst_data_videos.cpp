// M12: videos that a run is trained on, in the real window; and videos that cannot be trusted.
#include "engine/contract/run/data_manifest.h"
#include "engine/video/open_video.h"
#include "launcher/base/program_output.h"
#include "launcher/base/program_path.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/data/data_details.h"
#include "ui/data/data_view.h"
#include "ui/gallery/image_view.h"

#include <QAction>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>

#include <sys/stat.h>

#include <stop_token>
#include <thread>

using launcher::ProgramOutput;
using launcher::outputOf;
using ui_test::kTimeoutMs;
using ui_test::OpenWindow;
using namespace std::chrono_literals;

namespace {

constexpr char kClips[] = "clips-20261121-101500-abcd";

/// The frames differ in brightness; the first is the darkest.
void writeClip(const QString& file, int frames, double rate, int width = 64, int height = 48)
{
    engine::ffmpeg::writeMp4(file.toStdString(), rate, frames, [&](std::int64_t number) {
        const auto bytes = static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3;
        return engine::Image {width, height, std::vector<std::uint8_t>(bytes, static_cast<std::uint8_t>(60 + 10 * number))};
    });
}

}  // namespace

class DataVideosTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_data;

    QString write(const QString& name, const QByteArray& bytes)
    {
        QFile file(m_data.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("cannot write the test's file");
        return file.fileName();
    }

    QByteArray clipBytes()
    {
        writeClip(m_data.filePath("whole.mp4"), 12, 8);
        QFile file(m_data.filePath("whole.mp4"));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

private Q_SLOTS:
    void initTestCase() { engine::ffmpeg::setLimits(); }  // and no log of the encoder

    void aVideoShowsItsFirstFrameLengthAndRate_M12()
    {
        const ui_test::TestHome home;
        const contract::RunFolder run = home.writeRun(kClips, 10, "finished");
        writeClip(m_data.filePath("clip.mp4"), 12, 8);
        contract::DataManifest list {.folder = m_data.path().toStdString(), .resolution = 64, .entries = {}};
        list.entries = {{.file = "clip.mp4", .caption = "it grows light", .reason = {}, .width = 64, .height = 48, .bucketWidth = 64, .bucketHeight = 48,
            .frames = 9, .mask = {}, .poster = {}}};
        contract::writeDataManifest(run.root() / contract::kDataManifestFile, list);
        home.ingest();
        OpenWindow window(home.home());
        window.action("view.tab5")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(window.entry(kClips) != nullptr, kTimeoutMs);
        window.bench().selection.setInspected(kClips);
        auto& view = *window->findChild<ui::DataView*>();
        ui::ImageView& image = view.details().image();
        QTRY_VERIFY2_WITH_TIMEOUT(view.details().facts().endsWith("\nvideo file: 1.5 s · 8 frames per second · 12 frames"),
            qPrintable(view.details().facts()), kTimeoutMs);
        const auto brightness = [&] { return image.grab().toImage().pixelColor(image.rect().center()).green(); };
        QVERIFY2(std::abs(brightness() - 60) < 6, qPrintable(QString::number(brightness())));
        view.grid().setFocus();
        QTest::keyClick(&view.grid(), Qt::Key_1);
        QCOMPARE(image.target().size(), QSizeF(64, 48));
        // The grid has it too, and keeps it for the next window.
        const auto small = [&] { return view.grid().cache().find(m_data.filePath("clip.mp4")); };
        QTRY_VERIFY_WITH_TIMEOUT(small() != nullptr, kTimeoutMs);
        QCOMPARE(small()->error, QString());
        const QDir kept(QString::fromStdString((home.home().cache / "thumbnails").string()));
        QTRY_COMPARE(kept.entryList({"*.thumbnail"}).size(), 1);
    }

    void hostileVideosAreRefusedInASentence_M12_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("says");
        const QByteArray whole = clipBytes();
        QByteArray silent = whole;  // boxes are there, frames are not
        silent.replace(40, whole.indexOf("moov") - 60, QByteArray(whole.indexOf("moov") - 60, '\0'));
        QTest::newRow("empty") << "empty.mp4" << QByteArray() << "is not a video that FFmpeg can open";
        QTest::newRow("text") << "text.webm" << QByteArray("hello, no video") << "is not a video that FFmpeg can open";
        QTest::newRow("cut off") << "cut.mp4" << whole.left(whole.size() / 2) << "";
        QTest::newRow("no frames") << "silent.mp4" << silent << "";
        QTest::newRow("a list that names another file")
            << "list.ts" << QByteArray("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n") << "is not a video that FFmpeg can open";
        QTest::newRow("an image") << "image.mp4" << QByteArray("\x89PNG\r\n\x1a\n") << "is not a video that FFmpeg can open";
    }
    void hostileVideosAreRefusedInASentence_M12()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, bytes);
        QFETCH(QString, says);
        const ui::LoadedImage image = ui::loadImage(write(name, bytes));
        QVERIFY(image.pixels.isNull() && !image.video);
        QVERIFY2(image.error.startsWith(name + ' ') && image.error.endsWith('.') && image.error.contains(says), qPrintable(image.error));
        QVERIFY2(!image.error.contains('\n'), qPrintable(image.error));
    }

    void aPipeOrALinkIsNotOpened_M12()
    {
        const QString pipe = m_data.filePath("pipe.mp4"), link = m_data.filePath("link.mp4");
        QCOMPARE(::mkfifo(pipe.toLocal8Bit().constData(), 0600), 0);
        writeClip(m_data.filePath("target.mp4"), 2, 8);
        QVERIFY(QFile::link(m_data.filePath("target.mp4"), link));
        QVERIFY(ui::loadImage(pipe).error.contains("missing"));
        QVERIFY(ui::loadImage(link).error.contains("missing"));
        QVERIFY(ui::loadImage(link, {}, {.links = contract::Links::Follow}).error.isEmpty());
    }

    /// What decodes may be slow, chatty or missing; the window waits for nothing longer than the limit.
    void aProgramIsEndedAtItsLimits_M12()
    {
        QElapsedTimer clock;
        clock.start();
        QCOMPARE(outputOf("/bin/sleep", {"60"}, 100ms, 10).end, ProgramOutput::End::Killed);
        const ProgramOutput flood = outputOf("/usr/bin/yes", {}, 20s, 100'000);
        QCOMPARE(flood.end, ProgramOutput::End::Killed);
        QVERIFY(flood.output.size() < 10'000'000);
        QCOMPARE(outputOf("/nowhere/program", {}, 1s, 10).end, ProgramOutput::End::NotStarted);
        std::stop_source closing;
        std::jthread closer([&] { closing.request_stop(); });
        QCOMPARE(outputOf("/bin/sleep", {"60"}, 60s, 10, closing.get_token()).end, ProgramOutput::End::Killed);
        const ProgramOutput said = outputOf("/bin/sh", {"-c", "echo one; exit 3"}, 10s, 100);
        QVERIFY(said.end == ProgramOutput::End::Exited && said.exitCode == 3 && said.output == "one\n");
        QVERIFY(clock.elapsed() < 15'000);
    }

    /// It cannot write files, and does not leave what it allows itself to others.
    void theDecoderLimitsItself_M12()
    {
        writeClip(m_data.filePath("limits.mp4"), 2, 8);
        const std::string command = launcher::programPath("atelier-poster") + " '" + m_data.filePath("limits.mp4").toStdString() + "' > '"
            + m_data.filePath("written").toStdString() + "'";
        outputOf("/bin/sh", {"-c", command}, 10s, 100);
        QCOMPARE(QFileInfo(m_data.filePath("written")).size(), 0);
    }
};

ATELIER_UI_TEST_MAIN(DataVideosTest)
#include "tst_data_videos.moc"
