// The ready experiment `emoji`: a Stable Diffusion 3 model trained from scratch, real ranks, the images of the emoji font.
#include "engine/contract/formats/safetensors_set.h"
#include "tests/app/atelier_program.h"
#include "tests/paths.h"

#include <QDir>
#include <QFile>
#include <QImage>
#include <QJsonArray>
#include <QJsonObject>
#include <QSet>
#include <QtTest>

#include <filesystem>

using tests::AtelierProgram;
using tests::Outcome;

class EmojiTrainingTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    AtelierProgram m_atelier;

    QString path(const QString& name) const { return m_folder.filePath(name); }

    /// The experiment, with a small model.
    static QStringList small(int steps)
    {
        QStringList arguments = {"run", "emoji", "--json"};
        for (const char* setting : {"model.width=32", "model.depth=2", "model.heads=2", "data.resolution=16", "batch.micro=4", "sample.steps=2",
                 "data.validation_fraction=0.01", "schedule.warmup_steps=1"})
            arguments << "--set" << setting;
        return arguments << "--set" << "run.total_steps=" + QString::number(steps);
    }

private Q_SLOTS:
    void initTestCase() { m_atelier.setVariable("ATELIER_WORKER", ATELIER_BIN_DIR "/atelier-worker"); }

    void theModelDrawsPromptsThatItDidNotLearn()
    {
        QCOMPARE(m_atelier.runWell({"data", "emoji", "--to", path("emoji")}).exitCode, 0);
        QSet<QString> learnt;
        for (const QString& name : QDir(path("emoji")).entryList({"*.txt"})) {
            QFile file(path("emoji/" + name));
            QVERIFY(file.open(QIODevice::ReadOnly));
            learnt.insert(QString::fromUtf8(file.readAll()).trimmed());
        }
        const auto loaded = contract::loadExperiment(ATELIER_SOURCE_DIR "/resources/experiments/emoji.toml");
        QVERIFY(loaded.problems.empty());
        const QStringList prompts = QString::fromStdString(loaded.experiment.text("sample.prompts")).split('|');
        QVERIFY(prompts.size() >= 9);
        for (const QString& prompt : prompts)
            QVERIFY2(!learnt.contains(prompt.trimmed()), qPrintable(prompt));
    }

    void itTrainsFromNothingAndLeavesAsAFolder()
    {
        QStringList planning = small(4);
        planning.front() = "plan";
        const qint64 forecast = m_atelier.runWell(planning).json()["disk"]["cache_bytes"].toInteger();
        QVERIFY(!std::filesystem::exists(m_atelier.home().data / "cache" / "features"));
        const Outcome trained = m_atelier.runWell(small(4));
        QCOMPARE(trained.exitCode, 0);
        // N6: the emoji and what is made of them, which no run had needed before.
        qint64 written = 0;
        for (const auto& each : std::filesystem::recursive_directory_iterator(m_atelier.home().data / "cache"))
            written += each.is_regular_file() ? qint64(each.file_size()) : 0;
        QVERIFY2(written <= forecast && forecast - written <= written / 50, qPrintable(QStringLiteral("forecast %1, written %2 bytes").arg(forecast).arg(written)));
        QCOMPARE(m_atelier.runWell(planning).json()["disk"]["cache_bytes"].toInteger(), qint64(0));
        const QJsonObject run = trained.json().object();
        QVERIFY2(run["metrics"].toObject()["loss"].toDouble(-1) > 0, trained.report());
        const QString folder = QString::fromStdString(m_atelier.onlyRun().root().string());
        const QImage samples(folder + "/" + run["last_sample"].toString());
        QVERIFY2(samples.width() >= 16 && samples.width() == samples.height(), trained.report());
        QVERIFY(!samples.text("prompt").isEmpty() && !samples.text("prompt").contains('|'));
        QCOMPARE(QDir(folder + "/samples").entryList({"*.png"}).size(), 16);

        // The second start uses the images that the first one wrote.
        QCOMPARE(m_atelier.runWell({"resume", "latest", "--set", "run.total_steps=6", "--json"}).json().object()["step"].toInteger(), 6);
        const QByteArray shown = m_atelier.runWell({"show", "latest"}).output;
        QVERIFY2(shown.contains("writes the emoji") == false || shown.count("writes the emoji") == 1, shown);

        const Outcome exported = m_atelier.runWell({"checkpoints", "export", "latest", "--format", "diffusers", "--weights", "ema", "--to", path("model")});
        QCOMPARE(exported.exitCode, 0);
        const contract::SafetensorsSet weights(path("model/transformer").toStdString());
        for (const char* name : {"pos_embed.pos_embed", "context_embedder.weight", "transformer_blocks.1.attn.to_q.weight"})
            QVERIFY2(weights.find(name), name);
        QVERIFY(QFile::exists(path("model/transformer/config.json")));

        const auto draw = [&](const char* prompt, const QString& to) {
            const Outcome drawn = m_atelier.runWell({"generate", "--model", path("model"), "--prompt", prompt, "--size", "16x16", "--steps", "4", "--dtype", "fp32",
                "--to", path(to), "--json"});
            return QImage(drawn.json().object()["files"].toArray().at(0).toString()).convertToFormat(QImage::Format_RGB888);
        };
        const QImage apple = draw("blue apple", "apple"), again = draw("blue apple", "again");
        QCOMPARE(apple.size(), QSize(16, 16));
        QCOMPARE(apple, again);
    }

    void whatDoesNotFitIsNamed_data()
    {
        QTest::addColumn<QString>("setting");
        QTest::addColumn<QByteArray>("expectedError");
        QTest::newRow("patches") << "model.patch=3" << QByteArray("model.patch = 3: must be 1, 2, 4, 8 or 16");
        QTest::newRow("an adapter of nothing") << "lora.rank=4" << QByteArray("lora.rank = 4: a model trained from scratch takes no adapter");
        QTest::newRow("heads") << "model.heads=7" << QByteArray("model.width = 32: must be a multiple of twice model.heads = 7");
        QTest::newRow("no folder") << "data.source=folder" << QByteArray("data.folder is not set");
    }
    void whatDoesNotFitIsNamed()
    {
        QFETCH(QString, setting);
        QFETCH(QByteArray, expectedError);
        const Outcome outcome = m_atelier.run(small(1) << "--set" << setting);
        QVERIFY2(outcome.exitCode != 0 && outcome.errors.contains(expectedError), outcome.report());
    }
};

QTEST_GUILESS_MAIN(EmojiTrainingTest)
#include "tst_emoji_training.moc"
