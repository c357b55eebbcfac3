#include "ui/runs/run_field.h"

#include <QCoreApplication>
#include <QLocale>

#include <array>
#include <utility>

namespace ui {
namespace {

using FieldKind = storage::RunField::Kind;

constexpr std::array<std::pair<FieldKind, const char*>, 4> kPrefixes = {{{FieldKind::Parameter, "option:"}, {FieldKind::Last, "last:"},
    {FieldKind::Lowest, "lowest:"}, {FieldKind::Highest, "highest:"}}};

QString fieldText(const char* source)
{
    return QCoreApplication::translate("ui::RunField", source);
}

}  // namespace

FieldValue optionValue(const QString& text)
{
    bool isNumber = false;
    const double number = QLocale::c().toDouble(text, &isNumber);
    return {text, isNumber ? std::optional(number) : std::nullopt};
}

QString titleOf(const storage::RunField& field)
{
    const QString name = QString::fromStdString(field.name);
    if (field.kind == FieldKind::Lowest)
        return fieldText(QT_TRANSLATE_NOOP("ui::RunField", "lowest %1")).arg(name);
    if (field.kind == FieldKind::Highest)
        return fieldText(QT_TRANSLATE_NOOP("ui::RunField", "highest %1")).arg(name);
    return name;
}

QString idOf(const storage::RunField& field)
{
    for (const auto& [kind, prefix] : kPrefixes) {
        if (kind == field.kind)
            return QLatin1String(prefix) + QString::fromStdString(field.name);
    }
    return {};
}

std::optional<storage::RunField> fieldFromId(const QString& id)
{
    for (const auto& [kind, prefix] : kPrefixes) {
        if (const QLatin1String start(prefix); id.startsWith(start) && id.size() > start.size())
            return storage::RunField {kind, id.mid(start.size()).toStdString()};
    }
    return std::nullopt;
}

}  // namespace ui
