#include "ui/base/icons.h"

#include <QFile>
#include <QGuiApplication>
#include <QHash>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmap>
#include <QPixmapCache>
#include <QSvgRenderer>

/// Q_INIT_RESOURCE makes the linker keep a static library's resources. It must not be used inside a namespace.
static void initialiseIcons()
{
    Q_INIT_RESOURCE(icons);
}

namespace ui {
namespace {

const QByteArray& source(const QString& name)
{
    static QHash<QString, QByteArray> sources;
    if (sources.isEmpty())
        initialiseIcons();
    auto found = sources.find(name);
    if (found == sources.end()) {
        QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
        found = sources.insert(name, file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray());
    }
    return *found;
}

/// Renders "currentColor" in the text colour that the palette has when the icon is painted.
class SymbolicEngine : public QIconEngine {
public:
    SymbolicEngine(QString name, QColor colour)
        : m_name(std::move(name))
        , m_colour(std::move(colour))
    {
    }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override
    {
        const double ratio = painter->device()->devicePixelRatioF();
        painter->drawPixmap(rect, render(rect.size() * ratio, mode, state));
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        return render(size, mode, state);
    }

    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal) override
    {
        return render(size, mode, state);
    }

    QIconEngine* clone() const override { return new SymbolicEngine(m_name, m_colour); }
    bool isNull() override { return source(m_name).isEmpty(); }
    QString key() const override { return QStringLiteral("atelier-symbolic"); }

private:
    QColor colourOf(QIcon::Mode mode) const
    {
        const QPalette palette = QGuiApplication::palette();
        if (mode == QIcon::Disabled)
            return palette.color(QPalette::Disabled, QPalette::ButtonText);
        if (m_colour.isValid())
            return m_colour;
        return mode == QIcon::Selected ? palette.color(QPalette::HighlightedText)
                                       : palette.color(QPalette::ButtonText);
    }

    QPixmap render(const QSize& size, QIcon::Mode mode, QIcon::State) const
    {
        const QString colour = colourOf(mode).name();
        const QString key = QStringLiteral("atelier/%1/%2/%3x%4")
                                .arg(m_name, colour).arg(size.width()).arg(size.height());
        QPixmap pixmap;
        if (QPixmapCache::find(key, &pixmap))
            return pixmap;
        pixmap = QPixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        QSvgRenderer(QByteArray(source(m_name)).replace("currentColor", colour.toLatin1()))
            .render(&painter, QRectF(QPointF(), QSizeF(size)));
        painter.end();
        QPixmapCache::insert(key, pixmap);
        return pixmap;
    }

    QString m_name;
    QColor m_colour;
};

}  // namespace

QIcon icon(const QString& name)
{
    return QIcon(new SymbolicEngine(name, {}));
}

QIcon icon(const QString& name, const QColor& colour)
{
    return QIcon(new SymbolicEngine(name, colour));
}

QIcon applicationIcon()
{
    return icon(QStringLiteral("atelier"));
}

}  // namespace ui
