// E10: the list of keys, and keys of one's own.
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/palette/keys_dialog.h"

#include <QKeySequenceEdit>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>

#include <memory>

class KeysDialogTest : public QObject {
    Q_OBJECT

    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<ui::Settings> m_settings;
    std::unique_ptr<ui::ActionRegistry> m_actions;
    ui::KeysDialog* m_dialog = nullptr;
    QWidget m_plot, m_table;

    void makeActions()
    {
        m_actions = std::make_unique<ui::ActionRegistry>();
        m_actions->add({"run.stop", "&Stop", {}, QKeySequence("Ctrl+."), "Finish the step", {}}, [] {});
        m_actions->add({"view.palette", "Palette…", {}, QKeySequence("Ctrl+K"), "Find", {}}, [] {});
        m_actions->add({"run.note", "Not&e…", {}, {}, "Write a note", {}}, [] {});
        m_actions->addPlace({"plot", "In a plot", {}}, &m_plot);
        m_actions->addPlace({"table", "In a table", {}}, &m_table);
        m_actions->add({"plot.fit", "Show all", {}, QKeySequence("F"), "Show everything", {}, "plot"}, [] {});
        m_actions->add({"table.fit", "Fit", {}, QKeySequence("Ctrl+F"), "Fit the columns", {}, "table"}, [] {});
        m_actions->addFixed({"plot", "Zoom the y axis", {QKeySequence("Alt++"), QKeySequence("Alt+-")}, {}});
    }
    QString key(const char* id) const { return m_actions->action(QLatin1String(id))->shortcut().toString(QKeySequence::PortableText); }
    QTreeWidgetItem& row(const QString& text) const
    {
        for (QTreeWidgetItemIterator item(&m_dialog->list()); *item; ++item)
            if ((*item)->text(0) == text)
                return **item;
        qFatal("there is no row %s", qPrintable(text));
    }
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
        m_dialog = new ui::KeysDialog(*m_actions, *m_settings, nullptr);
        m_dialog->show();
    }

    void cleanup()
    {
        delete m_dialog;
        m_actions.reset();
        m_settings.reset();
        m_home.reset();
    }

    void E10_actionsAreListedWithTheirKeysByTheViewThatTheyWorkIn()
    {
        QStringList places, all;
        for (QTreeWidgetItemIterator item(&m_dialog->list()); *item; ++item)
            ((*item)->parent() ? all : places) << (*item)->text(0);
        QCOMPARE(places, QStringList({"Main window", "In a plot", "In a table"}));
        QCOMPARE(all, QStringList({"Stop", "Palette…", "Note…", "Show all", "Zoom the y axis", "Fit"}));
        QCOMPARE(row("Show all").parent()->text(0), QStringLiteral("In a plot"));
        QCOMPARE(row("Palette…").text(1), QStringLiteral("Ctrl+K"));
        QCOMPARE(row("Zoom the y axis").text(1), QStringLiteral("Alt++, Alt+-"));
        auto* const field = m_dialog->findChild<QLineEdit*>();
        QTest::keyClicks(field, "ctrl+k");
        QVERIFY(row("Stop").isHidden() && !row("Palette…").isHidden() && row("In a plot").isHidden());
        field->setText("in a plot");  // a place with all that it has
        QVERIFY(!row("Show all").isHidden() && !row("Zoom the y axis").isHidden() && row("Main window").isHidden());
    }

    void E10_theFixedKeysOfAViewAreListedAndStay()
    {
        m_dialog->list().setCurrentItem(&row("Zoom the y axis"));
        QCOMPARE(m_dialog->note(), QStringLiteral("This key belongs to the view that has the focus, and stays."));
        for (const char* text : {"Give it this key", "No key", "Default"})
            QVERIFY(!button(text).isEnabled());
        QVERIFY(!m_dialog->findChild<QKeySequenceEdit*>()->isEnabled());
        m_dialog->choose("run.stop");
        QVERIFY(m_dialog->findChild<QKeySequenceEdit*>()->isEnabled() && m_dialog->note().isEmpty());
        // Neither the window's actions nor those of the view get one; those of another view do.
        for (const char* id : {"run.stop", "plot.fit"}) {
            m_dialog->choose(id);
            type("Alt+-");
            QCOMPARE(m_dialog->note(), QStringLiteral("Alt+- is the key of “Zoom the y axis”, which stays."));
            QVERIFY(!button("Give it this key").isEnabled());
        }
        m_dialog->choose("table.fit");
        type("Alt+-");
        QVERIFY(m_dialog->note().isEmpty() && button("Give it this key").isEnabled());
    }

    /// Only one of two views has the focus, but the window's keys work in both.
    void E10_viewsMayHaveTheSameKeyUnlessTheWindowHasIt()
    {
        m_dialog->choose("table.fit");
        type("F");
        QVERIFY2(m_dialog->note().isEmpty(), qPrintable(m_dialog->note()));
        button("Give it this key").click();
        QCOMPARE(key("table.fit"), QStringLiteral("F"));
        QCOMPARE(key("plot.fit"), QStringLiteral("F"));
        type("Ctrl+K");
        QCOMPARE(m_dialog->note(), QStringLiteral("Ctrl+K is the key of “Palette…”, which would lose it."));
        m_dialog->choose("run.note");
        type("Ctrl+F");
        QVERIFY(m_dialog->note().isEmpty());
        m_dialog->choose("table.fit");
        button("Default").click();
        m_dialog->choose("run.note");
        type("Ctrl+F");
        QCOMPARE(m_dialog->note(), QStringLiteral("Ctrl+F is the key of “Fit”, which would lose it."));
        button("Give it this key").click();
        QCOMPARE(key("table.fit"), QString());
    }

    /// An own key of an earlier session that a later version has given to another action.
    void E10_anOwnKeyIsTakenFromTheActionThatHasItByDefault()
    {
        delete m_dialog;  // which refers to the actions
        m_dialog = nullptr;
        m_settings->setOwnKeys({{"run.note", "Ctrl+F"}, {"gone.action", "Ctrl+K"}});
        makeActions();
        ui::applyOwnKeys(*m_actions, *m_settings);
        QCOMPARE(key("run.note"), QStringLiteral("Ctrl+F"));
        QCOMPARE(key("table.fit"), QString());
        QCOMPARE(key("view.palette"), QStringLiteral("Ctrl+K"));
    }

    void E10_anActionGetsAnotherKeyAndKeepsIt()
    {
        m_dialog->choose("run.note");
        type("Ctrl+J");
        QVERIFY(m_dialog->note().isEmpty());
        button("Give it this key").click();
        QCOMPARE(key("run.note"), QStringLiteral("Ctrl+J"));
        QVERIFY(m_actions->action("run.note")->toolTip().contains("Ctrl+J"));
        QVERIFY(row("Note…").font(1).bold());
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
        m_dialog->choose("run.stop");
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
        m_dialog->choose("run.note");
        type(sequence.toLatin1().constData());
        QCOMPARE(button("Give it this key").isEnabled(), !isRefused);
        QCOMPARE(m_dialog->note().endsWith("Add Ctrl or Alt."), isRefused);
        m_dialog->choose("plot.fit");  // of a view without fields
        type(sequence.toLatin1().constData());
        QVERIFY(button("Give it this key").isEnabled());
    }

    void E10_anActionMayHaveNoKey()
    {
        m_dialog->choose("run.stop");
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
