// E5: the view in the real window: what survives a restart, undo and redo, views saved by name.
#include "engine/contract/run/journal_writer.h"
#include "tests/paths.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/layout/plot_drag.h"
#include "ui/plot/plot_grid.h"
#include "ui/plot/plot_image.h"
#include "ui/plot/plots_view.h"
#include "ui/runs/runs_view.h"
#include "ui/views/view_files.h"
#include "ui/view_keeper.h"

#include <QAction>
#include <QDockWidget>
#include <QDropEvent>
#include <QFile>
#include <QImage>
#include <QInputDialog>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QProcess>
#include <QStatusBar>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

#include <filesystem>

using ui_test::OpenWindow;

static const QString kFirst = QStringLiteral("alpha-20261121-100000-aaaa");
static const QString kSecond = QStringLiteral("beta-20261121-100001-bbbb");

class WindowViewsTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    void open()
    {
        m_window = std::make_unique<OpenWindow>(m_home->home());
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 2);
        QTRY_VERIFY(!m_window->bench().selection.drawn().isEmpty());
        QTRY_VERIFY(plots()->panels().size() > 3 && !panel("loss")->canvas().lines().empty());
    }
    void openBoth()
    {
        m_home->writeRun(kFirst.toStdString(), 40, "finished");
        m_home->writeRun(kSecond.toStdString(), 70, "");
        m_home->ingest();
        open();
        m_window->bench().selection.setAllDrawn({kFirst, kSecond});
        QTRY_COMPARE(panel("loss")->canvas().lines().size(), std::size_t(2));
    }

    ui::PlotsView* plots() { return (*m_window)->findChild<ui::PlotsView*>(); }
    ui::PlotViewState& viewState() { return plots()->viewState(); }
    ui::PlotPanel* panel(const std::string& id)
    {
        const auto& panels = plots()->panels();
        const auto found = std::ranges::find_if(panels, [&](const ui::PlotPanel* panel) { return panel->group().id == id; });
        return found == panels.end() ? nullptr : *found;
    }
    QStringList shown()
    {
        QStringList ids;
        for (const ui::PlotPanel* panel : plots()->panels())
            ids << QString::fromStdString(panel->group().id);
        return ids;
    }
    QLineEdit* filter() { return (*m_window)->runsView().findChild<QLineEdit*>(); }
    QStringList drawn() { return m_window->bench().selection.drawnIds(); }
    QString status() { return (*m_window)->statusBar()->currentMessage(); }
    void focus(QWidget* widget)
    {
        m_window->window().activateWindow();  // a dialog may have been in front
        widget->setFocus();
        QTRY_COMPARE(QApplication::focusWidget(), widget);
    }
    void press(int key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(QApplication::focusWidget(), Qt::Key(key), modifiers); }
    void undo() { press(Qt::Key_Z, Qt::ControlModifier); }
    void redo() { press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier); }

    void choose(const std::string& plot, const QString& text)
    {
        for (QAction* action : panel(plot)->findChild<QMenu*>()->actions()) {
            if (action->text() == text)
                action->trigger();
        }
    }
    QMenu* views() { return (*m_window)->findChild<QMenu*>(QStringLiteral("savedViews")); }
    QAction* viewsEntry(const QString& text)
    {
        for (QAction* action : views()->actions()) {
            if (action->text() == text)
                return action;
        }
        return nullptr;
    }
    void answer(const QString& name)
    {
        auto* dialog = (*m_window)->findChild<QInputDialog*>(QStringLiteral("viewName"));
        QVERIFY(dialog);
        dialog->setTextValue(name);
        dialog->accept();
    }
    void save(const QString& name)
    {
        m_window->action("view.save")->trigger();
        answer(name);
        QTRY_COMPARE(status(), QStringLiteral("Saved the view “%1”.").arg(name));
        QTRY_VERIFY(viewsEntry(name));
    }
    std::filesystem::path file(const char* name) { return m_home->home().state / "views" / name; }

private Q_SLOTS:
    void init() { m_home = std::make_unique<ui_test::TestHome>(); }
    void cleanup()
    {
        m_window.reset();
        m_home.reset();
    }

    /// The window is not closed in between, as when it is killed.
    void E5_theDocksAreKeptAsTheyAreMoved()
    {
        openBoth();
        auto* const dock = (*m_window)->findChild<QDockWidget*>("stepsDock");
        const QByteArray before = m_window->bench().settings.layout();
        dock->setFloating(true);
        QTRY_VERIFY(m_window->bench().settings.layout() != before);
        const QByteArray floating = m_window->bench().settings.layout();
        (*m_window)->resize((*m_window)->size() - QSize(40, 30));
        QTRY_VERIFY(m_window->bench().settings.layout() != floating);
        QTRY_COMPARE(ui::Settings(m_home->home()).layout(), m_window->bench().settings.layout());
    }

    void E5_whatIsArrangedSurvivesARestart()
    {
        openBoth();
        viewState().setXAxis(ui::XAxis::ActiveTime);
        viewState().setBox("loss", {0, 1e-3}, {0.25, 0.75});
        panel("grad_norm")->setShowsTable(true);
        choose("memory/resident_bytes", QStringLiteral("&Hide"));
        QTRY_VERIFY(!panel("memory/resident_bytes"));
        const QStringList before = shown();
        choose(before.last().toStdString(), QStringLiteral("Move &earlier"));
        QTRY_COMPARE(shown().at(before.size() - 2), before.last());
        const QStringList plotsBefore = shown();
        QTest::keyClicks(filter(), "alpha or beta");
        const ui::SavedView view = (*m_window)->view().view();
        QTRY_COMPARE(ui::Settings(m_home->home()).viewState("filter"), QByteArray("alpha or beta"));
        QTRY_COMPARE(ui::Settings(m_home->home()).viewState("plots"), toJson(view.plots));
        m_window.reset();
        open();
        QTRY_COMPARE(drawn(), QStringList({kFirst, kSecond}));
        QCOMPARE(filter()->text(), QStringLiteral("alpha or beta"));
        QTRY_COMPARE(shown(), plotsBefore);
        QVERIFY(panel("grad_norm")->showsTable());
        QCOMPARE(viewState().x(), (ui::Interval {0, 1e-3}));
        QCOMPARE(viewState().y("loss"), std::optional(ui::Interval {0.25, 0.75}));
        QVERIFY((*m_window)->view().view() == view);
    }

    void E5_readingAgainAndNewPointsKeepTheRange()
    {
        openBoth();
        viewState().setBox("loss", {10, 20}, {0.25, 0.75});
        m_window->action("view.readAgain")->trigger();
        contract::RunFolder run(m_home->home().runs() / kSecond.toStdString());
        contract::JournalHeader header;
        header.run = run.id();
        contract::JournalWriter journal(run.journal(0), header);
        journal.begin(contract::record::kStep, 71).add(contract::metric::kLoss, 9.0);
        journal.commit();
        m_window->bench().store.catchUp(QString::fromStdString(run.root().string()));
        QTRY_COMPARE(panel("loss")->canvas().lines().back().data->points.size(), std::size_t(71));
        QCOMPARE(viewState().x(), (ui::Interval {10, 20}));
        QCOMPARE(viewState().y("loss"), std::optional(ui::Interval {0.25, 0.75}));
    }

    void E5_changesOfTheViewAreUndoneInThePlots()
    {
        openBoth();
        focus(&panel("loss")->canvas());
        press(Qt::Key_L);
        press(Qt::Key_X);
        viewState().setX({1, 2});
        choose("loss", QStringLiteral("Move &later"));
        QTRY_COMPARE(shown().indexOf("loss"), 1);
        QCOMPARE(m_window->action("edit.undo")->text(), QStringLiteral("&Undo: choice of plots"));
        undo();
        QCOMPARE(shown().indexOf("loss"), 0);
        undo();
        QCOMPARE(viewState().mode(), ui::XMode::Whole);
        undo();
        QCOMPARE(viewState().xAxis(), ui::XAxis::Step);
        undo();
        QCOMPARE(viewState().scale("loss"), ui::Scale::Linear);
        QCOMPARE(m_window->action("edit.undo")->text(), QStringLiteral("&Undo: choice of runs"));
        undo();
        QCOMPARE(drawn().size(), 1);
        QVERIFY(!m_window->action("edit.undo")->isEnabled());  // how the window came up is no change
        for (int step = 0; step < 5; ++step)
            redo();
        QCOMPARE(drawn(), QStringList({kFirst, kSecond}));
        QCOMPARE(viewState().scale("loss"), ui::Scale::Logarithmic);
        QCOMPARE(viewState().x(), (ui::Interval {1, 2}));
        QTRY_COMPARE(shown().indexOf("loss"), 1);
        QVERIFY(!m_window->action("edit.redo")->isEnabled());
    }

    void E5_oneGestureIsUndoneAtOnce()
    {
        openBoth();
        focus(&panel("loss")->canvas());
        for (int turn = 0; turn < 5; ++turn)
            viewState().zoomX(0.8, 20, 7);
        viewState().zoomX(0.8, 20, 8);
        undo();
        QCOMPARE(viewState().mode(), ui::XMode::Free);
        undo();
        QCOMPARE(viewState().mode(), ui::XMode::Whole);
    }

    /// In the runs, what the user did there last is undone first, be it an edit or a change of the view; elsewhere only edits are.
    void E5_undoIsAboutThePaneWithTheFocus()
    {
        openBoth();
        auto* table = (*m_window)->runsView().findChild<QTreeView*>("runsTable");
        focus(table);
        m_window->bench().selection.setInspected(kFirst);
        m_window->action("run.archive")->trigger();
        QTRY_COMPARE(m_window->action("edit.undo")->text(), QStringLiteral("&Undo: archive"));
        m_window->bench().selection.setDrawn(kSecond, false);
        QCOMPARE(m_window->action("edit.undo")->text(), QStringLiteral("&Undo: choice of runs"));
        m_window->action("edit.undo")->trigger();
        QCOMPARE(drawn(), QStringList({kFirst, kSecond}));
        QCOMPARE(m_window->action("edit.undo")->text(), QStringLiteral("&Undo: archive"));
        viewState().setX({1, 2});
        (*m_window)->tabs().setFocus();
        QTRY_COMPARE(m_window->action("edit.undo")->text(), QStringLiteral("&Undo: archive"));
        focus(&panel("loss")->canvas());
        QCOMPARE(m_window->action("edit.undo")->text(), QStringLiteral("&Undo: visible range"));
    }

    void E5_aPlotIsMovedByItsTitle()
    {
        openBoth();
        auto* grid = plots()->findChild<ui::PlotGrid*>();
        const QStringList before = shown();
        ui::PlotPanel* const target = plots()->panels().front();
        const QPoint left = target->mapTo(grid->viewport(), QPoint(20, 40));
        const std::unique_ptr<QMimeData> data(ui::dragOfPlot(before.last()));
        QDragEnterEvent enter(left, Qt::MoveAction, data.get(), Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(grid->viewport(), &enter);
        QDropEvent drop(left, Qt::MoveAction, data.get(), Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(grid->viewport(), &drop);
        QCOMPARE(shown().front(), before.last());
        QCOMPARE(shown().at(1), before.front());
    }

    void E5_viewsAreSavedOpenedRenamedAndDeleted()
    {
        openBoth();
        viewState().setX({10, 20});
        viewState().setSmoothing({ui::Smoothing::Kind::Gaussian, 20});
        const ui::SavedView saved = (*m_window)->view().view();
        save(QStringLiteral("spike / ü"));
        viewState().setX({1, 2});
        m_window->bench().selection.setDrawn(kSecond, false);
        const ui::SavedView other = (*m_window)->view().view();
        viewsEntry(QStringLiteral("spike / ü"))->trigger();
        QTRY_VERIFY((*m_window)->view().view() == saved);
        QCOMPARE(drawn(), QStringList({kFirst, kSecond}));
        QCOMPARE(viewState().x(), (ui::Interval {10, 20}));
        focus(&panel("loss")->canvas());
        undo();
        QVERIFY((*m_window)->view().view() == other);  // at once
        viewsEntry(QStringLiteral("&Rename"))->menu()->actions().front()->trigger();
        answer(QStringLiteral("spike"));
        QTRY_VERIFY(viewsEntry(QStringLiteral("spike")));
        QVERIFY(!viewsEntry(QStringLiteral("spike / ü")));
        m_window.reset();
        open();
        QTRY_VERIFY(viewsEntry(QStringLiteral("spike")));
        viewsEntry(QStringLiteral("&Delete"))->menu()->actions().front()->trigger();
        QTRY_VERIFY(ui_test::button(m_window->window(), "Delete"));
        ui_test::button(m_window->window(), "Delete")->click();
        QTRY_VERIFY(viewsEntry(QStringLiteral("No saved views yet")));
        QVERIFY(std::filesystem::is_empty(file("")));
    }

    void E5_aSavedViewHasItsTabDocksAndInspectedRun()
    {
        openBoth();
        ui::Selection& selection = m_window->bench().selection;
        auto* const dock = (*m_window)->findChild<QDockWidget*>("runsDock");
        QTabWidget& tabs = (*m_window)->tabs();
        const auto isAs = [&](int tab, const QString& inspected, bool isDockHidden) {
            return tabs.currentIndex() == tab && selection.inspected() == inspected && dock->isHidden() == isDockHidden;
        };
        selection.setInspected(kFirst);
        tabs.setCurrentIndex(2);
        dock->hide();
        save(QStringLiteral("checkpoints of alpha"));
        selection.setInspected(kSecond);
        tabs.setCurrentIndex(4);
        dock->show();
        QVERIFY((*m_window)->view().history().undoable() == QLatin1String("choice of runs"));  // going elsewhere is nothing to undo
        tabs.currentWidget()->setFocus();
        viewsEntry(QStringLiteral("checkpoints of alpha"))->trigger();
        QTRY_VERIFY(isAs(2, kFirst, true));
        QTRY_COMPARE(m_window->action("edit.undo")->text(), QStringLiteral("&Undo: opening of the view “checkpoints of alpha”"));
        m_window->action("edit.undo")->trigger();  // wherever the focus is
        QVERIFY(isAs(4, kSecond, false));
        m_window->action("edit.redo")->trigger();
        QVERIFY(isAs(2, kFirst, true));
    }

    /// A view of an earlier version says nothing of where the user looks.
    void E5_aSavedViewOfAnEarlierVersionLeavesTheRest()
    {
        openBoth();
        ui::SavedView view = (*m_window)->view().view();
        view.filter = QStringLiteral("alpha");
        QJsonObject object = QJsonDocument::fromJson(toJson(view)).object();
        object.remove(QStringLiteral("place"));
        std::filesystem::create_directories(file(""));
        QFile kept(QString::fromStdString(file("old.json").string()));
        QVERIFY(kept.open(QIODevice::WriteOnly) && kept.write(QJsonDocument(object).toJson()) > 0);
        kept.close();
        m_window->bench().selection.setInspected(kSecond);
        (*m_window)->tabs().setCurrentIndex(1);
        const QByteArray docks = (*m_window)->saveState();
        views()->aboutToShow();
        QTRY_VERIFY(viewsEntry(QStringLiteral("old")));
        viewsEntry(QStringLiteral("old"))->trigger();
        QTRY_COMPARE(filter()->text(), QStringLiteral("alpha"));
        QCOMPARE((*m_window)->tabs().currentIndex(), 1);
        QCOMPARE(m_window->bench().selection.inspected(), kSecond);
        QCOMPARE((*m_window)->saveState(), docks);
    }

    /// Pixel by pixel; the runs keep the looks that the window has given them, which are not those of their order in the view.
    void E7_theCommandDrawsTheSamePicture()
    {
        openBoth();
        viewState().setSmoothing({ui::Smoothing::Kind::Exponential, 10});
        viewState().toggleScale("loss");
        viewState().setX({5, 60});
        save(QStringLiteral("mine"));
        QTRY_COMPARE(ui::Settings(m_home->home()).looks(), m_window->bench().selection.looks());
        const auto look = [this](const QString& run) { return m_window->bench().selection.lookOf(run); };
        QVERIFY(look(drawn().front()) > look(drawn().back()));
        QTRY_COMPARE(panel("loss")->canvas().lines().front().data->smoothed.size(), panel("loss")->canvas().lines().front().data->points.size());

        const QTemporaryDir folder;
        const QString ofWindow = folder.filePath("window.png"), ofCommand = folder.filePath("command.png");
        QString error = QStringLiteral("not answered");
        ui::writeImage({{panel("loss")}, 1}, ofWindow, this, [&error](const QString& problem) { error = problem; });
        QTRY_COMPARE(error, QString());
        const QSize size = panel("loss")->canvas().size();
        QProcess command;
        command.setProcessEnvironment([] {
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            environment.insert("LC_ALL", "C.UTF-8");  // as the test's window
            return environment;
        }());
        command.start(ATELIER_BIN_DIR "/atelier",
            {"plot", "--view", "mine", "--metric", "loss", "--size", QStringLiteral("%1x%2").arg(size.width()).arg(size.height()), "--output", ofCommand});
        QVERIFY(command.waitForFinished());
        QVERIFY2(command.exitCode() == 0, command.readAllStandardError());
        QVERIFY(!QImage(ofWindow).isNull());
        QVERIFY(QImage(ofCommand) == QImage(ofWindow));
    }

    void E5_aViewOfTheSameNameIsReplacedOnlyWhenConfirmed()
    {
        openBoth();
        save(QStringLiteral("mine"));
        const auto content = [this] {
            QFile kept(QString::fromStdString(file("mine.json").string()));
            return kept.open(QIODevice::ReadOnly) ? kept.readAll() : QByteArray();
        };
        const QByteArray before = content();
        viewState().setX({1, 2});
        for (const char* verb : {"Cancel", "Replace"}) {
            QCOMPARE(content(), before);
            m_window->action("view.save")->trigger();
            answer(QStringLiteral("mine"));
            auto* question = (*m_window)->findChild<QMessageBox*>(QStringLiteral("viewQuestion"));
            QVERIFY(question);
            for (QAbstractButton* button : question->buttons()) {
                if (button->text().remove('&') == QLatin1String(verb))
                    button->click();
            }
        }
        QTRY_VERIFY(content() != before);
    }

    void E5_aViewThatCannotBeOpenedChangesNothing_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("reason");
        QTest::newRow("E5: no JSON") << QByteArray("\x00\xff{", 3) << "is damaged";
        QTest::newRow("E5: empty") << QByteArray() << "is damaged";
        QTest::newRow("E5: other JSON") << QByteArray(R"({"version":1,"drawn":7,"plots":{}})") << "is damaged";
        QTest::newRow("E5: of a newer program") << QByteArray(R"({"version":99})") << "was saved by a newer Atelier";
        QTest::newRow("E5: huge") << QByteArray(2 << 20, '[') << "is damaged";
    }
    void E5_aViewThatCannotBeOpenedChangesNothing()
    {
        QFETCH(QByteArray, content);
        QFETCH(QString, reason);
        std::filesystem::create_directories(file(""));
        QFile kept(QString::fromStdString(file("bad.json").string()));
        QVERIFY(kept.open(QIODevice::WriteOnly) && kept.write(content) == content.size());
        kept.close();
        openBoth();
        const ui::SavedView before = (*m_window)->view().view();
        QTRY_VERIFY(viewsEntry(QStringLiteral("bad")));
        viewsEntry(QStringLiteral("bad"))->trigger();
        QTRY_COMPARE(status(), QStringLiteral("The view “bad” cannot be opened: its file %1 %2. Nothing was changed.").arg(kept.fileName(), reason));
        QVERIFY((*m_window)->view().view() == before);
        QVERIFY(kept.open(QIODevice::ReadOnly) && kept.readAll() == content);
    }

    void E5_aViewDrawsItsMissingRunsWhenTheyComeBack()
    {
        openBoth();
        save(QStringLiteral("both"));
        m_window->bench().control.trash({QString::fromStdString((m_home->home().runs() / kSecond.toStdString()).string())});
        QTRY_COMPARE(drawn(), QStringList(kFirst));
        m_window->bench().selection.setAllDrawn({});
        viewsEntry(QStringLiteral("both"))->trigger();
        QTRY_COMPARE(drawn(), QStringList(kFirst));
        QTRY_VERIFY2(status().endsWith("One of its runs is not here; it is drawn if it comes back."), qPrintable(status()));
        QTRY_VERIFY(!m_window->bench().trash.items().empty());
        m_window->bench().control.restore(m_window->bench().trash.items());
        QTRY_COMPARE(drawn(), QStringList({kFirst, kSecond}));
    }
};

ATELIER_UI_TEST_MAIN(WindowViewsTest)
#include "tst_window_views.moc"
