#include "ui/plot/plot_choices.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace ui {
namespace {

constexpr int kLastAxis = static_cast<int>(XAxis::WallTime);
constexpr int kLastSmoothing = static_cast<int>(Smoothing::Kind::RunningMedian);
constexpr double kMaxWidth = 1'000'000;

QJsonArray toArray(const std::set<std::string>& names)
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

int enumValue(const QJsonValue& value, int last)
{
    const int number = value.toInt();
    return number >= 0 && number <= last ? number : 0;
}

}  // namespace

QByteArray toJson(const PlotChoices& choices)
{
    QJsonObject object {{QStringLiteral("x"), static_cast<int>(choices.xAxis)},
        {QStringLiteral("smoothing"), static_cast<int>(choices.smoothing.kind)},
        {QStringLiteral("width"), choices.smoothing.width},
        {QStringLiteral("superseded"), choices.showsSuperseded},
        {QStringLiteral("differences"), choices.showsDifferences},
        {QStringLiteral("logarithmic"), toArray(choices.logarithmic)},
        {QStringLiteral("clipped"), toArray(choices.clipped)}};
    if (choices.metrics)
        object.insert(QStringLiteral("metrics"), toArray(*choices.metrics));
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

PlotChoices plotChoicesFromJson(const QByteArray& json)
{
    const QJsonObject object = QJsonDocument::fromJson(json).object();
    PlotChoices choices;
    choices.xAxis = static_cast<XAxis>(enumValue(object.value(QStringLiteral("x")), kLastAxis));
    choices.smoothing.kind
        = static_cast<Smoothing::Kind>(enumValue(object.value(QStringLiteral("smoothing")), kLastSmoothing));
    if (const double width = object.value(QStringLiteral("width")).toDouble(); width > 0 && width <= kMaxWidth)
        choices.smoothing.width = width;
    choices.showsSuperseded = object.value(QStringLiteral("superseded")).toBool(true);
    choices.showsDifferences = object.value(QStringLiteral("differences")).toBool();
    choices.logarithmic = toNames(object.value(QStringLiteral("logarithmic")));
    choices.clipped = toNames(object.value(QStringLiteral("clipped")));
    if (const QJsonValue metrics = object.value(QStringLiteral("metrics")); metrics.isArray())
        choices.metrics = toNames(metrics);
    return choices;
}

}  // namespace ui
