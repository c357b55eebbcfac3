#include "ui/runs/field_reader.h"

#include <chrono>
#include <utility>

namespace ui {
namespace {

using namespace std::chrono_literals;

constexpr auto kPause = 500ms;

}  // namespace

struct FieldReader::Answer {
    using Values = std::vector<std::pair<storage::RunField, storage::RunValue>>;
    std::vector<std::pair<storage::RunField, std::vector<storage::RunValue>>> ofAllRuns;
    std::vector<std::pair<std::string, Values>> ofRuns;
    storage::FieldNames names;
};

FieldReader::FieldReader(StoreService& store, RunsModel& model, QObject* parent)
    : QObject(parent)
    , m_store(store)
    , m_model(model)
{
    m_pace.setSingleShot(true);
    connect(&m_pace, &QTimer::timeout, this, &FieldReader::ask);
    connect(&m_store, &StoreService::changed, this, &FieldReader::takeChanges);
    connect(&m_store, &StoreService::opened, this, &FieldReader::askForAll);
    connect(&m_model, &RunsModel::fieldsChanged, this, &FieldReader::askWhatIsNew);
    // A run that the model did not have when its values came would stay without them.
    connect(&m_model, &RunsModel::runsChanged, this, [this] {
        if (!m_model.fields().empty())
            askForAll();
    });
}

void FieldReader::askForAll()
{
    m_areAllOutdated = true;
    if (!m_pace.isActive())
        m_pace.start(0ms);
}

void FieldReader::askWhatIsNew()
{
    const auto& fields = m_model.fields();
    std::erase_if(m_read, [&](const storage::RunField& field) { return m_model.columnOf(field) < 0; });
    if (m_read.size() < fields.size())
        m_pace.start(0ms);
}

void FieldReader::takeChanges(const storage::Changes& changes)
{
    if (changes.isUnknown)
        return askForAll();
    for (const auto& [run, part] : changes.parts) {
        if (part == storage::Part::Run || part == storage::Part::Series)
            m_changedRuns.insert(run);
    }
    if (!m_changedRuns.empty() && !m_pace.isActive())
        m_pace.start(kPause);
}

void FieldReader::ask()
{
    if (m_isAsking)
        return;
    m_isAsking = true;
    if (std::exchange(m_areAllOutdated, false)) {
        m_read.clear();
        m_changedRuns.clear();
    }
    std::vector<storage::RunField> fresh;
    std::vector<storage::RunField> known;
    for (const storage::RunField& field : m_model.fields())
        (m_read.insert(field).second ? fresh : known).push_back(field);
    const auto read = [fresh, known, runs = std::exchange(m_changedRuns, {})](const storage::Store& store) {
        Answer answer;
        for (const storage::RunField& field : fresh)
            answer.ofAllRuns.emplace_back(field, store.values(field));
        for (const std::string& run : known.empty() ? std::set<std::string>() : runs) {
            Answer::Values values;
            for (const auto* fields : {&fresh, &known}) {
                for (const storage::RunField& field : *fields) {
                    for (const storage::RunValue& value : store.values(field, run))
                        values.emplace_back(field, value);
                }
            }
            answer.ofRuns.emplace_back(run, std::move(values));
        }
        answer.names = store.fieldNames();
        return answer;
    };
    m_store.query(
        this, read, [this](Answer answer) { apply(std::move(answer)); },
        [this](storage::StoreError::Kind, const QString&) {  // RunWatch reports it; StoreService opens the database again
            m_isAsking = false;
            m_areAllOutdated = true;
        },
        QueryLength::Long);
}

void FieldReader::apply(Answer answer)
{
    m_isAsking = false;
    for (const auto& [field, values] : answer.ofAllRuns)
        m_model.setValues(field, values);
    for (const auto& [run, values] : answer.ofRuns)
        m_model.setValuesOf(QString::fromStdString(run), values);
    if (!m_names || *m_names != answer.names) {
        m_names = std::move(answer.names);
        Q_EMIT namesChanged();
    }
    Q_EMIT valuesRead();
    if (m_areAllOutdated || m_read.size() < m_model.fields().size())
        m_pace.start(0ms);
    else if (!m_changedRuns.empty())
        m_pace.start(kPause);
}

}  // namespace ui
