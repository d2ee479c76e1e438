import Addresses
import ServiceRuntime

/// An email address that is valid in a header and in an SMTP envelope: `local@domain`. The local
/// part is a dot-atom (RFC 5322, 3.2.3) and may have letters beyond ASCII (RFC 6531); the domain is
/// in ASCII form. Characters that could end a line, a bracket or an address are rejected.
struct MailAddress: Hashable, Sendable {
    /// Local part and whole address (RFC 5321, 4.5.3.1).
    private static let localBytesMax = 64
    private static let bytesMax = 254

    /// The address as given.
    let text: String
    /// The part after the `@`.
    let domain: String

    /// Parses an address; nil for anything that is not exactly one.
    init?(_ text: String) {
        guard text.utf8.count <= Self.bytesMax, let at = text.lastIndex(of: "@") else { return nil }
        let local = text[..<at]
        let domain = text[text.index(after: at)...]
        guard Self.isLocalPart(local), Self.isDomain(domain) else { return nil }
        self.text = text
        self.domain = String(domain)
    }

    /// The canonical form by which mailboxes are compared, as for accounts (I-05): the local part
    /// with ASCII letters in lower case and in Normalization Form C, the domain as the DNS compares
    /// it.
    ///
    /// Attack: a stranger writes a victim's address in two hundred spellings, so that each has its
    /// own rate limit, or so that a suppressed address gets mail.
    var canonical: [UInt8] {
        // Mail may go to addresses that an account cannot have, for example `root@localhost`.
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
            && domain.split(separator: ".", omittingEmptySubsequences: false).allSatisfy(isLabel)
    }

    private static func isLabel(_ label: Substring) -> Bool {
        label.isName(1...63, [.letter, .digit], marks: "-")
            && label.first != "-" && label.last != "-"
    }
}

/// An address with a display name.
struct Mailbox: Hashable, Sendable {
    /// Leaves capacity for the rest of a subject that contains the name.
    private static let nameBytesMax = 100

    /// The name.
    let name: HeaderText
    /// The address.
    let address: MailAddress

    /// Validates a mailbox; nil when the name is not allowed in a header or longer than 100 bytes,
    /// or the address is invalid.
    init?(name: String, address: String) {
        guard name.utf8.count <= Self.nameBytesMax, let name = HeaderText(name),
            let address = MailAddress(address)
        else { return nil }
        self.name = name
        self.address = address
    }

    /// The form in `From`.
    var text: String { "\(name.phrase) <\(address.text)>" }
}
