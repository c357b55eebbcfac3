// Samples of training by a reward: what the store knows of how they fared.
#include "storage/ingest.h"
#include "tests/storage/run_home.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QtTest>

#include <cmath>

using storage::Ingest;
using storage::Store;

class RoundSamplesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void samplesOfARoundKeepHowTheyFared()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        const QByteArray common = "'type':'sample','step':8,'t_ms':5,'prompt':'3','round':5,'prompt_reward':0.25,'prompt_place':16,'prompts':16,"
                                  "'samples':8,";
        append(folder.journal(0), headerLine(1, 0) + record("{" + common + "'file':'samples/a.png','reward':0.5,'gold_reward':0.125,'place':1}")
                + record("{" + common + "'file':'samples/b.png','reward':'NaN','place':8}"));
        Store store(home.database());
        Ingest(store).catchUp(folder);
        const auto samples = store.samples("r");
        QCOMPARE(samples.size(), std::size_t(2));
        const auto &best = samples.at(0).standing, &worst = samples.at(1).standing;
        QVERIFY(best && best->round == 5 && best->reward == 0.5 && best->promptReward == 0.25 && best->goldReward == 0.125);
        QVERIFY(best->promptPlace == 16 && best->prompts == 16 && best->place == 1 && best->samples == 8);
        QVERIFY(worst && std::isnan(worst->reward) && !worst->goldReward && worst->place == 8);
        store.removeRun("r");
        SQLite::Database database(home.database().string());
        QCOMPARE(database.execAndGet("SELECT count(*) FROM standing").getInt(), 0);
    }
};

QTEST_APPLESS_MAIN(RoundSamplesTest)
#include "tst_round_samples.moc"
