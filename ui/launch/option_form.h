// The launch form: a field for every declared option, in groups, with a search. Fields of options that the chosen model, training
// objective or place of the ranks does not use are hidden, unless they have a problem. While the text beside the form cannot be read, fields cannot be changed.
#pragma once
#include <QList>
#include <QWidget>

class QCheckBox;
class QLabel;
class QLineEdit;
class QScrollArea;
class QVBoxLayout;

namespace ui {

class Draft;
class OptionField;

class OptionForm : public QWidget {
    Q_OBJECT
public:
    /// @param draft must outlive this.
    explicit OptionForm(Draft& draft, QWidget* parent = nullptr);

    /// Clears the search, shows advanced options if the field is one, and the field even if it is unused; scrolls to it and focuses its
    /// editor.
    /// No-op for an unknown key.
    void goTo(const QString& key);
    /// The field of an option; nullptr for an unknown key.
    OptionField* field(const QString& key) const;
    const QList<OptionField*>& fields() const { return m_fields; }
    void focusSearch();
    void clearSearch();

Q_SIGNALS:
    /// The user wants to see what is wrong with the text.
    void textProblemRequested();

private:
    struct Group {
        QWidget* heading;
        QList<OptionField*> fields;
    };
    void addGroups(QVBoxLayout* column);
    QWidget* makeUnreadableNote();
    void refresh();
    void filter();

    Draft& m_draft;
    QLineEdit* m_search;
    QCheckBox* m_advanced;
    QScrollArea* m_area;
    QLabel* m_noMatch;
    QWidget* m_unreadableNote;
    QList<OptionField*> m_fields;
    QList<Group> m_groups;
    OptionField* m_target = nullptr;  ///< of goTo(), until the next search
};

}  // namespace ui
