// What is in a checkpoint: its tensors, with a filter. The manifest is read on another thread.
#pragma once
#include "engine/contract/checkpoint_manifest.h"

#include <QThreadPool>
#include <QWidget>

#include <filesystem>

class QLabel;
class QLineEdit;
class QSortFilterProxyModel;
class QTableView;

namespace ui {

class TensorModel;
class ViewFrame;

class TensorsPanel : public QWidget {
    Q_OBJECT
public:
    explicit TensorsPanel(QWidget* parent = nullptr);
    ~TensorsPanel() override;

    /// Empty: none.
    void setCheckpoint(const std::filesystem::path& folder);
    void focusFilter();

private:
    void take(int generation, const contract::CheckpointManifest& manifest, const QString& error);
    void showState();

    std::filesystem::path m_folder;
    TensorModel* m_model;
    QSortFilterProxyModel* m_filtered;
    QLineEdit* m_filter;
    QLabel* m_summary;
    QTableView* m_table;
    ViewFrame* m_frame;
    QString m_facts;
    QString m_error;
    bool m_isReading = false;
    int m_generation = 0;  ///< answers to older questions are dropped
    QThreadPool m_pool;
};

}  // namespace ui
