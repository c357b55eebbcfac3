#include "ui/gallery/beside_run.h"

#include "ui/base/distinct_names.h"

#include <QSignalBlocker>

#include <algorithm>
#include <utility>

namespace ui {
namespace {

constexpr int kLeastCharacters = 20;  ///< that have room

}  // namespace

BesideRun::BesideRun(StoreService& service, Selection& selection, QWidget* view, std::function<QString()> shownRun)
    : QComboBox(view)
    , m_service(service)
    , m_selection(selection)
    , m_shownRun(std::move(shownRun))
    , m_query(new PacedQuery(service, view, [this] { return run(); }, {storage::Part::Samples}))
{
    setObjectName(QStringLiteral("besideRun"));
    setAccessibleName(tr("Other run"));
    setSizeAdjustPolicy(QComboBox::AdjustToContents);
    setMinimumWidth(fontMetrics().averageCharWidth() * kLeastCharacters);  // a name may be long
    addItem(tr("One run"));
    hide();
    struct Samples {
        QString folder;
        SampleGrid grid;
    };
    m_query->setQuery(
        [](const storage::Store& store, const std::string& id) {
            const auto row = store.run(id);
            return Samples {row ? QString::fromStdString(row->folder) : QString(), SampleGrid(store.samples(id))};
        },
        [this](const QString&, Samples samples) {
            m_folder = samples.folder;
            m_grid = std::move(samples.grid);
        });
    connect(m_query, &PacedQuery::stateChanged, this, &BesideRun::changed);
    connect(this, &QComboBox::activated, this, [this] {
        if (isOn())
            m_chosen = run();
        m_query->askSoon();
        Q_EMIT changed();
    });
    connect(&m_service, &StoreService::changed, this, [this](const storage::Changes& changes) {
        const QStringList offered = candidates();
        if (std::ranges::any_of(offered, [&](const QString& id) { return changes.concerns(id.toStdString(), {storage::Part::Run}); }))
            readNames();
    });
    offerRuns();
}

QString BesideRun::run() const { return currentData().toString(); }

QString BesideRun::nameOf(const QString& runId) const
{
    const QString name = m_names.value(runId, runId);
    return std::ranges::count(m_names, name) > 1 ? nameWithId(name, runId) : name;
}

QStringList BesideRun::candidates() const
{
    QStringList runs;
    for (const Selection::DrawnRun& drawn : m_selection.drawn())
        runs << drawn.runId;
    if (!m_selection.inspected().isEmpty() && !runs.contains(m_selection.inspected()))
        runs << m_selection.inspected();
    return runs;
}

void BesideRun::setOn(bool isOn)
{
    const int chosen = findData(m_chosen);
    setCurrentIndex(!isOn ? 0 : chosen > 0 ? chosen : std::min(1, count() - 1));
    m_query->askSoon();
    Q_EMIT changed();
}

void BesideRun::offerRuns()
{
    const QString before = run();
    {
        const QSignalBlocker blocker(this);
        clear();
        addItem(tr("One run"));
        for (const QString& id : candidates()) {
            if (id != m_shownRun())
                addItem(tr("Beside %1").arg(nameOf(id)), id);
        }
        setCurrentIndex(std::max(0, findData(before)));
    }
    setVisible(count() > 1);
    if (!before.isEmpty() && before == m_shownRun())
        setCurrentIndex(std::max(0, findData(m_lastShown)));  // the two change places
    m_lastShown = m_shownRun();
    if (run() != before)
        m_query->askSoon();
    readNames();
    Q_EMIT changed();
}

void BesideRun::readNames()
{
    const QStringList runs = candidates();
    m_service.query(
        this,
        [runs](const storage::Store& store) {
            QHash<QString, QString> names;
            for (const QString& id : runs) {
                if (const auto row = store.run(id.toStdString()))
                    names.insert(id, QString::fromStdString(row->name));
            }
            return names;
        },
        [this](const QHash<QString, QString>& names) {
            if (names == m_names)
                return;
            m_names = names;
            for (int i = 1; i < count(); ++i)
                setItemText(i, tr("Beside %1").arg(nameOf(itemData(i).toString())));
            Q_EMIT changed();
        },
        [](storage::StoreError::Kind, const QString&) {});
}

}  // namespace ui
