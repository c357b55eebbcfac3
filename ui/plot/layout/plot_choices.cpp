#include "ui/plot/layout/plot_choices.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace ui {
namespace {

constexpr int kLastAxis = static_cast<int>(XAxis::Epochs);
constexpr int kLastGrouping = static_cast<int>(Grouping::By::Repeats);
constexpr int kLastBand = static_cast<int>(Grouping::Band::Deviation);
constexpr int kLastMode = static_cast<int>(XMode::Free);
constexpr int kLastSmoothing = static_cast<int>(Smoothing::Kind::RunningMedian);

template <typename Names>
QJsonArray toArray(const Names& names)
{
    QJsonArray array;
    for (const std::string& name : names)
        array.append(QString::fromStdString(name));
    return array;
}

std::set<std::string> toNames(const QJsonValue& value)
{
    std::set<std::string> names;
    for (const QJsonValue name : value.toArray())
        names.insert(name.toString().toStdString());
    return names;
}

std::vector<std::string> toList(const QJsonValue& value)
{
    std::vector<std::string> names;
    for (const QJsonValue name : value.toArray())
        names.push_back(name.toString().toStdString());
    return names;
}

QJsonArray toArray(const Interval& interval)
{
    return {interval.lower, interval.upper};
}

/// An empty interval when @p value is none.
Interval toInterval(const QJsonValue& value)
{
    const QJsonArray ends = value.toArray();
    const Interval interval {ends.at(0).toDouble(), ends.at(1).toDouble()};
    return ends.size() == 2 && !interval.isEmpty() ? interval : Interval {};
}

QJsonObject toObject(const PlotPlace& place)
{
    QJsonObject y;
    for (const auto& [plot, interval] : place.y)
        y.insert(QString::fromStdString(plot), toArray(interval));
    return {{QStringLiteral("mode"), static_cast<int>(place.mode)}, {QStringLiteral("x"), toArray(place.x)}, {QStringLiteral("y"), y}};
}

QJsonObject toObject(const Grouping& grouping)
{
    return {{QStringLiteral("by"), static_cast<int>(grouping.by)}, {QStringLiteral("option"), QString::fromStdString(grouping.option)},
        {QStringLiteral("ignored"), toArray(grouping.ignored)}, {QStringLiteral("band"), static_cast<int>(grouping.band)}};
}

int enumValue(const QJsonValue& value, int last)
{
    const int number = value.toInt();
    return number >= 0 && number <= last ? number : 0;
}

Grouping toGrouping(const QJsonObject& object)
{
    Grouping grouping;
    grouping.by = static_cast<Grouping::By>(enumValue(object.value(QStringLiteral("by")), kLastGrouping));
    grouping.option = object.value(QStringLiteral("option")).toString().toStdString();
    if (const QJsonValue ignored = object.value(QStringLiteral("ignored")); ignored.isArray())
        grouping.ignored = toList(ignored);
    grouping.band = static_cast<Grouping::Band>(enumValue(object.value(QStringLiteral("band")), kLastBand));
    return grouping;
}

PlotPlace toPlace(const QJsonObject& object)
{
    PlotPlace place;
    place.mode = static_cast<XMode>(enumValue(object.value(QStringLiteral("mode")), kLastMode));
    place.x = toInterval(object.value(QStringLiteral("x")));
    if (place.x.isEmpty())
        place.mode = XMode::Whole;
    const QJsonObject y = object.value(QStringLiteral("y")).toObject();
    for (auto plot = y.begin(); plot != y.end(); ++plot) {
        if (const Interval interval = toInterval(plot.value()); !interval.isEmpty())
            place.y[plot.key().toStdString()] = interval;
    }
    return place;
}

}  // namespace

QByteArray toJson(const PlotChoices& choices)
{
    QJsonObject object {{QStringLiteral("x"), static_cast<int>(choices.xAxis)},
        {QStringLiteral("smoothing"), static_cast<int>(choices.smoothing.kind)},
        {QStringLiteral("width"), choices.smoothing.width},
        {QStringLiteral("superseded"), choices.showsSuperseded},
        {QStringLiteral("differences"), choices.showsDifferences},
        {QStringLiteral("grouping"), toObject(choices.grouping)},
        {QStringLiteral("logarithmic"), toArray(choices.logarithmic)},
        {QStringLiteral("clipped"), toArray(choices.clipped)},
        {QStringLiteral("tables"), toArray(choices.tables)},
        {QStringLiteral("place"), toObject(choices.place)},
        {QStringLiteral("order"), toArray(choices.plots.order)},
        {QStringLiteral("hidden"), toArray(choices.plots.hidden)}};
    QJsonObject placed;
    for (const auto& [metric, host] : choices.plots.placed)
        placed.insert(QString::fromStdString(metric), QString::fromStdString(host));
    object.insert(QStringLiteral("placed"), placed);
    if (choices.plots.metrics)
        object.insert(QStringLiteral("metrics"), toArray(*choices.plots.metrics));
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

PlotChoices plotChoicesFromJson(const QByteArray& json)
{
    const QJsonObject object = QJsonDocument::fromJson(json).object();
    PlotChoices choices;
    choices.xAxis = static_cast<XAxis>(enumValue(object.value(QStringLiteral("x")), kLastAxis));
    choices.smoothing.kind
        = static_cast<Smoothing::Kind>(enumValue(object.value(QStringLiteral("smoothing")), kLastSmoothing));
    if (const double width = object.value(QStringLiteral("width")).toDouble(); width > 0 && width <= kMostSmoothed)
        choices.smoothing.width = width;
    choices.showsSuperseded = object.value(QStringLiteral("superseded")).toBool(true);
    choices.showsDifferences = object.value(QStringLiteral("differences")).toBool();
    choices.grouping = toGrouping(object.value(QStringLiteral("grouping")).toObject());
    choices.logarithmic = toNames(object.value(QStringLiteral("logarithmic")));
    choices.clipped = toNames(object.value(QStringLiteral("clipped")));
    choices.tables = toNames(object.value(QStringLiteral("tables")));
    choices.place = toPlace(object.value(QStringLiteral("place")).toObject());
    choices.plots.order = toList(object.value(QStringLiteral("order")));
    choices.plots.hidden = toNames(object.value(QStringLiteral("hidden")));
    const QJsonObject placed = object.value(QStringLiteral("placed")).toObject();
    for (auto each = placed.begin(); each != placed.end(); ++each)
        choices.plots.placed[each.key().toStdString()] = each.value().toString().toStdString();
    if (const QJsonValue metrics = object.value(QStringLiteral("metrics")); metrics.isArray())
        choices.plots.metrics = toNames(metrics);
    return choices;
}

}  // namespace ui
