package import Cryptography

/// Lets tests write passwords as literals. Programs have no passwords in their source.
extension SecretBytes: ExpressibleByStringLiteral {
    /// Creates the bytes from a literal.
    package convenience init(stringLiteral text: String) { self.init(text: text) }

    /// Copies the UTF-8 of a text. The text itself is not wiped.
    package convenience init(text: String) { self.init(copying: text.utf8) }
}
