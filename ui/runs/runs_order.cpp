// The parts of RunsModel that order the runs by a column.
#include "ui/base/number_order.h"
#include "ui/runs/runs_model.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace ui {
namespace {

/// Numbers first, then texts, then what is missing.
bool isLess(const FieldValue& a, const FieldValue& b)
{
    if (a.isMissing() || b.isMissing())
        return !a.isMissing() && b.isMissing();
    if (a.number || b.number)
        return a.number && (!b.number || sortKeyOf(a.number) < sortKeyOf(b.number));
    return a.text.compare(b.text, Qt::CaseInsensitive) < 0;
}

bool isTextBefore(const QString& a, const QString& b) { return a.compare(b, Qt::CaseInsensitive) < 0; }

/// The place of each of @p keys when they are sorted; the same for keys of which none is before the other.
template <typename Key, typename IsBefore>
std::vector<int> placesOf(const std::vector<Key>& keys, IsBefore isBefore)
{
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t {0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return isBefore(keys[a], keys[b]); });
    std::vector<int> places(keys.size());
    int place = 0;
    for (std::size_t at = 0; at < order.size(); ++at) {
        place += at > 0 && isBefore(keys[order[at - 1]], keys[order[at]]) ? 1 : 0;
        places[order[at]] = place;
    }
    return places;
}

}  // namespace

/// Fields are compared by isLess(), without a key.
QVariant RunsModel::sortKey(const RunEntry& entry, int column) const
{
    switch (column) {
    case Drawn:
        return m_selection.isDrawn(entry.id());
    case State:
        return entry.status ? static_cast<int>(entry.status->state) : -1;
    case Progress:
        return entry.progress();
    case Loss:
        return sortKeyOf(entry.loss());
    case Age:
        return QVariant::fromValue<qlonglong>(entry.lastRecordUnixMs());
    case Started:
        return QVariant::fromValue<qlonglong>(entry.row.createdUnixMs);
    case Ranks:
        return entry.row.ranks;
    case Attempts:
        return entry.row.attempts;
    case Name:
        return entry.name();
    default:
        return text(entry, column);
    }
}

bool RunsModel::isBefore(int row, int otherRow, int column) const
{
    const RunEntry& a = m_entries[static_cast<std::size_t>(row)];
    const RunEntry& b = m_entries[static_cast<std::size_t>(otherRow)];
    if (column >= BuiltInCount)
        return isLess(valueIn(a, column), valueIn(b, column));
    switch (column) {
    case Loss:
        return sortKeyOf(a.loss()) < sortKeyOf(b.loss());
    case Started:
        return a.row.createdUnixMs < b.row.createdUnixMs;
    case Age:
        return a.lastRecordUnixMs() < b.lastRecordUnixMs();
    default: {
        const QVariant key = sortKey(a, column);
        const QVariant other = sortKey(b, column);
        return key.typeId() == QMetaType::QString ? isTextBefore(key.toString(), other.toString())
                                                  : QVariant::compare(key, other) == QPartialOrdering::Less;
    }
    }
}

std::vector<int> RunsModel::placesBy(int column) const
{
    if (column >= BuiltInCount) {
        std::vector<const FieldValue*> values;
        for (const RunEntry& entry : m_entries)
            values.push_back(&valueIn(entry, column));
        return placesOf(values, [](const FieldValue* a, const FieldValue* b) { return isLess(*a, *b); });
    }
    std::vector<QString> texts;
    std::vector<double> numbers;
    for (const RunEntry& entry : m_entries) {
        if (const QVariant key = sortKey(entry, column); key.typeId() == QMetaType::QString)
            texts.push_back(key.toString());
        else
            numbers.push_back(key.toDouble());
    }
    return texts.empty() ? placesOf(numbers, std::less<>()) : placesOf(texts, isTextBefore);
}

}  // namespace ui
