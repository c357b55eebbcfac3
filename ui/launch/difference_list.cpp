#include "ui/launch/difference_list.h"

#include "ui/base/format.h"
#include "ui/base/look.h"
#include "ui/language/outside_text.h"
#include "ui/launch/draft.h"

#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace ui {
namespace {

enum Column { Name, Here, Origin, Default, ColumnCount };

QString optionText(std::string_view text) { return QString::fromUtf8(text.data(), qsizetype(text.size())); }

}  // namespace

DifferenceList::DifferenceList(Draft& draft, QWidget* parent)
    : QWidget(parent)
    , m_draft(draft)
    , m_summary(new QLabel(this))
    , m_list(new QTreeWidget(this))
{
    m_summary->setObjectName(QStringLiteral("differenceSummary"));
    m_summary->setWordWrap(true);
    m_summary->setTextFormat(Qt::PlainText);
    m_list->setObjectName(QStringLiteral("differences"));
    m_list->setAccessibleName(tr("Changed options"));
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setAlternatingRowColors(true);
    m_list->setColumnCount(ColumnCount);
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_list->header()->setSectionResizeMode(QHeaderView::Stretch);
    m_list->header()->setSectionResizeMode(Name, QHeaderView::ResizeToContents);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 6, 0, 0);
    layout->addWidget(m_summary);
    layout->addWidget(m_list, 1);
    connect(m_list, &QTreeWidget::itemActivated, this,
        [this](const QTreeWidgetItem* item) { Q_EMIT optionActivated(item->data(Name, Qt::UserRole).toString()); });
    connect(&m_draft, &Draft::fieldsChanged, this, &DifferenceList::update);
    connect(&m_draft, &Draft::originChanged, this, &DifferenceList::update);
    update();
}

void DifferenceList::update()
{
    const DraftOrigin& origin = m_draft.origin();
    const bool isOfDefaults = origin.kind == DraftOrigin::Kind::Defaults;
    const auto all = differencesOf(m_draft.experiment(), origin.experiment);
    const auto count = int(std::ranges::count(all, true, &OptionDifference::differsFromOrigin));
    const auto fromDefaults = std::ranges::count_if(all, [](const OptionDifference& each) { return each.value != each.defaultValue; });
    m_list->setHeaderLabels({tr("Option"), tr("Here"), origin.kind == DraftOrigin::Kind::File ? QFileInfo(origin.name).fileName() : origin.name, tr("Default")});
    m_list->setColumnHidden(Origin, isOfDefaults);
    QList<QTreeWidgetItem*> rows;
    for (const OptionDifference& each : all) {
        auto* row = new QTreeWidgetItem({translatedText(each.option->label), each.value, each.originValue, each.defaultValue});
        row->setData(Name, Qt::UserRole, optionText(each.option->key));
        row->setToolTip(Name, optionText(each.option->key));
        for (int column = Here; column < ColumnCount; ++column)
            row->setToolTip(column, row->text(column));
        QFont font = m_list->font();
        font.setBold(each.differsFromOrigin);
        row->setFont(Name, font);
        row->setFont(Here, font);
        for (const int column : {Origin, Default})
            row->setForeground(column, fadedText(palette()));
        rows << row;
    }
    m_list->clear();
    m_list->addTopLevelItems(rows);
    const QString changes = formatCounted(count, tr("%n change"), tr("%Ln changes", nullptr, pluralCount(count)));
    m_summary->setText(isOfDefaults ? tr("%1 from the defaults.").arg(changes)
                                    : tr("%1 from %2, %3 from the defaults.").arg(changes, origin.words()).arg(fromDefaults));
    if (std::exchange(m_count, count) != count)
        Q_EMIT countChanged(count);
}

}  // namespace ui
