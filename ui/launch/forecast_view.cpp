#include "ui/launch/forecast_view.h"

#include "launcher/remote/plan_answer.h"
#include "ui/base/background.h"
#include "ui/base/format.h"
#include "ui/base/look.h"
#include "ui/language/outside_text.h"
#include "ui/launch/draft.h"
#include "ui/launch/memory_bar.h"
#include "ui/launch/trial_view.h"

#include <QEvent>
#include <QHash>
#include <QHeaderView>
#include <QLabel>
#include <QIcon>
#include <QPixmap>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <exception>
#include <utility>

namespace ui {
namespace {

enum PartColumn { PartName, PartBytes, PartMeaning, PartColumnCount };

struct Answer {
    std::optional<launcher::Forecast> forecast;
    QString error;
    std::optional<launcher::Estimate> estimate = {};  ///< of an earlier trial
};

/// Of `atelier plan` on another machine.
Answer answerOf(const launcher::CommandReply& reply)
{
    try {
        if (reply.isAccepted) {
            const launcher::PlanAnswer answer = launcher::planAnswer(reply.output);
            return {answer.forecast, {}, answer.estimate};
        }
        return {std::nullopt, translatedSentence(reply.error)};
    } catch (const std::exception& error) {
        return {std::nullopt, translatedSentence(error.what())};
    }
}

QLabel* makeText(const char* name, QWidget* parent)
{
    auto* text = new QLabel(parent);
    text->setObjectName(QLatin1String(name));
    text->setWordWrap(true);
    text->setTextFormat(Qt::PlainText);
    return text;
}

QString partWord(const std::string& name)
{
    static const QHash<QString, QString> words = {{QStringLiteral("program"), ForecastView::tr("Program")},
        {QStringLiteral("parameters"), ForecastView::tr("Parameters")}, {QStringLiteral("average"), ForecastView::tr("Average")},
        {QStringLiteral("gradients"), ForecastView::tr("Gradients")}, {QStringLiteral("optimizer"), ForecastView::tr("Optimizer")},
        {QStringLiteral("buffers"), ForecastView::tr("Gathered")}, {QStringLiteral("activations"), ForecastView::tr("Activations")},
        {QStringLiteral("encoding"), ForecastView::tr("Encoding")}, {QStringLiteral("features"), ForecastView::tr("Encoded data")}, {QStringLiteral("checkpoint"), ForecastView::tr("Checkpoint")}};
    return words.value(QString::fromStdString(name), QString::fromStdString(name));
}

QString diskText(const launcher::Forecast& forecast)
{
    QString text = ForecastView::tr("On the disk at the end: %1 with %2; %3 are free now.")
                       .arg(formatCounted(forecast.checkpoints, ForecastView::tr("%n checkpoint"),
                                ForecastView::tr("%Ln checkpoints", nullptr, pluralCount(forecast.checkpoints))),
                           formatBytes(forecast.checkpointsBytes()), formatBytes(forecast.freeDisk));
    if (forecast.sampleBytes > 0)
        text += QLatin1Char(' ') + ForecastView::tr("Samples take up to %1 more.").arg(formatBytes(forecast.sampleBytes));
    if (forecast.cacheBytes > 0) {
        const QString bytes = formatBytes(forecast.cacheBytes);
        text += QLatin1Char(' ')
            + (forecast.isCacheElsewhere ? ForecastView::tr("Data that is encoded for the first time takes up to %1 on the disk of the cache folder.").arg(bytes)
                                         : ForecastView::tr("Data that is encoded for the first time takes up to %1 more.").arg(bytes));
    }
    return text;
}

}  // namespace

ForecastView::ForecastView(const launcher::DataHome& home, Draft& draft, QWidget* parent)
    : QWidget(parent)
    , m_home(home)
    , m_draft(draft)
    , m_note(makeText("forecastNote", this))
    , m_memory(makeText("forecastMemory", this))
    , m_bar(new MemoryBar(this))
    , m_parts(new QTreeWidget(this))
    , m_disk(makeText("forecastDisk", this))
    , m_trial(new TrialView(home, draft, this))
{
    m_parts->setObjectName(QStringLiteral("forecastParts"));
    m_parts->setAccessibleName(tr("Memory of a rank by part"));
    m_parts->setRootIsDecorated(false);
    m_parts->setUniformRowHeights(true);
    m_parts->setColumnCount(PartColumnCount);
    m_parts->setHeaderLabels({tr("Part"), tr("Memory"), tr("What")});
    m_parts->headerItem()->setTextAlignment(PartBytes, Qt::AlignRight | Qt::AlignVCenter);
    m_parts->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 6, 0, 0);
    layout->addWidget(m_note);
    layout->addWidget(m_memory);
    layout->addWidget(m_bar);
    layout->addWidget(m_parts, 1);
    layout->addWidget(m_disk);
    layout->addWidget(m_trial);
    for (QWidget* part : {static_cast<QWidget*>(m_memory), static_cast<QWidget*>(m_bar), static_cast<QWidget*>(m_parts), static_cast<QWidget*>(m_disk)})
        part->hide();
    layout->addStretch();
    connect(&m_draft, &Draft::checked, this, &ForecastView::ask);
}

void ForecastView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    ask();
}

void ForecastView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_forecast)
        showForecast(*m_forecast);
}

void ForecastView::setNote(const QString& note)
{
    m_note->setText(note);
    m_note->setVisible(!note.isEmpty());
}

void ForecastView::ask()
{
    if (!isVisible() || m_draft.isChecking())
        return;
    if (m_isAsking) {
        if (m_command != 0 && m_planned != m_draft.experiment())
            m_draft.mirror()->cancel(m_command);  // asked again when the answer comes
        return;
    }
    if (!m_draft.problems().empty()) {
        setCurrent(false);
        return setNote(!m_memory->isHidden() ? tr("The experiment has problems. The forecast below is of what it was before them.")
                                              : tr("The forecast appears when the experiment has no problems."));
    }
    if (m_planned == m_draft.experiment()) {
        setCurrent(m_forecast.has_value());
        return setNote(m_planError);
    }
    m_isAsking = true;
    m_planned = m_draft.experiment();
    setNote(tr("Planning…"));
    m_trial->awaitForecast();
    const auto work = [home = m_home, experiment = *m_planned] {
        try {
            return Answer {launcher::forecast(home, experiment), {}, launcher::estimateFor(home, experiment)};
        } catch (const std::exception& error) {
            return Answer {std::nullopt, translatedSentence(error.what())};
        }
    };
    const auto take = [this](const Answer& answer) {
        m_isAsking = false;
        m_command = 0;
        m_planError = answer.error;
        setNote(m_planError);
        m_forecast = answer.forecast;
        setCurrent(m_forecast.has_value());
        m_trial->setForecast(m_forecast, m_planned == m_draft.experiment() ? answer.estimate : std::nullopt);
        if (m_forecast)
            showForecast(*m_forecast);
        if (m_planned != m_draft.experiment())
            ask();
        else
            Q_EMIT forecastShown();
    };
    launcher::Mirror* const mirror = m_draft.mirror();
    if (!mirror)
        return inBackground(this, work, take);
    m_command = mirror->execute({"plan", "-", "--json"}, this, [take](const launcher::CommandReply& reply) { take(answerOf(reply)); },
        m_planned->toToml(contract::Experiment::Write::ChangedOnly));
}

void ForecastView::showForecast(const launcher::Forecast& forecast)
{
    const QString needed = formatBytes(forecast.rankBytes()), free = formatBytes(forecast.freeBytes);
    QString memory = forecast.isOnGpus ? tr("Each rank needs %1 of the %2 that are free on its GPU.").arg(needed, free)
                                       : tr("Each rank needs %1 of the %2 that are free for it.").arg(needed, free);
    if (!forecast.knowsActivations)
        memory += QLatin1Char(' ') + tr("Activations come on top; they are known when the run has begun.");
    if (!forecast.isEnough())
        memory += QLatin1Char(' ') + tr("That is not enough: use more processes, smaller passes or a smaller model.");
    m_memory->setText(memory);
    QPalette colours = palette();
    if (!forecast.isEnough())
        colours.setColor(QPalette::WindowText, stateColour(launcher::RunState::Failed, palette()));
    m_memory->setPalette(colours);
    m_bar->setForecast(forecast);
    m_bar->setAccessibleName(memory);
    m_parts->clear();
    for (std::size_t i = 0; i < forecast.parts.size(); ++i) {
        const launcher::Forecast::Part& part = forecast.parts[i];
        const QString meaning = translatedSentence(launcher::meaningOf(part.name));
        auto* row = new QTreeWidgetItem({partWord(part.name), formatBytes(part.bytes), part.isOnHost ? tr("%1; in the host's memory").arg(meaning) : meaning});
        const int side = fontMetrics().height() * 3 / 4;
        QPixmap swatch(side, side);
        swatch.fill(part.isOnHost ? QColor(Qt::transparent) : partColour(i, palette()));
        row->setIcon(PartName, QIcon(swatch));
        row->setTextAlignment(PartBytes, Qt::AlignRight | Qt::AlignVCenter);
        row->setToolTip(PartMeaning, meaning);
        m_parts->addTopLevelItem(row);
    }
    m_disk->setText(diskText(forecast));
    for (QWidget* const part : shownParts())
        part->setVisible(true);
}

void ForecastView::setCurrent(bool isCurrent)
{
    for (QWidget* const part : shownParts())
        part->setEnabled(isCurrent);
}

std::array<QWidget*, 4> ForecastView::shownParts() const
{
    return {m_memory, m_bar, m_parts, m_disk};
}

}  // namespace ui
