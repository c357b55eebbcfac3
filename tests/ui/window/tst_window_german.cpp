// E17: every text of the window in German: the words, their plurals, the keys in them and the room that they have.
#include "tests/paths.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/base/format.h"
#include "ui/base/state_strip.h"
#include "ui/inspector/inspector.h"
#include "ui/language/language.h"
#include "ui/launch/draft.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/option_field.h"
#include "ui/launch/option_form.h"
#include "ui/runs/runs_view.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QCheckBox>
#include <QDialog>
#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QTabBar>
#include <QToolBar>

#include <algorithm>

using launcher::RunState;
using ui_test::emptySentence;
using ui_test::OpenWindow;

namespace {

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
    static const QRegularExpression isSame("atelier [\\w-]+( [\\w-]+)?|(loss|grad_norm) is not finite|for 50? steps|and, or, not|Weights & Biases|`[^`]*`|\"[^\"]*\"|<[^>]*>|\\S*[/_.=]\\S+");
    static const QRegularExpression isCommand("<code>[^<]*</code>");  // in the tool tip of an action
    QStringList found;
    const auto look = [&](QString text, const QWidget& widget) {
        if (text.remove(isCommand).remove(isSame).contains(isEnglish))
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

class WindowGermanTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;

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

    /// What is typed by people and what is in logs stays as it is, so the run has a German name and an empty log.
    void E17_everyPageSpeaksGerman()
    {
        const auto failed = m_home->writeRun("alpha-20261121-100000-aaaa", 41, "failed", "Rank 1 was killed (signal 9, out of memory) after step 41");
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
    QLocale::setDefault(QLocale(QLocale::German));
    ui::WatchedApplication application(argc, argv);
    WindowGermanTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_window_german.moc"
