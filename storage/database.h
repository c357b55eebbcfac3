// One connection to the database, with its statements prepared once.
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

/// A prepared statement in use; free again when it goes out of scope. Not to be used within itself.
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
    void free() { m_statement->tryReset(); }  ///< before the end of its scope

    std::int64_t integer(int column) const { return m_statement->getColumn(column).getInt64(); }
    double real(int column) const { return m_statement->getColumn(column).getDouble(); }
    std::string text(int column) const { return m_statement->getColumn(column).getString(); }
    bool isNull(int column) const { return m_statement->getColumn(column).isNull(); }
    /// Valid until the next step.
    std::string_view blob(int column) const;
    double bits(int column) const;  ///< of a double kept as an integer, so that NaN survives

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

/// For columns that keep a double's bits: SQLite itself turns NaN into NULL.
std::int64_t bitsOf(double value);

class Database {
public:
    enum class Mode {
        ReadWrite,
        ReadOnly,
        Frozen,  ///< a read-only file in a read-only folder that nobody writes: no locks, no shared memory
    };

    /// Opens an existing file and sets the connection's pragmas. @throws SQLite::Exception.
    Database(const std::filesystem::path& file, Mode mode);

    /// @param sql a literal: the statement is kept under its address.
    Query query(const char* sql);
    void execute(const std::string& sql) { m_connection.exec(sql); }
    std::int64_t lastInsertId() const { return m_connection.getLastInsertRowid(); }
    std::int64_t pragma(const std::string& name);
    std::int64_t dataVersion();  ///< grows with every commit of another connection
    SQLite::Database& connection() { return m_connection; }

private:
    SQLite::Database m_connection;
    std::unordered_map<const char*, std::unique_ptr<SQLite::Statement>> m_statements;
};

/// Begins at once as a writer, so that it never has to be taken back half-way. Rolls back unless committed.
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

/// All its reads see one state of the database.
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
