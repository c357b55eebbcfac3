// Divides the preparation of training data among the ranks, and lets rank 0 decide what the data is.
//
// [Note: preparation]
// Ranks prepare data for minutes or hours, and one may be done long before another. A collective at the end would run into
// launch.timeout, so meanwhile a thread of each rank takes part in roll calls, small all-reduces of each rank's progress. A rank that
// has ended is noticed at the next roll call. A live rank is waited for as long as it finishes a piece of its work now and
// then, within a limit of its own (E-030).
// What the file system says about data may differ between hosts, because network disks remember for a while that a file is not
// there. So only rank 0 lists the files and the contents of the caches, and broadcasts the result.
#pragma once
#include "engine/comm/group.h"

#include <c10/core/Device.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace engine {

/// Receives progress messages such as "encodes images: 120 of 3600".
using PreparationProgress = std::function<void(const std::string&)>;

/// How long the other ranks wait for one that finishes no piece of its work.
inline constexpr std::chrono::milliseconds kPreparationLimit = std::chrono::minutes(60);

/// Calls @p work, which must not communicate, and returns when it has returned on all ranks. Collective.
/// @param what names the work in errors: "encoding images"
/// @param work calls its argument after each piece of work
/// @param device device of the tensors in the group's collectives
/// @throws EngineError LostPeer when a rank has ended, or has finished no piece within @p limit.
void workTogether(Group& ranks, c10::Device device, const std::string& what,
    const std::function<void(const std::function<void()>& pieceDone)>& work, std::chrono::milliseconds limit = kPreparationLimit);

/// Calls @p decide on rank 0 and returns its bytes on every rank. Collective.
/// @throws on rank 0 what @p decide throws; on the others an EngineError Failure with the same message.
std::string decidedByFirst(
    Group& ranks, c10::Device device, const std::string& what, const std::function<std::string(const std::function<void()>& pieceDone)>& decide);

/// Returns the ascending indices of the @p count items for which @p isThere is false on rank 0; the same on all ranks.
/// Collective. Other ranks do not look: they agree even while another run fills the same cache, and their hosts do not remember
/// that a file is not there which another rank is about to write.
std::vector<std::size_t> missingItems(
    Group& ranks, c10::Device device, std::size_t count, const std::function<bool(std::size_t)>& isThere);

/// Computes @p count texts, divided among the ranks, and returns all of them on every rank. A text is empty where @p work
/// threw. Collective.
/// @param work computes text i: exactly @p length bytes, none of them zero
std::vector<std::string> gatherTexts(
    Group& ranks, c10::Device device, std::size_t count, std::size_t length, const std::function<std::string(std::size_t)>& work);

/// Calls @p work for this rank's share of the indices [0, count), then waits for the other ranks. Collective.
/// @param what names the items in progress messages, in the plural
/// @param work returns whether it succeeded
/// @return the ascending indices for which it did not, on any rank; the same on all ranks
std::vector<std::size_t> divideAmong(Group& ranks, c10::Device device, std::size_t count, const char* what,
    const PreparationProgress& reportProgress, const std::function<bool(std::size_t)>& work);

}  // namespace engine
