package import Cryptography

/// One header field of a request (RFC 9110, 5). It cannot contain a line break, so that no value
/// from outside can add a field or a request (header injection).
package struct HTTPHeader: Sendable {
    /// The longest value in bytes. An access token of Google's has about 1 KiB.
    package static let valueBytesMax = 8_192

    private let name: String
    private let value: String
    private let secret: SecretBytes?

    /// Whether the value contains a secret.
    var isSecret: Bool { secret != nil }

    /// A field. Nil when name or value contain forbidden characters, or when libcurl sets a field
    /// of that name itself.
    package init?(_ name: String, _ value: String) {
        guard !value.isEmpty, Self.isName(name), Self.isValue(value.utf8) else { return nil }
        self.init(name: name, value: value, secret: nil)
    }

    /// A field whose value ends with a secret, such as `authorization: Bearer …`.
    /// - Parameter lead: The text before the secret.
    package init?(_ name: String, lead: String, secret: SecretBytes) {
        guard secret.count > 0, Self.isName(name), Self.isValue(lead.utf8),
            secret.withBytes({ Self.isValue($0) })
        else { return nil }
        self.init(name: name, value: lead, secret: secret)
    }

    private init(name: String, value: String, secret: SecretBytes?) {
        self.name = name
        self.value = value
        self.secret = secret
    }

    /// `content-type: application/json`
    package static let json = HTTPHeader(
        name: "content-type", value: "application/json", secret: nil)
    /// `content-type: application/x-www-form-urlencoded`
    package static let form = HTTPHeader(
        name: "content-type", value: "application/x-www-form-urlencoded", secret: nil)

    /// The field as a C string.
    var line: SecretBytes { .cString("\(name): \(value)", secret) }

    /// Fields for the framing and routing of the message, which libcurl sets itself.
    private static let reserved: Set<String> = [
        "connection", "content-length", "expect", "host", "te", "transfer-encoding", "upgrade",
    ]

    /// A token (RFC 9110, 5.6.2).
    private static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && !reserved.contains(name.lowercased())
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    private static func isValue(_ value: some Collection<UInt8>) -> Bool {
        value.count <= valueBytesMax && value.allSatisfy { (0x20...0x7E).contains($0) }
    }
}

extension SecretBytes {
    /// A text and a secret, with a NUL at the end, for libcurl. The copy is wiped.
    static func cString(_ text: String, _ secret: SecretBytes?) -> SecretBytes {
        let text = text.utf8
        return SecretBytes(count: text.count + (secret?.count ?? 0) + 1) { copy in
            copy.copyBytes(from: text)
            secret?.withBytes { secret in
                UnsafeMutableRawBufferPointer(rebasing: copy[text.count...])
                    .copyBytes(from: secret)
            }
        }
    }
}
