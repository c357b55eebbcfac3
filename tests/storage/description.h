// Everything a store says about its runs as text, so that two stores can be compared.
#pragma once
#include "storage/store.h"

#include <string>

/// Doubles by their bits; without what may differ between databases of the same folders (the series' ids).
std::string describe(const storage::Store& store);
