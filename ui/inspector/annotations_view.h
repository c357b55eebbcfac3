// The inspector's tab in which name, project, tags and note of the inspected run are edited in place.
#pragma once
#include "ui/runs/run_edits.h"
#include "ui/runs/run_entry.h"

#include <QWidget>

class QLineEdit;
class QPlainTextEdit;

namespace ui {

/// A field is written when the focus leaves it, by Enter or Ctrl+S, and when another run is inspected, so that nothing typed is
/// lost. Esc takes back what is not written yet. What another program changes is shown, except in a field that is being edited.
class AnnotationsView : public QWidget {
    Q_OBJECT
public:
    explicit AnnotationsView(QWidget* parent = nullptr);

    void show(const RunEntry& entry);
    void editName();
    /// Selects the first place of the note with this text.
    void reveal(const QString& text);
    /// Writes what has been typed and is not written yet.
    void commit();

Q_SIGNALS:
    /// @p what the verb in the texts of undo and redo
    void edited(const QString& what, const QString& folder, const ui::RunEdits::Change& change);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QLineEdit* addLine(const QString& name);
    void commitLine(QLineEdit* line);
    void commitNote();
    void revert(QWidget* field);

    RunEntry m_entry;  ///< as it was shown last
    QLineEdit* m_name;
    QLineEdit* m_project;
    QLineEdit* m_tags;
    QPlainTextEdit* m_note;
};

}  // namespace ui
