// Trains an adapter from a video model's folder and a folder of videos, and draws with it: real ranks, generated video files.
#include "tests/app/atelier_program.h"
#include "tests/engine/data/painted_video.h"
#include "tests/paths.h"
#include "tests/support/tiny_pipelines.h"
#include "tests/support/whole_test.h"

#include <QDir>
#include <QFile>
#include <QImage>
#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

#include <cmath>
#include <filesystem>

using tests::AtelierProgram;
using tests::Outcome;

class VideoTrainingTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    AtelierProgram m_atelier;
    QString m_model;

    QString path(const QString& name) const { return m_folder.filePath(name); }

    void write(const QString& name, const QByteArray& content) const
    {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
    }

    QString experiment(QString model = {})
    {
        if (model.isEmpty())
            model = m_model;
        return m_atelier.writeFile("videos.toml", "[run]\nname = \"videos\"\ntotal_steps = 8\ndeterministic = true\n[model]\nname = \"diffusers\"\nfolder = \""
                + model.toUtf8() + "\"\n[data]\nfolder = \"" + path("videos").toUtf8()
                + "\"\nresolution = 32\nframes = 9\nvalidation_fraction = 0.2\n[batch]\nmicro = 2\n[engine]\ncompute_dtype = \"fp32\"\n"
                  "[lora]\nrank = 4\nalpha = 8.0\ntargets = \"to_q, to_k, to_v, to_out.0, ffn.net.2\"\n[optim]\nlr = 0.02\n"
                  "[sample]\nprompts = \"grey | white\"\nsteps = 2\nevery = 4\n[validation]\nevery = 4\n[checkpoint]\nevery = 4\n");
    }

    QList<QImage> frames(const QStringList& more, const QString& model = {})
    {
        const Outcome outcome = m_atelier.runWell(QStringList {"generate", "--model", model.isEmpty() ? m_model : model, "--prompt", "grey", "--size", "32x32", "--frames", "5", "--steps",
                                         "3", "--dtype", "fp32", "--to", path("shown"), "--json"} + more);
        QList<QImage> drawn;
        for (const auto& file : outcome.json().object()["files"].toArray()) {
            if (file.toString().endsWith(".png"))
                drawn << QImage(file.toString());
        }
        return drawn;
    }

    static int greatestDifference(const QList<QImage>& a, const QList<QImage>& b)
    {
        int greatest = a.size() == b.size() && !a.isEmpty() ? 0 : 1000;
        for (int i = 0; greatest < 1000 && i < a.size(); ++i) {
            for (int y = 0; y < a[i].height(); ++y) {
                for (int x = 0; x < a[i].width(); ++x)
                    greatest = std::max(greatest, std::abs(qGreen(a[i].pixel(x, y)) - qGreen(b[i].pixel(x, y))));
            }
        }
        return greatest;
    }

    /// Creates a model folder with two experts, one for the noise levels above @p boundary and one for those below.
    QString expertsFolder(const QString& name, double boundary) const
    {
        const auto made = tests::makeWanFolder(path(name).toStdString(), 2);
        QFile file(QString::fromStdString((made / "model_index.json").string()));
        QTest::qVerify(file.open(QIODevice::ReadWrite), "opens", "", __FILE__, __LINE__);
        QJsonObject index = QJsonDocument::fromJson(file.readAll()).object();
        index["boundary_ratio"] = boundary;
        file.resize(0);
        file.write(QJsonDocument(index).toJson());
        return QString::fromStdString(made.string());
    }

    /// What training does to the model as it was: steps too small to see.
    QJsonObject beginning(const QString& model, const char* component)
    {
        return m_atelier.runWell({"run", experiment(model), "--json", "--set", "run.total_steps=1", "--set", "validation.every=1", "--set", "optim.lr=1e-12", "--set",
                                     QString("model.component=") + component}).json().object();
    }

    QString runFolder(const Outcome& outcome) const
    {
        return QString::fromStdString(m_atelier.home().runs().string()) + "/" + outcome.json().object()["run"].toString();
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_atelier.setVariable("ATELIER_WORKER", ATELIER_BIN_DIR "/atelier-worker");
        m_model = QString::fromStdString(tests::makeWanFolder(m_folder.path().toStdString()).string());
        QVERIFY(QDir().mkpath(path("videos/frames")));
        const auto videos = path("videos").toStdString();
        tests::writePaintedVideo(videos + "/long.mp4", 20, 16);
        tests::writePaintedVideo(videos + "/wide.mkv.mp4", 10, 16, 64, 32);
        tests::writePaintedVideo(videos + "/short.mp4", 6, 16);
        for (int i = 0; i < 5; ++i) {
            QImage frame(48, 48, QImage::Format_RGB888);
            frame.fill(QColor(40 * i, 80, 200 - 40 * i));
            QVERIFY(frame.save(path(QString("videos/frames/%1.png").arg(i))));
        }
        QVERIFY(QFile::copy(path("videos/frames/0.png"), path("videos/still.png")));
        write("videos/long.txt", "a long video");
        write("videos/frames.txt", "painted frames");
    }

    void anAdapterOfAVideoModelIsTrainedAndDraws()
    {
        const Outcome trained = m_atelier.runWell({"run", experiment(), "--json"});
        QCOMPARE(trained.exitCode, 0);
        const QJsonObject first = trained.json().object();
        QCOMPARE(first["outcome"].toString(), "finished");
        for (const char* name : {"loss", "validation/loss", "grad_norm"})
            QVERIFY2(first["metrics"].toObject()[name].toDouble(-1) > 0, name);

        // A row of frames for each prompt.
        const QImage strip(runFolder(trained) + "/" + first["last_sample"].toString());
        QVERIFY2(strip.width() > 3 * strip.height(), qPrintable(QString("%1 × %2").arg(strip.width()).arg(strip.height())));

        QCOMPARE(m_atelier.runWell({"resume", "latest", "--set", "run.total_steps=12", "--json"}).json().object()["step"].toInteger(), 12);

        QCOMPARE(m_atelier.runWell({"checkpoints", "export", "latest", "--format", "diffusers", "--to", path("adapter")}).exitCode, 0);
        const auto plain = frames({}), adapted = frames({"--lora", path("adapter"), "--ranks", "2"});
        QCOMPARE(plain.size(), 5);
        QVERIFY(greatestDifference(plain, adapted) > 2);
        QCOMPARE(greatestDifference(plain, frames({"--lora", path("adapter"), "--lora-weight", "0"})), 0);
    }

    void theNumberOfRanksChangesNothing()
    {
        const auto loss = [&](int ranks) {
            return m_atelier.runWell(QStringList {"run", experiment(), "--json", "--set", "batch.global=4", "--set", "launch.ranks=" + QString::number(ranks)}).json().object()["metrics"].toObject()["loss"].toDouble(-1);
        };
        const double alone = loss(1), together = loss(2);
        QVERIFY2(alone > 0 && std::abs(alone - together) < 1e-3 * alone, qPrintable(QString("%1, %2").arg(alone).arg(together)));
    }

    void anExpertTrainsOnItsNoiseLevelsAlone_data()
    {
        QTest::addColumn<QByteArray>("component");
        QTest::addColumn<double>("boundary");
        if (!tests::isWhole())
            QSKIP("part of the whole test, label slow");
        QTest::newRow("the one for much noise, which has all") << QByteArray("transformer") << 1e-7;
        QTest::newRow("the one for little noise, which has all") << QByteArray("transformer_2") << 1 - 1e-7;
    }
    /// It is a model of one transformer then.
    void anExpertTrainsOnItsNoiseLevelsAlone()
    {
        QFETCH(QByteArray, component);
        QFETCH(double, boundary);
        const QString pair = expertsFolder("alone-" + component, boundary);
        const std::filesystem::path lone = tests::makeWanFolder(path("lone-" + component).toStdString());
        std::filesystem::copy(pair.toStdString() + "/" + component.toStdString(), lone / "transformer",
            std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
        const QJsonObject ofPair = beginning(pair, component.constData())["metrics"].toObject();
        const QJsonObject ofLone = beginning(QString::fromStdString(lone.string()), "transformer")["metrics"].toObject();
        for (const char* name : {"loss", "validation/loss", "grad_norm"}) {
            const double expected = ofLone[name].toDouble(-1);
            QVERIFY2(expected > 0 && std::abs(ofPair[name].toDouble() - expected) < 1e-4 * expected, name);
        }
    }

    void bothExpertsDrawSamples()
    {
        const auto sampleOf = [&](const QString& model, const char* component) {
            const QJsonObject run = beginning(model, component);
            return QImage(QString::fromStdString(m_atelier.home().runs().string()) + "/" + run["run"].toString() + "/" + run["last_sample"].toString());
        };
        const QString pair = expertsFolder("both", 0.875);
        const QImage one = sampleOf(pair, "transformer"), other = sampleOf(pair, "transformer_2"), lone = sampleOf(m_model, "transformer");
        QVERIFY(!one.isNull());
        QCOMPARE(greatestDifference({one}, {other}), 0);  // whichever of the two trains
        QVERIFY(greatestDifference({one}, {lone}) > 1);
        QCOMPARE(greatestDifference({sampleOf(expertsFolder("high", 1e-7), "transformer")}, {lone}), 0);  // which has all noise levels
    }

    void theAdapterOfTheSecondExpertDraws_data() { tests::onlyInTheWholeTest(); }
    void theAdapterOfTheSecondExpertDraws()
    {
        const QString pair = expertsFolder("second", 0.875), never = expertsFolder("never", 1e-7);
        const QStringList second = {"run", experiment(pair), "--json", "--set", "run.total_steps=4", "--set", "model.component=transformer_2"};
        QCOMPARE(m_atelier.runWell(second).exitCode, 0);
        QCOMPARE(m_atelier.runWell({"resume", "latest", "--set", "run.total_steps=6", "--json"}).json().object()["step"].toInteger(), 6);
        const Outcome refused = m_atelier.run({"resume", "latest", "--set", "run.total_steps=8", "--set", "model.component=transformer"});
        QVERIFY2(refused.exitCode != 0 && refused.errors.contains("model.component = transformer_2"), refused.report());
        const QString adapter = path("adapter-2");
        QCOMPARE(m_atelier.runWell({"checkpoints", "export", "latest", "--format", "diffusers", "--to", adapter}).exitCode, 0);
        const auto plain = frames({}, pair);
        QVERIFY(greatestDifference(plain, frames({"--lora-2", adapter, "--ranks", "2"}, pair)) > 2);
        QCOMPARE(greatestDifference(plain, frames({"--lora-2", adapter, "--lora-weight", "0"}, pair)), 0);
        // The adapter is for the second transformer: when that one is never used, the adapter changes nothing.
        QCOMPARE(greatestDifference(frames({}, never), frames({"--lora-2", adapter}, never)), 0);
        QVERIFY(greatestDifference(frames({}, never), frames({"--lora", adapter}, never)) > 2);
        // The merged transformer replaces the second one.
        const QString merged = expertsFolder("merged", 0.875);
        QCOMPARE(m_atelier.runWell({"checkpoints", "export", "latest", "--format", "merged", "--overwrite", "--to", merged + "/transformer_2"}).exitCode, 0);
        QVERIFY(greatestDifference(frames({"--lora-2", adapter}, pair), frames({}, merged)) <= 2);
    }

    void theSecondExpertTrainsWhole_data() { tests::onlyInTheWholeTest(); }
    void theSecondExpertTrainsWhole()
    {
        const QString pair = expertsFolder("whole", 0.875);
        QCOMPARE(m_atelier.runWell({"run", experiment(pair), "--json", "--set", "run.total_steps=4", "--set", "lora.rank=0", "--set", "model.component=transformer_2"}).exitCode, 0);
        const auto before = frames({}, pair);
        QCOMPARE(m_atelier.runWell({"checkpoints", "export", "latest", "--format", "diffusers", "--overwrite", "--to", pair + "/transformer_2"}).exitCode, 0);
        QVERIFY(greatestDifference(before, frames({}, pair)) > 2);
    }

    void anExpertWithoutNoiseLevelsIsNamed_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QByteArray>("component");
        QTest::addColumn<QByteArray>("expectedError");
        QTest::newRow("one transformer") << m_model << QByteArray("transformer_2") << QByteArray("WanPipeline has no transformer_2");
        QTest::newRow("no boundary") << expertsFolder("none", 0) << QByteArray("transformer_2") << QByteArray("boundary_ratio = 0 ");
        QTest::newRow("a boundary above all") << expertsFolder("all", 1) << QByteArray("transformer") << QByteArray("boundary_ratio = 1 ");
    }
    void anExpertWithoutNoiseLevelsIsNamed()
    {
        QFETCH(QString, model);
        QFETCH(QByteArray, component);
        QFETCH(QByteArray, expectedError);
        const Outcome outcome = m_atelier.run({"run", experiment(model), "--set", "model.component=" + component});
        QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains(expectedError), outcome.report());
    }

    /// Videos of one size with different numbers of frames.
    void heldOutVideosMayHaveAnyLength()
    {
        const auto loss = [&](int ranks) {
            const Outcome trained = m_atelier.runWell({"run", experiment(), "--json", "--set", "data.validation_fraction=0.5", "--set", "run.total_steps=4",
                "--set", "batch.global=2", "--set", "batch.micro=" + QString::number(2 / ranks), "--set", "launch.ranks=" + QString::number(ranks)});
            return trained.json().object()["metrics"].toObject()["validation/loss"].toDouble(-1);
        };
        const double alone = loss(1), together = loss(2);
        QVERIFY2(alone > 0 && std::abs(alone - together) < 1e-3 * alone, qPrintable(QString("%1, %2").arg(alone).arg(together)));
    }

    void brokenVideosAreListedAndLeftOut()
    {
        QFile whole(path("videos/long.mp4"));
        QVERIFY(whole.open(QIODevice::ReadOnly));
        const QByteArray content = whole.readAll();
        write("videos/zz-cut.mp4", content.left(content.size() / 3));
        write("videos/zz-text.webm", "no video");
        const Outcome trained = m_atelier.runWell({"run", experiment(), "--name", "broken", "--set", "run.total_steps=1"});
        QVERIFY(QFile::remove(path("videos/zz-cut.mp4")) && QFile::remove(path("videos/zz-text.webm")));
        QCOMPARE(trained.exitCode, 0);
        const QByteArray shown = m_atelier.runWell({"show", "latest", "--events", "50"}).output;
        QVERIFY2(shown.contains("zz-cut.mp4") && shown.contains("zz-text.webm") && shown.count("left out: ") == 2, shown);
    }
};

QTEST_GUILESS_MAIN(VideoTrainingTest)
#include "tst_video_training.moc"
