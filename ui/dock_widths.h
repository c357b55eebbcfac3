// The widths of the docks at the sides. Where the window becomes too narrow for them, Qt takes from them and never gives back; this does.
#pragma once
#include "ui/base/settings.h"

#include <QObject>

#include <array>

class QDockWidget;
class QMainWindow;

namespace ui {

class DockWidths : public QObject {
    Q_OBJECT
public:
    /// Takes the widths that the last session left in the settings. Both must outlive this.
    DockWidths(QMainWindow& window, Settings& settings);

    bool areKnown() const { return m_widths != Widths {}; }
    /// The docks are to have these widths; 0: there are none at that side.
    void set(int left, int right);
    /// The docks are to keep the widths that they have now.
    void takeAll() { set(now()[0], now()[1]); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    using Widths = std::array<int, 2>;  ///< left and right; 0: unknown

    std::array<QDockWidget*, 2> docks() const;
    Widths now() const;
    void takeDragged();
    void apply();

    QMainWindow& m_window;
    Settings& m_settings;
    Widths m_widths {};    ///< as the user has chosen them
    Widths m_dragged {};   ///< before the edge is moved that the mouse holds
    bool m_isDragging = false;
};

}  // namespace ui
