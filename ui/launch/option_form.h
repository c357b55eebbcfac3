// The launch form: every declared option as a field, in groups, with a search.
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
    explicit OptionForm(Draft& draft, QWidget* parent = nullptr);

    /// Shows the field, whatever search and folding hide, and puts the cursor there.
    void goTo(const QString& key);
    const QList<OptionField*>& fields() const { return m_fields; }
    void focusSearch();

private:
    struct Group {
        QWidget* heading;
        QList<OptionField*> fields;
    };
    void addGroups(QVBoxLayout* column);
    void filter();

    Draft& m_draft;
    QLineEdit* m_search;
    QCheckBox* m_advanced;
    QScrollArea* m_area;
    QLabel* m_nothing;
    QList<OptionField*> m_fields;
    QList<Group> m_groups;
};

}  // namespace ui
