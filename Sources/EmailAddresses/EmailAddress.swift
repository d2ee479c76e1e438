package import ServiceRuntime

/// An email address, read once at the door (I-05): what the person entered, where mail goes, and
/// what it is compared by. `LocalPart` and `DomainName` say what is taken.
package struct EmailAddress: Hashable, Sendable {
    /// RFC 5321 §4.5.3.1.3 less its two brackets (RFC 3696 erratum 1690), in bytes.
    private static let bytesMax = 254
    /// Of what is read at all: a domain shrinks when it is mapped, but not by more than this.
    private static let enteredBytesMax = 512

    /// As entered.
    package let entered: String
    /// Where mail goes: the local part as entered, the domain as the DNS knows it.
    package let mailbox: String
    /// The bytes by which one address is told from another.
    package let normalised: [UInt8]

    /// Reads an address; nil where that is none. Bytes are looked at, not characters: `@` with an
    /// accent is one character, and not `@`.
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

    /// The address in a request.
    /// - Throws: `auth/invalid-email`.
    package static func required(_ entered: String) throws(ServiceError) -> EmailAddress {
        guard let address = EmailAddress(entered) else {
            throw ServiceError(.invalidEmail, fields: ["email"])
        }
        return address
    }
}
