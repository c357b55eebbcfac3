#include "engine/contract/formats/output_file.h"
#include "engine/contract/run/run_folder.h"

#include <QTemporaryDir>
#include <QtTest>

#include <sys/stat.h>

#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <random>
#include <regex>
#include <set>
#include <sstream>

namespace fs = std::filesystem;
using contract::RunFolder;

namespace {

std::string contentOf(const fs::path& file)
{
    std::ostringstream content;
    content << std::ifstream(file, std::ios::binary).rdbuf();
    return content.str();
}

void write(const fs::path& file, const std::string& content)
{
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
}

contract::AttemptStart exampleStart()
{
    return {.attempt = 2, .startUnixMs = 1795255200000, .ranks = 4, .host = "box \"one\" ü",
        .versions = {{"atelier", "0.1.0"}, {"libtorch", "2.11.0"}},
        .parentCheckpoint = "checkpoints/step-500", .parentStep = 500, .controlOffset = 77};
}

}  // namespace

class RunFolderTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    RunFolder folder() const
    {
        return RunFolder(fs::path(m_folder.path().toStdString()) / QTest::currentTestFunction());
    }

private Q_SLOTS:
    void formerCheckpointsAreListed_defect_3()
    {
        const RunFolder run = folder();
        for (const char* name : {"step-20", "step-20-former-10", "step-20-former-2", "step-3-former-1", "step-03-former-1", "step-4-former-", "step--1-former-1",
                 "my-step-5-former-1", "step-5-former-1-copy"})
            fs::create_directories(run.checkpoints() / name);
        std::string found;
        for (const auto& [step, number] : run.formerCheckpoints())
            found += run.formerCheckpoint(step, number).filename().string() + " ";
        QCOMPARE(found, std::string("step-3-former-1 step-20-former-2 step-20-former-10 "));
        QCOMPARE(run.checkpointFolders(), std::vector<std::int64_t> {20});
    }

    void idsAreFolderNames_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("start");
        QTest::newRow("plain") << QByteArray("digits") << QByteArray("digits");
        QTest::newRow("capitals and blanks") << QByteArray("My Run 2") << QByteArray("my-run-2");
        QTest::newRow("separators") << QByteArray("../../etc/passwd") << QByteArray("run..-..-etc-passwd");
        QTest::newRow("hidden") << QByteArray(".hidden") << QByteArray("run.hidden");
        QTest::newRow("like an option") << QByteArray("-rf") << QByteArray("run-rf");
        QTest::newRow("empty") << QByteArray("") << QByteArray("run");
        QTest::newRow("dots only") << QByteArray("..") << QByteArray("run");
        QTest::newRow("not ASCII") << QByteArray("ü") << QByteArray("run");
        QTest::newRow("long") << QByteArray(300, 'a') << QByteArray(40, 'a');
        QTest::newRow("control characters") << QByteArray("a\nb") << QByteArray("a-b");
    }
    void idsAreFolderNames()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, start);
        const std::string id = contract::makeRunId(name.toStdString(), std::chrono::system_clock::now());
        const std::regex form("([a-z0-9._-]+)-[0-9]{8}-[0-9]{6}-[0-9a-z]{4}");
        std::smatch parts;
        QVERIFY2(std::regex_match(id, parts, form), id.c_str());
        QCOMPARE(parts[1].str(), start.toStdString());
        QVERIFY(id.front() != '.' && id.front() != '-');
    }

    void idsOfOneMomentDiffer()
    {
        std::set<std::string> ids;
        const auto now = std::chrono::system_clock::now();
        for (int i = 0; i < 100; ++i)
            ids.insert(contract::makeRunId("digits", now));
        QVERIFY(ids.size() >= 99);
    }

    void startReadsBack()
    {
        const contract::AttemptStart start = exampleStart();
        fs::create_directories(folder().attempt(2));
        folder().writeStart(start);
        const contract::AttemptStart read = folder().readStart(2);
        QCOMPARE(read.attempt, start.attempt);
        QCOMPARE(read.startUnixMs, start.startUnixMs);
        QCOMPARE(read.ranks, start.ranks);
        QCOMPARE(read.host, start.host);
        QCOMPARE(read.versions, start.versions);
        QCOMPARE(read.parentCheckpoint, start.parentCheckpoint);
        QCOMPARE(read.parentStep, start.parentStep);
        QCOMPARE(read.controlOffset, start.controlOffset);
    }

    void hostileStartIsAnErrorThatNamesTheFile_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("no JSON") << QByteArray("\xff\x00{", 3);
        QTest::newRow("a list") << QByteArray("[1]");
        QTest::newRow("lacks all") << QByteArray("{}");
        QTest::newRow("newer") << QByteArray("{\"v\":2}");
        QTest::newRow("wrong types") << QByteArray("{\"v\":1,\"attempt\":\"one\"}");
        QTest::newRow("deep") << QByteArray(200000, '[');
    }
    void hostileStartIsAnErrorThatNamesTheFile()
    {
        QFETCH(QByteArray, content);
        write(folder().start(1), content.toStdString());
        try {
            (void)folder().readStart(1);
            QFAIL("read what is no start record");
        } catch (const std::runtime_error& error) {
            const std::string message = error.what();
            QVERIFY2(message.starts_with(folder().start(1).string() + ": "), message.c_str());
            QVERIFY2(message.find("[json.exception") == std::string::npos, message.c_str());
            QVERIFY(message.size() < 1000);
        }
    }

    void anAttemptWhoseStartCannotBeReadIsAnAttempt_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QByteArray>("error");
        QTest::newRow("defect-32: a link to itself") << "loop" << QByteArray("is a symbolic link");
        QTest::newRow("defect-31: a pipe") << "pipe" << QByteArray("is not a regular file");
        QTest::newRow("defect-31: a sparse file without end") << "sparse" << QByteArray("bytes; at most");
    }
    void anAttemptWhoseStartCannotBeReadIsAnAttempt()
    {
        QFETCH(QString, what);
        QFETCH(QByteArray, error);
        const fs::path file = folder().start(1);
        fs::create_directories(file.parent_path());
        fs::remove(file);
        if (what == "loop")
            fs::create_symlink(file.filename(), file);
        else if (what == "pipe")
            QCOMPARE(::mkfifo(file.c_str(), 0600), 0);
        else {
            write(file, "{}");
            fs::resize_file(file, std::uintmax_t {1} << 40);
        }
        QCOMPARE(folder().attempts(), std::vector<int> {1});
        try {
            (void)folder().readStart(1);
            QFAIL("read what is no start record");
        } catch (const std::runtime_error& failure) {
            QVERIFY2(QByteArray(failure.what()).contains(error), failure.what());
        }
    }

    void checkpointsWithAManifestThatCannotBeReadAreCheckpoints_defect_10()
    {
        fs::create_directories(folder().checkpoint(5));
        fs::create_symlink("manifest.json", folder().checkpoint(5) / "manifest.json");
        fs::create_symlink("step-7", folder().checkpoint(7));
        write(folder().checkpoint(9) / "manifest.json", "{}");
        QCOMPARE(folder().checkpointSteps(), std::vector<std::int64_t>({5, 9}));
    }

    void attemptsAreThoseWithAStart()
    {
        QVERIFY(folder().attempts().empty());
        for (const int number : {1, 2, 10}) {
            contract::AttemptStart start = exampleStart();
            start.attempt = number;
            fs::create_directories(folder().attempt(number));
            folder().writeStart(start);
        }
        fs::create_directories(folder().attempt(11));                  // being prepared
        fs::create_directories(folder().root() / "attempts" / "x12");  // not an attempt's name
        QCOMPARE(folder().attempts(), std::vector<int>({1, 2, 10}));
    }

    void checkpointsAreThoseWithAManifestByNumber_E127_E129()
    {
        QVERIFY(folder().checkpointSteps().empty());
        write(folder().checkpoint(500) / "manifest.json", "{}");
        write(folder().checkpoint(1000) / "manifest.json", "{}");
        write(folder().checkpoint(60) / "manifest.json", "{}");
        write(folder().checkpoint(1500) / "rank-0.safetensors", "half");
        write(folder().checkpoints() / "step-2000.tmp" / "manifest.json", "{}");
        write(folder().checkpoints() / "step--5" / "manifest.json", "{}");
        write(folder().checkpoints() / "step-0007" / "manifest.json", "{}");  // the canonical name is step-7
        QCOMPARE(folder().checkpointSteps(), std::vector<std::int64_t>({60, 500, 1000}));
    }

    void journalsAndLogsOfTheSupervisorHaveItsName()
    {
        QCOMPARE(folder().journal(3).filename().string(), "rank-3.jsonl");
        QCOMPARE(folder().journal(-1).filename().string(), "supervisor.jsonl");
        QCOMPARE(folder().log(-1).filename().string(), "supervisor.log");
    }

    void atomicWriteReplacesAndLeavesNothingBehind()
    {
        const fs::path file = folder().root() / "file";
        write(file, "old");
        contract::writeFileAtomically(file, "new");
        QCOMPARE(contentOf(file), "new");
        QCOMPARE(std::distance(fs::directory_iterator(folder().root()), fs::directory_iterator()), 1);
    }

    void fullDiskLeavesTheOldContentWhole()
    {
        const fs::path file = folder().root() / "file";
        write(file, "old");
        ::signal(SIGXFSZ, SIG_IGN);
        rlimit former {};
        ::getrlimit(RLIMIT_FSIZE, &former);
        const rlimit limit {100, former.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        std::string message;
        try {
            contract::writeFileAtomically(file, std::string(1000, 'x'));
        } catch (const std::system_error& error) {
            message = error.what();
        }
        ::setrlimit(RLIMIT_FSIZE, &former);
        QVERIFY2(message.find(file.string()) != std::string::npos, message.c_str());
        QCOMPARE(contentOf(file), "old");
        QCOMPARE(std::distance(fs::directory_iterator(folder().root()), fs::directory_iterator()), 1);
    }

    void writingIntoNowhereNamesTheFile()
    {
        QVERIFY_EXCEPTION_THROWN(contract::writeFileAtomically("/nowhere/file", "x"), std::system_error);
    }
};

QTEST_APPLESS_MAIN(RunFolderTest)
#include "tst_run_folder.moc"
