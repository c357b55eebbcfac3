// Experiment files from users: damaged, hostile, with non-ASCII text.
#include "tests/engine/contract/experiment/parsed_experiment.h"

#include <QTemporaryDir>
#include <QtTest>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <random>

using contract::Experiment;
using tests::messages;
using tests::parsed;

class ExperimentFileTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void filesThatCannotBeReadAreProblems_data()
    {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QByteArray>("why");
        QTest::newRow("missing") << QByteArray("/nowhere/x.toml") << QByteArray("No such file");
        QTest::newRow("folder") << QByteArray("/tmp") << QByteArray("is a folder");
        QTest::newRow("defect-31: a file without end") << QByteArray("/dev/zero") << QByteArray("is not a regular file");
    }
    void filesThatCannotBeReadAreProblems()
    {
        QFETCH(QByteArray, file);
        QFETCH(QByteArray, why);
        const auto read = contract::loadExperiment(file.toStdString());
        QVERIFY(messages(read).find(file.toStdString()) != std::string::npos);
        QVERIFY(messages(read).find(why.toStdString()) != std::string::npos);
    }

    void aPipeIsNotWaitedFor_defect_31()
    {
        const QTemporaryDir folder;
        const std::string pipe = folder.filePath("pipe.toml").toStdString();
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        QVERIFY(messages(contract::loadExperiment(pipe)).find("pipe.toml: is not a regular file") != std::string::npos);
    }

    void aLargeFileIsNotRead_defect_31()
    {
        const QTemporaryDir folder;
        const std::string file = folder.filePath("large.toml").toStdString();
        std::ofstream(file).close();
        std::filesystem::resize_file(file, std::uintmax_t {1} << 40);
        QVERIFY(messages(contract::loadExperiment(file)).find("at most 16777216 are allowed") != std::string::npos);
    }

    void manyUnknownKeysAreCounted_defect_32()
    {
        std::string toml = "[launch]\nranks = 0\n";
        for (int i = 0; i < 20'000; ++i)
            toml += "key" + std::to_string(i) + " = " + std::to_string(i) + "\n";
        const auto read = parsed(toml);
        QCOMPARE(read.problems.size(), std::size_t {12});
        QVERIFY(messages(read).find("launch.ranks = 0: must be") != std::string::npos);
        QVERIFY(messages(read).find("19990 more keys are unknown; `atelier options` lists all keys") != std::string::npos);
    }

    void longValuesAreShortened_defect_32()
    {
        const std::string text(100'000, 'x');
        for (const std::string& toml : {"[optim]\nlr = \"" + text + "\"", "[optim]\n" + text + " = 1", "[data]\npath = \"" + text + "\"",
                 "[model]\ntrainable = \"" + text + "(\""}) {
            const auto read = parsed(toml);
            std::vector<contract::Problem> problems = read.experiment.validate();
            problems.insert(problems.end(), read.problems.begin(), read.problems.end());
            QVERIFY(!problems.empty());
            for (const contract::Problem& problem : problems)
                QVERIFY2(problem.message.size() < 1000, problem.message.substr(0, 300).c_str());
        }
    }

    void hostileTomlIsAProblemAndNoCrash_data()
    {
        QTest::addColumn<QByteArray>("toml");
        QTest::newRow("no TOML") << QByteArray("{{{{");
        QTest::newRow("open string") << QByteArray("[run]\nname = \"");
        QTest::newRow("twice the same key") << QByteArray("[run]\nname = \"a\"\nname = \"b\"");
        QTest::newRow("stray bytes") << QByteArray("\xff\xfe\x00[run]", 9);
        QTest::newRow("null byte") << QByteArray("[run]\nname = \"a\0b\"", 19);
        QTest::newRow("nested lists") << "[run]\nname = " + QByteArray(100000, '[');
        QTest::newRow("nested tables") << "[run]\nname = " + QByteArray("{a=").repeated(100000);
        QTest::newRow("deep key") << QByteArray("a.").repeated(200000) + "a = 1";
        QTest::newRow("deep header") << "[" + QByteArray("a.").repeated(200000) + "a]\nb = 1";
        QTest::newRow("group as value") << QByteArray("run = 3");
        QTest::newRow("value as group") << QByteArray("[run.name]\nx = 1");
        QTest::newRow("list of tables") << QByteArray("[[run]]\nname = \"a\"");
        QTest::newRow("a date") << QByteArray("[optim]\nlr = 1979-05-27");
        QTest::newRow("not a number") << QByteArray("[optim]\nlr = nan");
        QTest::newRow("letter beyond ASCII") << QByteArray("\xC3\xBC = 1");
        QTest::newRow("hard space") << QByteArray("[run]\nname =\xC2\xA0\"a\"");
        QTest::newRow("huge integer") << QByteArray("[launch]\nranks = 9223372036854775808");
    }
    void hostileTomlIsAProblemAndNoCrash()
    {
        QFETCH(QByteArray, toml);
        const auto read = parsed(toml.toStdString());
        QVERIFY(!read.problems.empty());
        QVERIFY(read.problems.front().message.size() < 2000);
    }

    void charactersBeyondAsciiAreNamedWithTheirLine()
    {
        const auto read = parsed("# ü\n[run]\nname = \"ü\"  # ü\nproject = ü\n");
        QCOMPARE(messages(read), "4 a non-ASCII character is outside quotes and comments; put the text in quotes\n");
    }

    void charactersBeyondAsciiAreFineInEveryKindOfQuotes_data()
    {
        QTest::addColumn<QByteArray>("quoted");
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("basic") << QByteArray("\"a \\\"ü\"") << QByteArray("a \"ü");
        QTest::newRow("literal") << QByteArray("'ü\\'") << QByteArray("ü\\");
        QTest::newRow("many lines") << QByteArray("\"\"\"ü\n\"ü\" \"\"\"\"\"") << QByteArray("ü\n\"ü\" \"\"");
        QTest::newRow("many literal lines") << QByteArray("'''ü\n'ü' \"''''") << QByteArray("ü\n'ü' \"'");
        QTest::newRow("empty") << QByteArray("\"\"  # ü") << QByteArray("");
    }
    void charactersBeyondAsciiAreFineInEveryKindOfQuotes()
    {
        QFETCH(QByteArray, quoted);
        const auto read = parsed(("\xEF\xBB\xBF[run]\nname = " + quoted + "\nproject = \"ü\"").toStdString());
        QVERIFY2(read.problems.empty(), messages(read).c_str());
        QTEST(QByteArray::fromStdString(read.experiment.text("run.name")), "text");
        QCOMPARE(read.experiment.text("run.project"), "ü");
    }

    void damagedFilesNeverCrash()
    {
        std::string good = Experiment().toToml(Experiment::Write::Everything);
        std::mt19937 random(3);
        for (int i = 0; i < 3000; ++i) {
            std::string bad = good;
            for (int change = 0; change < 3; ++change)
                bad[random() % bad.size()] = static_cast<char>(random());
            (void)parsed(bad.substr(0, random() % bad.size()));
        }
    }
};

QTEST_APPLESS_MAIN(ExperimentFileTest)
#include "tst_experiment_file.moc"
