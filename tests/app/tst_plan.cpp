// N6, E2, M3, M16: `atelier plan` says what a run will need, and is right about it: real ranks need that.
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/run/journal_parser.h"
#include "tests/app/atelier_program.h"
#include "tests/paths.h"
#include "tests/support/whole_test.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QDir>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>

using tests::AtelierProgram;
using tests::Outcome;

class PlanTest : public QObject {
    Q_OBJECT

    std::unique_ptr<AtelierProgram> m_atelier;

    static QStringList with(QStringList arguments, const QString& settings)
    {
        for (const QString& setting : settings.split(' ', Qt::SkipEmptyParts))
            arguments << "--set" << setting;
        return arguments;
    }

    /// What the ranks journal as their highest resident memory without mapped files, in the steps of training: the most of any rank.
    static double measuredPeak(const contract::RunFolder& folder, int ranks)
    {
        double peak = 0;
        for (int rank = 0; rank < ranks; ++rank) {
            std::ifstream stream(folder.journal(rank), std::ios::binary);
            contract::JournalParser parser;
            for (std::string text; std::getline(stream, text);) {
                const contract::JournalLine& line = parser.parse(text);
                for (const contract::JournalField& field : line.fields()) {
                    if (line.type == contract::record::kStep && field.name == "memory/peak_bytes")
                        peak = std::max(peak, field.number);
                }
            }
        }
        return peak;
    }

    static double bytesOf(const QJsonObject& plan, const QString& part)
    {
        for (const QJsonValue& each : plan["rank_memory"]["parts"].toArray()) {
            if (each["name"].toString() == part)
                return each["bytes"].toDouble();
        }
        return 0;
    }

private Q_SLOTS:
    void init()
    {
        m_atelier = std::make_unique<AtelierProgram>();
        m_atelier->setVariable("ATELIER_WORKER", ATELIER_BIN_DIR "/atelier-worker");
    }
    void cleanup() { m_atelier.reset(); }

    void N6_theForecastIsWithinATenthOfWhatRanksNeed_data()
    {
        QTest::addColumn<QString>("experiment");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<QString>("settings");
        QTest::newRow("N6 digits") << "digits" << 2 << "";
        QTest::newRow("N6 digits, one rank") << "digits" << 1 << "";
        if (tests::isWhole())
            QTest::newRow("N6 digits, larger, over Gloo") << "digits" << 2 << "model.width=384 batch.micro=16 engine.exchange=gloo";
        if (tests::isWhole()) {
            QTest::newRow("N6 digits, float32, four ranks") << "digits" << 4 << "engine.compute_dtype=fp32";
            QTest::newRow("N6 digits, larger") << "digits" << 2 << "model.width=384 batch.micro=16";
            QTest::newRow("N6 digits, larger, 8-bit moments, no average")
                << "digits" << 2 << "model.width=384 batch.micro=16 optim.kind=adamw8bit ema.decay=0";
            QTest::newRow("N6 digits, larger, recomputed, two passes") << "digits" << 2
                << "model.width=384 batch.micro=16 batch.accumulation=2 engine.recompute=all";
            QTest::newRow("N6 emoji") << "emoji" << 2 << "";
        }
    }
    void N6_theForecastIsWithinATenthOfWhatRanksNeed()
    {
        QFETCH(QString, experiment);
        QFETCH(int, ranks);
        QFETCH(QString, settings);
        settings += QStringLiteral(" launch.ranks=%1 run.device=cpu run.total_steps=3 checkpoint.every=1 checkpoint.keep=2 validation.every=0 "
                                   "sample.every=0 sample.steps=1 sample.judge=0 schedule.warmup_steps=0").arg(ranks);
        const QJsonObject plan = m_atelier->runWell(with({"plan", experiment, "--json"}, settings)).json().object();
        QVERIFY(plan["rank_memory"]["activations_known"].toBool());
        // The first run on a data set encodes it, which takes memory that later ones do not need.
        if (experiment == "emoji")
            m_atelier->runWell(with({"run", experiment, "--json"}, settings + " run.total_steps=1"));
        const Outcome outcome = m_atelier->runWell(with({"run", experiment, "--json"}, settings));
        QVERIFY2(outcome.exitCode == 0, outcome.report());
        const contract::RunFolder run(m_atelier->home().runs() / outcome.json()["run"].toString().toStdString());
        const double forecast = plan["rank_memory"]["bytes"].toDouble(), measured = measuredPeak(run, ranks);
        const QString figures = QStringLiteral("forecast %1 MB, measured %2 MB").arg(forecast / 1e6, 0, 'f', 1).arg(measured / 1e6, 0, 'f', 1);
        qInfo() << qPrintable(figures);
        QVERIFY2(measured > 0 && std::abs(forecast - measured) <= 0.1 * measured, qPrintable(figures));
        // The checkpoints are known to the byte.
        const contract::CheckpointManifest manifest = contract::readManifest(run.checkpoint(3));
        QCOMPARE(plan["disk"]["checkpoint_bytes"].toInteger(), qint64(manifest.bytes()));
        QCOMPARE(plan["disk"]["checkpoints"].toInteger(), 2);
    }

    void N6_samplesTakeAtMostWhatIsForecast_data()
    {
        QTest::addColumn<QString>("settings");
        QTest::addColumn<int>("images");
        QTest::newRow("N6 digits") << "sample.every=1" << 30;
        if (tests::isWhole())
            QTest::newRow("N6 digits, five of a label, every second step") << "sample.every=2 sample.per_label=5" << 20;
        QTest::newRow("N6 at the end alone") << "sample.every=0" << 10;
    }
    void N6_samplesTakeAtMostWhatIsForecast()
    {
        QFETCH(QString, settings);
        QFETCH(int, images);
        settings = "run.device=cpu launch.ranks=1 run.total_steps=3 model.width=64 model.depth=2 checkpoint.every=0 validation.every=0 sample.steps=1 sample.judge=0 "
                   "schedule.warmup_steps=0 " + settings;
        const QJsonObject plan = m_atelier->runWell(with({"plan", "digits", "--json"}, settings)).json().object();
        const Outcome outcome = m_atelier->runWell(with({"run", "digits", "--json"}, settings));
        QVERIFY2(outcome.exitCode == 0, outcome.report());
        QDir samples(QString::fromStdString((m_atelier->home().runs() / outcome.json()["run"].toString().toStdString() / "samples").string()));
        qint64 written = 0;
        const QFileInfoList files = samples.entryInfoList({"*.png"}, QDir::Files);
        for (const QFileInfo& file : files)
            written += file.size();
        QCOMPARE(files.size(), images);
        const qint64 forecast = plan["disk"]["sample_bytes"].toInteger();
        QVERIFY2(written <= forecast && forecast <= 3 * written, qPrintable(QStringLiteral("forecast %1, written %2 bytes").arg(forecast).arg(written)));
        QCOMPARE(plan["disk"]["bytes"].toInteger(), plan["disk"]["checkpoints"].toInteger() * plan["disk"]["checkpoint_bytes"].toInteger() + forecast);
    }

    void N6_whatDoesNotTrainCostsNothingMore()
    {
        const QString base = "model.width=64 batch.micro=4";
        const QJsonObject whole = m_atelier->runWell(with({"plan", "digits", "--json"}, base)).json().object();
        const QJsonObject part = m_atelier->runWell(with({"plan", "digits", "--json"}, base + " model.trainable=blocks.*")).json().object();
        QCOMPARE(part["parameters"].toInteger(), whole["parameters"].toInteger());
        QVERIFY(part["trained"].toInteger() < whole["trained"].toInteger());
        QVERIFY(bytesOf(part, "optimizer") < bytesOf(whole, "optimizer"));
        QCOMPARE(bytesOf(whole, "optimizer"), 2 * bytesOf(whole, "parameters"));
        QCOMPARE(bytesOf(whole, "average"), bytesOf(whole, "parameters"));
        const QJsonObject four = m_atelier->runWell(with({"plan", "digits", "--json"}, base + " launch.ranks=4")).json().object();
        QVERIFY(bytesOf(four, "parameters") < 0.6 * bytesOf(whole, "parameters"));
    }

    void E2_M3_thePlanShowsChangesAndChecks()
    {
        const QStringList arguments = with({"plan", "digits"}, "optim.lr=0.5 model.width=64 batch.micro=4");
        const QByteArray text = m_atelier->runWell(arguments).output;
        for (const char* part : {"Change: optim.lr = 0.5 (before: 0.002)", "Disk: ", "Memory of a rank: ", "  optimizer ", "Disk at the end: "})
            QVERIFY2(text.contains(part), text);
        const QJsonObject json = m_atelier->runWell(arguments + QStringList {"--json"}).json().object();
        QCOMPARE(json["changes"].toArray().size(), 3);
        QCOMPARE(json["changes"].toArray().at(0)["key"].toString(), QStringLiteral("model.width"));
        QVERIFY(json["checks"].toArray().size() >= 5);
        QVERIFY(m_atelier->runs().isEmpty());
        QVERIFY(std::filesystem::is_empty(m_atelier->home().cache));  // nothing is left behind
    }

    void N6_everyRunHasItsForecastBesideTheTruth_data() { tests::onlyInTheWholeTest(); }
    void N6_everyRunHasItsForecastBesideTheTruth()
    {
        m_atelier->runWell(with({"run", "digits", "--name", "mine", "--detach"},
            "run.device=cpu run.total_steps=1000000 model.width=64 batch.micro=16 validation.every=0 sample.every=0 sample.steps=1 sample.per_label=1 "
            "sample.judge=0 checkpoint.every=0"));
        const auto shown = [&] { return m_atelier->runWell({"show", "mine", "--json"}).json().object(); };
        QJsonObject forecast;
        QTRY_VERIFY_WITH_TIMEOUT((forecast = shown()["forecast"].toObject(), forecast["disk_bytes"].toInteger() > 0 && forecast["actual_memory_bytes"].toDouble() > 0), 120000);
        QCOMPARE(forecast["actual_disk_bytes"].toInteger(), 0);
        QVERIFY(forecast["activations_known"].toBool());
        QVERIFY2(!forecast.contains("seconds"), "nothing was tried");
        const QByteArray meanwhile = m_atelier->runWell({"show", "mine"}).output;
        QVERIFY2(meanwhile.contains(" of memory, ") && meanwhile.contains(" so far; ") && meanwhile.contains(" of checkpoints, 0 B so far\n"), meanwhile);
        m_atelier->runWell({"stop", "mine"});
        QTRY_COMPARE_WITH_TIMEOUT(shown()["status"].toObject()["state"].toString(), QStringLiteral("stopped"), 60000);
        forecast = shown()["forecast"].toObject();
        const double memory = forecast["memory_bytes"].toDouble(), truth = forecast["actual_memory_bytes"].toDouble();
        QVERIFY2(std::abs(memory - truth) <= 0.1 * truth, qPrintable(QStringLiteral("%1 of %2").arg(memory).arg(truth)));
        QCOMPARE(forecast["disk_bytes"].toInteger(), forecast["actual_disk_bytes"].toInteger());
        const QByteArray text = m_atelier->runWell({"show", "mine"}).output;
        QVERIFY2(text.contains("Forecast:    ") && text.contains(" of memory, was ") && text.contains(" of checkpoints, was "), text);
    }

    void N6_aWorkerThatCannotPlanIsNamed()
    {
        m_atelier->setVariable("ATELIER_WORKER", "/bin/false");
        const Outcome outcome = m_atelier->run({"plan", "digits"});
        QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains("rank 0 failed with exit code 1"), outcome.report());
    }
};

QTEST_GUILESS_MAIN(PlanTest)
#include "tst_plan.moc"
