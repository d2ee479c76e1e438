import Cryptography
import ServiceRuntime

/// Signs mails for a domain (RFC 6376), so that receivers can distinguish them from forged ones,
/// and so that DMARC passes where SPF does not.
///
/// Pure: the mail and its time go in, header fields come out. One mail always gives the same bytes,
/// because both algorithms are deterministic and `t=` is the time of acceptance.
///
///     tag  value                            why
///     c    relaxed/relaxed                  relays fold lines and trim spaces
///     h    every field that we write, once  oversigning: a second From or Subject that an attacker
///          more than it occurs              prepends breaks the signature (RFC 6376, 8.15)
///     l    never                            it would let an attacker append text after the signed
///                                           part (8.2)
struct DKIMSigner: Sendable {
    /// Fields that are signed even if a mail lacks them, so that an attacker cannot add one.
    static let fields = [
        "from", "to", "subject", "date", "message-id", "mime-version", "content-type",
        "content-language", "auto-submitted", "x-auto-response-suppress", "reply-to", "cc",
        "sender", "list-unsubscribe",
        "list-unsubscribe-post",
    ]

    let domain: String
    let keys: [DKIMKey]

    /// A signature field for each key, in the keys' order. They go before the mail's own fields.
    /// - Throws: `CryptographyError`.
    func signatures(
        of header: MailHeader, body: [UInt8], at moment: Timestamp
    ) throws -> [MailHeader.Field] {
        let bodyHash = SHA256.hash(DKIMCanonical.body(body))
        let names = Self.signedNames(in: header)
        let signed = Self.signedBytes(names, of: header)
        return try keys.map { key in
            let unsigned = Signature(
                algorithm: key.name, domain: domain, selector: key.selector, moment: moment,
                fields: names, bodyHash: bodyHash)
            // The signature covers its own field with an empty `b=`, without a line end (3.7).
            let data = signed + DKIMCanonical.field(unsigned.field(signature: []))
            return unsigned.field(signature: try key.sign(data))
        }
    }

    /// Each name as often as the header has it, plus once.
    private static func signedNames(in header: MailHeader) -> [String] {
        fields.flatMap { name in
            Array(repeating: name, count: header.fields.count { $0.isNamed(name) } + 1)
        }
    }

    /// The fields in the order of `names`. Of a field that occurs several times the last one is
    /// taken first; a field that does not occur contributes nothing (5.4.2).
    static func signedBytes(_ names: [String], of header: MailHeader) -> [UInt8] {
        var used: [String: Int] = [:]
        var bytes: [UInt8] = []
        for name in names {
            let fields = header.fields.filter { $0.isNamed(name) }
            let index = fields.count - 1 - used[name, default: 0]
            used[name, default: 0] += 1
            guard fields.indices.contains(index) else { continue }
            bytes += DKIMCanonical.field(fields[index]) + [13, 10]
        }
        return bytes
    }
}

extension DKIMSigner {
    /// One `DKIM-Signature` field (RFC 6376, 3.5), folded into lines.
    fileprivate struct Signature {
        /// The line length for field names and Base64, in bytes.
        private static let lineBytesMax = 70

        let algorithm: String
        let domain: String
        let selector: String
        let moment: Timestamp
        let fields: [String]
        let bodyHash: [UInt8]

        /// The field. With an empty signature it is the field that the signature covers.
        func field(signature: [UInt8]) -> MailHeader.Field {
            MailHeader.Field(
                "DKIM-Signature",
                [
                    "v=1; a=\(algorithm); c=relaxed/relaxed; d=\(domain);",
                    "s=\(selector); t=\(moment.seconds);",
                    Self.folded("h=" + fields.joined(separator: ":") + ";", after: ":"),
                    "bh=\(Base64.encode(bodyHash));",
                    "b=" + Self.folded(Base64.encode(signature)),
                ].joined(separator: MailHeader.fold))
        }

        /// Folds a list after some of its separators.
        private static func folded(_ list: String, after separator: Character) -> String {
            var lines: [String] = [""]
            for part in list.split(separator: separator, omittingEmptySubsequences: false) {
                let last = lines[lines.count - 1]
                if last.utf8.count + part.utf8.count > lineBytesMax { lines.append("") }
                lines[lines.count - 1] += part + String(separator)
            }
            return lines.joined(separator: MailHeader.fold).dropLast().description
        }

        /// Folds Base64 anywhere: white space in it is ignored.
        private static func folded(_ base64: String) -> String {
            var lines: [Substring] = []
            var rest = base64[...]
            while !rest.isEmpty {
                lines.append(rest.prefix(lineBytesMax))
                rest = rest.dropFirst(lineBytesMax)
            }
            return lines.joined(separator: MailHeader.fold)
        }
    }
}
