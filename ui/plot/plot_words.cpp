#include "ui/plot/plot_words.h"

#include <QCoreApplication>

namespace ui {
namespace {

QString word(const char* text)
{
    return QCoreApplication::translate("ui::PlotWords", text);
}

}  // namespace

QString xAxisName(XAxis axis)
{
    switch (axis) {
    case XAxis::ActiveTime:
        return word(QT_TRANSLATE_NOOP("ui::PlotWords", "Active time"));
    case XAxis::WallTime:
        return word(QT_TRANSLATE_NOOP("ui::PlotWords", "Wall time"));
    case XAxis::Samples:
        return word(QT_TRANSLATE_NOOP("ui::PlotWords", "Samples seen"));
    case XAxis::Epochs:
        return word(QT_TRANSLATE_NOOP("ui::PlotWords", "Epoch"));
    default:
        return word(QT_TRANSLATE_NOOP("ui::PlotWords", "Step"));
    }
}

QString smoothingName(Smoothing::Kind kind)
{
    switch (kind) {
    case Smoothing::Kind::Exponential:
        return word(QT_TRANSLATE_NOOP("ui::PlotWords", "Exponential"));
    case Smoothing::Kind::Gaussian:
        return word(QT_TRANSLATE_NOOP("ui::PlotWords", "Gaussian"));
    case Smoothing::Kind::RunningMean:
        return word(QT_TRANSLATE_NOOP("ui::PlotWords", "Running mean"));
    case Smoothing::Kind::RunningMedian:
        return word(QT_TRANSLATE_NOOP("ui::PlotWords", "Running median"));
    default:
        return word(QT_TRANSLATE_NOOP("ui::PlotWords", "Off"));
    }
}

}  // namespace ui
