// E10: the list of keys, and keys of one's own.
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/palette/keys_dialog.h"

#include <QKeySequenceEdit>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QTreeWidget>

#include <memory>

class KeysDialogTest : public QObject {
    Q_OBJECT

    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<ui::Settings> m_settings;
    std::unique_ptr<ui::ActionRegistry> m_actions;
    ui::KeysDialog* m_dialog = nullptr;

    void makeActions()
    {
        m_actions = std::make_unique<ui::ActionRegistry>();
        m_actions->add({"run.stop", "&Stop", {}, QKeySequence("Ctrl+."), "Finish the step", {}}, [] {});
        m_actions->add({"view.palette", "Palette…", {}, QKeySequence("Ctrl+K"), "Find", {}}, [] {});
        m_actions->add({"run.note", "Not&e…", {}, {}, "Write a note", {}}, [] {});
    }
    QString key(const char* id) const { return m_actions->action(QLatin1String(id))->shortcut().toString(QKeySequence::PortableText); }
    void choose(int row) { m_dialog->list().setCurrentItem(m_dialog->list().topLevelItem(row)); }
    void type(const char* sequence) { m_dialog->findChild<QKeySequenceEdit*>()->setKeySequence(QKeySequence(QLatin1String(sequence))); }
    QPushButton& button(const char* text)
    {
        for (QPushButton* each : m_dialog->findChildren<QPushButton*>())
            if (each->text() == QLatin1String(text))
                return *each;
        qFatal("there is no button %s", text);
    }

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        m_settings = std::make_unique<ui::Settings>(m_home->home());
        makeActions();
        m_dialog = new ui::KeysDialog(*m_actions, *m_settings, nullptr, {{"In a plot", "Alt++", "Zoom the y axis"}});
        m_dialog->show();
    }

    void cleanup()
    {
        delete m_dialog;
        m_actions.reset();
        m_settings.reset();
        m_home.reset();
    }

    void E10_actionsAreListedWithTheirKeys()
    {
        QCOMPARE(m_dialog->list().topLevelItemCount(), 4);
        QCOMPARE(m_dialog->list().topLevelItem(0)->text(0), QStringLiteral("Stop"));
        QCOMPARE(m_dialog->list().topLevelItem(1)->text(1), QStringLiteral("Ctrl+K"));
        QTest::keyClicks(m_dialog->findChild<QLineEdit*>(), "ctrl+k");
        QVERIFY(m_dialog->list().topLevelItem(0)->isHidden() && !m_dialog->list().topLevelItem(1)->isHidden());
    }

    void E10_theKeysOfAViewAreListedAndFixed()
    {
        choose(3);
        QCOMPARE(m_dialog->list().topLevelItem(3)->text(1), QStringLiteral("Alt++"));
        QCOMPARE(m_dialog->note(), QStringLiteral("This key belongs to the view that has the focus, and stays."));
        for (const char* text : {"Give it this key", "No key", "Default"})
            QVERIFY(!button(text).isEnabled());
        QVERIFY(!m_dialog->findChild<QKeySequenceEdit*>()->isEnabled());
        choose(0);
        QVERIFY(m_dialog->findChild<QKeySequenceEdit*>()->isEnabled() && m_dialog->note().isEmpty());
    }

    void E10_anActionGetsAnotherKeyAndKeepsIt()
    {
        choose(2);
        type("Ctrl+J");
        QVERIFY(m_dialog->note().isEmpty());
        button("Give it this key").click();
        QCOMPARE(key("run.note"), QStringLiteral("Ctrl+J"));
        QVERIFY(m_actions->action("run.note")->toolTip().contains("Ctrl+J"));
        QVERIFY(m_dialog->list().topLevelItem(2)->font(1).bold());
        // In the next session.
        delete m_dialog;
        m_dialog = nullptr;
        m_settings.reset();
        m_settings = std::make_unique<ui::Settings>(m_home->home());
        makeActions();
        ui::applyOwnKeys(*m_actions, *m_settings);
        QCOMPARE(key("run.note"), QStringLiteral("Ctrl+J"));
        QCOMPARE(key("run.stop"), QStringLiteral("Ctrl+."));
    }

    void E10_aKeyThatIsTakenIsSaidAndTakenOver()
    {
        choose(0);
        type("Ctrl+K");
        QCOMPARE(m_dialog->note(), QStringLiteral("Ctrl+K is the key of “Palette…”, which would lose it."));
        button("Give it this key").click();
        QCOMPARE(key("run.stop"), QStringLiteral("Ctrl+K"));
        QCOMPARE(key("view.palette"), QString());
        QCOMPARE(m_settings->ownKeys().size(), 2);
        button("Default").click();
        QCOMPARE(key("run.stop"), QStringLiteral("Ctrl+."));
        QCOMPARE(key("view.palette"), QString());
        button("All defaults").click();
        QCOMPARE(key("view.palette"), QStringLiteral("Ctrl+K"));
        QVERIFY(m_settings->ownKeys().isEmpty());
    }

    void E10_keysThatAreTypedAreRefused_data()
    {
        QTest::addColumn<QString>("sequence");
        QTest::addColumn<bool>("isRefused");
        QTest::newRow("E10 letter") << "J" << true;
        QTest::newRow("E10 shifted letter") << "Shift+J" << true;
        QTest::newRow("E10 digit") << "7" << true;
        QTest::newRow("E10 function key") << "F7" << false;
        QTest::newRow("E10 Alt") << "Alt+J" << false;
    }
    void E10_keysThatAreTypedAreRefused()
    {
        QFETCH(QString, sequence);
        QFETCH(bool, isRefused);
        choose(2);
        type(sequence.toLatin1().constData());
        QCOMPARE(button("Give it this key").isEnabled(), !isRefused);
        QCOMPARE(m_dialog->note().endsWith("Add Ctrl or Alt."), isRefused);
    }

    void E10_anActionMayHaveNoKey()
    {
        choose(0);
        button("No key").click();
        QCOMPARE(key("run.stop"), QString());
        QVERIFY(!m_actions->action("run.stop")->toolTip().contains("Ctrl"));
        m_actions->setEnabled("run.stop", false, "Nothing runs.");
        QVERIFY(m_actions->action("run.stop")->toolTip().contains("Nothing runs."));
        QCOMPARE(m_actions->reason("run.stop"), QStringLiteral("Nothing runs."));
    }
};

ATELIER_UI_TEST_MAIN(KeysDialogTest)
#include "tst_keys_dialog.moc"
