// What is wrong with the index of runs, as the strip above the runs table says it.
#pragma once
#include "ui/workbench.h"

#include <QObject>
#include <QString>

#include <optional>

namespace ui {

class RunsView;
struct ViewError;

class StoreMessages : public QObject {
    Q_OBJECT
public:
    /// Both must outlive this.
    StoreMessages(Workbench& workbench, RunsView& view, QObject* parent = nullptr);

Q_SIGNALS:
    /// Passing news in one sentence, for the status bar.
    void said(const QString& sentence);

private:
    void showFailure(storage::StoreError::Kind kind, const QString& message);
    void show();
    ViewError error(const QString& message) const;

    Workbench& m_workbench;
    RunsView& m_view;
    std::optional<storage::StoreError::Kind> m_kind;
    QString m_failure;   ///< the index cannot be used
    QString m_behind;    ///< it can be read, but is not up to date
    bool m_isReadOnly = false;
};

}  // namespace ui
