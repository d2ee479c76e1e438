package import ServiceRuntime

/// An email address, parsed once at the entry point (I-05): the text that the user entered, the
/// mailbox to send mail to, and the canonical form for comparisons. The tables of `LocalPart` and
/// `DomainName` list the characters that each side of the `@` may have.
package struct EmailAddress: Hashable, Sendable {
    /// The limit of RFC 5321 §4.5.3.1.3 minus the two brackets (RFC 3696 erratum 1690), in bytes.
    static let bytesMax = 254
    /// The limit on the entered text, in bytes. Mapping may shorten a domain, but not by more than
    /// the difference.
    static let enteredBytesMax = 512

    /// The text as entered.
    package let entered: String
    /// The mailbox to send mail to: the local part as entered, the domain in the form of the DNS.
    package let mailbox: String
    /// The canonical bytes by which addresses are compared.
    package let normalised: [UInt8]

    /// Parses an address. Nil for an invalid one. Splits by bytes instead of characters: `@` with a
    /// combining accent is one character that differs from `@`.
    package init?(_ entered: String) {
        guard entered.utf8.count <= Self.enteredBytesMax else { return nil }
        let parts = entered.utf8.split(
            separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, let name = parts.first, let host = parts.last,
            let local = LocalPart(String(Substring(name))),
            let domain = DomainName(String(Substring(host)))
        else { return nil }
        self.entered = entered
        mailbox = local.entered + "@" + domain.ascii
        normalised = local.normalised + Array("@\(domain.ascii)".utf8)
        guard mailbox.utf8.count <= Self.bytesMax, normalised.count <= Self.bytesMax else {
            return nil
        }
    }

    /// Parses the address in a request.
    /// - Throws: `auth/invalid-email`.
    package static func required(_ entered: String) throws(ServiceError) -> EmailAddress {
        guard let address = EmailAddress(entered) else {
            throw ServiceError(.invalidEmail, fields: ["email"])
        }
        return address
    }
}
