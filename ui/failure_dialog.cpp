#include "ui/failure_dialog.h"

#include "engine/contract/run/journal.h"
#include "ui/base/format.h"
#include "ui/base/icons.h"
#include "ui/base/plain_text.h"
#include "ui/base/state_strip.h"
#include "ui/base/window_size.h"
#include "ui/language/outside_text.h"
#include "ui/plot/layout/plot_groups.h"

#include <QApplication>
#include <QClipboard>
#include <QDateTime>
#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace ui {
namespace {

enum Column { Rank, Step, LastRecord, Doing, End, ColumnCount };

QString words(const std::string& text) { return QString::fromStdString(text); }

QString timeOf(std::int64_t unixMs)
{
    return unixMs > 0 ? QLocale().toString(QDateTime::fromMSecsSinceEpoch(unixMs), QStringLiteral("yyyy-MM-dd HH:mm:ss.zzz")) : QString();
}

QString doing(const launcher::RankTrace& rank)
{
    return rank.lastRecordUnixMs == 0 ? FailureDialog::tr("wrote nothing")
        : !rank.activity.empty()      ? translatedSentence(rank.activity)
                                      : FailureDialog::tr("in step %1").arg(formatCount(rank.step + 1));
}

QString endOf(const launcher::RankTrace& rank)
{
    return rank.end.empty()      ? FailureDialog::tr("nobody saw how it ended")
        : rank.endedBySupervisor ? FailureDialog::tr("still ran; ended with the others")
                                 : translatedSentence(rank.end);
}

QLabel* heading(const QString& text)
{
    auto* label = new QLabel(text);
    QFont bold = label->font();
    bold.setBold(true);
    label->setFont(bold);
    return label;
}

}  // namespace

FailureDialog::FailureDialog(const QString& folder, const QString& name, QWidget* parent)
    : QDialog(parent)
    , m_name(name)
    , m_cause(heading({}))
    , m_facts(new QFormLayout)
    , m_othersTitle(heading(tr("The other ranks")))
    , m_others(new QTreeWidget)
    , m_linesTitle(heading({}))
    , m_lines(new QPlainTextEdit)
{
    setObjectName(QStringLiteral("failureDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("What went wrong: %1").arg(name));
    m_cause->setWordWrap(true);
    m_cause->setTextFormat(Qt::PlainText);
    m_cause->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_facts->setContentsMargins(0, 0, 0, 0);
    m_facts->setHorizontalSpacing(14);
    m_others->setHeaderLabels({tr("Rank"), tr("Step"), tr("Last record"), tr("What it did"), tr("How it ended")});
    m_others->setRootIsDecorated(false);
    m_others->setAccessibleName(m_othersTitle->text());
    m_others->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_lines->setReadOnly(true);
    m_lines->setTabChangesFocus(true);
    m_lines->setAccessibleName(tr("The last lines of its log"));
    m_lines->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_lines->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));

    auto* page = new QWidget;
    auto* lines = new QVBoxLayout(page);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(8);
    lines->addWidget(m_cause);
    lines->addLayout(m_facts);
    lines->addWidget(m_othersTitle);
    lines->addWidget(m_others, 1);
    lines->addWidget(m_linesTitle);
    lines->addWidget(m_lines, 2);
    m_frame = new ViewFrame(page, this);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    m_copy = buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole);
    m_copy->setIcon(icon(QStringLiteral("copy")));
    m_copy->setToolTip(tr("Copy the page as text"));
    m_copy->setEnabled(false);
    buttons->button(QDialogButtonBox::Close)->setDefault(true);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(text()); });
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_frame, 1);
    layout->addWidget(buttons);
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    resize(sizeOnScreen(*this, QSize(115 * digit, 36 * fontMetrics().height())));
    load(folder);
}

QString FailureDialog::text() const { return m_report ? words(launcher::failureText(*m_report, [](const std::string& sentence) { return translatedSentence(sentence).toStdString(); })) : QString(); }

void FailureDialog::load(const QString& folder)
{
    ViewState state;
    state.isLoading = true;
    state.cancel = [this, folder] {
        m_reading.cancel();
        ViewState cancelled;
        cancelled.error = cancelledReading([this, folder] { load(folder); });
        m_frame->setState(cancelled);
    };
    m_frame->setState(state);
    m_reading.start(
        this, [folder = folder.toStdString()](const std::stop_token&) { return launcher::readFailure(contract::RunFolder(folder)); },
        [this](std::optional<launcher::FailureReport> report) {
            ViewState read;
            if (report)
                showReport(*report);
            else
                read.emptySentence = tr("No attempt of this run has failed or stalled.");
            m_report = std::move(report);
            m_copy->setEnabled(m_report.has_value());
            m_frame->setState(read);
        });
}

void FailureDialog::addFact(const QString& name, const QString& value)
{
    if (value.isEmpty())
        return;
    auto* label = new QLabel(value);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->setAccessibleName(name);
    m_facts->addRow(name, label);
}

void FailureDialog::showReport(const launcher::FailureReport& report)
{
    const launcher::RankTrace& first = report.firstRank();
    if (report.isStalled) {
        setWindowTitle(tr("What the ranks do: %1").arg(m_name));
        m_others->headerItem()->setText(End, tr("Its process"));
    }
    m_cause->setText(translatedSentence(report.cause));
    addFact(tr("Attempt"), formatCount(report.attempt));
    addFact(report.isStalled ? tr("Furthest behind") : tr("First"), tr("Rank %1, %2").arg(first.rank).arg(doing(first)));
    // The cause says it, where the rank that went first ended by itself.
    if (translatedSentence(report.cause) != endOf(first))
        addFact(report.isStalled ? tr("Its process") : tr("How"), endOf(first));
    addFact(tr("Its end"), timeOf(first.endUnixMs));
    addFact(tr("Its last record"), timeOf(first.lastRecordUnixMs));
    QStringList memory;
    for (const auto& [name, bytes] : first.memory) {
        const QString title = metricTitle(name), kind = title.section(QStringLiteral(", "), 1);  // "Memory, allocated"
        memory << tr("%1: %2").arg(kind.isEmpty() ? title : kind, formatBytes(static_cast<std::int64_t>(bytes), 2));
    }
    addFact(tr("Its memory"), memory.join(QStringLiteral("; ")));
    if (report.machineMemory)
        addFact(tr("The machine"), tr("%1 of memory in use").arg(formatBytes(static_cast<std::int64_t>(*report.machineMemory), 2)));

    for (const launcher::RankTrace& rank : report.ranks) {
        if (rank.rank == report.first)
            continue;
        auto* row = new QTreeWidgetItem(m_others,
            {QLocale().toString(rank.rank), formatCount(rank.step), timeOf(rank.lastRecordUnixMs), doing(rank), endOf(rank)});
        row->setToolTip(End, plainToolTip(endOf(rank)));
    }
    m_othersTitle->setVisible(m_others->topLevelItemCount() > 0);
    m_others->setVisible(m_others->topLevelItemCount() > 0);
    m_linesTitle->setText(tr("The last lines of %1").arg(words(report.log)));
    m_lines->setAccessibleName(m_linesTitle->text());
    QStringList lines;
    for (const std::string& line : report.lastLines)
        lines << words(line);
    m_lines->setPlainText(lines.isEmpty() ? tr("It says nothing of this attempt.") : lines.join(QLatin1Char('\n')));
    m_lines->moveCursor(QTextCursor::End);
    m_lines->moveCursor(QTextCursor::StartOfLine);
    m_lines->ensureCursorVisible();
}

}  // namespace ui
