// Untrusted JSON files, with typed access by key and errors that name the file and the key.
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

/// Parses a JSON file of at most 256 MiB, nested at most 64 levels deep, without duplicate keys in an object.
/// @throws std::runtime_error in one sentence naming the file and the fault.
nlohmann::json readJson(const std::filesystem::path& file);

/// Parses JSON text with the same limits on nesting and duplicate keys.
/// @param where the file that the text comes from, for messages
nlohmann::json parseJson(std::string_view text, const std::filesystem::path& where);

/// A JSON object of a configuration, such as a model's config.json. A key whose value is null counts as missing.
/// For a missing key the accessors return @p fallback, or throw when there is none. They also throw when the value has
/// another type. All errors are std::runtime_error, in one sentence naming the file, the key and what it must be.
class JsonConfig {
public:
    explicit JsonConfig(const std::filesystem::path& file);
    JsonConfig(const std::filesystem::path& where, std::string_view text);  ///< JSON text embedded in the file @p where

    const std::filesystem::path& file() const { return *m_file; }

    bool has(std::string_view key) const;
    std::int64_t integer(std::string_view key, std::optional<std::int64_t> fallback = {}) const;
    /// An integer in [1, 2³¹).
    std::int64_t count(std::string_view key, std::optional<std::int64_t> fallback = {}) const;
    double real(std::string_view key, std::optional<double> fallback = {}) const;
    bool flag(std::string_view key, std::optional<bool> fallback = {}) const;
    std::string text(std::string_view key, std::optional<std::string> fallback = {}) const;
    std::vector<std::int64_t> integers(std::string_view key, std::optional<std::vector<std::int64_t>> fallback = {}) const;
    std::vector<double> reals(std::string_view key, std::optional<std::vector<double>> fallback = {}) const;
    std::vector<std::string> texts(std::string_view key, std::optional<std::vector<std::string>> fallback = {}) const;
    JsonConfig object(std::string_view key) const;

    const nlohmann::json& json() const { return *m_object; }  ///< for values that the accessors above do not cover

    /// Throws unless every key is one of @p known or begins with an underscore (metadata of the program that wrote the file).
    void requireKnown(std::initializer_list<std::string_view> known) const;

    /// Throws std::runtime_error with the message `FILE: "prefix.key" <what>`.
    [[noreturn]] void fail(std::string_view key, const std::string& what) const;

private:
    JsonConfig() = default;
    void requireObject() const;
    const nlohmann::json* find(std::string_view key) const;
    template <typename Value, typename Convert>
    Value get(std::string_view key, const std::optional<Value>& fallback, const char* what, Convert convert) const;
    template <typename Value, typename Convert>
    std::vector<Value> list(std::string_view key, const std::optional<std::vector<Value>>& fallback, const char* what, Convert convert) const;

    std::shared_ptr<const std::filesystem::path> m_file;
    std::shared_ptr<const nlohmann::json> m_object;  ///< part of the whole document, which it keeps alive
    std::string m_prefix;                            ///< path of this object in the document, for messages
};

}  // namespace contract
