// One option in the launch form: label, editor, unit, revert, and its help or what is wrong below.
#pragma once
#include "engine/contract/options.h"

#include <QString>
#include <QWidget>

class QGridLayout;
class QHBoxLayout;
class QLabel;
class QToolButton;

namespace ui {

class Draft;

class OptionField : public QWidget {
    Q_OBJECT
public:
    OptionField(const contract::Option& option, Draft& draft, QWidget* parent = nullptr);

    const contract::Option& option() const { return m_option; }
    QString key() const { return m_key; }
    /// The words of key and help contain @p text.
    bool matches(const QString& text) const;
    /// Takes value, changed mark and problem from the draft.
    void refresh();
    bool hasProblem() const { return m_hasProblem; }
    void focusEditor();

private:
    QWidget* makeEditor();
    QWidget* makeCheckBox();
    QWidget* makeComboBox();
    QWidget* makeLineEdit();
    void addPicker(QHBoxLayout* row);
    void setEditorText(const QString& text);

    const contract::Option& m_option;
    Draft& m_draft;
    QString m_key;
    QLabel* m_label;
    QWidget* m_editor;
    QToolButton* m_revert;
    QLabel* m_note;
    bool m_hasProblem = false;
};

}  // namespace ui
