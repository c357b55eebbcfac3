#include "ui/plot/layout/metric_tree.h"

#include "ui/base/plain_text.h"
#include "ui/base/text_match.h"
#include "ui/plot/layout/plot_drag.h"
#include "ui/plot/layout/plot_groups.h"

#include <algorithm>
#include <utility>

namespace ui {
namespace {

QString titleOf(const std::string& metric)
{
    const QString title = metricTitle(metric);
    return title == QString::fromStdString(metric) ? QString() : title;
}

}  // namespace

MetricTree::MetricTree(QObject* parent)
    : QAbstractItemModel(parent)
{
    rebuild();
}

void MetricTree::setMetrics(const std::set<std::string>& all, const std::set<std::string>& chosen)
{
    const bool isSame = all == m_all;
    if (isSame && chosen == m_chosen)
        return;
    m_all = all;
    m_chosen = chosen;
    if (!isSame)
        return rebuild();
    // Every tick may be another one, and those of folders follow.
    const QList<int> changed = {Qt::CheckStateRole};
    for (const Node& folder : m_nodes) {
        if (folder.children.empty())
            continue;
        const auto at = [&](int child) { return createIndex(m_nodes[std::size_t(child)].row, Name, quintptr(child)); };
        Q_EMIT dataChanged(at(folder.children.front()), at(folder.children.back()), changed);
    }
}

void MetricTree::setQuery(const QString& query)
{
    if (m_query == query.trimmed())
        return;
    m_query = query.trimmed();
    rebuild();
}

void MetricTree::rebuild()
{
    beginResetModel();
    m_nodes.assign(1, Node {});
    if (isFiltered()) {
        addList();
    } else {
        std::map<std::string, int> folders;
        for (const std::string& metric : m_all)
            addToTree(metric, folders);
        m_matches = static_cast<int>(m_all.size());
    }
    endResetModel();
}

int MetricTree::addNode(Node added, int parent)
{
    const int place = static_cast<int>(m_nodes.size());
    auto& siblings = m_nodes[std::size_t(parent)].children;
    added.parent = parent;
    added.row = static_cast<int>(siblings.size());
    siblings.push_back(place);
    m_nodes.push_back(std::move(added));
    return place;
}

void MetricTree::addToTree(const std::string& metric, std::map<std::string, int>& folders)
{
    int parent = 0;
    std::size_t from = 0;
    for (std::size_t slash = metric.find('/'); slash != std::string::npos && slash + 1 < metric.size(); slash = metric.find('/', from)) {
        const std::string path = metric.substr(0, slash + 1);
        const auto [folder, isNew] = folders.try_emplace(path);
        if (isNew)
            folder->second = addNode({path, QString::fromStdString(metric.substr(from, slash + 1 - from))}, parent);
        parent = folder->second;
        from = slash + 1;
    }
    addNode({metric, QString::fromStdString(metric.substr(from)), true}, parent);
}

void MetricTree::addList()
{
    struct Found {
        int match = 0;
        const std::string* metric = nullptr;
    };
    std::vector<Found> found;
    const TextMatch query(m_query);
    for (const std::string& metric : m_all) {
        if (const auto match = query.score(QString::fromStdString(metric).toLower(), titleOf(metric).toLower()))
            found.push_back({*match, &metric});
    }
    std::ranges::stable_sort(found, std::greater(), &Found::match);
    for (const Found& each : found)
        addNode({*each.metric, QString::fromStdString(*each.metric), true}, 0);
    m_matches = static_cast<int>(found.size());
}

const MetricTree::Node& MetricTree::node(const QModelIndex& index) const
{
    return m_nodes[index.isValid() ? std::size_t(index.internalId()) : 0];
}

void MetricTree::collect(const Node& from, std::set<std::string>& metrics) const
{
    if (from.isMetric)
        metrics.insert(from.path);
    for (const int child : from.children)
        collect(m_nodes[std::size_t(child)], metrics);
}

std::set<std::string> MetricTree::metricsOf(const QModelIndexList& indexes) const
{
    std::set<std::string> metrics;
    for (const QModelIndex& index : indexes) {
        if (index.isValid())
            collect(node(index), metrics);
    }
    return metrics;
}

void MetricTree::choose(const std::set<std::string>& metrics, bool isChosen)
{
    std::set<std::string> wanted = m_chosen;
    for (const std::string& metric : metrics) {
        if (isChosen)
            wanted.insert(metric);
        else
            wanted.erase(metric);
    }
    if (wanted != m_chosen)
        Q_EMIT chosenChanged(wanted);
}

Qt::CheckState MetricTree::tick(const Node& node) const
{
    if (node.isMetric)
        return m_chosen.contains(node.path) ? Qt::Checked : Qt::Unchecked;
    std::set<std::string> metrics;
    collect(node, metrics);
    const auto chosen = std::ranges::count_if(metrics, [this](const std::string& metric) { return m_chosen.contains(metric); });
    return chosen == 0 ? Qt::Unchecked : chosen == std::ssize(metrics) ? Qt::Checked : Qt::PartiallyChecked;
}

QModelIndex MetricTree::index(int row, int column, const QModelIndex& parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, quintptr(node(parent).children[std::size_t(row)]));
}

QModelIndex MetricTree::parent(const QModelIndex& index) const
{
    const int above = index.isValid() ? node(index).parent : 0;
    return above == 0 ? QModelIndex() : createIndex(m_nodes[std::size_t(above)].row, Name, quintptr(above));
}

int MetricTree::rowCount(const QModelIndex& parent) const
{
    return parent.column() > 0 ? 0 : static_cast<int>(node(parent).children.size());
}

int MetricTree::columnCount(const QModelIndex&) const
{
    return ColumnCount;
}

QVariant MetricTree::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const Node& own = node(index);
    switch (role) {
    case Qt::DisplayRole:
        return index.column() == Name ? own.label : own.isMetric ? titleOf(own.path) : QString();
    case Qt::ToolTipRole:
        return plainToolTip(QString::fromStdString(own.path));
    case PathRole:
        return QString::fromStdString(own.path);
    case Qt::CheckStateRole:
        return index.column() == Name ? QVariant(tick(own)) : QVariant();
    default:
        return {};
    }
}

bool MetricTree::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!index.isValid() || role != Qt::CheckStateRole)
        return false;
    choose(metricsOf({index}), value.toInt() == Qt::Checked);
    return true;
}

QVariant MetricTree::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == Name ? tr("Metric") : tr("Meaning");
}

Qt::ItemFlags MetricTree::flags(const QModelIndex& index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    const Qt::ItemFlags all = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsDragEnabled;
    return index.column() == Name ? all | Qt::ItemIsUserCheckable : all;
}

QStringList MetricTree::mimeTypes() const
{
    return {QStringLiteral("text/plain")};
}

QMimeData* MetricTree::mimeData(const QModelIndexList& indexes) const
{
    QStringList names;
    for (const std::string& metric : metricsOf(indexes))
        names << QString::fromStdString(metric);
    return dragOfMetrics(names);
}

}  // namespace ui
