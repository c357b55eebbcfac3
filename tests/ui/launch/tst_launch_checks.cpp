// M2, M3: what the launch window does with the checks before a start.
#include "tests/ui/support/held.h"
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/launch/draft.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/option_field.h"
#include "ui/launch/option_form.h"
#include "ui/launch/preflight_list.h"

#include <QApplication>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>

#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <string_view>

namespace {

std::atomic<bool> isDiskHeld = false;

}  // namespace

/// Takes the place of the C library's: the disk below a folder "held" does not answer while isDiskHeld.
extern "C" int stat(const char* __restrict path, struct stat* __restrict found) noexcept
{
    if (std::string_view(path).find("/held/") != std::string_view::npos)
        isDiskHeld.wait(true);
    return ::fstatat(AT_FDCWD, path, found, 0);
}

class LaunchChecksTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<ui::RunControl> m_control;
    std::unique_ptr<ui::Settings> m_settings;
    std::unique_ptr<ui::LaunchWindow> m_window;

    void open()
    {
        m_settings = std::make_unique<ui::Settings>(m_home->home());
        m_window = std::make_unique<ui::LaunchWindow>(m_home->home(), *m_control, *m_settings);
        m_window->show();
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        QTRY_VERIFY(!m_window->draft().isChecking());
    }
    QPushButton* start() { return m_window->findChild<QPushButton*>(QStringLiteral("startButton")); }
    QPushButton* cancel() { return m_window->findChild<QPushButton*>(QStringLiteral("cancelStart")); }
    QString message() { return m_window->findChild<QLabel*>(QStringLiteral("launchMessage"))->text(); }

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        m_control = std::make_unique<ui::RunControl>(m_home->home());
        qputenv("ATELIER_WORKER", "/nowhere/atelier-worker");
    }
    void cleanup()
    {
        m_window.reset();
        m_settings.reset();
        m_control.reset();
        m_home.reset();
        isDiskHeld = false;
        isDiskHeld.notify_all();
        qunsetenv("ATELIER_WORKER");
    }

    void m03_theChecksEndThoughADiskDoesNotAnswer()
    {
        isDiskHeld = true;
        ui::Draft draft(m_home->home());
        QSignalSpy checked(&draft, &ui::Draft::checked);
        draft.setField("data.path", "/held/digits.csv");
        QVERIFY(checked.wait(10'000));
        QVERIFY(isDiskHeld);
        const auto experiment = std::ranges::find(draft.preflight(), std::string("Experiment"), &launcher::PreflightItem::what);
        QVERIFY(experiment != draft.preflight().end());
        QCOMPARE(experiment->level, launcher::PreflightItem::Level::Warning);
        isDiskHeld = false;
        isDiskHeld.notify_all();
        draft.setField("run.name", "again");
        QVERIFY(checked.wait(10'000));
        QVERIFY2(draft.problemOf("data.path").contains("no such file"), qPrintable(draft.problemOf("data.path")));
    }

    void m02_whatTheChecksFindIsCountedAndLedTo()
    {
        open();
        QCOMPARE(start()->text(), QStringLiteral("Start – 1 problem left"));
        start()->click();
        QVERIFY2(message().startsWith("the worker program") || message().startsWith("The worker program"), qPrintable(message()));
        auto* const list = m_window->findChild<ui::PreflightList*>();
        QCOMPARE(QApplication::focusWidget(), list);
        auto* const label = list->findChild<QLabel*>(QStringLiteral("preflight Worker"));
        QVERIFY(!label->visibleRegion().isEmpty());
        qputenv("ATELIER_WORKER", "/bin/true");
        m_window->draft().setField("run.name", "again");
        QTRY_COMPARE(start()->text(), QStringLiteral("Start"));
        QCOMPARE(message(), QString());
    }

    void M3_aMistakeInAFieldIsAmongTheFindings()
    {
        qputenv("ATELIER_WORKER", "/bin/true");
        open();
        QTRY_COMPARE(start()->text(), QStringLiteral("Start"));
        auto* const list = m_window->findChild<ui::PreflightList*>();
        const auto findings = [list] {
            QStringList texts;
            for (const QLabel* const label : list->findChildren<QLabel*>(QStringLiteral("preflight Experiment")))
                texts << label->text();
            return texts;
        };
        const QStringList before = findings();
        m_window->draft().setField("optim.lr", "quick");
        QVERIFY2(findings().value(0).contains("quick"), qPrintable(findings().join('\n')));
        auto* const button = list->findChild<QPushButton*>();
        QCOMPARE(button->text(), QStringLiteral("Show the option"));
        button->click();
        QVERIFY(m_window->form().field("optim.lr")->isAncestorOf(m_window->focusWidget()));
        m_window->draft().setField("optim.lr", "0.001");
        QTRY_COMPARE(findings(), before);
    }

    void m03_aStartWaitsForTheChecksAndCanBeCancelled()
    {
        open();
        {
            const ui_test::HeldPool held;
            m_window->draft().setField("run.name", "other");
            start()->click();
            QCOMPARE(message(), QStringLiteral("Starts when the checks have ended."));
            QVERIFY(cancel()->isVisible());
            m_window->draft().setField("run.name", "another");
            QCOMPARE(message(), QStringLiteral("Starts when the checks have ended."));
            cancel()->click();
            QCOMPARE(message(), QString());
            QVERIFY(!cancel()->isVisible());
        }
        QTRY_VERIFY(!m_window->draft().isChecking());
        QCOMPARE(message(), QString());
        {
            const ui_test::HeldPool held;
            m_window->draft().setField("run.name", "third");
            start()->click();
        }
        QTRY_VERIFY2(message().contains("worker program"), qPrintable(message()));
        QVERIFY(!cancel()->isVisible());
    }
};

ATELIER_UI_TEST_MAIN(LaunchChecksTest)
#include "tst_launch_checks.moc"
