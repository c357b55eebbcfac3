// A run's state as glyph, word and colour.
#pragma once
#include "launcher/run_state.h"

#include <QWidget>

#include <optional>

namespace ui {

class StateBadge : public QWidget {
    Q_OBJECT
public:
    explicit StateBadge(QWidget* parent = nullptr);

    void setState(std::optional<launcher::RunState> state);
    QString word() const;

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::optional<launcher::RunState> m_state;
};

}  // namespace ui
