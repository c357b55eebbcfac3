#include "ui/more_steps_dialog.h"

#include "ui/base/format.h"

#include <algorithm>
#include <limits>

namespace ui {

MoreStepsDialog::MoreStepsDialog(const std::vector<RunEntry>& finished, QWidget* parent)
    : QInputDialog(parent)
{
    const RunEntry& first = finished.front();
    setObjectName(QStringLiteral("moreSteps"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Resume"));
    setLabelText(finished.size() == 1
            ? tr("%1 has made all of its %2 steps. How many more?").arg(first.name(), formatCount(first.totalSteps()))
            : tr("%1 runs have made all of their steps. How many more each?").arg(finished.size()));
    setOkButtonText(tr("Resume"));
    setInputMode(IntInput);
    setIntRange(1, std::numeric_limits<int>::max());
    constexpr std::int64_t kMostOffered = 1'000'000;
    setIntValue(static_cast<int>(std::clamp<std::int64_t>(first.totalSteps(), 1, kMostOffered)));
}

}  // namespace ui
