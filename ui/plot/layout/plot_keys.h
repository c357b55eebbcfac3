// What can be done with a plot by a key of one's own choice, and the keys for it.
#pragma once
#include "ui/base/action_registry.h"

#include <QKeyCombination>
#include <QKeySequence>
#include <QList>
#include <QString>

#include <map>
#include <optional>

namespace ui {

enum class PlotCommand {
    ShowAll,
    Logarithmic,
    NextSmoothing,
    Clip,
    Follow,
    NextXAxis,
    Superseded,
    Differences,
    Table,
    Back,
    Forward,
    CopyValues,
    CopyImage,
    SaveImage
};

/// The actions of all commands, with their keys by default: "plot.fit", in the place "plot".
std::map<PlotCommand, ActionSpec> plotCommands();
/// The keys that move the view and the cursor.
QList<FixedKeys> fixedPlotKeys();

/// The keys of the commands; those by default until they are set.
class PlotKeys {
public:
    PlotKeys();

    QKeySequence key(PlotCommand command) const { return m_keys.at(command); }
    void setKey(PlotCommand command, const QKeySequence& key) { m_keys[command] = key; }
    /// The command whose key this is.
    std::optional<PlotCommand> command(QKeyCombination pressed) const;
    /// A sentence about a command for a tooltip, with its key behind it, if it has one.
    QString withKey(const QString& help, PlotCommand command) const;

    bool operator==(const PlotKeys&) const = default;

private:
    std::map<PlotCommand, QKeySequence> m_keys;
};

}  // namespace ui
