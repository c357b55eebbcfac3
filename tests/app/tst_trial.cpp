// N6: `atelier plan --trial` trains a few real steps, and a run shows later whether they were right.
#include "engine/contract/run/journal_parser.h"
#include "engine/contract/run/run_folder.h"
#include "tests/app/atelier_program.h"
#include "tests/paths.h"
#include "tests/support/whole_test.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

#include <signal.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

using tests::AtelierProgram;
using tests::Outcome;

class TrialTest : public QObject {
    Q_OBJECT

    std::unique_ptr<AtelierProgram> m_atelier;

    static QStringList with(QStringList arguments, const QString& settings)
    {
        for (const QString& setting : settings.split(' ', Qt::SkipEmptyParts))
            arguments << "--set" << setting;
        return arguments;
    }
    static QString tiny(int steps)
    {
        return QStringLiteral("run.device=cpu run.total_steps=%1 model.width=32 model.depth=2 model.heads=2 batch.micro=16 engine.compute_dtype=fp32 "
                              "sample.per_label=1 sample.steps=2 sample.judge=0 sample.every=0 checkpoint.every=0 validation.every=0 "
                              "schedule.warmup_steps=0").arg(steps);
    }
    /// When its last record was written, in Unix milliseconds.
    static qint64 lastRecord(const std::filesystem::path& journal)
    {
        std::ifstream stream(journal, std::ios::binary);
        contract::JournalParser parser;
        qint64 start = 0, last = 0;
        for (std::string text; std::getline(stream, text);) {
            const contract::JournalLine& line = parser.parse(text);
            if (line.kind == contract::JournalLine::Kind::Header)
                start = line.header.startUnixMs;
            last = start + std::llround(line.tMs);
        }
        return last;
    }
    QDir trials() const { return QDir(QString::fromStdString((m_atelier->home().data / "trials").string())); }
    QStringList trialFolders() const { return trials().entryList(QDir::Dirs | QDir::NoDotAndDotDot); }

private Q_SLOTS:
    void init()
    {
        m_atelier = std::make_unique<AtelierProgram>();
        m_atelier->setVariable("ATELIER_WORKER", ATELIER_BIN_DIR "/atelier-worker");
    }
    void cleanup() { m_atelier.reset(); }

    void N6_aTrialSaysHowLongARunWillTakeAndTheRunWhetherItWasRight()
    {
        QElapsedTimer watch;
        watch.start();
        const Outcome planned = m_atelier->runWell(with({"plan", "digits", "--trial", "--json"}, tiny(60)));
        const double seconds = double(watch.elapsed()) / 1000;
        const QJsonObject trial = planned.json()["trial"].toObject();
        // Of the three steps whose median it is, two took at least as long.
        QVERIFY2(trial["step_seconds"].toDouble() > 0 && 2 * trial["step_seconds"].toDouble() < seconds, planned.report());
        QCOMPARE(trial["steps"].toInteger(), 3);
        QCOMPARE(trial["total_steps"].toInteger(), 60);
        QVERIFY(std::abs(trial["seconds"].toDouble() - 60 * trial["step_seconds"].toDouble()) < 0.01);
        QCOMPARE(trial["not_included"]["samplings"].toInteger(), 1);
        // The ranks needed what was forecast.
        const double peak = trial["peak_bytes"].toDouble(), forecast = trial["forecast_bytes"].toDouble();
        QVERIFY2(peak > 0 && std::abs(peak - forecast) <= 0.1 * peak, planned.report());
        QVERIFY(m_atelier->runs().isEmpty());
        QVERIFY(!trials().exists());
        QVERIFY2(m_atelier->runWell({"list", "--json"}).json().array().isEmpty(), "a trial is no run");

        m_atelier->runWell(with({"run", "digits", "--name", "mine"}, tiny(60)));
        const Outcome shown = m_atelier->runWell({"show", "mine", "--json"});
        const QJsonObject kept = shown.json()["forecast"].toObject();
        QCOMPARE(kept["seconds"].toDouble(), trial["seconds"].toDouble());
        QCOMPARE(kept["step_seconds"].toDouble(), trial["step_seconds"].toDouble());
        // From the start of the ranks to the last record of rank 0 and the supervisor.
        const contract::RunFolder run(shown.json()["folder"].toString().toStdString());
        const qint64 begin = shown.json()["attempts"][0]["ranks_start_unix_ms"].toInteger(), end = std::max(lastRecord(run.journal(0)), lastRecord(run.journal(-1)));
        QVERIFY2(begin > 0 && end > begin, shown.report());
        QCOMPARE(kept["actual_seconds"].toDouble(), double(end - begin) / 1000);
        QVERIFY2(kept["actual_memory_bytes"].toDouble() > 0, shown.report());
        const QByteArray text = m_atelier->runWell({"show", "mine"}).output;
        QVERIFY2(text.contains("Forecast:    ") && text.contains(" for the steps, was ") && text.contains(" of memory, was "), text);
        // Other steps were not tried.
        m_atelier->runWell(with({"run", "digits", "--name", "other"}, tiny(2) + " batch.micro=8"));
        QVERIFY(!m_atelier->runWell({"show", "other"}).output.contains(" for the steps"));
    }

    void N6_theTextSaysWhatTheTimeLeavesOut()
    {
        const QByteArray text = m_atelier->runWell(with({"plan", "digits", "--trial"}, tiny(1000) + " validation.every=100 sample.every=250")).output;
        QVERIFY2(text.contains(" a step, the median of 3 after the first\n"), text);
        QVERIFY2(text.contains(" for 1,000 steps; not included: the start, 4 drawings of samples, 1 checkpoint, 10 validations\n"), text);
        QVERIFY2(text.contains("Measured memory: "), text);
    }

    void N6_anAlgorithmWithRoundsIsTriedForOne_data() { tests::onlyInTheWholeTest(); }
    void N6_anAlgorithmWithRoundsIsTriedForOne()
    {
        QString settings = tiny(40) + " rollout.prompts=4 rollout.samples_per_prompt=4 rollout.steps=4 rollout.window_end=3 rollout.window_size=2 batch.micro=4 policy.mini_batches=2";
        const Outcome outcome = m_atelier->runWell(with({"plan", "digits-flow-grpo", "--trial", "--json"}, settings));
        const QJsonObject trial = outcome.json()["trial"].toObject();
        QVERIFY2(trial["is_round"].toBool(), outcome.report());
        QCOMPARE(trial["steps"].toInteger(), 2);
        QVERIFY(trial["step_seconds"].toDouble() > 0);
        QVERIFY(!trials().exists());
    }

    void N6_nothingIsLeftOfATrialThatIsInterrupted_data()
    {
        QTest::addColumn<int>("signal");
        QTest::newRow("N6 Ctrl+C") << SIGINT;
        QTest::newRow("N6 terminated") << SIGTERM;
        QTest::newRow("N6 killed") << SIGKILL;
    }
    void N6_nothingIsLeftOfATrialThatIsInterrupted()
    {
        QFETCH(int, signal);
        // Plans with the real worker, trains with ranks that take for ever.
        const QString worker = m_atelier->writeFile("worker",
            "#!/bin/sh\n[ \"$1\" = --plan ] && exec " ATELIER_BIN_DIR "/atelier-worker \"$@\"\n"
            "echo $$ >> \"$0.processes\"\nexec sleep 1000\n");
        QFile(worker).setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        m_atelier->setVariable("ATELIER_WORKER", worker);
        const auto process = m_atelier->start(with({"plan", "digits", "--trial"}, tiny(100)));
        std::vector<pid_t> ranks;
        QTRY_VERIFY_WITH_TIMEOUT([&] {
            ranks.clear();
            std::ifstream file((worker + ".processes").toStdString());
            for (pid_t each = 0; file >> each;)
                ranks.push_back(each);
            return ranks.size() == 2;
        }(), 60000);
        QCOMPARE(trialFolders().size(), 1);
        ::kill(static_cast<pid_t>(process->processId()), signal);
        QVERIFY(process->waitForFinished());
        if (signal != SIGKILL) {
            QCOMPARE(process->exitCode(), 130);
            QVERIFY(process->readAllStandardError().contains("the trial was cancelled"));
        }
        for (const pid_t rank : ranks)
            QTRY_VERIFY(::kill(rank, 0) != 0);
        QTRY_COMPARE(trialFolders(), QStringList());
        QVERIFY(m_atelier->runs().isEmpty());
    }
};

QTEST_GUILESS_MAIN(TrialTest)
#include "tst_trial.moc"
