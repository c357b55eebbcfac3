// The end of training by a reward on 1, 2 and 4 ranks, against the spread of seeds.
#include "tests/app/atelier_program.h"
#include "tests/paths.h"

#include <QDir>
#include <QJsonObject>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <vector>

using tests::AtelierProgram;

class RoundSeedsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<AtelierProgram> m_atelier;
    QString m_base;

    /// Trains a small digits model by its reward. @return the last record of "judge/reward"
    double endOf(int ranks, int seed)
    {
        QStringList arguments = {"run", "digits-flow-grpo", "--json"};
        for (const char* setting : {"run.total_steps=60", "run.threads=1", "model.width=48", "model.depth=3", "model.heads=4", "engine.compute_dtype=fp32",
                 "batch.micro=16", "rollout.prompts=8", "rollout.samples_per_prompt=16", "rollout.keep_every=0", "policy.mini_batches=2", "sample.judge=200",
                 "sample.every=0", "checkpoint.every=0"})
            arguments << "--set" << setting;
        arguments << "--set" << QStringLiteral("launch.ranks=%1").arg(ranks) << "--set" << QStringLiteral("run.seed=%1").arg(seed);
        if (!m_base.isEmpty())
            arguments << "--set" << "checkpoint.init_from=" + m_base;
        const tests::Outcome outcome = m_atelier->runWell(arguments);
        const QJsonObject metrics = outcome.json()["metrics"].toObject();
        m_before = metrics["judge/base_reward"].toDouble();
        return metrics["judge/reward"].toDouble(-1);
    }
    double m_before = 0;

private Q_SLOTS:
    void initTestCase()
    {
        m_atelier = std::make_unique<AtelierProgram>();
        m_atelier->setVariable("ATELIER_WORKER", ATELIER_BIN_DIR "/atelier-worker");
    }
    void cleanupTestCase() { m_atelier.reset(); }

    void ranksEndWithinTheSpreadOfSeeds()
    {
        std::vector<double> ofSeeds = {endOf(2, 1)};
        const QDir cache(QString::fromStdString((m_atelier->home().runs().parent_path() / "cache").string()));
        const QStringList bases = cache.entryList({"digits-base-*"}, QDir::Dirs);
        QCOMPARE(bases.size(), 1);
        m_base = cache.filePath(bases.front() + "/checkpoints/step-800");
        for (const int seed : {2, 3, 4})
            ofSeeds.push_back(endOf(2, seed));
        const auto [least, most] = std::minmax_element(ofSeeds.begin(), ofSeeds.end());
        const double spread = *most - *least;
        const QByteArray ends = "seeds end at " + QByteArray::number(*least) + " to " + QByteArray::number(*most) + ", before it was " + QByteArray::number(m_before);
        QVERIFY2(*least > m_before + 0.1, ends);  // they have learnt something
        for (const int ranks : {1, 4}) {
            const double end = endOf(ranks, 1);
            qInfo("%s; %d ranks end at %.4f, 2 at %.4f", ends.constData(), ranks, end, ofSeeds.front());
            QVERIFY2(end > *least - spread && end < *most + spread, ends);
        }
    }
};

QTEST_GUILESS_MAIN(RoundSeedsTest)
#include "tst_round_seeds.moc"
