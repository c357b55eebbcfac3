#include "app/cli/journal_tail.h"
#include "app/cli/progress.h"
#include "app/cli/run_result.h"
#include "engine/contract/checkpoint/checkpoint_manifest.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

using app::JournalTail;
using app::Progress;

namespace {

void addStep(Progress& progress, int step, double tMs)
{
    contract::JournalParser parser;
    progress.addStep(parser.parse("{\"type\":\"step\",\"step\":" + std::to_string(step) + ",\"t_ms\":"
        + std::to_string(tMs) + ",\"loss\":0.5,\"grad_norm\":\"NaN\",\"images_per_s\":1234.4}"));
}

}  // namespace

class ProgressTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path file() const
    {
        return (m_folder.path() + "/" + QTest::currentTestFunction() + ".jsonl").toStdString();
    }
    void append(const std::string& text) const { std::ofstream(file(), std::ios::app) << text; }
    static std::vector<std::int64_t> stepsOf(JournalTail& tail)
    {
        std::vector<std::int64_t> steps;
        tail.poll([&](const contract::JournalLine& line) { steps.push_back(line.step); });
        return steps;
    }

private Q_SLOTS:
    void theRewardOfTheLastRoundComesFirst()
    {
        Progress progress(8);
        contract::JournalParser parser;
        progress.addMetrics(parser.parse(R"({"type":"metrics","step":1,"t_ms":90,"critic/rewards/mean":0.25,"critic/rewards/max":0.5})"));
        addStep(progress, 1, 100);
        progress.addMetrics(parser.parse(R"({"type":"metrics","step":1,"t_ms":100,"validation/loss":2})"));
        QCOMPARE(progress.text(), "step 1/8 (12 %)  reward 0.25  loss 0.5  gradient norm NaN  1,234 images/s");
    }

    void lineSaysStepLossNormPaceAndTimeLeft()
    {
        Progress progress(2000);
        addStep(progress, 119, 11900);
        addStep(progress, 120, 12000);
        QCOMPARE(progress.text(),
            "step 120/2,000 (6 %)  loss 0.5  gradient norm NaN  1,234 images/s  3 min 08 s left");
    }

    void slowPacesKeepTheirDigits_data()
    {
        QTest::addColumn<QByteArray>("pace");
        QTest::addColumn<QString>("text");
        QTest::newRow("defect-27: less than one image a second") << QByteArray("0.3") << "0.3 images/s";
        QTest::newRow("defect-27: a video in minutes") << QByteArray("0.00461733") << "0.00462 images/s";
        QTest::newRow("defect-27: some") << QByteArray("12.345") << "12.3 images/s";
        QTest::newRow("defect-27: nearly a thousand") << QByteArray("999.7") << "1,000 images/s";
    }
    void slowPacesKeepTheirDigits()
    {
        QFETCH(QByteArray, pace);
        QFETCH(QString, text);
        Progress progress(4);
        contract::JournalParser parser;
        progress.addStep(parser.parse("{\"type\":\"step\",\"step\":1,\"images_per_s\":" + pace.toStdString() + "}"));
        QCOMPARE(QString::fromStdString(progress.text()), "step 1/4 (25 %)  " + text);
    }

    void whatTheStepDidNotSayIsLeftOut()
    {
        Progress progress(4);
        contract::JournalParser parser;
        progress.addStep(parser.parse("{\"type\":\"step\",\"step\":1,\"loss\":2}"));
        QCOMPARE(progress.text(), "step 1/4 (25 %)  loss 2");
    }

    void theEndSaysHowToResume_data()
    {
        QTest::addColumn<QString>("outcome");
        QTest::addColumn<int>("checkpoint");  // its step; negative: there is none
        QTest::addColumn<QString>("expected");
        QTest::newRow("defect-46: stopped on the way") << "stopped" << 1 << "` continues from step 1.";
        QTest::newRow("defect-46: stopped at 2 of 2") << "stopped" << 2 << " --set run.total_steps=4` trains it for longer.";
        QTest::newRow("defect-46: finished") << "finished" << 2 << " --set run.total_steps=4` trains it for longer.";
        QTest::newRow("defect-46: stopped without a checkpoint") << "stopped" << -1 << "` begins again, because there is no checkpoint.";
        QTest::newRow("defect-46: failed") << "failed" << 1 << "` continues from step 1.";
        QTest::newRow("defect-46: finished without a checkpoint") << "finished" << -1 << "";
    }
    void theEndSaysHowToResume()
    {
        QFETCH(QString, outcome);
        QFETCH(int, checkpoint);
        QFETCH(QString, expected);
        const QTemporaryDir home;
        const contract::RunFolder folder((home.path() + "/mine-20261121-101500-aaaa").toStdString());
        if (checkpoint >= 0) {
            std::filesystem::create_directories(folder.checkpoint(checkpoint));
            contract::writeManifest(folder.checkpoint(checkpoint), {});
        }
        contract::Experiment experiment;
        QVERIFY(!experiment.setText("run.total_steps", "2"));
        app::RunResult result;
        result.outcome = outcome.toStdString();
        result.step = 2;
        const QString hint = QString::fromStdString(app::resumeHint(result, folder, experiment));
        QCOMPARE(hint, expected.isEmpty() ? QString() : "`atelier resume mine-20261121-101500-aaaa" + expected + "\n");
        QVERIFY(app::endText(result, folder, experiment).ends_with(hint.toStdString()));
    }

    void timeLeftIsUnknownBeforeTheSecondStep()
    {
        Progress progress(10);
        QVERIFY(!progress.timeLeft());
        addStep(progress, 1, 100);
        QVERIFY(!progress.timeLeft());
    }

    void timeLeftFollowsThePaceOfNow()
    {
        Progress progress(1000);
        for (int step = 1; step <= 100; ++step)  // 1 s each, then 0.1 s
            addStep(progress, step, step * 1000.0);
        for (int step = 101; step <= 600; ++step)
            addStep(progress, step, 100000.0 + (step - 100) * 100.0);
        QCOMPARE(progress.timeLeft()->count(), 40000);
    }

    void timeLeftSurvivesAStoppedClockAndTooManySteps()
    {
        Progress progress(2);
        addStep(progress, 1, 5);
        addStep(progress, 3, 5);
        QCOMPARE(progress.timeLeft()->count(), 0);
    }

    void tailHandsOverWholeLinesOnly()
    {
        JournalTail tail(file(), 0);
        QVERIFY(stepsOf(tail).empty());
        append("{\"type\":\"step\",\"step\":1}\n{\"type\":\"step\",\"st");
        QCOMPARE(stepsOf(tail), std::vector<std::int64_t>({1}));
        QVERIFY(stepsOf(tail).empty());
        append("ep\":2}\n");
        QCOMPARE(stepsOf(tail), std::vector<std::int64_t>({2}));
    }

    void tailPassesOverFormerAttempts()
    {
        append("{\"type\":\"step\",\"step\":1}\n");
        JournalTail tail(file(), app::sizeOf(file()));
        append("{\"type\":\"step\",\"step\":2}\n");
        QCOMPARE(stepsOf(tail), std::vector<std::int64_t>({2}));
    }

    void tailReadsMoreThanOneBlock()
    {
        std::string text;
        for (int step = 1; step <= 100000; ++step)
            text += "{\"type\":\"step\",\"step\":" + std::to_string(step) + "}\n";
        append(text);
        JournalTail tail(file(), 0);
        const auto steps = stepsOf(tail);
        QCOMPARE(steps.size(), std::size_t(100000));
        QCOMPARE(steps.back(), std::int64_t(100000));
    }
};

QTEST_APPLESS_MAIN(ProgressTest)
#include "tst_progress.moc"
