#include "ui/rules_dialog.h"

#include "ui/base/format.h"
#include "ui/base/icons.h"
#include "ui/base/state_strip.h"
#include "ui/base/window_size.h"
#include "ui/language/outside_text.h"
#include "ui/store/index_error.h"

#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTimer>
#include <QTreeWidget>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <chrono>

namespace ui {
namespace {

using namespace std::chrono_literals;

enum FiringColumn { Where, Value, FiringColumnCount };
constexpr std::size_t kMostShown = 200;  ///< of a rule

}  // namespace

RulesDialog::RulesDialog(StoreService& store, const QString& runId, const QString& name, const QString& rules, QWidget* parent)
    : QDialog(parent)
    , m_store(store)
    , m_runId(runId)
    , m_rules(new QLineEdit(rules))
    , m_problem(new QLabel)
    , m_firings(new QTreeWidget)
    , m_frame(new ViewFrame(m_firings))
    , m_pause(new QTimer(this))
{
    setObjectName(QStringLiteral("rulesDialog"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Try rules on %1").arg(name));
    auto* label = new QLabel(tr("&Rules, separated by |. The option run.rules lets them act while a run trains."));
    label->setWordWrap(true);
    label->setBuddy(m_rules);
    m_rules->setPlaceholderText(tr("loss is not finite: stop | grad_norm > 100 for 5 steps: notify, checkpoint"));
    m_rules->setAccessibleName(tr("Rules"));
    m_problem->setWordWrap(true);
    m_problem->setTextFormat(Qt::PlainText);
    m_problem->setObjectName(QStringLiteral("problem"));
    m_firings->setHeaderLabels({tr("Would have fired"), tr("Value")});
    m_firings->setAccessibleName(tr("Where the rules would have fired"));
    m_firings->setUniformRowHeights(true);
    m_firings->header()->setStretchLastSection(false);
    m_firings->header()->setSectionResizeMode(Where, QHeaderView::Stretch);
    m_firings->header()->setSectionResizeMode(Value, QHeaderView::ResizeToContents);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    // Beside the box of buttons: Qt 6.4 makes a circle of several in it, which Tab does not leave.
    auto* const copy = new QPushButton(tr("Copy the rules"));
    copy->setAutoDefault(false);
    copy->setIcon(icon(QStringLiteral("copy")));
    connect(copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(m_rules->text()); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(label);
    layout->addWidget(m_rules);
    layout->addWidget(m_problem);
    layout->addWidget(m_frame, 1);
    auto* const last = new QHBoxLayout;
    last->addWidget(copy);
    last->addWidget(buttons, 1);
    layout->addLayout(last);
    m_pause->setSingleShot(true);
    connect(m_pause, &QTimer::timeout, this, &RulesDialog::check);
    connect(m_rules, &QLineEdit::textChanged, m_pause, [this] { m_pause->start(200ms); });
    const int digit = fontMetrics().horizontalAdvance(QLatin1Char('0'));
    resize(sizeOnScreen(*this, QSize(90 * digit, 26 * fontMetrics().height())));
    check();
}

void RulesDialog::check()
{
    const contract::ActingRules parsed = contract::parseActingRules(m_rules->text().toStdString());
    m_problem->setVisible(!parsed.problem.empty());
    if (!parsed.problem.empty()) {
        QString sentence = translatedSentence(parsed.problem);
        sentence[0] = sentence[0].toUpper();
        m_problem->setText(sentence + QLatin1Char('.'));
        return;  // what is shown stays until the rules can be read
    }
    tryAll(parsed.rules);
}

void RulesDialog::tryAll(const std::vector<contract::ActingRule>& rules)
{
    m_ticket.cancel();
    ViewState state;
    if (rules.empty())
        state.emptySentence = tr("Type a rule to see where it would have fired.");
    state.isLoading = !rules.empty();
    state.cancel = [this] {
        m_ticket.cancel();
        ViewState cancelled;
        cancelled.error = cancelledReading([this] { check(); });
        m_frame->setState(cancelled);
    };
    m_frame->setState(state);
    if (rules.empty())
        return;
    m_ticket = m_store.query(
        this, [runId = m_runId.toStdString(), rules](const storage::Store& store) { return storage::tryRules(store, runId, rules); },
        [this](const std::vector<storage::RuleTrial>& trials) {
            m_frame->setState({});
            showTrials(trials);
        },
        [this](storage::StoreError::Kind, const QString& message) {
            ViewState failed;
            failed.error = indexError(m_store.home(), tr("The values could not be read. %1").arg(message), [this] { check(); });
            m_frame->setState(failed);
        });
}

void RulesDialog::showTrials(const std::vector<storage::RuleTrial>& trials)
{
    m_firings->clear();
    for (const storage::RuleTrial& trial : trials) {
        const auto count = static_cast<std::int64_t>(trial.firings.size());
        const QString times = !trial.isRecorded ? tr("%1 was not recorded").arg(QString::fromStdString(trial.rule.metric))
            : count == 0                        ? tr("never")
                                                : formatCounted(count, tr("once"), tr("%Ln times", nullptr, pluralCount(count)));
        auto* rule = new QTreeWidgetItem(m_firings, {tr("%1 — %2", "a rule and how often it fired").arg(QString::fromStdString(trial.rule.text), times)});
        for (std::size_t i = 0; i < std::min(trial.firings.size(), kMostShown); ++i) {
            const storage::RuleTrial::Firing& firing = trial.firings[i];
            const QString where = firing.attempt > 1 ? tr("step %1 of attempt %2").arg(formatCount(firing.step)).arg(firing.attempt)
                                                     : tr("step %1").arg(formatCount(firing.step));
            auto* row = new QTreeWidgetItem(rule, {where, formatNumber(firing.value)});
            row->setTextAlignment(Value, Qt::AlignRight | Qt::AlignVCenter);
            row->setToolTip(Value, formatExact(firing.value));
        }
        if (trial.firings.size() > kMostShown)
            new QTreeWidgetItem(rule, {tr("and %1 times more").arg(formatCount(count - static_cast<std::int64_t>(kMostShown)))});
        rule->setExpanded(true);
    }
}

}  // namespace ui
