// A device that is not the CPU, for machines that have no other: its memory is the host's, its operators are the CPU's.
// Copies on a stream of their own are as late as can be: they happen when somebody waits for them, so that who forgets to
// wait reads what was there before. It counts what would keep the host or the driver of a real device busy.
#pragma once
#include <c10/core/Device.h>

namespace tests {

c10::Device lateDevice();

struct LateCounts {
    int waits = 0;        ///< blocking copies between host and device, numbers read by item() and the like, awaited events
    int operators = 0;    ///< computed by the device; each takes one millisecond of its time, as its events see it
    int allocations = 0;  ///< of memory that no freed tensor of the same size had left, as of a caching allocator
};

/// Counted since the start of the process. Operators that the CPU computes for the device count as if it computed them.
const LateCounts& lateCounts();

}  // namespace tests
