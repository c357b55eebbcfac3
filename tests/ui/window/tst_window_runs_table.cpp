// M10: the runs table of the real window: chosen columns, typed filter, edits of several runs, undo.
#include "engine/contract/run/annotations.h"
#include "engine/contract/run/journal_writer.h"
#include "storage/exports/export_metrics.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/inspector/annotations_view.h"
#include "ui/inspector/inspector.h"
#include "ui/metric_export.h"
#include "ui/metric_export_dialog.h"
#include "ui/runs/annotate_dialog.h"
#include "ui/runs/columns_dialog.h"
#include "ui/runs/runs_view.h"

#include <QAction>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>
#include <QTreeWidget>

#include <algorithm>

using ui_test::OpenWindow;
using storage::RunField;

namespace {

const std::string kIds[] = {"alpha-20261121-100000-aaaa", "beta-20261121-100001-bbbb", "gamma-20261121-100002-cccc"};

}  // namespace

class WindowRunsTableTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    /// Three runs of 10, 40 and 70 steps, whose loss falls from step to step; the second one has a validation loss.
    void openThree()
    {
        for (int run = 0; run < 3; ++run) {
            const auto folder = m_home->writeRun(kIds[run], 10 + 30 * run, "finished");
            contract::AttemptStart start = folder.readStart(1);
            start.startUnixMs += 1000 * run;
            folder.writeStart(start);
            if (run != 1)
                continue;
            contract::JournalHeader header;
            header.run = folder.id();
            contract::JournalWriter journal(folder.journal(0), header);
            journal.begin(contract::record::kStep, 50).add(contract::metric::kValidationLoss, 0.75);
            journal.commit();
        }
        m_window = std::make_unique<OpenWindow>(m_home->home());
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 3);
        QTRY_VERIFY(m_window->bench().fields.names());
        const auto hasValidation = [&] {
            const auto& metrics = m_window->bench().fields.names()->metrics;
            return std::ranges::find(metrics, "validation/loss") != metrics.end();
        };
        QTRY_VERIFY(hasValidation());
    }

    QTreeView* table() { return (*m_window)->runsView().findChild<QTreeView*>("runsTable"); }
    QLineEdit* filter() { return (*m_window)->runsView().findChild<QLineEdit*>(); }
    QLabel* problem() { return (*m_window)->runsView().findChild<QLabel*>("filterProblem"); }

    /// The names in the table, from the top.
    QString shown()
    {
        QStringList names;
        for (int row = 0; row < table()->model()->rowCount(); ++row)
            names << table()->model()->index(row, ui::RunsModel::Name).data().toString();
        return names.join(' ');
    }

    /// Ticks an entry of the open dialog for columns.
    void tick(ui::ColumnsDialog& dialog, const QString& text)
    {
        auto* list = dialog.findChild<QTreeWidget*>();
        const auto found = list->findItems(text, Qt::MatchExactly | Qt::MatchRecursive);
        QVERIFY2(!found.isEmpty(), qPrintable(text));
        found.front()->setCheckState(0, Qt::Checked);
    }

    void clickHeader(int column)
    {
        QHeaderView* const header = table()->header();
        table()->scrollTo(table()->model()->index(0, column));
        const QPoint at(header->sectionViewportPosition(column) + header->sectionSize(column) / 2, header->height() / 2);
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, at);
    }

    void type(const QString& query)
    {
        filter()->selectAll();
        query.isEmpty() ? QTest::keyClick(filter(), Qt::Key_Delete) : QTest::keyClicks(filter(), query);
    }

    contract::Annotations annotations(int run)
    {
        return contract::readAnnotations(contract::RunFolder(m_home->home().runs() / kIds[run]).annotations());
    }
    const storage::RunRow& row(int run) { return m_window->entry(QString::fromStdString(kIds[run]))->row; }

private Q_SLOTS:
    void init() { m_home = std::make_unique<ui_test::TestHome>(); }
    void cleanup()
    {
        m_window.reset();
        m_home.reset();
    }

    void M10_anyOptionAndMetricIsAColumn()
    {
        openThree();
        m_window->action("view.columns")->trigger();
        QPointer<ui::ColumnsDialog> dialog = (*m_window)->findChild<ui::ColumnsDialog*>();
        QVERIFY(dialog);
        tick(*dialog, "lowest loss");
        tick(*dialog, "run.name");
        tick(*dialog, "validation/loss");
        tick(*dialog, "Tags");
        dialog->close();
        ui::RunsModel* runs = &m_window->bench().runs;
        const RunField lowest = {RunField::Kind::Lowest, "loss"};
        const RunField validation = {RunField::Kind::Last, "validation/loss"};
        QVERIFY(!table()->header()->isSectionHidden(ui::RunsModel::Tags));
        QTRY_COMPARE(runs->indexOf(QString::fromStdString(kIds[1]), runs->columnOf(validation)).data().toString(), QStringLiteral("0.75"));
        QTRY_COMPARE(runs->indexOf(QString::fromStdString(kIds[0]),
            runs->columnOf({RunField::Kind::Parameter, "run.name"})).data().toString(),
            QStringLiteral("alpha"));
        clickHeader(runs->columnOf(lowest));
        const QString ascending = table()->header()->sortIndicatorOrder() == Qt::AscendingOrder ? "gamma beta alpha" : "alpha beta gamma";
        QTRY_COMPARE(shown(), ascending);
        QTRY_COMPARE(ui::Settings(m_home->home()).header("runs"), (*m_window)->runsView().columns().state());

        const int width = table()->header()->sectionSize(runs->columnOf(lowest));
        m_window = std::make_unique<OpenWindow>(m_home->home());  // as a killed window: nothing was closed first
        runs = &m_window->bench().runs;
        QTRY_COMPARE(shown(), ascending);
        QVERIFY(!table()->header()->isSectionHidden(runs->columnOf(lowest)));
        QCOMPARE(table()->header()->sectionSize(runs->columnOf(lowest)), width);
        QTRY_COMPARE(runs->indexOf(QString::fromStdString(kIds[1]), runs->columnOf(validation)).data().toString(), QStringLiteral("0.75"));
        (*m_window)->runsView().columns().setFieldShown(lowest, false);
        QCOMPARE(runs->columnOf(lowest), -1);
        QTRY_COMPARE(shown(), QStringLiteral("gamma beta alpha"));  // by creation, newest first
    }

    void M10_theFilterIsTyped()
    {
        openThree();
        type("min(loss) < 0.6 and name:a");
        QTRY_COMPARE(shown(), QStringLiteral("gamma beta"));
        ui::RunsModel& runs = m_window->bench().runs;
        QVERIFY(table()->header()->isSectionHidden(runs.columnOf({RunField::Kind::Lowest, "loss"})));  // read, but not a column
        type("not validation/loss > 0");
        QTRY_COMPARE(shown(), QStringLiteral("gamma alpha"));
        type("state:finished run.total_steps = 100 be");
        QTRY_COMPARE(shown(), QStringLiteral("beta"));
        type("");
        QTRY_COMPARE(shown(), QStringLiteral("gamma beta alpha"));
        QTRY_COMPARE(runs.columnCount(), int(ui::RunsModel::BuiltInCount));
    }

    void M10_aMistakeInTheFilterIsExplainedAndChangesNothing()
    {
        openThree();
        type("alpha");
        QTRY_COMPARE(shown(), QStringLiteral("alpha"));
        filter()->setText("los < 1");
        QVERIFY(problem()->isVisible());
        QCOMPARE(problem()->text(), QStringLiteral("No run has an option or a metric called “los”; did you mean “loss”?"));
        QCOMPARE(filter()->text(), QStringLiteral("los < 1"));  // what marks the place leaves the text alone
        QCOMPARE(shown(), QStringLiteral("alpha"));
        type("loss < 9");
        QVERIFY(!problem()->isVisible());
        QTRY_COMPARE(shown(), QStringLiteral("gamma beta alpha"));
    }

    /// A hidden row leaves its run inspected, and no other row is current in its place.
    void M10_theInspectedRunStaysWhileTheFilterHidesIt()
    {
        openThree();
        (*m_window)->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&m_window->window()));
        ui::Selection& selection = m_window->bench().selection;
        selection.setInspected(QString::fromStdString(kIds[0]));
        type("beta");
        QTRY_COMPARE(shown(), QStringLiteral("beta"));
        QVERIFY(!table()->currentIndex().isValid());
        table()->setFocus();
        QTRY_VERIFY(table()->hasFocus());
        QCOMPARE(selection.inspected(), QString::fromStdString(kIds[0]));
        const QModelIndex beta = table()->model()->index(0, ui::RunsModel::Name);
        QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, table()->visualRect(beta).center());
        QCOMPARE(selection.inspected(), QString::fromStdString(kIds[1]));
        (*m_window)->openRun(QString::fromStdString(kIds[2]));
        QCOMPARE(selection.inspected(), QString::fromStdString(kIds[2]));
        QVERIFY(!table()->selectionModel()->hasSelection());
        type("");
        QTRY_COMPARE(table()->currentIndex().data(ui::RunsModel::IdRole).toString(), QString::fromStdString(kIds[2]));
        QVERIFY(table()->selectionModel()->isRowSelected(table()->currentIndex().row()));
    }

    void M10_theInspectedRunStaysWhenItLeavesTheFilter()
    {
        openThree();
        ui::Selection& selection = m_window->bench().selection;
        selection.setInspected(QString::fromStdString(kIds[1]));
        type("not tag:done");
        QTRY_COMPARE(shown(), QStringLiteral("gamma beta alpha"));
        contract::Annotations done;
        done.tags = {"done"};
        contract::appendAnnotations(contract::RunFolder(m_home->home().runs() / kIds[1]).annotations(), {}, done);
        m_window->action("view.readAgain")->trigger();
        QTRY_COMPARE(shown(), QStringLiteral("gamma alpha"));
        QCOMPARE(selection.inspected(), QString::fromStdString(kIds[1]));
        QVERIFY(!table()->selectionModel()->hasSelection());
        contract::appendAnnotations(contract::RunFolder(m_home->home().runs() / kIds[1]).annotations(), done, {});
        m_window->action("view.readAgain")->trigger();
        QTRY_COMPARE(shown(), QStringLiteral("gamma beta alpha"));
        QCOMPARE(table()->currentIndex().data(ui::RunsModel::IdRole).toString(), QString::fromStdString(kIds[1]));
    }

    /// Else what is meant for the opened run would be done to all that were selected with it.
    void M10_anOpenedRunIsTheOnlySelectedOne()
    {
        openThree();
        QTRY_VERIFY(!m_window->bench().selection.inspected().isEmpty());
        table()->selectAll();
        const QString inspected = m_window->bench().selection.inspected();
        QCOMPARE((*m_window)->runsView().selectedRuns().size(), 3);
        (*m_window)->openRun(inspected);
        QCOMPARE((*m_window)->runsView().selectedRuns(), QStringList(inspected));
    }

    void M10_severalRunsAreEditedAtOnceAndTheEditIsUndone()
    {
        openThree();
        contract::Annotations tagged;
        tagged.tags = {"old", "kept"};
        contract::appendAnnotations(contract::RunFolder(m_home->home().runs() / kIds[0]).annotations(), {}, tagged);
        m_window->action("view.readAgain")->trigger();
        QTRY_COMPARE(row(0).tags.size(), std::size_t(2));
        table()->setFocus();
        table()->selectAll();
        m_window->action("run.tags")->trigger();
        auto* dialog = (*m_window)->findChild<ui::AnnotateDialog*>();
        QVERIFY(dialog);
        QVERIFY(QTest::qWaitForWindowActive(dialog));
        auto* tags = dialog->findChild<QListWidget*>();
        QCOMPARE(tags->count(), 2);
        QCOMPARE(tags->findItems("kept", Qt::MatchExactly).front()->checkState(), Qt::PartiallyChecked);
        tags->findItems("old", Qt::MatchExactly).front()->setCheckState(Qt::Unchecked);
        for (QLineEdit* edit : dialog->findChildren<QLineEdit*>()) {
            if (edit->accessibleName() == "New tags")
                QTest::keyClicks(edit, "lora, r16");
        }
        dialog->findChild<QComboBox*>()->lineEdit()->selectAll();
        QTest::keyClicks(dialog->findChild<QComboBox*>()->lineEdit(), "faces");
        const QPointer<QDialog> open = dialog;
        QTest::keyClick(dialog, Qt::Key_S, Qt::ControlModifier);
        QTRY_VERIFY(!open);
        QTRY_COMPARE(row(2).project, std::string("faces"));
        QTRY_COMPARE(row(0).tags, (std::vector<std::string> {"kept", "lora", "r16"}));
        QTRY_COMPARE(row(1).tags, (std::vector<std::string> {"lora", "r16"}));
        QCOMPARE(row(1).notes, std::string());  // nobody touched the note

        (*m_window)->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&m_window->window()));
        table()->setFocus();
        QTRY_VERIFY(m_window->action("edit.undo")->isEnabled());
        QTest::keyClick(table(), Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(row(0).tags, (std::vector<std::string> {"old", "kept"}));
        QTRY_VERIFY(row(1).tags.empty());
        QTRY_COMPARE(annotations(2).project, std::string());
        QTest::keyClick(table(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE(row(2).tags, (std::vector<std::string> {"lora", "r16"}));
        QTRY_COMPARE(annotations(2).project, std::string("faces"));
        QVERIFY(!m_window->action("edit.redo")->isEnabled());
    }

    /// Ctrl+Z undoes the last thing that was done, be it an edit or a move to the trash, and then the one before.
    void M10_undoGoesBackThroughEditsAndTheTrash()
    {
        openThree();
        (*m_window)->runsView().select(QString::fromStdString(kIds[0]));
        QTRY_VERIFY(m_window->action("run.archive")->isEnabled());
        m_window->action("run.archive")->trigger();
        QTRY_COMPARE(shown(), QStringLiteral("gamma beta"));
        (*m_window)->runsView().select(QString::fromStdString(kIds[1]));
        QTRY_VERIFY(m_window->action("run.trash")->isEnabled());
        m_window->action("run.trash")->trigger();
        QTRY_COMPARE(shown(), QStringLiteral("gamma"));
        QTRY_COMPARE(m_window->action("edit.undo")->text(), QStringLiteral("&Undo move to trash"));
        m_window->action("edit.undo")->trigger();
        QTRY_COMPARE(shown(), QStringLiteral("gamma beta"));
        QTRY_COMPARE(m_window->action("edit.undo")->text(), QStringLiteral("&Undo: archive"));
        m_window->action("edit.undo")->trigger();
        QTRY_COMPARE(shown(), QStringLiteral("gamma beta alpha"));
        QTRY_VERIFY(!m_window->action("edit.undo")->isEnabled());
        QVERIFY(m_window->action("edit.redo")->isEnabled());
    }

    /// Things that are edited in place: the inspector's fields, by F2, Enter, Ctrl+S, Esc and by turning to another run.
    void M10_theInspectorEditsInPlace()
    {
        openThree();
        auto* inspector = (*m_window)->findChild<ui::Inspector*>();
        auto* notes = inspector->findChild<ui::AnnotationsView*>();
        auto* note = notes->findChild<QPlainTextEdit*>();
        const auto line = [&](const char* name) -> QLineEdit* {
            for (QLineEdit* edit : notes->findChildren<QLineEdit*>()) {
                if (edit->accessibleName() == QLatin1String(name))
                    return edit;
            }
            return nullptr;
        };
        m_window->bench().selection.setInspected(QString::fromStdString(kIds[0]));
        inspector->editName();
        QTRY_VERIFY(line("Name")->hasFocus());
        line("Tags")->setFocus();
        QTest::keyClick(line("Tags"), Qt::Key_F2);  // no dialog
        QTRY_VERIFY(line("Name")->hasFocus());
        QCOMPARE(line("Name")->selectedText(), QStringLiteral("alpha"));
        QTest::keyClicks(line("Name"), "better");
        QTest::keyClick(line("Name"), Qt::Key_Return);
        QTRY_COMPARE(row(0).name, std::string("better"));
        line("Tags")->setFocus();
        QTest::keyClicks(line("Tags"), "lora r16");
        QTest::keyClick(line("Tags"), Qt::Key_S, Qt::ControlModifier);
        QTRY_COMPARE(row(0).tags, (std::vector<std::string> {"lora", "r16"}));
        line("Project")->setFocus();
        QTest::keyClicks(line("Project"), "mistake");
        QTest::keyClick(line("Project"), Qt::Key_Escape);
        QCOMPARE(line("Project")->text(), QString());
        note->setFocus();
        QTest::keyClicks(note, "Sharper than the others.");
        m_window->bench().runs.tick();  // ages grow: what is being typed stays
        QCOMPARE(note->toPlainText(), QStringLiteral("Sharper than the others."));
        m_window->bench().selection.setInspected(QString::fromStdString(kIds[1]));
        QCOMPARE(note->toPlainText(), QString());
        QTRY_COMPARE(row(0).notes, std::string("Sharper than the others."));
        QCOMPARE(row(0).project, std::string());
        QTRY_COMPARE(m_window->action("edit.undo")->text(), QStringLiteral("&Undo: change of the note"));
        QTest::keyClicks(note, "Typed when the window was closed.");
        (*m_window)->close();
        m_window.reset();
        QTRY_COMPARE(annotations(1).notes, std::string("Typed when the window was closed."));
    }

    /// E7: what is exported from the window is what the command line exports: every value.
    void E7_metricsAreExported_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("E7: CSV") << "values.csv";
        QTest::newRow("E7: JSON") << "values.json";
    }
    void E7_metricsAreExported()
    {
        QFETCH(QString, name);
        openThree();
        QTemporaryDir folder;
        (*m_window)->runsView().select(QString::fromStdString(kIds[1]));
        QTRY_VERIFY(m_window->action("run.export")->isEnabled());
        m_window->action("run.export")->trigger();
        auto* dialog = (*m_window)->findChild<QFileDialog*>();
        QVERIFY(dialog);
        const QString file = folder.filePath(name);
        Q_EMIT dialog->fileSelected(file);
        dialog->close();
        QTRY_VERIFY(QFile::exists(file));
        std::string expected;
        const storage::Store store(m_home->home().database(), storage::Store::Open::ReadOnly);
        const auto write = [&](std::string_view text) { expected += text; };
        name.endsWith("csv") ? storage::exportCsv(store, kIds[1], write) : storage::exportJson(store, kIds[1], write);
        QFile written(file);
        QVERIFY(written.open(QIODevice::ReadOnly));
        QCOMPARE(written.readAll().toStdString(), expected);
        QVERIFY(expected.find("0.75") != std::string::npos);
        QVERIFY(!ui::writeMetrics(m_home->home().database(), kIds[1], folder.filePath("absent/values.csv")).isEmpty());
    }

    void E7_theMetricsOfSeveralRunsAreExported()
    {
        openThree();
        QTemporaryDir folder;
        (*m_window)->runsView().findChild<QTreeView*>("runsTable")->selectAll();
        m_window->action("run.export")->trigger();
        auto* dialog = (*m_window)->findChild<ui::MetricExportDialog*>();
        QVERIFY(dialog);
        dialog->findChild<QLineEdit*>()->setText(folder.path());
        const QString second = folder.filePath(QString::fromStdString(kIds[1]) + ".csv");
        QFile old(second);
        QVERIFY(old.open(QIODevice::WriteOnly));
        ui_test::button(*dialog, "Export")->click();
        QTRY_VERIFY(ui_test::button(*dialog, "Export")->isEnabled());
        QVERIFY(dialog->isVisible());
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 1);  // nothing beside what was there
        QVERIFY(old.remove());
        ui_test::button(*dialog, "Export")->click();
        QTRY_VERIFY(!(*m_window)->findChild<ui::MetricExportDialog*>());
        const storage::Store store(m_home->home().database(), storage::Store::Open::ReadOnly);
        for (const auto& id : kIds) {
            std::string expected;
            storage::exportCsv(store, id, [&](std::string_view text) { expected += text; });
            QFile written(folder.filePath(QString::fromStdString(id) + ".csv"));
            QVERIFY(written.open(QIODevice::ReadOnly));
            QCOMPARE(written.readAll().toStdString(), expected);
        }
    }
};

ATELIER_UI_TEST_MAIN(WindowRunsTableTest)
#include "tst_window_runs_table.moc"
