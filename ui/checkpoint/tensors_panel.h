// Lists the tensors of a checkpoint, with a filter. Reads the manifest on another thread.
#pragma once
#include "engine/contract/checkpoint/checkpoint_manifest.h"

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

    /// Shows the tensors of the checkpoint in @p folder; none if @p folder is empty.
    void setCheckpoint(const std::filesystem::path& folder);
    void focusFilter();

private:
    void showManifest(int generation, const contract::CheckpointManifest& manifest, const QString& error);
    void showState();
    void cancel();
    void readAgain();

    std::filesystem::path m_folder;
    TensorModel* m_model;
    QSortFilterProxyModel* m_filtered;
    QLineEdit* m_filter;
    QLabel* m_summary;
    QTableView* m_table;
    ViewFrame* m_frame;
    QString m_details;       ///< model, ranks, bytes and files, for the summary line
    QString m_error;         ///< why the checkpoint cannot be read; empty: no error
    bool m_isReading = false;
    int m_generation = 0;    ///< incremented by setCheckpoint(); results of earlier generations are dropped
    QThreadPool m_pool;
};

}  // namespace ui
