#include "ui/plot/plot_grid.h"

#include "ui/plot/plot_image.h"
#include "ui/plot/plot_panel.h"

#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QGridLayout>
#include <QGuiApplication>
#include <QPointer>
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
    connect(panel, &PlotPanel::copyImageRequested, this, [this, panel] { copyImage({panel}); });
    return panel;
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
        if (before)
            setTabOrder(before, &panel->canvas());
        before = &panel->canvas();
    }
}

}  // namespace ui
