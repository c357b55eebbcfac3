#include "engine/comm/trace.h"

#include <exception>

namespace engine {
namespace {

struct Failure {
    std::string place;
    int exceptions = 0;  ///< uncaught when the place was recorded
};
thread_local Failure t_failure;

std::string nameOf(const char* doing, const std::string& what) { return std::string(doing) + ' ' + what; }

}  // namespace

TraceRange::TraceRange(const char* doing, const std::string& what)
    : m_doing(doing)
    , m_what(what)
    , m_exceptions(std::uncaught_exceptions())
    , m_record(at::RecordScope::USER_SCOPE)
{
    t_failure.exceptions = 0;
    if (m_record.isActive())
        m_record.before(nameOf(doing, what));
}

TraceRange::~TraceRange()
{
    const int exceptions = std::uncaught_exceptions();
    if (exceptions > m_exceptions && t_failure.exceptions != exceptions)
        t_failure = {nameOf(m_doing, m_what), exceptions};
}

const std::string& failurePlace() { return t_failure.place; }

}  // namespace engine
