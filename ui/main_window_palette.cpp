// The main window's palette, and what choosing in it does.
#include "ui/launch/launch_window.h"
#include "ui/launch/option_form.h"
#include "ui/main_window.h"
#include "ui/manual/manual_page.h"
#include "ui/palette/keys_dialog.h"
#include "ui/palette/keys_of_views.h"
#include "ui/palette/palette.h"
#include "ui/palette_entries.h"
#include "ui/plot/canvas/plot_keys.h"
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/plots_view.h"

#include <QTabWidget>

namespace ui {

void MainWindow::openPalette()
{
    auto* palette = new Palette(this);
    palette->offer(paletteEntries(*m_workbench));
    // When the palette has gone, so that an action finds the focus where it was.
    connect(palette, &Palette::chosen, this, [this](const PaletteEntry& entry) {
        QMetaObject::invokeMethod(this, [this, entry] { goTo(entry); }, Qt::QueuedConnection);
    });
    palette->open();
}

void MainWindow::goTo(const PaletteEntry& entry)
{
    switch (entry.kind) {
    case PaletteEntry::Kind::Action:
        return m_workbench->actions.action(entry.id)->trigger();
    case PaletteEntry::Kind::Run:
        return openRun(entry.id);
    case PaletteEntry::Kind::Metric:
        return drawMetric(entry.id);
    case PaletteEntry::Kind::Option:
        return openLaunchWindow().form().goTo(entry.id);
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

void MainWindow::showKeys()
{
    QList<FixedKey> fixed;
    for (const PlotKey& key : plotKeys())
        fixed.append({tr("In a plot"), key.keys, key.help});
    auto* dialog = new KeysDialog(m_workbench->actions, m_workbench->settings, this, fixed + keysOfViews());
    setManualPage(*dialog, QStringLiteral("views"));
    dialog->open();
}

}  // namespace ui
