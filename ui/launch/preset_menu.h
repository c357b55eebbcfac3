// The menu of presets: chooses, saves, renames and deletes them.
#pragma once
#include "launcher/base/data_home.h"

#include <QMenu>

#include <functional>

namespace ui {

class Draft;

class PresetMenu : public QMenu {
    Q_OBJECT
public:
    /// Adds the action that saves, with its shortcut, to @p window too. @param draft must outlive this.
    PresetMenu(const launcher::DataHome& home, Draft& draft, QWidget* window);

    /// Saves the draft in the preset that it was filled from; asks for a name if there is none.
    void save();
    /// Asks for a name, then saves the draft in a preset of that name.
    void saveAs();

Q_SIGNALS:
    void chosen(const QString& file);
    /// What was done, or why it could not be done, in one sentence.
    void reported(const QString& sentence);

private:
    void fill();
    void store(const QString& name);
    void storeUnlessKept(const QString& name);
    void rename(const QString& from);
    void remove(const QString& name);
    QString current() const;
    void askName(const QString& title, const QString& value, std::function<void(const QString&)> use);
    void confirm(const QString& title, const QString& question, const QString& verb, std::function<void()> act);
    void inBackgroundThen(const QString& success, std::function<void()> act, std::function<void()> then);

    launcher::DataHome m_home;
    Draft& m_draft;
    QAction* m_save;
};

}  // namespace ui
