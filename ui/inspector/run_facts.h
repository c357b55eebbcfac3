// What the database knows about the inspected run, read again when it changes.
#pragma once
#include "ui/base/selection.h"
#include "ui/base/store_service.h"

#include <QObject>

#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace ui {

struct RunFacts {
    QString runId;
    std::vector<storage::AttemptRow> attempts;
    std::vector<storage::SeriesRow> series;
    std::vector<storage::EventRow> events;  ///< the newest, oldest first
    std::map<int, std::vector<storage::ParameterRow>> parameters;  ///< by attempt
    std::size_t checkpoints = 0;
    std::size_t samples = 0;

    /// The newest value of @p metric on @p rank, of the latest attempt that has one.
    std::optional<double> last(std::string_view metric, int rank = 0) const;
};

class FactsLoader : public QObject {
    Q_OBJECT
public:
    FactsLoader(StoreService& store, Selection& selection, QObject* parent = nullptr);

    /// Of another run than the inspected one only while the new one is being read.
    const RunFacts& facts() const { return m_facts; }
    bool isLoading() const { return m_isLoading; }
    void load();

Q_SIGNALS:
    void loaded();
    void failed(storage::StoreError::Kind kind, const QString& message);

private:
    StoreService& m_store;
    Selection& m_selection;
    RunFacts m_facts;
    bool m_isLoading = false;
    bool m_isOutdated = false;  ///< something changed while it was read
};

}  // namespace ui
