#include "launcher/remote/protocol.h"

#include "engine/contract/formats/checksum.h"
#include "engine/contract/formats/json_config.h"
#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/text.h"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <stdexcept>

namespace launcher {
namespace {

using Json = nlohmann::json;

}  // namespace

void MessageReader::add(std::string_view bytes)
{
    m_buffer.append(bytes);
    std::string_view rest = m_buffer;
    while (takeNext(rest)) { }
    m_buffer.erase(0, m_buffer.size() - rest.size());
}

bool MessageReader::takeNext(std::string_view& rest)
{
    const std::size_t end = rest.find('\n');
    if (std::min(end, rest.size()) > kLongestRemoteLine)
        throw std::runtime_error("a message is longer than " + std::to_string(kLongestRemoteLine) + " bytes");
    if (end == std::string_view::npos)
        return false;
    const Json message = contract::parseJson(rest.substr(0, end), "a message");
    if (!message.is_object())
        throw std::runtime_error("a message is no JSON object");
    std::size_t payload = 0;
    if (message.contains("bytes")) {
        const std::int64_t bytes = numberField(message, "bytes");
        if (bytes < 0 || bytes > static_cast<std::int64_t>(kLongestPayload))
            throw std::runtime_error("a message announces more than " + std::to_string(kLongestPayload) + " bytes");
        payload = static_cast<std::size_t>(bytes);
    }
    if (rest.size() - end - 1 < payload)
        return false;
    const std::string_view content = rest.substr(end + 1, payload);
    rest.remove_prefix(end + 1 + payload);
    m_onMessage(message, content);
    return true;
}

std::string messageLine(const Json& message) { return contract::jsonText(message) + "\n"; }

std::string textField(const Json& message, const char* key)
{
    const auto found = message.find(key);
    return found != message.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t numberField(const Json& message, const char* key)
{
    const auto found = message.find(key);
    return found != message.end() && found->is_number_integer() ? found->get<std::int64_t>() : -1;
}

Json annotationsJson(const contract::Annotations& annotations)
{
    return {{"name", annotations.name}, {"project", annotations.project}, {"tags", annotations.tags}, {"notes", annotations.notes},
        {"archived", annotations.isArchived}, {"color", contract::colourText(annotations.line)}, {"line", contract::dashText(annotations.line)},
        {"marker", contract::markerText(annotations.line)}};
}

contract::Annotations annotationsOf(const Json& json)
{
    if (!json.is_object())
        return {};
    contract::Annotations annotations {.name = textField(json, "name"), .project = textField(json, "project"), .tags = {},
        .notes = textField(json, "notes"), .isArchived = json.value("archived", Json()) == true};
    contract::setColour(annotations.line, textField(json, "color"));
    contract::setDash(annotations.line, textField(json, "line"));
    contract::setMarker(annotations.line, textField(json, "marker"));
    const Json tags = json.value("tags", Json::array());
    for (const Json& tag : tags) {
        if (tag.is_string())
            annotations.tags.push_back(tag.get<std::string>());
    }
    return annotations;
}

bool isRunName(std::string_view name)
{
    constexpr std::size_t kLongest = 200;
    return !name.empty() && name.size() <= kLongest && name.front() != '.' && name.find('/') == std::string_view::npos
        && contract::isUtf8(name) && contract::escapedBytes(name) == name;
}

std::string tailCheck(int descriptor, std::int64_t size)
{
    const std::int64_t bytes = std::min(size, kTailBytes);
    std::string tail(static_cast<std::size_t>(bytes), '\0');
    if (::pread(descriptor, tail.data(), tail.size(), size - bytes) != bytes)
        return {};
    contract::Checksum checksum;
    checksum.add(tail.data(), tail.size());
    return checksum.text();
}

}  // namespace launcher
