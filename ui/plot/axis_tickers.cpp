#include "ui/plot/canvas/axis_tickers.h"

#include "ui/base/format.h"

#include <algorithm>
#include <cmath>

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

/// Labels with as many digits as are needed to tell neighbouring ticks apart.
template <typename Base>
class ValueTicker : public Base {
public:
    ValueTicker(Unit unit, const Interval& visible)
        : m_unit(unit)
        , m_visible(visible)
    {
    }

protected:
    QString getTickLabel(double tick, const QLocale& locale, QChar, int) override
    {
        if (m_unit == Unit::Bytes && std::abs(tick) < 1e18)
            return bytes(tick, locale);
        const double greatest = std::max(std::abs(m_visible.lower), std::abs(m_visible.upper));
        if (m_unit == Unit::Share && std::is_same_v<Base, QCPAxisTicker>)
            return locale.toString(tick * 100, 'g', 4) + QStringLiteral(" %");
        if (std::abs(tick) < m_visible.size() * 1e-9)
            tick = 0;
        const double digits = std::ceil(std::log10(std::max(1.0, greatest / m_visible.size()))) + 2;
        return locale.toString(tick, 'g', std::clamp(static_cast<int>(digits), 3, 15));
    }

private:
    QString bytes(double tick, const QLocale& locale) const
    {
        const double greatest = std::max({std::abs(m_visible.lower), std::abs(m_visible.upper), 1.0});
        const int power = std::clamp(static_cast<int>(std::log10(greatest) / 3), 0, 5);
        static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB"};
        const double scaled = tick / std::pow(1000, power);
        const double size = m_visible.size() / std::pow(1000, power);
        const int decimals = std::clamp(static_cast<int>(1 - std::floor(std::log10(size))), 0, 3);
        return locale.toString(scaled, 'f', decimals) + QLatin1Char(' ') + QLatin1String(kUnits[power]);
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
