// Journal events that only the supervisor writes, in addition to those of engine/contract.
#pragma once

namespace launcher::event {

inline constexpr char kRestarted[] = "restarted";  ///< first event of an attempt that follows a failure
/// Field of a contract::event::kCommand event with the command's name: stop, stop_now or kill.
inline constexpr char kCommandField[] = "command";

/// Field of the supervisor's end record of an attempt after which it has started another one: the number of that restart.
inline constexpr char kRestartField[] = "restart";

}  // namespace launcher::event
