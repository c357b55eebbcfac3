// Videos from video files, folders of frames and images; errors for malicious files.
#include <ATen/ATen.h>

#include "engine/data/video_folder.h"
#include "engine/data/png.h"
#include "tests/engine/data/painted_video.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <fstream>
#include <functional>
#include <random>

namespace fs = std::filesystem;

class VideosTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    fs::path path(const std::string& name) const { return fs::path(m_folder.path().toStdString()) / name; }
    fs::path file(const std::string& name, std::int64_t frames, double rate) const
    {
        tests::writePaintedVideo(path(name), frames, rate);
        return path(name);
    }
    static QByteArray contentOf(const fs::path& file)
    {
        QFile stream(QString::fromStdString(file.string()));
        return stream.open(QIODevice::ReadOnly) ? stream.readAll() : QByteArray();
    }
    static void write(const fs::path& file, const QByteArray& content)
    {
        fs::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary).write(content.constData(), content.size());
    }
    static void paint(const fs::path& file, std::int64_t number, int width = 20, int height = 10)
    {
        fs::create_directories(file.parent_path());
        const engine::Image frame = tests::paintedFrame(number, width, height);
        engine::writePng(file, {width, height, 3, frame.rgb});
    }
    /// Returns the indices that the brightness of the frames encodes.
    static QList<int> numbersOf(const fs::path& file, double rate, std::int64_t frames)
    {
        QList<int> numbers;
        engine::videoFiles().read(file, rate, frames, [&](const engine::Image& frame) {
            numbers << qRound((frame.rgb[frame.rgb.size() / 2] - 20) / 12.0);
        });
        return numbers;
    }
    static std::string problemOf(const std::function<void()>& work)
    {
        try {
            work();
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return {};
    }

private Q_SLOTS:
    void framesAreTakenAtARate_data()
    {
        QTest::addColumn<double>("rate");
        QTest::addColumn<int>("frames");
        QTest::addColumn<QList<int>>("first");
        QTest::newRow("the file's own") << 0.0 << 13 << QList<int> {0, 1, 2, 3};
        QTest::newRow("the same") << 16.0 << 13 << QList<int> {0, 1, 2, 3};
        QTest::newRow("half as many") << 8.0 << 7 << QList<int> {0, 2, 4, 6};
        QTest::newRow("twice as many") << 32.0 << 25 << QList<int> {0, 0, 1, 1, 2};
        QTest::newRow("another") << 12.0 << 10 << QList<int> {0, 1, 2, 4, 5, 6, 8};  // those at 0, 1.33, 2.67, 4 … of the file's
    }
    void framesAreTakenAtARate()
    {
        QFETCH(double, rate);
        QFETCH(int, frames);
        QFETCH(QList<int>, first);
        const fs::path video = file("rates.mp4", 13, 16);
        const auto form = engine::videoFiles().probe(video, rate, 1000);
        QCOMPARE(form.frames, std::int64_t {frames});
        QVERIFY(form.size.width == 48 && form.size.height == 32);
        const auto numbers = numbersOf(video, rate, frames);
        QCOMPARE(numbers.size(), frames);
        QCOMPARE(numbers.first(first.size()), first);
        QCOMPARE(engine::videoFiles().probe(video, rate, 5).frames, std::int64_t {5});
        const std::string problem = problemOf([&] { numbersOf(video, rate, frames + 1); });
        QVERIFY2(problem.find("rates.mp4: ends after only " + std::to_string(frames)) != std::string::npos, problem.c_str());
    }

    /// A video as phones write it, with a display matrix that rotates it by 90°.
    void videosStandUpright()
    {
        engine::videoFiles().write(path("turned.mp4"), 8, 2, [](std::int64_t) {
            engine::Image image {64, 32, std::vector<std::uint8_t>(64 * 32 * 3)};
            for (std::size_t i = 0; i < image.rgb.size(); ++i)
                image.rgb[i] = i / 3 % 64 < 32 ? 255 : 0;  // white on the left
            return image;
        });
        QByteArray content = contentOf(path("turned.mp4"));
        const QByteArray upright = QByteArray::fromHex("000100000000000000000000000000000001000000000000");
        const qsizetype place = content.indexOf(upright, content.indexOf("tkhd"));
        QVERIFY(place > 0);
        content.replace(place, upright.size(), QByteArray::fromHex("000000000001000000000000ffff00000000000000000000"));
        write(path("turned.mp4"), content);
        const auto form = engine::videoFiles().probe(path("turned.mp4"), 0, 10);
        QVERIFY(form.size.width == 32 && form.size.height == 64);
        engine::videoFiles().read(path("turned.mp4"), 0, 1, [](const engine::Image& frame) {
            QVERIFY(frame.width == 32 && frame.height == 64);
            QVERIFY(frame.rgb[(8 * 32 + 16) * 3] > 200 && frame.rgb[(56 * 32 + 16) * 3] < 50);  // white above
        });
    }

    void aFolderHoldsVideosOfAllKinds()
    {
        const fs::path folder = path("all");
        fs::create_directories(folder / "sub");
        file("all/sub/film.mp4", 14, 16);
        write(folder / "sub" / "film.txt", " a film\n");
        for (int i = 0; i < 7; ++i)
            paint(folder / "frames.1" / ("frame" + std::to_string(i) + ".png"), i);
        write(folder / "frames.1.txt", "painted frames");
        paint(folder / "still.png", 3);
        write(folder / "metadata.jsonl", R"({"file_name": "still.png", "text": "a still"})");
        write(folder / "cut.mp4", contentOf(folder / "sub" / "film.mp4").left(200));
        write(folder / "text.mkv", "this is no video");
        write(folder / "empty.webm", {});
        const auto found = engine::scanVideoFolder(folder, {.frameRate = 16, .maxFrames = 9, .frameStep = 4});
        QStringList lines;
        for (const auto& video : found.images)
            lines << QString::fromStdString(fs::relative(video.file, folder).string() + ": " + video.caption + ", " + std::to_string(video.frames) + " of "
                + std::to_string(video.size.width));
        QCOMPARE(lines, (QStringList {"frames.1: painted frames, 5 of 20", "still.png: a still, 1 of 20", "sub/film.mp4: a film, 9 of 48"}));
        QCOMPARE(found.broken.size(), 3U);
        for (const auto& broken : found.broken)
            QVERIFY2(broken.reason.starts_with(broken.file.string()), broken.reason.c_str());
    }

    void videosBecomeTensors()
    {
        const engine::VideoRules rules {.frameRate = 16, .maxFrames = 9, .frameStep = 4};
        const fs::path film = file("tensor.mp4", 9, 16);
        for (int i = 0; i < 5; ++i)
            paint(path("tensor") / (std::to_string(i) + ".png"), i);
        paint(path("tensor.png"), 2);
        const auto levels = [&](const fs::path& video, std::int64_t frames) {
            const at::Tensor pixels = engine::videoTensor(video, frames, {16, 16}, rules);
            QTest::qVerify(pixels.sizes() == at::IntArrayRef({3, frames, 16, 16}), "sizes", "", __FILE__, __LINE__);
            return ((pixels.mean({0, 2, 3}) + 1) * 127.5 - 20) / 12;
        };
        QVERIFY(at::allclose(levels(film, 9), at::arange(9, at::kFloat), 0, 0.4));
        QVERIFY(at::allclose(levels(path("tensor"), 5), at::arange(5, at::kFloat), 0, 1e-3));
        QVERIFY(at::allclose(levels(path("tensor.png"), 1), at::full({1}, 2.0F), 0, 1e-3));
        QVERIFY(!problemOf([&] { engine::videoTensor(path("tensor"), 6, {16, 16}, rules); }).empty());
    }

    void whatFramesDependOnIsTheirContent()
    {
        const engine::VideoRules rules {.frameRate = 16, .maxFrames = 9, .frameStep = 4}, slower {.frameRate = 8, .maxFrames = 9, .frameStep = 4};
        for (int i = 0; i < 6; ++i)
            paint(path("content") / (std::to_string(i) + ".png"), i);
        const engine::ImageEntry film {file("content.mp4", 9, 16), "", {}, {}, 9}, frames {path("content"), "", {}, {}, 5};
        const std::string ofFilm = engine::videoContent(film, rules), ofFrames = engine::videoContent(frames, rules);
        QVERIFY(ofFilm != engine::videoContent(film, slower));
        QCOMPARE(engine::videoContent(frames, slower), ofFrames);
        paint(path("content/5.png"), 9);  // not among the five
        QCOMPARE(engine::videoContent(frames, rules), ofFrames);
        paint(path("content/4.png"), 9);
        QVERIFY(engine::videoContent(frames, rules) != ofFrames);
    }

    void hostileFilesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("content");
        const QByteArray other = contentOf(file("other.mp4", 3, 8));
        const QByteArray place = QFile::encodeName(QString::fromStdString(path("other.mp4").string()));
        QTest::newRow("a list of other files") << QByteArray("ffconcat version 1.0\nfile '" + place + "'\n");
        QTest::newRow("a play list") << QByteArray("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n" + place + "\n#EXT-X-ENDLIST\n");
        QTest::newRow("an image of four thousand million pixels")
            << QByteArray::fromHex("474946383961ffffffff8000000000000000002c00000000ffffffff00020244010000" "3b");
        QTest::newRow("nothing but its kind") << other.left(32);
        QTest::newRow("zeros") << QByteArray(100000, '\0');
    }
    void hostileFilesAreRefused()
    {
        QFETCH(QByteArray, content);
        const fs::path video = path("hostile.mp4");
        write(video, content);
        const std::string problem = problemOf([&] {
            const auto form = engine::videoFiles().probe(video, 16, 9);
            numbersOf(video, 16, form.frames);
        });
        QVERIFY2(problem.starts_with(video.string()), problem.c_str());
    }

    /// Damaged files may be read in part, but without a crash or hang, and frames stay within the limits.
    void damagedFilesEndWell()
    {
        const QByteArray whole = contentOf(file("whole.mp4", 9, 16));
        std::mt19937 random(7);
        const auto below = [&](qsizetype count) { return static_cast<qsizetype>(random() % static_cast<std::uint32_t>(count)); };
        int broken = 0;
        for (int attempt = 0; attempt < 300; ++attempt) {
            QByteArray damaged = attempt % 3 == 0 ? whole.left(below(whole.size())) : whole;
            for (int i = 0; attempt % 3 != 0 && i < 1 + attempt % 7; ++i)
                damaged[below(damaged.size())] = static_cast<char>(random());
            write(path("damaged.mp4"), damaged);
            const std::string problem = problemOf([&] {
                const auto form = engine::videoFiles().probe(path("damaged.mp4"), 16, 9);
                QVERIFY(form.frames >= 1 && form.frames <= 9);
                engine::videoFiles().read(path("damaged.mp4"), 16, form.frames, [](const engine::Image& frame) {
                    QCOMPARE(frame.rgb.size(), static_cast<std::size_t>(frame.width) * static_cast<std::size_t>(frame.height) * 3);
                });
            });
            broken += problem.empty() ? 0 : 1;
        }
        QVERIFY(broken > 50);
    }

    void videosAreWrittenWholeOrNotAtAll()
    {
        const fs::path video = path("unwritten.mp4");
        const auto frame = [](std::int64_t number) { return tests::paintedFrame(number, number == 3 ? 16 : 32, 32); };
        QVERIFY(problemOf([&] { engine::videoFiles().write(video, 16, 6, frame); }).find("the same size") != std::string::npos);
        QVERIFY(!problemOf([&] { engine::videoFiles().write(video, 16, 1, [](std::int64_t) { return tests::paintedFrame(0, 31, 32); }); }).empty());
        QVERIFY(!fs::exists(video) && !fs::exists(video.string() + ".part"));
        QVERIFY(!problemOf([&] { tests::writePaintedVideo(path("nowhere/video.mp4"), 3, 16); }).empty());
    }
};

QTEST_GUILESS_MAIN(VideosTest)
#include "tst_videos.moc"
