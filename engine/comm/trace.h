// Names what a rank is doing: a range in profiles and NVTX timelines, and the place in a failure's message.
#pragma once
#include <ATen/record_function.h>

#include <string>

namespace engine {

/// Costs a few nanoseconds when no profiler is active.
class TraceRange {
public:
    /// @param doing "backward of"; @param what "blocks.3"; both must outlive the range
    TraceRange(const char* doing, const std::string& what);
    ~TraceRange();
    TraceRange(const TraceRange&) = delete;
    TraceRange& operator=(const TraceRange&) = delete;

private:
    const char* m_doing;
    const std::string& m_what;
    int m_exceptions;  ///< uncaught at the start
    at::RecordFunction m_record;
};

/// The innermost range of this thread that the last exception passed through: "backward of blocks.3". Empty when none did.
const std::string& failurePlace();

}  // namespace engine
