// What is said against arguments that are refused.
#pragma once
#include <functional>
#include <stdexcept>
#include <string>

namespace tests {

/// The message of the std::invalid_argument that @p body throws; empty when it throws none.
inline std::string refusalOf(const std::function<void()>& body)
{
    try {
        body();
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return {};
}

}  // namespace tests
