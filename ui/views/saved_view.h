// What the user has arranged to be seen: kept between sessions, undone and redone, saved by name.
#pragma once
#include "ui/plot/layout/plot_choices.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <variant>

namespace ui {

struct SavedView {
    QStringList drawn;   ///< ids of the runs, in the order in which they were drawn
    QString baseline;    ///< the run that was chosen for the others to be compared with; empty: none was
    QString filter;      ///< of the runs table, as typed
    QByteArray columns;  ///< of the runs table: RunColumns::state()
    PlotChoices plots;

    /// Where the user looks. It is part of a view that was saved, but going elsewhere is no change of the view.
    struct Place {
        QString tab;        ///< the name of the open one: "samples"; empty: whichever is
        QString inspected;  ///< id of the run; empty: whichever is
        QByteArray docks;   ///< QMainWindow::saveState(); empty: as they are

        bool operator==(const Place&) const = default;
    };
    Place place;

    bool operator==(const SavedView&) const = default;
};

/// With a format version.
QByteArray toJson(const SavedView& view);
/// The view, or why @p json is none, as the end of a sentence: "is damaged".
std::variant<SavedView, QString> savedViewFromJson(const QByteArray& json);

/// What the user changed from @p before to @p after, for the texts of undo and redo: "range", "filter of the runs".
/// Empty when they are equal but for their places.
QString changeBetween(const SavedView& before, const SavedView& after);

}  // namespace ui
