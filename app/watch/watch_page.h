// The page of `atelier watch`: state, progress, curves, the end of the log and the keys, arranged for a terminal of any size.
#pragma once
#include "app/watch/run_feed.h"
#include "app/watch/styled_line.h"
#include "app/watch/terminal.h"

#include <cstddef>
#include <string>
#include <vector>

namespace app {

/// What the user has chosen to see.
struct PageChoices {
    std::size_t firstMetric = 0;  ///< index into RunFeed::metrics()
    int rank = 0;
    bool isLogarithmic = false;
    bool isOnePlot = false;       ///< otherwise as many as there is room for
    bool isLogLarge = false;
    double halfLife = 0;          ///< of the exponential smoothing, in steps; 0: off
    bool hasKeys = true;          ///< a line that names the keys
};

/// "● running, trains" and why, in the style of the state. The word is launcher::stateName()'s.
StyledLine stateLine(const launcher::RunStatus& status);

/// "step 120/2,000 (6 %)  loss 0.312 …": of an active run what Progress says, otherwise where it has ended.
std::string progressText(const RunFeed& feed);

/// @param place "2 of 14", the run's place among all runs
/// @param hasStyles see CurveLook
/// @return at most as many lines as the terminal has rows
std::vector<StyledLine> pageOf(RunFeed& feed, const PageChoices& choices, const std::string& place, const TerminalSize& size, bool hasStyles);

}  // namespace app
