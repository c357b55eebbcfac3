// What is dragged onto plots: another plot, to be moved there, or metrics, to be drawn there.
#pragma once
#include <QMimeData>
#include <QString>
#include <QStringList>

namespace ui {

/// Null unless @p data is a plot; its id.
QString draggedPlot(const QMimeData& data);
/// The caller owns it.
QMimeData* dragOfPlot(const QString& id);

/// Empty unless @p data is metrics; their names.
QStringList draggedMetrics(const QMimeData& data);
/// The caller owns it. As text, it is the names, one a line.
QMimeData* dragOfMetrics(const QStringList& names);

}  // namespace ui
