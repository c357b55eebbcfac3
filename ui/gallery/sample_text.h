// What is said of samples: above their columns, below their images, in tooltips.
#pragma once
#include "ui/gallery/sample_grid.h"

#include <QStringList>

namespace ui {

/// "a 7 · seed 3 · guidance 2.5"; of samples of a round "Best prompt: best sample".
QString columnTitle(const SampleColumn& column);

/// The title above each column: its prompt, with the settings that tell it from another column of the same prompt. In two lines for
/// samples of rounds.
QStringList columnHeaders(const SampleGrid& grid);

/// Describes @p standing in lines: "reward 0.932, best of 16", "watched reward 0.911", "mean of the prompt 0.83, best of 4".
QString rewardText(const storage::Standing& standing);

/// "A red heart", "Without a prompt".
QString promptText(const storage::SampleRow& sample);

/// " · superseded by a later attempt", or nothing.
QString supersededText(const storage::SampleRow& sample);

/// "step 200 · seed 3 · guidance 2.5 · attempt 2 · averaged weights (EMA)"; of samples of a round also how they fared.
QString settingsText(const storage::SampleRow& sample);

}  // namespace ui
