// Writes what another machine sends into a mirror. The machine is not trusted: whatever it says, only files that a run has are
// written, inside the mirror, through no link, and never so many that the disk fills up.
#pragma once
#include "launcher/remote/served_files.h"
#include "launcher/state/mirror_state.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace launcher {

/// All functions throw std::runtime_error in one sentence: on what is not allowed, and on what the disk refuses.
class MirrorFolder {
public:
    explicit MirrorFolder(std::filesystem::path data)
        : m_data(std::move(data))
    {
    }

    const std::filesystem::path& data() const { return m_data; }
    contract::RunFolder run(const std::string& id) const { return contract::RunFolder(m_data / "runs" / id); }
    std::vector<std::string> runs() const;  ///< ids

    /// What there is of a run's files of the depths in [@p first, @p last], as entries of the request "have".
    std::vector<nlohmann::json> had(const std::string& id, FileDepth first, FileDepth last) const;

    /// Carries out a message about a file of a run, with the bytes that follow it.
    void takeFile(const std::string& id, const nlohmann::json& message, std::string_view bytes);
    /// Writes seen.json; creates the run's folder. @return whether something has changed
    bool takeStatus(const std::string& id, const SeenRun& seen);
    void removeRun(const std::string& id);
    /// What takeStatus() was last given for the run, also in an earlier session.
    std::optional<SeenRun> seen(const std::string& id) const;

    /// Forgets what has arrived of files that are not complete.
    void dropIncomplete() { m_incomplete.clear(); }

private:
    void append(const std::string& id, const std::string& path, std::int64_t at, bool isAnew, std::string_view bytes);
    void collect(const std::string& id, const std::string& path, const nlohmann::json& message, std::string_view bytes);
    void remove(const std::string& id, const std::string& path);
    std::filesystem::path place(const std::string& id, const std::string& path);

    std::filesystem::path m_data;
    std::map<std::string, SeenRun> m_seen;
    std::map<std::string, std::string> m_incomplete;  ///< by the run's id and the path
};

}  // namespace launcher
