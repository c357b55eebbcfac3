// A text editor for TOML that follows the draft and lets it follow.
#pragma once
#include <QPlainTextEdit>

namespace ui {

class Draft;

class TomlEdit : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit TomlEdit(Draft& draft, QWidget* parent = nullptr);

    /// Puts the cursor into a 1-based line.
    void goToLine(int line);

private:
    void takeText();
    void markProblems();

    Draft& m_draft;
    bool m_isTaking = false;  ///< the text is being set by us, not typed
};

}  // namespace ui
