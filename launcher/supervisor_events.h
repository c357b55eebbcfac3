// Journal events that only the supervisor writes, in addition to those of engine/contract.
#pragma once

namespace launcher::event {

inline constexpr char kStalled[] = "stalled";      ///< no rank has written for longer than the stall limit
inline constexpr char kRecovered[] = "recovered";  ///< a rank has written again after a stall
/// Field of a contract::event::kCommand event with the command's name: stop, stop_now or kill.
inline constexpr char kCommandField[] = "command";

}  // namespace launcher::event
