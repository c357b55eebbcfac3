// JSON files from outside: read whole, asked by key and type, with errors that name the file and the key.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contract {

/// The JSON of a file of at most 256 MB, no deeper than 64 values, no key twice in an object.
/// @throws std::runtime_error in one sentence naming the file and the fault.
nlohmann::json readJson(const std::filesystem::path& file);

/// The same of a text. @param where it stands, for messages
nlohmann::json parseJson(std::string_view text, const std::filesystem::path& where);

/// An object of a configuration, such as a model's config.json. A key that is null counts as one that is not there.
/// What takes `otherwise` returns it for a key that is not there; without one that is an error. Everything throws
/// std::runtime_error in one sentence naming the file, the key and what it must be.
class JsonConfig {
public:
    explicit JsonConfig(const std::filesystem::path& file);
    JsonConfig(const std::filesystem::path& where, std::string_view text);  ///< one that stands in another file

    const std::filesystem::path& file() const { return *m_file; }

    bool has(std::string_view key) const;
    std::int64_t integer(std::string_view key, std::optional<std::int64_t> otherwise = {}) const;
    /// A number of things: in [1, 2³¹).
    std::int64_t count(std::string_view key, std::optional<std::int64_t> otherwise = {}) const;
    double real(std::string_view key, std::optional<double> otherwise = {}) const;
    bool flag(std::string_view key, std::optional<bool> otherwise = {}) const;
    std::string text(std::string_view key, std::optional<std::string> otherwise = {}) const;
    std::vector<std::int64_t> integers(std::string_view key, std::optional<std::vector<std::int64_t>> otherwise = {}) const;
    std::vector<double> reals(std::string_view key, std::optional<std::vector<double>> otherwise = {}) const;
    std::vector<std::string> texts(std::string_view key, std::optional<std::vector<std::string>> otherwise = {}) const;
    JsonConfig object(std::string_view key) const;

    const nlohmann::json& json() const { return *m_object; }  ///< for what has a form of its own

    /// Every key must be one of @p known or begin with an underscore, as the writer's own notes do.
    void requireKnown(std::initializer_list<std::string_view> known) const;

    /// "FILE: "prefix.key" <what>", thrown.
    [[noreturn]] void fail(std::string_view key, const std::string& what) const;

private:
    JsonConfig() = default;
    void requireObject() const;
    const nlohmann::json* find(std::string_view key) const;
    template <typename Value, typename Convert>
    Value get(std::string_view key, const std::optional<Value>& otherwise, const char* what, Convert convert) const;
    template <typename Value, typename Convert>
    std::vector<Value> list(std::string_view key, const std::optional<std::vector<Value>>& otherwise, const char* what, Convert convert) const;

    std::shared_ptr<const std::filesystem::path> m_file;
    std::shared_ptr<const nlohmann::json> m_object;  ///< within the file's whole, which it keeps
    std::string m_prefix;                            ///< of its keys, in messages
};

}  // namespace contract
