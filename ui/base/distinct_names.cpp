#include "ui/base/distinct_names.h"

#include <QHash>

namespace ui {

QString nameWithId(const QString& name, const QString& id) { return name + QStringLiteral(" · ") + id.section(QLatin1Char('-'), -1); }

QStringList distinctNames(const QStringList& names, const QStringList& ids)
{
    QHash<QString, int> counts;
    for (const QString& name : names)
        ++counts[name];
    QStringList distinct;
    for (qsizetype run = 0; run < names.size(); ++run)
        distinct << (counts.value(names[run]) > 1 ? nameWithId(names[run], ids.value(run)) : names[run]);
    return distinct;
}

}  // namespace ui
