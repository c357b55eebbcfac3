// One option in the launch form: label, editor, unit, reset button, and below them its help or its problem.
#pragma once
#include "engine/contract/experiment/options.h"

#include <QString>
#include <QWidget>

class QComboBox;
class QHBoxLayout;
class QLabel;
class QToolButton;

namespace ui {

class Draft;
class SeveralButton;

class OptionField : public QWidget {
    Q_OBJECT
public:
    /// @p option and @p draft must outlive this.
    OptionField(const contract::Option& option, Draft& draft, QWidget* parent = nullptr);

    const contract::Option& option() const { return m_option; }
    QString key() const { return m_key; }
    /// True if key, label, group, help and choices together contain every word of @p text, ignoring case.
    bool matches(const QString& text) const;
    /// Updates value, changed mark and problem from the draft.
    void refresh();
    bool hasProblem() const { return m_hasProblem; }
    /// True if the chosen model, training objective or place of the ranks does not use the option.
    bool isUnused() const { return m_isUnused; }
    /// Gives the editor the keyboard focus and selects its text.
    void focusEditor();
    /// Opens the dialog that chooses a file or folder. Only for an option that is one.
    void choosePath();

private:
    QString help() const;
    QString pathTitle() const;
    QWidget* makeEditor();
    QWidget* makeCheckBox();
    QWidget* makeComboBox();
    QWidget* makeLineEdit();
    void addPicker(QHBoxLayout* row);
    void addSeveral(QHBoxLayout* row);
    void setEditorText(const QString& text);
    void showChoice(QComboBox& box, const QString& text);

    const contract::Option& m_option;
    Draft& m_draft;
    QString m_key;
    QLabel* m_label;
    QWidget* m_editor;
    SeveralButton* m_several = nullptr;  ///< null: values are listed by typing them
    QToolButton* m_revert;
    QLabel* m_note;
    bool m_hasProblem = false;
    bool m_isUnused = false;
};

}  // namespace ui
