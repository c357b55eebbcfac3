// The dialog that edits project, tags and note of one or several runs.
#pragma once
#include "ui/runs/run_edits.h"
#include "ui/runs/run_entry.h"

#include <QDialog>

#include <vector>

class QComboBox;
class QLineEdit;
class QListWidget;
class QPlainTextEdit;

namespace ui {

class AnnotateDialog : public QDialog {
    Q_OBJECT
public:
    enum class Part { Project, Tags, Note };

    /// @param runs at least one
    /// @param all every run, whose projects and tags are offered
    /// @param first has the focus
    AnnotateDialog(const std::vector<RunEntry>& runs, const std::vector<RunEntry>& all, Part first, QWidget* parent = nullptr);

Q_SIGNALS:
    /// The user has confirmed @p change, which leaves alone what the user did not touch.
    void confirmed(const ui::RunEdits::Change& change);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void fillProject(const std::vector<RunEntry>& runs, const std::vector<RunEntry>& all);
    void fillTags(const std::vector<RunEntry>& runs, const std::vector<RunEntry>& all);
    void fillNote(const std::vector<RunEntry>& runs);
    void addNewTags();
    RunEdits::Change change() const;

    QComboBox* m_project;
    QListWidget* m_tags;
    QLineEdit* m_newTags;
    QPlainTextEdit* m_note;
};

/// The tags in @p text, which commas and spaces separate.
QStringList tagsIn(const QString& text);

}  // namespace ui
