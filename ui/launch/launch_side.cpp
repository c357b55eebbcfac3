#include "ui/launch/launch_side.h"

#include "ui/language/outside_text.h"
#include "ui/launch/difference_list.h"
#include "ui/launch/draft.h"
#include "ui/launch/forecast_view.h"
#include "ui/launch/gpu_choice.h"
#include "ui/launch/preflight_list.h"
#include "ui/launch/script_view.h"
#include "ui/launch/toml_edit.h"

#include <QLabel>
#include <QTabWidget>
#include <QVBoxLayout>

namespace ui {
namespace {

QLabel* makeTitle(const QString& text, QWidget* parent)
{
    auto* title = new QLabel(text, parent);
    QFont font = title->font();
    font.setBold(true);
    title->setFont(font);
    return title;
}

}  // namespace

LaunchSide::LaunchSide(const launcher::DataHome& home, Draft& draft, QWidget* parent)
    : QWidget(parent)
    , m_draft(draft)
    , m_text(new TomlEdit(draft, this))
    , m_textNote(new QLabel(this))
    , m_tabs(new QTabWidget(this))
    , m_differences(new DifferenceList(draft, this))
    , m_forecast(new ForecastView(home, draft, m_tabs))
    , m_script(new ScriptView(home, draft, m_tabs))
    , m_gpuTitle(makeTitle(tr("GPUs"), this))
    , m_gpus(new GpuChoice(draft, this))
    , m_preflight(new PreflightList(this))
{
    m_tabs->setObjectName(QStringLiteral("launchTabs"));
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(makeText(), tr("TOML text"));
    m_tabs->addTab(m_differences, QString());
    m_tabs->addTab(m_forecast, tr("Forecast"));
    m_tabs->setTabVisible(m_tabs->addTab(m_script, tr("Slurm script")), false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 0, 0, 0);
    layout->addWidget(m_tabs, 1);
    layout->addSpacing(6);
    layout->addWidget(m_gpuTitle);
    layout->addWidget(m_gpus);
    layout->addSpacing(6);
    layout->addWidget(makeTitle(tr("Preflight checks"), this));
    layout->addWidget(m_preflight);

    connect(m_differences, &DifferenceList::countChanged, this, &LaunchSide::showChangeCount);
    connect(m_differences, &DifferenceList::optionActivated, this, &LaunchSide::optionActivated);
    connect(m_preflight, &PreflightList::fixRequested, this, &LaunchSide::fixRequested);
    for (const auto change : {&Draft::checked, &Draft::fieldsChanged})
        connect(&draft, change, this, [this] { m_preflight->setItems(m_draft.findings()); });
    connect(&draft, &Draft::fieldsChanged, this, &LaunchSide::showTextProblem);
    connect(&draft, &Draft::fieldsChanged, this, &LaunchSide::showTarget);
    showChangeCount();
    showTarget();
}

QWidget* LaunchSide::makeText()
{
    m_textNote->setWordWrap(true);
    m_textNote->setTextFormat(Qt::PlainText);
    auto* const page = new QWidget(this);
    auto* const layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 6, 0, 0);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_textNote);
    return page;
}

void LaunchSide::showChangeCount()
{
    m_tabs->setTabText(m_tabs->indexOf(m_differences), tr("Changes (%1)").arg(m_differences->count()));
}

void LaunchSide::showTarget()
{
    const bool isForSlurm = m_script->isWanted();
    if (isForSlurm == m_gpuTitle->isHidden())
        return;
    const bool isScriptShown = isForSlurm && !m_draft.mirror();  // it would name this machine's folders
    const int script = m_tabs->indexOf(m_script);
    m_tabs->setTabVisible(script, isScriptShown);
    if (isScriptShown)
        m_tabs->setCurrentIndex(script);
    m_gpuTitle->setVisible(!isForSlurm);
    m_gpus->setVisible(!isForSlurm);
}

void LaunchSide::showTextProblem()
{
    const bool isReadable = m_draft.isTextReadable();
    m_gpus->setEnabled(isReadable);
    m_preflight->setEnabled(isReadable);  // its buttons change options
    const auto& problems = m_draft.textProblems();
    m_textNote->setVisible(!problems.empty());
    if (problems.empty())
        return;
    m_textNote->setText((isReadable ? tr("The text has errors and is kept as typed; the form shows the values that could be read. %1")
                                    : tr("The text cannot be read and is kept as typed; the form waits until it can be. %1"))
                            .arg(translatedSentence(problems.front().message)));
}

void LaunchSide::showForecast()
{
    m_tabs->setCurrentWidget(m_forecast);
    m_tabs->setFocus();
}

void LaunchSide::goToCheck(const launcher::PreflightItem& item) { m_preflight->goTo(item); }

void LaunchSide::goToText(int line)
{
    m_tabs->setCurrentIndex(0);
    if (line > 0)
        m_text->goToLine(line);
    else
        m_text->setFocus(Qt::OtherFocusReason);
}

}  // namespace ui
