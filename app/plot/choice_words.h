// The words of the command line for the choices that plots have.
#pragma once
#include "ui/plot/lines/grouping.h"
#include "ui/plot/lines/plot_settings.h"

#include <map>
#include <string>

namespace app {

template <typename Value>
using Words = std::map<std::string, Value>;

extern const Words<ui::XAxis> kAxisWords;
extern const Words<ui::Smoothing::Kind> kSmoothingWords;
extern const Words<ui::Grouping::By> kGroupWords;  ///< but By::Nothing, and By::Option, which is the option's key
extern const Words<ui::Grouping::Band> kBandWords;

/// @param value one of those in @p words
template <typename Value>
const std::string& wordOf(const Words<Value>& words, Value value)
{
    auto word = words.begin();
    while (word->second != value)
        ++word;
    return word->first;
}

}  // namespace app
