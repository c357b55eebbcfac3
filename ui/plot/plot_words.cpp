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
        return word("Active time");
    case XAxis::WallTime:
        return word("Wall time");
    case XAxis::Samples:
        return word("Samples seen");
    case XAxis::Epochs:
        return word("Epoch");
    default:
        return word("Step");
    }
}

QString smoothingName(Smoothing::Kind kind)
{
    switch (kind) {
    case Smoothing::Kind::Exponential:
        return word("Exponential");
    case Smoothing::Kind::Gaussian:
        return word("Gaussian");
    case Smoothing::Kind::RunningMean:
        return word("Running mean");
    case Smoothing::Kind::RunningMedian:
        return word("Running median");
    default:
        return word("Off");
    }
}

}  // namespace ui
