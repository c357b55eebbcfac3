// The mark on a checkpoint whose content was found to be damaged, checkpoints/step-N/DAMAGED: its text says where.
//
// A manifest can be read without the content that it lists. So that nothing trusts a checkpoint a second time, for example to resume
// from it, whoever reads damaged content leaves the mark, and readManifest() refuses the checkpoint. verifyCheckpoint() reads all of
// the content again, and removes the mark where there is no damage any more: a disk may have failed for a moment.
#pragma once
#include <filesystem>
#include <string>

namespace contract {

inline constexpr char kDamageFile[] = "DAMAGED";

/// Leaves the mark, except on a checkpoint that has one. No-op where it cannot be written.
/// @param damage what is wrong, beginning with the file's name
void markDamaged(const std::filesystem::path& checkpointFolder, const std::string& damage);

/// The text of the mark, at most some hundred characters; empty: there is none.
std::string damageMark(const std::filesystem::path& checkpointFolder);

/// No-op where there is no mark.
void removeDamageMark(const std::filesystem::path& checkpointFolder);

}  // namespace contract
