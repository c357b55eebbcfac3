// A comparison of runs as a table: a row for each option and metric, a column for each run, and for each run but the baseline
// two more, the difference from the baseline and the ratio to it.
#pragma once
#include "storage/reports/comparison.h"
#include "ui/base/selection.h"

#include <QAbstractTableModel>
#include <QStringList>

#include <optional>
#include <vector>

namespace ui {

class CompareModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Role {
        SortRole = Qt::UserRole,
        DiffersRole,  ///< bool: the row's values differ
    };

    /// @param selection must outlive this; it says how the runs are drawn.
    explicit CompareModel(const Selection& selection, QObject* parent = nullptr);

    /// @param names of comparison.runs
    /// @param lines what the user has chosen of their lines
    /// @param baseline an index into comparison.runs; nullopt: there are no columns of differences
    void setComparison(storage::Comparison comparison, const QStringList& names, const std::vector<contract::RunLine>& lines,
        std::optional<std::size_t> baseline);
    const storage::Comparison& comparison() const { return m_comparison; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    enum class What { Name, Value, Difference, Ratio };
    struct Column {
        What what = What::Name;
        std::size_t run = 0;
        bool operator==(const Column&) const = default;
    };
    QString text(const storage::ComparisonRow& row, const Column& column, bool isExact) const;
    std::optional<double> number(const storage::ComparisonRow& row, const Column& column) const;

    const Selection& m_selection;
    storage::Comparison m_comparison;
    QStringList m_names;
    std::vector<contract::RunLine> m_lines;
    std::optional<std::size_t> m_baseline;
    std::vector<Column> m_columns = {Column {}};
};

}  // namespace ui
