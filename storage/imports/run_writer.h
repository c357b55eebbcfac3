// Writes what another program has recorded of a run as a run folder. See [Note: imported runs] in engine/contract/run/origin.h.
#pragma once
#include "engine/contract/formats/checksum.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/run/origin.h"
#include "engine/contract/run/run_folder.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>

namespace storage {

struct NamedValue {
    std::string_view name;
    double value = 0;
};

class ImportCancelled : public std::runtime_error {
public:
    ImportCancelled()
        : std::runtime_error("the import was cancelled")
    {
    }
};

/// The last line of a sealed journal, to which everything before it has given the checksum @p sum.
std::string sealLine(const contract::Checksum& sum);

/// Where a time is in Unix seconds, one that is no sensible time counts as the attempt's start.
/// All functions throw std::system_error naming the file that cannot be written.
class RunWriter {
public:
    /// @param folder must not exist
    /// @param isCancelled when it returns true, the functions below throw ImportCancelled; empty: never
    explicit RunWriter(const std::filesystem::path& folder, std::function<bool()> isCancelled = {});

    struct Attempt {
        double unixSeconds = 0;  ///< its start
        std::int64_t parentStep = 0;  ///< what the attempt before it recorded after this step is superseded
        std::string host = {};
        std::map<std::string, std::string> versions = {};  ///< "wandb" → "0.31.0"
    };
    /// Call it when origin().identity is set, before anything is added; again for an attempt that began anew.
    void beginAttempt(const Attempt& attempt);
    /// The start of attempts that have none of their own; 0 without this.
    void setUsualStart(std::int64_t unixMs) { m_usualStartUnixMs = unixMs; }
    std::int64_t usualStart() const { return m_usualStartUnixMs; }
    /// Ends the journal in a checksum, so that readers who go on where they were notice any change, and read it again as a whole. For sources
    /// that people edit.
    void seal() { m_isSealed = true; }
    bool hasBegun() const { return m_start.attempt > 0; }

    void addValues(std::int64_t step, double unixSeconds, std::span<const NamedValue> values);
    /// What the machine did meanwhile; the names get the prefix of the host's metrics.
    void addHostValues(double unixSeconds, std::span<const NamedValue> values);
    /// @param level info, warning or error
    void addEvent(std::int64_t step, double unixSeconds, std::string_view level, std::string_view kind, std::string_view message);
    /// @param content of a PNG, JPEG, GIF or WebP file. @return false for others, and after 100,000 pictures; nothing is added then
    bool addPicture(std::int64_t step, double unixSeconds, std::string_view prompt, std::string_view content);
    void addLog(std::string_view text);
    void addParameter(std::string_view key, std::string_view value);
    /// Counts something that Atelier has no place for: "histogram".
    void leaveOut(const std::string& what, std::int64_t count = 1);
    void warn(std::string sentence) { m_origin.leftOut.push_back(std::move(sentence)); }
    void warnOfDamage(const std::filesystem::path& file, std::int64_t records);  ///< no-op when there are none

    contract::Origin& origin() { return m_origin; }
    const contract::RunFolder& folder() const { return m_folder; }
    std::int64_t lastStep() const { return m_origin.lastStep; }
    double lastSeconds() const { return m_lastSeconds; }
    /// For those who write journals themselves (see series_journals.h): something was recorded then.
    void noteTime(double unixSeconds);
    /// The line with which an attempt begins in the journal of @p rank.
    std::string header(const contract::AttemptStart& start, int rank) const;
    void throwIfCancelled() const;

    /// Writes what is pending, and origin.json. An attempt must have begun.
    void finish();

private:
    double msOf(double unixSeconds);
    void beginLine(std::string_view type, std::int64_t step, double unixSeconds);
    void addText(std::string_view name, std::string_view text);
    void endLine();
    void flushLines();
    void flushLog();
    const std::string& quotedName(std::string_view name);

    struct Hash : std::hash<std::string_view> {
        using is_transparent = void;
    };

    contract::RunFolder m_folder;
    std::function<bool()> m_isCancelled;
    contract::Origin m_origin;
    contract::AttemptStart m_start;
    std::unique_ptr<contract::OutputFile> m_journal;
    std::unique_ptr<contract::OutputFile> m_log;
    std::string m_lines;      ///< that have yet to be written
    std::string m_hostLines;  ///< all lines of the host's journal
    std::unordered_map<std::string, std::string, Hash, std::equal_to<>> m_names;  ///< name → ,"name": in JSON
    std::map<std::string, std::int64_t> m_leftOut;
    double m_lastSeconds = 0;
    std::int64_t m_usualStartUnixMs = 0;
    bool m_isSealed = false;
    int m_pictures = 0;
    std::string m_logText;  ///< that has yet to be written
    std::map<std::string, std::string> m_parameters;
};

}  // namespace storage
