// The views that the user has saved by name: the files STATE/views/NAME.json. Any thread may call any function.
#pragma once
#include "launcher/base/data_home.h"
#include "ui/views/saved_view.h"

#include <QString>
#include <QStringList>

namespace ui {

/// The names of the saved views, sorted; empty when there are none or the folder cannot be read.
QStringList savedViews(const launcher::DataHome& home);

/// The view, or in one sentence why it cannot be read. A damaged file is left as it is.
std::variant<SavedView, QString> readView(const launcher::DataHome& home, const QString& name);

// Each returns in one sentence why it failed; empty: it was done.

/// Replaces a view of that name.
QString writeView(const launcher::DataHome& home, const QString& name, const SavedView& view);
/// Fails when there is a view called @p to.
QString renameView(const launcher::DataHome& home, const QString& from, const QString& to);
QString deleteView(const launcher::DataHome& home, const QString& name);

}  // namespace ui
