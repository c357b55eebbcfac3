// Kinds of training data by which it is looked at, such as what was left out.
#pragma once
#include "engine/contract/run/data_manifest.h"

namespace contract {

/// The numbers are stored in the settings of the window.
enum class DataKind { All, Training, Validation, Prior, LeftOut, WithoutCaption, Masked, Enlarged };
inline constexpr int kDataKinds = 8;

/// All but what was left out counts as without a caption, masked or enlarged.
bool isOfKind(const DataEntry& entry, DataKind kind);

/// "all", "training", "left-out": for commands.
const char* nameOf(DataKind kind);

}  // namespace contract
