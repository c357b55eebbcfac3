// The presets of another machine: a menu that chooses, saves and deletes them there, by `atelier presets`.
#pragma once
#include "launcher/remote/mirror.h"

#include <QMenu>
#include <QStringList>

#include <functional>
#include <string>
#include <vector>

namespace ui {

class Draft;

class PresetsThere : public QMenu {
    Q_OBJECT
public:
    /// Asks the machine whenever it is opened. @param mirror, draft must outlive this. @param window gets the questions
    PresetsThere(launcher::Mirror& mirror, Draft& draft, QWidget* window);

Q_SIGNALS:
    /// @param file of the preset there @param toml its text; relative paths in it refer to the folder of @p file
    void chosen(const QString& file, const QString& toml);
    /// What was done, or why it could not be done, in one sentence.
    void reported(const QString& sentence);

private:
    void read();
    void fill();
    void choose(const QString& name);
    void askName();
    void store(const QString& name);
    void askRemoval(const QString& name);
    /// Executes `atelier presets …` there; reports @p success, or the error.
    void execute(const std::vector<std::string>& arguments, const QString& success, const std::string& input = {});
    QString host() const { return QString::fromStdString(m_mirror.host().text()); }

    launcher::Mirror& m_mirror;
    Draft& m_draft;
    QWidget* m_window;
    QMenu* m_removal;  ///< the names once more
    QStringList m_names;
    QString m_note;  ///< in place of the names: that they are being read, or why not
};

}  // namespace ui
