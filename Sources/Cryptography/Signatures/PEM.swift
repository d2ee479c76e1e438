/// A file of one PEM block (RFC 7468).
enum PEM {
    /// The beginning of any PEM text.
    static let start = Array("-----BEGIN ".utf8)

    /// The text of one block. `der` has at most 48 bytes, one line of Base64. Wiping a secret text
    /// is the caller's task.
    static func text(_ der: [UInt8], label: String) -> [UInt8] {
        precondition(der.count <= 48, "RFC 7468 ends a line after 64 characters")
        return Array(
            "-----BEGIN \(label)-----\n\(Base64.encode(der))\n-----END \(label)-----\n".utf8)
    }

    /// The bytes of the block as a secret, if `text` is one block with one of these labels and
    /// nothing else. They stay in no other place.
    static func secret(of text: SecretBytes, labels: [String]) -> SecretBytes? {
        text.withBytes { bytes in
            for label in labels {
                if var der = content(of: bytes, label: label) { return SecretBytes(taking: &der) }
            }
            return nil
        }
    }

    /// The bytes of the block, if `text` is one block with that label and nothing else.
    static func content(of text: UnsafeRawBufferPointer, label: String) -> [UInt8]? {
        let head = Array("-----BEGIN \(label)-----".utf8)
        let foot = Array("-----END \(label)-----".utf8)
        var lines = text.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        guard lines.count >= 3, lines.removeFirst().elementsEqual(head),
            lines.removeLast().elementsEqual(foot)
        else { return nil }
        var characters = Array(lines.joined())
        defer { wipe(&characters) }
        return Base64.decode(characters)
    }
}

/// Values in ASN.1's distinguished encoding rules (X.690).
enum DER {
    /// A positive INTEGER: no leading zeros, except one that keeps the number from being negative.
    static func integer(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        return tagged(0x02, digits.first.map { $0 >= 0x80 } ?? true ? [0] + digits : digits)
    }

    /// A value of at most 65,535 bytes with its tag and length. The longest modulus of an RSA key
    /// is far shorter.
    static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        switch count {
        case ..<0x80: return [tag, UInt8(count)] + content
        case ..<0x100: return [tag, 0x81, UInt8(count)] + content
        default:
            return [tag, 0x82, UInt8(count >> 8), UInt8(truncatingIfNeeded: count)] + content
        }
    }
}
