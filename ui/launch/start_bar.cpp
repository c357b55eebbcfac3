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

StartBar::StartBar(QWidget* parent)
    : QWidget(parent)
    , m_command(new QLineEdit(this))
    , m_message(new QLabel(this))
    , m_start(new QPushButton(icon(QStringLiteral("start")), tr("Start"), this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    addCommandRow(*layout);
    addStartRow(*layout);
}

void StartBar::addCommandRow(QVBoxLayout& layout)
{
    auto* row = new QHBoxLayout;
    auto* label = new QLabel(tr("Command line:"), this);
    label->setBuddy(m_command);
    m_command->setReadOnly(true);
    m_command->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_command->setAccessibleName(tr("Equivalent command line"));
    auto* copy = new QToolButton(this);
    copy->setIcon(icon(QStringLiteral("copy")));
    copy->setToolTip(tr("Copy the command line"));
    copy->setAccessibleName(tr("Copy the command line"));
    connect(copy, &QToolButton::clicked, this, [this] { QApplication::clipboard()->setText(m_command->text()); });
    row->addWidget(label);
    row->addWidget(m_command, 1);
    row->addWidget(copy);
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
    auto* more = new QToolButton(this);
    more->setObjectName(QStringLiteral("startMenu"));
    more->setIcon(icon(QStringLiteral("chevron-down")));
    more->setToolTip(tr("Other ways to start"));
    more->setAccessibleName(tr("Other ways to start"));
    auto* menu = new QMenu(more);
    QAction* const queue = menu->addAction(icon(QStringLiteral("queue")), tr("Add to &queue"), this, &StartBar::queueRequested);
    queue->setObjectName(QStringLiteral("addToQueue"));
    queue->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Return));
    addAction(queue);
    // Not setMenu(), which would draw a second arrow.
    connect(more, &QToolButton::clicked, menu, [more, menu] { menu->popup(more->mapToGlobal(QPoint(0, more->height()))); });
    row->addWidget(m_message, 1);
    row->addWidget(m_start);
    row->addWidget(more);
    more->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    layout.addLayout(row);
}

void StartBar::setCommandLine(const QString& commandLine)
{
    m_command->setText(commandLine);
    m_command->setCursorPosition(0);
}

void StartBar::setCounts(std::size_t problems, std::size_t runs)
{
    m_start->setText(problems == 1 ? tr("Start – 1 problem left")
            : problems > 1         ? tr("Start – %1 problems left").arg(problems)
            : runs > 1             ? tr("Queue %1 runs…").arg(formatCount(static_cast<std::int64_t>(runs)))
                                   : tr("Start"));
}

void StartBar::setBusy(bool isBusy)
{
    m_start->setEnabled(!isBusy);
}

void StartBar::setMessage(const QString& message)
{
    m_message->setText(message);
}

}  // namespace ui
