// The editor for the draft's TOML text: typed text goes to the draft, and changes of the draft appear in the editor.
#pragma once
#include <QPlainTextEdit>

namespace ui {

class Draft;

class TomlEdit : public QPlainTextEdit {
    Q_OBJECT
public:
    /// @param draft must outlive this.
    explicit TomlEdit(Draft& draft, QWidget* parent = nullptr);

    /// Moves the cursor to @p line (1-based) and focuses the editor.
    void goToLine(int line);

private:
    void updateFromDraft();
    void markProblems();

    Draft& m_draft;
    bool m_isUpdating = false;  ///< updateFromDraft() is changing the text, not the user
};

}  // namespace ui
