#include "ui/plot/layout/plot_keys.h"

#include <QCoreApplication>

namespace ui {
namespace {

struct Entry {
    PlotCommand command;
    const char* id;
    const char* text;
    const char* icon;
    const char* key;
    const char* help;
};

constexpr Entry kEntries[] = {
    {PlotCommand::ShowAll, "plot.fit", QT_TRANSLATE_NOOP("ui::PlotKeys", "Show all"), "", "F", QT_TRANSLATE_NOOP("ui::PlotKeys", "Show everything")},
    {PlotCommand::Logarithmic, "plot.logarithmic", QT_TRANSLATE_NOOP("ui::PlotKeys", "Logarithmic or linear"), "", "L",
        QT_TRANSLATE_NOOP("ui::PlotKeys", "Logarithmic y axis, or linear")},
    {PlotCommand::NextSmoothing, "plot.smoothing", QT_TRANSLATE_NOOP("ui::PlotKeys", "Next smoothing"), "", "S",
        QT_TRANSLATE_NOOP("ui::PlotKeys", "Next kind of smoothing")},
    {PlotCommand::Clip, "plot.clip", QT_TRANSLATE_NOOP("ui::PlotKeys", "With or without outliers"), "", "C",
        QT_TRANSLATE_NOOP("ui::PlotKeys", "Fit the y axis to the middle 98 % of the values, or to all")},
    {PlotCommand::Follow, "plot.follow", QT_TRANSLATE_NOOP("ui::PlotKeys", "Follow"), "follow", "E",
        QT_TRANSLATE_NOOP("ui::PlotKeys", "Follow the newest step, or do not")},
    {PlotCommand::NextXAxis, "plot.xAxis", QT_TRANSLATE_NOOP("ui::PlotKeys", "Next x axis"), "", "X",
        QT_TRANSLATE_NOOP("ui::PlotKeys", "Next x axis: steps, samples, epochs, times")},
    {PlotCommand::Superseded, "plot.superseded", QT_TRANSLATE_NOOP("ui::PlotKeys", "Earlier attempts"), "", "H",
        QT_TRANSLATE_NOOP("ui::PlotKeys", "Show or hide superseded points")},
    {PlotCommand::Differences, "plot.differences", QT_TRANSLATE_NOOP("ui::PlotKeys", "Differences"), "", "D",
        QT_TRANSLATE_NOOP("ui::PlotKeys", "Show differences from the baseline, or the values")},
    {PlotCommand::Table, "plot.table", QT_TRANSLATE_NOOP("ui::PlotKeys", "Numbers as a table"), "", "T",
        QT_TRANSLATE_NOOP("ui::PlotKeys", "Show the numbers as a table, or the curves")},
    {PlotCommand::Back, "plot.back", QT_TRANSLATE_NOOP("ui::PlotKeys", "Back"), "", "Alt+Left",
        QT_TRANSLATE_NOOP("ui::PlotKeys", "Back to what was looked at before")},
    {PlotCommand::Forward, "plot.forward", QT_TRANSLATE_NOOP("ui::PlotKeys", "Forward"), "", "Alt+Right",
        QT_TRANSLATE_NOOP("ui::PlotKeys", "Forward to what was looked at after that")},
    {PlotCommand::CopyValues, "plot.copyValues", QT_TRANSLATE_NOOP("ui::PlotKeys", "Copy the values"), "copy", "Ctrl+C",
        QT_TRANSLATE_NOOP("ui::PlotKeys", "Copy the values at the cursor")},
    {PlotCommand::CopyImage, "plot.copyImage", QT_TRANSLATE_NOOP("ui::PlotKeys", "Copy as a picture"), "copy", "Ctrl+Shift+C",
        QT_TRANSLATE_NOOP("ui::PlotKeys", "Copy the plot as a picture")},
    {PlotCommand::SaveImage, "plot.saveImage", QT_TRANSLATE_NOOP("ui::PlotKeys", "Save as a picture…"), "save", "Ctrl+S",
        QT_TRANSLATE_NOOP("ui::PlotKeys", "Save the plot as a picture")},
};

QString words(const char* text) { return QCoreApplication::translate("ui::PlotKeys", text); }

}  // namespace

std::map<PlotCommand, ActionSpec> plotCommands()
{
    std::map<PlotCommand, ActionSpec> all;
    for (const Entry& entry : kEntries) {
        all.emplace(entry.command,
            ActionSpec {QLatin1String(entry.id), words(entry.text), QLatin1String(entry.icon), QKeySequence(QLatin1String(entry.key), QKeySequence::PortableText),
                words(entry.help), {}, QStringLiteral("plot")});
    }
    return all;
}

QList<FixedKeys> fixedPlotKeys()
{
    const QString plot = QStringLiteral("plot");
    return {{plot, words(QT_TRANSLATE_NOOP("ui::PlotKeys", "Move the view")), {Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down}, {}},
        {plot, words(QT_TRANSLATE_NOOP("ui::PlotKeys", "Move the cursor by a point")), {Qt::SHIFT | Qt::Key_Left, Qt::SHIFT | Qt::Key_Right}, {}},
        {plot, words(QT_TRANSLATE_NOOP("ui::PlotKeys", "Zoom the x axis")), {Qt::Key_Plus, Qt::Key_Minus, Qt::Key_Equal}, {}},
        {plot, words(QT_TRANSLATE_NOOP("ui::PlotKeys", "Zoom the y axis")),
            {Qt::ALT | Qt::Key_Plus, Qt::ALT | Qt::Key_Minus, Qt::ALT | Qt::Key_Equal}, {}},
        {plot, words(QT_TRANSLATE_NOOP("ui::PlotKeys", "Take the pin away")), {Qt::Key_Escape}, {}}};
}

PlotKeys::PlotKeys()
{
    for (const Entry& entry : kEntries)
        m_keys.emplace(entry.command, QKeySequence(QLatin1String(entry.key), QKeySequence::PortableText));
}

std::optional<PlotCommand> PlotKeys::command(QKeyCombination pressed) const
{
    for (const auto& [command, key] : m_keys) {
        if (!key.isEmpty() && key[0] == pressed)
            return command;
    }
    return std::nullopt;
}

QString PlotKeys::withKey(const QString& help, PlotCommand command) const
{
    const QKeySequence key = m_keys.at(command);
    return key.isEmpty() ? help : QCoreApplication::translate("ui::PlotKeys", "%1 (%2)").arg(help, key.toString(QKeySequence::NativeText));
}

}  // namespace ui
