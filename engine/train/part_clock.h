// Measures the parts of a step: on a device by events in its stream, on the CPU by the host's clock.
#pragma once
#include "engine/comm/mesh.h"

#include <c10/core/Device.h>

#include <optional>
#include <vector>

namespace engine {

/// Where the time of a step goes, in milliseconds.
struct StepTimes {
    double step = 0, data = 0, forward = 0, backward = 0, communication = 0, optimizer = 0;
};

class PartClock {
public:
    /// @param mesh whose waits are communication; must outlive this object
    PartClock(Mesh& mesh, c10::Device device)
        : m_mesh(mesh)
        , m_device(device)
    {
    }

    /// The first lap begins now.
    void begin();

    /// What has passed since the last lap belongs to @p part, except the time spent waiting for other ranks. No-op before begin().
    void lap(double StepTimes::*part);

    /// Adds the laps since the last call to @p times. On a device: call it when the host has waited for the work of the last lap.
    void collect(StepTimes& times);

private:
    struct Lap {
        double StepTimes::*part;
        Moment begin, end;
        WaitTime waited;
    };

    Mesh& m_mesh;
    c10::Device m_device;
    std::optional<Moment> m_last;
    std::vector<Lap> m_laps;
};

}  // namespace engine
