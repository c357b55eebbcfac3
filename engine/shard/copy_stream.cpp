#include "engine/shard/copy_stream.h"

#include <c10/core/impl/VirtualGuardImpl.h>

namespace engine {
namespace {

c10::Stream currentStream(c10::Device device)
{
    return c10::impl::VirtualGuardImpl(device.type()).getStream(device);
}

}  // namespace

CopyStream::CopyStream(c10::Device device)
{
    if (!device.is_cpu())
        m_stream = c10::impl::VirtualGuardImpl(device.type()).getNewStream(device);
}

CopyStream::Scope::Scope(const CopyStream& stream)
{
    if (!stream.m_stream)
        return;
    c10::Event computed(stream.m_stream->device_type());
    computed.record(currentStream(stream.m_stream->device()));
    computed.block(*stream.m_stream);
    m_guard.emplace(*stream.m_stream);
}

CopyStream::Mark::Mark(const CopyStream& stream)
{
    if (!stream.m_stream)
        return;
    m_event.emplace(stream.m_stream->device_type());
    m_event->record(*stream.m_stream);
}

void CopyStream::Mark::computeWaits()
{
    if (m_event)
        m_event->block(currentStream(m_event->device()));
}

void CopyStream::Mark::hostWaits()
{
    if (m_event)
        m_event->synchronize();
}

}  // namespace engine
