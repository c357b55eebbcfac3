// What stands against a start, a line each with its glyph.
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
