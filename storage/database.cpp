#include "storage/database.h"

#include <sqlite3.h>

#include <bit>

namespace storage {
namespace {

constexpr int kBusyTimeoutMs = 5000;

/// Returns @p file as a URI: only a URI can declare a file immutable.
std::string uriOf(const std::filesystem::path& file, Database::Mode mode)
{
    std::string uri = "file:";
    for (const char character : file.string()) {
        if (character == '%' || character == '?' || character == '#') {
            constexpr char kDigits[] = "0123456789abcdef";
            const auto byte = static_cast<unsigned char>(character);
            uri += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
        } else {
            uri += character;
        }
    }
    return mode == Database::Mode::Frozen ? uri + "?immutable=1" : uri;
}

int flagsOf(Database::Mode mode)
{
    return SQLITE_OPEN_URI
        | (mode == Database::Mode::ReadWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY);
}

}  // namespace

Query::~Query()
{
    if (m_statement)
        m_statement->tryReset();
}

std::string_view Query::blob(int column) const
{
    const SQLite::Column value = m_statement->getColumn(column);
    const void* data = value.getBlob();
    return {static_cast<const char*>(data), static_cast<std::size_t>(value.getBytes())};
}

double Query::bits(int column) const { return std::bit_cast<double>(integer(column)); }

std::int64_t bitsOf(double value) { return std::bit_cast<std::int64_t>(value); }

Database::Database(const std::filesystem::path& file, Mode mode)
    : m_connection(uriOf(std::filesystem::absolute(file), mode), flagsOf(mode), kBusyTimeoutMs)
{
    // With WAL, NORMAL keeps the database consistent. A power cut may lose the last commits, which the journals still have.
    m_connection.exec("PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL;"
                      "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8000");
}

Query Database::query(const char* sql)
{
    auto& statement = m_statements[sql];
    if (!statement)
        statement = std::make_unique<SQLite::Statement>(m_connection, sql);
    return Query(*statement);
}

std::int64_t Database::pragma(const std::string& name)
{
    SQLite::Statement statement(m_connection, "PRAGMA " + name);
    return statement.executeStep() ? statement.getColumn(0).getInt64() : 0;
}

std::int64_t Database::dataVersion()
{
    Query row = query("PRAGMA data_version");
    return row.step() ? row.integer(0) : 0;
}

}  // namespace storage
