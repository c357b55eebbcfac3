#include "ui/checkpoint/difference_dialog.h"

#include "engine/contract/checkpoint/checkpoint_lock.h"
#include "engine/contract/formats/text.h"
#include "ui/base/background.h"
#include "ui/base/format.h"
#include "ui/base/state_strip.h"
#include "ui/base/window_size.h"
#include "ui/checkpoint/checkpoints_there.h"
#include "ui/checkpoint/difference_model.h"
#include "ui/language/outside_text.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include <utility>

namespace ui {
namespace {

namespace fs = std::filesystem;
using contract::ExportedWeights;

QString nameOf(const fs::path& checkpoint) { return QString::fromStdString(checkpoint.filename().string()); }

}  // namespace

struct DifferenceDialog::Result {
    std::vector<contract::TensorDifference> tensors;
    QString error;
};

DifferenceDialog::DifferenceDialog(const fs::path& first, const fs::path& second, QWidget* parent, launcher::Mirror* mirror)
    : QDialog(parent)
    , m_first(first)
    , m_second(second)
    , m_mirror(mirror)
    , m_model(new DifferenceModel(this))
    , m_sorted(new QSortFilterProxyModel(this))
    , m_table(new QTableView)
    , m_frame(new ViewFrame(m_table, this))
    , m_summary(new QLabel(this))
{
    setObjectName(QStringLiteral("differenceDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("From %1 to %2 of %3")
                       .arg(nameOf(first), nameOf(second), QString::fromStdString(first.parent_path().parent_path().filename().string())));
    m_summary->setWordWrap(true);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setupTable();
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->button(QDialogButtonBox::Close)->setAutoDefault(false);  // Return in the filter does not close the window
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(makeChoices());
    layout->addWidget(m_frame, 1);
    layout->addWidget(m_summary);
    layout->addWidget(buttons);
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    resize(sizeOnScreen(*this, QSize(110 * digit, 34 * fontMetrics().height())));
    compare();
}

DifferenceDialog::~DifferenceDialog()
{
    if (m_isWanted)
        *m_isWanted = false;
    cancelThere();
}

QString DifferenceDialog::summary() const { return m_summary->text(); }

void DifferenceDialog::setupTable()
{
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(DifferenceModel::SortRole);
    m_sorted->setFilterKeyColumn(DifferenceModel::Name);
    m_sorted->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_table->setModel(m_sorted);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(DifferenceModel::Relative, Qt::DescendingOrder);
    m_table->setAccessibleName(tr("Differences"));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setAlternatingRowColors(true);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setSectionResizeMode(DifferenceModel::Name, QHeaderView::Stretch);
}

QWidget* DifferenceDialog::makeChoices()
{
    auto* row = new QWidget(this);
    m_by = new QComboBox(row);
    m_by->addItems({tr("By layer"), tr("By tensor")});
    m_by->setAccessibleName(tr("By layer or tensor"));
    m_weights = new QComboBox(row);
    m_weights->addItems({tr("Weights as trained"), tr("Their moving average")});
    m_weights->setAccessibleName(tr("Weights"));
    m_filter = new QLineEdit(row);
    m_filter->setPlaceholderText(tr("Filter by name"));
    m_filter->setAccessibleName(tr("Filter by name"));
    m_filter->setClearButtonEnabled(true);
    connect(m_by, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_model->setBy(index == 0 ? DifferenceModel::By::Layer : DifferenceModel::By::Tensor);
        updateState();
    });
    connect(m_weights, &QComboBox::currentIndexChanged, this, &DifferenceDialog::compare);
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_sorted->setFilterFixedString(text.trimmed());
        updateState();
    });
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_by);
    layout->addWidget(m_weights);
    layout->addWidget(m_filter, 1);
    return row;
}

void DifferenceDialog::compare()
{
    if (m_isWanted)
        *m_isWanted = false;
    cancelThere();
    m_isWanted = std::make_shared<std::atomic<bool>>(true);
    m_error.clear();
    m_percent = 0;
    m_model->setDifferences({});
    if (m_mirror)
        return compareThere();
    const auto onProgress = [dialog = QPointer(this), isWanted = m_isWanted, shown = 0](double share) mutable {
        if (const int percent = static_cast<int>(share * 100); percent > shown) {
            shown = percent;
            QMetaObject::invokeMethod(QCoreApplication::instance(), [dialog, isWanted, percent] {
                if (!dialog || !*isWanted)
                    return;
                dialog->m_percent = percent;
                dialog->showSummary();
            });
        }
        return isWanted->load();
    };
    const auto weights = m_weights->currentIndex() == 0 ? ExportedWeights::Model : ExportedWeights::Average;
    const auto work = [first = m_first, second = m_second, weights, onProgress] {
        using contract::CheckpointLock;
        const CheckpointLock firstLock(first, CheckpointLock::Use::Read), secondLock(second, CheckpointLock::Use::Read);
        try {
            const contract::CheckpointWeights a(first, weights), b(second, weights);
            return Result {contract::compareWeights(a, b, onProgress), {}};
        } catch (const std::exception& error) {
            return Result {{}, translatedSentence(contract::sentenceOf(error))};
        }
    };
    inBackground(this, work, [this, isWanted = m_isWanted](const Result& result) {
        if (isWanted == m_isWanted)
            showResult(result);
    });
    updateState();
}

void DifferenceDialog::compareThere()
{
    std::vector<std::string> command = checkpointCommand("diff", m_first);
    command[3] = "--from";
    command.insert(command.end(), {"--to", checkpointCommand("diff", m_second).back(), "--weights", m_weights->currentIndex() == 0 ? "model" : "ema", "--json"});
    m_command = m_mirror->execute(command, this, [this, isWanted = m_isWanted](const launcher::CommandReply& reply) {
        if (isWanted != m_isWanted)
            return;
        m_command = 0;
        try {
            *m_isWanted = !reply.isCancelled;
            showResult(reply.isAccepted ? Result {differencesIn(reply.output), {}} : Result {{}, translatedSentence(reply.error)});
        } catch (const std::exception& error) {
            showResult({{}, translatedSentence(contract::sentenceOf(error))});
        }
    });
    updateState();
}

void DifferenceDialog::cancelThere()
{
    if (m_mirror)
        m_mirror->cancel(m_command);
}

void DifferenceDialog::showResult(const Result& result)
{
    const bool isCancelled = !*m_isWanted;
    m_isWanted.reset();
    m_error = isCancelled ? tr("The comparison was cancelled.") : result.error;
    m_model->setDifferences(result.tensors);
    m_table->setColumnHidden(DifferenceModel::Note, !m_model->hasNotes());
    for (int column = DifferenceModel::Values; column < DifferenceModel::ColumnCount; ++column)
        m_table->resizeColumnToContents(column);
    updateState();
}

void DifferenceDialog::showSummary()
{
    if (m_isWanted)
        return m_summary->setText(m_mirror ? tr("%1 compares them…").arg(QString::fromStdString(m_mirror->host().text())) : tr("%1 % is compared…").arg(m_percent));
    if (!m_error.isEmpty() || m_model->rowCount() == 0)
        return m_summary->clear();
    const contract::ValueDifference all = m_model->all();
    QString text = all.changed == 0 ? tr("All %1 values are equal.").arg(formatCount(static_cast<std::int64_t>(all.values)))
                                    : tr("%1 of %2 values changed; the largest change is %3, the relative one %4.")
                                          .arg(formatCount(static_cast<std::int64_t>(all.changed)), formatCount(static_cast<std::int64_t>(all.values)),
                                              formatNumber(all.largest), formatNumber(all.relative()));
    if (const int unchanged = m_model->unchangedTensors(); unchanged > 0 && all.changed > 0)
        text += QLatin1Char(' ') + formatCounted(unchanged, tr("1 tensor is unchanged."), tr("%Ln tensors are unchanged.", nullptr, pluralCount(unchanged)));
    m_summary->setText(text);
}

void DifferenceDialog::updateState()
{
    ViewState state;
    state.isLoading = m_isWanted != nullptr;
    if (m_isWanted && m_mirror)
        state.cancel = [this] { cancelThere(); };
    else if (m_isWanted)
        state.cancel = [isWanted = m_isWanted] { *isWanted = false; };
    if (!m_error.isEmpty())
        state.error = ViewError {tr("The checkpoints could not be compared. %1").arg(m_error), {},
            m_mirror ? QString() : QString::fromStdString(m_second.parent_path().string()), {{tr("Retry"), [this] { compare(); }}}};
    else if (!m_isWanted && m_sorted->rowCount() == 0)
        state.emptySentence = m_model->rowCount() == 0 ? tr("These checkpoints hold no weights.") : tr("No name matches the filter.");
    m_frame->setState(state);
    showSummary();
}

}  // namespace ui
