#include "ui/plot/canvas/axis_tickers.h"

#include "ui/base/format.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace ui {
namespace {

/// Ticks at whole numbers only, since steps are whole numbers.
class StepTicker : public QCPAxisTicker {
protected:
    double getTickStep(const QCPRange& range) override
    {
        return std::max(1.0, std::round(QCPAxisTicker::getTickStep(range)));
    }
    int getSubTickCount(double tickStep) override
    {
        return tickStep < 5 ? 0 : QCPAxisTicker::getSubTickCount(tickStep);
    }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override
    {
        return formatCount(static_cast<std::int64_t>(std::llround(tick)));
    }
};

/// How many decimals @p value has. What is less than @p tolerance comes from adding up tick steps.
int decimalsOf(double value, double tolerance)
{
    constexpr int kMost = 15;
    int decimals = 0;
    for (double power = 1; decimals < kMost && std::abs(std::round(value * power) / power - value) > tolerance; power *= 10)
        ++decimals;
    return decimals;
}

/// 7.5e-05, which QCustomPlot draws as 7.5·10⁻⁵.
QString scientific(double value, double tolerance, const QLocale& locale)
{
    if (std::abs(value) <= tolerance)
        return locale.toString(0);
    const double power = std::pow(10, std::floor(std::log10(std::abs(value))));
    return locale.toString(value, 'e', decimalsOf(value / power, tolerance / power));
}

/// Labels that are exact for their ticks, and all in one notation.
template <typename Base>
class ValueTicker : public Base {
public:
    ValueTicker(Unit unit, const Interval& visible)
        : m_unit(unit)
        , m_visible(visible)
    {
    }

protected:
    QVector<QString> createLabelVector(const QVector<double>& ticks, const QLocale& locale, QChar, int) override
    {
        const double greatest = std::max(std::abs(m_visible.lower), std::abs(m_visible.upper));
        if (m_unit == Unit::Bytes && greatest < 1e18) {
            const int power = std::clamp(static_cast<int>(std::log10(std::max(greatest, 1.0)) / 3), 0, 5);
            static constexpr const char* kUnits[] = {" B", " kB", " MB", " GB", " TB", " PB"};
            return plain(ticks, std::pow(1000, -power), locale, QLatin1String(kUnits[power]));
        }
        if (m_unit == Unit::Share && kIsLinear)
            return plain(ticks, 100, locale, QLatin1String(" %"));
        if (isPlain(ticks))
            return plain(ticks, 1, locale, QLatin1String());
        QVector<QString> labels;
        for (const double tick : ticks)
            labels << scientific(tick, tolerance(), locale);
        return labels;
    }

private:
    static constexpr bool kIsLinear = std::is_same_v<Base, QCPAxisTicker>;

    /// Far less than the distance of two ticks.
    double tolerance() const { return m_visible.size() * 1e-4; }

    /// Whether no label gets long without powers of ten.
    bool isPlain(const QVector<double>& ticks) const
    {
        double least = std::numeric_limits<double>::max(), greatest = 0;
        for (const double tick : ticks) {
            greatest = std::max(greatest, std::abs(tick));
            if (std::abs(tick) > tolerance())
                least = std::min(least, std::abs(tick));
        }
        return greatest <= tolerance() || (greatest < 99'999.5 && (kIsLinear ? greatest : least) > 0.000'999);
    }

    /// The ticks of a linear axis have the same number of decimals.
    QVector<QString> plain(const QVector<double>& ticks, double factor, const QLocale& locale, QLatin1String unit) const
    {
        QVector<int> decimals;
        for (const double tick : ticks)
            decimals << decimalsOf(tick * factor, tolerance() * factor);
        if (kIsLinear && !ticks.isEmpty())
            decimals.fill(*std::ranges::max_element(decimals));
        QVector<QString> labels;
        for (qsizetype i = 0; i < ticks.size(); ++i)
            labels << locale.toString(std::abs(ticks[i]) <= tolerance() ? 0.0 : ticks[i] * factor, 'f', decimals[i]) + unit;
        return labels;
    }

    Unit m_unit;
    Interval m_visible;
};

}  // namespace

QSharedPointer<QCPAxisTicker> xTicker(XAxis axis, const Interval& visible)
{
    switch (axis) {
    case XAxis::Step:
    case XAxis::Samples:
        return QSharedPointer<StepTicker>::create();
    case XAxis::Epochs:
        return QSharedPointer<ValueTicker<QCPAxisTicker>>::create(Unit::None, visible);
    case XAxis::ActiveTime: {
        auto ticker = QSharedPointer<QCPAxisTickerTime>::create();
        ticker->setTimeFormat(
            visible.upper < 3600 ? QStringLiteral("%m:%s") : QStringLiteral("%h:%m:%s"));
        return ticker;
    }
    case XAxis::WallTime: {
        auto ticker = QSharedPointer<QCPAxisTickerDateTime>::create();
        ticker->setDateTimeFormat(visible.size() < 1200 ? QStringLiteral("hh:mm:ss")
                : visible.size() < 86400                ? QStringLiteral("hh:mm")
                : visible.size() < 7 * 86400            ? QStringLiteral("d MMM\nhh:mm")
                                                      : QStringLiteral("d MMM"));
        return ticker;
    }
    }
    return {};
}

QSharedPointer<QCPAxisTicker> valueTicker(Unit unit, Scale scale, const Interval& visible)
{
    QSharedPointer<QCPAxisTicker> ticker;
    // Over less than about two powers of ten a logarithmic ticker would show hardly any ticks.
    if (scale == Scale::Logarithmic && visible.upper / visible.lower > 50) {
        ticker = QSharedPointer<ValueTicker<QCPAxisTickerLog>>::create(unit, Interval {0, visible.lower});
        ticker->setTickCount(4);
        return ticker;
    }
    ticker = QSharedPointer<ValueTicker<QCPAxisTicker>>::create(unit, visible);
    ticker->setTickCount(4);
    return ticker;
}

}  // namespace ui
