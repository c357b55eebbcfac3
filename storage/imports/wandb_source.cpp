#include "storage/imports/wandb_source.h"

#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/records/protobuf_reader.h"
#include "engine/contract/records/record_reader.h"
#include "storage/imports/json_values.h"
#include "storage/imports/wandb_messages.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace storage {
namespace {

namespace fs = std::filesystem;
using contract::ProtobufReader;
using Type = ProtobufReader::Type;

class WandbLog {
public:
    WandbLog(const ForeignRun& run, RunWriter& writer)
        : m_run(run)
        , m_writer(writer)
    {
    }

    ForeignNotes read()
    {
        contract::WandbRecords records(m_run.place);
        std::int64_t unreadable = 0;
        while (const auto record = records.next()) {
            ProtobufReader reader(*record);
            while (reader.next()) {
                if (reader.type() == Type::Bytes)
                    take(reader.field(), reader.bytes());
            }
            unreadable += reader.isDamaged() ? 1 : 0;
        }
        begin(0);
        addSummary();
        if (!records.ending().empty())
            m_writer.warn(m_run.place.string() + ": " + records.ending());
        m_writer.warnOfDamage(m_run.place, unreadable);
        return m_notes;
    }

private:
    /// The fields of a Record.
    void take(unsigned field, std::string_view message)
    {
        switch (field) {
        case 2:
            return addHistory(message);
        case 3:
            return eachItem(message, 1, [this](const WandbItem& item) { m_summary[item.key] = item.json; });
        case 5:
            return addConfig(message);
        case 7:
            return addStatistics(message);
        case 8:
            return m_writer.leaveOut("artifact");
        case 10:
            return addAlert(message);
        case 4:
        case 13:
            return addOutput(message);
        case 17:
            return addRun(message);
        case 18:
            return addExit(message);
        case 11:
            return addTelemetry(message);
        default:
            return;
        }
    }

    void addRun(std::string_view message)
    {
        const WandbRun facts = wandbRun(message);
        if (!facts.name.empty())
            m_writer.origin().name = facts.name;
        m_writer.origin().project = facts.project;
        m_notes = facts.notes;
        m_start = facts.start;
        m_host = facts.host;
        if (!facts.group.empty())
            m_writer.addParameter("group", facts.group);
        if (!facts.job.empty())
            m_writer.addParameter("job_type", facts.job);
        addConfig(facts.config);
    }

    /// The program's version.
    void addTelemetry(std::string_view message)
    {
        ProtobufReader reader(message);
        while (reader.next()) {
            if (reader.is(3, Type::Bytes))  // cli_version
                m_version = contract::shortened(reader.bytes());
        }
    }

    void addConfig(std::string_view message)
    {
        eachItem(message, 1, [this](const WandbItem& item) {
            if (!item.key.starts_with("_wandb"))
                visitJsonTexts(item.json, item.key, [this](const std::string& key, const std::string& text) { m_writer.addParameter(key, text); });
        });
    }

    void begin(double unixSeconds)
    {
        if (m_writer.hasBegun())
            return;
        RunWriter::Attempt attempt {.unixSeconds = m_start > 0 ? m_start : unixSeconds, .parentStep = 0, .host = m_host};
        if (!m_version.empty())
            attempt.versions["wandb"] = m_version;
        m_writer.beginAttempt(attempt);
    }

    void addHistory(std::string_view message)
    {
        std::int64_t step = m_nextStep;
        double time = 0;
        m_items.clear();
        ProtobufReader reader(message);
        while (reader.next()) {
            if (reader.is(2, Type::Bytes)) {
                ProtobufReader number(reader.bytes());
                while (number.next())
                    step = number.is(1, Type::Varint) ? number.integer() : step;
            } else if (reader.is(1, Type::Bytes)) {
                WandbItem item = wandbItem(reader.bytes());
                if (item.key == "_step" && item.number && std::abs(*item.number) < 9e15)
                    step = static_cast<std::int64_t>(*item.number);
                else if (item.key == "_timestamp")
                    time = item.number.value_or(0);
                else if (item.key != "_runtime" && !item.key.starts_with("_wandb"))
                    m_items.push_back(std::move(item));
            }
        }
        m_nextStep = step + 1;
        begin(time);
        addItems(step, time);
    }

    /// Takes the items out of m_items that together are an object with "_type", such as a picture: newer logs have one for each of its fields.
    std::map<std::string, nlohmann::json> takeMedia()
    {
        constexpr std::string_view kType = "._type";
        std::map<std::string, nlohmann::json> media;
        for (const WandbItem& item : m_items) {
            if (item.key.ends_with(kType))
                media.emplace(item.key.substr(0, item.key.size() - kType.size()), nlohmann::json::object());
        }
        if (media.empty())
            return media;
        std::erase_if(m_items, [&](const WandbItem& item) {
            const std::size_t dot = item.key.rfind('.');
            const auto medium = dot == std::string::npos ? media.end() : media.find(item.key.substr(0, dot));
            if (medium == media.end())
                return false;
            medium->second[item.key.substr(dot + 1)] = parsedJson(item.json);
            return true;
        });
        return media;
    }

    void addItems(std::int64_t step, double time)
    {
        m_names.clear();
        m_values.clear();
        for (const auto& [key, medium] : takeMedia())
            addMedium(step, time, key, medium);
        const JsonVisitor visitor {.onNumber = [this](const std::string& key, double value) { m_names.emplace_back(key, value); },
            .onText = [this](const std::string&, const std::string&) { m_writer.leaveOut("text"); },
            .onMedium = [&](const std::string& key, const nlohmann::json& medium) { addMedium(step, time, key, medium); }};
        for (WandbItem& item : m_items) {
            if (item.number)
                m_names.emplace_back(std::move(item.key), *item.number);
            else if (!item.json.empty())
                visitJson(item.json, item.key, visitor);
        }
        for (const auto& [name, value] : m_names) {
            m_values.push_back({name, value});
            if (!m_known.contains(name))
                m_known.insert(name);
        }
        m_writer.addValues(step, time, m_values);
    }

    /// A picture is a file below "files" beside the log.
    void addMedium(std::int64_t step, double time, const std::string& key, const nlohmann::json& medium)
    {
        const std::string type = medium.contains("_type") && medium["_type"].is_string() ? medium["_type"].get<std::string>() : std::string();
        std::vector<std::string> files;
        if (type == "image-file" && medium.contains("path") && medium["path"].is_string())
            files.push_back(medium["path"].get<std::string>());
        else if (type == "images/separated" && medium.contains("filenames") && medium["filenames"].is_array())
            for (const auto& name : medium["filenames"])
                if (name.is_string())
                    files.push_back(name.get<std::string>());
        if (files.empty())
            return m_writer.leaveOut(type == "histogram" ? "histogram" : "medium");
        for (const std::string& name : files) {
            // Each file once: a small log could name a large one a million times.
            const std::string content = m_pictures.insert(name).second ? pictureCalled(name) : std::string();
            if (content.empty() || !m_writer.addPicture(step, time, key, content))
                m_writer.leaveOut("picture");
        }
    }

    /// Empty when it cannot be read or the name leads out of the run's folder.
    std::string pictureCalled(const fs::path& name) const
    {
        constexpr std::uint64_t kMostBytes = std::uint64_t {64} << 20;
        if (name.is_absolute() || std::ranges::find(name, fs::path("..")) != name.end())
            return {};
        try {
            return contract::fileContent(m_run.place.parent_path() / "files" / name, kMostBytes, contract::Links::Refuse);
        } catch (const std::runtime_error&) {
            return {};
        }
    }

    void addStatistics(std::string_view message)
    {
        double time = 0;
        std::vector<std::pair<std::string, double>> numbers;
        ProtobufReader reader(message);
        while (reader.next()) {
            if (reader.is(2, Type::Bytes)) {
                time = secondsOf(reader.bytes());
            } else if (reader.is(3, Type::Bytes)) {
                WandbItem item = wandbItem(reader.bytes());
                if (item.number)
                    numbers.emplace_back(std::move(item.key), *item.number);
            }
        }
        std::vector<NamedValue> values;
        for (const auto& [name, value] : numbers)
            values.push_back({name, value});
        begin(time);
        m_writer.addHostValues(time, values);
    }

    void addAlert(std::string_view message)
    {
        std::string title, text, level;
        ProtobufReader reader(message);
        while (reader.next()) {
            if (reader.type() == Type::Bytes && reader.field() >= 1 && reader.field() <= 3)
                (reader.field() == 1 ? title : reader.field() == 2 ? text : level) = reader.bytes();
        }
        begin(0);
        m_writer.addEvent(m_nextStep > 0 ? m_nextStep - 1 : 0, m_writer.lastSeconds(), level == "ERROR" ? "error" : level == "WARN" ? "warning" : "info",
            "alert", title + ": " + text);
    }

    void addOutput(std::string_view message)
    {
        ProtobufReader reader(message);
        while (reader.next()) {
            if (reader.is(3, Type::Bytes))
                m_writer.addLog(reader.bytes());
        }
    }

    void addExit(std::string_view message)
    {
        std::int64_t code = 0;
        ProtobufReader reader(message);
        while (reader.next()) {
            if (reader.is(1, Type::Varint))
                code = reader.integer();
        }
        m_writer.origin().ending = code == 0 ? "where it finished" : "where it failed with exit code " + std::to_string(code);
    }

    void addSummary()
    {
        std::vector<std::pair<std::string, double>> numbers;
        for (const auto& [name, json] : m_summary) {
            const auto number = numberInJson(json);
            if (number && !m_known.contains(name) && !name.starts_with("_") && !isOfMedium(name))
                numbers.emplace_back("summary/" + name, *number);
        }
        std::vector<NamedValue> values;
        for (const auto& [name, value] : numbers)
            values.push_back({name, value});
        m_writer.addValues(m_writer.lastStep(), m_writer.lastSeconds(), values);
    }

    /// Whether the summary has it as a field of a picture or another object with "_type".
    bool isOfMedium(const std::string& name) const
    {
        const std::size_t dot = name.rfind('.');
        return dot != std::string::npos && m_summary.contains(name.substr(0, dot) + "._type");
    }

    const ForeignRun& m_run;
    RunWriter& m_writer;
    ForeignNotes m_notes;
    double m_start = 0;  ///< 0: not known
    std::string m_host;
    std::string m_version;
    std::int64_t m_nextStep = 0;
    std::vector<WandbItem> m_items;                            ///< of the record, and so are the next two
    std::vector<std::pair<std::string, double>> m_names;
    std::vector<NamedValue> m_values;
    std::set<std::string, std::less<>> m_known;           ///< the names that the history has
    std::set<std::string> m_pictures;                     ///< the names of those that were added
    std::map<std::string, std::string, std::less<>> m_summary;  ///< the newest values, as JSON
};

}  // namespace

ForeignNotes readWandb(const ForeignRun& run, RunWriter& writer) { return WandbLog(run, writer).read(); }

std::string wandbIdentity(const fs::path& log)
{
    contract::WandbRecords records(log);
    while (const auto record = records.next()) {
        ProtobufReader reader(*record);
        while (reader.next()) {
            if (!reader.is(17, Type::Bytes))
                continue;
            const WandbRun facts = wandbRun(reader.bytes());
            return "wandb:" + facts.entity + "/" + facts.project + "/" + facts.id + "@" + contract::shortestText(facts.start);
        }
    }
    return "wandb:" + log.string();
}

}  // namespace storage
