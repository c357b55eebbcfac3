// E9: the desktop is told that a run has ended or hangs, and Show leads to it. The notification service is real D-Bus, spoken to
// without a bus in between.
#include "engine/contract/run/journal.h"
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/notify/notifications.h"

#include <QDateTime>
#include <QDBusAbstractAdaptor>
#include <QDBusServer>
#include <QSignalSpy>
#include <QTest>
#include <QWidget>

#include <memory>

using launcher::RunState;

namespace {

struct Shown {
    QString title, text;
    int urgency = 0;
};

}  // namespace

/// The notification service of a desktop.
class Service : public QObject {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Notifications")
public:
    std::vector<Shown> shown;

public Q_SLOTS:
    uint Notify(const QString&, uint, const QString&, const QString& title, const QString& text, const QStringList&, const QVariantMap& hints, int)
    {
        shown.push_back({title, text, hints.value("urgency").toInt()});
        return 100 + static_cast<uint>(shown.size());
    }

Q_SIGNALS:
    void ActionInvoked(uint notification, const QString& action);
    void NotificationClosed(uint notification, uint reason);
};

class NotificationsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QDBusServer> m_server;
    std::unique_ptr<Service> m_service;
    std::unique_ptr<QDBusConnection> m_desktop;  ///< the service's end
    std::unique_ptr<QDBusConnection> m_client;
    ui::Selection m_selection;
    std::unique_ptr<ui::RunsModel> m_runs;
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<ui::Settings> m_settings;
    std::unique_ptr<QWidget> m_window;
    ui::Notifications* m_notifications = nullptr;

    void setState(const QString& id, RunState state, const std::string& cause = {})
    {
        launcher::RunStatus status;
        status.state = state;
        status.step = 80;
        status.totalSteps = 100;
        status.cause = cause;
        m_runs->setStatus(id, status);
    }
    QStringList titles() const
    {
        QStringList all;
        for (const Shown& each : m_service->shown)
            all << each.title;
        return all;
    }

private Q_SLOTS:
    void init()
    {
        m_service = std::make_unique<Service>();
        m_server = std::make_unique<QDBusServer>();
        connect(m_server.get(), &QDBusServer::newConnection, this, [this](const QDBusConnection& connection) {
            m_desktop = std::make_unique<QDBusConnection>(connection);
            m_desktop->registerObject("/org/freedesktop/Notifications", m_service.get(),
                QDBusConnection::ExportAllSlots | QDBusConnection::ExportAllSignals);
        });
        m_client = std::make_unique<QDBusConnection>(QDBusConnection::connectToPeer(m_server->address(), QTest::currentTestFunction()));
        QTRY_VERIFY(m_desktop);
        m_home = std::make_unique<ui_test::TestHome>();
        m_settings = std::make_unique<ui::Settings>(m_home->home());
        m_runs = std::make_unique<ui::RunsModel>(m_selection);
        storage::RunRow digits, emoji;
        digits.id = "a";
        digits.name = "digits";
        digits.totalSteps = 100;
        digits.lastStep = 80;
        digits.lastLoss = 0.25;
        emoji.id = "b";
        emoji.name = "<i>emoji";
        m_runs->setRows({digits, emoji});
        m_window = std::make_unique<QWidget>();
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        m_notifications = new ui::Notifications(*m_runs, *m_settings, *m_window, *m_client);
        // Another window is in front.
        QWidget* const other = new QWidget(m_window.get(), Qt::Window);
        other->show();
        other->activateWindow();
        QTRY_VERIFY(!m_window->isActiveWindow());
    }
    void cleanup()
    {
        m_window.reset();
        m_service.reset();  // before its connection, which the calls that it has not received refer to
        m_desktop.reset();
        m_client.reset();
        QDBusConnection::disconnectFromPeer(QTest::currentTestFunction());
        m_server.reset();
    }

    void e09_whatWasActiveAndEndsIsTold()
    {
        setState("a", RunState::Running);
        setState("b", RunState::Failed, "long ago");  // was over before
        setState("a", RunState::Finished);
        QTRY_COMPARE(m_service->shown.size(), std::size_t(1));
        QCOMPARE(titles(), QStringList {"digits has finished"});
        QCOMPARE(m_service->shown[0].text, QStringLiteral("80 of 100 steps, loss 0.25"));
        QCOMPARE(m_service->shown[0].urgency, 1);
        setState("b", RunState::Running);
        setState("b", RunState::Stalled);
        setState("b", RunState::Running);
        setState("b", RunState::Failed, "Rank 1 was killed <b>(signal 9)</b>");
        setState("b", RunState::Failed, "Rank 1 was killed <b>(signal 9)</b>");
        QTRY_COMPARE(m_service->shown.size(), std::size_t(3));
        QCOMPARE(titles().mid(1), QStringList({"<i>emoji hangs", "<i>emoji has failed"}));
        QCOMPARE(m_service->shown[2].text, QStringLiteral("Rank 1 was killed &lt;b&gt;(signal 9)&lt;/b&gt;"));
        QCOMPARE(m_service->shown[2].urgency, 2);
    }

    void e09_showLeadsToTheRun()
    {
        QSignalSpy chosen(m_notifications, &ui::Notifications::runChosen);
        setState("a", RunState::Running);
        setState("a", RunState::Interrupted);
        QTRY_COMPARE(titles(), QStringList {"digits was interrupted"});
        Q_EMIT m_service->ActionInvoked(7, "show");  // of another program
        Q_EMIT m_service->ActionInvoked(101, "show");
        QTRY_COMPARE(chosen.count(), 1);
        QCOMPARE(chosen.takeFirst().front().toString(), QStringLiteral("a"));
        QTRY_VERIFY(m_window->isActiveWindow());
        m_window->findChild<QWidget*>()->activateWindow();
        QTRY_VERIFY(!m_window->isActiveWindow());
        setState("b", RunState::Running);
        setState("b", RunState::Failed);
        QTRY_COMPARE(m_service->shown.size(), std::size_t(2));
        Q_EMIT m_service->NotificationClosed(101, 2);
        Q_EMIT m_service->ActionInvoked(101, "show");
        Q_EMIT m_service->ActionInvoked(102, "other");
        Q_EMIT m_service->ActionInvoked(102, "show");  // signals come in order: those before it have come, too
        QTRY_VERIFY(!chosen.isEmpty());
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(chosen.takeFirst().front().toString(), QStringLiteral("b"));
    }

    /// It need not have been seen active.
    void E9_aQueuedRunThatFailsBetweenTwoLooksIsTold()
    {
        setState("a", RunState::Queued);
        setState("a", RunState::Prepared);
        setState("a", RunState::Queued);
        setState("a", RunState::Failed, "Rank 0 was killed");
        QTRY_COMPARE(titles(), QStringList {"digits has failed"});
        QCOMPARE(m_service->shown[0].text, QStringLiteral("Rank 0 was killed"));
        setState("b", RunState::Prepared);
        setState("b", RunState::Finished);
        QTRY_COMPARE(titles(), QStringList({"digits has failed", "<i>emoji has finished"}));
    }

    void E9_whatGoesWrongInTheQueueIsToldOnce()
    {
        using Kind = launcher::QueueAlert::Kind;
        ui::RunAlerts& alerts = m_notifications->alerts();
        launcher::Queue queue;
        launcher::addAlert(queue, {.kind = Kind::NotStarted, .run = "a", .unixMs = 1, .message = "an old one"});
        alerts.setQueue(queue);  // what it was like before is no news
        launcher::addAlert(queue, {.kind = Kind::NotStarted, .run = "b", .unixMs = 2, .message = "no GPU is free"});
        launcher::addAlert(queue, {.kind = Kind::NotStarted, .run = "unknown", .unixMs = 3, .message = "its folder is gone"});
        launcher::addAlert(queue, {.kind = Kind::Held, .run = "a", .unixMs = 4, .message = "the run has failed"});
        alerts.setQueue(queue);
        queue.waiting.push_back({.run = "c", .problem = {}});  // something else has changed
        alerts.setQueue(queue);
        QTRY_COMPARE(titles(), QStringList({"<i>emoji could not be started", "unknown could not be started", "The queue is held after digits"}));
        QCOMPARE(m_service->shown[0].text, QStringLiteral("no GPU is free"));
        QCOMPARE(m_service->shown[0].urgency, 2);
        launcher::addAlert(queue, {.kind = Kind::NotStarted, .run = "b", .unixMs = 5, .message = "no GPU is free"});  // again, after a release
        alerts.setQueue(queue);
        QTRY_COMPARE(titles().size(), 4);
    }

    /// A run may be seen for the first time when one of its rules has fired.
    void E9_aRuleThatFiresIsToldOnceWheneverItsRunIsSeen()
    {
        QSignalSpy raised(&m_notifications->alerts(), &ui::RunAlerts::raised);
        const auto see = [&](const QString& id, std::int64_t firedUnixMs, RunState state) {
            launcher::RunStatus status;
            status.state = state;
            status.rule = "loss > 9: notify";
            status.ruleUnixMs = firedUnixMs;
            m_runs->setStatus(id, status);
            return raised.count();
        };
        const std::int64_t now = QDateTime::currentMSecsSinceEpoch();
        QCOMPARE(see("b", now - 60'000, RunState::Running), 0);  // before this window
        QCOMPARE(see("a", now + 1, RunState::Stopped), 1);
        QCOMPARE(see("a", now + 1, RunState::Running), 1);
        QCOMPARE(see("a", now + 2, RunState::Running), 2);
        QCOMPARE(see("b", now - 50'000, RunState::Running), 3);  // its machine's clock is slow
    }

    void e09_whatIsOverIsNoNewsAgain()
    {
        QSignalSpy raised(&m_notifications->alerts(), &ui::RunAlerts::raised);
        setState("a", RunState::Running);
        setState("a", RunState::Finished);
        setState("a", RunState::Interrupted);  // its files are being restored
        QCOMPARE(raised.count(), 1);
    }

    void e09_notWhileTheUserLooksAndNotWhenSwitchedOff()
    {
        QSignalSpy raised(&m_notifications->alerts(), &ui::RunAlerts::raised);
        m_settings->setNotificationsOn(false);
        setState("a", RunState::Running);
        setState("a", RunState::Finished);
        QTRY_VERIFY(!ui::Settings(m_home->home()).areNotificationsOn());
        m_settings->setNotificationsOn(true);
        m_window->activateWindow();
        QTRY_VERIFY(m_window->isActiveWindow());
        setState("b", RunState::Running);
        setState("b", RunState::Failed);
        QCOMPARE(raised.count(), 2);
        m_window->findChild<QWidget*>()->activateWindow();
        QTRY_VERIFY(!m_window->isActiveWindow());
        setState("a", RunState::Running);
        setState("a", RunState::Stopped);  // by the user, who knows
        setState("b", RunState::Running);
        setState("b", RunState::Finished);
        QTRY_COMPARE(titles(), QStringList {"<i>emoji has finished"});
    }

    void e09_aNearlyFullDiskIsToldOnce()
    {
        QSignalSpy raised(&m_notifications->alerts(), &ui::RunAlerts::raised);
        ui::RunAlerts& alerts = m_notifications->alerts();
        alerts.setFreeSpace(1'000'000);  // nothing runs that would need it
        QCOMPARE(raised.count(), 0);
        setState("a", RunState::Running);
        alerts.setFreeSpace(-1);
        alerts.setFreeSpace(contract::kLowDiskBytes - 1);
        alerts.setFreeSpace(contract::kLowDiskBytes - 2);
        QCOMPARE(raised.count(), 1);
        alerts.setFreeSpace(contract::kLowDiskBytes);
        alerts.setFreeSpace(contract::kLowDiskBytes - 1);
        QCOMPARE(raised.count(), 2);
        QTRY_COMPARE(titles(), QStringList({"The disk is nearly full", "The disk is nearly full"}));
    }
};

ATELIER_UI_TEST_MAIN(NotificationsTest)
#include "tst_notifications.moc"
