#include "app/cli/journal_tail.h"
#include "app/cli/progress.h"

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
    void lineSaysStepLossNormPaceAndTimeLeft()
    {
        Progress progress(2000);
        addStep(progress, 119, 11900);
        addStep(progress, 120, 12000);
        QCOMPARE(progress.text(),
            "step 120/2,000 (6 %)  loss 0.5  gradient norm NaN  1,234 images/s  3 min 08 s left");
    }

    void whatTheStepDidNotSayIsLeftOut()
    {
        Progress progress(4);
        contract::JournalParser parser;
        progress.addStep(parser.parse("{\"type\":\"step\",\"step\":1,\"loss\":2}"));
        QCOMPARE(progress.text(), "step 1/4 (25 %)  loss 2");
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
