// launch.environment: variables for the ranks.
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/variables/variable_list.h"

#include <QtTest>

class RankEnvironmentTest : public QObject {
    Q_OBJECT

    static QString problemOf(const contract::Experiment& experiment)
    {
        for (const contract::Problem& each : experiment.validate()) {
            if (each.key == "launch.environment")
                return QString::fromStdString(each.message);
        }
        return {};
    }

private Q_SLOTS:
    void variablesAreParsed_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QStringList>("variables");
        QTest::newRow("none") << QByteArray("  ") << QStringList();
        QTest::newRow("two") << QByteArray("NCCL_SOCKET_IFNAME=ib0, NCCL_IB_HCA=mlx5") << QStringList({"NCCL_SOCKET_IFNAME|ib0", "NCCL_IB_HCA|mlx5"});
        QTest::newRow("a list as value") << QByteArray("NCCL_IB_HCA=mlx5_0:1,mlx5_1:1, NCCL_DEBUG=INFO")
                                         << QStringList({"NCCL_IB_HCA|mlx5_0:1,mlx5_1:1", "NCCL_DEBUG|INFO"});
        QTest::newRow("a value that begins with =") << QByteArray("NCCL_IB_HCA==mlx5_0") << QStringList({"NCCL_IB_HCA|=mlx5_0"});
        QTest::newRow("empty and with spaces") << QByteArray("A=,B_2 = x y ,") << QStringList({"A|", "B_2|x y"});
    }
    void variablesAreParsed()
    {
        QFETCH(QByteArray, text);
        const auto parsed = contract::parseVariables(text.toStdString());
        QCOMPARE(QString::fromStdString(parsed.problem), QString());
        QStringList all;
        for (const auto& [name, value] : parsed.variables)
            all << QString::fromStdString(name + "|" + value);
        QTEST(all, "variables");
        contract::Experiment experiment;
        QVERIFY(!experiment.set("launch.environment", text.toStdString()));
        QCOMPARE(problemOf(experiment), QString());
    }

    void whatCannotBeIsRefused_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("problem");
        QTest::newRow("no value") << QByteArray("NCCL_DEBUG") << "\"NCCL_DEBUG\" has no value; write NAME=VALUE";
        QTest::newRow("no name") << QByteArray("=1") << "\"\" is no name of a variable: names have letters, digits and _, as in NCCL_SOCKET_IFNAME=ib0";
        QTest::newRow("a name with a dash") << QByteArray("A=1, MY-VAR=2") << "\"MY-VAR\" is no name of a variable: names have letters, digits and _, as in NCCL_SOCKET_IFNAME=ib0";
        QTest::newRow("a name that begins with a digit") << QByteArray("2A=1") << "\"2A\" is no name of a variable: names have letters, digits and _, as in NCCL_SOCKET_IFNAME=ib0";
        QTest::newRow("code") << QByteArray("A$(id)=1") << "\"A$(id)\" is no name of a variable: names have letters, digits and _, as in NCCL_SOCKET_IFNAME=ib0";
        QTest::newRow("twice") << QByteArray("A=1, A=2") << "A is there twice";
        QTest::newRow("a rank's place") << QByteArray("WORLD_SIZE=3") << "WORLD_SIZE is set by Atelier";
        QTest::newRow("GPUs") << QByteArray("CUDA_VISIBLE_DEVICES=1") << "CUDA_VISIBLE_DEVICES is set by Atelier; use launch.gpus";
        QTest::newRow("Atelier's own") << QByteArray("ATELIER_MASTER_FD=3") << "ATELIER_MASTER_FD is set by Atelier";
        QTest::newRow("two lines") << QByteArray("A=1\nB=2") << "must be a single line";
    }
    void whatCannotBeIsRefused()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, problem);
        contract::Experiment experiment;
        QVERIFY(!experiment.set("launch.environment", text.toStdString()));
        QCOMPARE(problemOf(experiment), "launch.environment: " + problem);
    }
};

QTEST_GUILESS_MAIN(RankEnvironmentTest)
#include "tst_rank_environment.moc"
