// Samples of a run: a picture for each prompt, with what is known of it.
#include "tests/engine/worker/worker_run.h"

#include <QImage>
#include <QtTest>

using tests::WorkerRun;

namespace {

contract::Experiment sampling(int ranks, int perLabel)
{
    return tests::with(tests::smallExperiment(ranks), {{"run.total_steps", std::int64_t {2}}, {"sample.every", std::int64_t {2}},
                                                          {"sample.per_label", std::int64_t {perLabel}}, {"sample.guidance", 2.5}});
}

QImage pictureOf(const WorkerRun& run, int digit)
{
    const QString file = QString("samples/step-00000002-prompt-%1.png").arg(digit + 1, 2, 10, QLatin1Char('0'));
    return run.hasText("sample", "file", file.toStdString()) ? QImage(QString::fromStdString(run.folder().root().string()) + "/" + file) : QImage();
}

}  // namespace

class PromptSamplesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachPromptHasAPictureOfItsOwn_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::newRow("M12 one rank") << 1;
        QTest::newRow("M12 two ranks") << 2;
    }
    void eachPromptHasAPictureOfItsOwn()
    {
        QFETCH(int, ranks);
        const contract::Experiment experiment = sampling(ranks, 2);
        WorkerRun two(experiment), one(sampling(ranks, 1));
        for (WorkerRun* run : {&one, &two})
            QCOMPARE(run->run(), std::vector<int>(static_cast<std::size_t>(ranks), 0));
        QList<QImage> seen;
        for (int digit = 0; digit < 10; ++digit) {
            const QImage picture = pictureOf(two, digit);
            QCOMPARE(picture.size(), QSize(19, 10));  // two images of 8 × 8, with narrow gaps
            const QString prompt = QString("digit %1").arg(digit);
            QVERIFY(two.hasText("sample", "prompt", prompt.toStdString()));
            QCOMPARE(picture.text("prompt"), prompt);
            QCOMPARE(picture.text("guidance"), QString("2.5"));
            QCOMPARE(picture.text("step"), QString("2"));
            QCOMPARE(picture.text("seed"), QString::number(experiment.integer("run.seed")));
            // The first image of a label does not depend on how many are drawn.
            const QImage first = picture.copy(1, 1, 8, 8);
            QCOMPARE(first, pictureOf(one, digit));
            QVERIFY(!seen.contains(first));
            seen << first;
        }
    }
};

QTEST_GUILESS_MAIN(PromptSamplesTest)
#include "tst_prompt_samples.moc"
