// M2: nothing that is typed in the launch window is lost: not by the other side of it, and not by the end of the window.
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/launch/draft.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/option_field.h"
#include "ui/launch/option_form.h"
#include "ui/launch/toml_edit.h"

#include <QFile>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QTextBlock>
#include <QTextLayout>
#include <QToolButton>

#include <memory>

namespace {

constexpr int kTimeoutMs = 20'000;
constexpr char kWindowToKill[] = "ATELIER_TEST_WINDOW_TO_KILL";  // the data home of a process that only types

}  // namespace

class LaunchTypingTest : public QObject {
    Q_OBJECT

    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<ui::RunControl> m_control;
    std::unique_ptr<ui::Settings> m_settings;
    std::unique_ptr<ui::LaunchWindow> m_window;

    void open(const launcher::DataHome& home)
    {
        close();
        m_control = std::make_unique<ui::RunControl>(home);
        m_settings = std::make_unique<ui::Settings>(home);
        m_window = std::make_unique<ui::LaunchWindow>(home, *m_control, *m_settings);
        m_window->show();
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }
    void close()
    {
        m_window.reset();
        m_settings.reset();
        m_control.reset();
    }

    QLineEdit& field(const char* key) { return *m_window->form().findChild<QLineEdit*>(QLatin1String(key)); }
    ui::TomlEdit& text() { return *m_window->findChild<ui::TomlEdit*>(); }
    QLineEdit& commandLine() { return *m_window->findChild<QLineEdit*>(QStringLiteral("commandLine")); }
    bool isNoteShown() { return m_window->findChild<QWidget*>(QStringLiteral("unreadableNote"))->isVisible(); }

    void type(const char* key, const QString& typed)
    {
        m_window->form().goTo(QLatin1String(key));
        field(key).selectAll();
        QTest::keyClicks(&field(key), typed);
    }
    /// Types at the end of the text.
    void typeText(const QString& typed)
    {
        text().moveCursor(QTextCursor::End);
        QTest::keyClicks(&text(), typed);
    }

    /// What a user leaves half done: a number that is none, a list, and a line of the text.
    void leaveHalfTyped()
    {
        text().setPlainText(QStringLiteral("[run]\nname = \"mine\" # kept\n[optim]\nlr = 0.25\n"));
        type("optim.lr", QStringLiteral("abc"));
        type("run.seed", QStringLiteral("1, 2"));
        typeText(QStringLiteral("beta1 ="));
    }
    void checkHalfTyped()
    {
        QCOMPARE(field("optim.lr").text(), QStringLiteral("abc"));
        QVERIFY(!m_window->draft().problemOf("optim.lr").isEmpty());
        QCOMPARE(m_window->draft().valueCount("run.seed"), std::size_t(2));
        QVERIFY2(text().toPlainText().endsWith("beta1 =") && text().toPlainText().contains("# kept"), qPrintable(text().toPlainText()));
        QVERIFY(isNoteShown());
        m_window->findChild<QPushButton*>(QStringLiteral("discardText"))->click();
        QVERIFY2(!text().toPlainText().contains("beta1") && text().toPlainText().contains("lr = 0.25"), qPrintable(text().toPlainText()));
        QCOMPARE(field("optim.lr").text(), QStringLiteral("abc"));
    }

private Q_SLOTS:
    void init() { m_home = std::make_unique<ui_test::TestHome>(); }
    void cleanup()
    {
        close();
        m_home.reset();
    }

    void M2_whatFollowsASharpOutsideOfStringsIsAComment_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("comment");
        QTest::newRow("an apostrophe") << "# the model's \"first\" try" << "# the model's \"first\" try";
        QTest::newRow("after a string") << "name = \"a # b\" # it's" << "# it's";
        QTest::newRow("in a string") << "name = 'a # b'" << "";
        QTest::newRow("an escaped quote") << "name = \"a \\\" # b\"" << "";
        QTest::newRow("over several lines") << "name = \"\"\"a\n# b\"\"\" # c" << "# c";
    }
    void M2_whatFollowsASharpOutsideOfStringsIsAComment()
    {
        QFETCH(QString, line);
        QFETCH(QString, comment);
        open(m_home->home());
        text().setPlainText(line);
        const auto italic = [block = text().document()->lastBlock()] {
            QString shown;
            for (const QTextLayout::FormatRange& range : block.layout()->formats()) {
                if (range.format.fontItalic())
                    shown += block.text().mid(range.start, range.length);
            }
            return shown;
        };
        QTRY_COMPARE(italic(), comment);
    }

    void M2_theFormWaitsWhileTheTextCannotBeRead()
    {
        open(m_home->home());
        text().setPlainText("[optim]\nlr = 0.25\n");
        QVERIFY(field("optim.lr").isEnabled() && !isNoteShown());
        typeText(QStringLiteral("beta1 ="));
        QVERIFY(!field("optim.lr").isEnabled() && isNoteShown());
        QCOMPARE(field("optim.lr").text(), QStringLiteral("0.25"));
        typeText(QStringLiteral(" 0.5"));
        QVERIFY(field("optim.lr").isEnabled() && !isNoteShown());
        QCOMPARE(field("optim.beta1").text(), QStringLiteral("0.5"));

        // What is discarded comes back by Undo, as does what a field has changed.
        typeText(QStringLiteral("]"));
        const QString broken = text().toPlainText();
        m_window->findChild<QPushButton*>(QStringLiteral("discardText"))->click();
        QVERIFY(field("optim.lr").isEnabled() && text().toPlainText() != broken);
        text().undo();
        QCOMPARE(text().toPlainText(), broken);
        QVERIFY(!field("optim.lr").isEnabled());
        m_window->findChild<QPushButton*>(QStringLiteral("discardText"))->click();
        const QString before = text().toPlainText();
        m_window->draft().setField("optim.lr", "0.75");
        QVERIFY(text().toPlainText() != before);
        text().undo();
        QCOMPARE(text().toPlainText(), before);
        QCOMPARE(field("optim.lr").text(), QStringLiteral("0.25"));
    }

    void M2_theCommandLineSaysWhyThereIsNone_data()
    {
        QTest::addColumn<bool>("isInText");
        QTest::newRow("a wrong field") << false;
        QTest::newRow("a text with an error") << true;
    }
    void M2_theCommandLineSaysWhyThereIsNone()
    {
        QFETCH(bool, isInText);
        open(m_home->home());
        m_window->draft().setToml("[optim]\nlr = 0.25\n");
        auto* const copy = m_window->findChild<QToolButton*>(QStringLiteral("copyCommandLine"));
        QVERIFY2(copy->isEnabled() && commandLine().text().contains("optim.lr=0.25"), qPrintable(commandLine().text()));
        if (isInText)
            m_window->draft().setToml("[optim]\nlr = 0.25\nspeed = 3\n");
        else
            type("optim.lr", QStringLiteral("abc"));
        QVERIFY2(!commandLine().text().contains("atelier run"), qPrintable(commandLine().text()));
        QVERIFY2(commandLine().text().contains(isInText ? "speed" : "must be a number"), qPrintable(commandLine().text()));
        QVERIFY(!copy->isEnabled() && !commandLine().isEnabled());
        if (isInText)
            m_window->draft().setToml("[optim]\nlr = 0.5\n");
        else
            type("optim.lr", QStringLiteral("0.5"));
        QVERIFY2(copy->isEnabled() && commandLine().text().contains("optim.lr=0.5"), qPrintable(commandLine().text()));
    }

    void M2_whatIsHalfTypedIsThereInTheNextWindow()
    {
        open(m_home->home());
        leaveHalfTyped();
        open(m_home->home());
        checkHalfTyped();
    }

    /// The process that is killed runs this very test, and types where the other one will look.
    void M2_whatIsHalfTypedSurvivesTheKillOfTheWindow()
    {
        if (const QByteArray home = qgetenv(kWindowToKill); !home.isEmpty()) {
            qputenv("ATELIER_HOME", home);
            open(launcher::DataHome::locate());
            leaveHalfTyped();
            QTest::qWait(10 * kTimeoutMs);  // until it is killed
            return;
        }
        m_home->home().create();
        QProcess window;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(kWindowToKill, qEnvironmentVariable("ATELIER_HOME"));
        window.setProcessEnvironment(environment);
        window.start(QCoreApplication::applicationFilePath(), {QStringLiteral("M2_whatIsHalfTypedSurvivesTheKillOfTheWindow")});
        QVERIFY(window.waitForStarted());
        const auto isKept = [&] {
            const ui::StoredDraft draft = ui::Settings(m_home->home()).draft();
            return draft.toml.endsWith("beta1 =") && draft.typed.size() == 2;
        };
        QTRY_VERIFY_WITH_TIMEOUT(isKept(), kTimeoutMs);
        window.kill();
        QVERIFY(window.waitForFinished());
        open(m_home->home());
        checkHalfTyped();
    }
};

ATELIER_UI_TEST_MAIN(LaunchTypingTest)
#include "tst_launch_typing.moc"
