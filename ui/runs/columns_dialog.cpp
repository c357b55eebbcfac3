#include "ui/runs/columns_dialog.h"

#include "engine/contract/experiment/options.h"
#include "ui/base/icons.h"
#include "ui/base/plain_text.h"
#include "ui/language/outside_text.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <utility>

namespace ui {
namespace {

constexpr int kColumnRole = Qt::UserRole;      ///< int of RunsModel::Column
constexpr int kFieldRole = Qt::UserRole + 1;   ///< idOf() the field

void addItem(QTreeWidgetItem* group, const QString& text, const QString& help, int role, const QVariant& value)
{
    auto* item = new QTreeWidgetItem(group, {text, help});
    item->setData(0, role, value);
    item->setCheckState(0, Qt::Unchecked);
    item->setToolTip(1, plainToolTip(help));
}

}  // namespace

ColumnsDialog::ColumnsDialog(const RunsModel& model, const FieldReader& fields, QWidget* parent)
    : QDialog(parent)
    , m_search(new QLineEdit(this))
    , m_list(new QTreeWidget(this))
{
    setObjectName(QStringLiteral("columnsDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Columns of the runs"));
    m_search->setPlaceholderText(tr("Find an option or a metric"));
    m_search->setAccessibleName(tr("Find an option or a metric"));
    m_search->setClearButtonEnabled(true);
    m_search->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_list->setHeaderHidden(true);
    m_list->setColumnCount(2);
    m_list->setUniformRowHeights(true);
    m_list->setAccessibleName(tr("Columns"));
    addColumns(model);
    if (fields.names())
        addFields(*fields.names());
    m_list->expandAll();
    m_list->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->button(QDialogButtonBox::Close)->setIcon({});
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_search, &QLineEdit::textChanged, this, &ColumnsDialog::narrow);
    connect(m_list, &QTreeWidget::itemChanged, this, &ColumnsDialog::emitToggled);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_search);
    layout->addWidget(m_list, 1);
    layout->addWidget(buttons);
    resize(88 * fontMetrics().averageCharWidth(), 32 * fontMetrics().height());
    m_isFilling = false;
}

QTreeWidgetItem* ColumnsDialog::addGroup(const QString& title)
{
    auto* group = new QTreeWidgetItem(m_list, {title});
    group->setFlags(Qt::ItemIsEnabled);
    QFont bold = font();
    bold.setBold(true);
    group->setFont(0, bold);
    return group;
}

void ColumnsDialog::addColumns(const RunsModel& model)
{
    QTreeWidgetItem* const group = addGroup(tr("Runs"));
    for (int column = RunsModel::State; column < RunsModel::BuiltInCount; ++column)
        addItem(group, model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(), {}, kColumnRole, column);
}

void ColumnsDialog::addFields(const storage::FieldNames& names)
{
    using Kind = storage::RunField::Kind;
    const auto add = [](QTreeWidgetItem* group, const storage::RunField& field, const QString& help) {
        addItem(group, titleOf(field), help, kFieldRole, idOf(field));
    };
    QTreeWidgetItem* const metrics = addGroup(tr("Metrics"));
    for (const std::string& name : names.metrics) {
        add(metrics, {Kind::Last, name}, tr("The last value"));
        add(metrics, {Kind::Lowest, name}, tr("The lowest value"));
        add(metrics, {Kind::Highest, name}, tr("The highest value"));
    }
    QTreeWidgetItem* const options = addGroup(tr("Options"));
    for (const std::string& name : names.parameters) {
        const contract::Option* const option = contract::findOption(name);
        add(options, {Kind::Parameter, name}, option ? translatedText(option->help) : QString());
    }
}

void ColumnsDialog::setChecked(RunsModel::Column column, bool isChecked)
{
    const bool wasFilling = std::exchange(m_isFilling, true);
    m_list->topLevelItem(0)->child(column - RunsModel::State)->setCheckState(0, isChecked ? Qt::Checked : Qt::Unchecked);
    m_isFilling = wasFilling;
}

void ColumnsDialog::setChecked(const storage::RunField& field)
{
    const bool wasFilling = std::exchange(m_isFilling, true);
    for (int group = 1; group < m_list->topLevelItemCount(); ++group) {
        for (int at = 0; at < m_list->topLevelItem(group)->childCount(); ++at) {
            QTreeWidgetItem* const item = m_list->topLevelItem(group)->child(at);
            if (item->data(0, kFieldRole).toString() == idOf(field))
                item->setCheckState(0, Qt::Checked);
        }
    }
    m_isFilling = wasFilling;
}

void ColumnsDialog::narrow(const QString& text)
{
    for (int group = 0; group < m_list->topLevelItemCount(); ++group) {
        QTreeWidgetItem* const parent = m_list->topLevelItem(group);
        bool hasMatch = false;
        for (int at = 0; at < parent->childCount(); ++at) {
            QTreeWidgetItem* const item = parent->child(at);
            const bool isMatch = item->text(0).contains(text, Qt::CaseInsensitive) || item->text(1).contains(text, Qt::CaseInsensitive);
            item->setHidden(!isMatch);
            hasMatch = hasMatch || isMatch;
        }
        parent->setHidden(!hasMatch);
    }
}

void ColumnsDialog::emitToggled(QTreeWidgetItem* item)
{
    if (m_isFilling || !item->parent())
        return;
    const bool isShown = item->checkState(0) == Qt::Checked;
    if (const auto field = fieldFromId(item->data(0, kFieldRole).toString()))
        Q_EMIT fieldToggled(*field, isShown);
    else
        Q_EMIT columnToggled(RunsModel::Column(item->data(0, kColumnRole).toInt()), isShown);
}

}  // namespace ui
