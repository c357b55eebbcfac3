#include "storage/imports/tensorboard_source.h"

#include "engine/contract/records/protobuf_reader.h"
#include "engine/contract/records/record_reader.h"
#include "engine/contract/run/journal.h"
#include "storage/imports/json_values.h"
#include "storage/imports/tensor_value.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <unordered_map>

namespace storage {
namespace {

namespace fs = std::filesystem;
using contract::ProtobufReader;
using Type = ProtobufReader::Type;

struct Event {
    double unixSeconds = 0;
    std::int64_t step = 0;
    std::string_view summary;
    bool isGraph = false;
};

/// nullopt when the record is no Event.
std::optional<Event> eventOf(std::string_view record)
{
    Event event;
    ProtobufReader reader(record);
    while (reader.next()) {
        if (reader.is(1, Type::Fixed64))
            event.unixSeconds = reader.real();
        else if (reader.is(2, Type::Varint))
            event.step = reader.integer();
        else if (reader.is(5, Type::Bytes))
            event.summary = reader.bytes();
        else if (reader.is(4, Type::Bytes) || reader.is(9, Type::Bytes))
            event.isGraph = true;
    }
    return reader.isDamaged() ? std::nullopt : std::optional(event);
}

/// What a summary's value is: the fields of its message.
struct Value {
    std::string_view tag;
    std::optional<double> number;  ///< simple_value
    std::string_view image;
    std::string_view tensor;
    std::string_view plugin;
    std::string_view pluginContent;
    bool hasMetadata = false;
    bool isHistogram = false;
    bool isAudio = false;
};

void readMetadata(std::string_view metadata, Value& value)
{
    ProtobufReader reader(metadata);
    while (reader.next()) {
        if (!reader.is(1, Type::Bytes))
            continue;
        ProtobufReader plugin(reader.bytes());
        while (plugin.next()) {
            if (plugin.is(1, Type::Bytes))
                value.plugin = plugin.bytes();
            else if (plugin.is(2, Type::Bytes))
                value.pluginContent = plugin.bytes();
        }
    }
}

std::optional<Value> valueOf(std::string_view message)
{
    Value value;
    ProtobufReader reader(message);
    while (reader.next()) {
        if (reader.is(1, Type::Bytes))
            value.tag = reader.bytes();
        else if (reader.is(2, Type::Fixed32))
            value.number = reader.real();
        else if (reader.is(4, Type::Bytes))
            value.image = reader.bytes();
        else if (reader.is(5, Type::Bytes))
            value.isHistogram = true;
        else if (reader.is(6, Type::Bytes))
            value.isAudio = true;
        else if (reader.is(8, Type::Bytes))
            value.tensor = reader.bytes();
        else if (reader.is(9, Type::Bytes)) {
            value.hasMetadata = true;
            readMetadata(reader.bytes(), value);
        }
    }
    return reader.isDamaged() ? std::nullopt : std::optional(value);
}

template <typename OnValue>
void eachValue(const Event& event, OnValue onValue)
{
    ProtobufReader reader(event.summary);
    while (reader.next()) {
        if (!reader.is(1, Type::Bytes))
            continue;
        if (const auto value = valueOf(reader.bytes()))
            onValue(*value);
    }
}

struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
};
template <typename Item>
using ByTag = std::unordered_map<std::string, Item, Hash, std::equal_to<>>;

/// The plugin that a later value of a tag belongs to: writers may name it with the first value only.
enum class Plugin { Unknown, Scalars, Text, Images, Hparams, Other };

Plugin pluginCalled(std::string_view name)
{
    return name.empty() ? Plugin::Unknown : name == "scalars" ? Plugin::Scalars : name == "text" ? Plugin::Text : name == "images" ? Plugin::Images
        : name == "hparams"                  ? Plugin::Hparams : Plugin::Other;
}

/// google.protobuf.Value as text; empty for null.
std::string textOf(std::string_view message)
{
    ProtobufReader reader(message);
    while (reader.next()) {
        if (reader.is(2, Type::Fixed64))
            return textOfNumber(reader.real());
        if (reader.is(3, Type::Bytes))
            return std::string(reader.bytes());
        if (reader.is(4, Type::Varint))
            return reader.number() != 0 ? "true" : "false";
    }
    return {};
}

/// The metadata of the plugin "hparams": session_start_info has the parameters, session_end_info how the run ended.
void readHyperparameters(std::string_view content, RunWriter& writer)
{
    ProtobufReader plugin(content);
    while (plugin.next()) {
        ProtobufReader end(plugin.is(4, Type::Bytes) ? plugin.bytes() : std::string_view());
        while (end.next()) {
            if (end.is(1, Type::Varint) && (end.number() == 1 || end.number() == 2))
                writer.origin().ending = end.number() == 1 ? "where it succeeded" : "where it failed";
        }
        if (!plugin.is(3, Type::Bytes))
            continue;
        ProtobufReader session(plugin.bytes());
        while (session.next()) {
            if (!session.is(1, Type::Bytes))
                continue;
            std::string_view key, value;
            ProtobufReader entry(session.bytes());
            while (entry.next())
                (entry.is(1, Type::Bytes) ? key : value) = entry.bytes();
            if (!key.empty())
                writer.addParameter(key, textOf(value));
        }
    }
}

class EventFolder {
public:
    EventFolder(const ForeignRun& run, RunWriter& writer)
        : m_run(run)
        , m_writer(writer)
    {
    }

    void read()
    {
        std::string firstProblem;
        for (const fs::path& file : eventFiles(m_run.place)) {
            try {
                readFile(file);
            } catch (const ImportCancelled&) {
                throw;
            } catch (const std::system_error&) {
                throw;  // the run's folder cannot be written
            } catch (const std::runtime_error& error) {
                if (firstProblem.empty())
                    firstProblem = error.what();
                m_writer.warn(error.what());
            }
        }
        if (!m_writer.hasBegun())
            throw std::runtime_error(firstProblem.empty() ? m_run.place.string() + ": holds no event that can be read" : firstProblem);
    }

private:
    void readFile(const fs::path& file)
    {
        const std::optional<std::int64_t> again = m_last.empty() ? std::nullopt : firstRepeatedStep(file);
        contract::EventRecords records(file);
        std::int64_t unreadable = 0;
        bool isFirst = true;
        m_isOurs = file.extension() == ".atelier";
        while (const auto record = records.next()) {
            const auto event = eventOf(*record);
            if (!event) {
                ++unreadable;
                continue;
            }
            if (isFirst && (!m_writer.hasBegun() || again))
                m_writer.beginAttempt({.unixSeconds = event->unixSeconds, .parentStep = again ? *again - 1 : 0, .host = hostOf(file)});
            isFirst = false;
            add(*event);
        }
        for (const auto& [tag, step] : m_now)
            m_last[tag] = step;
        m_now.clear();
        if (!records.ending().empty())
            m_writer.warn(file.string() + ": " + records.ending());
        m_writer.warnOfDamage(file, unreadable + records.damagedRecords());
    }

    /// The lowest step with which a curve of earlier files begins again in @p file, at or before its end there; nullopt when none does.
    std::optional<std::int64_t> firstRepeatedStep(const fs::path& file) const
    {
        std::optional<std::int64_t> lowest;
        ByTag<bool> seen;
        contract::EventRecords records(file);
        while (const auto record = records.next()) {
            const auto event = eventOf(*record);
            if (!event)
                continue;
            eachValue(*event, [&](const Value& value) {
                const auto last = m_last.find(value.tag);
                if (last == m_last.end() || seen.contains(value.tag))
                    return;
                seen.emplace(value.tag, true);
                if (event->step <= last->second)
                    lowest = std::min(lowest.value_or(event->step), event->step);
            });
        }
        return lowest;
    }

    /// "events.out.tfevents.SECONDS.HOST.PROCESS.…"
    static std::string hostOf(const fs::path& file)
    {
        constexpr std::string_view kMark = "tfevents.";
        const std::string name = file.filename().string();
        const std::size_t begin = name.find('.', name.find(kMark) + kMark.size());
        if (begin == std::string::npos)
            return {};
        return name.substr(begin + 1, name.find('.', begin + 1) - begin - 1);
    }

    void add(const Event& event)
    {
        if (event.isGraph)
            m_writer.leaveOut("graph");
        m_values.clear();
        m_hostValues.clear();
        eachValue(event, [&](const Value& value) { addValue(event, value); });
        m_writer.addValues(event.step, event.unixSeconds, m_values);
        m_writer.addHostValues(event.unixSeconds, m_hostValues);
    }

    void addValue(const Event& event, const Value& value)
    {
        if (value.number)
            return addNumber(event, value.tag, *value.number);
        Plugin plugin = pluginCalled(value.plugin);
        if (value.hasMetadata && plugin != Plugin::Unknown)
            m_plugins.emplace(value.tag, plugin);
        else if (const auto known = m_plugins.find(value.tag); known != m_plugins.end())
            plugin = known->second;
        if (plugin == Plugin::Hparams)
            return readHyperparameters(value.pluginContent, m_writer);
        if (!value.image.empty())
            return addImage(event, value);
        if (value.isHistogram || value.isAudio)
            return m_writer.leaveOut(value.isAudio ? "audio clip" : "histogram");
        if (value.tensor.empty())
            return;
        const auto number = plugin == Plugin::Scalars || plugin == Plugin::Unknown ? numberOf(value.tensor) : std::nullopt;
        if (number)
            return addNumber(event, value.tag, *number);
        const std::vector<std::string_view> texts = textsOf(value.tensor);
        if (plugin == Plugin::Images && texts.size() > 2) {  // width, height, pictures
            for (std::size_t i = 2; i < texts.size(); ++i)
                addPicture(event, value.tag, texts[i]);
        } else if (plugin == Plugin::Text && !texts.empty()) {
            std::string message(value.tag);
            for (const std::string_view text : texts)
                message.append(": ").append(text);
            m_writer.addEvent(event.step, event.unixSeconds, "info", "text", message);
        } else {
            m_writer.leaveOut(value.plugin == "histograms" ? "histogram" : "tensor");
        }
    }

    void addNumber(const Event& event, std::string_view tag, double number)
    {
        if (m_isOurs && tag.starts_with(contract::metric::kHostPrefix))  // its steps are seconds
            return m_hostValues.push_back({tag.substr(std::string_view(contract::metric::kHostPrefix).size()), number});
        m_values.push_back({tag, number});
        const auto known = m_now.find(tag);
        if (known == m_now.end())
            m_now.emplace(tag, event.step);
        else
            known->second = std::max(known->second, event.step);
    }

    /// The field "image": encoded_image_string holds the file.
    void addImage(const Event& event, const Value& value)
    {
        ProtobufReader reader(value.image);
        while (reader.next()) {
            if (reader.is(4, Type::Bytes))
                addPicture(event, value.tag, reader.bytes());
        }
    }

    void addPicture(const Event& event, std::string_view tag, std::string_view content)
    {
        constexpr std::string_view kOurs = "samples/";  // as exportTensorBoard() names them
        const std::string_view prompt = tag.starts_with(kOurs) ? tag.substr(kOurs.size()) : tag;
        if (!m_writer.addPicture(event.step, event.unixSeconds, prompt, content))
            m_writer.leaveOut("picture");
    }

    const ForeignRun& m_run;
    RunWriter& m_writer;
    std::vector<NamedValue> m_values, m_hostValues;  ///< of the event
    bool m_isOurs = false;  ///< Atelier has exported the file
    ByTag<Plugin> m_plugins;
    ByTag<std::int64_t> m_now;   ///< the highest step of each curve, in this file
    ByTag<std::int64_t> m_last;  ///< the same in the files before it
};

}  // namespace

void readTensorBoard(const ForeignRun& run, RunWriter& writer) { EventFolder(run, writer).read(); }

}  // namespace storage
