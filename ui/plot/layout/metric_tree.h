// All metrics of the drawn runs, as a tree by the parts of their names or, while there is a query, as a list with the best match first.
// A tick says that a metric has a plot.
#pragma once
#include <QAbstractItemModel>
#include <QString>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ui {

class MetricTree : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { Name, Title, ColumnCount };
    enum Role {
        PathRole = Qt::UserRole,  ///< QString: the metric, or what the names in a folder begin with, ending with "/"
    };

    explicit MetricTree(QObject* parent = nullptr);

    /// Resets the model only if @p all are other metrics than before.
    void setMetrics(const std::set<std::string>& all, const std::set<std::string>& chosen);
    const std::set<std::string>& metrics() const { return m_all; }
    const std::set<std::string>& chosen() const { return m_chosen; }

    /// Lists the metrics that match, see ui/base/text_match.h; empty: shows the tree.
    void setQuery(const QString& query);
    bool isFiltered() const { return !m_query.isEmpty(); }
    int matches() const { return m_matches; }  ///< how many metrics are in the list or the tree

    /// The metrics of the rows, those in a folder being its rows; ascending.
    std::set<std::string> metricsOf(const QModelIndexList& indexes) const;
    /// Emits chosenChanged() with these added or taken away, as if the user had ticked them.
    void choose(const std::set<std::string>& metrics, bool isChosen);

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& index) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QStringList mimeTypes() const override;
    /// See draggedMetrics().
    QMimeData* mimeData(const QModelIndexList& indexes) const override;

Q_SIGNALS:
    /// The user wants plots for these metrics and no others. The model follows with the next setMetrics().
    void chosenChanged(const std::set<std::string>& metrics);

private:
    struct Node {
        std::string path;  ///< see PathRole; empty: the root
        QString label;
        bool isMetric = false;
        int parent = 0;
        int row = 0;
        std::vector<int> children = {};
    };
    void rebuild();
    void addToTree(const std::string& metric, std::map<std::string, int>& folders);
    void addList();
    int addNode(Node added, int parent);
    const Node& node(const QModelIndex& index) const;
    void collect(const Node& from, std::set<std::string>& metrics) const;
    Qt::CheckState tick(const Node& node) const;

    std::set<std::string> m_all;
    std::set<std::string> m_chosen;
    QString m_query;
    int m_matches = 0;
    std::vector<Node> m_nodes;  ///< the root first
};

}  // namespace ui
