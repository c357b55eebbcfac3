// Copies between host and device that overlap with compute.
#pragma once
#include <c10/core/Device.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>
#include <c10/core/StreamGuard.h>

#include <optional>

namespace engine {

/// A second stream of the device, for copies. On CPU copies are complete when they return, so all of this is a no-op. Use it
/// on one thread.
class CopyStream {
public:
    explicit CopyStream(c10::Device device);

    /// While it exists, this thread's device work goes to the copy stream, after all work queued on the compute stream before.
    class Scope {
    public:
        explicit Scope(const CopyStream& stream);

    private:
        std::optional<c10::StreamGuard> m_guard;
    };

    /// A point in the stream: it is reached when all work queued before it is done.
    class Mark {
    public:
        explicit Mark(const CopyStream& stream);
        void computeWaits();  ///< makes the current stream wait for the mark; this thread does not block
        void hostWaits();     ///< blocks this thread until the mark is reached

    private:
        std::optional<c10::Event> m_event;
    };

private:
    std::optional<c10::Stream> m_stream;  ///< none on CPU
};

}  // namespace engine
