#include "ui/launch/start_bar.h"

#include "ui/base/format.h"
#include "ui/base/icons.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace ui {

StartBar::StartBar(bool isForQueued, QWidget* parent)
    : QWidget(parent)
    , m_isForQueued(isForQueued)
    , m_command(new QLineEdit(this))
    , m_copy(new QToolButton(this))
    , m_message(new QLabel(this))
    , m_queue(new QAction(icon(QStringLiteral("queue")), m_isForQueued ? tr("&Queue as a new run") : tr("Add to &queue"), this))
    , m_cancel(new QPushButton(tr("Cancel"), this))
    , m_start(new QPushButton(icon(isForQueued ? QStringLiteral("save") : QStringLiteral("start")), QString(), this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    addCommandRow(*layout);
    addStartRow(*layout);
    setCounts(0, 1);
}

void StartBar::addCommandRow(QVBoxLayout& layout)
{
    auto* row = new QHBoxLayout;
    auto* label = new QLabel(tr("Command line:"), this);
    label->setBuddy(m_command);
    m_command->setReadOnly(true);
    m_command->setObjectName(QStringLiteral("commandLine"));
    m_command->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_command->setAccessibleName(tr("Equivalent command line"));
    m_copy->setObjectName(QStringLiteral("copyCommandLine"));
    m_copy->setIcon(icon(QStringLiteral("copy")));
    m_copy->setToolTip(tr("Copy the command line"));
    m_copy->setAccessibleName(tr("Copy the command line"));
    connect(m_copy, &QToolButton::clicked, this, &StartBar::copyCommandLine);
    row->addWidget(label);
    row->addWidget(m_command, 1);
    row->addWidget(m_copy);
    layout.addLayout(row);
}

void StartBar::addStartRow(QVBoxLayout& layout)
{
    auto* row = new QHBoxLayout;
    m_message->setWordWrap(true);
    m_message->setTextFormat(Qt::PlainText);
    m_message->setObjectName(QStringLiteral("launchMessage"));
    m_start->setObjectName(QStringLiteral("startButton"));
    m_start->setDefault(true);
    m_start->setMinimumWidth(140);
    connect(m_start, &QPushButton::clicked, this, &StartBar::startRequested);
    m_queue->setObjectName(QStringLiteral("addToQueue"));
    connect(m_queue, &QAction::triggered, this, &StartBar::queueRequested);
    m_cancel->setObjectName(QStringLiteral("cancelStart"));
    m_cancel->setToolTip(tr("Do not start after the checks"));
    m_cancel->setAutoDefault(false);
    m_cancel->hide();
    connect(m_cancel, &QPushButton::clicked, this, &StartBar::cancelRequested);
    row->addWidget(m_message, 1);
    row->addWidget(m_cancel);
    if (m_isForQueued) {
        auto* const button = new QToolButton(this);
        button->setDefaultAction(m_queue);
        button->setToolTip(tr("Add another run to the queue; the one that waits stays as it is"));
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        row->addWidget(button);
        row->addWidget(m_start);
        setTabOrder(button, m_start);
    } else {
        row->addWidget(m_start);
        row->addWidget(makeMore());
    }
    layout.addLayout(row);
}

QWidget* StartBar::makeMore()
{
    auto* more = new QToolButton(this);
    more->setObjectName(QStringLiteral("startMenu"));
    more->setIcon(icon(QStringLiteral("chevron-down")));
    more->setToolTip(tr("Other ways to start"));
    more->setAccessibleName(tr("Other ways to start"));
    more->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    auto* menu = new QMenu(more);
    menu->addAction(m_queue);
    // Not setMenu(), which would draw a second arrow.
    connect(more, &QToolButton::clicked, menu, [more, menu] { menu->popup(more->mapToGlobal(QPoint(0, more->height()))); });
    return more;
}

void StartBar::copyCommandLine() const
{
    if (hasCommandLine())
        QApplication::clipboard()->setText(m_command->text());
}

bool StartBar::hasCommandLine() const { return m_copy->isEnabled(); }

void StartBar::setCommandLine(const QString& commandLine, const QString& problem)
{
    m_command->setText(problem.isEmpty() ? commandLine : tr("None yet. %1").arg(problem));
    m_command->setToolTip(problem);
    m_command->setCursorPosition(0);
    m_command->setEnabled(problem.isEmpty());
    m_copy->setEnabled(problem.isEmpty());
}

void StartBar::setCounts(std::size_t problems, std::size_t runs)
{
    if (m_isForQueued) {
        m_start->setText(problems == 1 ? tr("Save – 1 problem left")
                : problems > 1         ? tr("Save – %1 problems left").arg(problems)
                                       : tr("Save in the queue"));
        return;
    }
    m_start->setText(problems == 1 ? tr("Start – 1 problem left")
            : problems > 1         ? tr("Start – %1 problems left").arg(problems)
            : runs > 1             ? tr("Queue %1 runs…").arg(formatCount(static_cast<std::int64_t>(runs)))
                                   : tr("Start"));
}

void StartBar::setBusy(bool isBusy)
{
    m_start->setEnabled(!isBusy);
}

void StartBar::setWaiting(bool isWaiting)
{
    m_cancel->setVisible(isWaiting);
}

void StartBar::setMessage(const QString& message)
{
    m_message->setText(message);
}

}  // namespace ui
