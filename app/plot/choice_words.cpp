#include "app/plot/choice_words.h"

namespace app {

using ui::Grouping;
using ui::Smoothing;
using ui::XAxis;

const Words<XAxis> kAxisWords {{"step", XAxis::Step}, {"samples", XAxis::Samples}, {"epoch", XAxis::Epochs}, {"active-time", XAxis::ActiveTime},
    {"wall-time", XAxis::WallTime}};
const Words<Smoothing::Kind> kSmoothingWords {{"off", Smoothing::Kind::Off}, {"exponential", Smoothing::Kind::Exponential},
    {"gaussian", Smoothing::Kind::Gaussian}, {"running-mean", Smoothing::Kind::RunningMean}, {"running-median", Smoothing::Kind::RunningMedian}};
const Words<Grouping::By> kGroupWords {{"run", Grouping::By::Run}, {"project", Grouping::By::Project}, {"tags", Grouping::By::Tags},
    {"repeats", Grouping::By::Repeats}};
const Words<Grouping::Band> kBandWords {{"min-max", Grouping::Band::MinMax}, {"deviation", Grouping::Band::Deviation}};

}  // namespace app
