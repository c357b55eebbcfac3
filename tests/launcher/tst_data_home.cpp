#include "launcher/base/data_home.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fstream>

namespace fs = std::filesystem;
using launcher::DataHome;

class DataHomeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        for (const char* name : {"ATELIER_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME",
                 "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "ATELIER_INDEX"})
            qunsetenv(name);
    }

    void everythingLiesUnderAtelierHome()
    {
        qputenv("ATELIER_HOME", "/somewhere/atelier/");
        const DataHome home = DataHome::locate();
        QCOMPARE(home.data, fs::path("/somewhere/atelier"));
        for (const fs::path& folder : {home.config, home.state, home.cache, home.runtime})
            QCOMPARE(folder.parent_path(), home.data);
    }

    void E11_xdgFoldersAreHonouredAndRelativeOnesAreNot()
    {
        qputenv("HOME", "/home/someone");
        qputenv("XDG_DATA_HOME", "/disk/data");
        qputenv("XDG_CONFIG_HOME", "relative");
        qputenv("XDG_RUNTIME_DIR", "/run/user/7");
        const DataHome home = DataHome::locate();
        QCOMPARE(home.data, fs::path("/disk/data/atelier"));
        QCOMPARE(home.config, fs::path("/home/someone/.config/atelier"));
        QCOMPARE(home.state, fs::path("/home/someone/.local/state/atelier"));
        QCOMPARE(home.runtime, fs::path("/run/user/7/atelier"));
    }

    void E11_theIndexIsKeptOnALocalDisk_data()
    {
        QTest::addColumn<QByteArray>("home");  // ATELIER_HOME
        QTest::addColumn<QByteArray>("index"); // ATELIER_INDEX
        QTest::addColumn<QString>("expected");
        QTest::newRow("all is local") << QByteArray("/local/home") << QByteArray() << "^/local/home$";
        QTest::newRow("the data alone is not") << QByteArray() << QByteArray() << "^/local/state/atelier/index-[0-9a-f]{16}$";
        QTest::newRow("nothing is") << QByteArray("/net/home") << QByteArray() << QStringLiteral("^/var/tmp/atelier-%1/[0-9a-f]{16}$").arg(::geteuid());
        QTest::newRow("chosen") << QByteArray("/net/home") << QByteArray("/scratch/me") << "^/scratch/me/[0-9a-f]{16}$";
        QTest::newRow("chosen, and the data is local") << QByteArray("/local/home") << QByteArray("/scratch/me") << "^/scratch/me/[0-9a-f]{16}$";
        QTest::newRow("chosen, but relative") << QByteArray("/local/home") << QByteArray("scratch") << "^/local/home$";
    }
    void E11_theIndexIsKeptOnALocalDisk()
    {
        QFETCH(QByteArray, home);
        QFETCH(QByteArray, index);
        QFETCH(QString, expected);
        qputenv("HOME", "/local/home");
        qputenv("XDG_DATA_HOME", "/net/data");
        qputenv("XDG_STATE_HOME", "/local/state");
        qputenv("ATELIER_HOME", home);
        qputenv("ATELIER_INDEX", index);
        const DataHome located = DataHome::locate([](const fs::path& folder) { return std::string(folder.string().starts_with("/net/") ? "NFS" : ""); });
        const QString found = QString::fromStdString(located.index.string());
        QVERIFY2(QRegularExpression(expected).match(found).hasMatch(), qPrintable(found));
        QCOMPARE(located.database(), located.index / "atelier.db");
        QCOMPARE(located.runs(), (home.isEmpty() ? fs::path("/net/data/atelier") : fs::path(home.toStdString())) / "runs");
    }

    void E11_twoHomesHaveTwoIndexes()
    {
        const auto isOnNetwork = [](const fs::path& folder) { return std::string(folder.string().starts_with("/net/") ? "NFS" : ""); };
        QVERIFY(DataHome::under("/net/a", isOnNetwork).index != DataHome::under("/net/b", isOnNetwork).index);
        const auto isAllOnNetwork = [](const fs::path&) { return std::string("NFS"); };  // no better place is known
        QCOMPARE(DataHome::under("/net/a", isAllOnNetwork).index, fs::path("/net/a"));
    }

    void E11_networkFileSystemsAreTold()
    {
        QCOMPARE(launcher::nameOfNetworkFileSystem(0x6969), std::string("NFS"));
        QCOMPARE(launcher::nameOfNetworkFileSystem(0xFE534D42), std::string("SMB"));
        QCOMPARE(launcher::nameOfNetworkFileSystem(0xEF53), std::string());  // ext4
        QCOMPARE(launcher::nameOfNetworkFileSystem(0x9123683E), std::string());  // btrfs
        QTemporaryDir folder;
        QCOMPARE(launcher::networkFileSystem("/proc/self/fd/none/below"), std::string());
        QCOMPARE(launcher::networkFileSystem(folder.filePath("not/there/yet").toStdString()), launcher::networkFileSystem(folder.path().toStdString()));
    }

    void aLongHomeHasSocketsThatStillFit()
    {
        QTemporaryDir folder;
        const fs::path root = folder.path().toStdString() / fs::path(std::string(120, 'l'))
            / std::string(120, 'o');
        qputenv("ATELIER_HOME", root.c_str());
        const DataHome home = DataHome::locate();
        QCOMPARE(home.data, root);
        home.create();
        const fs::path socket = supervisorSocket(home, home.runs() / "run-1");
        QVERIFY(socket.native().size() < sizeof(sockaddr_un::sun_path));
        QVERIFY(socket != supervisorSocket(home, home.runs() / "run-2"));
        QVERIFY(socket == supervisorSocket(home, home.runs() / "." / "run-1"));
        struct stat info {};
        QCOMPARE(::lstat(home.runtime.c_str(), &info), 0);
        QCOMPARE(static_cast<int>(info.st_mode & 0777), 0700);
        fs::remove_all(home.runtime);
    }

    void newFoldersAreForTheirUserAlone_defect_23()
    {
        QTemporaryDir folder;
        const fs::path root = folder.path().toStdString();
        qputenv("ATELIER_HOME", (root / "new" / "home").c_str());
        fs::create_directory(root / "shared");
        fs::permissions(root / "shared", fs::perms::all);
        const mode_t before = ::umask(0);
        DataHome::locate().create();
        qputenv("ATELIER_HOME", (root / "shared").c_str());
        DataHome::locate().create();
        ::umask(before);
        for (const char* created : {"new", "new/home", "new/home/runs", "new/home/cache", "shared/runs"})
            QVERIFY2(fs::status(root / created).permissions() == fs::perms::owner_all, created);
        QVERIFY(fs::status(root / "shared").permissions() == fs::perms::all);  // whoever made it knows for whom
    }

    void aRuntimeFolderOpenToOthersIsClosed()
    {
        QTemporaryDir folder;
        qputenv("ATELIER_HOME", folder.path().toUtf8());
        const DataHome home = DataHome::locate();
        fs::create_directory(home.runtime);
        fs::permissions(home.runtime, fs::perms::all);
        home.create();
        QCOMPARE(fs::status(home.runtime).permissions(), fs::perms::owner_all);
    }

    void aLinkInPlaceOfTheRuntimeFolderIsRefused()
    {
        QTemporaryDir folder;
        qputenv("ATELIER_HOME", folder.path().toUtf8());
        const DataHome home = DataHome::locate();
        fs::create_directory_symlink("/tmp", home.runtime);
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, home.create());
    }

    void whatIsInTheWayIsNamed()
    {
        QTemporaryDir folder;
        const fs::path file = folder.path().toStdString() / fs::path("file");
        std::ofstream(file) << "x";
        qputenv("ATELIER_HOME", file.c_str());
        try {
            DataHome::locate().create();
            QFAIL("a file became a folder");
        } catch (const std::runtime_error& error) {
            QCOMPARE(QString::fromUtf8(error.what()),
                QString::fromStdString(file.string())
                    + QLatin1String(" cannot be created: Not a directory; move what is in its way"));
        }
    }

    void resourcesAreThoseOfTheTree()
    {
        qunsetenv("ATELIER_RESOURCES");
        QVERIFY(fs::is_directory(launcher::resourcesFolder() / "experiments"));
        qputenv("ATELIER_RESOURCES", "/elsewhere");
        QCOMPARE(launcher::resourcesFolder(), fs::path("/elsewhere"));
        qunsetenv("ATELIER_RESOURCES");
    }
};

QTEST_GUILESS_MAIN(DataHomeTest)
#include "tst_data_home.moc"
