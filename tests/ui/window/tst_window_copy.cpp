// E7: Ctrl+C in a table copies the selected rows, with the header and all digits.
#include "engine/contract/formats/text.h"
#include "launcher/queue/queue.h"
#include "tests/engine/contract/formats/small_safetensors.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/base/copied_rows.h"
#include "ui/checkpoint/checkpoint_model.h"
#include "ui/checkpoint/checkpoints_view.h"
#include "ui/disk/disk_dialog.h"
#include "ui/inspector/events_view.h"
#include "ui/inspector/inspector.h"
#include "ui/notify/alerts_dialog.h"
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/plots_view.h"
#include "ui/queue/queue_model.h"
#include "ui/queue/queue_view.h"
#include "ui/runs/runs_view.h"
#include "ui/search/search_dialog.h"
#include "ui/steps/chart_panel.h"
#include "ui/steps/parts_chart.h"
#include "ui/steps/steps_view.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QLineEdit>
#include <QRegularExpression>
#include <QStandardItemModel>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QTreeView>
#include <QTreeWidget>

#include <cmath>

using ui_test::kTimeoutMs;
using ui_test::OpenWindow;

class WindowCopyTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    const QString m_id = QStringLiteral("digits-20261121-100000-aaaa");
    const std::int64_t m_lastStep = 60;
    QString lastLoss() const { return QString::fromStdString(contract::shortestText(0.2 + std::exp(-double(m_lastStep) / 40))); }

    /// What Ctrl+C leaves on the clipboard, by row and then by heading, when @p rows of the table are selected.
    QList<QMap<QString, QString>> copied(QAbstractItemView& table, const QList<QModelIndex>& rows) const
    {
        table.clearSelection();
        for (const QModelIndex& row : rows)
            table.selectionModel()->select(row, QItemSelectionModel::Select);
        QApplication::clipboard()->setText(QStringLiteral("something else"));
        QTest::keyClick(&table, Qt::Key_C, Qt::ControlModifier);
        QStringList lines = QApplication::clipboard()->text().split('\n');
        if (lines.takeLast() != QString() || lines.isEmpty())
            return {};
        const QStringList titles = lines.takeFirst().split('\t');
        QList<QMap<QString, QString>> all;
        for (const QString& line : lines) {
            const QStringList cells = line.split('\t');
            QMap<QString, QString> row;
            for (qsizetype i = 0; i < titles.size(); ++i)
                row[titles[i]] = cells.value(i);
            all << row;
        }
        return all;
    }
    QList<QMap<QString, QString>> copied(QAbstractItemView& table, int row) const { return copied(table, {table.model()->index(row, 0)}); }

    static bool isTime(const QString& text)
    {
        static const QRegularExpression kTime(QStringLiteral("^2[0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{3}Z$"));
        return kTime.match(text).hasMatch();
    }

    /// A table in which the user has selected every second of many rows, and which counts how often it is asked.
    struct LongModel : QStandardItemModel {
        LongModel()
            : QStandardItemModel(20'000, 3)
        {
        }
        QVariant data(const QModelIndex& cell, int role) const override
        {
            questions += role == Qt::DisplayRole ? 1 : 0;
            return role == Qt::DisplayRole ? QVariant(QStringLiteral("%1 %2").arg(cell.row()).arg(cell.column())) : QVariant();
        }
        QModelIndex parent(const QModelIndex& child) const override
        {
            ++parents;
            return QStandardItemModel::parent(child);
        }
        mutable int questions = 0, parents = 0;
    };

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        const contract::RunFolder run = m_home->writeRun(m_id.toStdString(), m_lastStep, "failed", "Rank 1 ran out of memory");
        tests::writeCheckpoint(run.checkpoint(1000), {{{"out.bias", "F32", {600}}, std::vector<float>(600, 1)}}, {});
        m_home->writeRun("other-20261121-100001-bbbb", 20, "finished");
        m_home->ingest();
        m_window = std::make_unique<OpenWindow>(m_home->home());
        (*m_window)->openRun(m_id);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(m_id), std::optional(launcher::RunState::Failed), kTimeoutMs);
    }
    void cleanup()
    {
        m_window.reset();
        m_home.reset();
    }

    void E7_runs()
    {
        auto& table = *(*m_window)->runsView().findChild<QTreeView*>(QStringLiteral("runsTable"));
        QTRY_COMPARE(table.model()->rowCount(), 2);
        const auto both = copied(table, {table.model()->index(1, 1), table.model()->index(0, 1), table.model()->index(0, 2)});
        QCOMPARE(both.size(), 2);
        for (int row = 0; row < 2; ++row)  // in the order of the table
            QCOMPARE(both[row]["Run"], table.model()->index(row, ui::RunsModel::Name).data().toString());
        const auto& digits = both[both[0]["Run"] == "digits" ? 0 : 1];
        QCOMPARE(digits["Loss"], lastLoss());
        QCOMPARE(digits["State"], QStringLiteral("Failed"));
        QCOMPARE(digits["Drawn in the plots"], QStringLiteral("drawn"));
        QVERIFY(isTime(table.model()->index(0, ui::RunsModel::Started).data(ui::kCopyRole).toString()));
        // Nothing selected, nothing copied.
        table.clearSelection();
        QApplication::clipboard()->setText(QStringLiteral("before"));
        table.setCurrentIndex({});
        QTest::keyClick(&table, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("before"));
    }

    void E7_manyRowsAreCopiedInTimeThatGrowsWithTheirNumber()
    {
        LongModel model;
        QTreeView table;
        table.setModel(&model);
        QItemSelection odd;
        for (int row = model.rowCount() - 1; row > 0; row -= 2)
            odd.select(model.index(row, 0), model.index(row, 2));
        table.selectionModel()->select(odd, QItemSelectionModel::Select);
        model.questions = model.parents = 0;
        const QStringList lines = ui::copiedRows(table).split('\n');
        const int rows = model.rowCount() / 2;
        QCOMPARE(lines.size(), rows + 2);  // the header, and nothing behind the last end of a line
        QCOMPARE(lines[1], QStringLiteral("1 0\t1 1\t1 2"));
        QCOMPARE(lines[rows], QStringLiteral("19999 0\t19999 1\t19999 2"));
        QCOMPARE(model.questions, 3 * rows);
        QVERIFY2(model.parents <= 10 * rows, qPrintable(QString::number(model.parents)));
    }

    void E7_numbersOfAPlot()
    {
        auto* const plots = (*m_window)->findChild<ui::PlotsView*>();
        QTRY_VERIFY(!plots->panels().empty() && !plots->panels().front()->canvas().lines().empty());
        ui::PlotPanel* const panel = plots->panels().front();
        QTRY_COMPARE(panel->canvas().lines().front().data->points.steps().size(), std::size_t(m_lastStep));
        panel->setShowsTable(true);
        auto& table = *panel->findChild<QTableView*>();
        QCOMPARE(table.model()->rowCount(), int(m_lastStep));
        const auto rows = copied(table, int(m_lastStep) - 1);
        QCOMPARE(rows.size(), 1);
        QCOMPARE(rows[0]["Step"], QString::number(m_lastStep));
        QVERIFY2(rows[0].values().contains(lastLoss()), qPrintable(QApplication::clipboard()->text()));
    }

    void E7_numbersOfTheSteps()
    {
        (*m_window)->findChild<QDockWidget*>(QStringLiteral("stepsDock"))->raise();
        auto* const steps = (*m_window)->findChild<ui::StepsView*>();
        QTRY_VERIFY(steps->isVisible() && steps->chart().parts().bins() > 0);
        auto* const panel = qobject_cast<ui::ChartPanel*>(steps->chart().parentWidget());
        QVERIFY(panel);
        panel->setShowsTable(true);
        auto& table = *panel->findChild<QTableView*>();
        QTRY_VERIFY(table.model()->rowCount() > 1);
        const auto rows = copied(table, 1);
        QCOMPARE(rows.size(), 1);
        QCOMPARE(rows[0]["Step"], QString::number(table.model()->index(1, 0).data().toInt()));
        QVERIFY2(rows[0].values().contains(QStringLiteral("12.5")), qPrintable(QApplication::clipboard()->text()));
    }

    void E7_checkpoints()
    {
        auto* const view = (*m_window)->findChild<ui::CheckpointsView*>();
        (*m_window)->tabs().setCurrentWidget(view);
        QTRY_COMPARE_WITH_TIMEOUT(view->model().rowCount(), 1, kTimeoutMs);
        const auto rows = copied(view->table(), 0);
        QCOMPARE(rows.size(), 1);
        QCOMPARE(rows[0]["Step"], QStringLiteral("1000"));  // not 1,000
        QCOMPARE(rows[0]["Size"], QString::number(view->model().checkpoint(0).bytes));
        QCOMPARE(rows[0]["Marks"], view->model().index(0, ui::CheckpointModel::Marks).data().toString());
    }

    void E7_events()
    {
        (*m_window)->findChild<ui::Inspector*>()->showTab(ui::Inspector::Tab::Events);
        auto& table = *(*m_window)->findChild<ui::EventsView*>()->findChild<QTreeView*>();
        QTRY_VERIFY(table.model()->rowCount() > 0);
        const auto rows = copied(table, 0);
        QCOMPARE(rows.size(), 1);
        QCOMPARE(rows[0]["Message"], table.model()->index(0, 4).data().toString());
        QVERIFY2(isTime(rows[0]["Time"]), qPrintable(rows[0]["Time"]));
        QCOMPARE(table.selectionMode(), QAbstractItemView::ExtendedSelection);
    }

    void E7_alerts()
    {
        m_window->action("view.alerts")->trigger();
        auto& table = (*m_window)->findChild<ui::AlertsDialog*>()->list();
        QTRY_COMPARE_WITH_TIMEOUT(table.model()->rowCount(), 2, kTimeoutMs);
        const auto rows = copied(table, {table.model()->index(0, 0), table.model()->index(1, 0)});
        QCOMPARE(rows.size(), 2);
        QVERIFY(isTime(rows[0]["Time"]) && isTime(rows[1]["Time"]));
        QCOMPARE(rows[0]["Details"] + rows[1]["Details"], QStringLiteral("Rank 1 ran out of memory"));
        QCOMPARE(table.selectionMode(), QAbstractItemView::ExtendedSelection);
    }

    void E7_searchResults()
    {
        m_window->action("view.search")->trigger();
        auto* const dialog = (*m_window)->findChild<ui::SearchDialog*>();
        auto* const edit = dialog->findChild<QLineEdit*>();
        edit->setText(QStringLiteral("ran out of memory"));
        QTest::keyClick(edit, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(!dialog->isSearching(), kTimeoutMs);
        auto& list = *dialog->findChild<QTreeWidget*>();
        QVERIFY(list.topLevelItemCount() == 1 && list.topLevelItem(0)->childCount() > 0);
        const QModelIndex run = list.model()->index(0, 0), place = list.model()->index(0, 0, run);
        const auto rows = copied(list, {place, run});
        QCOMPARE(rows.size(), 2);
        QCOMPARE(rows[0]["Where"], QStringLiteral("digits"));
        QCOMPARE(rows[1]["Where"], "digits: " + place.data().toString());
        QVERIFY(rows[1]["Text"].contains("ran out of memory"));
    }

    void E7_disk()
    {
        m_window->action("app.disk")->trigger();
        auto& table = (*m_window)->findChild<ui::DiskDialog*>()->table();
        QTRY_COMPARE_WITH_TIMEOUT(table.model()->rowCount(), 2, kTimeoutMs);
        const auto rows = copied(table, 0);
        QCOMPARE(rows.size(), 1);
        QCOMPARE(rows[0]["Run"], QStringLiteral("digits"));
        QVERIFY2(rows[0]["Checkpoints"].toLongLong() > 2400, qPrintable(rows[0]["Checkpoints"]));
        QCOMPARE(rows[0]["Samples"], QStringLiteral("0"));
    }

    void E7_queue()
    {
        launcher::editQueue(m_home->home(), [](launcher::Queue& queue) {
            queue.waiting.push_back({.run = "other-20261121-100001-bbbb", .attempt = 2, .gpus = 2, .isHeld = true, .isUrgent = false, .problem = {}});
        });
        (*m_window)->findChild<QDockWidget*>(QStringLiteral("queueDock"))->raise();
        auto& table = (*m_window)->findChild<ui::QueueView*>()->table();
        QTRY_COMPARE_WITH_TIMEOUT(table.model()->rowCount(), 1, kTimeoutMs);
        const auto rows = copied(table, 0);
        QCOMPARE(rows.size(), 1);
        QCOMPARE(rows[0]["Place"] + " " + rows[0]["Run"] + " " + rows[0]["State"] + " " + rows[0]["GPUs"], QStringLiteral("1 other Held 2"));
    }
};

ATELIER_UI_TEST_MAIN(WindowCopyTest)
#include "tst_window_copy.moc"
