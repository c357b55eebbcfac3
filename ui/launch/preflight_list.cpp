#include "ui/launch/preflight_list.h"

#include "ui/base/icons.h"
#include "ui/base/look.h"

namespace ui {
namespace {

using Level = launcher::PreflightItem::Level;

QIcon levelIcon(Level level, const QPalette& palette)
{
    switch (level) {
    case Level::Ok:
        return icon(QStringLiteral("ok"), stateColour(launcher::RunState::Finished, palette));
    case Level::Warning:
        return icon(QStringLiteral("warning"), stateColour(launcher::RunState::Stalled, palette));
    case Level::Error:
        break;
    }
    return icon(QStringLiteral("error"), stateColour(launcher::RunState::Failed, palette));
}

QString levelWord(Level level)
{
    return level == Level::Ok ? PreflightList::tr("ok")
        : level == Level::Warning ? PreflightList::tr("warning") : PreflightList::tr("error");
}

}  // namespace

PreflightList::PreflightList(QWidget* parent)
    : QListWidget(parent)
{
    setAccessibleName(tr("Preflight checks"));
    setWordWrap(true);
    setSelectionMode(QAbstractItemView::NoSelection);
    setMaximumHeight(fontMetrics().height() * 10);
}

void PreflightList::setItems(const std::vector<launcher::PreflightItem>& items)
{
    clear();
    for (const launcher::PreflightItem& item : items) {
        const QString what = QString::fromStdString(item.what);
        const QString message = QString::fromStdString(item.message);
        auto* row = new QListWidgetItem(levelIcon(item.level, palette()), tr("%1: %2").arg(what, message), this);
        row->setData(Qt::AccessibleTextRole, tr("%1, %2: %3").arg(what, levelWord(item.level), message));
    }
}

}  // namespace ui
