// Pictures of prompts from a folder of diffusers, by the real program and real ranks.
#include "engine/data/clip_file.h"
#include "tests/app/atelier_program.h"
#include "tests/support/tiny_pipelines.h"

#include <QDir>
#include <QFile>
#include <QImage>
#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

#include <filesystem>

using tests::AtelierProgram;
using tests::Outcome;

namespace {

const QString kModel = ATELIER_SOURCE_DIR "/tests/goldens/models/pipeline_sd3/pipeline";

struct Shown {
    QStringList files;
    QList<QImage> pictures;
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
            qWarning("%s", outcome.told().constData());
        Shown shown;
        for (const auto& file : outcome.json().object()["files"].toArray()) {
            shown.files << file.toString();
            if (file.toString().endsWith(".png"))
                shown.pictures << QImage(file.toString());
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

    void eachPromptIsAPicture()
    {
        const QString to = m_folder.filePath("deep/down");
        const Shown shown = this->shown({"--prompt", "a red cube", "--prompt", "ein Haus, 日本", "--negative", "blurry", "--to", to});
        QCOMPARE(shown.files, (QStringList {to + "/image-0001.png", to + "/image-0002.png"}));
        for (const QImage& picture : shown.pictures)
            QCOMPARE(picture.size(), QSize(48, 32));
        QCOMPARE(shown.pictures[1].text("prompt"), QString::fromUtf8("ein Haus, 日本"));
        QCOMPARE(shown.pictures[1].text("negative prompt"), QString("blurry"));
        QCOMPARE(shown.pictures[1].text("seed"), QString("42"));
        QCOMPARE(shown.pictures[1].text("steps"), QString("3"));
        QCOMPARE(shown.pictures[1].text("guidance"), QString("7"));  // Stable Diffusion 3's own
        QVERIFY(greatestDifference(shown.pictures[0], shown.pictures[1]) > 8);
    }

    void theNumberOfRanksChangesNothing_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::newRow("2 ranks, 3 pictures") << 2;
        QTest::newRow("4 ranks, more than pictures") << 4;
    }
    void theNumberOfRanksChangesNothing()
    {
        QFETCH(int, ranks);
        const QStringList prompts = {"--prompt", "one", "--prompt", "two", "--prompt", "three"};
        const Shown alone = shown(prompts + QStringList {"--to", m_folder.filePath("alone")});
        const Shown together = shown(prompts + QStringList {"--to", m_folder.filePath("together"), "--ranks", QString::number(ranks)});
        QCOMPARE(together.pictures.size(), 3);
        for (int i = 0; i < 3; ++i)
            QVERIFY(greatestDifference(alone.pictures[i], together.pictures[i]) <= 1);
    }

    void seedAndGuidanceMatter()
    {
        const QStringList prompt = {"--prompt", "a red cube"};
        const QImage first = shown(prompt + QStringList {"--to", m_folder.filePath("a")}).pictures.value(0);
        const QImage again = shown(prompt + QStringList {"--to", m_folder.filePath("b")}).pictures.value(0);
        const QImage seed = shown(prompt + QStringList {"--seed", "7", "--to", m_folder.filePath("c")}).pictures.value(0);
        const QImage guidance = shown(prompt + QStringList {"--guidance", "1", "--to", m_folder.filePath("d")}).pictures.value(0);
        QCOMPARE(greatestDifference(first, again), 0);
        QVERIFY(greatestDifference(first, seed) > 8);
        QVERIFY(greatestDifference(first, guidance) > 0);
    }

    void attentionIsComputedAsAsked()
    {
        const QStringList prompt = {"--prompt", "a red cube"};
        const QImage own = shown(prompt + QStringList {"--to", m_folder.filePath("attention/auto")}).pictures.value(0);
        for (const char* kernel : {"math", "by_head"}) {
            const QImage asked = shown(prompt + QStringList {"--attention", kernel, "--to", m_folder.filePath("attention/asked")}).pictures.value(0);
            QVERIFY(!asked.isNull() && greatestDifference(own, asked) <= 1);
        }
        const Outcome outcome = m_atelier.run(command(prompt + QStringList {"--device", "cpu", "--attention", "cudnn", "--to", m_folder.filePath("attention/gpu")}));
        QVERIFY2(outcome.exitCode == 0 && outcome.errors.contains("engine.attention = cudnn falls back to auto"), outcome.told());
    }

    void fluxIsToldTheScaleOfGuidance()
    {
        const auto root = m_folder.path().toStdString();
        for (const bool isDistilled : {true, false}) {
            const QString model = QString::fromStdString(tests::makeFluxFolder(root, isDistilled).string());
            const QStringList prompt = {"--prompt", "a red cube"};
            const Shown own = shown(prompt + QStringList {"--to", m_folder.filePath("flux/own"), "--ranks", "2"}, model);
            QCOMPARE(own.pictures.value(0).text("guidance"), QString(isDistilled ? "3.5" : "0"));
            const Shown asked = shown(prompt + QStringList {"--to", m_folder.filePath("flux/asked"), "--guidance", "3.5"}, model);
            const Shown other = shown(prompt + QStringList {"--to", m_folder.filePath("flux/other"), "--guidance", "20"}, model);
            QVERIFY(greatestDifference(own.pictures[0], asked.pictures.value(0)) <= 1);
            QCOMPARE(greatestDifference(own.pictures[0], other.pictures.value(0)) > 1, isDistilled);
        }
    }

    void wanDrawsClips_data()
    {
        QTest::addColumn<int>("experts");
        QTest::newRow("one transformer") << 1;
        QTest::newRow("one for much noise, one for little") << 2;
    }
    void wanDrawsClips()
    {
        QFETCH(int, experts);
        const QString model = QString::fromStdString(tests::makeWanFolder(m_folder.path().toStdString(), experts).string());
        const QStringList prompts = {"--prompt", "a cat &amp; a dog", "--prompt", "rain", "--frames", "9"};
        const QString to = m_folder.filePath("clips");
        const Shown alone = shown(prompts + QStringList {"--to", to}, model);
        QCOMPARE(alone.files.size(), 20);
        QCOMPARE(alone.pictures.size(), 18);
        QCOMPARE(alone.files[0], to + "/clip-0001/frame-0001.png");
        QCOMPARE(alone.files[18], to + "/clip-0002/frame-0009.png");
        QCOMPARE(alone.files[19], to + "/clip-0002.mp4");
        const auto form = engine::clipFiles().form(alone.files[19].toStdString(), 0, 100);
        QVERIFY(form.frames == 9 && form.size.width == 48 && form.size.height == 32);
        for (const QImage& frame : alone.pictures)
            QCOMPARE(frame.size(), QSize(48, 32));
        QVERIFY(greatestDifference(alone.pictures[0], alone.pictures[8]) > 1);
        const Shown together = shown(prompts + QStringList {"--to", m_folder.filePath("together"), "--ranks", "2"}, model);
        for (int i = 0; i < 18; ++i)
            QVERIFY(greatestDifference(alone.pictures[i], together.pictures.value(i)) <= 1);
        const Shown cleaned = shown({"--prompt", " a cat  & a dog", "--frames", "9", "--to", m_folder.filePath("cleaned")}, model);
        QCOMPARE(greatestDifference(alone.pictures[4], cleaned.pictures.value(4)), 0);
    }

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
            return shown({"--prompt", "rain", "--frames", "5", "--to", m_folder.filePath("experts")}, model).pictures.value(4);
        };
        const QImage first = drawn(one, {}), both = drawn(two, "0.875"), high = drawn(two, "0"), low = drawn(two, "1.1");
        QCOMPARE(greatestDifference(high, first), 0);
        QVERIFY(greatestDifference(both, first) > 1);
        QVERIFY(greatestDifference(both, low) > 1);
    }

    void whatCannotBeIsSaidInOneSentence_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QString>("said");
        const QStringList prompt = {"generate", "--prompt", "x", "--to", m_folder.filePath("none")};
        QTest::newRow("no such folder") << prompt + QStringList {"--model", "/nowhere"} << 2 << "/nowhere";
        QTest::newRow("a folder of something else") << prompt + QStringList {"--model", m_folder.path()} << 1 << "model_index.json";
        QTest::newRow("E-012 a pipeline that nobody knows")
            << prompt + QStringList {"--model", unknownPipeline()} << 1 << "known: AtelierPixelPipeline, FluxPipeline, QwenImagePipeline, StableDiffusion3Pipeline, WanPipeline";
        QTest::newRow("a size that does not fit") << prompt + QStringList {"--model", kModel, "--size", "50x32"} << 1 << "multiples of 16";
        QTest::newRow("frames of a picture") << prompt + QStringList {"--model", kModel, "--size", "48x32", "--frames", "5"} << 1 << "makes pictures";
        QTest::newRow("frames that do not fit")
            << prompt + QStringList {"--model", QString::fromStdString(tests::makeWanFolder(m_folder.path().toStdString()).string()), "--size", "48x32", "--frames", "6"}
            << 1 << "1 more than a multiple of 4";
        QTest::newRow("an adapter for a second transformer that is not there")
            << prompt + QStringList {"--model", QString::fromStdString(tests::makeWanFolder(m_folder.path().toStdString()).string()), "--size", "48x32", "--frames", "5", "--lora-2", m_folder.path()}
            << 1 << "has no transformer_2";
        QTest::newRow("an unknown kernel") << prompt + QStringList {"--model", kModel, "--attention", "quick"} << 2 << "--attention";
        QTest::newRow("no size at all") << prompt + QStringList {"--model", kModel, "--size", "large"} << 2 << "--size large";
        QTest::newRow("no prompt") << QStringList {"generate", "--model", kModel} << 2 << "--prompt";
    }
    void whatCannotBeIsSaidInOneSentence()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, exitCode);
        QFETCH(QString, said);
        const Outcome outcome = m_atelier.run(arguments);
        QVERIFY2(outcome.exitCode == exitCode, outcome.told());
        QVERIFY2(outcome.errors.startsWith("error: ") && outcome.errors.count('\n') == 1 && outcome.errors.contains(said.toUtf8()), outcome.told());
    }

    void aRankThatDiesIsNamed()
    {
        AtelierProgram atelier;
        atelier.setVariable("ATELIER_WORKER", "/bin/false");
        const Outcome outcome = atelier.run(command({"--prompt", "x", "--to", m_folder.filePath("dead"), "--ranks", "2"}));
        QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains("rank 0 failed with exit code 1"), outcome.told());
    }
};

QTEST_GUILESS_MAIN(GenerateTest)
#include "tst_generate.moc"
