#include "ui/archive/archive_progress.h"

#include "engine/contract/formats/text.h"
#include "ui/base/background.h"
#include "ui/base/format.h"
#include "ui/language/outside_text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QTimer>

#include <utility>

namespace ui {
namespace {

struct Outcome {
    QString runId;
    QString problem;
};

constexpr int kSteps = 1000;  ///< of the bar

}  // namespace

ArchiveProgressBar::ArchiveProgressBar(QWidget* parent)
    : QWidget(parent)
    , m_bar(new QProgressBar(this))
    , m_label(new QLabel(this))
    , m_timer(new QTimer(this))
{
    m_bar->setRange(0, kSteps);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Progress"));
    m_timer->setInterval(100);
    connect(m_timer, &QTimer::timeout, this, &ArchiveProgressBar::showProgress);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_bar, 1);
    layout->addWidget(m_label);
    QSizePolicy policy = sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    setSizePolicy(policy);
    hide();
}

ArchiveProgressBar::~ArchiveProgressBar() { cancel(); }

void ArchiveProgressBar::cancel()
{
    if (m_task)
        m_task->isCancelled = true;
}

void ArchiveProgressBar::start(std::uint64_t bytes, Work work)
{
    m_bytes = bytes;
    m_task = std::make_shared<Task>();
    showProgress();
    m_timer->start();
    show();
    inBackground(this,
        [task = m_task, work = std::move(work)]() -> Outcome {
            try {
                return {QString::fromStdString(work([&task](std::uint64_t done) {
                    task->done = done;
                    return !task->isCancelled;
                })),
                    {}};
            } catch (const launcher::ArchiveCancelled&) {
                return {};
            } catch (const std::exception& error) {
                return {{}, translatedSentence(contract::sentenceOf(error))};
            }
        },
        [this](const Outcome& outcome) {
            m_task.reset();
            m_timer->stop();
            hide();
            Q_EMIT finished(outcome.runId, outcome.problem);
        });
}

void ArchiveProgressBar::showProgress()
{
    const std::uint64_t done = m_task->done;
    m_bar->setValue(m_bytes == 0 ? kSteps : static_cast<int>(static_cast<double>(kSteps) * static_cast<double>(done) / static_cast<double>(m_bytes)));
    m_label->setText(tr("%1 of %2").arg(formatBytes(static_cast<std::int64_t>(done)), formatBytes(static_cast<std::int64_t>(m_bytes))));
}

}  // namespace ui
