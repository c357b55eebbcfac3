#include "engine/contract/experiment/options.h"
#include "engine/contract/formats/text.h"
#include "ui/base/look.h"
#include "ui/runs/run_query_node.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include <algorithm>
#include <array>
#include <utility>

namespace ui {
namespace {

using Node = RunQuery::Node;
using Subject = Node::Subject;
using Operator = Node::Operator;
using NodePointer = std::shared_ptr<const Node>;

struct Token {
    enum class Kind { Word, Quoted, Sign, Open, Close, End };
    Kind kind = Kind::End;
    QString text;
    qsizetype position = 0;
    qsizetype length = 0;
    bool isAfterSpace = true;
};

constexpr std::array<std::pair<const char*, Subject>, 12> kSubjects = {{{"id", Subject::Id}, {"name", Subject::Name},
    {"project", Subject::Project}, {"note", Subject::Note}, {"notes", Subject::Note}, {"tag", Subject::Tag}, {"tags", Subject::Tag},
    {"state", Subject::State}, {"step", Subject::Step}, {"steps", Subject::Steps}, {"ranks", Subject::Ranks},
    {"attempts", Subject::Attempts}}};

constexpr std::array<std::pair<const char*, Operator>, 8> kOperators = {{{":", Operator::Contains}, {"=", Operator::Equal},
    {"==", Operator::Equal}, {"!=", Operator::NotEqual}, {"<", Operator::Less}, {"<=", Operator::LessOrEqual},
    {">", Operator::Greater}, {">=", Operator::GreaterOrEqual}}};

constexpr std::array<std::pair<const char*, storage::RunField::Kind>, 5> kFunctions = {{{"last", storage::RunField::Kind::Last},
    {"min", storage::RunField::Kind::Lowest}, {"lowest", storage::RunField::Kind::Lowest}, {"max", storage::RunField::Kind::Highest},
    {"highest", storage::RunField::Kind::Highest}}};

template <typename Table>
auto lookUp(const Table& table, const QString& word) -> std::optional<decltype(table.front().second)>
{
    for (const auto& [name, value] : table) {
        if (word.compare(QLatin1String(name), Qt::CaseInsensitive) == 0)
            return value;
    }
    return std::nullopt;
}

QString queryText(const char* source)
{
    return QCoreApplication::translate("ui::RunQuery", source);
}

[[noreturn]] void fail(const Token& at, const QString& sentence)
{
    throw RunQuery::Problem {sentence, at.position, at.length};
}

std::vector<Token> tokensOf(const QString& query)
{
    const auto isOperator = [](QChar c) { return QStringView(u":=!<>").contains(c); };
    const auto isWord = [&](QChar c) { return !c.isSpace() && c != u'(' && c != u')' && c != u'"' && !isOperator(c); };
    std::vector<Token> tokens;
    bool isAfterSpace = true;
    for (qsizetype at = 0; at < query.size();) {
        const QChar first = query[at];
        if (first.isSpace()) {
            isAfterSpace = true;
            ++at;
            continue;
        }
        Token token {Token::Kind::Word, {}, at, 1, std::exchange(isAfterSpace, false)};
        qsizetype end = at + 1;
        if (first == u'"') {
            const qsizetype closing = query.indexOf(u'"', end);
            if (closing < 0)
                fail({Token::Kind::Quoted, {}, at, query.size() - at},
                    queryText(QT_TRANSLATE_NOOP("ui::RunQuery", "This quotation mark is not closed.")));
            token.kind = Token::Kind::Quoted;
            token.text = query.mid(end, closing - end);
            end = closing + 1;
        } else if (first == u'(' || first == u')') {
            token.kind = first == u'(' ? Token::Kind::Open : Token::Kind::Close;
        } else {
            token.kind = isOperator(first) ? Token::Kind::Sign : Token::Kind::Word;
            while (end < query.size() && (isOperator(first) ? query[end] == u'=' : isWord(query[end])))
                ++end;
        }
        token.length = end - at;
        if (token.kind != Token::Kind::Quoted)
            token.text = query.mid(at, token.length);
        tokens.push_back(token);
        at = end;
    }
    tokens.push_back({Token::Kind::End, {}, query.size(), 0});
    return tokens;
}

class Parser {
public:
    Parser(const QString& query, const storage::FieldNames* known)
        : m_tokens(tokensOf(query))
        , m_known(known)
    {
    }

    NodePointer parse()
    {
        if (next().kind == Token::Kind::End)
            return nullptr;
        NodePointer root = parseOr();
        if (next().kind == Token::Kind::Close)
            fail(next(), queryText(QT_TRANSLATE_NOOP("ui::RunQuery", "This parenthesis has no counterpart before it.")));
        return root;
    }
    std::vector<storage::RunField> takeFields() { return std::move(m_fields); }

private:
    const Token& next() const { return m_tokens[m_at]; }
    Token take() { return m_tokens[m_at++]; }
    bool isKeyword(const char* word) const
    {
        return next().kind == Token::Kind::Word && next().text.compare(QLatin1String(word), Qt::CaseInsensitive) == 0
            && m_tokens[m_at + 1].kind != Token::Kind::Sign;
    }

    NodePointer parseOr()
    {
        std::vector<NodePointer> parts = {parseAnd()};
        while (isKeyword("or")) {
            m_joined = take();
            parts.push_back(parseAnd());
        }
        return join(Node::Kind::Or, std::move(parts));
    }

    NodePointer parseAnd()
    {
        std::vector<NodePointer> parts = {parseNot()};
        while (next().kind != Token::Kind::End && next().kind != Token::Kind::Close && !isKeyword("or")) {
            if (isKeyword("and"))
                m_joined = take();
            parts.push_back(parseNot());
        }
        return join(Node::Kind::And, std::move(parts));
    }

    static NodePointer join(Node::Kind kind, std::vector<NodePointer> parts)
    {
        if (parts.size() == 1)
            return parts.front();
        Node node;
        node.kind = kind;
        node.parts = std::move(parts);
        return std::make_shared<const Node>(std::move(node));
    }

    NodePointer parseNot()
    {
        if (!isKeyword("not"))
            return parseOne();
        m_joined = take();
        Node node;
        node.kind = Node::Kind::Not;
        node.parts.push_back(parseNot());
        return std::make_shared<const Node>(std::move(node));
    }

    NodePointer parseOne()
    {
        const Token first = next();
        if (first.kind == Token::Kind::End || first.kind == Token::Kind::Close || isKeyword("and") || isKeyword("or")) {
            if (m_joined.text.isEmpty())
                fail(first, queryText(QT_TRANSLATE_NOOP("ui::RunQuery", "“%1” needs a condition before it.")).arg(first.text));
            fail(m_joined, queryText(QT_TRANSLATE_NOOP("ui::RunQuery", "“%1” needs a condition after it.")).arg(m_joined.text));
        }
        take();
        if (first.kind == Token::Kind::Open)
            return parseGroup(first);
        if (first.kind == Token::Kind::Sign)
            fail(first, queryText(QT_TRANSLATE_NOOP("ui::RunQuery", "“%1” needs a name before it, as in loss < 0.2.")).arg(first.text));
        if (first.kind == Token::Kind::Word && next().kind == Token::Kind::Open && !next().isAfterSpace)
            return parseFunction(first);
        if (first.kind == Token::Kind::Word && next().kind == Token::Kind::Sign)
            return parseComparison(first);
        Node node;
        node.kind = Node::Kind::Word;
        node.text = first.text;
        return std::make_shared<const Node>(std::move(node));
    }

    NodePointer parseGroup(const Token& open)
    {
        m_joined = open;
        NodePointer inner = parseOr();
        if (next().kind != Token::Kind::Close)
            fail(open, queryText(QT_TRANSLATE_NOOP("ui::RunQuery", "This parenthesis is not closed.")));
        take();
        return inner;
    }

    /// "min(loss) < 0.2", after "min".
    NodePointer parseFunction(const Token& function)
    {
        const auto kind = lookUp(kFunctions, function.text);
        if (!kind)
            fail(function, queryText(QT_TRANSLATE_NOOP("ui::RunQuery",
                "“%1” is not known here: there are min(METRIC), max(METRIC) and last(METRIC).")).arg(function.text));
        const Token open = take();
        const Token name = take();
        if (name.kind != Token::Kind::Word && name.kind != Token::Kind::Quoted)
            fail(open, queryText(QT_TRANSLATE_NOOP("ui::RunQuery", "The name of a metric is missing here.")));
        if (next().kind != Token::Kind::Close)
            fail(open, queryText(QT_TRANSLATE_NOOP("ui::RunQuery", "This parenthesis is not closed.")));
        take();
        if (next().kind != Token::Kind::Sign)
            fail(function, queryText(QT_TRANSLATE_NOOP("ui::RunQuery", "%1(%2) must be compared, as in %1(%2) < 0.2.")).arg(function.text,
                name.text));
        if (m_known && std::ranges::find(m_known->metrics, name.text.toStdString()) == m_known->metrics.end())
            failUnknown(name, m_known->metrics);
        Node node;
        node.field = {*kind, name.text.toStdString()};
        return finishComparison(std::move(node));
    }

    /// "loss < 0.2", after "loss".
    NodePointer parseComparison(const Token& name)
    {
        Node node;
        if (const auto subject = lookUp(kSubjects, name.text))
            node.subject = *subject;
        else
            node.field = fieldCalled(name);
        return finishComparison(std::move(node));
    }

    storage::RunField fieldCalled(const Token& name) const
    {
        const std::string key = name.text.toStdString();
        const auto has = [&](const std::vector<std::string>& names) { return std::ranges::find(names, key) != names.end(); };
        if (contract::findOption(key) || (m_known && has(m_known->parameters)))
            return {storage::RunField::Kind::Parameter, key};
        if (!m_known || has(m_known->metrics) || key == "loss")  // which RunEntry has by itself
            return {storage::RunField::Kind::Last, key};
        std::vector<std::string> names = m_known->metrics;
        names.insert(names.end(), m_known->parameters.begin(), m_known->parameters.end());
        for (const auto& [subject, meaning] : kSubjects)
            names.emplace_back(subject);
        failUnknown(name, names);
    }

    [[noreturn]] static void failUnknown(const Token& name, const std::vector<std::string>& names)
    {
        const std::string word = name.text.toStdString();
        std::string nearest;
        std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
        for (const std::string& candidate : names) {
            if (const std::size_t distance = contract::editDistance(word, candidate); distance < least) {
                least = distance;
                nearest = candidate;
            }
        }
        fail(name, nearest.empty()
                ? queryText(QT_TRANSLATE_NOOP("ui::RunQuery", "No run has an option or a metric called “%1”.")).arg(name.text)
                : queryText(QT_TRANSLATE_NOOP("ui::RunQuery", "No run has an option or a metric called “%1”; did you mean “%2”?"))
                      .arg(name.text, QString::fromStdString(nearest)));
    }

    NodePointer finishComparison(Node node)
    {
        const Token sign = take();
        const auto comparison = lookUp(kOperators, sign.text);
        if (!comparison)
            fail(sign, queryText(QT_TRANSLATE_NOOP("ui::RunQuery",
                "“%1” is not a comparison: use <, <=, >, >=, =, != or :.")).arg(sign.text));
        const Token value = next();
        if (value.kind != Token::Kind::Word && value.kind != Token::Kind::Quoted)
            fail(sign, queryText(QT_TRANSLATE_NOOP("ui::RunQuery", "“%1” needs a value after it.")).arg(sign.text));
        take();
        node.kind = Node::Kind::Comparison;
        node.comparison = *comparison;
        node.text = value.text;
        bool isNumber = false;
        if (const double number = QLocale::c().toDouble(value.text, &isNumber); isNumber)
            node.number = number;
        check(node, sign, value);
        if (node.subject == Subject::Field && std::ranges::find(m_fields, node.field) == m_fields.end())
            m_fields.push_back(node.field);
        return std::make_shared<const Node>(std::move(node));
    }

    static void check(const Node& node, const Token& sign, const Token& value)
    {
        const bool isOrder = node.comparison != Operator::Contains && node.comparison != Operator::Equal
            && node.comparison != Operator::NotEqual;
        const bool isText = node.subject <= Subject::State;
        if (isOrder && isText)
            fail(sign, queryText(QT_TRANSLATE_NOOP("ui::RunQuery",
                "“%1” compares numbers, and this is text: use :, = or !=.")).arg(sign.text));
        const bool isMetric = node.subject == Subject::Field && node.field.kind != storage::RunField::Kind::Parameter;
        const bool needsNumber = isOrder || isMetric || (!isText && node.subject != Subject::Field);
        if (needsNumber && !node.number)
            fail(value, queryText(QT_TRANSLATE_NOOP("ui::RunQuery",
                "“%1” is not a number; numbers are written as 0.2 or 1e-4.")).arg(value.text));
        if (node.subject == Subject::State)
            checkState(value);
    }

    static void checkState(const Token& value)
    {
        QStringList states;
        for (int state = 0; state <= static_cast<int>(launcher::RunState::CutOff); ++state) {
            const auto known = static_cast<launcher::RunState>(state);
            const std::string_view name = launcher::stateName(known);
            states << QString::fromUtf8(name.data(), qsizetype(name.size()));
            if (value.text.compare(states.back(), Qt::CaseInsensitive) == 0
                || value.text.compare(stateWord(known), Qt::CaseInsensitive) == 0)
                return;
        }
        fail(value, queryText(QT_TRANSLATE_NOOP("ui::RunQuery", "“%1” is no state; the states are %2.")).arg(value.text,
            states.join(QStringLiteral(", "))));
    }

    std::vector<Token> m_tokens;
    std::size_t m_at = 0;
    Token m_joined;  ///< the last "and", "or", "not" or "(" before the condition that is being read
    const storage::FieldNames* m_known;
    std::vector<storage::RunField> m_fields;
};

}  // namespace

RunQuery::Parsed RunQuery::parse(const QString& text, const storage::FieldNames* known)
{
    Parsed parsed;
    try {
        Parser parser(text, known);
        parsed.query.m_root = parser.parse();
        parsed.query.m_fields = parser.takeFields();
    } catch (const Problem& problem) {
        parsed.query = {};
        parsed.problem = problem;
    }
    return parsed;
}

}  // namespace ui
