// Removes what nobody else should read from texts that are handed on: passwords, tokens and keys, and who the user is.
#pragma once
#include <QRegularExpression>
#include <QString>

#include <string>
#include <utility>
#include <vector>

namespace launcher {

/// Secrets are known by the names of what they are assigned to ("api_key", "--token", "Authorization:"), by their form (the tokens of
/// well-known services, private keys, addresses with a password or of a chat's webhook), and by their values: those of environment
/// variables with such a name, and the others that are given. They become "[removed]". Mail addresses become "[mail]", the user's
/// home "~", the names of user and machine "[user]" and "[host]".
class Redaction {
public:
    struct Identity {
        std::string home;  ///< path; empty: none, and so are the others
        std::string user;
        std::string host;
    };

    /// @param secrets texts that are removed wherever they stand; those of fewer than six characters are ignored
    Redaction(const Identity& identity, const std::vector<std::string>& secrets);
    /// For the user and machine of this process, with the values of its environment variables. @param secrets as above
    static Redaction here(const std::vector<std::string>& secrets);

    /// Whether a variable or an option of that name is likely to hold a secret.
    static bool isSecretName(const std::string& name);

    struct Result {
        std::string text;  ///< UTF-8; bytes that are not valid are replaced
        int secrets = 0;   ///< places where something was removed
        int names = 0;     ///< places where mail addresses, home, user or machine stood
    };
    Result apply(const std::string& text) const;

private:
    struct Rule {
        QRegularExpression pattern;
        QString replacement;  ///< with \1 … for the groups
        bool isSecret = true;
    };
    QString redactedLine(QString line, Result& result) const;

    std::vector<Rule> m_rules;
    std::vector<std::pair<QString, QString>> m_literals;  ///< secrets, and what they become
};

}  // namespace launcher
