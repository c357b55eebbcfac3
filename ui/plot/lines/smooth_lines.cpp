// Which lines PlotFeed smooths on the GUI thread, and which elsewhere.
#include "ui/language/outside_text.h"
#include "ui/plot/lines/plot_feed.h"
#include "ui/plot/lines/thinned_smoothing.h"

#include <optional>
#include <utility>

namespace ui {
namespace {

/// Smoothing terms added up on the GUI thread after one query, all lines together: about a millisecond.
constexpr std::size_t kMaxTermsHere = 200'000;

void renewSmoothing(LineData& line, const Smoothing& smoothing)
{
    if (line.smoother.smoothing() != smoothing) {
        line.smoother = Smoother(smoothing);
        line.smoothed = {};
    }
    line.smooth();
}

/// A thinned line does not hold what its smoothing depends on, except for the exponential mean of points that have been added.
bool isSmoothedFromStore(const LineData& line, const Smoothing& smoothing)
{
    const bool isGoingOn = line.smoother.smoothing() == smoothing && smoothing.kind == Smoothing::Kind::Exponential;
    return line.isThinned && smoothing.kind != Smoothing::Kind::Off && !isGoingOn;
}

}  // namespace

void PlotFeed::smoothOutdatedLines()
{
    std::vector<std::shared_ptr<LineData>> small;
    std::vector<std::shared_ptr<LineData>> large;
    std::size_t terms = 0;
    for (const auto& [key, line] : lines()) {
        const bool isOther = line->smoother.smoothing() != m_smoothing;
        const bool isOff = m_smoothing.kind == Smoothing::Kind::Off;
        if (!isOther && (isOff || line->smoothed.size() == line->points.size()))
            continue;
        terms += (isOther ? Smoother(m_smoothing) : line->smoother).termsToAdd(line->points.steps());
        const bool isLarge = terms > kMaxTermsHere || (!m_derived.isOn() && isSmoothedFromStore(*line, m_smoothing));
        (isLarge ? large : small).push_back(line);
    }
    for (const auto& line : small)
        renewSmoothing(*line, m_smoothing);
    large.empty() ? finishQuery() : smoothElsewhere(std::move(large));
}

/// Smooths copies, since the GUI thread goes on drawing the old lines. What has to be read for it is read here, too, so that no query waits.
void PlotFeed::smoothElsewhere(std::vector<std::shared_ptr<LineData>> lines)
{
    m_pool.start([this, lines = std::move(lines), smoothing = m_smoothing, isDerived = m_derived.isOn(), database = m_service.home().database()] {
        std::vector<std::shared_ptr<LineData>> done;
        QString error;
        try {
            std::optional<storage::Store> store;
            for (const auto& line : lines) {
                const auto copy = std::make_shared<LineData>(*line);
                if (isDerived || !isSmoothedFromStore(*line, smoothing)) {
                    renewSmoothing(*copy, smoothing);
                } else {
                    if (!store)
                        store.emplace(database, storage::Store::Open::ReadOnly);
                    smoothThinned(*store, *copy, smoothing, [this] { return !m_isClosing; });
                }
                done.push_back(copy);
            }
        } catch (const storage::StoreError& failure) {
            error = translatedSentence(failure.what());
        }
        QMetaObject::invokeMethod(this, [this, done, isDerived, error] {
            if (!error.isEmpty()) {
                m_error = error;
                m_isCancelled = false;
            }
            for (const auto& line : done) {
                if (isDerived)
                    m_derived.replace(line);
                else if (const auto found = m_lines.find(line->key); found != m_lines.end())
                    found->second = line;
            }
            finishQuery();
        });
    });
}

}  // namespace ui
