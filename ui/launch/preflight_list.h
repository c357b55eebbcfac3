// The results of the preflight checks, the worst first, each with an icon for its level and with buttons that mend it.
#pragma once
#include "launcher/plan/preflight.h"

#include <QScrollArea>

#include <vector>

namespace ui {

class PreflightList : public QScrollArea {
    Q_OBJECT
public:
    explicit PreflightList(QWidget* parent = nullptr);

    /// No-op when @p items are shown already, so that a button that has the focus keeps it.
    void setItems(std::vector<launcher::PreflightItem> items);
    /// Scrolls to @p item and moves the focus to its first button, or else here.
    void goTo(const launcher::PreflightItem& item);

Q_SIGNALS:
    void fixRequested(const launcher::PreflightFix& fix);

protected:
    void changeEvent(QEvent* event) override;

private:
    QWidget* makeRow(const launcher::PreflightItem& item);

    std::vector<launcher::PreflightItem> m_items;
    QWidget* m_page = nullptr;
};

}  // namespace ui
