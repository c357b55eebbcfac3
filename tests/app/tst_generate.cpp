// `atelier generate`: images from prompts with a diffusers folder, by the real program and real ranks.
#include "engine/data/video_file.h"
#include "tests/app/atelier_program.h"
#include "tests/paths.h"
#include "tests/support/tiny_pipelines.h"
#include "tests/support/whole_test.h"

#include <QDir>
#include <QFile>
#include <QImage>
#include <QJsonArray>
#include <QJsonObject>
#include <QtEndian>
#include <QtTest>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>

using tests::AtelierProgram;
using tests::Outcome;

namespace {

const QString kModel = ATELIER_SOURCE_DIR "/tests/goldens/models/pipeline_sd3/pipeline";

struct Shown {
    QStringList files;
    QList<QImage> images;
};

}  // namespace

class GenerateTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    AtelierProgram m_atelier;

    QStringList command(const QStringList& more, const QString& model = kModel) const
    {
        return QStringList {"generate", "--model", model, "--steps", "3", "--size", "48x32", "--dtype", "fp32", "--json"} + more;
    }

    Shown shown(const QStringList& more, const QString& model = kModel)
    {
        const Outcome outcome = m_atelier.run(command(more, model));
        if (outcome.exitCode != 0)
            qWarning("%s", outcome.report().constData());
        Shown shown;
        for (const auto& file : outcome.json().object()["files"].toArray()) {
            shown.files << file.toString();
            if (file.toString().endsWith(".png"))
                shown.images << QImage(file.toString());
        }
        return shown;
    }

    QString unknownPipeline() const
    {
        QDir(m_folder.path()).mkpath("unknown");
        QFile index(m_folder.filePath("unknown/model_index.json"));
        if (index.open(QIODevice::WriteOnly))
            index.write(R"({"_class_name": "SanaPipeline", "vae": ["diffusers", "AutoencoderDC"]})");
        return m_folder.filePath("unknown");
    }

    static int greatestDifference(const QImage& a, const QImage& b)
    {
        int greatest = 0;
        for (int y = 0; y < a.height(); ++y) {
            for (int x = 0; x < a.width(); ++x) {
                const QColor one = a.pixelColor(x, y), other = b.pixelColor(x, y);
                greatest = std::max({greatest, std::abs(one.red() - other.red()), std::abs(one.green() - other.green()), std::abs(one.blue() - other.blue())});
            }
        }
        return greatest;
    }

private Q_SLOTS:
    void initTestCase() { m_atelier.setVariable("ATELIER_WORKER", ATELIER_BIN_DIR "/atelier-worker"); }

    void eachPromptIsAImage()
    {
        const QString to = m_folder.filePath("deep/down");
        const Shown shown = this->shown({"--prompt", "a red cube", "--prompt", "ein Haus, 日本", "--negative", "blurry", "--to", to});
        QCOMPARE(shown.files, (QStringList {to + "/image-0001.png", to + "/image-0002.png"}));
        for (const QImage& image : shown.images)
            QCOMPARE(image.size(), QSize(48, 32));
        QCOMPARE(shown.images[1].text("prompt"), QString::fromUtf8("ein Haus, 日本"));
        QCOMPARE(shown.images[1].text("negative prompt"), QString("blurry"));
        QCOMPARE(shown.images[1].text("seed"), QString("42"));
        QCOMPARE(shown.images[1].text("steps"), QString("3"));
        QCOMPARE(shown.images[1].text("guidance"), QString("7"));  // Stable Diffusion 3's own
        QVERIFY(greatestDifference(shown.images[0], shown.images[1]) > 8);
    }

    void theNumberOfRanksChangesNothing_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::newRow("2 ranks, 3 images") << 2;
        if (tests::isWhole())
            QTest::newRow("4 ranks, more than images") << 4;
    }
    void theNumberOfRanksChangesNothing()
    {
        QFETCH(int, ranks);
        const QStringList prompts = {"--prompt", "one", "--prompt", "two", "--prompt", "three"};
        const Shown alone = shown(prompts + QStringList {"--to", m_folder.filePath("alone")});
        const Shown together = shown(prompts + QStringList {"--to", m_folder.filePath("together"), "--ranks", QString::number(ranks)});
        QCOMPARE(together.images.size(), 3);
        for (int i = 0; i < 3; ++i)
            QVERIFY(greatestDifference(alone.images[i], together.images[i]) <= 1);
    }

    void seedAndGuidanceMatter()
    {
        const QStringList prompt = {"--prompt", "a red cube"};
        const QImage first = shown(prompt + QStringList {"--to", m_folder.filePath("a")}).images.value(0);
        const QImage again = shown(prompt + QStringList {"--to", m_folder.filePath("b")}).images.value(0);
        const QImage seed = shown(prompt + QStringList {"--seed", "7", "--to", m_folder.filePath("c")}).images.value(0);
        const QImage guidance = shown(prompt + QStringList {"--guidance", "1", "--to", m_folder.filePath("d")}).images.value(0);
        QCOMPARE(greatestDifference(first, again), 0);
        QVERIFY(greatestDifference(first, seed) > 8);
        QVERIFY(greatestDifference(first, guidance) > 0);
    }

    void attentionIsComputedAsAsked()
    {
        const QStringList prompt = {"--prompt", "a red cube"};
        const QImage own = shown(prompt + QStringList {"--to", m_folder.filePath("attention/auto")}).images.value(0);
        for (const char* kernel : {"math", "by_head"}) {
            const QImage asked = shown(prompt + QStringList {"--attention", kernel, "--to", m_folder.filePath("attention/asked")}).images.value(0);
            QVERIFY(!asked.isNull() && greatestDifference(own, asked) <= 1);
        }
        const Outcome outcome = m_atelier.run(command(prompt + QStringList {"--device", "cpu", "--attention", "cudnn", "--to", m_folder.filePath("attention/gpu")}));
        QVERIFY2(outcome.exitCode == 0 && outcome.errors.contains("engine.attention = cudnn falls back to auto"), outcome.report());
    }

    void fluxIsToldTheScaleOfGuidance_data() { tests::onlyInTheWholeTest(); }
    void fluxIsToldTheScaleOfGuidance()
    {
        const auto root = m_folder.path().toStdString();
        for (const bool isDistilled : {true, false}) {
            const QString model = QString::fromStdString(tests::makeFluxFolder(root, isDistilled).string());
            const QStringList prompt = {"--prompt", "a red cube"};
            const Shown own = shown(prompt + QStringList {"--to", m_folder.filePath("flux/own"), "--ranks", "2"}, model);
            QCOMPARE(own.images.value(0).text("guidance"), QString(isDistilled ? "3.5" : "0"));
            const Shown asked = shown(prompt + QStringList {"--to", m_folder.filePath("flux/asked"), "--guidance", "3.5"}, model);
            const Shown other = shown(prompt + QStringList {"--to", m_folder.filePath("flux/other"), "--guidance", "20"}, model);
            QVERIFY(greatestDifference(own.images[0], asked.images.value(0)) <= 1);
            QCOMPARE(greatestDifference(own.images[0], other.images.value(0)) > 1, isDistilled);
        }
    }

    void wanDrawsVideos_data()
    {
        QTest::addColumn<int>("experts");
        QTest::newRow("one transformer") << 1;
        if (tests::isWhole())
            QTest::newRow("one for much noise, one for little") << 2;
    }
    void wanDrawsVideos()
    {
        QFETCH(int, experts);
        const QString model = QString::fromStdString(tests::makeWanFolder(m_folder.path().toStdString(), experts).string());
        const QStringList prompts = {"--prompt", "a cat &amp; a dog", "--prompt", "rain", "--frames", "9"};
        const QString to = m_folder.filePath("videos-" + QString::number(experts));
        const Shown alone = shown(prompts + QStringList {"--to", to}, model);
        QCOMPARE(alone.files.size(), 20);
        QCOMPARE(alone.images.size(), 18);
        QCOMPARE(alone.files[0], to + "/clip-0001/frame-0001.png");
        QCOMPARE(alone.files[18], to + "/clip-0002/frame-0009.png");
        QCOMPARE(alone.files[19], to + "/clip-0002.mp4");
        const auto form = engine::videoFiles().probe(alone.files[19].toStdString(), 0, 100);
        QVERIFY(form.frames == 9 && form.size.width == 48 && form.size.height == 32);
        for (const QImage& frame : alone.images)
            QCOMPARE(frame.size(), QSize(48, 32));
        QVERIFY(greatestDifference(alone.images[0], alone.images[8]) > 1);
        const Shown together = shown(prompts + QStringList {"--to", m_folder.filePath("together"), "--ranks", "2"}, model);
        for (int i = 0; i < 18; ++i)
            QVERIFY(greatestDifference(alone.images[i], together.images.value(i)) <= 1);
        const Shown cleaned = shown({"--prompt", " a cat  & a dog", "--frames", "9", "--to", m_folder.filePath("cleaned")}, model);
        QCOMPARE(greatestDifference(alone.images[4], cleaned.images.value(4)), 0);
    }

    void eachNoiseLevelHasItsTransformer_data() { tests::onlyInTheWholeTest(); }
    void eachNoiseLevelHasItsTransformer()
    {
        const auto root = m_folder.path().toStdString();
        const QString one = QString::fromStdString(tests::makeWanFolder(root).string()), two = QString::fromStdString(tests::makeWanFolder(root, 2).string());
        const auto drawn = [&](const QString& model, const QByteArray& boundary) {
            if (!boundary.isEmpty()) {
                QFile file(model + "/model_index.json");
                QTest::qVerify(file.open(QIODevice::ReadWrite), "opens", "", __FILE__, __LINE__);
                QJsonObject index = QJsonDocument::fromJson(file.readAll()).object();
                index["boundary_ratio"] = boundary.toDouble();
                file.resize(0);
                file.write(QJsonDocument(index).toJson());
            }
            return shown({"--prompt", "rain", "--frames", "5", "--to", m_folder.filePath("experts")}, model).images.value(4);
        };
        const QImage first = drawn(one, {}), both = drawn(two, "0.875"), high = drawn(two, "0"), low = drawn(two, "1.1");
        QCOMPARE(greatestDifference(high, first), 0);
        QVERIFY(greatestDifference(both, first) > 1);
        QVERIFY(greatestDifference(both, low) > 1);
    }

    void defect44_imagesAreNumberedOnFromThoseThatAreThere()
    {
        const QString to = m_folder.filePath("twice");
        const QStringList two = {"--prompt", "one", "--prompt", "two", "--to", to};
        const Shown first = shown(two);
        QCOMPARE(first.files, (QStringList {to + "/image-0001.png", to + "/image-0002.png"}));
        const Shown second = shown(two);
        QCOMPARE(second.files, (QStringList {to + "/image-0003.png", to + "/image-0004.png"}));
        for (int i = 0; i < 2; ++i) {
            QCOMPARE(QImage(first.files[i]), first.images[i]);      // still there
            QCOMPARE(greatestDifference(first.images[i], second.images[i]), 0);  // the noise depends on the prompt's place, not on the file's number
        }
        QVERIFY(QFile::rename(first.files[1], to + "/image-0123.png"));
        QDir(to).mkdir("clip-0200");
        QCOMPARE(shown({"--prompt", "one", "--to", to}).files, QStringList {to + "/image-0201.png"});
    }

    void defect44_twoCommandsDoNotShareNumbers()
    {
        const QString to = m_folder.filePath("claimed");
        QDir().mkpath(to);
        const int claim = ::open(to.toUtf8().constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        QVERIFY(claim >= 0 && ::flock(claim, LOCK_EX) == 0);
        const Outcome outcome = m_atelier.run(command({"--prompt", "one", "--to", to}));
        ::close(claim);
        QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains("another `atelier generate` writes to this folder"), outcome.report());
        QVERIFY(QDir(to).isEmpty());
    }

    void defect48_aTransformerReplacesThePipelines()
    {
        const QStringList prompt = {"--prompt", "a red cube", "--to", m_folder.filePath("replaced")};
        const QImage own = shown(prompt).images.value(0);
        for (const char* folder : {"/transformer", ""})  // alone, or in another pipeline
            QCOMPARE(greatestDifference(own, shown(prompt + QStringList {"--transformer", kModel + folder}).images.value(0)), 0);
        // Another one of the same shape draws something else.
        const QString other = m_folder.filePath("other");
        QDir().mkpath(other);
        QVERIFY(QFile::copy(kModel + "/transformer/config.json", other + "/config.json"));
        QFile weights(kModel + "/transformer/diffusion_pytorch_model.safetensors");
        QVERIFY(weights.open(QIODevice::ReadOnly));
        QByteArray bytes = weights.readAll();
        for (qsizetype i = bytes.size() / 2; i < bytes.size(); ++i)
            bytes[i] = 0;
        QFile changed(other + "/diffusion_pytorch_model.safetensors");
        QVERIFY(changed.open(QIODevice::WriteOnly) && changed.write(bytes) == bytes.size());
        changed.close();
        QVERIFY(greatestDifference(own, shown(prompt + QStringList {"--transformer", other}).images.value(0)) > 2);
    }

    void defect49_aLongPromptIsWarnedAboutOnce()
    {
        const QString longPrompt = QStringLiteral("red ").repeated(100).trimmed();
        const QStringList prompts = {"--prompt", longPrompt, "--prompt", "short", "--prompt", longPrompt, "--to", m_folder.filePath("long"), "--ranks", "2"};
        const Outcome outcome = m_atelier.run(command(prompts));
        QVERIFY2(outcome.exitCode == 0 && outcome.errors.count("is cut off") == 1, outcome.report());
        QVERIFY2(outcome.errors.contains("warning: the end of a prompt is cut off: text_encoder reads 75 of its ")
                && outcome.errors.contains("text_encoder_2 reads 75 of its "), outcome.report());
    }

    void defect50_stableDiffusion3DrawsItsTransformersSize()
    {
        const Outcome outcome = m_atelier.run({"generate", "--model", kModel, "--prompt", "x", "--steps", "1", "--dtype", "fp32", "--to", m_folder.filePath("own size"), "--json"});
        QCOMPARE(QImage(outcome.json().object()["files"].toArray().at(0).toString()).size(), QSize(64, 64));  // sample_size 8, eightfold
    }

    void whatCannotBeIsSaidInOneSentence_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QString>("expectedError");
        const QStringList prompt = {"generate", "--prompt", "x", "--to", m_folder.filePath("none")};
        QTest::newRow("no such folder") << prompt + QStringList {"--model", "/nowhere"} << 2 << "/nowhere";
        QTest::newRow("a folder of something else") << prompt + QStringList {"--model", m_folder.path()} << 1 << "model_index.json";
        QTest::newRow("E-012 a pipeline that nobody knows")
            << prompt + QStringList {"--model", unknownPipeline()} << 1 << "supported: AtelierPixelPipeline, FluxPipeline, QwenImagePipeline, StableDiffusion3Pipeline, WanPipeline";
        QTest::newRow("a size that does not fit") << prompt + QStringList {"--model", kModel, "--size", "50x32"} << 1 << "multiples of 16";
        QTest::newRow("frames of an image") << prompt + QStringList {"--model", kModel, "--size", "48x32", "--frames", "5"} << 1 << "makes images";
        QTest::newRow("frames that do not fit")
            << prompt + QStringList {"--model", QString::fromStdString(tests::makeWanFolder(m_folder.path().toStdString()).string()), "--size", "48x32", "--frames", "6"}
            << 1 << "1 more than a multiple of 4";
        QTest::newRow("an adapter for a second transformer that is not there")
            << prompt + QStringList {"--model", QString::fromStdString(tests::makeWanFolder(m_folder.path().toStdString()).string()), "--size", "48x32", "--frames", "5", "--lora-2", QStringLiteral(ATELIER_SOURCE_DIR "/tests/fixtures/weights/adapter-peft")}
            << 1 << "has no transformer_2";
        QTest::newRow("an image as an adapter, before the model is read")
            << prompt + QStringList {"--model", m_folder.path(), "--lora", ATELIER_SOURCE_DIR "/tests/fixtures/pictures/rgb.png"} << 1 << "rgb.png";
        QTest::newRow("a folder without an adapter, before the model is read")
            << prompt + QStringList {"--model", m_folder.path(), "--lora-2", m_folder.path()} << 1 << "holds no adapter (looked for adapter_model.safetensors";
        QTest::newRow("defect-48: a transformer alone") << prompt + QStringList {"--model", kModel + "/transformer"} << 1 << "and this one by --transformer";
        QTest::newRow("defect-48: a transformer of another class")
            << prompt + QStringList {"--model", kModel, "--transformer", kModel + "/vae"} << 1 << "cannot replace the transformer of";
        QTest::newRow("defect-48: a second transformer that is not there")
            << prompt + QStringList {"--model", kModel, "--transformer-2", kModel + "/transformer"} << 1 << "has no transformer_2";
        QTest::newRow("defect-50: too large") << prompt + QStringList {"--model", kModel, "--size", "208x64"} << 1
                                              << "images of 208 × 64 pixels are too large for this model; give a --size of at most 192x192";
        if (!QDir("/proc/driver/nvidia/gpus").exists())
            QTest::newRow("defect-50: no GPU") << prompt + QStringList {"--model", kModel, "--device", "cuda"} << 1
                                               << "--device cuda needs a GPU for each rank, but rank 0 sees no GPU; use --device cpu";
        QTest::newRow("an unknown kernel") << prompt + QStringList {"--model", kModel, "--attention", "quick"} << 2 << "--attention";
        QTest::newRow("no size at all") << prompt + QStringList {"--model", kModel, "--size", "large"} << 2 << "--size large";
        QTest::newRow("a weight that is no number") << prompt + QStringList {"--model", kModel, "--lora-weight", "nan"} << 2 << "--lora-weight: nan is not a number from -1000 to 1000";
        QTest::newRow("guidance without end") << prompt + QStringList {"--model", kModel, "--guidance", "inf"} << 2 << "--guidance: inf is not a number from 0 to 100";
        QTest::newRow("no prompt") << QStringList {"generate", "--model", kModel} << 2 << "--prompt";
    }
    void whatCannotBeIsSaidInOneSentence()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, exitCode);
        QFETCH(QString, expectedError);
        const Outcome outcome = m_atelier.run(arguments);
        QVERIFY2(outcome.exitCode == exitCode, outcome.report());
        QVERIFY2(outcome.errors.startsWith("error: ") && outcome.errors.count('\n') == 1 && outcome.errors.contains(expectedError.toUtf8()), outcome.report());
    }

    void aModelOfNaNIsAnError_data()
    {
        QTest::addColumn<QStringList>("ranks");
        QTest::newRow("defect-33: 1 rank") << QStringList();
        QTest::newRow("defect-33: 2 ranks") << QStringList({"--ranks", "2"});
    }
    void aModelOfNaNIsAnError()
    {
        QFETCH(QStringList, ranks);
        const QTemporaryDir folder;
        const std::filesystem::path model = folder.filePath("model").toStdString();
        std::filesystem::copy(kModel.toStdString(), model, std::filesystem::copy_options::recursive);
        int changed = 0;
        for (const auto& entry : std::filesystem::directory_iterator(model / "transformer")) {
            if (entry.path().extension() != ".safetensors")
                continue;
            QFile file(QString::fromStdString(entry.path().string()));
            QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner) && file.open(QIODevice::ReadWrite));
            const qint64 values = 8 + qFromLittleEndian<qint64>(file.read(8).constData());
            QVERIFY(file.seek(values) && file.write(QByteArray(file.size() - values, '\xFF')) > 0);  // NaN in every dtype
            ++changed;
        }
        QVERIFY(changed > 0);
        const QString to = folder.filePath("images");
        const Outcome outcome = m_atelier.run(command(QStringList {"--prompt", "a", "--prompt", "b", "--to", to} + ranks, QString::fromStdString(model.string())));
        QVERIFY2(outcome.exitCode == 1, outcome.report());
        QVERIFY2(outcome.errors.contains("image 1, image 2 came out as NaN or infinite and was not written: the weights are damaged"), outcome.report());
        QVERIFY(QDir(to).entryList({"*.png"}).isEmpty());
    }

    void aRankThatDiesIsNamed()
    {
        AtelierProgram atelier;
        atelier.setVariable("ATELIER_WORKER", "/bin/false");
        const Outcome outcome = atelier.run(command({"--prompt", "x", "--to", m_folder.filePath("dead"), "--ranks", "2"}));
        QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains("rank 0 failed with exit code 1"), outcome.report());
    }
};

QTEST_GUILESS_MAIN(GenerateTest)
#include "tst_generate.moc"
