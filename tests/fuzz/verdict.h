// What a reader of files may do with a bad one: refuse it in one sentence that a person can read.
#pragma once
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace fuzz {

/// A broken promise of the product, found in an input.
class Finding : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

/// @throws Finding unless @p message is a sentence: not empty, UTF-8, on one line, of a bounded length, and without the words of
/// a library's own exceptions.
void checkMessage(std::string_view message);

/// @throws Finding saying @p what unless @p isTrue
inline void require(bool isTrue, const std::string& what)
{
    if (!isTrue)
        throw Finding(what);
}

/// Runs @p read. @return whether it accepted its file.
/// @throws Finding when it refuses it by anything but a std::runtime_error of the product's own, with a readable message.
template <typename Read>
bool accepts(Read read)
{
    try {
        read();
        return true;
    } catch (const Finding&) {
        throw;
    } catch (const std::filesystem::filesystem_error& error) {
        throw Finding(std::string("std::filesystem reaches the user: ") + error.what());
    } catch (const std::runtime_error& error) {
        checkMessage(error.what());
        return false;
    } catch (const std::exception& error) {
        throw Finding(std::string("not an error of the product: ") + error.what());
    }
}

}  // namespace fuzz
