#include "ui/access/focus_edge.h"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QEvent>
#include <QPainter>
#include <QPushButton>

namespace ui {
namespace {

class FocusEdge : public QWidget {
public:
    /// @param inset from the edge of @p focused, in pixels
    FocusEdge(QWidget* focused, int inset, QPalette::ColorRole colour)
        : QWidget(focused)
        , m_inset(inset)
        , m_colour(colour)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setObjectName(QStringLiteral("focusEdge"));
        fit();
        show();
        raise();
    }

    /// Only the edge is part of the widget, so that what it surrounds is painted and scrolled as if it were not there.
    void fit()
    {
        setGeometry(parentWidget()->rect().adjusted(m_inset, m_inset, -m_inset, -m_inset));
        setMask(QRegion(rect()) - QRegion(rect().adjusted(1, 1, -1, -1)));
    }

protected:
    void paintEvent(QPaintEvent*) override { QPainter(this).fillRect(rect(), palette().color(m_colour)); }

private:
    int m_inset;
    QPalette::ColorRole m_colour;
};

}  // namespace

FocusEdges::FocusEdges(QObject* parent)
    : QObject(parent)
{
    connect(qApp, &QApplication::focusChanged, this, [this](const QWidget*, QWidget* now) { move(now); });
}

FocusEdges::~FocusEdges() { delete m_edge; }

void FocusEdges::move(QWidget* focused)
{
    if (m_edge) {
        m_edge->parentWidget()->removeEventFilter(this);
        delete m_edge;
    }
    const bool isArea = qobject_cast<QAbstractScrollArea*>(focused), isButton = qobject_cast<QPushButton*>(focused);
    if ((!isArea && !isButton) || focused->window()->windowType() == Qt::Popup)
        return;
    constexpr int kWithinButton = 3;
    m_edge = isArea ? new FocusEdge(focused, 0, QPalette::Highlight) : new FocusEdge(focused, kWithinButton, QPalette::ButtonText);
    focused->installEventFilter(this);
}

bool FocusEdges::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize && m_edge && m_edge->parent() == watched)
        static_cast<FocusEdge*>(m_edge.data())->fit();
    return QObject::eventFilter(watched, event);
}

}  // namespace ui
