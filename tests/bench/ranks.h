// Ranks of a program, ours or a peer's, started as torchrun would.
#pragma once
#include <nlohmann/json.hpp>

#include <QString>
#include <QStringList>

namespace bench {

inline constexpr int kRanks = 2;

/// The Python beside LibTorch, or the one that ATELIER_PEER_PYTHON names.
QString peerPython();

/// Starts kRanks ranks of one thread each, waits, and reads the line of JSON that rank 0 prints.
/// @param hasThresholds malloc keeps what was freed
/// @throws std::runtime_error with what it said instead
nlohmann::json runRanks(const QString& program, const QStringList& arguments, bool hasThresholds = false);

}  // namespace bench
