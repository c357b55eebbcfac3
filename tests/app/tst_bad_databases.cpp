// M15: the command line with a database that is damaged, newer, locked or read-only.
#include "tests/app/atelier_program.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/mount.h>

#include <filesystem>
#include <fstream>
#include <optional>

using tests::AtelierProgram;
using tests::Outcome;
using tests::kExampleSteps;

class BadDatabasesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void m15_corruptDatabaseIsToldAndReindexMends()
    {
        AtelierProgram atelier;
        atelier.addFinishedRun("digits-20261121-101500-aaaa", kExampleSteps);
        QCOMPARE(atelier.run({"list"}).exitCode, 0);
        const QByteArray before = atelier.run({"export", "latest", "--csv"}).output;
        QFile database(QString::fromStdString(atelier.home().database().string()));
        QVERIFY(database.open(QIODevice::WriteOnly));
        database.write(QByteArray(100000, 'x'));
        database.close();
        QFile::remove(database.fileName() + "-wal");
        QFile::remove(database.fileName() + "-shm");

        const Outcome outcome = atelier.run({"list", "--json"});
        QVERIFY2(outcome.exitCode == 1 && outcome.output.isEmpty(), outcome.report());
        QVERIFY2(outcome.errors.contains("reindex") && outcome.errors.contains("atelier.db"), outcome.report());
        QCOMPARE(outcome.errors.count('\n'), 1);

        const Outcome mended = atelier.run({"reindex"});
        QVERIFY2(mended.exitCode == 0, mended.report());
        QCOMPARE(atelier.run({"export", "latest", "--csv"}).output, before);
    }

    void m15_newerDatabaseIsLeftUntouched()
    {
        AtelierProgram atelier;
        atelier.addFinishedRun("digits-20261121-101500-aaaa", kExampleSteps);
        QCOMPARE(atelier.run({"list"}).exitCode, 0);
        QFile database(QString::fromStdString(atelier.home().database().string()));
        QVERIFY(database.open(QIODevice::ReadWrite));
        constexpr qint64 kUserVersion = 60;  // of SQLite's file header, big-endian
        QVERIFY(database.seek(kUserVersion) && database.write("\x00\x0f\x42\x40", 4) == 4 && database.seek(0));
        const QByteArray before = database.readAll();
        database.close();

        const Outcome outcome = atelier.run({"list", "--json"});
        QVERIFY2(outcome.exitCode == 1 && outcome.output.isEmpty() && outcome.errors.contains("newer"), outcome.report());
        QVERIFY(database.open(QIODevice::ReadOnly));
        QVERIFY(database.readAll() == before);
    }

    void m15_lockedDatabaseIsToldAndGoesOnAfterwards()
    {
        AtelierProgram atelier;
        atelier.addFinishedRun("digits-20261121-101500-aaaa", kExampleSteps);
        QCOMPARE(atelier.run({"list"}).exitCode, 0);
        std::optional<SQLite::Database> other(
            std::in_place, atelier.home().database().string(), SQLite::OPEN_READWRITE);
        other->exec("PRAGMA locking_mode = EXCLUSIVE");
        other->exec("BEGIN EXCLUSIVE; PRAGMA user_version; COMMIT");
        const Outcome outcome = atelier.run({"list", "--json"});
        QVERIFY2(outcome.exitCode == 1 && outcome.output.isEmpty(), outcome.report());
        QVERIFY2(outcome.errors.contains("is locked by another program") && outcome.errors.contains("atelier.db"), outcome.report());
        QCOMPARE(outcome.errors.count('\n'), 1);
        other.reset();
        QCOMPARE(atelier.run({"list", "--json"}).json().array().size(), 1);
    }

    void m15_readOnlyDatabaseCanBeRead()
    {
        AtelierProgram atelier;
        const std::string data = atelier.home().data.string();
        std::filesystem::create_directories(data);
        if (::mount("tmpfs", data.c_str(), "tmpfs", 0, "size=16m") != 0)
            QSKIP("only root can make a file system read-only");
        const auto unmount = qScopeGuard([&] { ::umount2(data.c_str(), MNT_DETACH); });
        atelier.addFinishedRun("digits-20261121-101500-aaaa", kExampleSteps);
        QCOMPARE(atelier.run({"list"}).exitCode, 0);
        QCOMPARE(::mount(nullptr, data.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
        const Outcome read = atelier.run({"list", "--json"});
        QVERIFY2(read.exitCode == 0, read.report());
        QCOMPARE(read.json()[0]["step"].toInt(), kExampleSteps);
        const Outcome refused = atelier.run({"reindex"});
        QVERIFY2(refused.exitCode == 1 && refused.errors.contains("atelier.db"), refused.report());
    }

    void M15_aFullDiskCanBeReadAndCleared()
    {
        AtelierProgram atelier;
        const std::string data = atelier.home().data.string();
        std::filesystem::create_directories(data);
        if (::mount("tmpfs", data.c_str(), "tmpfs", 0, "size=16m") != 0)
            QSKIP("only root can mount a small disk");
        const auto unmount = qScopeGuard([&] { ::umount2(data.c_str(), MNT_DETACH); });
        atelier.home().create();
        atelier.addFinishedRun("digits-20261121-101500-aaaa", kExampleSteps);
        QCOMPARE(atelier.run({"list"}).exitCode, 0);
        std::ofstream filler(data + "/filler", std::ios::binary);
        while (filler << std::string(4096, 'x') << std::flush) {
        }
        const Outcome read = atelier.run({"list", "--json"});
        QVERIFY2(read.exitCode == 0 && read.json()[0]["step"].toInt() == kExampleSteps && read.errors.contains("is full: free some space"), read.report());
        const Outcome removed = atelier.run({"rm", "latest", "--yes"});
        QVERIFY2(removed.exitCode == 0 && atelier.runs().isEmpty(), removed.report());
        const Outcome trash = atelier.run({"trash", "--json"});
        QVERIFY2(trash.json()[0]["unix_ms"].toInteger() > QDateTime::currentMSecsSinceEpoch() - 3'600'000, trash.report());
        const Outcome emptied = atelier.run({"trash", "empty", "--yes"});
        QVERIFY2(emptied.exitCode == 0 && std::filesystem::is_empty(atelier.home().trash()), emptied.report());
    }
};

QTEST_GUILESS_MAIN(BadDatabasesTest)
#include "tst_bad_databases.moc"
