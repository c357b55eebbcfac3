// What the window shows of a data home, and what its controls say about themselves.
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/launch/launch_window.h"
#include "ui/runs/runs_view.h"
#include "ui/single_instance.h"

#include <QAbstractScrollArea>
#include <QAccessible>
#include <QDesktopServices>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QUrl>

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

    QList<QUrl> m_opened;  ///< what the desktop was asked to open

    void open() { m_window = std::make_unique<OpenWindow>(m_home->home()); }

public Q_SLOTS:
    void takeUrl(const QUrl& url) { m_opened << url; }

private Q_SLOTS:

    void init() { m_home = std::make_unique<ui_test::TestHome>(); }

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

    /// Runs whose supervisor died before the index knew of them appear when the window opens.
    void m01_finishedAndInterruptedRunsAreWhatTheirFoldersSay()
    {
        m_home->writeRun("done-20261121-100000-aaaa", 100, "finished");
        m_home->writeRun("gone-20261121-100001-bbbb", 40, "");
        m_home->writeRun("sick-20261121-100002-cccc", 41, "failed", "Rank 1 was killed (signal 9) at step 41");
        open();
        QTRY_COMPARE(m_window->stateOf("done-20261121-100000-aaaa"), std::optional(RunState::Finished));
        QTRY_COMPARE(m_window->stateOf("gone-20261121-100001-bbbb"), std::optional(RunState::Interrupted));
        QTRY_COMPARE(m_window->stateOf("sick-20261121-100002-cccc"), std::optional(RunState::Failed));
        (*m_window)->openRun("sick-20261121-100002-cccc");
        QTRY_COMPARE((*m_window)->findChild<QLabel*>("causeText")->text(),
            QStringLiteral("Rank 1 was killed (signal 9) at step 41"));
    }

    void aTrashedRunCanBeBroughtBack()
    {
        m_home->writeRun("done-20261121-100000-aaaa", 100, "finished");
        open();
        QTRY_COMPARE(m_window->stateOf("done-20261121-100000-aaaa"), std::optional(RunState::Finished));
        QTRY_VERIFY(m_window->action("run.trash")->isEnabled());
        m_window->action("run.trash")->trigger();
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 0);
        QTRY_VERIFY(m_window->action("edit.undo")->isEnabled());
        m_window->action("edit.undo")->trigger();
        QTRY_COMPARE(m_window->stateOf("done-20261121-100000-aaaa"), std::optional(RunState::Finished));
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

    void theOverviewTellsWhatTheDeviceIsUsedFor()
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

    void aSecondStartRaisesTheFirst()
    {
        ui::SingleInstance first(m_home->home());
        QVERIFY(!first.tell("raise"));
        QVERIFY(first.listen());
        QSignalSpy told(&first, &ui::SingleInstance::told);
        QVERIFY(ui::SingleInstance(m_home->home()).tell("run digits-1"));
        QTRY_COMPARE(told.count(), 1);
        QCOMPARE(told.front().front().toString(), QStringLiteral("run digits-1"));
    }

    void everyActionSaysWhatItIsAndKeysAreUnique()
    {
        open();
        QSet<QString> keys;
        for (const ui::ActionSpec& spec : m_window->bench().actions.specs()) {
            QVERIFY(!spec.text.isEmpty());
            if (spec.key.isEmpty())
                continue;
            QVERIFY2(!keys.contains(spec.key.toString()), qPrintable(spec.key.toString()));
            keys.insert(spec.key.toString());
        }
    }

    void everyControlHasAName()
    {
        open();
        (*m_window)->openLaunchWindow();
        QList<QWidget*> widgets = (*m_window)->findChildren<QWidget*>();
        widgets += (*m_window)->openLaunchWindow().findChildren<QWidget*>();
        for (QWidget* widget : widgets) {
            if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisible() || !widget->isEnabled())
                continue;
            QAccessibleInterface* const face = QAccessible::queryAccessibleInterface(widget);
            if (!face || face->role() == QAccessible::Client || qobject_cast<QAbstractScrollArea*>(widget->parent())
                || widget->inherits("QScrollArea"))
                continue;
            QVERIFY2(!face->text(QAccessible::Name).isEmpty(),
                qPrintable(QStringLiteral("%1 %2").arg(widget->metaObject()->className(), widget->objectName())));
        }
    }
};

ATELIER_UI_TEST_MAIN(WindowStatesTest)
#include "tst_window_states.moc"
