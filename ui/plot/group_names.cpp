#include "ui/plot/group_names.h"

#include <QCoreApplication>

#include <algorithm>

namespace ui {
namespace {

QString groupWord(const char* source)
{
    return QCoreApplication::translate("ui::Groups", source);
}

/// "optim.lr" is called "lr" as far as that is clear.
QString shortKey(const std::string& key)
{
    return QString::fromStdString(key.substr(key.rfind('.') + 1));
}

QString nameOf(const RunInfo& first, const Grouping& grouping)
{
    const QString value = QString::fromStdString(first.group);
    switch (grouping.by) {
    case Grouping::By::Option:
        return value.isEmpty() ? groupWord(QT_TRANSLATE_NOOP("ui::Groups", "%1 not set")).arg(shortKey(grouping.option))
                               : QStringLiteral("%1=%2").arg(shortKey(grouping.option), value);
    case Grouping::By::Project:
        return value.isEmpty() ? groupWord(QT_TRANSLATE_NOOP("ui::Groups", "no project")) : value;
    case Grouping::By::Tags:
        return value.isEmpty() ? groupWord(QT_TRANSLATE_NOOP("ui::Groups", "no tags")) : value;
    default:
        return QString::fromStdString(first.name);
    }
}

}  // namespace

std::vector<DrawnRunName> groupNames(const std::vector<RunInfo>& runs, const std::vector<DrawnRunName>& looks, const Grouping& grouping)
{
    std::vector<DrawnRunName> groups;
    for (const DrawnRunName& drawn : looks) {
        const auto run = std::ranges::find(runs, drawn.id, &RunInfo::id);
        if (run != runs.end() && std::ranges::find(groups, run->group, &DrawnRunName::id) == groups.end())
            groups.push_back({run->group, nameOf(*run, grouping), drawn.look});
    }
    return groups;
}

QString bandName(Grouping::Band band)
{
    return band == Grouping::Band::MinMax ? groupWord(QT_TRANSLATE_NOOP("ui::Groups", "min–max")) : groupWord(QT_TRANSLATE_NOOP("ui::Groups", "± standard deviation"));
}

QString groupingName(const Grouping& grouping)
{
    switch (grouping.by) {
    case Grouping::By::Nothing:
        return groupWord(QT_TRANSLATE_NOOP("ui::Groups", "No groups"));
    case Grouping::By::Run:
        return groupWord(QT_TRANSLATE_NOOP("ui::Groups", "Each run, over its ranks"));
    case Grouping::By::Option:
        return QString::fromStdString(grouping.option);
    case Grouping::By::Project:
        return groupWord(QT_TRANSLATE_NOOP("ui::Groups", "Project"));
    case Grouping::By::Tags:
        return groupWord(QT_TRANSLATE_NOOP("ui::Groups", "Tags"));
    case Grouping::By::Repeats:
        return groupWord(QT_TRANSLATE_NOOP("ui::Groups", "Repeats of the same options"));
    }
    return {};
}

QString groupingSentence(const Grouping& grouping)
{
    return groupWord(QT_TRANSLATE_NOOP("ui::Groups", "Mean and %1 of each group, at the steps that all its runs and ranks have recorded")).arg(bandName(grouping.band));
}

}  // namespace ui
