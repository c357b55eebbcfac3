// The main window's palette, and what choosing in it does.
#include "ui/launch/launch_window.h"
#include "ui/launch/option_form.h"
#include "ui/main_window.h"
#include "ui/manual/manual_page.h"
#include "ui/palette/keys_dialog.h"
#include "ui/palette/palette.h"
#include "ui/palette_entries.h"
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/plots_view.h"
#include "ui/views_menu.h"

#include <QApplication>
#include <QDialog>
#include <QDockWidget>
#include <QTabWidget>

namespace ui {

/// The window that a dialog for the user belongs to: the active one, or that of an active dialog, or else the main window.
QWidget* MainWindow::windowInUse()
{
    QWidget* window = QApplication::activeWindow();
    while (window && qobject_cast<QDialog*>(window))
        window = window->parentWidget() ? window->parentWidget()->window() : nullptr;
    return window ? window : this;
}

void MainWindow::openPalette()
{
    if (m_palette)
        return;
    const QPointer<QWidget> below = windowInUse();
    m_palette = new Palette(below);
    m_palette->offer(paletteEntries(*m_workbench, m_views->names()));
    // When the palette has gone, so that an action finds the focus where it was.
    connect(m_palette, &Palette::chosen, this, [this, below](const PaletteEntry& entry) {
        QMetaObject::invokeMethod(this, [this, below, entry] { goTo(entry, below); }, Qt::QueuedConnection);
    });
    m_palette->open();
}

void MainWindow::goTo(const PaletteEntry& entry, QWidget* below)
{
    switch (entry.kind) {
    case PaletteEntry::Kind::Action:
        return doAction(entry.id);
    case PaletteEntry::Kind::View:
        activateWindow();
        return m_view->open(entry.id);
    case PaletteEntry::Kind::Run:
        activateWindow();
        return openRun(entry.id);
    case PaletteEntry::Kind::Metric:
        activateWindow();
        return drawMetric(entry.id);
    case PaletteEntry::Kind::Option:
        if (auto* const launch = qobject_cast<LaunchWindow*>(below)) {
            launch->activateWindow();
            return launch->form().goTo(entry.id);
        }
        return openLaunchWindow().form().goTo(entry.id);
    }
}

/// Shows the view whose action it is, and does it there.
void MainWindow::doAction(const QString& id)
{
    if (QWidget* const view = m_workbench->actions.viewOf(id); view && view->visibleRegion().isEmpty())
        showView(*view);
    if (m_workbench->actions.areActiveTogether(m_workbench->actions.spec(id).place, kWindowPlace)
        && m_workbench->actions.spec(id).place != kEverywhere)
        activateWindow();  // the palette may have been opened in another one
    m_workbench->actions.action(id)->trigger();
}

void MainWindow::showView(QWidget& view)
{
    for (QWidget* part = &view; part && part != this; part = part->parentWidget()) {
        if (auto* const dock = qobject_cast<QDockWidget*>(part)) {
            dock->show();
            dock->raise();
        } else if (m_tabs->indexOf(part) >= 0) {
            m_tabs->setCurrentWidget(part);
        }
    }
}

/// Adds a plot of the metric to those that are shown.
void MainWindow::drawMetric(const QString& metric)
{
    std::set<std::string> metrics {metric.toStdString()};
    for (const PlotPanel* panel : m_plots->panels())
        metrics.insert(panel->group().metrics.begin(), panel->group().metrics.end());
    m_plots->chooseMetrics(metrics);
    m_tabs->setCurrentWidget(m_plots);
}

void MainWindow::declareKeys()
{
    ActionRegistry& actions = m_workbench->actions;
    const QString runs = QStringLiteral("runs"), tables = QStringLiteral("tables"), find = QStringLiteral("find"), manual = QStringLiteral("manual");
    actions.addFixed({runs, tr("Draw or hide"), {Qt::Key_Space}, tr("Draw the selected runs in the plots, or hide them")});
    // Of the views whose tables are copied as they are; the others have an action for it.
    actions.addPlace({tables, tr("In a table"), {runs, QStringLiteral("checkpoints"), QStringLiteral("queue"), QStringLiteral("metrics"), QStringLiteral("steps")}});
    actions.addFixed({tables, tr("Copy"), {QKeySequence::Copy}, tr("Copy the selected rows with the header, separated by tabs, numbers with all their digits")});
    actions.addFixed({QString(kEverywhere), tr("Menu of the current row"), {Qt::SHIFT | Qt::Key_F10, Qt::Key_Menu}, tr("Show what can be done with it")});
    actions.addFixed({QString(kEverywhere), tr("Next field or button"), {Qt::Key_Tab, Qt::SHIFT | Qt::Key_Tab}, tr("Also where several lines can be typed")});
    actions.addPlace({find, tr("In a field that finds"), {}});
    actions.addFixed({find, tr("Next"), {Qt::Key_Return, Qt::Key_Enter}, {}});
    actions.addFixed({find, tr("Back to what is searched"), {Qt::Key_Down}, {}});
    actions.addFixed({find, tr("Close"), {Qt::Key_Escape}, {}});
    actions.addPlace({manual, tr("Manual"), {QString(kEverywhere)}});
    actions.addFixed({manual, tr("Back and forward"), {QKeySequence::Back, QKeySequence::Forward}, {}});
    actions.addFixed({manual, tr("Find on this page"), {QKeySequence::Find, QKeySequence::FindNext}, {}});
    actions.addFixed({manual, tr("Close"), {QKeySequence::Close, Qt::Key_Escape}, {}});
}

void MainWindow::showKeys()
{
    if (m_keys)
        return;
    m_keys = new KeysDialog(m_workbench->actions, m_workbench->settings, windowInUse());
    setManualPage(*m_keys, QStringLiteral("views"));
    m_keys->open();
}

}  // namespace ui
