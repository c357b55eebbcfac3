// E17: which language the window speaks; what is written to files stays in English and in the C locale.
#include "engine/contract/run/journal.h"
#include "tests/paths.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/desktop.h"
#include "ui/failure_dialog.h"
#include "ui/language/language.h"
#include "ui/metric_export.h"

#include <QApplication>
#include <QDialogButtonBox>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QProcess>
#include <QPushButton>
#include <QTimer>

#include <cstdio>
#include <fstream>
#include <sstream>

using launcher::RunState;
using ui_test::OpenWindow;

namespace {

/// What the desktop program shows, for the process that has started this one.
QJsonObject shownByDesktop()
{
    QStringList menus;
    for (const QWidget* window : QApplication::topLevelWidgets()) {
        if (const auto* main = qobject_cast<const ui::MainWindow*>(window)) {
            for (const QAction* menu : main->menuBar()->actions())
                menus << menu->text();
        }
    }
    char number[8];
    std::snprintf(number, sizeof number, "%.1f", 1.5);
    const QDialogButtonBox buttons(QDialogButtonBox::Cancel);
    return {{"menus", menus.join(' ')}, {"shown number", QLocale().toString(1.5)}, {"file number", number},
        {"cancel", buttons.button(QDialogButtonBox::Cancel)->text().remove('&')}};
}

QString content(const std::filesystem::path& file)
{
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return QString::fromStdString(text.str());
}

}  // namespace

class WindowLanguageTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;

    /// What the desktop program shows with this environment.
    QJsonObject desktop(const QStringList& environment)
    {
        QProcess program;
        QStringList variables = QProcess::systemEnvironment().filter(QRegularExpression("^(?!LC_|LANG)"));
        program.setEnvironment(variables + environment + QStringList {"LANGUAGE_TEST_DESKTOP=1"});
        program.start(QCoreApplication::applicationFilePath(), {});
        if (!program.waitForFinished(ui_test::kTimeoutMs))
            return {{"menus", "did not answer"}};
        const QByteArray output = program.readAllStandardOutput();
        return QJsonDocument::fromJson(output.mid(output.indexOf('{'))).object();
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("ATELIER_WORKER", FAKE_WORKER);
        ui::speakLanguage("de");
    }
    void init() { m_home = std::make_unique<ui_test::TestHome>(); }
    void cleanup()
    {
        QVERIFY(ui_test::endRuns(m_home->home()));
        m_home.reset();
    }

    void E17_theLanguageIsTheUsersOrTheChosenOne_data()
    {
        QTest::addColumn<QStringList>("environment");
        QTest::addColumn<QString>("chosen");
        QTest::addColumn<QString>("menus");
        QTest::addColumn<QString>("number");
        const QString english = "&File &Edit &Run &View &Help", german = "&Datei &Bearbeiten &Lauf &Ansicht &Hilfe";
        QTest::newRow("E17 no locale") << QStringList {} << "" << english << "1.5";
        QTest::newRow("E17 C") << QStringList {"LANG=C"} << "" << english << "1.5";
        QTest::newRow("E17 German") << QStringList {"LANG=de_DE.UTF-8"} << "" << german << "1,5";
        QTest::newRow("E17 Swiss") << QStringList {"LANG=de_CH.UTF-8"} << "" << german << "1.5";
        QTest::newRow("E17 German messages only") << QStringList {"LANG=en_US.UTF-8", "LC_MESSAGES=de_DE.UTF-8"} << "" << german << "1.5";
        QTest::newRow("E17 one of several") << QStringList {"LANG=fr_FR.UTF-8", "LANGUAGE=fr:de:en"} << "" << german << "1,5";
        QTest::newRow("E17 English before German") << QStringList {"LANG=en_GB.UTF-8", "LANGUAGE=en:de"} << "" << english << "1.5";
        QTest::newRow("E17 a language that is not there") << QStringList {"LANG=fr_FR.UTF-8"} << "" << english << "1,5";
        QTest::newRow("E17 German chosen") << QStringList {"LANG=C"} << "de" << german << "1,5";
        QTest::newRow("E17 English chosen") << QStringList {"LANG=de_DE.UTF-8"} << "en" << english << "1.5";
        QTest::newRow("E17 an unknown choice") << QStringList {"LANG=de_DE.UTF-8"} << "xx" << german << "1,5";
    }
    void E17_theLanguageIsTheUsersOrTheChosenOne()
    {
        QFETCH(QStringList, environment);
        QFETCH(QString, chosen);
        if (!chosen.isEmpty())
            ui::Settings(m_home->home()).setLanguage(chosen);
        const QJsonObject shown = desktop(environment);
        QTEST(shown["menus"].toString(), "menus");
        QTEST(shown["shown number"].toString(), "number");
        QCOMPARE(shown["file number"].toString(), QStringLiteral("1.5"));
    }

    /// With a locale of the C library that writes 1,5, too.
    void E17_numbersInFilesHaveAPoint()
    {
        const QTemporaryDir locales;
        if (QProcess::execute("localedef", {"-i", "de_DE", "-f", "UTF-8", locales.filePath("de_DE.UTF-8")}) != 0)
            QSKIP("The C library's source of the locale de_DE is not installed (Debian's package locales).");
        const QJsonObject shown = desktop({"LOCPATH=" + locales.path(), "LC_ALL=de_DE.UTF-8"});
        QCOMPARE(shown["shown number"].toString(), QStringLiteral("1,5"));
        QCOMPARE(shown["file number"].toString(), QStringLiteral("1.5"));
    }

    void E17_theChoiceIsInTheMenuAndKept()
    {
        {
            OpenWindow window(m_home->home());
            for (QMenu* menu : window->findChildren<QMenu*>()) {
                for (QAction* entry : menu->actions()) {
                    if (entry->text() == "English")
                        entry->trigger();
                }
            }
        }
        QCOMPARE(ui::Settings(m_home->home()).language(), QStringLiteral("en"));
    }

    void E17_aFailureIsExplainedInGermanAndJournalledInEnglish()
    {
        OpenWindow window(m_home->home());
        for (const auto& [name, value] : {std::pair("FAKE_DO", "crash"), {"FAKE_RANK", "1"}, {"FAKE_CODE", "11"}, {"FAKE_STEP", "60"}})
            qputenv(name, value);
        const QString id = window.start(ui_test::plainExperiment(500));
        for (const char* name : {"FAKE_DO", "FAKE_RANK", "FAKE_CODE", "FAKE_STEP"})
            qunsetenv(name);
        QVERIFY(!id.isEmpty() && window.becomes(id, RunState::Failed));
        window.bench().selection.setInspected(id);
        const QString cause = "Rank 1 ist abgestürzt (Signal 11, ungültiger Speicherzugriff) nach Schritt 60; sein Log ist logs/rank-1.log";
        QTRY_COMPARE(window->findChild<QLabel*>("causeText")->text(), cause);
        const contract::RunFolder folder(m_home->home().runs() / id.toStdString());
        ui::FailureDialog dialog(QString::fromStdString(folder.root().string()), "alpha", &window.window());
        dialog.setAttribute(Qt::WA_DeleteOnClose, false);
        QTRY_VERIFY(!dialog.text().isEmpty());
        const QStringList page = dialog.text().section("Die letzten Zeilen von logs/rank-1.log", 0, 0).split('\n');
        QCOMPARE(page.value(0), id + ", Versuch 1");
        QCOMPARE(page.value(1), cause);
        QCOMPARE(page.value(3), QStringLiteral("Zuerst: Rank 1"));
        QVERIFY2(page.value(5).startsWith("  Schritt 60, letzter Eintrag 20"), qPrintable(page.value(5)));
        QVERIFY2(page.contains("Die anderen Ranks"), qPrintable(page.join('\n')));
        static const QRegularExpression isEnglish("\\b(the|rank \\d|record|ended|memory|machine|step|was|last)\\b");
        QVERIFY2(page.filter(isEnglish).isEmpty(), qPrintable(page.filter(isEnglish).join('\n')));
        const QString journal = content(folder.journal(contract::kSupervisorRank));
        QVERIFY(journal.contains("Rank 1 crashed (signal 11, invalid memory access) after step 60"));
        QVERIFY(!journal.contains("abgestürzt"));
    }

    void E17_exportedNumbersHaveAPoint()
    {
        const auto run = m_home->writeRun("alpha-20261121-100000-aaaa", 10, "finished");
        m_home->ingest();
        const QString csv = QString::fromStdString((m_home->home().data / "metrics.csv").string());
        QCOMPARE(ui::writeMetrics(m_home->home().database(), run.id(), csv), QString());
        const QStringList lines = content(csv.toStdString()).split('\n', Qt::SkipEmptyParts);
        QVERIFY(lines.size() > 10);
        const auto fields = lines.front().count(',');
        QVERIFY(lines.filter(QRegularExpression("\\d\\.\\d")).size() > 5);
        for (const QString& line : lines)
            QCOMPARE(line.count(','), fields);
    }
};

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsSet("LANGUAGE_TEST_DESKTOP"))
        return ui::runDesktop(argc, argv, {});
    QLocale::setDefault(QLocale(QLocale::German));
    ui::WatchedApplication application(argc, argv);
    WindowLanguageTest test;
    return QTest::qExec(&test, argc, argv);
}

/// In the desktop program: reports when its event loop begins, and ends it.
static void reportSoon()
{
    if (!qEnvironmentVariableIsSet("LANGUAGE_TEST_DESKTOP"))
        return;
    QTimer::singleShot(0, qApp, [] {
        std::puts(QJsonDocument(shownByDesktop()).toJson(QJsonDocument::Compact).constData());
        std::fflush(stdout);
        QCoreApplication::quit();
    });
}
Q_COREAPP_STARTUP_FUNCTION(reportSoon)

#include "tst_window_language.moc"
