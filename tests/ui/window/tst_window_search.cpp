// E16: a text is found in everything that is known of runs, in the window.
#include "engine/contract/run/annotations.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/inspector/events_view.h"
#include "ui/inspector/inspector.h"
#include "ui/logs/log_model.h"
#include "ui/logs/log_view.h"
#include "ui/logs/logs_dock.h"
#include "ui/search/search_dialog.h"

#include <QAction>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTreeWidget>

#include <algorithm>
#include <filesystem>
#include <fstream>

using ui_test::OpenWindow;

class WindowSearchTest : public QObject {
    Q_OBJECT

    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    ui::SearchDialog& dialog() { return *(*m_window)->findChild<ui::SearchDialog*>(); }
    QTreeWidget& list() { return *dialog().findChild<QTreeWidget*>(); }

    void search(const QString& text)
    {
        m_window->action("view.search")->trigger();
        auto* const edit = dialog().findChild<QLineEdit*>();
        edit->setText(text);
        QTest::keyClick(edit, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(!dialog().isSearching(), ui_test::kTimeoutMs);
    }
    /// "digits: Note | the text", sorted.
    QStringList found()
    {
        QStringList all;
        for (int run = 0; run < list().topLevelItemCount(); ++run) {
            const QTreeWidgetItem* const item = list().topLevelItem(run);
            for (int place = 0; place < item->childCount(); ++place)
                all << item->text(0) + ": " + item->child(place)->text(0) + " | " + item->child(place)->text(1);
        }
        all.sort();
        return all;
    }
    void activate(const QString& where)
    {
        const auto items = list().findItems(where, Qt::MatchExactly | Qt::MatchRecursive, 0);
        QCOMPARE(items.size(), 1);
        list().setCurrentItem(items.front());
        QTest::keyClick(&list(), Qt::Key_Return);
    }
    QString inspectorTab()
    {
        const auto* const tabs = (*m_window)->findChild<ui::Inspector*>()->findChild<QTabWidget*>();
        return tabs->tabText(tabs->currentIndex());
    }

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        const contract::RunFolder failed = m_home->writeRun("broken-20261121-100000-aaaa", 20, "failed", "Rank 1 ran out of Zebra memory");
        const contract::RunFolder plain = m_home->writeRun("plain-20261121-100001-bbbb", 20, "finished");
        contract::Annotations annotations;
        annotations.name = "Zebra stripes";
        annotations.tags = {"lora", "ZEBRA"};
        annotations.notes = "first line\nthe second zebra line";
        contract::appendAnnotations(plain.annotations(), {}, annotations);
        std::ofstream(plain.log(1)) << "2026-11-21 10:15:00.123 info loads\n2026-11-21 10:15:01.123 error a zebra appeared\n";
        m_home->ingest();
        m_window = std::make_unique<OpenWindow>(m_home->home());
        [&] { QTRY_COMPARE_WITH_TIMEOUT(m_window->bench().runs.rowCount(), 2, ui_test::kTimeoutMs); }();
    }
    void cleanup()
    {
        m_window.reset();
        m_home.reset();
    }

    void E16_everyPlaceIsSearched()
    {
        search(QStringLiteral("zebra"));
        QCOMPARE(found(), (QStringList {"Zebra stripes: Log, rank 1 | 2026-11-21 10:15:01.123 error a zebra appeared", "Zebra stripes: Name | Zebra stripes",
                              "Zebra stripes: Note | the second zebra line", "Zebra stripes: Tag | ZEBRA",
                              "broken: Cause, attempt 1 | Rank 1 ran out of Zebra memory"}));
        QCOMPARE(dialog().note(), QStringLiteral("5 places in 2 runs"));
        search(QStringLiteral("run.total_steps = 100"));
        QCOMPARE(found(), (QStringList {"Zebra stripes: Option run.total_steps | 100", "broken: Option run.total_steps | 100"}));
        search(QStringLiteral("run.total"));
        QCOMPARE(found().size(), 2);
        search(QStringLiteral("min_ranks"));  // as nobody has set it
        QVERIFY(found().isEmpty());
        search(QStringLiteral("min_ranks = 0"));
        QCOMPARE(found().size(), 2);
        search(QStringLiteral("no such text"));
        QVERIFY(found().isEmpty());
        QCOMPARE(ui_test::emptySentence(dialog()), QStringLiteral("Nothing was found."));
    }

    void E16_aFindLeadsToItsPlace()
    {
        search(QStringLiteral("zebra"));
        activate(QStringLiteral("Log, rank 1"));
        QTRY_COMPARE(m_window->bench().selection.inspected(), QStringLiteral("plain-20261121-100001-bbbb"));
        QTRY_COMPARE_WITH_TIMEOUT((*m_window)->logs().view().currentRow(), qsizetype(1), ui_test::kTimeoutMs);
        activate(QStringLiteral("Cause, attempt 1"));
        QTRY_COMPARE(m_window->bench().selection.inspected(), QStringLiteral("broken-20261121-100000-aaaa"));
        QCOMPARE(inspectorTab(), QStringLiteral("Overview"));
        activate(QStringLiteral("Tag"));
        QTRY_COMPARE(m_window->bench().selection.inspected(), QStringLiteral("plain-20261121-100001-bbbb"));
        QCOMPARE(inspectorTab(), QStringLiteral("Notes"));
        search(QStringLiteral("run.total_steps"));
        list().topLevelItem(0)->child(0)->setSelected(true);
        activate(list().topLevelItem(0)->text(0));
        QCOMPARE(inspectorTab(), QStringLiteral("Notes"));
        Q_EMIT list().itemActivated(list().topLevelItem(0)->child(0), 0);
        QCOMPARE(inspectorTab(), QStringLiteral("Options"));
    }

    void e16_aFoundLineIsSelectedAmongAllLines()
    {
        std::ofstream log(contract::RunFolder(m_home->home().runs() / "plain-20261121-100001-bbbb").log(0));
        for (int line = 0; line < 400; ++line)
            log << "2026-11-21 10:14:00.123 info " << (line % 100 == 50 ? "a lion, " : "line ") << line << '\n';
        log.close();
        ui::LogsDock& logs = (*m_window)->logs();
        logs.findChild<QLineEdit*>()->setText(QStringLiteral("nothing has this"));
        search(QStringLiteral("lion"));
        const auto items = list().findItems(QStringLiteral("Log, rank 0"), Qt::MatchExactly | Qt::MatchRecursive, 0);
        QCOMPARE(items.size(), 4);
        Q_EMIT list().itemActivated(items[1], 0);
        const ui::LogView& view = logs.view();
        QTRY_COMPARE_WITH_TIMEOUT(logs.model().count(), qsizetype(402), ui_test::kTimeoutMs);
        QTRY_COMPARE_WITH_TIMEOUT(view.currentRow(), qsizetype(150), ui_test::kTimeoutMs);
        QTRY_VERIFY2(view.lineText(150).endsWith("a lion, 150"), qPrintable(view.lineText(150)));
        QVERIFY(view.isSelected(150));
        QVERIFY(view.viewport()->rect().contains(view.lineRect(150)));
        Q_EMIT list().itemActivated(items[3], 0);  // of the run that is shown already
        QTRY_COMPARE_WITH_TIMEOUT(view.currentRow(), qsizetype(350), ui_test::kTimeoutMs);
        QVERIFY(view.viewport()->rect().contains(view.lineRect(350)));
    }

    void e16_aFoundOptionIsSelectedAndInSight()
    {
        auto* const inspector = (*m_window)->findChild<ui::Inspector*>();
        const auto tables = inspector->findChildren<QTreeView*>();
        const auto table = std::ranges::find(tables, QStringLiteral("Configuration"), &QTreeView::accessibleName);
        QVERIFY(table != tables.end());
        for (QLineEdit* const filter : inspector->findChildren<QLineEdit*>()) {
            if (filter->accessibleName() == QStringLiteral("Filter options"))
                filter->setText(QStringLiteral("optim"));
        }
        search(QStringLiteral("min_ranks = 0"));
        for (int run = 0; run < 2; ++run) {
            QTreeWidgetItem* const item = list().topLevelItem(run);
            Q_EMIT list().itemActivated(item->child(0), 0);
            QTRY_COMPARE_WITH_TIMEOUT((*table)->currentIndex().siblingAtColumn(0).data().toString(), QStringLiteral("launch.min_ranks"), ui_test::kTimeoutMs);
            const QModelIndex row = (*table)->currentIndex();
            QVERIFY((*table)->selectionModel()->isRowSelected(row.row()));
            QVERIFY((*table)->isVisible() && (*table)->viewport()->rect().contains((*table)->visualRect(row).center()));
            (*table)->setCurrentIndex({});
        }
    }

    void e16_aFoundEventAndNoteAreSelected()
    {
        const contract::RunFolder run(m_home->home().runs() / "broken-20261121-100000-aaaa");
        std::ofstream journal(run.journal(0), std::ios::app);
        for (int step = 1; step <= 200; ++step)
            journal << QJsonDocument(QJsonObject {{"type", "event"}, {"step", step}, {"t_ms", step * 1000}, {"kind", "data"}, {"level", "warning"},
                                         {"message", (step == 70 ? "a lion" : "file ") + QString::number(step)}})
                           .toJson(QJsonDocument::Compact)
                           .toStdString()
                    << '\n';
        journal.close();
        m_home->ingest();
        m_window->action("view.readAgain")->trigger();
        search(QStringLiteral("lion"));
        QTRY_COMPARE_WITH_TIMEOUT(list().topLevelItemCount(), 1, ui_test::kTimeoutMs);
        activate(QStringLiteral("Event at step 70"));
        QTRY_COMPARE(inspectorTab(), QStringLiteral("Events"));
        auto* const inspector = (*m_window)->findChild<ui::Inspector*>();
        auto* const events = inspector->findChild<ui::EventsView*>()->findChild<QTreeView*>();
        const auto shown = [&] { return events->currentIndex().siblingAtColumn(ui::EventsModel::Message).data().toString(); };
        QTRY_COMPARE_WITH_TIMEOUT(shown(), QStringLiteral("a lion70"), ui_test::kTimeoutMs);
        QVERIFY(events->viewport()->rect().contains(events->visualRect(events->currentIndex()).center()));
        search(QStringLiteral("second zebra"));
        activate(QStringLiteral("Note"));
        QTRY_COMPARE(inspector->findChild<QPlainTextEdit*>()->textCursor().selectedText(), QStringLiteral("the second zebra line"));
    }

    void E16_aDamagedExpressionIsExplained()
    {
        m_window->action("view.search")->trigger();
        dialog().findChild<QAbstractButton*>(QStringLiteral("regex"))->click();
        search(QStringLiteral("zeb("));
        QVERIFY2(ui_test::errorSentence(dialog()).contains(QStringLiteral("parenthesis")), qPrintable(ui_test::errorSentence(dialog())));
        search(QStringLiteral("^the second (zebra|lion)"));
        QCOMPARE(found(), QStringList("Zebra stripes: Note | the second zebra line"));
        QVERIFY(ui_test::errorSentence(dialog()).isEmpty());
    }

    /// Closing the window in the middle of a search over many long logs ends it.
    void E16_aSearchCanBeStopped()
    {
        for (int run = 0; run < 30; ++run) {
            const contract::RunFolder folder
                = m_home->writeRun("many-20261121-1100" + QString::number(10 + run).toStdString() + "-cccc", 1, "finished");
            std::ofstream log(folder.log(0));
            for (int line = 0; line < 50'000; ++line)
                log << "2026-11-21 10:15:00.123 info line " << line << '\n';
        }
        m_window->action("view.readAgain")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(m_window->bench().runs.rowCount(), 32, ui_test::kTimeoutMs);
        m_window->action("view.search")->trigger();
        dialog().findChild<QLineEdit*>()->setText(QStringLiteral("line 49999"));
        auto* const button = dialog().findChild<QPushButton*>(QStringLiteral("searchButton"));
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(list().topLevelItemCount() > 0, ui_test::kTimeoutMs);
        QVERIFY(dialog().isSearching());
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(!dialog().isSearching());
        const int runs = list().topLevelItemCount();
        QVERIFY(runs < 30);
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(list().topLevelItemCount(), 30, ui_test::kTimeoutMs);
        QTRY_VERIFY_WITH_TIMEOUT(!dialog().isSearching(), ui_test::kTimeoutMs);
    }
};

ATELIER_UI_TEST_MAIN(WindowSearchTest)
#include "tst_window_search.moc"
