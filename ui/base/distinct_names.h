// What runs are called where several stand side by side.
#pragma once
#include <QString>
#include <QStringList>

namespace ui {

/// "digits · x3k9": with the end of the id, which no other run of that name has.
QString nameWithId(const QString& name, const QString& id);

/// The names of the runs @p ids; those that several of them have as nameWithId().
QStringList distinctNames(const QStringList& names, const QStringList& ids);

}  // namespace ui
