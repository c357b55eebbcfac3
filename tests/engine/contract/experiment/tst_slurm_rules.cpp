// What the options of a Slurm job may say.
#include "engine/contract/experiment/slurm_rules.h"

#include <QtTest>

class SlurmRulesTest : public QObject {
    Q_OBJECT

    static contract::Experiment experiment()
    {
        contract::Experiment result;
        result.set("launch.target", std::string("slurm"));
        result.set("launch.ranks", std::int64_t {4});
        result.set("slurm.nodes", std::int64_t {2});
        return result;
    }

private Q_SLOTS:
    void numbersThatFitAreAccepted_data()
    {
        QTest::addColumn<int>("nodes");
        QTest::addColumn<int>("gpus");
        QTest::addColumn<QString>("problem");
        QTest::newRow("2 nodes of 2 ranks") << 2 << 0 << QString();
        QTest::newRow("a GPU for each rank") << 2 << 2 << QString();
        QTest::newRow("4 nodes of 1 rank") << 4 << 1 << QString();
        QTest::newRow("nodes that do not divide the ranks") << 3 << 0 << "slurm.nodes = 3 does not divide launch.ranks = 4";
        QTest::newRow("more nodes than ranks") << 8 << 0 << "slurm.nodes = 8 does not divide launch.ranks = 4";
        QTest::newRow("fewer GPUs than ranks") << 2 << 1 << "slurm.gpus_per_node = 1: each node gets 2 of the ranks";
        QTest::newRow("more GPUs than ranks") << 2 << 8 << "slurm.gpus_per_node = 8: each node gets 2 of the ranks";
    }
    void numbersThatFitAreAccepted()
    {
        QFETCH(int, nodes);
        QFETCH(int, gpus);
        QFETCH(QString, problem);
        contract::Experiment each = experiment();
        each.set("slurm.nodes", std::int64_t {nodes});
        each.set("slurm.gpus_per_node", std::int64_t {gpus});
        const auto problems = contract::slurmProblems(each);
        QCOMPARE(problems.size(), problem.isEmpty() ? std::size_t(0) : std::size_t(1));
        if (!problem.isEmpty())
            QVERIFY2(QString::fromStdString(problems.front().message).startsWith(problem), problems.front().message.c_str());
        each.set("launch.target", std::string("local"));
        QVERIFY(contract::slurmProblems(each).empty());
    }

    void texts_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("value");
        QTest::addColumn<bool>("isGood");
        for (const char* time : {"90", "1:30", "8:00:00", "2-12", "2-12:30", "2-12:00:00"})
            QTest::addRow("time %s", time) << "slurm.time" << time << true;
        for (const char* time : {"8h", "-1", "1:2:3:4", "1-", "-", "8:", ":", "UNLIMITED ", "1e3", "123456789"})
            QTest::addRow("time %s", time) << "slurm.time" << time << false;
        QTest::newRow("partitions") << "slurm.partition" << "gpu,long" << true;
        QTest::newRow("a partition with more options") << "slurm.partition" << "gpu --nodes=9" << false;
        QTest::newRow("an account that ends its line") << "slurm.account" << "a\nb" << false;
        QTest::newRow("options") << "slurm.options" << "--qos=high --mail-user=\"a b\"" << true;
        QTest::newRow("options of two lines") << "slurm.options" << "--qos=high\nrm x" << false;
        QTest::newRow("variables of two lines") << "slurm.environment" << "A=1\nB=2" << false;
        QTest::newRow("an image") << "slurm.container" << "nvcr.io#nvidia/pytorch:25.01" << true;
        QTest::newRow("commands in lines") << "slurm.setup" << "module load cuda\nif true; then\n\texport A=1\nfi" << true;
        QTest::newRow("commands with a NUL") << "slurm.setup" << QString(QChar(1)) << false;
        QTest::newRow("GPUs of this machine") << "launch.gpus" << "GPU-1" << false;
    }
    void texts()
    {
        QFETCH(QString, key);
        QFETCH(QString, value);
        QFETCH(bool, isGood);
        contract::Experiment each = experiment();
        each.set(key.toStdString(), value.toStdString());
        const auto problems = contract::slurmProblems(each);
        QCOMPARE(problems.empty(), isGood);
        if (!isGood)
            QVERIFY(problems.front().key == key.toStdString() && problems.front().message.find(key.toStdString()) != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(SlurmRulesTest)
#include "tst_slurm_rules.moc"
