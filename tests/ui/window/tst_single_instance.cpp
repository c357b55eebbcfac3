// One window for a data home: a second start hands its request over to the first, unless that one is closing.
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/single_instance.h"

#include <QSignalSpy>

#include <future>

class SingleInstanceTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;

private Q_SLOTS:
    void init() { m_home = std::make_unique<ui_test::TestHome>(); }

    void E11_aSecondStartRaisesTheFirst()
    {
        ui::SingleInstance first(m_home->home());
        QVERIFY(!first.sendMessage("raise"));
        QVERIFY(first.listen());
        QSignalSpy received(&first, &ui::SingleInstance::messageReceived);
        auto sent = std::async(std::launch::async, [this] { return ui::SingleInstance(m_home->home()).sendMessage("run digits-1"); });
        QTRY_COMPARE(received.count(), 1);
        QVERIFY(sent.get());
        QCOMPARE(received.front().front().toString(), QStringLiteral("run digits-1"));
    }

    void aClosingWindowTakesNoRequests_data()
    {
        QTest::addColumn<bool>("isClosed");
        QTest::newRow("defect-15: it has said so, and waits for its store") << true;
        QTest::newRow("defect-15: it does not answer") << false;
    }
    /// Then the second start opens a window of its own. Here too nobody reads the socket meanwhile.
    void aClosingWindowTakesNoRequests()
    {
        QFETCH(bool, isClosed);
        ui::SingleInstance first(m_home->home());
        QVERIFY(first.listen());
        if (isClosed)
            first.close();
        ui::SingleInstance second(m_home->home());
        QVERIFY(!second.sendMessage("raise"));
        QVERIFY(second.listen());
        auto sent = std::async(std::launch::async, [this] { return ui::SingleInstance(m_home->home()).sendMessage("raise"); });
        QSignalSpy received(&second, &ui::SingleInstance::messageReceived);
        QTRY_COMPARE(received.count(), 1);
        QVERIFY(sent.get());
    }
};

ATELIER_UI_TEST_MAIN(SingleInstanceTest)
#include "tst_single_instance.moc"
