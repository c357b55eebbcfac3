// The manual: F1 opens the page about what has the focus, and what the pages name is there.
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/manual_pages.h"
#include "tests/ui/window/open_window.h"
#include "ui/launch/launch_window.h"
#include "ui/manual/manual_page.h"
#include "ui/manual/manual_window.h"
#include "ui/runs/runs_view.h"

#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QDockWidget>
#include <QLineEdit>
#include <QRegularExpression>
#include <QTabWidget>
#include <QTest>
#include <QTextBrowser>

using ui_test::openedManual;
using ui_test::OpenWindow;

namespace {

QDir manual() { return ui_test::manualFolder("en"); }

QStringList pages() { return manual().entryList({"*.md"}); }

QStringList linksOf(const QString& page)
{
    QStringList links;
    const QRegularExpression link("\\]\\(([^)]+)\\)");
    for (const QRegularExpressionMatch& match : link.globalMatch(ui_test::pageText(manual(), page)))
        links << match.captured(1);
    return links;
}

}  // namespace

class WindowManualTest : public QObject {
    Q_OBJECT

    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

private Q_SLOTS:
    void initTestCase()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        m_home->writeRun("digits-20261121-100000-aaaa", 20, "finished");
        m_home->ingest();
        m_window = std::make_unique<OpenWindow>(m_home->home());
    }
    void cleanupTestCase()
    {
        m_window.reset();
        m_home.reset();
    }

    void everyPageIsReachedFromTheContents()
    {
        QSet<QString> reached = {"index.md"};
        QStringList open = {"index.md"};
        while (!open.isEmpty()) {
            for (const QString& link : linksOf(open.takeFirst())) {
                QVERIFY2(manual().exists(link), qPrintable(link));
                if (link.endsWith(".md") && !reached.contains(link)) {
                    reached << link;
                    open << link;
                }
            }
        }
        for (const QString& page : pages())
            QVERIFY2(reached.contains(page), qPrintable(page + " is linked from nowhere"));
    }

    void menusThatPagesNameAreThere()
    {
        const ui_test::NamedEntries named = ui_test::entriesNamed(manual(), m_window->window());
        QVERIFY2(named.missing.isEmpty(), qPrintable(named.missing.join('\n')));
        QVERIFY(named.found > 10);
    }

    void f1OpensThePageOfADialog_data()
    {
        QTest::addColumn<QString>("action");
        QTest::addColumn<QString>("page");
        QTest::newRow("rules") << "run.rules" << "rules";
        QTest::newRow("what went wrong") << "run.failure" << "inspector";
        QTest::newRow("trash") << "run.openTrash" << "runs";
        QTest::newRow("web address") << "app.webhook" << "views";
        QTest::newRow("columns") << "view.columns" << "runs";
        QTest::newRow("disk") << "app.disk" << "disk";
        QTest::newRow("search") << "view.search" << "search";
    }
    void f1OpensThePageOfADialog()
    {
        QFETCH(QString, action);
        QTRY_VERIFY(m_window->action("run.rules")->isEnabled());
        m_window->action(action.toUtf8())->setEnabled(true);
        const auto before = (*m_window)->findChildren<QDialog*>();
        m_window->action(action.toUtf8())->trigger();
        QDialog* dialog = nullptr;
        const auto find = [&] {
            for (QDialog* const each : (*m_window)->findChildren<QDialog*>())
                dialog = before.contains(each) || !each->isVisible() ? dialog : each;
            return dialog != nullptr;
        };
        QTRY_VERIFY(find());
        QTEST(ui::manualPageOf(dialog), "page");
        dialog->close();
        QTRY_VERIFY((*m_window)->findChildren<QDialog*>().size() <= before.size() + 1);
    }

    void f1OpensThePageOfWhatHasTheFocus_data()
    {
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("page");
        const QStringList tabs = {"plots", "samples", "checkpoints", "compare", "data"};
        for (const QString& tab : tabs)
            QTest::addRow("tab %s", qPrintable(tab)) << QString::number(tabs.indexOf(tab)) << tab;
        for (const char* dock : {"runs", "inspector", "logs", "system", "steps", "queue"})
            QTest::addRow("dock %s", dock) << QString(dock) + "Dock" << dock;
        QTest::newRow("dock events") << "eventsDock" << "logs";
        QTest::newRow("E6: dock metrics") << "metricsDock" << "plots";
    }
    void f1OpensThePageOfWhatHasTheFocus()
    {
        QFETCH(QString, place);
        QFETCH(QString, page);
        ui::MainWindow& window = m_window->window();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QWidget* pane = nullptr;
        if (place.size() == 1) {
            window.tabs().setCurrentIndex(place.toInt());
            pane = window.tabs().currentWidget();
        } else {
            auto* dock = window.findChild<QDockWidget*>(place);
            dock->raise();
            pane = dock->widget();
        }
        QVERIFY(manual().exists(page + ".md"));
        QCOMPARE(ui::manualPageOf(pane), page);
        pane->setFocusPolicy(Qt::StrongFocus);
        pane->setFocus();
        QTRY_VERIFY(QApplication::focusWidget());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F1);
        QTRY_VERIFY(openedManual());
        QCOMPARE(openedManual()->page(), page);
        QVERIFY(openedManual()->text().toPlainText().size() > 100);
        openedManual()->close();
    }

    void f1InTheLaunchWindow()
    {
        ui::LaunchWindow& launch = m_window->window().openLaunchWindow();
        QVERIFY(QTest::qWaitForWindowActive(&launch));
        QTRY_VERIFY(QApplication::focusWidget());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F1);
        QTRY_VERIFY(openedManual());
        QCOMPARE(openedManual()->page(), QString("launch"));
        openedManual()->close();
        launch.close();
    }

    void linksLeadToPagesAndTheSearchFindsWords()
    {
        ui::ManualWindow window;
        window.open("index");
        Q_EMIT window.text().anchorClicked(QUrl("plots.md"));
        QCOMPARE(window.page(), QString("plots"));
        auto* search = window.findChild<QLineEdit*>();
        search->setText("logarithmic");
        QTest::keyClick(search, Qt::Key_Return);
        QCOMPARE(window.text().textCursor().selectedText().toLower(), QString("logarithmic"));
        window.text().backward();
        QCOMPARE(window.page(), QString("index"));
        window.open("there-is-no-such-page");
        QVERIFY(window.text().toPlainText().contains("there-is-no-such-page.md is missing"));
    }

    void f6VisitsEveryVisiblePart()
    {
        ui::MainWindow& window = m_window->window();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.runsView().focusFilter();
        QStringList visited;
        for (int press = 0; press < 4; ++press) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
            visited << ui::manualPageOf(QApplication::focusWidget());
        }
        QCOMPARE(visited.last(), QString("runs"));
        QCOMPARE(QSet<QString>(visited.begin(), visited.end()).size(), 4);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6, Qt::ShiftModifier);
        QCOMPARE(ui::manualPageOf(QApplication::focusWidget()), visited[2]);
    }
};

ATELIER_UI_TEST_MAIN(WindowManualTest)
#include "tst_window_manual.moc"
