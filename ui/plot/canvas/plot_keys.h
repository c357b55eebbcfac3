// The keys of a plot that has the focus, for the list of keys. plot_input.h handles them.
#pragma once
#include <QString>

#include <vector>

namespace ui {

struct PlotKey {
    QString keys;  ///< "Alt++, Alt+-"
    QString help;
};
std::vector<PlotKey> plotKeys();

}  // namespace ui
