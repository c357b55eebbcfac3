// Plots as pictures for papers and messages: in light colours, with every line named. Call on the GUI thread.
#pragma once
#include <QImage>
#include <QString>
#include <QStringList>

#include <functional>
#include <vector>

namespace ui {

class PlotPanel;

/// What to paint: panels, at their sizes, in rows of @p columns.
struct PlotImage {
    std::vector<PlotPanel*> panels;
    int columns = 1;
};

/// @param ratio pixels of the image for each pixel of the window
QImage paintedImage(const PlotImage& image, double ratio);

/// The filters of a file dialog, from PNG on, and the suffix that belongs to one.
QString imageFilters();
QString suffixOf(const QString& filter);

/// Writes the image to @p file: SVG or PDF (lines stay lines) if its name ends so, else PNG, with two pixels for each of the window.
/// A file that is there is replaced when all has been written. @param context done is dropped when it has been deleted
/// @param done called on the GUI thread with why it could not be written, in one sentence; empty: it was
void writeImage(const PlotImage& image, const QString& file, QObject* context, std::function<void(const QString& error)> done);

}  // namespace ui
