// How two checkpoints differ, by layer or by tensor, as a table model.
#pragma once
#include "engine/contract/checkpoint/checkpoint_difference.h"

#include <QAbstractTableModel>

#include <vector>

namespace ui {

class DifferenceModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Values, Changed, Largest, Rms, Relative, Note, ColumnCount };
    enum Role { SortRole = Qt::UserRole };
    enum class By { Layer, Tensor };

    using QAbstractTableModel::QAbstractTableModel;

    /// Resets the model.
    void setDifferences(std::vector<contract::TensorDifference> tensors);
    /// Resets the model. Tensors that cannot be compared are rows of their own either way.
    void setBy(By by);
    contract::ValueDifference all() const;  ///< the sums over all tensors
    bool hasNotes() const;                  ///< of tensors or of layers
    int unchangedTensors() const;           ///< of those that were compared

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        QString name;
        QString note;     ///< why there are no numbers, or what was left out of them
        QString toolTip;  ///< the shape, or how many tensors a layer has
        bool isCompared = true;
        contract::ValueDifference difference;
    };
    void fill();
    QString text(const Row& row, int column) const;
    QVariant sortKey(const Row& row, int column) const;

    std::vector<contract::TensorDifference> m_tensors;
    By m_by = By::Layer;
    std::vector<Row> m_rows;
};

}  // namespace ui
