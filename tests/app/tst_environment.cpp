// launch.environment: the ranks get the variables wherever they run, and a debug package keeps their secrets.
#include "tests/app/atelier_program.h"
#include "tests/app/rank_process.h"

#include <QDir>
#include <QJsonObject>
#include <QtTest>

using tests::AtelierProgram;
using tests::Outcome;

namespace {

const QStringList kVariables = {"--set", "launch.environment=NCCL_IB_HCA=mlx5_0,mlx5_1, NCCL_DEBUG=a b, MY_SERVICE_PASS=xyzzy-12345"};

}  // namespace

class EnvironmentTest : public QObject {
    Q_OBJECT

    AtelierProgram m_atelier;

private Q_SLOTS:
    void ranksOfThisMachineGetTheVariables()
    {
        m_atelier.runWell(QStringList {"run", "digits", "--detach", "--set", "run.total_steps=100000000"} + kVariables);
        const contract::RunFolder run = m_atelier.onlyRun();
        const QString id = QString::fromStdString(run.id());
        for (const int rank : {0, 1}) {
            QTRY_VERIFY(tests::rankProcess(run, rank));
            const auto variables = tests::contentOf(QStringLiteral("/proc/%1/environ").arg(*tests::rankProcess(run, rank))).split('\0');
            QVERIFY(variables.contains("NCCL_IB_HCA=mlx5_0,mlx5_1"));
            QVERIFY(variables.contains("NCCL_DEBUG=a b"));
            QVERIFY(variables.contains("WORLD_SIZE=2"));
        }
        QVERIFY(tests::contentOf(QString::fromStdString(run.config(1).string())).contains("mlx5_0,mlx5_1, NCCL_DEBUG=a b"));
        m_atelier.runWell({"stop", id, "--now"});

        const QString archive = QDir::temp().filePath(id + ".tar.gz");
        m_atelier.runWell({"debug", id, archive});
        QProcess tar;
        tar.start("tar", {"-xzOf", archive});
        QVERIFY(tar.waitForFinished());
        QFile::remove(archive);
        const QByteArray all = tar.readAllStandardOutput();
        QVERIFY(all.contains("NCCL_IB_HCA=mlx5_0,mlx5_1") && all.contains("MY_SERVICE_PASS=[removed]"));
        QVERIFY(!all.contains("xyzzy"));
    }

    void threadsThatWaitSoonSleepUnlessTheUserSaysOtherwise_data()
    {
        QTest::addColumn<QString>("variable");
        QTest::addColumn<QByteArrayList>("spins");
        QTest::newRow("nothing said") << "" << QByteArrayList {"GOMP_SPINCOUNT=3000"};
        QTest::newRow("a count") << "GOMP_SPINCOUNT=7" << QByteArrayList {"GOMP_SPINCOUNT=7"};
        QTest::newRow("a policy") << "OMP_WAIT_POLICY=active" << QByteArrayList {};
    }
    void threadsThatWaitSoonSleepUnlessTheUserSaysOtherwise()
    {
        QFETCH(QString, variable);
        qunsetenv("GOMP_SPINCOUNT");  // which CTest sets
        AtelierProgram atelier;
        atelier.runWell({"run", "digits", "--detach", "--set", "run.total_steps=100000000", "--set", "launch.environment=" + variable});
        const contract::RunFolder run = atelier.onlyRun();
        QTRY_VERIFY(tests::rankProcess(run, 0));
        QByteArrayList spins;
        for (const QByteArray& each : tests::contentOf(QStringLiteral("/proc/%1/environ").arg(*tests::rankProcess(run, 0))).split('\0')) {
            if (each.startsWith("GOMP_SPINCOUNT="))
                spins << each;
        }
        QTEST(spins, "spins");
    }

    void linesForOtherLaunchersHaveThem()
    {
        const Outcome prepared = m_atelier.runWell(QStringList {"prepare", "digits", "--json"} + kVariables);
        for (const char* launcher : {"torchrun", "mpirun", "srun", "one_rank"}) {
            const QString line = prepared.json()["commands"][launcher].toString();
            QVERIFY2(line.startsWith("NCCL_IB_HCA=mlx5_0,mlx5_1 NCCL_DEBUG='a b' MY_SERVICE_PASS=xyzzy-12345 "), qPrintable(line));
        }
        QCOMPARE(prepared.json()["commands"]["atelier"].toString().section(' ', 0, 1), "atelier resume");  // its supervisor gives them
    }

    void slurmsScriptHasThem()
    {
        const Outcome script = m_atelier.runWell(QStringList {"run", "digits", "--target", "slurm", "--dry-run"} + kVariables);
        QVERIFY2(script.output.contains("export NCCL_IB_HCA=mlx5_0,mlx5_1\nexport NCCL_DEBUG='a b'\n"), script.report());
    }

    void badNamesAreRefusedBeforeTheStart()
    {
        const qsizetype before = m_atelier.runs().size();
        const Outcome refused = m_atelier.run({"run", "digits", "--set", "launch.environment=MY-VAR=1"});
        QVERIFY2(refused.exitCode != 0 && refused.errors.contains("\"MY-VAR\" is no name of a variable"), refused.report());
        QCOMPARE(m_atelier.runs().size(), before);
    }
};

QTEST_GUILESS_MAIN(EnvironmentTest)
#include "tst_environment.moc"
