#include "ui/inspector/parameters_view.h"

#include "ui/base/icons.h"
#include "ui/base/state_strip.h"

#include <QAction>
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

ParametersView::ParametersView(Show what, QWidget* parent)
    : QWidget(parent)
    , m_what(what)
    , m_with(new QComboBox(this))
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
    m_view->setModel(m_filter);
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setAlternatingRowColors(true);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setAccessibleName(what == Show::All ? tr("Configuration") : tr("Differences"));
    m_view->setColumnHidden(ParameterTable::Other, what == Show::All);
    m_view->header()->setSectionResizeMode(ParameterTable::Key, QHeaderView::ResizeToContents);
    m_with->setAccessibleName(tr("Compared with"));
    m_with->setVisible(what == Show::Differences);
    m_search->setVisible(what == Show::All);
    auto* copy = new QAction(icon(QStringLiteral("copy")), tr("Copy"), m_view);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    connect(copy, &QAction::triggered, this, &ParametersView::copySelected);
    m_view->addAction(copy);
    m_view->setContextMenuPolicy(Qt::ActionsContextMenu);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addWidget(m_search);
    layout->addWidget(m_with);
    layout->addWidget(m_frame, 1);
    connect(m_search, &QLineEdit::textChanged, m_filter, &QSortFilterProxyModel::setFilterFixedString);
    connect(m_with, &QComboBox::currentIndexChanged, this, &ParametersView::fill);
}

void ParametersView::show(const RunFacts& facts)
{
    m_facts = facts;
    offerAttempts(facts);
    fill();
}

void ParametersView::offerAttempts(const RunFacts& facts)
{
    const QSignalBlocker noEcho(m_with);
    const int attempts = int(facts.parameters.size());
    if (m_with->count() == std::max(1, attempts))
        return;
    m_with->clear();
    m_with->addItem(tr("Difference from the defaults"), 0);
    for (auto attempt = facts.parameters.begin(); attempt != facts.parameters.end(); ++attempt) {
        if (std::next(attempt) != facts.parameters.end())
            m_with->addItem(tr("Difference from attempt %1").arg(attempt->first), attempt->first);
    }
}

void ParametersView::fill()
{
    std::vector<ParameterTable::Row> rows;
    if (!m_facts.parameters.empty()) {
        const auto other = m_facts.parameters.find(m_with->currentData().toInt());
        rows = compareParameters(m_facts.parameters.rbegin()->second,
            other == m_facts.parameters.end() ? defaultParameters() : other->second);
    }
    if (m_what == Show::Differences)
        std::erase_if(rows, [](const ParameterTable::Row& row) { return !row.differs(); });
    ViewState state;
    if (rows.empty())
        state.emptySentence = m_facts.parameters.empty() ? tr("No configuration has been read yet.")
                                                         : tr("Nothing differs.");
    m_table->setRows(std::move(rows));
    m_frame->setState(state);
}

void ParametersView::copySelected() const
{
    QStringList lines;
    for (const QModelIndex& index : m_view->selectionModel()->selectedRows(ParameterTable::Key))
        lines << QStringLiteral("%1 = %2").arg(index.data().toString(),
            index.siblingAtColumn(ParameterTable::Value).data().toString());
    QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

}  // namespace ui
