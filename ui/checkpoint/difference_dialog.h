// Shows how the weights of two checkpoints differ, by layer or by tensor.
#pragma once
#include "engine/contract/checkpoint/checkpoint_difference.h"
#include "launcher/remote/mirror.h"

#include <QDialog>
#include <QString>

#include <atomic>
#include <filesystem>
#include <memory>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QSortFilterProxyModel;
class QTableView;

namespace ui {

class DifferenceModel;
class ViewFrame;

/// Compares on a background thread. Deletes itself when closed, which cancels the comparison.
class DifferenceDialog : public QDialog {
    Q_OBJECT
public:
    /// @param first, @param second folders of checkpoints
    /// @param mirror of the machine that has their files, of the same run then, and compares them; null: they are here
    DifferenceDialog(const std::filesystem::path& first, const std::filesystem::path& second, QWidget* parent, launcher::Mirror* mirror = nullptr);
    ~DifferenceDialog() override;

    QTableView& table() { return *m_table; }
    QString summary() const;

private:
    struct Result;
    QWidget* makeChoices();
    void setupTable();
    void compare();
    void compareThere();
    void cancelThere();
    void showResult(const Result& result);
    void showSummary();
    void updateState();

    std::filesystem::path m_first, m_second;
    launcher::Mirror* m_mirror;
    DifferenceModel* m_model;
    QSortFilterProxyModel* m_sorted;
    QTableView* m_table;
    ViewFrame* m_frame;
    QComboBox* m_by = nullptr;
    QComboBox* m_weights = nullptr;
    QLineEdit* m_filter = nullptr;
    QLabel* m_summary;
    QString m_error;
    int m_percent = 0;
    launcher::CommandId m_command = 0;  ///< that compares on the other machine
    std::shared_ptr<std::atomic<bool>> m_isWanted;  ///< of the comparison that is running; null: none
};

}  // namespace ui
