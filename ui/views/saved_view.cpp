#include "ui/views/saved_view.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace ui {
namespace {

constexpr int kVersion = 1;

QString viewText(const char* text)
{
    return QCoreApplication::translate("ui::SavedView", text);
}

QString changeOfPlots(const PlotChoices& before, const PlotChoices& after)
{
    if (before.xAxis != after.xAxis)
        return viewText(QT_TRANSLATE_NOOP("ui::SavedView", "x axis"));
    if (before.plots != after.plots)
        return viewText(QT_TRANSLATE_NOOP("ui::SavedView", "choice of plots"));
    if (before.grouping != after.grouping)
        return viewText(QT_TRANSLATE_NOOP("ui::SavedView", "grouping of the runs"));
    if (before.smoothing != after.smoothing)
        return viewText(QT_TRANSLATE_NOOP("ui::SavedView", "smoothing"));
    if (before.logarithmic != after.logarithmic)
        return viewText(QT_TRANSLATE_NOOP("ui::SavedView", "scale of a plot"));
    if (before.clipped != after.clipped)
        return viewText(QT_TRANSLATE_NOOP("ui::SavedView", "outliers of a plot"));
    if (before.place != after.place)
        return viewText(QT_TRANSLATE_NOOP("ui::SavedView", "visible range"));
    return viewText(QT_TRANSLATE_NOOP("ui::SavedView", "look of the plots"));
}

}  // namespace

QByteArray toJson(const SavedView& view)
{
    const QJsonObject place {{QStringLiteral("tab"), view.place.tab}, {QStringLiteral("inspected"), view.place.inspected},
        {QStringLiteral("docks"), QString::fromLatin1(view.place.docks.toBase64())}};
    return QJsonDocument(QJsonObject {{QStringLiteral("version"), kVersion},
                             {QStringLiteral("drawn"), QJsonArray::fromStringList(view.drawn)},
                             {QStringLiteral("baseline"), view.baseline}, {QStringLiteral("filter"), view.filter},
                             {QStringLiteral("columns"), QString::fromUtf8(view.columns)},
                             {QStringLiteral("plots"), QJsonDocument::fromJson(toJson(view.plots)).object()}, {QStringLiteral("place"), place}})
        .toJson();
}

std::variant<SavedView, QString> savedViewFromJson(const QByteArray& json)
{
    const QJsonObject object = QJsonDocument::fromJson(json).object();
    const int version = object.value(QStringLiteral("version")).toInt();
    if (version > kVersion)
        return viewText(QT_TRANSLATE_NOOP("ui::SavedView", "was saved by a newer Atelier"));
    const QJsonValue drawn = object.value(QStringLiteral("drawn"));
    const QJsonValue plots = object.value(QStringLiteral("plots"));
    if (version < 1 || !drawn.isArray() || !plots.isObject())
        return viewText(QT_TRANSLATE_NOOP("ui::SavedView", "is damaged"));
    SavedView view;
    for (const QJsonValue id : drawn.toArray()) {
        if (const QString text = id.toString(); !text.isEmpty() && !view.drawn.contains(text))
            view.drawn << text;
    }
    view.baseline = object.value(QStringLiteral("baseline")).toString();
    view.filter = object.value(QStringLiteral("filter")).toString();
    view.columns = object.value(QStringLiteral("columns")).toString().toUtf8();
    view.plots = plotChoicesFromJson(QJsonDocument(plots.toObject()).toJson(QJsonDocument::Compact));
    const QJsonObject place = object.value(QStringLiteral("place")).toObject();  // older files have none
    view.place = {place.value(QStringLiteral("tab")).toString(), place.value(QStringLiteral("inspected")).toString(),
        QByteArray::fromBase64(place.value(QStringLiteral("docks")).toString().toLatin1())};
    return view;
}

QString changeBetween(const SavedView& before, const SavedView& after)
{
    if (before.drawn != after.drawn)
        return viewText(QT_TRANSLATE_NOOP("ui::SavedView", "choice of runs"));
    if (before.filter != after.filter)
        return viewText(QT_TRANSLATE_NOOP("ui::SavedView", "filter of the runs"));
    if (before.plots != after.plots)
        return changeOfPlots(before.plots, after.plots);
    if (before.columns != after.columns)
        return viewText(QT_TRANSLATE_NOOP("ui::SavedView", "columns of the runs"));
    return before.baseline != after.baseline ? viewText(QT_TRANSLATE_NOOP("ui::SavedView", "baseline")) : QString();
}

}  // namespace ui
