#include "ui/disk/disk_dialog.h"

#include "ui/base/format.h"
#include "ui/base/icons.h"
#include "ui/base/state_strip.h"
#include "ui/base/window_size.h"
#include "ui/disk/clean_up_panel.h"
#include "ui/disk/disk_model.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelection>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>
#include <utility>

namespace ui {
namespace {

/// Draws how much of the largest run's size a size is as a bar below the number.
class ShareDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::paint(painter, option, index);
        constexpr int kHeight = 3, kMargin = 4;
        const int width = static_cast<int>((option.rect.width() - 2 * kMargin) * index.data(DiskModel::ShareRole).toDouble());
        const bool isSelected = option.state.testFlag(QStyle::State_Selected);
        painter->fillRect(option.rect.right() - kMargin - width, option.rect.bottom() - kHeight, width, kHeight,
            option.palette.color(isSelected ? QPalette::HighlightedText : QPalette::Highlight));
    }
};

}  // namespace

DiskDialog::DiskDialog(StoreService& service, TrashWatch& trash, const RunsModel& runs, QWidget* parent)
    : QDialog(parent)
    , m_service(service)
    , m_model(new DiskModel(runs, this))
    , m_sorted(new QSortFilterProxyModel(this))
    , m_table(new QTableView)
    , m_frame(new ViewFrame(m_table))
    , m_cleanUp(new CleanUpPanel(service, runs))
    , m_summary(new QLabel(this))
{
    setObjectName(QStringLiteral("diskDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Disk usage"));
    m_summary->setWordWrap(true);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setupTable();
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(makeRunsPart());
    splitter->addWidget(m_cleanUp);
    splitter->setChildrenCollapsible(false);
    splitter->setSizes({1, 1});  // shared evenly
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    // Beside the box of buttons: Qt 6.4 makes a circle of several in it, which Tab does not leave.
    auto* openTrash = new QPushButton(tr("Trash…"));
    auto* reload = new QPushButton(tr("Reload"));
    reload->setIcon(icon(QStringLiteral("refresh")));
    // Return in a rule's field does not close the window.
    for (QPushButton* button : {buttons->button(QDialogButtonBox::Close), openTrash, reload})
        button->setAutoDefault(false);
    connect(openTrash, &QPushButton::clicked, this, &DiskDialog::trashOpened);
    connect(reload, &QPushButton::clicked, this, &DiskDialog::load);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_summary);
    layout->addWidget(splitter, 1);
    auto* const last = new QHBoxLayout;
    last->addWidget(openTrash);
    last->addWidget(reload);
    last->addWidget(buttons, 1);
    layout->addLayout(last);
    connect(&trash, &TrashWatch::changed, this, &DiskDialog::load);
    connect(m_cleanUp, &CleanUpPanel::changed, this, &DiskDialog::load);
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    resize(sizeOnScreen(*this, QSize(115 * digit, 42 * fontMetrics().height())));
    load();
}

void DiskDialog::setupTable()
{
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(DiskModel::SortRole);
    m_table->setModel(m_sorted);
    m_table->setItemDelegateForColumn(DiskModel::Total, new ShareDelegate(m_table));
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(DiskModel::Total, Qt::DescendingOrder);
    m_table->setAccessibleName(tr("Disk usage by run"));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setAlternatingRowColors(true);
    m_table->setShowGrid(false);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 10);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setSectionResizeMode(DiskModel::Run, QHeaderView::Stretch);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &DiskDialog::showSelected);
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& index) {
        Q_EMIT runChosen(QString::fromStdString(m_model->usage(m_sorted->mapToSource(index).row()).run));
    });
}

QWidget* DiskDialog::makeRunsPart()
{
    auto* part = new QWidget;
    m_show = new QPushButton(tr("Show checkpoints"), part);
    m_trash = new QPushButton(icon(QStringLiteral("trash")), {}, part);
    m_trash->setObjectName(QStringLiteral("trashRuns"));
    for (QPushButton* button : {m_show, m_trash})
        button->setAutoDefault(false);
    connect(m_show, &QPushButton::clicked, this, [this] { Q_EMIT runChosen(*selectedRuns().begin()); });
    connect(m_trash, &QPushButton::clicked, this, [this] { Q_EMIT trashRequested(selectedRuns().values()); });
    auto* row = new QHBoxLayout;
    row->addStretch(1);
    row->addWidget(m_show);
    row->addWidget(m_trash);
    auto* layout = new QVBoxLayout(part);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_frame, 1);
    layout->addLayout(row);
    return part;
}

QString DiskDialog::summary() const { return m_summary->text(); }

// In the background, because adding up the sizes looks at every file of every run.
void DiskDialog::load()
{
    if (m_scan.isRunning()) {
        m_isOutdated = true;
        return;
    }
    m_isCancelled = false;
    m_scan.start(this, [home = m_service.home()](const std::stop_token& stop) { return launcher::diskUsage(home, stop); }, [this](const launcher::DiskUsage& usage) {
        showUsage(usage);
        if (std::exchange(m_isOutdated, false))
            load();
    });
    updateState();
}

void DiskDialog::showUsage(const launcher::DiskUsage& usage)
{
    const QSet<QString> selected = selectedRuns();
    const std::uint64_t inRuns = std::accumulate(usage.runs.begin(), usage.runs.end(), std::uint64_t {0},
        [](std::uint64_t sum, const launcher::RunUsage& run) { return sum + run.total(); });
    m_model->setUsage(usage.runs);
    QItemSelection again;
    for (int row = 0; row < m_model->rowCount(); ++row) {
        if (selected.contains(QString::fromStdString(m_model->usage(row).run)))
            again.select(m_model->index(row, 0), m_model->index(row, DiskModel::ColumnCount - 1));
    }
    m_table->selectionModel()->select(m_sorted->mapSelectionFromSource(again), QItemSelectionModel::ClearAndSelect);
    for (int column = DiskModel::Checkpoints; column < DiskModel::ColumnCount; ++column)
        m_table->resizeColumnToContents(column);
    QStringList parts;
    for (const auto& [text, bytes] : {std::pair(tr("runs %1"), inRuns), std::pair(tr("index %1"), usage.database), std::pair(tr("caches %1"), usage.caches),
             std::pair(tr("trash %1"), usage.trash), std::pair(tr("being unpacked %1"), usage.incoming)}) {
        if (bytes > 0)
            parts << text.arg(formatBytes(static_cast<std::int64_t>(bytes)));
    }
    m_summary->setText(tr("%1 in all (%2). %3 are free.")
                           .arg(formatBytes(static_cast<std::int64_t>(usage.total())), parts.join(tr(", ")), formatBytes(static_cast<std::int64_t>(usage.free))));
    showSelected();
}

QSet<QString> DiskDialog::selectedRuns() const
{
    QSet<QString> ids;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows())
        ids << QString::fromStdString(m_model->usage(m_sorted->mapToSource(index).row()).run);
    return ids;
}

void DiskDialog::showSelected()
{
    const QSet<QString> selected = selectedRuns();
    std::vector<std::string> runs;
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const std::string& id = m_model->usage(row).run;
        if (selected.isEmpty() || selected.contains(QString::fromStdString(id)))
            runs.push_back(id);
    }
    m_cleanUp->setRuns(std::move(runs), selected.isEmpty());
    updateState();
}

void DiskDialog::setEmptyActions(const QList<ViewAction>& actions)
{
    m_emptyActions = actions;
    updateState();
}

void DiskDialog::updateState()
{
    ViewState state;
    state.isLoading = m_scan.isRunning();
    state.cancel = [this] {
        m_scan.cancel();
        m_isCancelled = true;
        m_isOutdated = false;
        updateState();
    };
    if (m_isCancelled)
        state.error = cancelledReading([this] { load(); });
    else if (!state.isLoading && m_model->rowCount() == 0) {
        state.emptySentence = tr("No runs yet.");
        state.emptyActions = m_emptyActions;
    }
    m_frame->setState(state);
    const auto selected = selectedRuns().size();
    m_show->setEnabled(selected == 1);
    m_trash->setEnabled(selected > 0);
    m_trash->setText(selected == 0 ? tr("Move runs to the trash") : formatCounted(selected, tr("Move 1 run to the trash"), tr("Move %Ln runs to the trash", nullptr, pluralCount(selected))));
}

}  // namespace ui
