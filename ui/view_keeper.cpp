#include "ui/view_keeper.h"

#include "ui/base/background.h"
#include "ui/base/format.h"
#include "ui/manual/manual_page.h"
#include "ui/plot/plots_view.h"
#include "ui/runs/runs_view.h"
#include "ui/shown_runs.h"
#include "ui/views/view_files.h"

#include <QMainWindow>
#include <QTabWidget>

#include <utility>

namespace ui {
namespace {

const QString kRuns = QStringLiteral("runs");
const QString kFilter = QStringLiteral("filter");
const QString kPlots = QStringLiteral("plots");
const QString kBaseline = QStringLiteral("baseline");

}  // namespace

ViewKeeper::ViewKeeper(Workbench& workbench, ShownRuns& shown, RunsView& runs, PlotsView& plots, QMainWindow& window, QTabWidget& tabs)
    : QObject(&window)
    , m_workbench(workbench)
    , m_shown(shown)
    , m_runs(runs)
    , m_plots(plots)
    , m_window(window)
    , m_tabs(tabs)
    , m_history({})
{
    restore();
    m_history.follow(now());
    connectParts();
}

void ViewKeeper::restore()
{
    const Settings& settings = m_workbench.settings;
    m_runs.setFilterText(QString::fromUtf8(settings.viewState(kFilter)));
    m_runs.columns().restore(settings.header(kRuns));
    m_workbench.settings.setHeader(kRuns, m_runs.columns().state());
    m_plots.setChoices(plotChoicesFromJson(settings.viewState(kPlots)));
    m_workbench.selection.setBaseline(QString::fromUtf8(settings.viewState(kBaseline)));
}

void ViewKeeper::connectParts()
{
    Settings& settings = m_workbench.settings;
    const Selection& selection = m_workbench.selection;
    connect(&m_runs, &RunsView::filterTextChanged, this, [this, &settings] {
        settings.setViewState(kFilter, m_runs.filterText().toUtf8());
        take();
    });
    connect(&m_runs.columns(), &RunColumns::changed, this, [this, &settings] {
        settings.setHeader(kRuns, m_runs.columns().state());
        take();
    });
    connect(&m_plots, &PlotsView::choicesChanged, this, [this, &settings] {
        settings.setViewState(kPlots, toJson(m_plots.choices()));
        take(m_plots.viewState().gesture());
    });
    connect(&selection, &Selection::baselineChanged, this, [this, &settings, &selection] {
        settings.setViewState(kBaseline, selection.chosenBaseline().toUtf8());
        take();
    });
    connect(&selection, &Selection::drawnChanged, this, [this] { take(); });
    connect(&selection, &Selection::inspectedChanged, this, [this] { take(); });
    connect(&m_tabs, &QTabWidget::currentChanged, this, [this] { take(); });
}

SavedView ViewKeeper::now() const
{
    return {m_shown.wanted(), m_workbench.selection.chosenBaseline(), m_runs.filterText(), m_workbench.settings.header(kRuns),
        m_plots.choices(), {manualPageOf(m_tabs.currentWidget()), m_workbench.selection.inspected(), {}}};
}

SavedView ViewKeeper::nowWithDocks() const
{
    SavedView view = now();
    view.place.docks = m_window.saveState();
    return view;
}

void ViewKeeper::take(int gesture)
{
    if (m_isShowing)
        return;
    if (m_shown.isFollowing())
        m_history.follow(now());
    else
        m_history.change(now(), gesture);
    Q_EMIT changed();
}

qsizetype ViewKeeper::show(const SavedView& view)
{
    m_isShowing = true;
    const SavedView& before = m_history.view();
    const qsizetype missing = m_shown.draw(view.drawn);
    m_workbench.selection.setBaseline(view.baseline);
    if (view.filter != before.filter)
        m_runs.setFilterText(view.filter);
    if (view.columns != before.columns) {
        m_runs.columns().restore(view.columns);
        m_workbench.settings.setHeader(kRuns, m_runs.columns().state());
    }
    if (view.plots != before.plots)
        m_plots.setChoices(view.plots);
    if (view.place != before.place)
        showPlace(view.place);
    m_isShowing = false;
    return missing;
}

void ViewKeeper::showPlace(const SavedView::Place& place)
{
    for (int tab = 0; tab < m_tabs.count(); ++tab) {
        if (manualPageOf(m_tabs.widget(tab)) == place.tab)
            m_tabs.setCurrentIndex(tab);
    }
    if (m_workbench.runs.entry(place.inspected))
        m_workbench.selection.setInspected(place.inspected);
    if (!place.docks.isEmpty() && m_window.restoreState(place.docks))
        Q_EMIT docksRestored();
}

void ViewKeeper::undo()
{
    if (const auto view = m_history.undo()) {
        show(*view);
        m_history.follow(now());
        Q_EMIT changed();
    }
}

void ViewKeeper::redo()
{
    if (const auto view = m_history.redo()) {
        show(*view);
        m_history.follow(now());
        Q_EMIT changed();
    }
}

void ViewKeeper::saveAs(const QString& name)
{
    inBackground(this, [home = m_workbench.home, name, view = nowWithDocks()] { return writeView(home, name, view); },
        [this, name](const QString& error) { Q_EMIT statusMessage(error.isEmpty() ? tr("Saved the view “%1”.").arg(name) : error); });
}

void ViewKeeper::open(const QString& name)
{
    inBackground(this, [home = m_workbench.home, name] { return readView(home, name); },
        [this, name](const std::variant<SavedView, QString>& read) {
            if (const QString* const problem = std::get_if<QString>(&read))
                Q_EMIT statusMessage(*problem);
            else
                openRead(name, std::get<SavedView>(read));
        });
}

void ViewKeeper::openRead(const QString& name, const SavedView& view)
{
    m_history.follow(nowWithDocks());
    const qsizetype missing = show(view);
    m_history.open(nowWithDocks(), tr("opening of the view “%1”").arg(name));
    m_history.follow(now());
    Q_EMIT changed();
    const QString opened = tr("Opened the view “%1”.").arg(name);
    Q_EMIT statusMessage(missing == 0 ? opened
                                      : opened + QLatin1Char(' ')
                + formatCounted(missing, tr("One of its runs is not here; it is drawn if it comes back."),
                    tr("%Ln of its runs are not here; they are drawn if they come back.", nullptr, pluralCount(missing))));
}

void ViewKeeper::rename(const QString& from, const QString& to)
{
    inBackground(this, [home = m_workbench.home, from, to] { return renameView(home, from, to); }, [this, from, to](const QString& error) {
        Q_EMIT statusMessage(error.isEmpty() ? tr("Renamed the view “%1” to “%2”.").arg(from, to) : error);
    });
}

void ViewKeeper::remove(const QString& name)
{
    inBackground(this, [home = m_workbench.home, name] { return deleteView(home, name); }, [this, name](const QString& error) {
        Q_EMIT statusMessage(error.isEmpty() ? tr("Deleted the view “%1”.").arg(name) : error);
    });
}

}  // namespace ui
