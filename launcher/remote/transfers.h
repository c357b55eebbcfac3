// What is still to be sent of runs' files, the smallest and most wanted first.
#pragma once
#include "launcher/remote/served_files.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace launcher {

class Transfers {
public:
    ~Transfers();
    Transfers() = default;
    Transfers(const Transfers&) = delete;
    Transfers& operator=(const Transfers&) = delete;

    /// The bytes [@p from, file.size) of a file that grows. @param isAnew what the receiver has of it is worth nothing
    void addGrowth(const std::string& run, const std::filesystem::path& root, const ServedFile& file, std::int64_t from, bool isAnew);
    /// A file that replaces the receiver's.
    void addWhole(const std::string& run, const std::filesystem::path& root, const ServedFile& file);
    /// A message that follows what has been added for its depth.
    void addMessage(const std::string& run, FileDepth depth, const nlohmann::json& message);

    /// Drops what is to be sent of a run beyond @p depth; nullopt: all of it.
    void drop(const std::string& run, std::optional<FileDepth> depth);

    bool isEmpty() const;
    /// The next message with its bytes; nullopt when there is nothing to be sent.
    std::optional<std::string> next();

private:
    struct Item {
        std::string run;
        std::string path;             ///< empty: a message
        std::filesystem::path file;
        int descriptor = -1;          ///< open from the first byte to the last, so that what is sent is of one piece
        std::int64_t at = 0, end = 0;
        std::int64_t mtimeNs = 0;
        bool isWhole = false, isAnew = false;
        nlohmann::json message = {};
    };
    void add(Item item);
    static bool open(Item& item);
    static std::string part(Item& item);

    std::map<FileDepth, std::deque<Item>> m_items;  ///< of each depth, only the first may be open
};

}  // namespace launcher
