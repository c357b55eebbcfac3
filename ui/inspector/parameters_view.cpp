#include "ui/inspector/parameters_view.h"

#include "engine/contract/experiment/options.h"
#include "ui/access/find_bar.h"
#include "ui/access/find_here.h"
#include "ui/base/kept_controls.h"
#include "ui/base/state_strip.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

ParametersView::ParametersView(Show rows, QWidget* parent)
    : QWidget(parent)
    , m_shownRows(rows)
    , m_comparedWith(new QComboBox(this))
    , m_search(new QLineEdit(this))
    , m_table(new ParameterTable(this))
    , m_filter(new QSortFilterProxyModel(this))
    , m_view(new QTreeView)
    , m_frame(new ViewFrame(m_view, this))
{
    m_filter->setSourceModel(m_table);
    m_filter->setFilterKeyColumn(-1);
    m_filter->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_search->setPlaceholderText(tr("Filter options"));
    m_search->setAccessibleName(tr("Filter options"));
    m_search->setClearButtonEnabled(true);
    if (rows == Show::All)
        keep(*m_search, "filter");
    m_view->setModel(m_filter);
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setAlternatingRowColors(true);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setAccessibleName(rows == Show::All ? tr("Configuration") : tr("Differences"));
    m_view->setColumnHidden(ParameterTable::Other, rows == Show::All);
    m_view->header()->setSectionResizeMode(ParameterTable::Key, QHeaderView::ResizeToContents);
    m_comparedWith->setAccessibleName(tr("Compared with"));
    m_comparedWith->setVisible(rows == Show::Differences);
    m_search->setVisible(rows == Show::All);
    m_view->setContextMenuPolicy(Qt::ActionsContextMenu);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addWidget(m_search);
    layout->addWidget(m_comparedWith);
    layout->addWidget(m_frame, 1);
    connect(m_search, &QLineEdit::textChanged, m_filter, &QSortFilterProxyModel::setFilterFixedString);
    connect(m_comparedWith, &QComboBox::currentIndexChanged, this, &ParametersView::fill);
    if (rows == Show::All)
        setFindHere(*this, findByFilter(*m_search, *m_view));
    else
        new FindBar(*this, *m_frame, *m_view, rowsOf(*m_view));
    fill();
}

void ParametersView::show(const RunFacts& facts)
{
    if (facts.parameters == m_parameters)
        return;
    m_parameters = facts.parameters;
    offerAttempts();
    fill();
}

void ParametersView::reveal(const QString& key)
{
    const QModelIndexList found = m_table->match(m_table->index(0, ParameterTable::Key), Qt::DisplayRole, key, 1, Qt::MatchFixedString | Qt::MatchCaseSensitive);
    if (found.isEmpty())
        return;
    if (!m_filter->mapFromSource(found.front()).isValid())
        m_search->clear();
    const QModelIndex row = m_filter->mapFromSource(found.front());
    m_view->setCurrentIndex(row);
    m_view->scrollTo(row, QAbstractItemView::PositionAtCenter);
}

void ParametersView::offerAttempts()
{
    const QSignalBlocker blocker(m_comparedWith);
    const int attempts = int(m_parameters.size());
    if (m_comparedWith->count() == std::max(1, attempts))
        return;
    m_comparedWith->clear();
    m_comparedWith->addItem(tr("Difference from the defaults"), 0);
    for (auto attempt = m_parameters.begin(); attempt != m_parameters.end(); ++attempt) {
        if (std::next(attempt) != m_parameters.end())
            m_comparedWith->addItem(tr("Difference from attempt %1").arg(attempt->first), attempt->first);
    }
}

void ParametersView::fill()
{
    std::vector<ParameterTable::Row> rows;
    // An imported run has the parameters of another program, of which no defaults are known.
    const bool isForeign = !m_parameters.empty()
        && std::ranges::none_of(m_parameters.rbegin()->second, [](const storage::ParameterRow& row) { return contract::findOption(row.key) != nullptr; });
    if (!m_parameters.empty()) {
        const auto other = m_parameters.find(m_comparedWith->currentData().toInt());
        const std::vector<storage::ParameterRow>& values = m_parameters.rbegin()->second;
        rows = compareParameters(values, other != m_parameters.end() ? other->second : isForeign ? values : defaultParameters());
    }
    if (m_shownRows == Show::Differences)
        std::erase_if(rows, [](const ParameterTable::Row& row) { return !row.differs(); });
    ViewState state;
    if (rows.empty())
        state.emptySentence = m_parameters.empty() ? tr("The options of this run have not been read yet.")
            : isForeign && m_shownRows == Show::Differences ? tr("The defaults of an imported run are not known.")
            : isForeign                                     ? tr("No parameters of this run were recorded.")
                                                            : tr("No option differs.");
    m_table->setRows(std::move(rows));
    m_frame->setState(state);
}

void ParametersView::copySelected() const
{
    QStringList lines;
    for (const QModelIndex& index : m_view->selectionModel()->selectedRows(ParameterTable::Key))
        lines << QStringLiteral("%1 = %2").arg(index.data().toString(),
            index.siblingAtColumn(ParameterTable::Value).data().toString());
    if (!lines.isEmpty())
        QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

}  // namespace ui
