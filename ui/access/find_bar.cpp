#include "ui/access/find_bar.h"

#include "ui/access/find_here.h"
#include "ui/base/icons.h"
#include "ui/base/state_strip.h"

#include <QAbstractItemView>
#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>

#include <utility>

namespace ui {
namespace {

constexpr qint64 kTurnMs = 6;

bool isHidden(const QAbstractItemView& view, int column)
{
    const auto* const tree = qobject_cast<const QTreeView*>(&view);
    const auto* const table = qobject_cast<const QTableView*>(&view);
    return (tree && tree->isColumnHidden(column)) || (table && table->isColumnHidden(column));
}

}  // namespace

FindPlaces rowsOf(QAbstractItemView& view)
{
    return {.count = [&view] { return view.model()->rowCount(); },
        .current = [&view] { return view.currentIndex().isValid() ? view.currentIndex().row() : -1; },
        .matches =
            [&view](int row, const QString& text) {
                for (int column = 0; column < view.model()->columnCount(); ++column) {
                    if (!isHidden(view, column) && view.model()->index(row, column).data().toString().contains(text, Qt::CaseInsensitive))
                        return true;
                }
                return false;
            },
        .go = [&view](int row) { view.setCurrentIndex(view.model()->index(row, std::max(0, view.currentIndex().column()))); }};
}

FindBar::FindBar(QWidget& view, ViewFrame& frame, QWidget& content, FindPlaces places)
    : QWidget(&frame)
    , m_content(content)
    , m_places(std::move(places))
    , m_text(new QLineEdit(this))
    , m_note(new QLabel(this))
{
    setObjectName(QStringLiteral("findBar"));
    m_text->setPlaceholderText(tr("Find"));
    m_text->setAccessibleName(tr("Find"));
    m_text->setClearButtonEnabled(true);
    m_text->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_text->setMaximumWidth(40 * fontMetrics().averageCharWidth());
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(6, 4, 6, 4);
    row->addWidget(m_text, 1);
    const auto addButton = [&](const char* iconName, const QString& text, auto press) {
        auto* button = new QToolButton(this);
        button->setAutoRaise(true);
        button->setIcon(icon(QLatin1String(iconName)));
        button->setText(text);
        button->setToolTip(text);
        button->setAccessibleName(text);
        row->addWidget(button);
        connect(button, &QToolButton::clicked, this, press);
        return button;
    };
    addButton("chevron-up", tr("Find previous"), [this] { step(-1); });
    addButton("chevron-down", tr("Find next"), [this] { step(1); });
    row->addWidget(m_note, 1);
    auto* const closing = addButton("", tr("Close"), [this] { close(); });
    closing->setToolButtonStyle(Qt::ToolButtonTextOnly);
    frame.addBar(this);
    hide();
    m_turn.setInterval(0);
    connect(&m_turn, &QTimer::timeout, this, &FindBar::lookOn);
    connect(m_text, &QLineEdit::textChanged, this, [this] { look(std::max(0, m_places.current()), 1); });
    connect(m_text, &QLineEdit::returnPressed, this, [this] { step(1); });
    setFindHere(view, {[this] { open(); }, [this](int direction) { step(direction); }});
}

QString FindBar::note() const { return m_note->text(); }

void FindBar::open()
{
    show();
    m_text->setFocus(Qt::ShortcutFocusReason);
    m_text->selectAll();
}

void FindBar::close()
{
    m_turn.stop();
    hide();
    m_content.setFocus(Qt::OtherFocusReason);
}

void FindBar::step(int direction)
{
    if (m_text->text().isEmpty())
        return open();
    const int current = m_places.current();
    look(current < 0 ? (direction > 0 ? 0 : -1) : current + direction, direction);
}

void FindBar::look(int from, int direction)
{
    m_note->clear();
    m_next = from;
    m_direction = direction;
    m_left = m_text->text().isEmpty() ? 0 : m_places.count();
    lookOn();
}

void FindBar::lookOn()
{
    QElapsedTimer since;
    since.start();
    const int count = m_places.count();  // rows may have come or gone
    while (m_left > 0 && count > 0) {
        const int place = ((m_next % count) + count) % count;
        if (m_places.matches(place, m_text->text())) {
            m_turn.stop();
            m_places.go(place);
            return;
        }
        m_next += m_direction;
        --m_left;
        if (since.elapsed() >= kTurnMs)
            return m_turn.start();
    }
    m_turn.stop();
    if (!m_text->text().isEmpty())
        m_note->setText(tr("Not found."));
}

void FindBar::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        close();
    else if (event->key() == Qt::Key_Down)
        m_content.setFocus(Qt::OtherFocusReason);
    else
        QWidget::keyPressEvent(event);
}

}  // namespace ui
