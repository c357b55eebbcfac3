#include "ui/search/search_dialog.h"

#include "ui/base/background.h"
#include "ui/base/copied_rows.h"
#include "ui/base/format.h"
#include "ui/base/plain_text.h"
#include "ui/base/state_strip.h"
#include "ui/base/window_size.h"
#include "ui/language/outside_text.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {
namespace {

constexpr std::size_t kMostFound = 10'000;  ///< shown

enum Role { RunRole = Qt::UserRole, NumberRole };

QString fromUtf8(const std::string& text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

/// "Note", "Option optim.lr", "Log of rank 0".
QString whereText(const FoundText& found)
{
    const QString detail = fromUtf8(found.where);
    switch (found.place) {
    case FoundIn::Name:
        return SearchDialog::tr("Name");
    case FoundIn::Project:
        return SearchDialog::tr("Project");
    case FoundIn::Tag:
        return SearchDialog::tr("Tag");
    case FoundIn::Note:
        return SearchDialog::tr("Note");
    case FoundIn::Option:
        return SearchDialog::tr("Option %1").arg(detail);
    case FoundIn::Cause:
        return SearchDialog::tr("Cause, attempt %1").arg(found.attempt);
    case FoundIn::Event:
        return SearchDialog::tr("Event at step %1").arg(formatCount(found.step));
    case FoundIn::Log:
        return SearchDialog::tr("Log, %1").arg(translatedSentence(found.where));
    }
    return {};
}

}  // namespace

SearchDialog::SearchDialog(StoreService& service, const RunsModel& runs, QWidget* parent)
    : QDialog(parent)
    , m_service(service)
    , m_runs(runs)
    , m_text(new QLineEdit(this))
    , m_regex(new QCheckBox(tr("Rege&x"), this))
    , m_logs(new QCheckBox(tr("In &logs, too"), this))
    , m_list(new QTreeWidget)
    , m_frame(new ViewFrame(m_list, this))
    , m_note(new QLabel(this))
{
    setObjectName(QStringLiteral("searchDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Search in all runs"));
    m_regex->setObjectName(QStringLiteral("regex"));
    m_logs->setChecked(true);
    m_list->setColumnCount(ColumnCount);
    m_list->setHeaderLabels({tr("Where"), tr("Text")});
    m_list->setUniformRowHeights(true);
    m_list->setAlternatingRowColors(true);
    m_list->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_list->setAccessibleName(tr("What was found"));
    m_list->header()->setStretchLastSection(true);
    connect(m_list, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) { choose(item); });
    m_note->setWordWrap(true);
    m_note->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->button(QDialogButtonBox::Close)->setAutoDefault(false);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(makeTextRow());
    layout->addWidget(m_frame, 1);
    layout->addWidget(m_note);
    layout->addWidget(buttons);
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    m_list->header()->resizeSection(Where, 34 * digit);
    resize(sizeOnScreen(*this, QSize(110 * digit, 30 * fontMetrics().height())));
    updateState();
}

SearchDialog::~SearchDialog() { stop(); }

void SearchDialog::focusText()
{
    m_text->setFocus(Qt::ShortcutFocusReason);
    m_text->selectAll();
}

QString SearchDialog::note() const { return m_note->text(); }

QWidget* SearchDialog::makeTextRow()
{
    auto* row = new QWidget(this);
    m_text->setPlaceholderText(tr("Text in names, notes, tags, options, errors or logs"));
    m_text->setAccessibleName(tr("Text to search for"));
    m_text->setClearButtonEnabled(true);
    m_start = new QPushButton(tr("&Search"), row);
    m_start->setObjectName(QStringLiteral("searchButton"));
    m_start->setAutoDefault(false);  // Return in the list opens what is there
    connect(m_start, &QPushButton::clicked, this, [this] {
        if (m_isSearching) {
            stop();
            finish();
        } else {
            start();
        }
    });
    connect(m_text, &QLineEdit::returnPressed, this, [this] {
        if (!m_text->text().isEmpty())
            start();
    });
    connect(m_text, &QLineEdit::textChanged, this, [this] { updateState(); });
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_regex);
    layout->addWidget(m_logs);
    layout->addWidget(m_start);
    return row;
}

void SearchDialog::stop()
{
    if (m_isCancelled)
        *m_isCancelled = true;
}

void SearchDialog::start()
{
    stop();
    m_filter = {.text = m_text->text(), .isRegex = m_regex->isChecked()};
    m_problem = m_filter.problem();
    m_items.clear();
    m_list->clear();
    m_left.clear();
    m_found.clear();
    m_logsInAll = 0;
    m_hasSearched = true;
    if (!m_problem.isEmpty())
        return finish(m_problem);
    m_isSearching = true;
    m_isCancelled = std::make_shared<std::atomic<bool>>(false);
    if (m_logs->isChecked()) {
        for (const RunEntry& run : m_runs.entries())
            m_left.emplace_back(run.id(), fromUtf8(run.row.folder));
        std::ranges::sort(m_left, {}, [this](const auto& run) { return m_runs.entry(run.first)->row.createdUnixMs; });
        m_logsInAll = m_left.size();
    }
    updateState();
    m_service.query(this, [matches = m_filter.matcher()](const storage::Store& store) { return searchIndex(store, matches); },
        [this, isCancelled = m_isCancelled](const std::vector<FoundText>& found) {
            if (*isCancelled)
                return;
            add(found);
            searchNextLogs();
        },
        [this, isCancelled = m_isCancelled](storage::StoreError::Kind, const QString& message) {
            if (!*isCancelled)
                finish(message);
        },
        QueryLength::Long);
}

void SearchDialog::searchNextLogs()
{
    if (m_left.empty() || m_found.size() >= kMostFound)
        return finish();
    updateState();
    const contract::RunFolder folder(m_left.back().second.toStdString());
    m_left.pop_back();
    inBackground(this,
        [folder, matches = m_filter.matcher(), isCancelled = m_isCancelled] { return searchLogs(folder, matches, [&] { return isCancelled->load(); }); },
        [this, isCancelled = m_isCancelled](const std::vector<FoundText>& found) {
            if (*isCancelled)
                return;
            add(found);
            searchNextLogs();
        });
}

QTreeWidgetItem* SearchDialog::itemOf(const QString& runId)
{
    QTreeWidgetItem*& item = m_items[runId];
    if (!item) {
        item = new QTreeWidgetItem(m_list);
        const RunEntry* const run = m_runs.entry(runId);
        item->setText(Where, run ? run->name() : runId);
        item->setToolTip(Where, plainToolTip(runId));
        item->setData(Where, RunRole, runId);
        item->setExpanded(true);
    }
    return item;
}

void SearchDialog::add(const std::vector<FoundText>& found)
{
    for (const FoundText& text : found) {
        if (m_found.size() == kMostFound)
            break;
        QTreeWidgetItem* const run = itemOf(fromUtf8(text.run));
        auto* const item = new QTreeWidgetItem(run);
        item->setText(Where, whereText(text));
        item->setData(Where, kCopyRole, run->text(Where) + QStringLiteral(": ") + item->text(Where));
        item->setText(Text, fromUtf8(text.text).simplified());
        item->setToolTip(Text, plainToolTip(fromUtf8(text.text)));
        item->setData(Where, NumberRole, static_cast<qulonglong>(m_found.size()));
        m_found.push_back(text);
        run->setText(Text, formatCounted(run->childCount(), tr("1 place"), tr("%Ln places", nullptr, pluralCount(run->childCount()))));
    }
}

void SearchDialog::choose(QTreeWidgetItem* item)
{
    if (item->parent())
        Q_EMIT chosen(m_found[item->data(Where, NumberRole).toULongLong()]);
    else
        Q_EMIT chosen({.run = item->data(Where, RunRole).toString().toStdString(), .place = FoundIn::Name, .where = {}, .text = {}});
}

void SearchDialog::finish(const QString& problem)
{
    m_isSearching = false;
    m_left.clear();
    m_problem = problem;
    updateState();
    if (!m_found.empty() && !m_list->currentItem())
        m_list->setCurrentItem(m_list->topLevelItem(0));
}

/// What looks like a regular expression may be meant as it is.
ViewAction SearchDialog::asPlainText()
{
    return {tr("Search for it as plain text"), [this] {
                m_regex->setChecked(false);
                start();
            }};
}

void SearchDialog::updateState()
{
    m_start->setText(m_isSearching ? tr("S&top") : tr("&Search"));
    m_start->setEnabled(m_isSearching || !m_text->text().isEmpty());
    ViewState state;
    if (!m_hasSearched)
        state.emptySentence = tr("Type a text and press Return: names, projects, tags, notes, options, causes of failures, warnings and logs of all runs are "
                                 "searched.");
    else if (!m_problem.isEmpty())
        state.error = ViewError {m_problem, {}, {}, {m_filter.problem().isEmpty() ? ViewAction {tr("Retry"), [this] { start(); }} : asPlainText()}};
    else if (!m_isSearching && m_found.empty())
        state.emptySentence = tr("Nothing was found.");
    state.isLoading = m_isSearching;
    state.cancel = [this] { m_start->click(); };
    m_frame->setState(state);
    const QString places = formatCounted(std::ssize(m_found), tr("1 place"), tr("%Ln places", nullptr, pluralCount(m_found.size())));
    const QString runs = formatCounted(m_items.size(), tr("1 run"), tr("%Ln runs", nullptr, pluralCount(m_items.size())));
    if (m_isSearching && m_logsInAll > 0)
        m_note->setText(tr("%1 in %2 so far; logs of %3 of %4 runs searched").arg(places, runs, formatCount(static_cast<std::int64_t>(m_logsInAll - m_left.size())),
            formatCount(static_cast<std::int64_t>(m_logsInAll))));
    else if (m_found.size() >= kMostFound)
        m_note->setText(tr("The first %1 in %2; a longer text finds fewer").arg(places, runs));
    else
        m_note->setText(!m_found.empty() ? tr("%1 in %2").arg(places, runs) : QString());
}

}  // namespace ui
