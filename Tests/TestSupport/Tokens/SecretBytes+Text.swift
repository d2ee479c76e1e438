package import Cryptography

/// Tests write passwords down; programs have none to write.
extension SecretBytes: ExpressibleByStringLiteral {
    /// The bytes of a text that is written down.
    package convenience init(stringLiteral text: String) { self.init(text: text) }

    /// The UTF-8 of a text, which stays where it is.
    package convenience init(text: String) { self.init(copying: text.utf8) }
}
