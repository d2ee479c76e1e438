import ServiceRuntime

/// Markup of a page. It is joined from literals of this program and from texts, which are escaped:
///
///     let heading: HTML = "<h1>\(title)</h1>"       title is a String
///     let page: HTML = "<main>\(heading)</main>"    heading is HTML already
///
/// The attack: a name or an address with `<script>` in it becomes markup in somebody else's
/// browser. No text can: only a literal becomes markup as it is, because `StaticString` has no
/// other values.
package struct HTML: Hashable, Sendable, ExpressibleByStringInterpolation {
    /// The markup.
    package let text: String

    /// A literal.
    package init(stringLiteral literal: StaticString) {
        text = literal.description
    }

    /// A literal with values in it.
    package init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
    }

    /// Nothing.
    static let none: HTML = ""

    /// Collects the parts of an interpolated literal.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        /// Starts with nothing.
        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 32)
        }

        /// Appends markup of this program.
        package mutating func appendLiteral(_ literal: StaticString) { text += literal.description }

        /// Appends a text, escaped for the content of an element and for an attribute in double
        /// quotes. Both occur in literals here, and no other place.
        package mutating func appendInterpolation(_ value: String) {
            text += HTMLText.escape(value)
        }

        /// Appends markup.
        package mutating func appendInterpolation(_ markup: HTML) { text += markup.text }

        /// Appends several pieces of markup, one after the other.
        package mutating func appendInterpolation(_ markup: [HTML]) {
            for part in markup { text += part.text }
        }
    }
}
