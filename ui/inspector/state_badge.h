// A rounded label that shows a run's state as glyph, word and colour.
#pragma once
#include "launcher/state/run_state.h"

#include <QWidget>

#include <optional>

namespace ui {

class StateBadge : public QWidget {
    Q_OBJECT
public:
    explicit StateBadge(QWidget* parent = nullptr);

    /// nullopt: the state is not known yet; the badge is then empty.
    void setState(std::optional<launcher::RunState> state);
    /// The translated state, e.g. "Running"; empty while it is not known.
    QString word() const;

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::optional<launcher::RunState> m_state;
};

}  // namespace ui
