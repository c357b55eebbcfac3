// Ranks of a program, ours or a peer's, started as torchrun would start them.
#pragma once
#include <nlohmann/json.hpp>

#include <QString>
#include <QStringList>

#include <cstdint>
#include <string>

namespace bench {

inline constexpr int kRanks = 2;

/// The Python beside LibTorch, or the one that ATELIER_PEER_PYTHON names.
QString peerPython();

struct RanksOutcome {
    std::string output;             ///< what rank 0 wrote to standard output
    std::int64_t startUnixMs = 0;   ///< when the first rank was started
    double peakMib = 0;             ///< largest resident memory of any rank, by the kernel's account of the finished process
};

/// Starts ranks of one thread each and waits, at most ten minutes.
/// @param keepsFreedMemory malloc returns no memory to the system
/// @throws std::runtime_error with the end of what a rank wrote to standard error when rank 0 writes nothing and any rank fails
RanksOutcome startRanks(const QString& program, const QStringList& arguments, bool keepsFreedMemory = false, int count = kRanks);

/// The same for programs whose rank 0 prints one line of JSON; "peak_mib" is RanksOutcome::peakMib.
nlohmann::json runRanks(const QString& program, const QStringList& arguments, bool keepsFreedMemory = false, int count = kRanks);

}  // namespace bench
