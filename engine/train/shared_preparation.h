// Work before a training that ranks divide among themselves.
#pragma once
#include "engine/comm/group.h"

#include <cstddef>
#include <functional>
#include <string>

namespace engine {

/// Tells how far the preparation is: "encodes pictures: 120 of 3600".
using PreparationProgress = std::function<void(const std::string&)>;

/// Every rank takes the turns that are its own, and waits for the others. Collective.
/// @param what of which there are @p count, in the plural. @param work of one turn
void divideAmong(
    Group& ranks, std::size_t count, const char* what, const PreparationProgress& tell, const std::function<void(std::size_t)>& work);

}  // namespace engine
