// The Debian package that `cpack` makes (issue section 8): what is in it, what is not, and that its programs work where it is unpacked.
// package_on_clean_debian (label slow) installs it with apt, and removes it.
#include "tests/app/atelier_program.h"
#include "tests/paths.h"

#include <QDirIterator>
#include <QFileInfo>
#include <QImage>
#include <QTemporaryDir>
#include <QtTest>

using tests::AtelierProgram;
using tests::Outcome;

class PackageTest : public QObject {
    Q_OBJECT
    QTemporaryDir m_place;
    QString m_package;

    QString root(const QString& file) const { return m_place.filePath("root/" + file); }

    QByteArray output(const QString& program, const QStringList& arguments, int expected = 0) const
    {
        QProcess process;
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.setWorkingDirectory(m_place.path());
        process.start(program, arguments);
        const bool hasEnded = process.waitForFinished(240000);
        const QByteArray text = process.readAll();
        if (!hasEnded || process.exitCode() != expected)
            qWarning("%s %s: %s", qPrintable(program), qPrintable(arguments.join(' ')), text.constData());
        return text;
    }

    QString control(const QString& field) const { return QString::fromUtf8(output("dpkg-deb", {"-f", m_package, field})).trimmed(); }

private Q_SLOTS:
    void initTestCase()
    {
        output(CPACK_PROGRAM, {"--config", ATELIER_BUILD_DIR "/CPackConfig.cmake", "-B", m_place.filePath("packed")});
        const QStringList found = QDir(m_place.filePath("packed")).entryList({"*.deb"});
        QCOMPARE(found.size(), 1);
        m_package = m_place.filePath("packed/" + found.front());
        output("dpkg-deb", {"-x", m_package, m_place.filePath("root")});
    }

    void itIsSmallAndWithoutLibTorchAndCuda()
    {
        QVERIFY2(QFileInfo(m_package).size() < 60'000'000, qPrintable(QString::number(QFileInfo(m_package).size())));
        for (QDirIterator file(m_place.filePath("root"), QDir::Files, QDirIterator::Subdirectories); file.hasNext();) {
            const QString name = QFileInfo(file.next()).fileName();
            for (const char* part : {"libtorch_", "libtorch.", "libc10", "libcud", "libnv", "nccl"})
                QVERIFY2(!name.startsWith(part), qPrintable(file.filePath()));
        }
    }

    void itNamesThePackagesThatItNeeds()
    {
        const QString depends = control("Depends");
        for (const char* package : {"libqt6widgets6", "libqt6svg6", "libqcustomplot", "libsqlite3-0", "libavformat", "libcurl", "python3", "ca-certificates", "libc6 (>="})
            QVERIFY2(depends.contains(package), qPrintable(depends));
        QVERIFY(!depends.contains("torch"));
        QCOMPARE(control("Architecture"), QStringLiteral("amd64"));
        QVERIFY(control("Installed-Size").toInt() > 1000);
    }

    void everythingIsWhereTheDesktopLooks()
    {
        for (const char* file : {"usr/bin/atelier", "usr/bin/atelier-worker", "usr/bin/atelier-setup", "usr/share/applications/atelier.desktop",
                 "usr/share/mime/packages/atelier.xml", "usr/share/icons/hicolor/scalable/apps/atelier.svg", "usr/share/man/man1/atelier.1.gz",
                 "usr/share/man/man1/atelier-watch.1.gz", "usr/share/man/man1/atelier-setup.1.gz", "usr/share/doc/atelier/copyright", "usr/share/doc/atelier/changelog.gz", "usr/share/doc/atelier/NEWS.gz",
                 "usr/share/atelier/manual/index.md", "usr/share/atelier/manual/rewards.svg", "usr/share/atelier/manual/de/index.md"})
            QVERIFY2(QFileInfo(root(file)).size() > 0, file);
        for (const int size : {16, 32, 48, 128, 256}) {
            const QImage icon(root(QString("usr/share/icons/hicolor/%1x%1/apps/atelier.png").arg(size)));
            QCOMPARE(icon.size(), QSize(size, size));
            QVERIFY(icon.pixelColor(size / 2, size / 2).alpha() > 0);
        }
    }

    void nothingIsWritableForOthersOrOwnedByTheBuilder()
    {
        for (const QByteArray& line : output("dpkg-deb", {"-c", m_package}).trimmed().split('\n')) {
            QVERIFY2(line.contains(" root/root "), line);
            QVERIFY2(line.startsWith('l') || (line[5] == '-' && line[8] == '-'), line);
        }
    }

    void manualPagesSayWhatHelpSays()
    {
        QTest::failOnWarning(QRegularExpression(".*"));
        AtelierProgram atelier;
        for (const QString& file : QDir(root("usr/share/man/man1")).entryList({"*.gz"})) {
            const QByteArray page = output("sh", {"-c", "gzip -dc \"$1\"", "gzip", root("usr/share/man/man1/" + file)});
            const QByteArray problems = output("sh", {"-c", "gzip -dc \"$1\" | MANROFFSEQ= groff -man -ww -Tutf8 -z 2>&1", "groff", root("usr/share/man/man1/" + file)});
            QVERIFY2(problems.isEmpty(), file.toUtf8() + ": " + problems);
            QVERIFY2(page.startsWith(".TH \"atelier"), page.left(100));
        }
        const QByteArray page = output("sh", {"-c", "gzip -dc \"$1\" | groff -man -Tascii -P -cbou -rLL=500n | tr -s '\\n '", "groff", root("usr/share/man/man1/atelier-watch.1.gz")});
        const QByteArray help = atelier.runWell({"watch", "--help"}).output;
        QVERIFY2(page.contains("Print the page once, as text, and end") && help.contains("Print the page once, as text, and end"), page);
        QVERIFY2(page.contains("--once"), page);
    }

    void itsProgramsWorkWhereTheyAreUnpacked()
    {
        AtelierProgram atelier;
        atelier.setProgram(root("usr/bin/atelier"));
        for (const char* variable : {"ATELIER_WORKER", "ATELIER_PROGRAM", "ATELIER_RESOURCES"})
            atelier.setVariable(variable, {});
        const QByteArray dynamic = output("readelf", {"-d", root("usr/bin/atelier-worker")});
        QVERIFY2(dynamic.contains("[/var/lib/atelier/libtorch/torch/lib]"), dynamic);
        // In the place of atelier-setup.
        atelier.setVariable("LD_LIBRARY_PATH", ATELIER_LIBTORCH_FOLDERS);
        QStringList arguments = {"run", "digits"};
        for (const char* setting : {"run.total_steps=2", "model.width=16", "model.depth=1", "model.heads=2",
                 "batch.micro=4", "sample.every=0", "sample.judge=0", "validation.every=0", "schedule.warmup_steps=0"})
            arguments << "--set" << setting;
        const Outcome outcome = atelier.run(arguments);
        QVERIFY2(outcome.exitCode == 0, outcome.report());
    }
};

QTEST_GUILESS_MAIN(PackageTest)
#include "tst_package.moc"
