#include "ui/base/icons.h"

#include "ui/base/look.h"

#include <QFile>
#include <QGuiApplication>
#include <QHash>
#include <QImage>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmap>
#include <QPixmapCache>
#include <QSvgRenderer>

#include <algorithm>
#include <iterator>

/// Q_INIT_RESOURCE makes the linker keep a static library's resources. It must not be used inside a namespace.
static void initialiseIcons()
{
    Q_INIT_RESOURCE(icons);
}

namespace ui {
namespace {

constexpr double kContrast = 3;  // with what is behind an icon

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

struct FreedesktopName {
    const char* ours;
    const char* theirs;
};
/// The icon naming specification's names. Others of ours have none there.
constexpr FreedesktopName kFreedesktopNames[] = {{"chevron-down", "go-down"}, {"chevron-up", "go-up"}, {"copy", "edit-copy"}, {"folder", "folder"},
    {"info", "help-about"}, {"new", "document-new"}, {"open", "document-open"}, {"pause", "media-playback-pause"}, {"refresh", "view-refresh"},
    {"revert", "document-revert"}, {"save", "document-save"}, {"search", "edit-find"}, {"start", "media-playback-start"},
    {"stop", "media-playback-stop"}, {"stop-now", "process-stop"}, {"trash", "user-trash"}};

QString freedesktopName(const QString& ours)
{
    const auto found = std::ranges::find_if(kFreedesktopNames, [&](const FreedesktopName& each) { return ours == QLatin1String(each.ours); });
    return found == std::end(kFreedesktopNames) ? QString() : QLatin1String(found->theirs);
}

/// Whether enough of an icon stands out from @p background: its outline is as good as all of it.
bool isVisibleOn(const QImage& image, const QColor& background)
{
    constexpr double kPart = 0.15;
    int painted = 0, visible = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const QColor colour = image.pixelColor(x, y);
            if (colour.alpha() < 128)
                continue;
            ++painted;
            visible += contrast(QColor(colour.rgb()), background) >= kContrast ? 1 : 0;
        }
    }
    return painted > 0 && visible >= kPart * painted;
}

/// The theme's icon; null when it has none that can be seen.
QPixmap themePixmap(const QString& name, const QSize& size, QIcon::Mode mode)
{
    const QString theirs = freedesktopName(name);
    if (theirs.isEmpty() || QIcon::themeName().isEmpty() || !QIcon::hasThemeIcon(theirs))
        return {};
    const QIcon found = QIcon::fromTheme(theirs);
    const QColor background = QGuiApplication::palette().color(QPalette::Window);
    const QPixmap normal = found.pixmap(size, 1.0, QIcon::Normal);
    if (normal.isNull() || !isVisibleOn(normal.toImage(), background))
        return {};
    return mode == QIcon::Normal ? normal : found.pixmap(size, 1.0, mode);
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
            return mode == QIcon::Selected ? withContrast(m_colour, palette.color(QPalette::Highlight), kContrast) : m_colour;
        return mode == QIcon::Selected ? palette.color(QPalette::HighlightedText)
                                       : palette.color(QPalette::ButtonText);
    }

    QPixmap render(const QSize& size, QIcon::Mode mode, QIcon::State) const
    {
        const QString colour = colourOf(mode).name();
        const QString background = QGuiApplication::palette().color(QPalette::Window).name();
        const QString key = QStringLiteral("atelier/%1/%2/%3x%4/%5/%6/%7").arg(m_name, colour).arg(size.width()).arg(size.height()).arg(int(mode))
                                .arg(background, m_colour.isValid() ? QString() : QIcon::themeName());
        QPixmap pixmap;
        if (QPixmapCache::find(key, &pixmap))
            return pixmap;
        pixmap = QPixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        if (const QPixmap themed = m_colour.isValid() ? QPixmap() : themePixmap(m_name, size, mode); !themed.isNull()) {
            painter.setRenderHint(QPainter::SmoothPixmapTransform);
            const QSize scaled = themed.size().scaled(size, Qt::KeepAspectRatio);
            painter.drawPixmap(QRect(QPoint((size.width() - scaled.width()) / 2, (size.height() - scaled.height()) / 2), scaled), themed);
        } else {
            QSvgRenderer(QByteArray(source(m_name)).replace("currentColor", colour.toLatin1())).render(&painter, QRectF(QPointF(), QSizeF(size)));
        }
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
