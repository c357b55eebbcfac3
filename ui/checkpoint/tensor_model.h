// The tensors of a checkpoint as a table model.
#pragma once
#include "engine/contract/checkpoint/checkpoint_manifest.h"

#include <QAbstractTableModel>

#include <vector>

namespace ui {

class TensorModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Shape, Dtype, Elements, Bytes, ColumnCount };
    enum Role { SortRole = Qt::UserRole };

    using QAbstractTableModel::QAbstractTableModel;

    void setTensors(std::vector<contract::TensorEntry> tensors);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<contract::TensorEntry> m_tensors;
};

/// "768 × 64", or "scalar" for an empty shape.
QString shapeText(const std::vector<std::int64_t>& shape);

}  // namespace ui
