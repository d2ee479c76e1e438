import Cryptography
import ServiceRuntime

/// One `DKIM-Signature` field (RFC 6376, 3.5), folded into lines.
struct DKIMSignature {
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
