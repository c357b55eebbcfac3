// E10, E11: every action of every view is in the registry: in the palette, with a key of one's own, and in the list of keys.
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/checkpoint/checkpoints_view.h"
#include "ui/compare/compare_view.h"
#include "ui/gallery/gallery_view.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/option_form.h"
#include "ui/manual/manual_window.h"
#include "ui/palette/keys_dialog.h"
#include "ui/palette/palette.h"
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/plots_view.h"
#include "ui/queue/queue_view.h"

#include <QAction>
#include <QDockWidget>
#include <QLineEdit>
#include <QListView>
#include <QShortcut>
#include <QTabWidget>
#include <QToolBar>
#include <QToolButton>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>

using ui_test::kTimeoutMs;
using ui_test::OpenWindow;

namespace {

constexpr const char* kFirst = "digits-20261121-100000-aaaa";
constexpr const char* kSecond = "faces-20261121-100001-bbbb";

struct Key {
    QKeySequence key;
    QString place;
    QString text;
};

}  // namespace

class WindowActionsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    ui::ActionRegistry& actions() { return m_window->bench().actions; }
    ui::Palette& palette() { return *(*m_window)->findChild<ui::Palette*>(); }

    void open()
    {
        m_window = std::make_unique<OpenWindow>(m_home->home());
        (*m_window)->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&m_window->window()));
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 2);
    }

    /// Opens the palette and types. @return what is chosen then
    QModelIndex find(const char* query)
    {
        m_window->action("view.palette")->trigger();
        QTest::keyClicks(palette().findChild<QLineEdit*>(), query);
        return palette().list().currentIndex();
    }
    void accept()
    {
        QTest::keyClick(palette().findChild<QLineEdit*>(), Qt::Key_Return);
        QTRY_VERIFY(!(*m_window)->findChild<ui::Palette*>());
    }

    ui::PlotPanel* panel()
    {
        const auto& panels = (*m_window)->findChild<ui::PlotsView*>()->panels();
        return panels.empty() ? nullptr : panels.front();
    }
    void focusPlot()
    {
        (*m_window)->openRun(kFirst);
        QTRY_VERIFY_WITH_TIMEOUT(panel(), kTimeoutMs);
        panel()->canvas().setFocus();
        QTRY_VERIFY(panel()->canvas().hasFocus());
    }

    /// All keys of the registry, fixed ones too.
    std::vector<Key> registered()
    {
        std::vector<Key> keys;
        for (const ui::ActionSpec& spec : actions().specs()) {
            if (const QKeySequence key = actions().action(spec.id)->shortcut(); !key.isEmpty())
                keys.push_back({key, spec.place, spec.id});
        }
        for (const ui::FixedKeys& fixed : actions().fixed()) {
            for (const QKeySequence& key : fixed.keys)
                keys.push_back({key, fixed.place, fixed.text});
        }
        return keys;
    }

    /// The innermost place that the widget belongs to.
    QString placeOf(const QWidget& widget)
    {
        for (const QWidget* part = &widget; part; part = part->parentWidget()) {
            if (qobject_cast<const ui::LaunchWindow*>(part))
                return QStringLiteral("launch");
            if (qobject_cast<const ui::ManualWindow*>(part))
                return QStringLiteral("manual");
            for (const ui::ActionSpec& spec : actions().specs()) {
                if (spec.place != ui::kWindowPlace && actions().viewOf(spec.id) == part)
                    return spec.place;
            }
        }
        return ui::kWindowPlace;
    }

    /// Keys of QActions and QShortcuts on all widgets that there are.
    std::vector<Key> ofWidgets()
    {
        std::vector<Key> keys;
        for (const QWidget* const widget : QApplication::allWidgets()) {
            for (const QAction* const action : widget->actions()) {
                for (const QKeySequence& key : action->shortcuts())
                    keys.push_back({key, placeOf(*widget), action->text()});
            }
            for (const QShortcut* const shortcut : widget->findChildren<QShortcut*>(Qt::FindDirectChildrenOnly))
                keys.push_back({shortcut->key(), placeOf(*widget), QLatin1String(widget->metaObject()->className())});
        }
        return keys;
    }

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        m_home->writeRun(kFirst, 10, "finished");
        m_home->writeRun(kSecond, 10, "finished");
        m_home->ingest();
    }
    void cleanup()
    {
        m_window.reset();
        m_home.reset();
    }

    void E10_theListOfKeysHasEveryKeyThatWorksAnywhere()
    {
        open();
        focusPlot();
        (*m_window)->openLaunchWindow();
        m_window->action("help.manual")->trigger();
        for (int tab = 0; tab < (*m_window)->tabs().count(); ++tab)
            (*m_window)->tabs().setCurrentIndex(tab);
        const std::vector<Key> all = registered();
        const std::vector<Key> found = ofWidgets();
        QVERIFY(found.size() > 40);
        for (const Key& each : found) {
            const bool isKnown = std::ranges::any_of(all, [&](const Key& known) { return known.key == each.key && actions().areActiveTogether(known.place, each.place); });
            QVERIFY2(isKnown, qPrintable(each.key.toString() + " of " + each.text + " in " + each.place + " is not registered"));
        }
        m_window->action("help.keys")->trigger();
        auto& dialog = *(*m_window)->findChild<ui::KeysDialog*>();
        const auto isListed = [&](const Key& key) {
            for (QTreeWidgetItemIterator row(&dialog.list()); *row; ++row) {
                const bool isIt = (*row)->data(0, Qt::UserRole) == key.text || (*row)->text(0) == key.text;
                if ((*row)->parent() && isIt && (*row)->text(1).contains(key.key.toString(QKeySequence::NativeText)))
                    return true;
            }
            return false;
        };
        for (const Key& key : all)
            QVERIFY2(isListed(key), qPrintable(key.key.toString() + " of " + key.text + " is not listed"));
        // By view, those without a key too.
        for (const char* const id : {"checkpoints.verify", "launch.forecast", "plots.saveImage", "metrics.add", "queue.gpus", "logs.open", "compare.save"}) {
            dialog.choose(id);
            QCOMPARE(dialog.list().currentItem()->data(0, Qt::UserRole).toString(), QLatin1String(id));
            const auto place = std::ranges::find(actions().places(), actions().spec(id).place, &ui::ActionPlace::id);
            QCOMPARE(dialog.list().currentItem()->parent()->text(0), place->title);
        }
    }

    void E10_noTwoKeysThatWorkTogetherAreTheSame()
    {
        open();
        const std::vector<Key> keys = registered();
        for (auto key = keys.begin(); key != keys.end(); ++key) {
            for (auto other = key + 1; other != keys.end(); ++other) {
                QVERIFY2(key->key != other->key || !actions().areActiveTogether(key->place, other->place),
                    qPrintable(key->key.toString() + " is the key of " + key->text + " and of " + other->text));
            }
        }
        QVERIFY(actions().areActiveTogether("window", "checkpoints") && actions().areActiveTogether("plot", "plots"));
        QVERIFY(actions().areActiveTogether("everywhere", "launch"));
        QVERIFY(!actions().areActiveTogether("samples", "checkpoints") && !actions().areActiveTogether("window", "launch"));
    }

    /// An own key works only where the action is on a widget, unless the view asks the registry itself.
    void E10_everyActionOfTheWindowCanHaveAKey()
    {
        open();
        for (const ui::ActionSpec& spec : actions().specs()) {
            if (spec.place == ui::kWindowPlace)
                QVERIFY2(!actions().action(spec.id)->associatedObjects().isEmpty(), qPrintable(spec.id + " is on no widget"));
        }
    }

    void E11_thePaletteHasTheActionsOfEveryViewAndSaysWhyNot()
    {
        open();
        (*m_window)->openRun(kFirst);
        const std::initializer_list<std::pair<const char*, const char*>> queries
            = {{"> checkpoints verify", "Checkpoints: Verify"}, {"> launch forecast", "Launch window: Forecast"}, {"> save as a new preset", "Launch window: Save as a new preset…"},
                {"> plots copy all", "Plots: Copy all plots"}, {"> in a plot earlier attempts", "In a plot: Earlier attempts"}, {"> samples play", "Samples: Play or stop"},
                {"> data mask", "Data: Mask"}, {"> compare save", "Compare: Save as CSV…"}, {"> logs regular", "Logs: Regular expression"},
                {"> metrics add", "Metrics: Add to plot…"}, {"> queue bars", "Queue: As bars over time"}, {"> steps numbers", "Steps: Numbers as a table"},
                {"> inspector copy", "Inspector: Copy"}};
        for (const auto& [query, title] : queries) {
            QCOMPARE(find(query).data().toString(), QString::fromUtf8(title));
            palette().reject();
            QTRY_VERIFY(!(*m_window)->findChild<ui::Palette*>());
        }
        // What cannot be done now says why.
        for (const char* const id : {"checkpoints.verify", "launch.start", "samples.play", "metrics.show", "queue.up", "data.mask", "plots.showHidden"}) {
            QVERIFY2(!actions().action(QLatin1String(id))->isEnabled(), id);
            QVERIFY2(actions().reason(QLatin1String(id)).endsWith('.'), id);
        }
        QCOMPARE(find("> launch start").data(ui::PaletteModel::DetailRole).toString(), QStringLiteral("No launch window is open: fill in a new experiment first."));
        palette().reject();
    }

    void E11_anActionOfAViewThatIsNotInSightOpensIt()
    {
        open();
        m_window->bench().selection.setDrawn({kFirst, kSecond}, true);
        (*m_window)->tabs().setCurrentIndex(3);
        auto& compare = *(*m_window)->findChild<ui::CompareView*>();
        QTRY_VERIFY_WITH_TIMEOUT(actions().action(QStringLiteral("compare.copy"))->isEnabled(), kTimeoutMs);
        (*m_window)->tabs().setCurrentIndex(0);
        QVERIFY(!compare.isVisible());
        find("> compare only what differs");
        accept();
        QTRY_VERIFY(compare.isVisible());
        // A dock that lies behind another one, too.
        auto& queue = *(*m_window)->findChild<ui::QueueView*>();
        QTRY_VERIFY(queue.visibleRegion().isEmpty());
        find("> queue as bars over time");
        accept();
        QTRY_VERIFY(!queue.visibleRegion().isEmpty());
    }

    /// What was selected in a table that nobody sees is no longer meant.
    void E11_checkpointsOfAnotherRunAreNotMeant()
    {
        open();
        (*m_window)->openRun(kFirst);
        (*m_window)->tabs().setCurrentIndex(2);
        QTRY_COMPARE_WITH_TIMEOUT(actions().reason(QStringLiteral("checkpoints.verify")), QStringLiteral("Select a checkpoint."), kTimeoutMs);
        (*m_window)->tabs().setCurrentIndex(0);
        (*m_window)->openRun(kSecond);
        QTRY_COMPARE(actions().reason(QStringLiteral("checkpoints.verify")), QStringLiteral("The checkpoints of this run are read when the tab Checkpoints is open."));
        (*m_window)->tabs().setCurrentIndex(2);
        QTRY_COMPARE_WITH_TIMEOUT(actions().reason(QStringLiteral("checkpoints.verify")), QStringLiteral("Select a checkpoint."), kTimeoutMs);
    }

    void E10_plotsTakeKeysOfOnesOwn()
    {
        open();
        focusPlot();
        ui::PlotViewState& viewState = (*m_window)->findChild<ui::PlotsView*>()->viewState();
        const std::string plot = panel()->group().id;
        const auto scale = [&] { return viewState.scale(plot); };
        QTest::keyClick(&panel()->canvas(), Qt::Key_L);
        QCOMPARE(scale(), ui::Scale::Logarithmic);
        m_window->action("help.keys")->trigger();
        auto* const dialog = (*m_window)->findChild<ui::KeysDialog*>();
        dialog->choose("plot.logarithmic");
        actions().setKey(QStringLiteral("plot.logarithmic"), QKeySequence(QStringLiteral("G")));
        dialog->close();
        panel()->canvas().setFocus();
        QTest::keyClick(&panel()->canvas(), Qt::Key_L);
        QCOMPARE(scale(), ui::Scale::Logarithmic);
        QTest::keyClick(&panel()->canvas(), Qt::Key_G);
        QCOMPARE(scale(), ui::Scale::Linear);
        const auto buttons = panel()->findChildren<QToolButton*>();
        QVERIFY(std::ranges::any_of(buttons, [](const QToolButton* button) { return button->toolTip() == QLatin1String("Logarithmic y axis (G)"); }));
        // From the palette it is about the plot that had the focus last.
        find("> in a plot logarithmic");
        accept();
        QTRY_COMPARE(scale(), ui::Scale::Logarithmic);
        // The next window has it, too.
        m_window->bench().settings.setOwnKeys({{"plot.logarithmic", "G"}});
        m_window.reset();
        open();
        QCOMPARE((*m_window)->findChild<ui::PlotsView*>()->viewState().keys().key(ui::PlotCommand::Logarithmic), QKeySequence(QStringLiteral("G")));
    }

    void E10_aViewsOwnKeyReplacesTheOneByDefault()
    {
        open();
        m_window->bench().selection.setDrawn({kFirst, kSecond}, true);
        m_window->bench().selection.setInspected(kFirst);
        (*m_window)->tabs().setCurrentIndex(1);
        auto& gallery = *(*m_window)->findChild<ui::GalleryView*>();
        QTRY_VERIFY_WITH_TIMEOUT(actions().action(QStringLiteral("samples.beside"))->isEnabled(), kTimeoutMs);
        actions().setKey(QStringLiteral("samples.beside"), QKeySequence(QStringLiteral("N")));
        gallery.grid().setFocus();
        QTest::keyClick(&gallery.grid(), Qt::Key_B);
        QVERIFY(!gallery.beside().isOn());
        QTest::keyClick(&gallery.grid(), Qt::Key_N);
        QVERIFY(gallery.beside().isOn());
        QVERIFY2(gallery.beside().toolTip().contains(" N<br>"), qPrintable(gallery.beside().toolTip()));
    }

    void E10_theLaunchWindowsActionsActInItWithOwnKeys()
    {
        open();
        ui::LaunchWindow& launch = (*m_window)->openLaunchWindow();
        QTRY_VERIFY(actions().action(QStringLiteral("launch.saveNewPreset"))->isEnabled());
        QCOMPARE(actions().reason(QStringLiteral("launch.renamePreset")), QStringLiteral("The experiment did not come from a preset."));
        QVERIFY(QTest::qWaitForWindowActive(&launch));
        actions().setKey(QStringLiteral("launch.find"), QKeySequence(QStringLiteral("Ctrl+J")));
        QTest::keyClick(&launch, Qt::Key_J, Qt::ControlModifier);
        const auto* const field = qobject_cast<QLineEdit*>(launch.focusWidget());
        QVERIFY(field && launch.form().isAncestorOf(field));
        const QKeyCombination close = actions().action(QStringLiteral("launch.close"))->shortcut()[0];
        QTest::keyClick(&launch, close.key(), close.keyboardModifiers());
        QVERIFY(!launch.isVisible());
        QVERIFY(!actions().action(QStringLiteral("launch.saveNewPreset"))->isEnabled());
        // From the palette it acts in the launch window, too.
        (*m_window)->openLaunchWindow();
        (*m_window)->activateWindow();
        find("> launch close");
        accept();
        QTRY_VERIFY(!launch.isVisible());
    }

    void section5_theToolbarHasWhatControlsARun()
    {
        open();
        QStringList ids;
        for (const QToolButton* const button : (*m_window)->findChild<QToolBar*>("toolBar")->findChildren<QToolButton*>()) {
            if (button->defaultAction() && !button->defaultAction()->objectName().isEmpty())
                ids << button->defaultAction()->objectName();
        }
        for (const char* const id : {"experiment.new", "run.start", "run.stop", "run.checkpoint", "run.sample", "view.search"})
            QVERIFY2(ids.contains(QLatin1String(id)), id);
        (*m_window)->openRun(kFirst);
        QTRY_COMPARE_WITH_TIMEOUT(actions().reason(QStringLiteral("run.start")), QStringLiteral("The run was started before. Resume it."), kTimeoutMs);
    }
};

ATELIER_UI_TEST_MAIN(WindowActionsTest)
#include "tst_window_actions.moc"
