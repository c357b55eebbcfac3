// Replaces HTML character references in a text: &amp;, &#39;, &eacute;.
#pragma once
#include <string>
#include <string_view>

namespace engine {

/// Replaces references according to HTML 5 (WHATWG HTML, section 13.2.5.72): numeric ones and the names of HTML 4, of which the
/// Latin-1 names need no semicolon. The names that only HTML 5 has, and all other text, stay unchanged.
std::u32string replaceHtmlReferences(std::u32string_view text);

}  // namespace engine
