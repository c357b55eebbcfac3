// The tests over goldens, with other cases than the committed ones: other numbers, in sizes that little divides.
#include "tests/engine/goldens/golden_folders.h"
#include "tests/paths.h"
#include "tests/peers/program_output.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

class OddGoldensTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

private Q_SLOTS:
    void initTestCase()
    {
        int exitCode = 0;
        const QByteArray python = tests::outputOf(ATELIER_SOURCE_DIR "/tests/peers/environment", {}, &exitCode).trimmed();
        QCOMPARE(exitCode, 0);
        const auto committed = tests::modelFolders();
        tests::outputOf(QString::fromUtf8(python),
            {ATELIER_SOURCE_DIR "/tests/peers/make_odd_goldens.py", ATELIER_SOURCE_DIR "/tests/goldens", m_folder.path()}, &exitCode);
        QCOMPARE(exitCode, 0);
        qputenv("ATELIER_GOLDENS", m_folder.path().toUtf8());
        QCOMPARE(tests::modelFolders().size(), committed.size());
    }

    void testsTakeTheirSizesFromTheCases_data()
    {
        QTest::addColumn<QString>("program");
        const QDir folder(QCoreApplication::applicationDirPath());
        for (const QString& name : folder.entryList({"tst_goldens-models_*"}, QDir::Files)) {
            if (!name.contains("peer"))
                QTest::newRow(qPrintable(name)) << folder.filePath(name);
        }
    }
    void testsTakeTheirSizesFromTheCases()
    {
        QFETCH(QString, program);
        int exitCode = 0;
        const QByteArray told = tests::outputOf(program, {"-silent"}, &exitCode);
        QVERIFY2(exitCode == 0, told);
    }
};

QTEST_GUILESS_MAIN(OddGoldensTest)
#include "tst_odd_goldens.moc"
