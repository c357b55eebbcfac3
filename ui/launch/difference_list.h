// What starting the draft would change: the options that differ from what it was filled from, and from the defaults.
#pragma once
#include <QWidget>

class QLabel;
class QTreeWidget;

namespace ui {

class Draft;

class DifferenceList : public QWidget {
    Q_OBJECT
public:
    /// @param draft must outlive this.
    explicit DifferenceList(Draft& draft, QWidget* parent = nullptr);

    /// How many options differ from the draft's origin.
    int count() const { return m_count; }

Q_SIGNALS:
    void countChanged(int count);
    /// The user wants to see the option with this key.
    void optionActivated(const QString& key);

private:
    void update();

    Draft& m_draft;
    QLabel* m_summary;
    QTreeWidget* m_list;
    int m_count = 0;
};

}  // namespace ui
