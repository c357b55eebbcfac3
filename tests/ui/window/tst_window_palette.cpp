// E10: the palette in the window: actions, runs, metrics and options.
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/base/appearance.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/option_field.h"
#include "ui/launch/option_form.h"
#include "ui/palette/keys_dialog.h"
#include "ui/palette/palette.h"
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/plots_view.h"
#include "ui/views_menu.h"

#include <QAction>
#include <QLineEdit>
#include <QListView>
#include <QTabWidget>

using ui_test::OpenWindow;

class WindowPaletteTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    ui::Palette& palette() { return *(*m_window)->findChild<ui::Palette*>(); }
    QString chosenTitle() { return palette().list().currentIndex().data().toString(); }

    /// Presses Ctrl+K and types.
    void type(const char* query)
    {
        (*m_window)->activateWindow();  // no window manager does so here when a dialog closes
        QVERIFY(QTest::qWaitForWindowActive(&m_window->window()));
        QTest::keyClick(&m_window->window(), Qt::Key_K, Qt::ControlModifier);
        QTRY_VERIFY((*m_window)->findChild<ui::Palette*>());
        QTest::keyClicks(palette().findChild<QLineEdit*>(), query);
    }
    void accept()
    {
        QTest::keyClick(palette().findChild<QLineEdit*>(), Qt::Key_Return);
        QTRY_VERIFY(!(*m_window)->findChild<ui::Palette*>());
    }

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        m_home->writeRun("digits-20261121-100000-aaaa", 10, "finished");
        m_home->writeRun("faces-20261121-100001-bbbb", 10, "finished");
        m_home->ingest();
        m_window = std::make_unique<OpenWindow>(m_home->home());
        (*m_window)->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&m_window->window()));
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 2);
        QTRY_VERIFY(m_window->bench().fields.names());
    }

    void cleanup()
    {
        m_window.reset();
        m_home.reset();
    }

    void E10_anActionIsDone()
    {
        type("compare");
        QCOMPARE(chosenTitle(), QStringLiteral("Compare"));
        QCOMPARE(palette().list().currentIndex().data(ui::PaletteModel::HintRole).toString(), QStringLiteral("Ctrl+4"));
        accept();
        QTRY_COMPARE((*m_window)->tabs().currentIndex(), 3);
    }

    void E10_anActionThatCannotBeDoneSaysWhy()
    {
        QTRY_VERIFY(!m_window->action("run.stop")->isEnabled());
        type("> stop");
        QCOMPARE(chosenTitle(), QStringLiteral("Stop"));
        const QString detail = palette().list().currentIndex().data(ui::PaletteModel::DetailRole).toString();
        QCOMPARE(detail, m_window->bench().actions.reason(QStringLiteral("run.stop")));
        QVERIFY(!detail.isEmpty());
        palette().reject();
    }

    void choicesOfMenusAndSavedViewsAreFound()
    {
        type("> dark");
        QCOMPARE(chosenTitle(), QStringLiteral("Appearance: Dark"));
        accept();
        QTRY_COMPARE(m_window->bench().settings.appearance(), ui::Appearance::Dark);
        ui::applyAppearance(ui::Appearance::System);
        type("german");
        QCOMPARE(chosenTitle(), QStringLiteral("Language: Deutsch (German)"));
        palette().reject();
        QTRY_VERIFY(!(*m_window)->findChild<ui::Palette*>());

        (*m_window)->tabs().setCurrentIndex(3);
        (*m_window)->view().saveAs(QStringLiteral("comparing two"));
        const auto& views = *(*m_window)->findChild<ui::ViewsMenu*>();
        QTRY_COMPARE(views.names(), QStringList {"comparing two"});
        (*m_window)->tabs().setCurrentIndex(0);
        type("comparing");
        QCOMPARE(chosenTitle(), QStringLiteral("Saved view: comparing two"));
        accept();
        QTRY_COMPARE((*m_window)->tabs().currentIndex(), 3);
    }

    void E10_aRunIsOpened()
    {
        type("@faces");
        QCOMPARE(chosenTitle(), QStringLiteral("faces"));
        accept();
        QTRY_COMPARE(m_window->bench().selection.inspected(), QStringLiteral("faces-20261121-100001-bbbb"));
        QVERIFY(m_window->bench().selection.isDrawn("faces-20261121-100001-bbbb"));
    }

    void E10_aMetricIsDrawn()
    {
        (*m_window)->openRun(QStringLiteral("faces-20261121-100001-bbbb"));
        auto& plots = *(*m_window)->findChild<ui::PlotsView*>();
        QTRY_VERIFY(!plots.panels().empty());
        const std::size_t before = plots.panels().size();
        plots.hidePlot("grad_norm");
        QTRY_COMPARE(plots.panels().size(), before - 1);
        (*m_window)->tabs().setCurrentIndex(1);
        type("#grad_norm");
        accept();
        QTRY_COMPARE(plots.panels().size(), before);
        QCOMPARE((*m_window)->tabs().currentIndex(), 0);
    }

    void E10_anOptionIsShownInTheLaunchWindow()
    {
        type(":learning rate");
        accept();
        QTRY_VERIFY((*m_window)->findChild<ui::Palette*>() == nullptr);
        ui::LaunchWindow& launch = (*m_window)->openLaunchWindow();
        QTRY_VERIFY(launch.isVisible());
        QTRY_VERIFY(launch.form().field("optim.lr")->isVisible());
        QTRY_VERIFY(launch.form().field("optim.lr")->isAncestorOf(launch.focusWidget()));
    }

    void E10_thePaletteAndTheKeysOpenInTheLaunchWindow()
    {
        ui::LaunchWindow& launch = (*m_window)->openLaunchWindow();
        QVERIFY(QTest::qWaitForWindowActive(&launch));
        QTest::keyClick(&launch, Qt::Key_K, Qt::ControlModifier);
        QTRY_VERIFY(launch.findChild<ui::Palette*>());
        auto& field = *launch.findChild<ui::Palette*>()->findChild<QLineEdit*>();
        QTest::keyClicks(&field, ":weight decay");
        QTest::keyClick(&field, Qt::Key_Return);
        QTRY_VERIFY(!launch.findChild<ui::Palette*>());
        QTRY_VERIFY(launch.form().field("optim.weight_decay")->isAncestorOf(launch.focusWidget()));
        QVERIFY(QTest::qWaitForWindowActive(&launch));
        QTest::keyClick(&launch, Qt::Key_Slash, Qt::ControlModifier);
        QTRY_VERIFY(launch.findChild<ui::KeysDialog*>());
        launch.findChild<ui::KeysDialog*>()->close();
        QTRY_VERIFY(!launch.findChild<ui::KeysDialog*>());
        launch.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&launch));

        QTest::keyClick(&launch, Qt::Key_K, Qt::ControlModifier);
        QTRY_VERIFY(launch.findChild<ui::Palette*>());
        auto& another = *launch.findChild<ui::Palette*>()->findChild<QLineEdit*>();
        QTest::keyClicks(&another, "@faces");
        QTest::keyClick(&another, Qt::Key_Return);
        QTRY_COMPARE(m_window->bench().selection.inspected(), QStringLiteral("faces-20261121-100001-bbbb"));
        QTRY_VERIFY((*m_window)->isActiveWindow());
    }

    void E10_ownKeysAreThereInTheNextWindow()
    {
        m_window->bench().settings.setOwnKeys({{"view.palette", "Ctrl+J"}, {"gone.action", "Ctrl+L"}});
        m_window.reset();
        m_window = std::make_unique<OpenWindow>(m_home->home());
        (*m_window)->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&m_window->window()));
        QTest::keyClick(&m_window->window(), Qt::Key_J, Qt::ControlModifier);
        QTRY_VERIFY((*m_window)->findChild<ui::Palette*>());
        palette().reject();
        m_window->action("help.keys")->trigger();
        QVERIFY((*m_window)->findChild<ui::KeysDialog*>());
    }
};

ATELIER_UI_TEST_MAIN(WindowPaletteTest)
#include "tst_window_palette.moc"
