// One connection to the database. Prepares each statement once.
#pragma once
#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

namespace storage {

using Bytes = std::string;  ///< binary content of a blob column

/// A prepared statement in use; it is reset when this goes out of scope. Do not request the same statement again before.
class Query {
public:
    explicit Query(SQLite::Statement& statement)
        : m_statement(&statement)
    {
    }
    Query(Query&& other) noexcept
        : m_statement(std::exchange(other.m_statement, nullptr))
    {
    }
    ~Query();

    /// Binds the first, second … parameter. Texts and blobs must outlive the query.
    template <typename... Values>
    Query& bind(const Values&... values)
    {
        int index = 0;
        (bindOne(++index, values), ...);
        return *this;
    }
    bool step() { return m_statement->executeStep(); }  ///< whether there is a row
    void run() { m_statement->exec(); }
    void free() { m_statement->tryReset(); }  ///< resets the statement before the end of the scope

    std::int64_t integer(int column) const { return m_statement->getColumn(column).getInt64(); }
    double real(int column) const { return m_statement->getColumn(column).getDouble(); }
    std::string text(int column) const { return m_statement->getColumn(column).getString(); }
    bool isNull(int column) const { return m_statement->getColumn(column).isNull(); }
    /// Valid until the next step.
    std::string_view blob(int column) const;
    double bits(int column) const;  ///< a double that was stored as an integer with bitsOf()

private:
    void bindOne(int index, int value) { m_statement->bind(index, value); }
    void bindOne(int index, bool value) { m_statement->bind(index, value ? 1 : 0); }
    void bindOne(int index, std::int64_t value) { m_statement->bind(index, value); }
    void bindOne(int index, double value) { m_statement->bind(index, value); }
    void bindOne(int index, const std::string& value) { m_statement->bindNoCopy(index, value); }
    void bindOne(int index, const std::optional<std::int64_t>& value)
    {
        if (value.has_value())
            m_statement->bind(index, value.value());
        else
            m_statement->bind(index);
    }
    void bindOne(int index, std::span<const char> blob)
    {
        m_statement->bindNoCopy(index, blob.data(), static_cast<int>(blob.size()));
    }

    SQLite::Statement* m_statement;
};

/// Returns the bits of @p value as an integer, for columns that must preserve NaN: SQLite turns a NaN into NULL.
std::int64_t bitsOf(double value);

class Database {
public:
    enum class Mode {
        ReadWrite,
        ReadOnly,
        Frozen,  ///< a file that no process writes, opened as immutable: without locks and shared memory
    };

    /// Opens an existing file and sets the connection's pragmas. @throws SQLite::Exception.
    Database(const std::filesystem::path& file, Mode mode);

    /// @param sql must be a string literal: the prepared statement is cached under its address.
    Query query(const char* sql);
    void execute(const std::string& sql) { m_connection.exec(sql); }
    std::int64_t lastInsertId() const { return m_connection.getLastInsertRowid(); }
    std::int64_t pragma(const std::string& name);
    std::int64_t dataVersion();  ///< changes when another connection has committed
    SQLite::Database& connection() { return m_connection; }

private:
    SQLite::Database m_connection;
    std::unordered_map<const char*, std::unique_ptr<SQLite::Statement>> m_statements;
};

/// Takes the write lock when it begins, so that it cannot fail later on an upgrade from a read lock. The destructor rolls
/// back unless commit() was called.
class WriteTransaction {
public:
    explicit WriteTransaction(Database& database)
        : m_transaction(database.connection(), SQLite::TransactionBehavior::IMMEDIATE)
    {
    }
    void commit() { m_transaction.commit(); }

private:
    SQLite::Transaction m_transaction;
};

/// All reads within the transaction see the same state of the database.
class ReadTransaction {
public:
    explicit ReadTransaction(Database& database)
        : m_transaction(database.connection(), SQLite::TransactionBehavior::DEFERRED)
    {
    }

private:
    SQLite::Transaction m_transaction;
};

}  // namespace storage
