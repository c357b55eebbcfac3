// Reads the values of the runs model's fields, and the names that fields may have.
//
// At most one query is in flight. A new field is read at once, for all runs; what changes afterwards is read for the runs that
// have changed, at most twice a second.
#pragma once
#include "ui/runs/runs_model.h"
#include "ui/store/store_service.h"

#include <QObject>
#include <QTimer>

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ui {

class FieldReader : public QObject {
    Q_OBJECT
public:
    /// @p store and @p model must outlive this.
    FieldReader(StoreService& store, RunsModel& model, QObject* parent = nullptr);

    /// nullptr until they have been read.
    const storage::FieldNames* names() const { return m_names ? &*m_names : nullptr; }
    /// Whether the values of all fields of the model have been read.
    bool hasValues() const { return !m_isAsking && !m_areAllOutdated && m_read.size() == m_model.fields().size(); }

Q_SIGNALS:
    void namesChanged();
    /// Values have been read: hasValues() may have become true.
    void valuesRead();

private:
    struct Answer;
    void askWhatIsNew();
    void askForAll();
    void takeChanges(const storage::Changes& changes);
    void ask();
    void apply(Answer answer);

    StoreService& m_store;
    RunsModel& m_model;
    QTimer m_pace;
    std::optional<storage::FieldNames> m_names;
    std::set<storage::RunField> m_read;   ///< fields whose values have been read, or are being read
    std::set<std::string> m_changedRuns;  ///< whose values are to be read
    bool m_areAllOutdated = true;
    bool m_isAsking = false;
};

}  // namespace ui
