// M13 at full size: a log of 1 GB.
#include "tests/ui/support/ui_test_main.h"
#include "ui/logs/log_model.h"
#include "ui/logs/log_view.h"

#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace std::chrono_literals;

class LargeLogTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    QString m_file;
    qsizetype m_lines = 0;

private Q_SLOTS:
    void initTestCase()
    {
        m_file = m_folder.filePath("rank-0.log");
        QFile file(m_file);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QByteArray block;
        for (int index = 0; index < 10'000; ++index)
            block += "2026-11-21 10:15:00.123 [info] [rank 0] [step " + QByteArray::number(index)
                + "] loss 0.1832, gradient norm 1.25, 912 images/s, learning rate 0.001\n";
        while (file.size() < 1'000'000'000) {
            QCOMPARE(file.write(block), qint64(block.size()));
            file.flush();
            m_lines += 10'000;
        }
        file.write("2026-11-21 10:16:00.000 [error] [rank 0] the needle\n");
        ++m_lines;
    }

    void m13_theFirstScreenComesWithin200Ms()
    {
        ui::LogModel model;
        ui::LogView view(model);
        view.resize(900, 400);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        auto& application = *static_cast<ui::WatchedApplication*>(QCoreApplication::instance());
        application.setLimit(16ms);
        application.takeLongest();
        QSignalSpy shown(&model, &ui::LogModel::linesArrived);
        QElapsedTimer timer;
        timer.start();
        model.setFiles({m_file.toStdString()});
        QVERIFY(shown.wait(20'000));
        const auto first = timer.elapsed();
        QTRY_VERIFY_WITH_TIMEOUT(!model.isScanning(), 30'000);
        const auto whole = timer.elapsed();
        QCOMPARE(model.count(), m_lines);
        const auto longest = application.takeLongest();
        application.setLimit(0ms);
        qInfo("1 GB log: first screen %lld ms, all %lld lines %lld ms, longest turn %lld us (%s)", first,
            qlonglong(m_lines), whole, qlonglong(longest.busy.count()), qPrintable(longest.event));
        QVERIFY(first <= 200);
    }

    void m13_aRegexOverAllFindsTheNeedle()
    {
        ui::LogModel model;
        model.setFiles({m_file.toStdString()});
        model.setFilter({.text = QStringLiteral("the n[e]+dle"), .isRegex = true});
        QElapsedTimer timer;
        timer.start();
        QTRY_VERIFY_WITH_TIMEOUT(!model.isScanning(), 60'000);
        qInfo("1 GB log: regex over all %lld ms", timer.elapsed());
        QCOMPARE(model.count(), 1);
        model.setFilter({.text = QStringLiteral("the needle")});
        timer.restart();
        QTRY_VERIFY_WITH_TIMEOUT(!model.isScanning(), 60'000);
        qInfo("1 GB log: plain search over all %lld ms", timer.elapsed());
        QCOMPARE(model.count(), 1);
    }
};

ATELIER_UI_TEST_MAIN(LargeLogTest)
#include "tst_large_log.moc"
