#include "ui/trash_dialog.h"

#include "ui/base/background.h"
#include "ui/base/format.h"
#include "ui/base/icons.h"
#include "ui/base/plain_text.h"
#include "ui/base/state_strip.h"
#include "ui/base/window_size.h"

#include <QDateTime>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QMessageBox>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <utility>

namespace ui {
namespace {

enum TrashColumn { Name, Size, Removed, TrashColumnCount };

}  // namespace

TrashDialog::TrashDialog(Workbench& workbench, QWidget* parent)
    : QDialog(parent)
    , m_workbench(workbench)
    , m_list(new QTreeWidget)
    , m_frame(new ViewFrame(m_list, this))
{
    setObjectName(QStringLiteral("trashDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(m_workbench.mirror ? tr("Trash of %1").arg(QString::fromStdString(m_workbench.mirror->host().text())) : tr("Trash"));
    m_list->setColumnCount(TrashColumnCount);
    m_list->setHeaderLabels({tr("Run or checkpoint"), tr("Size"), tr("Removed")});
    m_list->headerItem()->setTextAlignment(Size, Qt::AlignRight | Qt::AlignVCenter);
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setAlternatingRowColors(true);
    m_list->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_list->setAccessibleName(tr("Trash"));
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(Name, QHeaderView::Stretch);
    for (const int column : {Size, Removed})
        m_list->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_frame, 1);
    layout->addWidget(makeButtons());
    connect(m_list, &QTreeWidget::itemSelectionChanged, this, &TrashDialog::updateButtons);
    connect(&m_workbench.trash, &TrashWatch::changed, this, m_workbench.mirror ? &TrashDialog::showThere : &TrashDialog::load);
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    resize(sizeOnScreen(*this, QSize(90 * digit, 24 * fontMetrics().height())));
    if (m_workbench.mirror)
        showThere();
    else
        load();
}

void TrashDialog::showEvent(QShowEvent* event)
{
    QDialog::showEvent(event);
    m_workbench.trash.setShown(true);
}

void TrashDialog::hideEvent(QHideEvent* event)
{
    m_workbench.trash.setShown(false);
    QDialog::hideEvent(event);
}

QWidget* TrashDialog::makeButtons()
{
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->button(QDialogButtonBox::Close)->setDefault(true);
    m_restore = buttons->addButton(tr("Restore"), QDialogButtonBox::ActionRole);
    m_restore->setIcon(icon(QStringLiteral("revert")));
    m_restore->setToolTip(tr("Move the selected runs and checkpoints back to where they were"));
    m_empty = buttons->addButton(tr("Empty trash…"), QDialogButtonBox::ActionRole);
    m_empty->setIcon(icon(QStringLiteral("trash")));
    m_empty->setToolTip(tr("Delete everything in the trash for good"));
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_restore, &QPushButton::clicked, this, &TrashDialog::restoreSelected);
    connect(m_empty, &QPushButton::clicked, this, &TrashDialog::askEmpty);
    return buttons;
}

// In the background, because adding up the sizes reads every folder in the trash.
void TrashDialog::load()
{
    if (m_reading.isRunning()) {
        m_isOutdated = true;
        return;
    }
    m_isCancelled = false;
    const auto work = [home = m_workbench.home](const std::stop_token& stop) {
        std::vector<Sized> items;
        for (const launcher::TrashItem& item : launcher::trashItems(home))
            items.push_back({item, launcher::folderBytes(item.place, stop)});
        return items;
    };
    m_reading.start(this, work, [this](std::vector<Sized> items) {
        showItems(std::move(items));
        if (std::exchange(m_isOutdated, false))
            load();
    });
    updateButtons();
}

/// What the other machine has said of its trash.
void TrashDialog::showThere()
{
    std::vector<Sized> items;
    for (std::size_t i = 0; i < m_workbench.trash.items().size(); ++i)
        items.push_back({m_workbench.trash.items()[i], m_workbench.trash.bytes()[i]});
    showItems(std::move(items));
}

void TrashDialog::showItems(std::vector<Sized> items)
{
    QStringList selected;
    for (const QTreeWidgetItem* row : m_list->selectedItems())
        selected << row->data(Name, Qt::UserRole).toString();
    m_items = std::move(items);
    m_list->clear();
    for (const Sized& sized : m_items) {
        const QString place = QString::fromStdString(sized.item.place.string());
        auto* row = new QTreeWidgetItem(m_list,
            {QString::fromStdString(sized.item.name), formatBytes(static_cast<std::int64_t>(sized.bytes)),
                formatAge(sized.item.unixMs, QDateTime::currentMSecsSinceEpoch())});
        row->setData(Name, Qt::UserRole, place);
        row->setToolTip(Name, plainToolTip(tr("%1, from %2").arg(place, QString::fromStdString(sized.item.origin.string()))));
        row->setToolTip(Removed, formatMoment(sized.item.unixMs));
        row->setTextAlignment(Size, Qt::AlignRight | Qt::AlignVCenter);
        row->setSelected(selected.contains(place));
    }
    updateButtons();
}

void TrashDialog::updateButtons()
{
    ViewState state;
    state.isLoading = m_reading.isRunning();
    state.cancel = [this] {
        m_reading.cancel();
        m_isCancelled = true;
        m_isOutdated = false;
        updateButtons();
    };
    const std::optional<QString>& problem = m_workbench.trash.problem();
    if (m_workbench.mirror) {
        state.isLoading = !problem;
        state.cancel = nullptr;
    }
    if (m_workbench.mirror && problem && !problem->isEmpty())
        state.error = ViewError {*problem, {}, {}, {{tr("Retry"), [this] { m_workbench.trash.readAgain(); }}}};
    else if (m_isCancelled)
        state.error = cancelledReading([this] { load(); });
    else if (!state.isLoading && m_items.empty())
        state.emptySentence = tr("The trash is empty.");
    m_frame->setState(state);
    m_restore->setEnabled(!m_list->selectedItems().isEmpty());
    m_empty->setEnabled(!m_items.empty());
}

void TrashDialog::restoreSelected()
{
    std::vector<launcher::TrashItem> chosen;
    for (QTreeWidgetItem* row : m_list->selectedItems())
        chosen.push_back(m_items[static_cast<std::size_t>(m_list->indexOfTopLevelItem(row))].item);
    m_workbench.control.restore(chosen);
}

void TrashDialog::askEmpty()
{
    constexpr std::size_t kMostNames = 10;
    QStringList names;
    std::vector<launcher::TrashItem> items;
    std::uint64_t bytes = 0;
    for (const Sized& sized : m_items) {
        if (items.size() < kMostNames)
            names << tr("%1  (%2)").arg(QString::fromStdString(sized.item.name), formatBytes(static_cast<std::int64_t>(sized.bytes)));
        items.push_back(sized.item);
        bytes += sized.bytes;
    }
    if (items.size() > kMostNames)
        names << tr("and %1 more").arg(formatCount(static_cast<std::int64_t>(items.size() - kMostNames)));
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Empty the trash"),
        tr("Delete %1 for good? This frees %2 and cannot be undone.")
            .arg(formatCounted(static_cast<std::int64_t>(items.size()), tr("1 item"), tr("%Ln items", nullptr, pluralCount(items.size()))), formatBytes(static_cast<std::int64_t>(bytes))),
        QMessageBox::Cancel, this);
    box->setObjectName(QStringLiteral("emptyQuestion"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(names.join(QLatin1Char('\n')));
    QPushButton* const erase = box->addButton(tr("Delete for good"), QMessageBox::DestructiveRole);
    box->setDefaultButton(QMessageBox::Cancel);
    // The items that the question names, whatever the trash holds by the time of the answer.
    connect(erase, &QPushButton::clicked, this, [this, items] { m_workbench.control.erase(items); });
    box->open();
}

}  // namespace ui
