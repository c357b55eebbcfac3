// Work before a training that ranks divide among themselves.
#pragma once
#include "engine/comm/group.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace engine {

/// Tells how far the preparation is: "encodes pictures: 120 of 3600".
using PreparationProgress = std::function<void(const std::string&)>;

/// Which of @p count things at least one rank lacks: all ranks get the same numbers, rising, and none before all have looked, so
/// that neither their own work nor another run's that fills the same cache makes them go apart. Collective.
/// @param device that the group's collectives take
std::vector<std::size_t> missingAnywhere(
    Group& ranks, c10::Device device, std::size_t count, const std::function<bool(std::size_t)>& isThere);

/// @p count texts, of which every rank makes its share and all ranks get all; empty where that rank's work threw. Collective.
/// @param work returns @p length bytes, none of them zero @param device that the group's collectives take
std::vector<std::string> textsOfAll(
    Group& ranks, c10::Device device, std::size_t count, std::size_t length, const std::function<std::string(std::size_t)>& work);

/// Every rank takes the turns that are its own, and waits for the others. Collective.
/// @param what of which there are @p count, in the plural. @param work of one turn
void divideAmong(
    Group& ranks, std::size_t count, const char* what, const PreparationProgress& tell, const std::function<void(std::size_t)>& work);

}  // namespace engine
