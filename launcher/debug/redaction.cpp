#include "launcher/debug/redaction.h"

#include <QDir>
#include <QProcessEnvironment>
#include <QStringList>
#include <QSysInfo>

#include <algorithm>

#include <pwd.h>
#include <unistd.h>

namespace launcher {
namespace {

const QString kRemoved = QStringLiteral("[removed]");

/// Parts of names of what holds a secret. "token" is none in "tokens" and "tokenizer".
constexpr char kSecretNames[] = "api[_-]?key|access[_-]?key|secret|passw(?:or)?d|passphrase|credential|authorization|private[_-]?key|webhook|cookie|token(?!s|i[sz])";

QRegularExpression pattern(const QString& text, bool isCaseSensitive = false)
{
    return QRegularExpression(text, isCaseSensitive ? QRegularExpression::NoPatternOption : QRegularExpression::CaseInsensitiveOption);
}

bool isPartOfKey(const QString& line)
{
    static const QRegularExpression base64(QStringLiteral("^[A-Za-z0-9+/=\\s]+$"));
    return base64.match(line).hasMatch();
}

}  // namespace

// Quantifiers are possessive or bounded where a line's end could be far away, so that no line takes long.
Redaction::Redaction(const Identity& identity, const std::vector<std::string>& secrets)
{
    const QString names = QLatin1String(kSecretNames);
    m_rules = {
        {pattern(QStringLiteral("-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*")), kRemoved},
        {pattern(QStringLiteral("\\b(bearer|basic)\\s+(?!\\[removed\\])[A-Za-z0-9._~+/=-]{8,}")), QStringLiteral("\\1 [removed]")},
        {pattern(QStringLiteral("\\b([a-z][a-z0-9+.-]{0,20}://)[^\\s/@\"'<>]{1,1000}@")), QStringLiteral("\\1[removed]@")},
        {pattern(QStringLiteral("(https?://(?:hooks\\.slack\\.com|(?:\\w{1,20}\\.)?discord(?:app)?\\.com/api/webhooks|ntfy\\.sh|chat\\.googleapis\\.com))/[^\\s\"'<>]+")),
            QStringLiteral("\\1/[removed]")},
        {pattern(QStringLiteral("([?&](?:key|sig|signature|auth|code)=)(?!\\[removed\\])[^&\\s\"'<>]+")), QStringLiteral("\\1[removed]")},
        // name = "value", 'value' or value, also within a JSON string; --name value
        {pattern(QStringLiteral("((?:%1)[\\w.-]{0,60}+\\\\*[\"']?\\s{0,8}[:=]\\s{0,8}(?:bearer\\s+|basic\\s+)?)(\\\\*[\"'])(?!\\[removed\\]|\\2)(?:(?!\\2).)++").arg(names)),
            QStringLiteral("\\1\\2[removed]")},
        {pattern(QStringLiteral("((?:%1)[\\w.-]{0,60}+\\\\*[\"']?\\s{0,8}[:=]\\s{0,8})(?!\\[removed\\]|\\\\*[\"']|(?:null|none|true|false|bearer|basic)\\b|[,;}\\]])[^\\s,;&}\\]\"']+").arg(names)),
            QStringLiteral("\\1[removed]")},
        {pattern(QStringLiteral("(--[\\w-]{0,60}(?:%1)[\\w-]{0,60}+\\s+)(?!\\[removed\\]|-)\\S+").arg(names)), QStringLiteral("\\1[removed]")},
        {pattern(QStringLiteral("\\b(?:hf_[A-Za-z0-9]{16,}|[sprt]k[-_][A-Za-z0-9_-]{16,}|gh[opsru]_[A-Za-z0-9]{16,}|github_pat_\\w{16,}|glpat-[\\w-]{16,}"
                                "|xox[a-z]-[\\w-]{10,}|(?:AKIA|ASIA)[0-9A-Z]{12,}|AIza[\\w-]{30,}|r8_[A-Za-z0-9]{16,}|npm_[A-Za-z0-9]{16,}"
                                "|eyJ[\\w-]{8,}\\.[\\w-]{8,}(?:\\.[\\w-]*)?)"), true), kRemoved},
        {pattern(QStringLiteral("\\b[\\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\\.[A-Za-z0-9-]{1,63}){1,8}\\b")), QStringLiteral("[mail]"), false},
    };
    for (const std::string& secret : secrets) {
        constexpr std::size_t kShortest = 6;
        if (secret.size() >= kShortest)
            m_literals.emplace_back(QString::fromStdString(secret), kRemoved);
    }
    // Of two secrets of which one begins the other, the longer goes first.
    std::ranges::stable_sort(m_literals, [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
    const auto addName = [this](const QString& text, const QString& before, const QString& after, const QString& replacement) {
        m_rules.push_back({pattern(before + QRegularExpression::escape(text) + after, true), replacement, false});
    };
    const auto addWord = [&](const std::string& word, const QString& replacement, const QStringList& common) {
        const QString text = QString::fromStdString(word);
        if (text.size() >= 3 && !common.contains(text))
            addName(text, QStringLiteral("(?<![A-Za-z0-9])"), QStringLiteral("(?![A-Za-z0-9])"), replacement);
    };
    if (identity.home.size() > 1)
        addName(QString::fromStdString(identity.home), QStringLiteral("(?<![\\w.-])"), QStringLiteral("(?![\\w.-])"), QStringLiteral("~"));
    // Names that say nothing, and would tear other words out of the text.
    addWord(identity.user, QStringLiteral("[user]"), {QStringLiteral("root"), QStringLiteral("user"), QStringLiteral("ubuntu"), QStringLiteral("debian")});
    addWord(identity.host, QStringLiteral("[host]"), {QStringLiteral("localhost"), QStringLiteral("host"), QStringLiteral("rank")});
}

bool Redaction::isSecretName(const std::string& name)
{
    static const QRegularExpression secretName = pattern(QStringLiteral("(?:%1)|_key$|_pass$|^pass").arg(QLatin1String(kSecretNames)));
    return secretName.match(QString::fromStdString(name)).hasMatch();
}

Redaction Redaction::here(const std::vector<std::string>& given)
{
    std::vector<std::string> secrets = given;
    const QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const QString& name : environment.keys()) {
        // A file's path is no secret, and would hide what reads it: SSH_AUTH_SOCK, XAUTHORITY.
        if (const QString value = environment.value(name); isSecretName(name.toStdString()) && !value.startsWith(QLatin1Char('/')))
            secrets.push_back(value.toStdString());
    }
    const passwd* const user = ::getpwuid(::getuid());
    return Redaction({QDir::homePath().toStdString(), user ? user->pw_name : "", QSysInfo::machineHostName().toStdString()}, secrets);
}

QString Redaction::redactedLine(QString line, Result& result) const
{
    for (const auto& [secret, replacement] : m_literals) {
        result.secrets += static_cast<int>(line.count(secret));
        line.replace(secret, replacement);
    }
    for (const Rule& rule : m_rules) {
        int places = 0;
        for (auto matches = rule.pattern.globalMatch(line); matches.hasNext(); matches.next())
            ++places;
        // PCRE gives up on what takes too long. Such a line is not handed on.
        if (!rule.pattern.match(line).isValid()) {
            ++result.secrets;
            return kRemoved;
        }
        if (places == 0)
            continue;
        line.replace(rule.pattern, rule.replacement);
        (rule.isSecret ? result.secrets : result.names) += places;
    }
    return line;
}

Redaction::Result Redaction::apply(const std::string& text) const
{
    static const QRegularExpression begin(QStringLiteral("-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----"));
    static const QRegularExpression end(QStringLiteral("-----END [A-Z ]{0,40}PRIVATE KEY-----"));
    Result result;
    QStringList lines;
    bool isInKey = false;
    for (const QString& line : QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())).split(QLatin1Char('\n'))) {
        const bool isBegin = begin.match(line).hasMatch();
        const bool isEnd = end.match(line).hasMatch();
        if (isInKey) {
            isInKey = !isEnd;
        } else if (isEnd && !isBegin) {
            // A file that is cut off may begin within a key.
            while (!lines.isEmpty() && isPartOfKey(lines.back()))
                lines.removeLast();
            ++result.secrets;
            lines << kRemoved;
        } else {
            isInKey = isBegin && !isEnd;
            lines << redactedLine(line, result);
        }
    }
    result.text = lines.join(QLatin1Char('\n')).toStdString();
    return result;
}

}  // namespace launcher
