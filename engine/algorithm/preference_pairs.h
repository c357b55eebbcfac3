// Pairs of a chosen and a rejected sample, for preference losses. Rows.
#pragma once
#include <cstdint>
#include <vector>

namespace engine {

/// Returns for each group, in the order in which groups first appear, the row of the highest score and then that of the lowest;
/// of equal scores the first row counts as the highest and the last as the lowest. Groups of one row are left out.
/// @param groups, scores [B]
/// @throws EngineError WrongUsage when no group has two rows; std::invalid_argument when the sizes differ.
std::vector<std::int64_t> preferencePairs(const std::vector<std::int64_t>& groups, const std::vector<double>& scores);

/// Checks the rows of a batch of pairs: chosen, rejected, chosen, rejected …
/// @param rewards [2P]; ties are allowed
/// @param groups [2P], or empty when unknown
/// @throws EngineError WrongUsage naming the pair whose rows have different groups or whose chosen row has the lower reward, and
///         for an odd number of rows or none.
void checkPairs(const std::vector<double>& rewards, const std::vector<std::int64_t>& groups);

}  // namespace engine
