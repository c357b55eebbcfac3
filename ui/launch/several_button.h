// The button beside a field of choices or of yes and no: opens a menu in which several values are ticked.
#pragma once
#include <QStringList>
#include <QToolButton>

namespace ui {

class CheckMenu;

/// Values are kept in the order in which they were ticked, so that the first stays what it was. One is always ticked.
class SeveralButton : public QToolButton {
    Q_OBJECT
public:
    explicit SeveralButton(QWidget* parent = nullptr);

    void addValue(const QString& value, const QString& label);
    /// Values that were not added are left out.
    void setTicked(const QStringList& values);
    /// The labels of @p values.
    QStringList labelsOf(const QStringList& values) const;

Q_SIGNALS:
    /// The user has ticked or unticked a value.
    void ticked(const QStringList& values);

private:
    void toggle(const QString& value, bool isTicked);

    CheckMenu* m_menu;
    QStringList m_ticked;
};

}  // namespace ui
