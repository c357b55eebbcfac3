// Copies between host and device that run beside compute.
#pragma once
#include <c10/core/Device.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>
#include <c10/core/StreamGuard.h>

#include <optional>

namespace engine {

/// A stream of the device beside the one that computes. On CPU copies are done when they return, and all of this is
/// nothing. One thread.
class CopyStream {
public:
    explicit CopyStream(c10::Device device);

    /// What this thread gives to the device while it lives goes to the stream, behind all that compute was given before.
    class Scope {
    public:
        explicit Scope(const CopyStream& stream);

    private:
        std::optional<c10::StreamGuard> m_guard;
    };

    /// A moment in the stream: what it was given before is done then.
    class Mark {
    public:
        explicit Mark(const CopyStream& stream);
        void computeWaits();  ///< the current stream does, not this thread
        void hostWaits();

    private:
        std::optional<c10::Event> m_event;
    };

private:
    std::optional<c10::Stream> m_stream;  ///< none on CPU
};

}  // namespace engine
