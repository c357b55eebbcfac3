// Names what a rank is doing: a range in profiles and NVTX timelines, and the place in a failure's message.
#pragma once
#include <ATen/record_function.h>

#include <string>

namespace engine {

/// Costs some nanoseconds while nobody profiles.
class TraceRange {
public:
    /// @param doing "backward of"; @param what "blocks.3"; both outlive the range
    TraceRange(const char* doing, const std::string& what);
    ~TraceRange();
    TraceRange(const TraceRange&) = delete;
    TraceRange& operator=(const TraceRange&) = delete;

private:
    const char* m_doing;
    const std::string& m_what;
    int m_exceptions;  ///< under way at the start
    at::RecordFunction m_record;
};

/// The innermost range of this thread that the last exception left: "backward of blocks.3". Empty when there was none.
const std::string& failurePlace();

}  // namespace engine
