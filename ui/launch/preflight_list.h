// The results of the preflight checks, one per line, each with an icon for its level.
#pragma once
#include "launcher/launch.h"

#include <QListWidget>

#include <vector>

namespace ui {

class PreflightList : public QListWidget {
    Q_OBJECT
public:
    explicit PreflightList(QWidget* parent = nullptr);

    void setItems(const std::vector<launcher::PreflightItem>& items);
};

}  // namespace ui
