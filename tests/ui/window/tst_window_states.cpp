// The states that the window shows for a data home.
#include "engine/contract/run/annotations.h"
#include "launcher/runs/launch.h"
#include "tests/ui/support/held.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/inspector/inspector.h"
#include "ui/launch/launch_window.h"
#include "ui/logs/log_model.h"
#include "ui/logs/logs_dock.h"
#include "ui/more_steps_dialog.h"
#include "ui/plot/plots_view.h"
#include "ui/runs/runs_view.h"
#include "ui/status_strip.h"

#include <QCheckBox>
#include <QDateTime>
#include <QDesktopServices>
#include <QDockWidget>
#include <QFile>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QTreeView>
#include <QUrl>
#include <QWindow>

#include <algorithm>
#include <filesystem>
#include <fstream>

using launcher::RunState;
using ui_test::button;
using ui_test::emptySentence;
using ui_test::OpenWindow;

class WindowStatesTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    QList<QUrl> m_opened;  ///< URLs passed to QDesktopServices::openUrl()

    void open() { m_window = std::make_unique<OpenWindow>(m_home->home()); }

public Q_SLOTS:
    void takeUrl(const QUrl& url) { m_opened << url; }

private Q_SLOTS:

    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        m_opened.clear();
    }

    void cleanup()
    {
        m_window.reset();
        QVERIFY(ui_test::endRuns(m_home->home()));
        m_home.reset();
    }

    void m14_anEmptyHomeOffersTheFirstStep()
    {
        open();
        QTRY_COMPARE(emptySentence((*m_window)->runsView()), QStringLiteral("No runs yet."));
        QTRY_VERIFY(button((*m_window)->runsView(), "Run the digits demo"));
        button((*m_window)->runsView(), "New experiment")->click();
        QVERIFY((*m_window)->openLaunchWindow().isVisible());
    }

    void m14_aViewOfARunOffersTheFirstStep()
    {
        open();
        (*m_window)->tabs().setCurrentIndex(1);
        QWidget& samples = *(*m_window)->tabs().currentWidget();
        QTRY_VERIFY(button(samples, "New experiment"));
        QVERIFY(button(samples, "Run the digits demo") && !button(samples, "Show the newest run"));
        button(samples, "New experiment")->click();
        QVERIFY((*m_window)->openLaunchWindow().isVisible());
        m_window.reset();

        m_home->writeRun("beta-20261121-100001-bbbb", 10, "finished");
        m_home->writeRun("alpha-20261121-100000-aaaa", 10, "finished");
        contract::RunFolder newer(m_home->home().runs() / "alpha-20261121-100000-aaaa");
        contract::AttemptStart start = newer.readStart(1);
        start.startUnixMs += 1000;
        newer.writeStart(start);
        open();
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 2);
        ui::Selection& selection = m_window->bench().selection;
        selection.setAllDrawn({});
        selection.setInspected({});
        (*m_window)->tabs().setCurrentIndex(2);
        QWidget& checkpoints = *(*m_window)->tabs().currentWidget();
        QTRY_VERIFY(button(checkpoints, "Show the newest run"));
        QVERIFY(!button(checkpoints, "New experiment"));
        button(checkpoints, "Show the newest run")->click();
        QTRY_COMPARE(selection.inspected(), QStringLiteral("alpha-20261121-100000-aaaa"));
        QTRY_COMPARE(emptySentence(checkpoints), QStringLiteral("This run has no checkpoints."));
        QVERIFY(!button(checkpoints, "Show the newest run") && !button(checkpoints, "Checkpoint"));
    }

    void m14_aRunThatHasEndedPromisesNothing()
    {
        const QString over = "alpha-20261121-100000-aaaa";
        m_home->writeRun(over.toStdString(), 10, "finished");
        const std::string later = launcher::createRun(m_home->home(), ui_test::plainExperiment(5)).folder.id();  // never started
        m_home->ingest();
        open();
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 2);
        QWidget& samples = *(*m_window)->tabs().widget(1);
        QWidget& checkpoints = *(*m_window)->tabs().widget(2);
        m_window->bench().selection.setInspected(QString::fromStdString(later));
        (*m_window)->tabs().setCurrentIndex(1);
        QTRY_COMPARE(emptySentence(samples), QStringLiteral("No samples. They appear here when the run draws them."));
        (*m_window)->tabs().setCurrentIndex(2);
        QTRY_COMPARE(emptySentence(checkpoints), QStringLiteral("No checkpoints yet. The first one appears here when it has been written."));
        m_window->bench().selection.setInspected(over);
        QTRY_COMPARE(emptySentence(checkpoints), QStringLiteral("This run has no checkpoints."));
        (*m_window)->tabs().setCurrentIndex(1);
        QTRY_COMPARE(emptySentence(samples), QStringLiteral("This run has no samples."));
    }

    void m14_aRunThatEndedBeforeItsFirstStepPromisesNone()
    {
        const QString run = "alpha-20261121-100000-aaaa";
        const contract::RunFolder folder = m_home->writeRun(run.toStdString(), 0, "");
        m_home->ingest();
        open();
        QTRY_VERIFY(m_window->entry(run) && m_window->entry(run)->status);
        m_window->bench().selection.setAllDrawn({run});
        m_window->bench().selection.setInspected(run);
        const auto said = [&](const char* name) {
            QDockWidget& dock = *(*m_window)->findChild<QDockWidget*>(QLatin1String(name));
            dock.raise();  // what lies behind another one reads nothing
            return emptySentence(*dock.widget());
        };
        QTRY_COMPARE(emptySentence(*(*m_window)->tabs().widget(0)), QStringLiteral("No step has been recorded."));
        QTRY_COMPARE(said("stepsDock"), QStringLiteral("This run has finished no step."));
        QTRY_COMPARE(said("logsDock"), QStringLiteral("This run has logged nothing."));
    }

    void m14_aFilterWithoutMatchesSaysSo()
    {
        m_home->writeRun("alpha-20261121-100000-aaaa", 10, "finished");
        m_home->writeRun("beta-20261121-100001-bbbb", 10, "finished");
        open();
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 2);
        auto* search = (*m_window)->runsView().findChild<QLineEdit*>();
        search->setText("no such run");
        QCOMPARE(emptySentence((*m_window)->runsView()), QStringLiteral("0 of 2 runs match."));
        QTRY_VERIFY(button((*m_window)->runsView(), "Clear filter"));
        button((*m_window)->runsView(), "Clear filter")->click();
        QCOMPARE(emptySentence((*m_window)->runsView()), QString());
    }

    void aHomeOfArchivedRunsSaysSo()
    {
        const contract::RunFolder run = m_home->writeRun("done-20261121-100000-aaaa", 10, "finished");
        contract::Annotations notes;
        notes.isArchived = true;
        contract::appendAnnotations(run.annotations(), {}, notes);
        open();
        QTRY_VERIFY(emptySentence((*m_window)->runsView()).startsWith("All runs are archived."));
        QTRY_VERIFY(button((*m_window)->runsView(), "Show archived runs"));  // M14
        button((*m_window)->runsView(), "Show archived runs")->click();
        QTRY_COMPARE(emptySentence((*m_window)->runsView()), QString());
    }

    /// Runs whose supervisor died before they were ingested appear when the window opens.
    void m01_finishedAndInterruptedRunsAreWhatTheirFoldersSay()
    {
        m_home->writeRun("done-20261121-100000-aaaa", 100, "finished");
        m_home->writeRun("gone-20261121-100001-bbbb", 40, "");
        m_home->writeRun("sick-20261121-100002-cccc", 41, "failed", "Rank 1 was killed (signal 9) after step 41");
        open();
        QTRY_COMPARE(m_window->stateOf("done-20261121-100000-aaaa"), std::optional(RunState::Finished));
        QTRY_COMPARE(m_window->stateOf("gone-20261121-100001-bbbb"), std::optional(RunState::Interrupted));
        QTRY_COMPARE(m_window->stateOf("sick-20261121-100002-cccc"), std::optional(RunState::Failed));
        (*m_window)->openRun("sick-20261121-100002-cccc");
        QTRY_COMPARE((*m_window)->findChild<QLabel*>("causeText")->text(),
            QStringLiteral("Rank 1 was killed (signal 9) after step 41"));
    }

    /// Section 7: relative times have the absolute ones in their tool tips, in the runs table and in the status bar.
    void E11_ageOfTheLastRecordHasTheTimeInItsToolTip()
    {
        ui::Selection selection;
        ui::RunsModel runs(selection);
        storage::RunRow row;
        row.id = "alpha-20261121-100000-aaaa";
        runs.setRows({row});
        launcher::RunStatus status;
        status.state = RunState::Running;
        status.lastRecordUnixMs = QDateTime::currentMSecsSinceEpoch() - 75'000;
        runs.setStatus(QString::fromStdString(row.id), status);
        const QString time = QLocale().toString(QDateTime::fromMSecsSinceEpoch(status.lastRecordUnixMs), QLocale::LongFormat);
        const QModelIndex age = runs.indexOf(QString::fromStdString(row.id), ui::RunsModel::Age);
        QCOMPARE(age.data().toString(), QStringLiteral("1 min ago"));
        QVERIFY(age.data(Qt::ToolTipRole).toString().contains(time));
        const ui::StatusStrip strip(runs, m_home->home());
        const auto labels = strip.findChildren<QLabel*>();
        const auto record = std::ranges::find(labels, QStringLiteral("Last record 1 min ago"), &QLabel::text);
        QVERIFY(record != labels.end());
        QVERIFY2((*record)->toolTip().contains(time), qPrintable((*record)->toolTip()));
    }

    void theTitleFollowsTheName_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("defect-46: renamed") << "a better name";
        QTest::newRow("defect-23: what Qt takes for its mark of unsaved changes") << "odd [*] name [*][*]";
    }
    void theTitleFollowsTheName()
    {
        QFETCH(QString, name);
        m_home->writeRun("done-20261121-100000-aaaa", 100, "finished");
        open();
        QTRY_COMPARE((*m_window)->windowTitle(), QStringLiteral("done – Atelier"));
        m_window->action("run.rename")->trigger();
        auto* dialog = (*m_window)->findChild<QInputDialog*>();
        QVERIFY(dialog);
        dialog->setTextValue(name);
        dialog->accept();
        // The window system's title, in which Qt has replaced "[*]".
        QTRY_COMPARE((*m_window)->windowHandle()->title(), QStringLiteral("%1 – Atelier").arg(name));
    }

    void agesGrowWhileNothingHappens_data()
    {
        QTest::addColumn<QByteArray>("row");
        QTest::newRow("defect-46: since the start") << QByteArray("started");
        QTest::newRow("defect-46: since the last record") << QByteArray("last");
    }
    void agesGrowWhileNothingHappens()
    {
        QFETCH(QByteArray, row);
        const std::string id = "done-20261121-100000-aaaa";
        const contract::RunFolder run = m_home->writeRun(id, 10, "finished");
        contract::AttemptStart start = run.readStart(1);
        start.startUnixMs = QDateTime::currentMSecsSinceEpoch();
        run.writeStart(start);
        open();
        const auto* age = (*m_window)->findChild<QLabel*>(QString::fromUtf8(row));
        QTRY_VERIFY2(age->text().endsWith("s ago"), qPrintable(age->text()));
        const int before = age->text().section(' ', 0, 0).toInt();
        QTRY_VERIFY(age->text().section(' ', 0, 0).toInt() >= before + 2);
        QCOMPARE(m_window->stateOf(QString::fromStdString(id)), std::optional(RunState::Finished));
    }

    void theResumeDialogIsReadyToAccept_data()
    {
        QTest::addColumn<int>("steps");
        QTest::newRow("defect-42: as suggested") << 100;
    }
    void theResumeDialogIsReadyToAccept()
    {
        QFETCH(int, steps);
        m_home->writeRun("done-20261121-100000-aaaa", 100, "finished");
        open();
        QTRY_VERIFY(m_window->action("run.resume")->isEnabled());
        m_window->action("run.resume")->trigger();
        auto* dialog = (*m_window)->findChild<ui::MoreStepsDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        QCOMPARE(dialog->steps().value(), steps);
        QVERIFY(ui_test::button(*dialog, "Resume")->isEnabled());
        QVERIFY(ui_test::button(*dialog, "Resume")->isDefault());
        dialog->reject();
    }

    void aRunWithAProfileOffersItsFolder()
    {
        const std::string plain = "plain-20261121-100000-aaaa", profiled = "profiled-20261121-100001-bbbb";
        m_home->writeRun(plain, 10, "finished");
        const contract::RunFolder run = m_home->writeRun(profiled, 10, "finished");
        std::ofstream(run.journal(0), std::ios::app)
            << R"({"type":"event","step":4,"t_ms":60000,"level":"info","kind":"profile",)"
            << R"("message":"profile/steps-3-4-rank-0.json"})" << '\n';
        open();
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 2);
        QAction* const openProfile = m_window->action("run.openProfile");
        (*m_window)->openRun(QString::fromStdString(profiled));
        QTRY_VERIFY(openProfile->isEnabled());
        QDesktopServices::setUrlHandler("file", this, "takeUrl");
        openProfile->trigger();
        QDesktopServices::unsetUrlHandler("file");
        QCOMPARE(m_opened, {QUrl::fromLocalFile(QString::fromStdString((run.root() / "profile").string()))});
        (*m_window)->openRun(QString::fromStdString(plain));
        QTRY_COMPARE(m_window->bench().facts.facts().runId, QString::fromStdString(plain));
        QVERIFY(!openProfile->isEnabled());
        QVERIFY2(openProfile->toolTip().contains("run.profile_steps"), qPrintable(openProfile->toolTip()));
        bool isInContextMenu = false;
        for (QMenu* menu : (*m_window)->findChildren<QMenu*>())
            isInContextMenu |= menu->actions().contains(openProfile) && menu->parent() == &m_window->window();
        QVERIFY(isInContextMenu);
    }

    void theOverviewShowsComputeUtilisation()
    {
        const std::string id = "busy-20261121-100000-aaaa";
        std::ofstream(m_home->writeRun(id, 10, "finished").journal(0), std::ios::app)
            << R"({"type":"step","step":11,"t_ms":60000,"perf/tflops":312.5,"perf/mfu":0.413})" << '\n';
        open();
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 1);
        (*m_window)->openRun(QString::fromStdString(id));
        const auto* value = (*m_window)->findChild<QLabel*>("compute");
        QTRY_COMPARE(value->text(), QStringLiteral("312.5 TFLOP/s per rank, 41.3 % of the device's peak"));
    }

    /// defect-43
    void aWindowOpenedAgainShowsWhatWasOpen()
    {
        for (int run = 0; run < 4; ++run)
            m_home->writeRun("run" + std::to_string(run) + "-20261121-10000" + std::to_string(run) + "-aaaa", 10, "finished");
        const QString first = "run0-20261121-100000-aaaa", third = "run2-20261121-100002-aaaa";
        open();
        ui::Selection* selection = &m_window->bench().selection;
        QTRY_COMPARE(selection->drawn().size(), 1);  // the newest, in a window without a past
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 4);
        selection->setDrawn(selection->drawn().front().runId, false);
        selection->setDrawn(third, true);
        selection->setDrawn(first, true);
        selection->setInspected(third);
        const auto drawn = selection->drawn();
        const auto header = [this] { return (*m_window)->runsView().findChild<QTreeView*>("runsTable")->header(); };
        header()->resizeSection(ui::RunsModel::Name, 137);
        header()->setSectionHidden(ui::RunsModel::Age, false);
        header()->moveSection(header()->visualIndex(ui::RunsModel::Loss), 2);
        auto* plots = (*m_window)->findChild<ui::PlotsView*>();
        plots->viewState().setSmoothing({ui::Smoothing::Kind::RunningMedian, 20});
        plots->viewState().toggleScale("loss");
        plots->viewState().toggleClip("grad_norm");
        plots->viewState().setShowsSuperseded(false);
        plots->chooseMetrics(std::set<std::string> {"loss"});
        const ui::PlotChoices choices = plots->choices();
        (*m_window)->tabs().setCurrentIndex(2);
        m_window->action("view.archived")->trigger();
        // As a killed window: nothing is closed first, what was chosen is in the file after a moment.
        QTRY_COMPARE(ui::Settings(m_home->home()).drawnRuns(), QStringList({third, first}));
        QTRY_COMPARE(ui::Settings(m_home->home()).viewState("plots"), toJson(choices));
        QTRY_COMPARE(ui::Settings(m_home->home()).header("runs"), (*m_window)->runsView().columns().state());

        m_window.reset();
        open();
        selection = &m_window->bench().selection;
        QTRY_COMPARE(selection->drawn().size(), 2);
        QCOMPARE(selection->drawn(), drawn);
        QCOMPARE(selection->inspected(), third);
        QCOMPARE(header()->sectionSize(ui::RunsModel::Name), 137);
        QVERIFY(!header()->isSectionHidden(ui::RunsModel::Age));
        QCOMPARE(header()->visualIndex(ui::RunsModel::Loss), 2);
        QVERIFY((*m_window)->findChild<ui::PlotsView*>()->choices() == choices);
        QCOMPARE((*m_window)->tabs().currentIndex(), 2);
        QVERIFY(m_window->action("view.archived")->isChecked());
    }

    /// M14: what cannot be read says why, in its view, with the ways on.
    void m14_aViewThatCannotBeReadOffersTheWaysOn_data()
    {
        QTest::addColumn<int>("tab");  // -1: the inspector
        QTest::newRow("plots") << 0;
        QTest::newRow("samples") << 1;
        QTest::newRow("checkpoints") << 2;
        QTest::newRow("compare") << 3;
        QTest::newRow("data") << 4;
        QTest::newRow("inspector") << -1;
    }
    void m14_aViewThatCannotBeReadOffersTheWaysOn()
    {
        QFETCH(int, tab);
        const QString first = "alpha-20261121-100000-aaaa", second = "beta-20261121-100001-bbbb", third = "gamma-20261121-100002-cccc";
        for (const QString& run : {first, second, third})
            m_home->writeRun(run.toStdString(), 10, "finished");
        m_home->ingest();
        open();
        QTRY_COMPARE(m_window->bench().facts.facts().runId, third);
        if (tab >= 0)
            (*m_window)->tabs().setCurrentIndex(tab);
        QWidget& view = tab >= 0 ? *(*m_window)->tabs().currentWidget() : *(*m_window)->findChild<ui::Inspector*>();
        const QString database = QString::fromStdString(m_home->home().database().string());
        {
            QFile damaged(database + ".damaged");
            QVERIFY(damaged.open(QIODevice::WriteOnly) && damaged.write(QByteArray(8192, 'x')) == 8192);
        }
        QFile::remove(database + "-wal");
        QFile::remove(database + "-shm");
        std::filesystem::rename((database + ".damaged").toStdString(), database.toStdString());
        m_window->bench().selection.setInspected(first);
        m_window->bench().selection.setAllDrawn({first, second});
        QTRY_VERIFY2(ui_test::errorSentence(view).contains("is not a database"), qPrintable(ui_test::errorSentence(view)));
        QTRY_VERIFY(button(view, "Retry") && button(view, "Details") && button(view, "Open folder"));
        QDesktopServices::setUrlHandler("file", this, "takeUrl");
        button(view, "Open folder")->click();
        QDesktopServices::unsetUrlHandler("file");
        QCOMPARE(m_opened, {QUrl::fromLocalFile(QString::fromStdString(m_home->home().index.string()))});
        button(view, "Details")->click();
        auto* const details = view.findChild<QMessageBox*>();
        QVERIFY(details && details->informativeText().contains(database) && details->informativeText().contains("atelier reindex"));
        details->close();
        QVERIFY(QFile::remove(database));
        m_home->ingest();
        QTRY_VERIFY(ui_test::errorSentence((*m_window)->runsView()).isEmpty());  // the index is open again
        if (QPushButton* const retry = button(view, "Retry"))  // unless it has read again by itself
            retry->click();
        QTRY_COMPARE(ui_test::errorSentence(view), QString());
    }

    void m14_aWrongExpressionForTheLogSaysSoAboveTheLines()
    {
        const contract::RunFolder run = m_home->writeRun("done-20261121-100000-aaaa", 10, "finished");
        std::ofstream(run.log(0)) << "loss (mean) 1\nother\n";
        open();
        ui::LogsDock& logs = (*m_window)->logs();
        QTRY_COMPARE(logs.model().count(), 2);
        auto* const text = logs.findChild<QLineEdit*>();
        logs.findChild<QCheckBox*>()->setChecked(true);
        text->setText(QStringLiteral("other"));
        QTRY_COMPARE(logs.model().count(), 1);
        text->setText(QStringLiteral("loss ("));
        QTRY_VERIFY2(ui_test::errorSentence(logs).contains("not a valid regular expression"), qPrintable(ui_test::errorSentence(logs)));
        QVERIFY(ui_test::errorSentence(logs).endsWith("The lines are still chosen as before."));
        QCOMPARE(logs.model().count(), 1);
        QTRY_VERIFY(button(logs, "Search for it as plain text"));
        button(logs, "Search for it as plain text")->click();
        QTRY_COMPARE(ui_test::errorSentence(logs), QString());
        QTRY_COMPARE(logs.model().count(), 1);
        QVERIFY(!logs.findChild<QCheckBox*>()->isChecked());
    }

    /// Promise 1, "never lie": what is known of one run does not stand below the name of the next, whose facts are still being read.
    void m14_aRunThatIsBeingReadShowsNothingOfTheOneBefore()
    {
        const QString first = "first-20261121-100000-aaaa", next = "next-20261121-100001-bbbb";
        m_home->writeRun(first.toStdString(), 80, "finished");
        m_home->writeRun(next.toStdString(), 20, "finished");
        m_home->ingest();
        open();
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 2);
        (*m_window)->openRun(first);
        QTRY_COMPARE(m_window->bench().facts.facts().runId, first);
        const auto* loss = (*m_window)->findChild<ui::Inspector*>()->findChild<QLabel*>("loss");
        const QString before = loss->text();
        QVERIFY(!before.isEmpty());
        {
            const ui_test::HeldReader held(m_window->bench().store);
            m_window->bench().selection.setInspected(next);
            QTRY_COMPARE(loss->text(), QStringLiteral("…"));
        }
        QTRY_COMPARE(m_window->bench().facts.facts().runId, next);
        QTRY_VERIFY(loss->text() != QStringLiteral("…"));
        QVERIFY(loss->text() != before);
    }

    /// An error strip stays until its cause is gone, also when ages are shown anew meanwhile.
    void theInspectorsErrorStays()
    {
        m_home->writeRun("done-20261121-100000-aaaa", 10, "finished");
        open();
        auto* inspector = (*m_window)->findChild<ui::Inspector*>();
        ui::FactsLoader& facts = m_window->bench().facts;
        QTRY_COMPARE(facts.facts().runId, QStringLiteral("done-20261121-100000-aaaa"));
        QTRY_COMPARE(m_window->stateOf("done-20261121-100000-aaaa"), std::optional(RunState::Finished));
        Q_EMIT facts.failed(storage::StoreError::Kind::Other, QStringLiteral("The disk is gone."));
        QCOMPARE(ui_test::errorSentence(*inspector), QStringLiteral("The disk is gone."));
        m_window->bench().runs.tick();
        QCOMPARE(ui_test::errorSentence(*inspector), QStringLiteral("The disk is gone."));
        facts.load();
        QTRY_COMPARE(ui_test::errorSentence(*inspector), QString());
    }
};

ATELIER_UI_TEST_MAIN(WindowStatesTest)
#include "tst_window_states.moc"
