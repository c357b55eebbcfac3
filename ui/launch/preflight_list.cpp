#include "ui/launch/preflight_list.h"

#include "ui/base/flow_layout.h"
#include "ui/base/icons.h"
#include "ui/base/look.h"
#include "ui/language/outside_text.h"
#include "ui/launch/option_words.h"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>
#include <utility>

namespace ui {
namespace {

using Level = launcher::PreflightItem::Level;

QIcon levelIcon(Level level, const QPalette& palette)
{
    switch (level) {
    case Level::Ok:
        return icon(QStringLiteral("ok"), stateColour(launcher::RunState::Finished, palette));
    case Level::Warning:
        return icon(QStringLiteral("warning"), stateColour(launcher::RunState::Stalled, palette));
    case Level::Error:
        break;
    }
    return icon(QStringLiteral("error"), stateColour(launcher::RunState::Failed, palette));
}

QString levelWord(Level level)
{
    return level == Level::Ok ? PreflightList::tr("ok")
        : level == Level::Warning ? PreflightList::tr("warning") : PreflightList::tr("error");
}

}  // namespace

PreflightList::PreflightList(QWidget* parent)
    : QScrollArea(parent)
{
    setAccessibleName(tr("Preflight checks"));
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMinimumHeight(fontMetrics().height() * 10);
    viewport()->setBackgroundRole(QPalette::Base);
}

void PreflightList::setItems(std::vector<launcher::PreflightItem> items)
{
    std::ranges::stable_sort(items, std::ranges::greater(), &launcher::PreflightItem::level);
    if (m_page && items == m_items)
        return;
    m_items = std::move(items);
    m_page = new QWidget;
    m_page->setBackgroundRole(QPalette::Base);
    auto* const column = new QVBoxLayout(m_page);
    column->setContentsMargins(8, 6, 8, 6);
    for (const launcher::PreflightItem& item : m_items)
        column->addWidget(makeRow(item));
    column->addStretch();
    setWidget(m_page);  // deletes the one before
    QWidget* before = this;
    for (QPushButton* const button : m_page->findChildren<QPushButton*>()) {
        setTabOrder(before, button);  // they are younger than what comes below the list
        before = button;
    }
}

void PreflightList::goTo(const launcher::PreflightItem& item)
{
    const auto at = std::ranges::find(m_items, item);
    if (at == m_items.end())
        return;
    QWidget* const row = m_page->layout()->itemAt(static_cast<int>(at - m_items.begin()))->widget();
    auto* const button = row->findChild<QPushButton*>();
    (button ? static_cast<QWidget*>(button) : this)->setFocus(Qt::OtherFocusReason);
    ensureWidgetVisible(row);
}

void PreflightList::changeEvent(QEvent* event)
{
    QScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_page)
        setItems(std::exchange(m_items, {}));  // icons have the palette's colours
}

QWidget* PreflightList::makeRow(const launcher::PreflightItem& item)
{
    const QString what = translatedSentence(item.what);
    const QString message = withLabels(translatedSentence(item.message));
    auto* const row = new QWidget(m_page);
    auto* const grid = new QGridLayout(row);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(3);
    auto* const sign = new QLabel(row);
    const int side = fontMetrics().height();
    sign->setPixmap(levelIcon(item.level, palette()).pixmap(side, side));
    auto* const text = new QLabel(tr("%1: %2").arg(what, message), row);
    text->setObjectName(QStringLiteral("preflight ") + QString::fromStdString(item.what));
    text->setAccessibleName(tr("%1, %2: %3").arg(what, levelWord(item.level), message));
    text->setTextFormat(Qt::PlainText);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    text->setWordWrap(true);
    grid->addWidget(sign, 0, 0, Qt::AlignTop);
    grid->addWidget(text, 0, 1);
    grid->setColumnStretch(1, 1);
    if (item.fixes.empty())
        return row;
    auto* const buttons = new FlowLayout;
    buttons->setSpacing(4);
    for (const launcher::PreflightFix& fix : item.fixes) {
        auto* const button = new QPushButton(translatedSentence(fix.label), row);
        button->setAutoDefault(false);
        button->setAccessibleDescription(message);
        connect(button, &QPushButton::clicked, this, [this, fix] { Q_EMIT fixRequested(fix); });
        buttons->addWidget(button);
    }
    grid->addLayout(buttons, 1, 1);
    return row;
}

}  // namespace ui
