#include "ui/plot/canvas/plot_keys.h"

#include <QCoreApplication>
#include <QKeySequence>
#include <QStringList>

namespace ui {
namespace {

struct Entry {
    const char* keys;  ///< in portable words, separated by blanks
    const char* help;
};

constexpr Entry kEntries[] = {
    {"F", QT_TRANSLATE_NOOP("ui::PlotKeys", "Show everything")},
    {"L", QT_TRANSLATE_NOOP("ui::PlotKeys", "Logarithmic y axis, or linear")},
    {"S", QT_TRANSLATE_NOOP("ui::PlotKeys", "Next kind of smoothing")},
    {"C", QT_TRANSLATE_NOOP("ui::PlotKeys", "Fit the y axis to the middle 98 % of the values, or to all")},
    {"E", QT_TRANSLATE_NOOP("ui::PlotKeys", "Follow the newest step, or do not")},
    {"X", QT_TRANSLATE_NOOP("ui::PlotKeys", "Next x axis: steps, samples, epochs, times")},
    {"H", QT_TRANSLATE_NOOP("ui::PlotKeys", "Show or hide superseded points")},
    {"D", QT_TRANSLATE_NOOP("ui::PlotKeys", "Show differences from the baseline, or the values")},
    {"T", QT_TRANSLATE_NOOP("ui::PlotKeys", "Show the numbers as a table, or the curves")},
    {"Left Right Up Down", QT_TRANSLATE_NOOP("ui::PlotKeys", "Move the view")},
    {"Shift+Left Shift+Right", QT_TRANSLATE_NOOP("ui::PlotKeys", "Move the cursor by a point")},
    {"+ -", QT_TRANSLATE_NOOP("ui::PlotKeys", "Zoom the x axis")},
    {"Alt++ Alt+-", QT_TRANSLATE_NOOP("ui::PlotKeys", "Zoom the y axis")},
    {"Alt+Left Alt+Right", QT_TRANSLATE_NOOP("ui::PlotKeys", "Back and forth through what was looked at")},
    {"Ctrl+C", QT_TRANSLATE_NOOP("ui::PlotKeys", "Copy the values at the cursor")},
    {"Ctrl+Shift+C", QT_TRANSLATE_NOOP("ui::PlotKeys", "Copy the plot as a picture")},
    {"Ctrl+S", QT_TRANSLATE_NOOP("ui::PlotKeys", "Save the plot as a picture")},
    {"Esc", QT_TRANSLATE_NOOP("ui::PlotKeys", "Take the pin away")},
};

}  // namespace

std::vector<PlotKey> plotKeys()
{
    std::vector<PlotKey> all;
    for (const Entry& entry : kEntries) {
        QStringList keys;
        for (const QString& key : QString::fromLatin1(entry.keys).split(QLatin1Char(' ')))
            keys << QKeySequence(key, QKeySequence::PortableText).toString(QKeySequence::NativeText);
        all.push_back({keys.join(QStringLiteral(", ")), QCoreApplication::translate("ui::PlotKeys", entry.help)});
    }
    return all;
}

}  // namespace ui
