// The run whose samples are shown beside those of another run: chosen among the runs that are drawn or inspected.
#pragma once
#include "ui/base/selection.h"
#include "ui/gallery/sample_grid.h"
#include "ui/store/paced_query.h"

#include <QComboBox>
#include <QHash>

namespace ui {

/// A list that offers these runs, and "One run" above them. Hidden while there is nothing to offer.
class BesideRun : public QComboBox {
    Q_OBJECT
public:
    /// @param shownRun returns the id of the run that the view shows anyway
    BesideRun(StoreService& service, Selection& selection, QWidget* view, std::function<QString()> shownRun);

    /// The id of the other run; empty: one run is shown alone.
    QString run() const;
    bool isOn() const { return !run().isEmpty(); }
    /// Shows a run beside the shown one (the last one that was chosen, else the first that is offered), or none.
    void setOn(bool isOn);

    /// Whether grid() and folder() are those of run().
    bool isLoaded() const { return isOn() && m_query->answeredRun() == run(); }
    const SampleGrid& grid() const { return m_grid; }
    const QString& folder() const { return m_folder; }
    const QString& error() const { return m_query->error(); }
    /// The name of a run that is drawn or inspected; its id until the name is known.
    /// Of several with the same name with the end of the id.
    QString nameOf(const QString& runId) const;

    /// Call when the shown run may be another one.
    void offerRuns();

Q_SIGNALS:
    void changed();  ///< the run, its samples, or a name

private:
    QStringList candidates() const;
    void readNames();

    StoreService& m_service;
    Selection& m_selection;
    std::function<QString()> m_shownRun;
    PacedQuery* m_query;
    QHash<QString, QString> m_names;
    QString m_chosen;  ///< the last one that the user chose
    QString m_lastShown;
    SampleGrid m_grid;
    QString m_folder;
};

}  // namespace ui
