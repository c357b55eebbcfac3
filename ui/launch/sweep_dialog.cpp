#include "ui/launch/sweep_dialog.h"

#include "ui/base/background.h"
#include "ui/base/format.h"
#include "ui/base/icons.h"
#include "ui/base/window_size.h"
#include "ui/language/outside_text.h"
#include "ui/launch/option_words.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {
namespace {

constexpr int kName = 0;

}  // namespace

SweepDialog::SweepDialog(const contract::Experiment& experiment, const std::vector<launcher::ListedOption>& lists, QWidget* parent)
    : QDialog(parent)
    , m_table(new QTreeWidget(this))
    , m_note(new QLabel(this))
{
    setObjectName(QStringLiteral("sweepDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Runs to queue"));
    QStringList headers {tr("Run")};
    for (const launcher::ListedOption& list : lists)
        headers << translatedText(contract::findOption(list.key)->label);
    m_table->setHeaderLabels(headers << tr("Problem"));
    for (int column = 1; column <= static_cast<int>(lists.size()); ++column)
        m_table->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setAlternatingRowColors(true);
    m_table->setAccessibleName(tr("Runs to queue"));
    const std::vector<launcher::SweepRun> runs = launcher::combinations(lists);
    for (const launcher::SweepRun& run : runs) {
        contract::Experiment& each = m_experiments.emplace_back(experiment);
        for (std::size_t i = 0; i < lists.size(); ++i)
            each.setText(lists[i].key, run.values[i]);
        each.setText("run.name", experiment.text("run.name") + run.nameEnding);
    }
    fill(runs);
    auto* const all = new QCheckBox(tr("&All"), this);
    all->setChecked(true);
    connect(all, &QCheckBox::toggled, this, &SweepDialog::tickAll);
    connect(m_table, &QTreeWidget::itemChanged, this, &SweepDialog::showCount);
    m_note->setWordWrap(true);
    m_note->setTextFormat(Qt::PlainText);
    auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_queue = buttons->addButton(tr("Add to queue"), QDialogButtonBox::AcceptRole);
    m_queue->setIcon(icon(QStringLiteral("queue")));
    m_queue->setObjectName(QStringLiteral("sweepButton"));
    m_queue->setDefault(true);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, &SweepDialog::choose);
    auto* const layout = new QVBoxLayout(this);
    layout->addWidget(all);
    layout->addWidget(m_table, 1);
    layout->addWidget(m_note);
    layout->addWidget(buttons);
    resize(sizeOnScreen(*this, QSize(760, 440)));
    showCount();
    check();
}

void SweepDialog::fill(const std::vector<launcher::SweepRun>& runs)
{
    for (std::size_t row = 0; row < runs.size(); ++row) {
        auto* const item = new QTreeWidgetItem(m_table, {QString::fromStdString(m_experiments[row].text("run.name"))});
        for (std::size_t i = 0; i < runs[row].values.size(); ++i) {
            item->setText(static_cast<int>(i) + 1, QString::fromStdString(runs[row].values[i]));
            item->setTextAlignment(static_cast<int>(i) + 1, Qt::AlignRight | Qt::AlignVCenter);
        }
        item->setCheckState(kName, Qt::Checked);
    }
    for (int column = 0; column < m_table->columnCount(); ++column)
        m_table->resizeColumnToContents(column);
}

// In the background, because the rules look at files, and there may be hundreds of runs.
void SweepDialog::check()
{
    const auto work = [experiments = m_experiments] {
        std::vector<std::string> problems;
        for (const contract::Experiment& experiment : experiments) {
            const auto found = experiment.validate();
            problems.push_back(found.empty() ? std::string() : found.front().message);
        }
        return problems;
    };
    inBackground(this, work, [this](const std::vector<std::string>& problems) { takeProblems(problems); });
}

void SweepDialog::takeProblems(const std::vector<std::string>& problems)
{
    for (std::size_t row = 0; row < problems.size(); ++row) {
        if (problems[row].empty())
            continue;
        QTreeWidgetItem& item = *m_table->topLevelItem(static_cast<int>(row));
        const QString sentence = withLabels(translatedSentence(problems[row]));
        item.setCheckState(kName, Qt::Unchecked);
        item.setFlags(item.flags() & ~Qt::ItemIsUserCheckable);
        item.setText(m_table->columnCount() - 1, sentence);
        item.setToolTip(m_table->columnCount() - 1, sentence);
    }
    m_isChecked = true;
    showCount();
}

void SweepDialog::tickAll(bool isTicked)
{
    for (int row = 0; row < m_table->topLevelItemCount(); ++row) {
        QTreeWidgetItem& item = *m_table->topLevelItem(row);
        if (item.flags().testFlag(Qt::ItemIsUserCheckable))
            item.setCheckState(kName, isTicked ? Qt::Checked : Qt::Unchecked);
    }
}

std::vector<contract::Experiment> SweepDialog::ticked() const
{
    std::vector<contract::Experiment> chosen;
    for (std::size_t row = 0; row < m_experiments.size(); ++row) {
        if (m_table->topLevelItem(static_cast<int>(row))->checkState(kName) == Qt::Checked)
            chosen.push_back(m_experiments[row]);
    }
    return chosen;
}

void SweepDialog::showCount()
{
    const std::int64_t count = std::ssize(ticked());
    m_queue->setEnabled(m_isChecked && count > 0);
    m_note->setText(!m_isChecked ? tr("The runs are being checked…")
            : count == 0         ? tr("Tick the runs that are to be queued.")
                                 : formatCounted(count, tr("1 run will wait in the queue."), tr("%Ln runs will wait in the queue.", nullptr, pluralCount(count))));
}

void SweepDialog::choose()
{
    Q_EMIT chosen(ticked());
    accept();
}

}  // namespace ui
