// Formats everything that a store returns about its runs as text, so that two stores can be compared.
#pragma once
#include "storage/store.h"

#include <string>

/// Doubles are printed by their bits. Omits the ids of series, which may differ between databases of the same folders.
std::string describe(const storage::Store& store);
