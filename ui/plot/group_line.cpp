#include "ui/plot/lines/group_line.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace ui {
namespace {

struct Summary {
    double mean = 0;
    double low = 0;
    double high = 0;
};

/// Of values that are all finite.
Summary summaryOf(const std::vector<double>& values, Grouping::Band band)
{
    const double count = static_cast<double>(values.size());
    // Sums of differences from the first value: equal values have exactly that mean and no deviation.
    double sum = 0;
    for (const double value : values)
        sum += value - values.front();
    const double mean = values.front() + sum / count;
    const auto [low, high] = std::ranges::minmax(values);
    if (band == Grouping::Band::MinMax)
        return {std::clamp(mean, low, high), low, high};
    double squares = 0;
    for (const double value : values)
        squares += (value - mean) * (value - mean);
    const double deviation = values.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
    return {mean, mean - deviation, mean + deviation};
}

std::shared_ptr<LineData> newLine(const std::vector<std::shared_ptr<const LineData>>& sources, const LineKey& key, LinePart part)
{
    std::set<std::string> runs;
    for (const auto& source : sources)
        runs.insert(source->key.run);
    auto line = std::make_shared<LineData>();
    line->key = key;
    line->key.part = part;
    line->runs = static_cast<int>(runs.size());
    line->lines = static_cast<int>(sources.size());
    return line;
}

}  // namespace

GroupLine::GroupLine(std::vector<std::shared_ptr<const LineData>> lines, const LineKey& key, Grouping::Band wanted)
    : sources(std::move(lines))
    , band(wanted)
    , mean(newLine(sources, key, LinePart::Line))
    , low(newLine(sources, key, LinePart::Low))
    , high(newLine(sources, key, LinePart::High))
    , m_done(sources.size())
{
}

std::size_t GroupLine::pointsToDo() const
{
    std::size_t points = 0;
    for (std::size_t index = 0; index < sources.size(); ++index)
        points += sources[index]->points.size() - m_done[index];
    return points;
}

void GroupLine::extend()
{
    Batch batch;
    while (goToNextStep()) {
        const LinePiece piece = pieceHere(batch);
        if (piece != batch.piece)
            flush(batch);
        batch.piece = piece;
        add(batch);
        for (std::size_t& done : m_done)
            ++done;
    }
    flush(batch);
}

void GroupLine::detach()
{
    for (auto* line : {&mean, &low, &high})
        *line = std::make_shared<LineData>(**line);
}

/// Skips points until all sources are at the same step. @return false when one of them has no further point
bool GroupLine::goToNextStep()
{
    std::int64_t latest = std::numeric_limits<std::int64_t>::min();
    for (std::size_t agreed = 0, index = 0; agreed < sources.size(); index = (index + 1) % sources.size()) {
        const auto steps = sources[index]->points.steps();
        std::size_t& at = m_done[index];
        while (at < steps.size() && steps[at] < latest)
            ++at;
        if (at == steps.size())
            return false;
        agreed = steps[at] == latest ? agreed + 1 : 1;
        latest = steps[at];
    }
    return true;
}

double GroupLine::meanTime(XAxis axis) const
{
    double sum = 0;
    for (std::size_t index = 0; index < sources.size(); ++index)
        sum += sources[index]->points.x(m_done[index], axis) - sources.front()->points.x(m_done.front(), axis);
    return sources.front()->points.x(m_done.front(), axis) + sum / static_cast<double>(sources.size());
}

/// Unknown unless it is known of all sources.
StepScale GroupLine::meanScale(StepScale LinePiece::*scale) const
{
    StepScale sum;
    for (std::size_t index = 0; index < sources.size(); ++index) {
        const StepScale& own = sources[index]->points.piece(m_done[index]).*scale;
        if (!own.isKnown())
            return {};
        sum.atStepZero += own.atStepZero / static_cast<double>(sources.size());
        sum.perStep += own.perStep / static_cast<double>(sources.size());
    }
    return sum;
}

/// The piece of the point at the present step: that of @p batch unless an attempt has begun or ended. Rounding makes no new one.
LinePiece GroupLine::pieceHere(const Batch& batch) const
{
    const LinePiece& own = sources.front()->points.piece(m_done.front());
    const LinePiece here {.attempt = own.attempt, .startSeconds = meanTime(XAxis::WallTime) - meanTime(XAxis::ActiveTime),
        .samples = meanScale(&LinePiece::samples), .epochs = meanScale(&LinePiece::epochs)};
    const LinePiece* last = nullptr;
    if (!batch.mean.empty())
        last = &batch.piece;
    else if (!mean->points.isEmpty())
        last = &mean->points.piece(mean->points.size() - 1);
    const bool isSame = last && last->attempt == here.attempt && std::abs(last->startSeconds - here.startSeconds) < 1e-3
        && last->samples == here.samples && last->epochs == here.epochs;
    return isSame ? *last : here;
}

void GroupLine::add(Batch& batch) const
{
    std::vector<double> values;
    for (std::size_t index = 0; index < sources.size(); ++index)
        values.push_back(sources[index]->points.raw().values()[m_done[index]]);
    const bool isFinite = std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
    const Summary summary = isFinite ? summaryOf(values, band) : Summary {std::nan(""), std::nan(""), std::nan("")};
    const std::int64_t step = sources.front()->points.steps()[m_done.front()];
    const double tMs = meanTime(XAxis::ActiveTime) * 1000;
    batch.mean.push_back({step, tMs, summary.mean});
    batch.low.push_back({step, tMs, summary.low});
    batch.high.push_back({step, tMs, summary.high});
}

void GroupLine::flush(Batch& batch)
{
    mean->points.append(batch.piece, batch.mean);
    low->points.append(batch.piece, batch.low);
    high->points.append(batch.piece, batch.high);
    batch = {};
}

}  // namespace ui
