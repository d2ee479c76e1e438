import EmailAddresses

/// An email address that can stand in a header and in an SMTP envelope: `local@domain`, the local
/// part a dot-atom (RFC 5322, 3.2.3) that may hold letters beyond ASCII (RFC 6531), the domain in
/// its ASCII form. Nothing that could end a line, a bracket or an address passes.
package struct MailAddress: Hashable, Sendable {
    /// RFC 5321, 4.5.3.1: local part, whole address.
    private static let localBytesMax = 64
    private static let bytesMax = 254

    /// The address as it is written.
    package let text: String
    /// What follows the `@`.
    package let domain: String

    /// Reads an address; nil for anything that is not exactly one.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.bytesMax, let at = text.lastIndex(of: "@") else { return nil }
        let local = text[..<at]
        let domain = text[text.index(after: at)...]
        guard Self.isLocalPart(local), Self.isDomain(domain) else { return nil }
        self.text = text
        self.domain = String(domain)
    }

    /// What mailboxes are told apart by, as accounts are (I-05): the local part with ASCII letters
    /// lowered and in Normalization Form C, the domain as the DNS knows it.
    ///
    /// Attack: a stranger writes a victim's address in two hundred spellings, each with turns of its
    /// own, or so that an address that was stopped is sent to.
    package var canonical: [UInt8] {
        // Not every address that mail may go to is one that accounts may have: `root@localhost`.
        EmailAddress(text)?.normalised
            ?? text.utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
    }

    private static func isLocalPart(_ local: Substring) -> Bool {
        (1...localBytesMax).contains(local.utf8.count)
            && local.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false)
                .allSatisfy { !$0.isEmpty && $0.allSatisfy(isAtomText) }
    }

    private static func isAtomText(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": return true
        case _ where scalar.isASCII: return "!#$%&'*+-/=?^_`{|}~".unicodeScalars.contains(scalar)
        default: break
        }
        // Invisible and direction-changing characters make one address look like another.
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator, .spaceSeparator:
            return false
        default: return true
        }
    }

    static func isDomain(_ domain: Substring) -> Bool {
        (1...253).contains(domain.utf8.count)
            && domain.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
                .allSatisfy(isLabel)
    }

    private static func isLabel(_ label: Substring.UTF8View.SubSequence) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
            && label.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), hyphen:
                    true
                default: false
                }
            }
    }
}
