// The menu that chooses by what runs are grouped in the plots.
#pragma once
#include "ui/plot/layout/plot_view_state.h"

#include <QMenu>

#include <string>
#include <vector>

namespace ui {

class GroupMenu : public QMenu {
    Q_OBJECT
public:
    /// @p viewState must outlive this. @param window the parent of dialogs
    GroupMenu(PlotViewState& viewState, QWidget* window);

    /// Sets the options in which the drawn runs differ, which are offered first.
    void setDiffering(const std::vector<std::string>& keys) { m_differing = keys; }

private:
    void fill();
    QAction* addChoice(const QString& text, const Grouping& grouping);
    void askOption();
    void askIgnored();

    PlotViewState& m_viewState;
    std::vector<std::string> m_differing;
};

}  // namespace ui
