#include "ui/plot/plot_grid.h"

#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/layout/plot_drag.h"
#include "ui/plot/plot_image.h"

#include <QClipboard>
#include <QDir>
#include <QDragMoveEvent>
#include <QFileDialog>
#include <QGridLayout>
#include <QGuiApplication>
#include <QMimeData>
#include <QPointer>
#include <QRubberBand>
#include <QStandardPaths>

#include <algorithm>

namespace ui {

PlotGrid::PlotGrid(PlotViewState& viewState, QSize leastPlot, QWidget* parent)
    : QScrollArea(parent)
    , m_viewState(viewState)
    , m_leastPlot(leastPlot)
    , m_page(new QWidget)
    , m_grid(new QGridLayout(m_page))
{
    m_grid->setContentsMargins(6, 0, 6, 6);
    m_grid->setSpacing(6);
    setWidget(m_page);
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
}

void PlotGrid::resizeEvent(QResizeEvent* event)
{
    QScrollArea::resizeEvent(event);
    arrange();
}

void PlotGrid::setGroups(const std::vector<PlotGroup>& groups)
{
    const bool isSame = std::equal(groups.begin(), groups.end(), m_panels.begin(), m_panels.end(),
        [](const PlotGroup& group, const PlotPanel* panel) { return group == panel->group(); });
    if (isSame)
        return;
    std::vector<PlotPanel*> panels;
    for (const PlotGroup& group : groups) {
        const auto found = std::find_if(m_panels.begin(), m_panels.end(),
            [&](const PlotPanel* panel) { return panel && panel->group() == group; });
        panels.push_back(found == m_panels.end() ? makePanel(group) : *found);
        if (found != m_panels.end())
            *found = nullptr;
    }
    for (PlotPanel* panel : m_panels)
        delete panel;
    m_panels = panels;
    m_columns = 0;
    arrange();
}

PlotPanel* PlotGrid::makePanel(const PlotGroup& group)
{
    auto* panel = new PlotPanel(group, m_viewState, m_page);
    panel->setMinimumHeight(m_leastPlot.height());
    connect(panel, &PlotPanel::saveImageRequested, this, [this, panel] { saveImage({panel}); });
    connect(panel, &PlotPanel::runsPointedOut, this, &PlotGrid::runsPointedOut);
    connect(panel, &PlotPanel::copyImageRequested, this, [this, panel] { copyImage({panel}); });
    if (!m_isArrangeable)
        return panel;
    panel->setArrangeable();
    // Queued, since the panel may be deleted while its menu is still at work.
    connect(panel, &PlotPanel::moveRequested, this, [this, panel](bool isEarlier) { moveBy(panel, isEarlier); }, Qt::QueuedConnection);
    connect(panel, &PlotPanel::separateRequested, this, [this, group] {
        QStringList names;
        for (std::size_t i = group.metrics.size() - group.added; i < group.metrics.size(); ++i)
            names << QString::fromStdString(group.metrics[i]);
        Q_EMIT separateRequested(names);
    }, Qt::QueuedConnection);
    connect(panel, &PlotPanel::lineRequested, this, &PlotGrid::lineRequested);
    connect(panel, &PlotPanel::hideRequested, this, [this, id = group.id] { Q_EMIT hideRequested(id); }, Qt::QueuedConnection);
    return panel;
}

void PlotGrid::setArrangeable()
{
    m_isArrangeable = true;
    m_mark = new QRubberBand(QRubberBand::Rectangle, viewport());
    setAcceptDrops(true);
}

void PlotGrid::moveBy(const PlotPanel* panel, bool isEarlier)
{
    const auto at = std::ranges::find(m_panels, panel) - m_panels.begin();
    const auto next = isEarlier ? at - 1 : at + 2;
    if (next >= 0 && at < std::ssize(m_panels))
        Q_EMIT moveRequested(panel->group().id, next < std::ssize(m_panels) ? m_panels[std::size_t(next)]->group().id : std::string());
}

PlotGrid::Gap PlotGrid::gapAt(const QPoint& position, bool mayJoin) const
{
    constexpr int kMarkWidth = 4;
    constexpr int kEdgeParts = 4;  // of a plot's width
    for (std::size_t index = 0; index < m_panels.size(); ++index) {
        const QRect rect(m_panels[index]->mapTo(viewport(), QPoint()), m_panels[index]->size());
        if (!rect.contains(position))
            continue;
        const int edge = rect.width() / kEdgeParts;
        if (mayJoin && rect.adjusted(edge, 0, -edge, 0).contains(position))
            return {{}, rect, m_panels[index]->group().id};
        const bool isAfter = position.x() > rect.center().x();
        const QRect mark(isAfter ? rect.right() - kMarkWidth : rect.left(), rect.top(), kMarkWidth, rect.height());
        const std::size_t next = index + (isAfter ? 1 : 0);
        return {next < m_panels.size() ? m_panels[next]->group().id : std::string(), mark};
    }
    return {};
}

void PlotGrid::dragEnterEvent(QDragEnterEvent* event)
{
    if (!draggedPlot(*event->mimeData()).isEmpty() || !draggedMetrics(*event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void PlotGrid::dragMoveEvent(QDragMoveEvent* event)
{
    const Gap gap = gapAt(event->position().toPoint(), !draggedMetrics(*event->mimeData()).isEmpty());
    m_mark->setGeometry(gap.mark);
    m_mark->setVisible(!gap.mark.isEmpty());
    event->acceptProposedAction();
}

void PlotGrid::dragLeaveEvent(QDragLeaveEvent*)
{
    m_mark->hide();
}

void PlotGrid::dropEvent(QDropEvent* event)
{
    m_mark->hide();
    event->acceptProposedAction();
    const QStringList metrics = draggedMetrics(*event->mimeData());
    const Gap gap = gapAt(event->position().toPoint(), !metrics.isEmpty());
    const std::string before = gap.before;
    if (!gap.onto.empty())
        Q_EMIT metricsDroppedOnto(metrics, gap.onto);
    else if (!metrics.isEmpty())
        Q_EMIT metricsDropped(metrics, before);
    if (!metrics.isEmpty())
        return;
    const std::string id = draggedPlot(*event->mimeData()).toStdString();
    if (id != before)
        Q_EMIT moveRequested(id, before);
}

PlotImage PlotGrid::imageOf(const std::vector<PlotPanel*>& panels) const
{
    return panels.empty() ? PlotImage {m_panels, m_columns} : PlotImage {panels, 1};
}

void PlotGrid::saveImage(const std::vector<PlotPanel*>& panels)
{
    if (m_panels.empty())
        return;
    const QString name = panels.empty() ? tr("plots") : panels.front()->title();
    const QDir folder(QStandardPaths::writableLocation(QStandardPaths::PicturesLocation));
    auto* dialog = new QFileDialog(this, tr("Save %1 as a picture").arg(name), folder.path(), imageFilters());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffixOf({}));
    dialog->selectFile(QString(name).replace(QLatin1Char('/'), QLatin1Char('-')) + QStringLiteral(".png"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) { dialog->setDefaultSuffix(suffixOf(filter)); });
    // The panel may be gone when the dialog is accepted.
    const QPointer<PlotPanel> chosen = panels.empty() ? nullptr : panels.front();
    connect(dialog, &QFileDialog::fileSelected, this, [this, chosen, isAll = panels.empty()](const QString& file) {
        if (m_panels.empty() || (!isAll && !chosen))
            return;
        writeImage(imageOf(isAll ? std::vector<PlotPanel*>() : std::vector<PlotPanel*> {chosen}), file, this,
            [this, file](const QString& error) { Q_EMIT statusMessage(error.isEmpty() ? tr("Saved to %1.").arg(file) : error); });
    });
    dialog->open();
}

void PlotGrid::copyImage(const std::vector<PlotPanel*>& panels)
{
    if (m_panels.empty())
        return;
    QGuiApplication::clipboard()->setImage(paintedImage(imageOf(panels), std::max(1.0, devicePixelRatioF())));
    Q_EMIT statusMessage(panels.empty() ? tr("Copied all plots as a picture.") : tr("Copied %1 as a picture.").arg(panels.front()->title()));
}

void PlotGrid::arrange()
{
    const int columns = std::clamp(width() / m_leastPlot.width(), 1, 3);
    if (columns == m_columns)
        return;
    m_columns = columns;
    for (std::size_t index = 0; index < m_panels.size(); ++index) {
        m_grid->removeWidget(m_panels[index]);
        m_grid->addWidget(m_panels[index], static_cast<int>(index) / columns, static_cast<int>(index) % columns);
        m_panels[index]->show();
    }
    for (int column = 0; column < 3; ++column)
        m_grid->setColumnStretch(column, column < columns ? 1 : 0);
    QWidget* before = m_before;
    for (PlotPanel* panel : m_panels) {
        for (QWidget* const control : panel->controls()) {
            if (before)
                setTabOrder(before, control);
            before = control;
        }
    }
}

}  // namespace ui
