// A device that is not the CPU, for machines that have no other: its memory is the host's, its operators are the CPU's.
// Copies on a stream of their own are as late as can be: they happen when somebody waits for them, so that who forgets to
// wait reads what was there before.
#pragma once
#include <c10/core/Device.h>

namespace tests {

c10::Device lateDevice();

}  // namespace tests
