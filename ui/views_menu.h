// The menu of the views that the user has saved by name: opens, saves, renames and deletes them.
#pragma once
#include "ui/view_keeper.h"

#include <QMenu>

#include <functional>

namespace ui {

class ViewsMenu : public QMenu {
    Q_OBJECT
public:
    /// @p home and @p keeper must outlive this. @param window the parent of all dialogs
    ViewsMenu(const launcher::DataHome& home, ViewKeeper& keeper, QWidget* window);

    /// Asks for a name and saves the present view; asks again before it replaces one of that name.
    void save();
    /// As listed last.
    const QStringList& names() const { return m_names; }

private:
    void list();
    void fill();
    QMenu* addNames(const QString& title, const std::function<void(const QString&)>& use);
    void saveUnlessKept(const QString& name);
    void rename(const QString& name);
    void remove(const QString& name);
    void askName(const QString& title, const QString& value, std::function<void(const QString&)> use);
    void confirm(const QString& title, const QString& question, const QString& verb, std::function<void()> act);

    const launcher::DataHome& m_home;
    ViewKeeper& m_keeper;
    QStringList m_names;
};

}  // namespace ui
