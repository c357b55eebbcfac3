// How well a text answers what the user types to find it.
#pragma once
#include <QString>
#include <QStringList>

#include <optional>

namespace ui {

/// Every word of the query must be found in a name or in what is said about it: in a name as a whole or letter by letter in this order
/// ("expmet" in "Export metrics"), elsewhere as a whole. Whole words, the beginnings of words and of the text count more, names count more
/// than what is said about them, and short texts more than long ones.
class TextMatch {
public:
    explicit TextMatch(const QString& query);

    bool isEmpty() const { return m_words.isEmpty(); }
    /// The greater the better; nullopt when neither has all words. @param name @param detail in lower case
    std::optional<int> score(const QString& name, const QString& detail = {}) const;

private:
    QStringList m_words;  ///< in lower case
};

}  // namespace ui
