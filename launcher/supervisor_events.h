// Events that only the supervisor writes, beside those of the contract.
#pragma once

namespace launcher::event {

inline constexpr char kStalled[] = "stalled";      ///< no rank has written for longer than the stall limit
inline constexpr char kRecovered[] = "recovered";  ///< one has again
/// Field of a contract::event::kCommand: stop, stop_now, kill, checkpoint or sample.
inline constexpr char kCommandField[] = "command";

}  // namespace launcher::event
