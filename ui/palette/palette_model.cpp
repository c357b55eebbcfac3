#include "ui/palette/palette_model.h"

#include "ui/base/text_match.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

namespace ui {
namespace {

constexpr std::array<std::pair<char, PaletteEntry::Kind>, 4> kPrefixes = {{{'>', PaletteEntry::Kind::Action}, {'@', PaletteEntry::Kind::Run},
    {'#', PaletteEntry::Kind::Metric}, {':', PaletteEntry::Kind::Option}}};

}  // namespace

QString PaletteModel::kindName(PaletteEntry::Kind kind)
{
    switch (kind) {
    case PaletteEntry::Kind::Action:
        return tr("Action");
    case PaletteEntry::Kind::View:
        return tr("View");
    case PaletteEntry::Kind::Run:
        return tr("Run");
    case PaletteEntry::Kind::Metric:
        return tr("Metric");
    case PaletteEntry::Kind::Option:
        break;
    }
    return tr("Option");
}

void PaletteModel::setEntries(std::vector<PaletteEntry> entries)
{
    m_entries = std::move(entries);
    m_keys.clear();
    m_keys.reserve(m_entries.size());
    for (const PaletteEntry& entry : m_entries)
        m_keys.push_back({(entry.title + QLatin1Char(' ') + entry.id).toLower(), entry.detail.toLower()});
    narrow();
}

void PaletteModel::setQuery(const QString& query)
{
    m_query = query.trimmed();
    narrow();
}

void PaletteModel::narrow()
{
    beginResetModel();
    std::optional<PaletteEntry::Kind> only;
    QString words = m_query;
    for (const auto& [letter, kind] : kPrefixes) {
        if (m_query.startsWith(QLatin1Char(letter))) {
            only = kind;
            words = m_query.mid(1);
        }
    }
    const TextMatch match(words);
    constexpr int kOfDisabled = 50;  // what cannot be done comes after what is as near
    std::vector<std::pair<int, std::size_t>> found;  // score and place
    for (std::size_t at = 0; at < m_entries.size(); ++at) {
        if (only && m_entries[at].kind != *only)
            continue;
        const auto score = match.isEmpty() ? std::optional(0) : match.score(m_keys[at].name, m_keys[at].detail);
        if (score)
            found.emplace_back(*score - (m_entries[at].isEnabled ? 0 : kOfDisabled), at);
    }
    m_matches = found.size();
    const auto shown = found.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(found.size(), kMostRows));
    std::partial_sort(found.begin(), shown, found.end(), [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
    m_shown.clear();
    for (auto each = found.begin(); each != shown; ++each)
        m_shown.push_back(each->second);
    endResetModel();
}

int PaletteModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_shown.size()); }

Qt::ItemFlags PaletteModel::flags(const QModelIndex& index) const
{
    if (!index.isValid())
        return {};
    return entry(index.row()).isEnabled ? Qt::ItemIsEnabled | Qt::ItemIsSelectable : Qt::ItemIsSelectable;
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const
{
    const PaletteEntry& shown = entry(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return shown.title;
    case Qt::DecorationRole:
        return shown.icon;
    case Qt::AccessibleTextRole:
        return QStringList {kindName(shown.kind), shown.title, shown.detail, shown.hint}.join(QStringLiteral(", "));
    case DetailRole:
        return shown.detail;
    case HintRole:
        return shown.hint;
    case KindRole:
        return kindName(shown.kind);
    default:
        return {};
    }
}

}  // namespace ui
