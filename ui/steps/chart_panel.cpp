#include "ui/steps/chart_panel.h"

#include "ui/base/action_registry.h"
#include "ui/steps/chart_numbers.h"
#include "ui/steps/step_bins.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QTableView>

#include <algorithm>

namespace ui {

ChartPanel::ChartPanel(StepChart* chart, const ActionRegistry& actions, QWidget* parent)
    : QStackedWidget(parent)
    , m_chart(chart)
    , m_actions(actions)
{
    addWidget(m_chart);
    m_chart->installEventFilter(this);
    connect(m_chart, &StepChart::numbersChanged, this, [this] {
        if (showsTable())
            refresh();
    });
}

bool ChartPanel::showsTable() const { return m_table && currentWidget() == m_table; }

void ChartPanel::setupTable()
{
    m_numbers = new ChartNumbers(this);
    m_table = new QTableView(this);
    m_table->setModel(m_numbers);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setAlternatingRowColors(true);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->horizontalHeader()->setTextElideMode(Qt::ElideRight);
    m_table->installEventFilter(this);
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& index) {
        const ChartTable& table = m_numbers->table();
        Q_EMIT m_chart->chosen(static_cast<double>((table.firstBin + index.row()) * table.width) * binUnit(table.axis));
    });
    addWidget(m_table);
    setTabOrder(m_chart, m_table);
}

void ChartPanel::setShowsTable(bool shows)
{
    if (shows == showsTable())
        return;
    if (!m_table)
        setupTable();
    if (shows) {
        refresh();
        goToMark();
    }
    const bool hadFocus = currentWidget()->hasFocus();
    setCurrentWidget(shows ? static_cast<QWidget*>(m_table) : m_chart);
    if (hadFocus)
        currentWidget()->setFocus();
}

void ChartPanel::refresh()
{
    m_numbers->setTable(m_chart->numbers());
    m_table->setAccessibleName(tr("Numbers of %1").arg(m_chart->accessibleName()));
}

/// The row of the marked step becomes current, or the last one.
void ChartPanel::goToMark()
{
    const ChartTable& table = m_numbers->table();
    const auto rows = static_cast<std::int64_t>(table.bins());
    const std::int64_t row = m_chart->mark() ? binAt(m_chart->mark()->x, table.width, table.axis) - table.firstBin : rows - 1;
    if (rows > 0)
        m_table->setCurrentIndex(m_numbers->index(static_cast<int>(std::clamp<std::int64_t>(row, 0, rows - 1)), 0));
}

bool ChartPanel::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress) {
        const auto* const press = static_cast<QKeyEvent*>(event);
        if (watched == m_table && press->key() == Qt::Key_Escape) {
            setShowsTable(false);
            return true;
        }
        if (m_actions.trigger(QStringLiteral("steps"), *press))
            return true;
    }
    return QStackedWidget::eventFilter(watched, event);
}

}  // namespace ui
