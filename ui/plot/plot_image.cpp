#include "ui/plot/plot_image.h"

#include "ui/base/appearance.h"
#include "ui/base/background.h"
#include "ui/base/format.h"
#include "ui/base/look.h"
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/group_names.h"
#include "ui/plot/plot_words.h"

#include <QBuffer>
#include <QPageSize>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include <algorithm>

namespace ui {
namespace {

constexpr int kMargin = 10;
constexpr int kSwatch = 22;
constexpr int kGap = 6;        ///< between a swatch and its name
constexpr int kEntryGap = 18;  ///< between entries of a legend
constexpr double kPngRatio = 2;
constexpr int kDotsPerInch = 96;

QString imageText(const char* text)
{
    return QCoreApplication::translate("ui::PlotImage", text);
}

/// The fonts and colours of a picture, whatever the window's appearance is.
struct Style {
    QPalette palette = lightPalette();
    QFont font;
    QFont bold;
    QFontMetrics metrics;

    explicit Style(const QFont& from)
        : font(from)
        , bold(from)
        , metrics(from)
    {
        bold.setBold(true);
    }
    int lineHeight() const { return metrics.height() + 4; }
};

struct LegendEntry {
    std::size_t line = 0;
    QPoint at;  ///< from the top left corner of the legend
};

std::vector<LegendEntry> legendOf(const std::vector<DrawnLine>& lines, const Style& style, int width)
{
    std::vector<LegendEntry> entries;
    QPoint at;
    for (std::size_t line = 0; line < lines.size(); ++line) {
        if (!lines[line].isInLegend())
            continue;
        const int room = kSwatch + kGap + style.metrics.horizontalAdvance(lines[line].name);
        if (at.x() > 0 && at.x() + room > width)
            at = {0, at.y() + style.lineHeight()};
        entries.push_back({line, at});
        at.rx() += room + kEntryGap;
    }
    return entries;
}

/// One panel: title, legend with every name in as many rows as it takes, plot, and a line that says what is shown.
class Part {
public:
    Part(PlotPanel& panel, const Style& style)
        : m_panel(panel)
        , m_style(style)
        , m_legend(legendOf(panel.canvas().lines(), style, panel.canvas().width()))
    {
    }

    QSize size() const
    {
        return {m_panel.canvas().width(), legendTop() + legendHeight() + m_panel.canvas().height() + m_style.lineHeight()};
    }

    void paint(QCPPainter& painter, double ratio) const
    {
        const QRect title(0, 0, size().width(), legendTop());
        painter.setPen(m_style.palette.color(QPalette::Text));
        painter.setFont(m_style.bold);
        painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter, m_panel.title());
        painter.setFont(m_style.font);
        for (const LegendEntry& entry : m_legend)
            paintEntry(painter, entry);
        PlotCanvas& canvas = m_panel.canvas();
        const int top = legendTop() + legendHeight();
        const QPalette shown = canvas.palette();
        canvas.setPalette(m_style.palette);
        painter.save();
        painter.translate(0, top);
        canvas.paintInto(painter, ratio);
        painter.restore();
        canvas.setPalette(shown);
        painter.setFont(m_style.font);
        painter.setPen(fadedText(m_style.palette));
        painter.drawText(QRect(0, top + canvas.height(), size().width(), m_style.lineHeight()), Qt::AlignRight | Qt::AlignVCenter,
            description());
    }

private:
    int legendTop() const { return m_style.lineHeight() + 2; }
    int legendHeight() const { return m_legend.empty() ? 0 : m_legend.back().at.y() + m_style.lineHeight(); }

    void paintEntry(QCPPainter& painter, const LegendEntry& entry) const
    {
        const DrawnLine& line = m_panel.canvas().lines()[entry.line];
        const QPoint at = entry.at + QPoint(0, legendTop());
        drawLineSample(painter, QPointF(at.x(), at.y() + m_style.lineHeight() / 2), kSwatch, drawnPen(line, m_style.palette), drawnMarker(line));
        painter.setPen(m_style.palette.color(QPalette::Text));
        painter.drawText(QRect(at.x() + kSwatch + kGap, at.y(), size().width(), m_style.lineHeight()), Qt::AlignLeft | Qt::AlignVCenter,
            line.name);
    }

    QString description() const
    {
        const PlotViewState& state = m_panel.canvas().viewState();
        QStringList parts = {imageText(QT_TRANSLATE_NOOP("ui::PlotImage", "x: %1")).arg(xAxisName(state.xAxis()))};
        if (state.smoothing().kind != Smoothing::Kind::Off)
            parts << imageText(QT_TRANSLATE_NOOP("ui::PlotImage", "smoothing: %1, %2 steps")).arg(smoothingName(state.smoothing().kind), formatNumber(state.smoothing().width));
        if (state.grouping().by != Grouping::By::Nothing)
            parts << groupingSentence(state.grouping());
        if (!m_panel.canvas().drawn().isExact)
            parts << imageText(QT_TRANSLATE_NOOP("ui::PlotImage", "thinned"));
        return parts.join(QStringLiteral(" · "));
    }

    PlotPanel& m_panel;
    const Style& m_style;
    std::vector<LegendEntry> m_legend;
};

/// A page of parts in columns of equal width.
class Page {
public:
    explicit Page(const PlotImage& image)
        : m_style(image.panels.front()->font())
        , m_columns(std::max(1, image.columns))
    {
        for (PlotPanel* panel : image.panels)
            m_parts.emplace_back(*panel, m_style);
        for (std::size_t part = 0; part < m_parts.size(); ++part) {
            const std::size_t row = part / static_cast<std::size_t>(m_columns);
            m_heights.resize(row + 1);
            m_heights[row] = std::max(m_heights[row], m_parts[part].size().height());
            m_width = std::max(m_width, m_parts[part].size().width());
        }
    }

    QSize size() const
    {
        const int columns = std::min(m_columns, static_cast<int>(m_parts.size()));
        int height = kMargin;
        for (const int row : m_heights)
            height += row + kMargin;
        return {kMargin + columns * (m_width + kMargin), height};
    }

    void paint(QCPPainter& painter, double ratio) const
    {
        painter.fillRect(QRect(QPoint(), size()), m_style.palette.color(QPalette::Base));
        int top = kMargin;
        for (std::size_t part = 0; part < m_parts.size(); ++part) {
            const auto column = static_cast<int>(part) % m_columns;
            painter.save();
            painter.translate(kMargin + column * (m_width + kMargin), top);
            m_parts[part].paint(painter, ratio);
            painter.restore();
            if (column + 1 == m_columns)
                top += m_heights[part / static_cast<std::size_t>(m_columns)] + kMargin;
        }
    }

private:
    Style m_style;
    int m_columns;
    std::vector<Part> m_parts;
    std::vector<int> m_heights;  ///< of the rows
    int m_width = 0;
};

QByteArray svgOf(const Page& page)
{
    QBuffer buffer;
    QSvgGenerator svg;
    svg.setOutputDevice(&buffer);
    svg.setResolution(kDotsPerInch);
    svg.setSize(page.size());
    svg.setViewBox(QRect(QPoint(), page.size()));
    QCPPainter painter(&svg);
    painter.setMode(QCPPainter::pmVectorized);
    page.paint(painter, 1);
    painter.end();
    return buffer.data();
}

QByteArray pdfOf(const Page& page)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter pdf(&buffer);
    pdf.setCreator(QStringLiteral("Atelier"));
    pdf.setResolution(kDotsPerInch);
    pdf.setPageMargins({});
    pdf.setPageSize(QPageSize(QSizeF(page.size()) * 72 / kDotsPerInch, QPageSize::Point, QString(), QPageSize::ExactMatch));
    QCPPainter painter(&pdf);
    painter.setMode(QCPPainter::pmVectorized);
    page.paint(painter, 1);
    painter.end();
    return buffer.data();
}

QString save(const QString& file, const std::function<bool(QIODevice& device)>& write)
{
    QSaveFile target(file);
    if (target.open(QIODevice::WriteOnly) && write(target) && target.commit())
        return {};
    return imageText(QT_TRANSLATE_NOOP("ui::PlotImage", "%1 cannot be written: %2")).arg(file, target.errorString());
}

}  // namespace

QImage paintedImage(const PlotImage& image, double ratio)
{
    const Page page(image);
    QImage picture((QSizeF(page.size()) * ratio).toSize(), QImage::Format_RGB32);
    picture.setDevicePixelRatio(ratio);
    QCPPainter painter(&picture);
    painter.setRenderHint(QPainter::TextAntialiasing);
    page.paint(painter, ratio);
    painter.end();
    return picture;
}

QString imageFilters()
{
    return imageText(QT_TRANSLATE_NOOP("ui::PlotImage", "PNG picture (*.png);;SVG drawing (*.svg);;PDF document (*.pdf)"));
}

QString suffixOf(const QString& filter)
{
    for (const char* suffix : {"svg", "pdf"}) {
        if (filter.contains(QLatin1String(suffix)))
            return QLatin1String(suffix);
    }
    return QStringLiteral("png");
}

void writeImage(const PlotImage& image, const QString& file, QObject* context, std::function<void(const QString& error)> done)
{
    const bool isSvg = file.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive);
    if (isSvg || file.endsWith(QLatin1String(".pdf"), Qt::CaseInsensitive)) {
        const Page page(image);
        const QByteArray content = isSvg ? svgOf(page) : pdfOf(page);
        inBackground(
            context, [file, content] { return save(file, [&](QIODevice& device) { return device.write(content) == content.size(); }); },
            std::move(done));
        return;
    }
    inBackground(
        context,
        [file, picture = paintedImage(image, kPngRatio)] {
            return save(file, [&](QIODevice& device) { return picture.save(&device, "PNG"); });
        },
        std::move(done));
}

}  // namespace ui
