// E17: the window in German; what is written to files stays in English and in the C locale.
#include "engine/contract/run/journal.h"
#include "tests/paths.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/base/format.h"
#include "ui/base/state_strip.h"
#include "ui/desktop.h"
#include "ui/failure_dialog.h"
#include "ui/inspector/inspector.h"
#include "ui/language/language.h"
#include "ui/launch/draft.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/option_field.h"
#include "ui/launch/option_form.h"
#include "ui/metric_export.h"
#include "ui/runs/runs_view.h"

#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QApplication>
#include <QCheckBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QProcess>
#include <QPushButton>
#include <QTabBar>
#include <QTimer>
#include <QToolBar>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>

using launcher::RunState;
using ui_test::emptySentence;
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

/// Two entries of a menu with the same key, as "MENU: ENTRY, ENTRY"; also of the menus in it.
QStringList sharedKeys(const QString& name, const QList<QAction*>& entries)
{
    QStringList found;
    QHash<QString, QString> entryOf;
    for (const QAction* entry : entries) {
        const auto key = QRegularExpression("&([^&\\s])").match(entry->text()).captured(1).toUpper();
        if (!key.isEmpty() && entryOf.contains(key))
            found << QStringLiteral("%1: %2, %3").arg(name, entryOf[key], entry->text());
        entryOf.insert(key, entry->text());
        if (entry->menu())
            found << sharedKeys(entry->text(), entry->menu()->actions());
    }
    return found;
}

bool isScrolled(const QWidget& widget)
{
    const QWidget* parent = widget.parentWidget();
    while (parent && !qobject_cast<const QAbstractScrollArea*>(parent))
        parent = parent->parentWidget();
    return parent;
}

/// Labels and buttons that need more width than they have. Those that may be of any width end in "…" or are made to scroll.
QStringList textsCutOff(const QWidget& window)
{
    QStringList found;
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        const auto* label = qobject_cast<const QLabel*>(widget);
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        const QString text = label ? label->text() : button ? button->text() : QString();
        if (text.isEmpty() || !widget->isVisible() || widget->window() != &window || widget->sizePolicy().horizontalPolicy() == QSizePolicy::Ignored)
            continue;
        const bool isBehind = widget->visibleRegion().isEmpty() && !isScrolled(*widget);
        if (!isBehind && widget->width() < widget->minimumSizeHint().width())
            found << QStringLiteral("%1: %2 of %3 pixels").arg(text).arg(widget->width()).arg(widget->minimumSizeHint().width());
    }
    return found;
}

/// What a window says in words that are English and not German: labels, buttons, headers, placeholders, tooltips, names for screen readers.
QStringList englishIn(const QWidget& window)
{
    static const QRegularExpression isEnglish("\\b(the|and|of|is|are|with|cannot|from|runs|steps|show|shows|not|been|which|has|have|to|by|this|that|yet|wrote|nothing)\\b",
        QRegularExpression::CaseInsensitiveOption);
    // Values, keys, paths, commands and names are the same in each language.
    static const QRegularExpression isSame("atelier [\\w-]+( [\\w-]+)?|queue move|RUN --to|loss is not finite|for 5 steps|and, or, not|Weights & Biases|`[^`]*`|\"[^\"]*\"|<[^>]*>|\\S*[/_.=]\\S+");
    QStringList found;
    const auto look = [&](QString text, const QWidget& widget) {
        if (text.remove(isSame).contains(isEnglish))
            found << QStringLiteral("%1 %2: %3").arg(widget.metaObject()->className(), widget.objectName(), text.left(200));
    };
    QList<const QWidget*> widgets = {&window};
    for (const QWidget* widget : window.findChildren<QWidget*>())
        widgets << widget;
    for (const QWidget* widget : widgets) {
        if (!widget->isVisible() || widget->window() != &window)
            continue;
        for (const QString& text : {widget->toolTip(), widget->accessibleName(), widget->accessibleDescription(), widget->property("text").toString(),
                 widget->property("placeholderText").toString(), widget->property("title").toString(), widget->windowTitle()})
            look(text, *widget);
        const auto* view = qobject_cast<const QAbstractItemView*>(widget);
        if (!view || !view->model())
            continue;
        const QAbstractItemModel& model = *view->model();
        for (int column = 0; column < model.columnCount(); ++column) {
            look(model.headerData(column, Qt::Horizontal).toString(), *widget);
            look(model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString(), *widget);
            for (int row = 0; row < std::min(model.rowCount(), 200); ++row) {
                look(model.index(row, column).data().toString(), *widget);
                look(model.index(row, column).data(Qt::ToolTipRole).toString(), *widget);
            }
        }
    }
    return found;
}

QWidget* hiddenToolButtons(const QWidget& window) { return window.findChild<QToolBar*>("toolBar")->findChild<QWidget*>("qt_toolbar_ext_button"); }

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

    void E17_keysAreUniqueInEachMenu()
    {
        m_home->writeRun("alpha-20261121-100000-aaaa", 10, "finished");
        m_home->ingest();
        OpenWindow window(m_home->home());
        QTRY_COMPARE(window.bench().runs.rowCount(), 1);
        QCOMPARE(sharedKeys("Menüleiste", window->menuBar()->actions()), QStringList());
        for (const QMenu* menu : window->findChildren<QMenu*>())
            QCOMPARE(sharedKeys(menu->title(), menu->actions()), QStringList());
        for (const QMenu* menu : window->openLaunchWindow().findChildren<QMenu*>())
            QCOMPARE(sharedKeys(menu->title(), menu->actions()), QStringList());
    }

    void E17_everyActionHasAGermanTextAndTip()
    {
        OpenWindow window(m_home->home());
        for (const ui::ActionSpec& spec : window.bench().actions.specs()) {
            for (const QString& text : {spec.text, spec.help}) {
                // Words that are English and not German.
                QVERIFY2(!QString(text).remove(QRegularExpression("\\w+\\.\\w+")).contains(QRegularExpression("\\b(the|and|of|run|runs|or|with|show|a)\\b", QRegularExpression::CaseInsensitiveOption)),
                    qPrintable(spec.id + ": " + text));
            }
        }
    }

    void E17_optionsAreDescribedInGerman()
    {
        OpenWindow window(m_home->home());
        ui::LaunchWindow& launch = window->openLaunchWindow();
        launch.loadReady("digits");
        ui::OptionField* rate = nullptr;
        for (ui::OptionField* field : launch.form().findChildren<ui::OptionField*>()) {
            if (field->key() == "optim.lr")
                rate = field;
        }
        QVERIFY(rate);
        QStringList texts;
        for (const QLabel* label : rate->findChildren<QLabel*>())
            texts << label->text();
        QVERIFY2(texts.contains("Höchste Lernrate"), qPrintable(texts.join('|')));
        QVERIFY2(rate->toolTip().contains("Vorgabe"), qPrintable(rate->toolTip()));
        QVERIFY(rate->matches("lernrate") && rate->matches("learning rate"));

        launch.draft().setField("run.total_steps", "0");
        const QString problem = launch.draft().problemOf("run.total_steps");
        QVERIFY2(problem.startsWith("run.total_steps = 0: muss sein: eine ganze Zahl von 1 bis "), qPrintable(problem));
        launch.draft().setField("run.total_steps", "10");
        launch.draft().setField("optim.lr", "0.0125");
        QVERIFY2(launch.draft().toml().contains("lr = 0.0125"), qPrintable(launch.draft().toml()));
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
        const QString cause = "Rank 1 ist abgestürzt (Signal 11, ungültiger Speicherzugriff) bei Schritt 60; sein Log ist logs/rank-1.log";
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
        QVERIFY(journal.contains("Rank 1 crashed (signal 11, invalid memory access) at step 60"));
        QVERIFY(!journal.contains("abgestürzt"));
    }

    void E17_countsHaveTheirPlurals()
    {
        OpenWindow window(m_home->home());
        const auto sentence = [&] { return emptySentence(window->runsView()); };
        window->runsView().setFilterText("nothing");
        for (const auto& [id, expected] : {std::pair("alpha-20261121-100000-aaaa", "Der einzige Lauf passt nicht."),
                 {"beta-20261121-100001-bbbb", "0 von 2 Läufen passen."}, {"gamma-20261121-100002-cccc", "0 von 3 Läufen passen."}}) {
            m_home->writeRun(id, 10, "finished");
            m_home->ingest();
            window.action("view.readAgain")->trigger();
            QTRY_COMPARE(sentence(), QString::fromUtf8(expected));
        }
        const auto runs = [](std::int64_t count) {
            return ui::formatCounted(count, QCoreApplication::translate("ui::PlotCanvas", "1 run"),
                QCoreApplication::translate("ui::PlotCanvas", "%Ln runs", nullptr, ui::pluralCount(count)));
        };
        QCOMPARE(runs(0), QStringLiteral("0 Läufe"));
        QCOMPARE(runs(1), QStringLiteral("1 Lauf"));
        QCOMPARE(runs(2), QStringLiteral("2 Läufe"));
        QCOMPARE(runs(5'000'000'000), QStringLiteral("5.000.000.000 Läufe"));
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

    /// What is typed by people and what is in logs stays as it is, so the run has a German name and an empty log.
    void E17_everyPageSpeaksGerman()
    {
        const auto failed = m_home->writeRun("alpha-20261121-100000-aaaa", 41, "failed", "Rank 1 was killed (signal 9, out of memory) at step 41");
        m_home->writeRun("beta-20261121-100001-bbbb", 10, "");
        m_home->ingest();
        OpenWindow window(m_home->home());
        QTRY_COMPARE(window.bench().runs.rowCount(), 2);
        window->openRun(QString::fromStdString(failed.id()));
        window.bench().selection.setDrawn("beta-20261121-100001-bbbb", true);
        QTRY_COMPARE(window.stateOf("beta-20261121-100001-bbbb"), std::optional(RunState::Interrupted));
        QTRY_VERIFY(window.action("run.failure")->isEnabled());
        QStringList found;
        for (int tab = 1; tab <= 5; ++tab) {
            window.action(qPrintable(QStringLiteral("view.tab%1").arg(tab)))->trigger();
            QCoreApplication::processEvents();
            found << englishIn(window.window());
        }
        for (QDockWidget* dock : window->findChildren<QDockWidget*>()) {
            dock->show();
            dock->raise();
            QCoreApplication::processEvents();
            found << englishIn(window.window());
        }
        for (const char* action : {"app.disk", "run.openTrash", "run.failure", "run.debug", "run.pack", "run.rules", "view.search", "app.import", "app.webhook", "app.machine"}) {
            window.action(action)->trigger();
            QTRY_VERIFY2(std::ranges::any_of(window->findChildren<QDialog*>(), &QWidget::isVisible), action);
            for (QDialog* dialog : window->findChildren<QDialog*>()) {
                QTRY_VERIFY(std::ranges::none_of(dialog->findChildren<ui::ViewFrame*>(), [](const ui::ViewFrame* frame) { return frame->state().isLoading; }));
                found << englishIn(*dialog);
                dialog->close();
            }
        }
        found << englishIn(window->openLaunchWindow());
        found.removeDuplicates();
        QVERIFY2(found.isEmpty(), qPrintable(found.join('\n')));
    }

    void E17_nothingIsCutOffAt1280By800()
    {
        m_home->writeRun("alpha-20261121-100000-aaaa", 10, "finished");
        m_home->ingest();
        OpenWindow window(m_home->home(), QSize(1280, 800));
        QTRY_COMPARE(window.bench().runs.rowCount(), 1);
        window.bench().selection.setInspected("alpha-20261121-100000-aaaa");
        QTRY_VERIFY(!window->findChild<QLabel*>("causeText")->isVisible());
        QCOMPARE(window->width(), 1280);
        QVERIFY(!hiddenToolButtons(window.window())->isVisible());
        for (const QTabBar* tabs : window->findChildren<QTabBar*>()) {
            // The inspector's scroll, in English too.
            if (tabs->isVisible() && tabs->count() > 0 && !window->findChild<ui::Inspector*>()->isAncestorOf(tabs))
                QVERIFY2(tabs->tabRect(tabs->count() - 1).right() <= tabs->width(), qPrintable(tabs->tabText(0)));
        }
        for (int tab = 1; tab <= 5; ++tab) {
            window.action(qPrintable(QStringLiteral("view.tab%1").arg(tab)))->trigger();
            QTRY_COMPARE(textsCutOff(window.window()), QStringList());
        }
        ui::LaunchWindow& launch = window->openLaunchWindow();
        for (QCheckBox* box : launch.findChildren<QCheckBox*>()) {
            if (box->text() == "Erweiterte Optionen")
                box->setChecked(true);
        }
        for (const char* const experiment : {"digits", "emoji", "sd3-flow-grpo"}) {
            launch.loadReady(QLatin1String(experiment));
            QTRY_COMPARE(textsCutOff(launch), QStringList());
        }
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
