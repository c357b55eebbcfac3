// By what a run ranks its checkpoints, from its options.
#include "engine/contract/checkpoint/checkpoint_measure.h"

#include <QtTest>

#include <map>

using Changes = std::map<std::string, std::string>;

class CheckpointMeasureTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theBestIsByTheRewardWhereThereIsOne_data()
    {
        QTest::addColumn<Changes>("changes");
        QTest::addColumn<QByteArray>("metric");
        QTest::addColumn<bool>("isHighestBest");
        const QByteArray loss("validation/loss"), reward("critic/rewards/mean");
        QTest::newRow("flow matching") << Changes {} << loss << false;
        for (const char* algorithm : {"flow_grpo", "dance_grpo", "mix_grpo", "flow_dppo", "grpo_guard", "diffusion_nft", "dpo", "awm", "dgpo"})
            QTest::newRow(algorithm) << Changes {{"algorithm.name", algorithm}} << reward << true;
        QTest::newRow("distill") << Changes {{"algorithm.name", "distill"}} << loss << false;
        QTest::newRow("stored pairs") << Changes {{"algorithm.name", "dpo"}, {"dpo.source", "offline"}} << loss << false;
        QTest::newRow("another metric") << Changes {{"algorithm.name", "flow_grpo"}, {"checkpoint.best_metric", "validation/loss"}} << loss << false;
        QTest::newRow("another metric, highest")
            << Changes {{"checkpoint.best_metric", "judge/reward"}, {"checkpoint.best_is", "highest"}} << QByteArray("judge/reward") << true;
        QTest::newRow("the lowest reward") << Changes {{"algorithm.name", "flow_grpo"}, {"checkpoint.best_is", "lowest"}} << reward << false;
    }
    void theBestIsByTheRewardWhereThereIsOne()
    {
        QFETCH(Changes, changes);
        contract::Experiment experiment;
        for (const auto& [key, value] : changes)
            QVERIFY2(!experiment.setText(key, value), key.c_str());
        const auto measure = contract::checkpointMeasure(experiment);
        QTEST(QByteArray::fromStdString(measure.metric), "metric");
        QTEST(measure.isHighestBest, "isHighestBest");
    }
};

QTEST_APPLESS_MAIN(CheckpointMeasureTest)
#include "tst_checkpoint_measure.moc"
