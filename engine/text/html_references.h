// Character references of HTML in a text: &amp;, &#39;, &eacute;.
#pragma once
#include <string>
#include <string_view>

namespace engine {

/// Replaces them as HTML 5 asks (WHATWG HTML, section 13.2.5.72): numbers, and the names of HTML 4, of which those of Latin-1
/// need no semicolon. Other names of HTML 5 stay as they are, as does what is no reference.
std::u32string withoutReferences(std::u32string_view text);

}  // namespace engine
