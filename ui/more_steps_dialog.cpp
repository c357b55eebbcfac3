#include "ui/more_steps_dialog.h"

#include "ui/base/format.h"
#include "ui/base/icons.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace ui {

MoreStepsDialog::MoreStepsDialog(const std::vector<RunEntry>& finished, QWidget* parent)
    : QDialog(parent)
    , m_steps(new QSpinBox(this))
{
    constexpr std::int64_t kLargestSuggestion = 1'000'000;
    const RunEntry& first = finished.front();
    setObjectName(QStringLiteral("moreSteps"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Resume"));
    auto* text = new QLabel(finished.size() == 1
            ? tr("%1 has completed all of its %2 steps.").arg(first.name(), formatCount(first.totalSteps()))
            : tr("%1 runs have completed all of their steps.").arg(formatCount(std::int64_t(finished.size()))), this);
    text->setTextFormat(Qt::PlainText);
    text->setWordWrap(true);
    m_steps->setRange(1, std::numeric_limits<int>::max());
    m_steps->setGroupSeparatorShown(true);
    m_steps->setValue(static_cast<int>(std::clamp<std::int64_t>(first.totalSteps(), 1, kLargestSuggestion)));
    m_steps->selectAll();
    auto* end = new QLabel(this);
    const auto showEnd = [end, before = first.totalSteps()](int moreSteps) {
        end->setText(tr("It then ends at step %1.").arg(formatCount(before + moreSteps)));
    };
    connect(m_steps, &QSpinBox::valueChanged, this, showEnd);
    showEnd(m_steps->value());
    end->setVisible(finished.size() == 1);

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    buttons->button(QDialogButtonBox::Ok)->setText(tr("Resume"));
    buttons->button(QDialogButtonBox::Ok)->setIcon(icon(QStringLiteral("resume")));
    buttons->button(QDialogButtonBox::Cancel)->setIcon({});
    setMinimumWidth(48 * fontMetrics().averageCharWidth());
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(this, &QDialog::accepted, this, [this] { Q_EMIT stepsChosen(m_steps->value()); });

    auto* form = new QFormLayout;
    form->addRow(finished.size() == 1 ? tr("Steps to add:") : tr("Steps to add to each:"), m_steps);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(text);
    layout->addLayout(form);
    layout->addWidget(end);
    layout->addStretch();
    layout->addWidget(buttons);
}

}  // namespace ui
