// E2, M16: presets and experiments of earlier runs from the command line.
#include "launcher/home/presets.h"
#include "tests/app/atelier_program.h"
#include "tests/paths.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

#include <memory>

using tests::AtelierProgram;
using tests::Outcome;

namespace {

constexpr char kExperiment[]
    = "[run]\nname = \"heart\"\ntotal_steps = 3\n[launch]\nranks = 2\n[data]\npath = \"" ATELIER_SOURCE_DIR "/resources/digits.csv.gz\"\n";

}  // namespace

class PresetsCommandsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<AtelierProgram> m_atelier;

    QStringList names()
    {
        QStringList all;
        for (const QJsonValue& preset : m_atelier->runWell({"presets", "--json"}).json().array())
            all << preset["name"].toString();
        return all;
    }
    contract::Experiment experimentOf(const QString& run) const
    {
        return contract::loadExperiment(contract::RunFolder(m_atelier->home().runs() / run.toStdString()).config(1)).experiment;
    }
    QString started(const QStringList& arguments) { return m_atelier->runWell(arguments + QStringList {"--json"}).json()["run"].toString(); }

private Q_SLOTS:
    void init() { m_atelier = std::make_unique<AtelierProgram>(); }
    void cleanup() { m_atelier.reset(); }

    void E2_presetsAreSavedRunRenamedAndDeleted()
    {
        QVERIFY(names().isEmpty());
        const QString file = m_atelier->writeFile("heart.toml", QByteArray("# a heart\n") + kExperiment);
        m_atelier->runWell({"presets", "save", "my heart", file, "--set", "optim.lr=0.5"});
        QCOMPARE(names(), QStringList {"my heart"});
        QVERIFY(m_atelier->runWell({"presets", "show", "my heart"}).output.startsWith("# a heart\n"));
        const contract::Experiment run = experimentOf(started({"run", "my heart"}));
        QCOMPARE(run.real("optim.lr"), 0.5);
        QCOMPARE(run.integer("run.total_steps"), 3);
        m_atelier->runWell({"presets", "save", "cube", file});
        Outcome outcome = m_atelier->run({"presets", "rename", "cube", "my heart"});
        QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains("already"), outcome.report());
        m_atelier->runWell({"presets", "rename", "cube", "sphere"});
        QCOMPARE(names(), QStringList({"my heart", "sphere"}));
        m_atelier->runWell({"presets", "rm", "my heart"});
        QCOMPARE(names(), QStringList {"sphere"});
        outcome = m_atelier->run({"run", "my heart"});
        QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains("presets: sphere"), outcome.report());
        outcome = m_atelier->run({"presets", "save", "digits", file});
        QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains("ready experiment"), outcome.report());
    }

    void E2_aRunIsDuplicated()
    {
        const QString first = started({"run", m_atelier->writeFile("heart.toml", kExperiment), "--set", "optim.lr=0.5"});
        contract::Experiment expected = experimentOf(first);
        QVERIFY(experimentOf(started({"run", "--like", first})) == expected);
        expected.set("optim.lr", 0.25);
        expected.set("run.name", std::string("slower"));
        QVERIFY(experimentOf(started({"run", "--like", first, "--set", "optim.lr=0.25", "--name", "slower"})) == expected);
        QVERIFY(experimentOf(started({"prepare", "--like", "slower"})) == expected);
        QCOMPARE(m_atelier->runs().size(), 4);
    }

    void E2_oneExperimentIsNamed_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QByteArray>("reason");
        QTest::newRow("E2 none") << QStringList {"run"} << 2 << QByteArray("FILE or --like is required");
        QTest::newRow("E2 two") << QStringList({"run", "digits", "--like", "latest"}) << 2 << QByteArray("excludes");
        QTest::newRow("E2 an unknown run") << QStringList({"run", "--like", "moon"}) << 1 << QByteArray("there are no runs");
    }
    void E2_oneExperimentIsNamed()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, reason);
        const Outcome outcome = m_atelier->run(arguments);
        QTEST(outcome.exitCode, "exitCode");
        QVERIFY2(outcome.errors.contains(reason), outcome.report());
    }
};

QTEST_GUILESS_MAIN(PresetsCommandsTest)
#include "tst_presets.moc"
