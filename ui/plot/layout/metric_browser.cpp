#include "ui/plot/layout/metric_browser.h"

#include "ui/access/find_here.h"
#include "ui/base/action_registry.h"
#include "ui/base/flow_layout.h"
#include "ui/base/format.h"
#include "ui/base/icons.h"
#include "ui/base/state_strip.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <initializer_list>
#include <utility>

namespace ui {
namespace {

/// Up to so many metrics, all folders are open at first.
constexpr std::size_t kMaxOpen = 60;

}  // namespace

MetricBrowser::MetricBrowser(QWidget* parent)
    : QWidget(parent)
    , m_tree(new MetricTree(this))
    , m_search(new QLineEdit(this))
    , m_view(new QTreeView)
    , m_frame(new ViewFrame(m_view, this))
    , m_count(new QLabel(this))
{
    m_search->setPlaceholderText(tr("Find metrics: loss, gnrm, time fwd"));
    m_search->setAccessibleName(tr("Find metrics"));
    m_search->setClearButtonEnabled(true);
    m_search->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_search->installEventFilter(this);
    m_view->setModel(m_tree);
    m_view->setAccessibleName(tr("Metrics"));
    m_view->setUniformRowHeights(true);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setDragEnabled(true);
    m_view->setDragDropMode(QAbstractItemView::DragOnly);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->installEventFilter(this);
    m_view->header()->setSectionResizeMode(MetricTree::Name, QHeaderView::Interactive);
    m_view->header()->resizeSection(MetricTree::Name, 26 * fontMetrics().averageCharWidth());

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 4, 6, 4);
    layout->setSpacing(4);
    layout->addWidget(m_search);
    layout->addWidget(m_frame, 1);
    auto* row = new FlowLayout;
    row->setSpacing(4);
    m_show = addButton(row, tr("Show plots"), tr("Draw a plot of each selected metric"));
    m_hide = addButton(row, tr("Hide plots"), tr("Do not draw the selected metrics"));
    m_add = addButton(row, tr("Add to plot"), tr("Draw the selected metrics in a plot that there is"));
    m_addMenu = new QMenu(m_add);
    m_addMenu->setObjectName(QStringLiteral("addToPlot"));
    m_add->setMenu(m_addMenu);
    m_add->setPopupMode(QToolButton::InstantPopup);
    connect(m_addMenu, &QMenu::aboutToShow, this, &MetricBrowser::fillAddMenu);
    m_usual = addButton(row, tr("Default"), tr("Draw the plots that are drawn while nothing has been chosen"));
    row->addWidget(m_count);
    layout->addLayout(row);

    connect(m_search, &QLineEdit::textChanged, m_tree, &MetricTree::setQuery);
    connect(m_tree, &MetricTree::modelReset, this, &MetricBrowser::afterReset);
    connect(m_tree, &MetricTree::dataChanged, this, &MetricBrowser::showState);
    connect(m_tree, &MetricTree::chosenChanged, this, &MetricBrowser::metricsChosen);
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, &MetricBrowser::showState);
    connect(m_show, &QToolButton::clicked, this, [this] { chooseSelected(true); });
    connect(m_hide, &QToolButton::clicked, this, [this] { chooseSelected(false); });
    connect(m_usual, &QToolButton::clicked, this, &MetricBrowser::defaultMetricsRequested);
    const auto pathOf = [](const QModelIndex& index) { return index.data(MetricTree::PathRole).toString(); };
    connect(m_view, &QTreeView::expanded, this, [this, pathOf](const QModelIndex& index) { m_open.insert(pathOf(index)); });
    connect(m_view, &QTreeView::collapsed, this, [this, pathOf](const QModelIndex& index) { m_open.erase(pathOf(index)); });
    setFindHere(*this, findByFilter(*m_search, *m_view));
    showState();
}

void MetricBrowser::registerActions(ActionRegistry& actions)
{
    const QString place = QStringLiteral("metrics");
    actions.addPlace({place, tr("Metrics"), {}}, this);
    actions.addTo(*this, {"metrics.show", buttonText(m_show->text()), {}, {}, tr("Draw a plot of each selected metric"), {}, place}, [this] { chooseSelected(true); });
    actions.addTo(*this, {"metrics.hide", buttonText(m_hide->text()), {}, {}, tr("Do not draw the selected metrics"), {}, place}, [this] { chooseSelected(false); });
    actions.addTo(*this, {"metrics.add", tr("Add to plot…"), {}, {}, tr("Draw the selected metrics in a plot that there is"), {}, place}, [this] { openAddMenu(); });
    actions.addTo(*this, {"metrics.default", tr("Default metrics"), "revert", {}, tr("Draw the plots that are drawn while nothing has been chosen"), {}, place},
        [this] { Q_EMIT defaultMetricsRequested(); });
    actions.addFixed({place, tr("Show or hide plots"), {QKeySequence(Qt::Key_Space), QKeySequence(Qt::Key_Return), QKeySequence(Qt::Key_Enter)},
        tr("Tick all selected metrics, or none")});
    const std::initializer_list<std::pair<const char*, QToolButton*>> buttons
        = {{"metrics.show", m_show}, {"metrics.hide", m_hide}, {"metrics.add", m_add}, {"metrics.default", m_usual}};
    for (const auto& [id, button] : buttons)
        actions.describe(QLatin1String(id), *button);
    const auto refresh = [this, &actions] {
        for (const char* id : {"metrics.show", "metrics.hide", "metrics.add"})
            actions.setEnabled(QLatin1String(id), m_view->selectionModel()->hasSelection(), tr("Select metrics first."));
    };
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, refresh);
    connect(m_tree, &MetricTree::modelReset, this, refresh);
    refresh();
}

void MetricBrowser::openAddMenu() { m_addMenu->popup(m_add->mapToGlobal(QPoint(0, m_add->height()))); }

QToolButton* MetricBrowser::addButton(QLayout* row, const QString& text, const QString& help)
{
    auto* button = new QToolButton(this);
    button->setText(text);
    button->setToolTip(help);
    button->setAccessibleName(help);
    button->setFocusPolicy(Qt::TabFocus);
    row->addWidget(button);
    return button;
}

void MetricBrowser::setMetrics(const std::set<std::string>& all, const std::set<std::string>& chosen)
{
    const bool isFirst = m_tree->metrics().empty();
    m_tree->setMetrics(all, chosen);
    if (isFirst && all.size() <= kMaxOpen)
        m_view->expandAll();
}

void MetricBrowser::focusSearch()
{
    m_search->setFocus(Qt::ShortcutFocusReason);
    m_search->selectAll();
}

void MetricBrowser::chooseSelected(bool isChosen)
{
    m_tree->choose(m_tree->metricsOf(m_view->selectionModel()->selectedRows()), isChosen);
}

/// As a tick on the current row would, but for all selected ones.
void MetricBrowser::toggleSelected()
{
    const QModelIndex current = m_view->currentIndex().siblingAtColumn(MetricTree::Name);
    chooseSelected(current.data(Qt::CheckStateRole).toInt() != Qt::Checked);
}

void MetricBrowser::fillAddMenu()
{
    m_addMenu->clear();
    QStringList names;
    for (const std::string& metric : m_tree->metricsOf(m_view->selectionModel()->selectedRows()))
        names << QString::fromStdString(metric);
    for (const PlotGroup& plot : m_plots) {
        QString title = groupTitle(plot);
        m_addMenu->addAction(title.replace(QLatin1Char('&'), QStringLiteral("&&")), this, [this, names, id = plot.id] { Q_EMIT addRequested(names, id); });
    }
}

void MetricBrowser::afterReset()
{
    m_view->setRootIsDecorated(!m_tree->isFiltered());
    const std::set<QString> open = m_open;
    const auto restore = [&](const QModelIndex& parent, const auto& self) -> void {
        for (int row = 0; row < m_tree->rowCount(parent); ++row) {
            const QModelIndex index = m_tree->index(row, MetricTree::Name, parent);
            if (!m_tree->hasChildren(index) || !open.contains(index.data(MetricTree::PathRole).toString()))
                continue;
            m_view->expand(index);
            self(index, self);
        }
    };
    restore({}, restore);
    if (m_tree->isFiltered() && m_tree->matches() > 0)
        m_view->setCurrentIndex(m_tree->index(0, MetricTree::Name));
    showState();
}

void MetricBrowser::setEmptyActions(const QList<ViewAction>& actions)
{
    m_emptyActions = actions;
    showState();
}

void MetricBrowser::showState()
{
    ViewState state;
    const auto all = static_cast<std::int64_t>(m_tree->metrics().size());
    if (all == 0) {
        state.emptySentence = tr("Draw a run to see its metrics.");
        state.emptyActions = m_emptyActions;
    } else if (m_tree->matches() == 0) {
        state.emptySentence = formatCounted(all, tr("0 of 1 metric matches."), tr("0 of %Ln metrics match.", nullptr, pluralCount(all)));
        state.emptyActions = {{tr("Clear filter"), [this] { m_search->clear(); }}};
    }
    m_frame->setState(state);
    const bool isAnySelected = m_view->selectionModel()->hasSelection();
    m_show->setEnabled(isAnySelected);
    m_hide->setEnabled(isAnySelected);
    m_add->setEnabled(isAnySelected);
    m_count->setText(m_tree->isFiltered() ? tr("%1 of %2").arg(formatCount(m_tree->matches()), formatCount(all))
                                          : tr("%1 of %2 drawn").arg(formatCount(std::ssize(m_tree->chosen())), formatCount(all)));
}

bool MetricBrowser::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    const bool isEnter = key == Qt::Key_Return || key == Qt::Key_Enter;
    if (watched == m_view && (isEnter || key == Qt::Key_Space)) {
        toggleSelected();
        return true;
    }
    if (watched == m_search && isEnter) {
        toggleSelected();
        return true;
    }
    if (watched == m_search && key == Qt::Key_Down) {
        m_view->setFocus();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace ui
