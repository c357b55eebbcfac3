#include "ui/plot/layout/plot_drag.h"

namespace ui {
namespace {

constexpr QLatin1String kPlot("application/x-atelier-plot");
constexpr QLatin1String kMetrics("application/x-atelier-metrics");

}  // namespace

QString draggedPlot(const QMimeData& data)
{
    return data.hasFormat(kPlot) ? QString::fromUtf8(data.data(kPlot)) : QString();
}

QMimeData* dragOfPlot(const QString& id)
{
    auto* data = new QMimeData;
    data->setData(kPlot, id.toUtf8());
    return data;
}

QStringList draggedMetrics(const QMimeData& data)
{
    return data.hasFormat(kMetrics) ? QString::fromUtf8(data.data(kMetrics)).split(QLatin1Char('\n'), Qt::SkipEmptyParts) : QStringList();
}

QMimeData* dragOfMetrics(const QStringList& names)
{
    auto* data = new QMimeData;
    data->setData(kMetrics, names.join(QLatin1Char('\n')).toUtf8());
    data->setText(names.join(QLatin1Char('\n')));
    return data;
}

}  // namespace ui
