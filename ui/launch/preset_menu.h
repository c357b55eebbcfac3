// The menu of presets: chooses, saves, renames and deletes them.
#pragma once
#include "launcher/home/presets.h"

#include <QMenu>

#include <functional>
#include <vector>

namespace ui {

class Draft;
class PresetsThere;

class PresetMenu : public QMenu {
    Q_OBJECT
public:
    /// @param draft must outlive this. @param window gets the questions
    PresetMenu(const launcher::DataHome& home, Draft& draft, QWidget* window);

    /// Saves the draft in the preset that it was filled from; asks for a name if there is none.
    void save();
    /// Asks for a name, then saves the draft in a preset of that name.
    void saveAs();
    // Ask about the preset that the draft was filled from. No-ops when there is none.
    void renameCurrent();
    void removeCurrent();
    /// Saves; has a key in the whole window.
    QAction& saveAction() const { return *m_save; }

    /// Asks for a preset's name in @p window.
    static void askName(QWidget* window, const QString& title, const QString& value, std::function<void(const QString&)> use);
    /// Calls @p act if the user confirms it.
    static void confirm(QWidget* window, const QString& title, const QString& question, const QString& verb, std::function<void()> act);

Q_SIGNALS:
    void chosen(const QString& file);
    /// One of the mirrored machine, if the draft is for that; see PresetsThere.
    void chosenThere(const QString& file, const QString& toml);
    /// What was done, or why it could not be done, in one sentence.
    void reported(const QString& sentence);

private:
    void list();
    void fill();
    void addActionsFor(const QString& own);
    void store(const QString& name);
    void storeUnlessKept(const QString& name);
    void rename(const QString& from);
    void remove(const QString& name);
    QString current() const;
    void inBackgroundThen(const QString& success, std::function<void()> act, std::function<void()> then);

    launcher::DataHome m_home;
    Draft& m_draft;
    QAction* m_save;
    std::vector<launcher::Preset> m_presets;  ///< as listed last
    PresetsThere* m_there = nullptr;  ///< null: the draft is for this machine
};

}  // namespace ui
