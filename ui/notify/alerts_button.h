// The toolbar's button that counts unread alerts and opens their list.
#pragma once
#include <QToolButton>

class QAction;

namespace ui {

class AlertsModel;

class AlertsButton : public QToolButton {
    Q_OBJECT
public:
    /// @p model and @p open, which opens the list, must outlive this.
    AlertsButton(const AlertsModel& model, QAction& open, QWidget* parent = nullptr);

private:
    void showCount();

    const AlertsModel& m_model;
    QAction& m_open;
};

}  // namespace ui
