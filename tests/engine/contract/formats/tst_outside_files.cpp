// Files and folders that others have put in place: pipes, devices, links, endless files, disks that fail.
#include "engine/contract/formats/checksum.h"
#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/input_file.h"
#include "tests/support/failing_disk.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

namespace fs = std::filesystem;
using contract::Links;

class OutsideFilesTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    fs::path path(const char* name) const { return fs::path(m_folder.path().toStdString()) / name; }

private Q_SLOTS:
    void initTestCase()
    {
        std::ofstream(path("file")) << "content";
        fs::create_directory(path("folder"));
        QCOMPARE(::mkfifo(path("pipe").c_str(), 0600), 0);
        fs::create_symlink("/dev/zero", path("endless"));
        fs::create_symlink("loop", path("loop"));
        fs::create_symlink("file", path("link"));
        fs::create_symlink("nothing", path("dangling"));
        fs::create_symlink("pipe", path("link to pipe"));
    }

    void onlyRegularFilesAreRead_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<bool>("isRefused");
        QTest::addColumn<QByteArray>("error");
        QTest::newRow("defect-31: a file") << QByteArray("file") << true << QByteArray();
        QTest::newRow("defect-31: a pipe") << QByteArray("pipe") << false << QByteArray("is not a regular file but a pipe");
        QTest::newRow("defect-31: a link to a pipe") << QByteArray("link to pipe") << false << QByteArray("is not a regular file but a pipe");
        QTest::newRow("defect-31: a device without end") << QByteArray("endless") << false << QByteArray("is not a regular file but a pipe, a socket or a device");
        QTest::newRow("defect-31: a folder") << QByteArray("folder") << false << QByteArray("is not a regular file but a folder");
        QTest::newRow("defect-31: a link to itself") << QByteArray("loop") << false << QByteArray("is a symbolic link");
        QTest::newRow("defect-31: a link to nothing") << QByteArray("dangling") << false << QByteArray("No such file");
        QTest::newRow("defect-31: a link in the Hugging Face cache") << QByteArray("link") << false << QByteArray();
        QTest::newRow("defect-22: a link in a run's folder") << QByteArray("link") << true << QByteArray("is a symbolic link");
        QTest::newRow("defect-22: a link to a device in a run's folder") << QByteArray("endless") << true << QByteArray("is a symbolic link");
    }
    void onlyRegularFilesAreRead()
    {
        QFETCH(QByteArray, name);
        QFETCH(bool, isRefused);
        QFETCH(QByteArray, error);
        QByteArray found;
        std::string content;
        try {
            content = contract::fileContent(path(name.constData()), 100, isRefused ? Links::Refuse : Links::Follow);
        } catch (const std::runtime_error& failure) {
            found = failure.what();
            QVERIFY2(found.startsWith((path(name.constData()).string() + ": ").c_str()), found);
        }
        QVERIFY2(error.isEmpty() ? found.isEmpty() : found.contains(error), found);
        QCOMPARE(content, std::string(error.isEmpty() ? "content" : ""));
    }

    void checksumsOfPipesDoNotWait()
    {
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, contract::checksumOf(path("pipe")));
        QCOMPARE(contract::checksumOf(path("link")), contract::checksumOf(path("file")));
    }

    void nothingIsReadBeyondTheLimit()
    {
        QCOMPARE(contract::fileContent(path("file"), 7), std::string("content"));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, contract::fileContent(path("file"), 6));
        // A sparse file takes no space on the disk, but would take memory.
        std::ofstream(path("sparse")).close();
        fs::resize_file(path("sparse"), std::uintmax_t {1} << 40);
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, contract::fileContent(path("sparse"), 1 << 20));
    }

    void aMissingFileIsNoErrorWhereNoneIsNeeded()
    {
        QVERIFY(!contract::fileContentIfAny(path("none"), 10));
        QVERIFY(!contract::fileContentIfAny(path("file") / "below", 10));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, contract::fileContentIfAny(path("pipe"), 10));
    }

    void createdFilesAreForTheirOwnerOnly_defect_23()
    {
        const mode_t before = ::umask(0);
        const int descriptor = contract::openRegularFile(path("new"), O_WRONLY | O_CREAT, Links::Refuse);
        ::umask(before);
        QVERIFY(descriptor >= 0);
        ::close(descriptor);
        QCOMPARE(static_cast<int>(fs::status(path("new")).permissions()), 0600);
        QCOMPARE(contract::openRegularFile(path("pipe"), O_WRONLY, Links::Refuse), -1);
        QCOMPARE(errno, ENXIO);
    }

    void aFolderThatCannotBeReadToItsEndThrowsNothing_data()
    {
        QTest::addColumn<int>("entries");
        QTest::newRow("defect-19: fails at once") << 0;
        QTest::newRow("defect-19: fails after some entries") << 4;
        QTest::newRow("defect-19: does not fail") << -1;
    }
    void aFolderThatCannotBeReadToItsEndThrowsNothing()
    {
        QFETCH(int, entries);
        std::error_code error;
        tests::readableEntries = entries;
        const auto found = contract::entriesOf(path("."), error);
        tests::readableEntries = -1;
        QCOMPARE(static_cast<bool>(error), entries >= 0);
        const auto all = contract::entriesOf(path("."));
        QVERIFY(entries >= 0 ? found.size() < all.size() : found == all);
        QVERIFY(std::ranges::is_sorted(found));
    }

    void aLinkIsAnEntryWhereverItLeads_defect_32()
    {
        for (const char* name : {"file", "folder", "pipe", "loop", "dangling"})
            QVERIFY2(contract::hasEntry(path(name)), name);
        QVERIFY(!contract::hasEntry(path("none")));
        QVERIFY(!contract::hasEntry(path("loop") / "below"));
    }
};

QTEST_APPLESS_MAIN(OutsideFilesTest)
#include "tst_outside_files.moc"
